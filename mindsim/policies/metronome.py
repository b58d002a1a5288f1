"""Schedules by the level's clock: every card has its moment, counted from the level's start.

What this file leaves to others: waits counted from the pile's last rise are in `gap`; given moments in `script`.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Observation
from mindsim.registry import POSITIVE, check, policies

__all__ = ["Metronome"]


@policies.register("metronome", timing="absolute")
@dataclass(frozen=True)
class Metronome:
    """Play card c at pace x c seconds of the level, as if counting aloud.

    Counting at an agreed pace is outside the spirit of the book: one published text asks players not to count a second
    a number. It is here as the yardstick that an exact clock cannot beat.

    Parameters
    ----------
    pace : float
        Seconds a card, above 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.Metronome(pace=0.1)
    Metronome(pace=0.1)
    """

    pace: float = 0.34

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE)

    @cached_property
    def _moments(self) -> NDArray[np.float64]:
        return self.pace * np.arange(128.0)  # a track has at most 127 ranks

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return obs.until_card(self._moments)
