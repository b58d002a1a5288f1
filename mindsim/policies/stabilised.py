"""The variance-stabilised schedule: every step between neighbouring cards is as hard to time as every other.

A clock with sd^2 = s0^2 + (w t)^2 confuses two moments when they lie close compared with its spread there. Moments t(k)
that grow by the same number of standard deviations a card solve dt/dk = c sqrt(s0^2 + (w t)^2), so

    t(k) = (s0 / w) sinh(u (k - 1) / (N - 1)),   u = asinh(w T / s0),   t(1) = 0,   t(N) = T:

linear for w -> 0, exponential for s0 -> 0. It is used in two forms: k the card and t counted from the level's start, or
k the gap and t counted from the pile's last rise.

What this file leaves to others: linear, power and exponential waits are in `gap`, the metronome in `metronome`.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Observation
from mindsim.policies.common import by_table
from mindsim.registry import POSITIVE, check, policies

__all__ = ["SinhGap", "SinhLevel"]

_RANKS = np.arange(128.0)  # a track has at most 127 ranks


def schedule(weber: float, floor: float, seconds: float, n: int) -> NDArray[np.float64]:
    """t(k) for k = 0 .. 127 on a track of `n` ranks (0 for k = 0 and k = 1; beyond n, as for n)."""
    u = np.arcsinh(weber * seconds / floor)
    step = np.clip(_RANKS - 1.0, 0.0, n - 1.0) / max(n - 1, 1)
    return floor / weber * np.sinh(u * step)


class _Sinh:
    """The tables of both forms: one for each number of ranks, made when first needed."""

    weber: float
    floor: float
    seconds: float

    def __post_init__(self) -> None:
        check(self, weber=POSITIVE, floor=POSITIVE, seconds=POSITIVE)

    @cached_property
    def _tables(self) -> dict[int, NDArray[np.float64]]:
        return {}

    def _moments(self, obs: Observation) -> NDArray[np.float64]:
        ranks = obs.track_length
        if ranks not in self._tables:
            self._tables[ranks] = schedule(self.weber, self.floor, self.seconds, ranks)
        return self._tables[ranks]


@policies.register("sinh_gap", timing="gap")
@dataclass(frozen=True)
class SinhGap(_Sinh):
    """Wait t(gap) seconds after the pile last rose, t the variance-stabilised schedule; a gap of 1 is played at once.

    Parameters
    ----------
    weber, floor : float
        The clock that the schedule is made for: its Weber fraction and its floor in seconds, both above 0.
    seconds : float
        The wait at the widest gap (as many cards as the track has ranks), above 0.

    Source
    ------
    The stabilising transform of sd^2 = s0^2 + w^2 t^2 (Getty 1975), started afresh at every card.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.SinhGap(weber=0.14, floor=0.05, seconds=60.0)
    SinhGap(weber=0.14, floor=0.05, seconds=60.0)
    """

    weber: float = 0.14
    floor: float = 0.05
    seconds: float = 60.0

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return by_table(obs, self._moments(obs))


@policies.register("sinh_level", timing="absolute")
@dataclass(frozen=True)
class SinhLevel(_Sinh):
    """Play card k at t(k) seconds of the level, t the variance-stabilised schedule.

    Like `Metronome` it counts from the level's start, so it shares its standing with the book.

    Parameters
    ----------
    weber, floor : float
        The clock that the schedule is made for: its Weber fraction and its floor in seconds, both above 0.
    seconds : float
        The moment of the track's last card, above 0.

    Source
    ------
    The stabilising transform of sd^2 = s0^2 + w^2 t^2 (Getty 1975).

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.SinhLevel(weber=0.14, floor=0.05, seconds=60.0)
    SinhLevel(weber=0.14, floor=0.05, seconds=60.0)
    """

    weber: float = 0.14
    floor: float = 0.05
    seconds: float = 60.0

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return obs.until_card(self._moments(obs))
