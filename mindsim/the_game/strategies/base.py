"""What a strategy is, the registry of names, and what the built-in ones share.

A strategy decides, whenever its player has something to choose, on one play: a card and a pile, or `STOP`. It gets an
observation of what the player may know and nothing else. There are three kinds:

- built-in ones, frozen dataclasses with compiled loops of their own (`BuiltIn`), cached on disk;
- own ones in NumPy: an object with ``choose(obs) -> int64[rows]`` or such a function, called once for all games that
  wait for a choice; optionally ``hint(obs) -> int64[rows, 4]``;
- own ones compiled: a function decorated with ``numba.njit`` that takes one view and returns one play.

Attributes `memory` and `hints` say what a strategy uses. Without `memory` the set of unseen cards is empty; without
`hints` the player neither speaks nor listens. The engine sees to it. Functions get neither, unless they are wrapped in
`Own`.
"""
from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from mindsim.the_game.kernel import VIEW
from mindsim.the_game.rules import Rules

_NAMES: dict[str, type] = {}
T = TypeVar("T", bound=type)


def register(name: str) -> Callable[[T], T]:
    """Give a strategy class a name, under which `make` builds it and results list it.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @register("lowest_first")
    ... @dataclass(frozen=True)
    ... class LowestFirst:
    ...     def choose(self, obs):
    ...         return obs.smallest(obs.movement)
    >>> make("lowest_first")
    LowestFirst()
    """

    def add(cls: T) -> T:
        known = _NAMES.get(name)
        if known is not None and known.__qualname__ != cls.__qualname__:
            raise ValueError(f"strategy name {name!r} is taken by {known.__qualname__}")
        cls.name = name  # type: ignore[attr-defined]
        _NAMES[name] = cls
        return cls

    return add


def names() -> list[str]:
    """Return the names of all registered strategies, sorted."""
    return sorted(_NAMES)


def make(name: str, **settings: Any) -> Any:
    """Build a strategy by its registered name.

    Parameters
    ----------
    name : str
        One of `names`.
    **settings
        Its fields. A strategy inside another one may be given as its name or as a dict with the key "name".

    Raises
    ------
    ValueError
        If the name is unknown (with the nearest ones) or a setting does not exist.

    Examples
    --------
    >>> make("look_ahead", reach=3).reach
    3
    """
    if name not in _NAMES:
        near = difflib.get_close_matches(str(name), names(), n=3, cutoff=0.4) or names()
        raise ValueError(f"unknown strategy {name!r}; did you mean {', '.join(map(repr, near))}?")
    cls = _NAMES[name]
    inner = {key: make(**value) if isinstance(value, dict) else value for key, value in settings.items()}
    try:
        return cls(**inner)
    except TypeError as error:
        if "unexpected keyword" in str(error):
            raise ValueError(f"strategy {name!r} has no such setting: {error}") from error
        raise


def describe(strategy: Any) -> dict[str, Any]:
    """Return a strategy as a dict that JSON can hold; ``make(**d)`` gives a registered one back."""
    name = getattr(strategy, "name", None) or getattr(strategy, "__name__", type(strategy).__name__)
    if not is_dataclass(strategy) or isinstance(strategy, type):
        return {"name": name}
    fields = {key: getattr(strategy, key) for key in asdict(strategy)}
    return {"name": name} | {k: describe(v) if is_dataclass(v) else v for k, v in fields.items()}


@dataclass(frozen=True)
class BuiltIn:
    """What built-in strategies share: they answer for many games at once, through compiled loops.

    A family's file has its own loops, because Numba never finds compiled functions on disk that were made from a
    function passed as an argument. `choose_loop` fills in a view for each game and writes the play; `say_loop` lets a
    player speak. Both get nothing but views to decide from. A recursive function must be called from outside with the
    very types that it calls itself with (``np.int64(0)``, not ``0``): cached code crashes otherwise (numba issue 6061).
    """

    name: ClassVar[str]
    memory: ClassVar[bool] = False
    hints: ClassVar[bool] = False
    choose_loop: ClassVar[Callable[..., None]]
    say_loop: ClassVar[Callable[..., None]]

    def filled(self) -> Any:
        """Return the same strategy with every setting written out that would come from a file of the package."""
        return self

    def settings(self) -> tuple[float, ...]:
        """Return the numbers that the compiled functions of this strategy read."""
        return ()

    def choose_rows(self, rules: Rules, states: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return a play for the player on turn in each of the games `rows`."""
        plays, parameters = np.zeros(len(rows), np.int64), np.array(self.settings(), np.float64)
        self.choose_loop(states, rows, rules.book, self.memory, self.hints, parameters, np.zeros(1, VIEW), plays)
        return plays

    def say_rows(self, rules: Rules, states: np.ndarray, rows: np.ndarray, players: np.ndarray) -> np.ndarray:
        """Return what each player says of the four piles, in the games `rows`."""
        said, parameters = np.zeros((len(rows), 4), np.int64), np.array(self.settings(), np.float64)
        self.say_loop(states, rows, players, rules.book, self.memory, self.hints, parameters, np.zeros(1, VIEW), said)
        return said


def whole(name: str, value: object, low: int, high: int) -> None:
    """Check that the setting `value` is an integer in low..high."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer in {low}..{high}, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be an integer in {low}..{high}, not {value}")
