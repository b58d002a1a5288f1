"""Waits that depend on the gap between the own lowest card and the pile's top, measured from the pile's last rise.

Every policy here waits ``max(0, f(gap) - since_top)``: an event that did not raise the top does not start the wait
afresh. Face down, f(card) is counted from the level's start instead, but for linear f, where both come to the same
(see `common`). As `gap` is a small whole number, f is tabulated once.

What this file leaves to others: schedules by the clock of the level are in `metronome` and `stabilised`.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.jit import entry
from mindsim.observation import Observation
from mindsim.policies.common import by_table
from mindsim.registry import NOT_NEGATIVE, POSITIVE, check, policies

__all__ = ["GapExponential", "GapLinear", "GapPower"]

_GAPS = np.arange(128.0)  # a track has at most 127 ranks


@entry
def _left_in_proportion(pace, gap, head_start, out):
    for i in range(len(out)):
        left = pace * gap[i] - head_start[i]
        out[i] = left if left > 0.0 else 0.0


@policies.register("gap_linear", timing="gap")
@dataclass(frozen=True)
class GapLinear:
    """Wait in proportion to the gap: pace x gap seconds after the pile last rose.

    Parameters
    ----------
    pace : float
        Seconds a card of gap, above 0. People playing The Mind: 0.34.

    Source
    ------
    The common first idea; all public programs have it. The rulebook's remark on pace: usually under 1 s a number.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.GapLinear(pace=0.05)
    GapLinear(pace=0.05)
    """

    pace: float = 0.34

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE)

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        left = np.empty(obs.rows)
        _left_in_proportion(float(self.pace), obs._gap, obs.head_start, left)
        return left


@policies.register("gap_power", timing="gap")
@dataclass(frozen=True)
class GapPower:
    """Wait pace x gap^exponent seconds after the pile last rose.

    Parameters
    ----------
    pace : float
        Seconds at a gap of one card, above 0.
    exponent : float
        1 is `GapLinear`; above 1, wide gaps are told apart better and narrow ones worse. At least 0.

    Source
    ------
    The form fitted to people in facts on human waits (exponent 1.15).

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.GapPower(pace=0.02, exponent=2.0)
    GapPower(pace=0.02, exponent=2.0)
    """

    pace: float = 0.05
    exponent: float = 1.6

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, exponent=NOT_NEGATIVE)

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        return self.pace * _GAPS**self.exponent

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return by_table(obs, self._table)


@policies.register("gap_exponential", timing="gap")
@dataclass(frozen=True)
class GapExponential:
    """Wait pace x (exp(growth x gap) - 1) / growth seconds after the pile last rose.

    The schedule that keeps the chance of confusing neighbouring gaps the same when a clock's error is proportional to
    the interval (no floor); for growth near 0 it is `GapLinear`.

    Parameters
    ----------
    pace : float
        Seconds a card of gap for very small gaps, above 0.
    growth : float
        By how much a card of gap lengthens the next step, as a share; above 0. At 0.05 the steps double every 14 cards.

    Source
    ------
    The limit s0 -> 0 of the variance-stabilised schedule (see `stabilised`).

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.GapExponential(pace=0.02, growth=0.05)
    GapExponential(pace=0.02, growth=0.05)
    """

    pace: float = 0.05
    growth: float = 0.05

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, growth=POSITIVE)

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        return self.pace * np.expm1(self.growth * _GAPS) / self.growth

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return by_table(obs, self._table)
