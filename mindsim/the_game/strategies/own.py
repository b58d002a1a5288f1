"""Own strategies: how an object or function of the user's is asked, in NumPy or compiled.

What comes back is checked for shape and type here, and by `kernel.accept` and `kernel.hear` for the rules.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numba.core.dispatcher import Dispatcher

from mindsim.jit import making_entry
from mindsim.the_game.kernel import VIEW, fill_view
from mindsim.the_game.rules import Rules
from mindsim.the_game.strategies.base import BuiltIn
from mindsim.the_game.strategies.observation import Ints, Observation


@dataclass(frozen=True)
class Own:
    """A function as a strategy, with what it may use.

    Parameters
    ----------
    function : function
        ``f(obs) -> int64[rows]`` in NumPy, or ``f(view) -> play`` decorated with ``numba.njit``.
    memory : bool
        Whether it knows the unseen cards.
    hints : bool
        Whether it hears the others' hints. It speaks if `says` is given.
    says : function, optional
        ``f(obs) -> int64[rows, 4]``, in NumPy: its hint for each pile.

    Examples
    --------
    >>> Own(lambda obs: obs.smallest(obs.movement), memory=True).memory
    True
    """

    function: Any
    memory: bool = False
    hints: bool = False
    says: Any = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function must be a function of an observation, not {self.function!r}")

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(getattr(self.function, "__name__", "own"))

    def choose(self, obs: Observation) -> Ints:
        """Ask the function."""
        answer: Ints = self.function(obs)
        return answer

    def hint(self, obs: Observation) -> Ints:
        """Ask what it says; nothing if it says nothing."""
        return np.zeros((obs.rows, 4), np.int64) if self.says is None else self.says(obs)


def as_strategy(value: Any) -> Any:
    """Check a strategy; a bare function becomes `Own`."""
    if isinstance(value, type):
        raise TypeError(f"strategy must be an object, not the class {value.__name__}: write {value.__name__}()")
    if isinstance(value, BuiltIn) or callable(getattr(value, "choose", None)):
        return value
    if callable(value):
        return Own(value)
    raise TypeError(f"strategy must be a strategy, or a function of an observation, not {value!r}")


def name_of(strategy: Any) -> str:
    """The name by which results list a strategy."""
    return str(getattr(strategy, "name", type(strategy).__name__))


@njit(nogil=True)
def _choose_with(function, states, rows, book, memory, hears, views, plays):
    """Ask a compiled function for a play in each of the games `rows`. (Not cached: the function is an argument.)"""
    view = views[0]
    for k in range(len(rows)):
        s = states[rows[k]]
        fill_view(view, s, book, s.player, memory, hears)
        plays[k] = function(view)


@making_entry
def _fill_views(views, states, rows, players, book, memory, hears):
    """Fill in one view for each row."""
    for k in range(len(rows)):
        fill_view(views[k], states[rows[k]], book, players[k], memory, hears)


def observe(strategy: Any, rules: Rules, states: np.ndarray, rows: Ints, players: Ints) -> Observation:
    """Return what the players may know, one row for each pair of game and player."""
    views = np.zeros(len(rows), VIEW)
    memory, hears = bool(getattr(strategy, "memory", False)), bool(getattr(strategy, "hints", False))
    _fill_views(views, states, rows, players, rules.book, memory, hears)
    return Observation(views, rules.full_hand, rules.players, rules.trick, rules.deck)


def ask(strategy: Any, rules: Rules, states: np.ndarray, rows: Ints) -> Ints:
    """Ask any strategy for its plays in the games `rows`."""
    if isinstance(strategy, BuiltIn):
        return strategy.choose_rows(rules, states, rows)
    function = getattr(strategy, "function", None)
    if isinstance(function, Dispatcher):
        plays = np.zeros(len(rows), np.int64)
        _choose_with(
            function, states, rows, rules.book, strategy.memory, strategy.hints, np.zeros(1, VIEW), plays
        )
        return plays
    players = states["player"][rows].astype(np.int64)
    plays = strategy.choose(observe(strategy, rules, states, rows, players))
    return _whole_numbers(strategy, "choose", plays, (len(rows),))


def ask_hints(strategy: Any, rules: Rules, states: np.ndarray, rows: Ints, players: Ints) -> Ints:
    """Ask any strategy what it says, one row of four hints for each pair of game and player."""
    speaks = isinstance(strategy, BuiltIn) or hasattr(strategy, "hint")
    if not (speaks and getattr(strategy, "hints", False)):
        return np.zeros((len(rows), 4), np.int64)
    if isinstance(strategy, BuiltIn):
        return strategy.say_rows(rules, states, rows, players)
    said = strategy.hint(observe(strategy, rules, states, rows, players))
    return _whole_numbers(strategy, "hint", said, (len(rows), 4))


def _whole_numbers(strategy: Any, method: str, value: Any, shape: tuple[int, ...]) -> Ints:
    """Check that an answer is an array of whole numbers of the right shape."""
    array = np.asarray(value)
    if array.shape != shape:
        raise ValueError(f"{name_of(strategy)}.{method} must return an array of shape {shape}, not {array.shape}")
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name_of(strategy)}.{method} must return integers, not {array.dtype}")
    return array.astype(np.int64)
