"""A policy that plays given cards at given moments: for worked examples, tests and replays.

What this file leaves to others: everything that decides.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Observation
from mindsim.registry import policies

__all__ = ["Script"]

Card = int | tuple[str, int]
_COLOURS = ("white", "red")
_MAX_RANK = 127


@policies.register("script", timing="absolute")
@dataclass(frozen=True)
class Script:
    """Play each card at its given moment of the level, and no other card.

    A card whose moment has passed (because a lower one of the hand was late) is played at once. Being alone with the
    last cards changes nothing: a script plays exactly when told.

    Parameters
    ----------
    times : dict
        Card -> felt seconds since the level's start, at least 0. A card is its printed value, or with two tracks
        ``("white", 8)`` or ``("red", 33)``; there a plain number means white. Kept as a sorted tuple of pairs.

    Raises
    ------
    TypeError, ValueError
        If a card or a time is not of that form, or a card has two times.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.Script({12: 1.0, 58: 2.5})
    Script(times=((12, 1.0), (58, 2.5)))
    """

    times: Mapping[Card, float] | Iterable[tuple[Card, float]]

    def __post_init__(self) -> None:
        pairs = self.times.items() if isinstance(self.times, Mapping) else self.times
        checked = sorted(((_card(card), _moment(card, time)) for card, time in pairs), key=_place)
        for (a, _), (b, _) in pairwise(checked):
            if _track_and_value(a) == _track_and_value(b):
                raise ValueError(f"Script: times must have each card once, but {b!r} has two moments")
        object.__setattr__(self, "times", tuple(checked))

    @cached_property
    def _tables(self) -> dict[int, NDArray[np.float64]]:
        return {}

    def _moments(self, ranks: int) -> NDArray[np.float64]:
        """Moment by 128 * track + rank, on tracks of this many ranks; inf: never."""
        if ranks not in self._tables:
            table = np.full(2 * (_MAX_RANK + 1), np.inf)
            for card, time in cast(tuple[tuple[Card, float], ...], self.times):
                track, value = _track_and_value(card)
                rank = ranks + 1 - value if track else value
                if 1 <= rank <= _MAX_RANK:
                    table[track * (_MAX_RANK + 1) + rank] = time
            self._tables[ranks] = table
        return self._tables[ranks]

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        moments = self._moments(obs.track_length)
        return np.maximum(moments.take((_MAX_RANK + 1) * obs.track + obs.card) - obs.elapsed, 0.0)


def _card(card: Any) -> Card:
    if isinstance(card, (int, np.integer)) and not isinstance(card, bool) and 1 <= card <= _MAX_RANK:
        return int(card)
    if isinstance(card, (tuple, list)) and len(card) == 2 and card[0] in _COLOURS:
        value = _card(card[1])
        if isinstance(value, int):
            return (card[0], value)
    raise ValueError(f"Script: a card must be a printed value 1..{_MAX_RANK} or a pair like ('white', 8), not {card!r}")


def _moment(card: Card, time: Any) -> float:
    if isinstance(time, bool) or not hasattr(time, "__float__"):
        raise TypeError(f"Script: the moment of card {card!r} must be a number of seconds, not {time!r}")
    if not float(time) >= 0.0:
        raise ValueError(f"Script: the moment of card {card!r} must be at least 0, not {time!r}")
    return float(time)


def _track_and_value(card: Card) -> tuple[int, int]:
    return (0, card) if isinstance(card, int) else (_COLOURS.index(card[0]), card[1])


def _place(pair: tuple[Card, float]) -> tuple[int, int]:
    return _track_and_value(pair[0])
