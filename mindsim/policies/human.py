"""Waits as people's were described: a power of the gap with wide, uneven spread.

What this file leaves to others: clocks (a fitted spread already holds the clock's), and how people use stars.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Observation
from mindsim.registry import NOT_NEGATIVE, POSITIVE, check, policies

__all__ = ["Human"]

_GAPS = np.arange(128.0)  # a track has at most 127 ranks


@policies.register("human", timing="gap", stochastic=True)
@dataclass(frozen=True)
class Human:
    """Wait pace x gap^exponent x exp(within z + between z'), z new after every event, z' one for each player and game.

    Descriptive, not a model of how people decide: the pooled fit does not reproduce both win rates that were seen. The
    spread includes the clock's, so give such a player an exact clock.

    Parameters
    ----------
    pace : float
        Seconds at a gap of one card, above 0.
    exponent : float
        At least 0. With the exponent free the fit gives pace 0.24 and exponent 1.15, with a spread of 1.03 in all.
    within : float
        Spread of the logarithm from wait to wait, at least 0.
    between : float
        Spread of the logarithm between players, at least 0.

    Source
    ------
    Waits of 21 people x 8 fixed deals with a computer partner (veghcsanad/The-Mind), fitted with censoring: with
    exponent 1, pace 0.34 s, spread within a person 0.98, between people 0.26.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.Human()
    Human(pace=0.34, exponent=1.0, within=0.98, between=0.26)
    """

    pace: float = 0.34
    exponent: float = 1.0
    within: float = 0.98
    between: float = 0.26

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, exponent=NOT_NEGATIVE, within=NOT_NEGATIVE, between=NOT_NEGATIVE)

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        return self.pace * _GAPS**self.exponent

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        spread = self.within * obs.normal() + self.between * obs.personal(0)
        return obs.remaining(self._table.take(obs.gap) * np.exp(spread))
