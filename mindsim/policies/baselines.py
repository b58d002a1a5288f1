"""Baselines: policies that know little or nothing, to measure the others against.

What this file leaves to others: anything that looks at the gap is in `gap`, at the cards unseen in `probability`.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Observation
from mindsim.registry import NOT_NEGATIVE, POSITIVE, check, check_whole, policies

__all__ = ["Eager", "Slots", "Uniform"]


@policies.register("uniform", timing="other", stochastic=True)
@dataclass(frozen=True)
class Uniform:
    """Wait a uniformly random time, drawn anew after every event: blind to the cards.

    With everybody playing so, all orders of play that keep each hand's own order are equally likely.

    Parameters
    ----------
    seconds : float
        The longest wait, above 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.Uniform(seconds=10.0)
    Uniform(seconds=10.0)
    """

    seconds: float = 10.0

    def __post_init__(self) -> None:
        check(self, seconds=POSITIVE)

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return obs.unless_alone(self.seconds * obs.uniform())


@policies.register("eager", timing="other")
@dataclass(frozen=True)
class Eager:
    """Play the lowest card after the same short wait, whatever it is.

    Everybody is due at the same moment, so fair draws decide the order: the floor below which nothing should fall.

    Parameters
    ----------
    seconds : float
        Seconds from every event, at least 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.Eager()
    Eager(seconds=0.0)
    """

    seconds: float = 0.0

    def __post_init__(self) -> None:
        check(self, seconds=NOT_NEGATIVE)

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return obs.unless_alone(np.full(obs.rows, float(self.seconds)))


@policies.register("slots", timing="absolute")
@dataclass(frozen=True)
class Slots:
    """Cut the track into slots of equal width and the level into equal beats: all cards of a slot are due at its beat.

    Cards 1 .. width are due at once, the next `width` one beat later, and so on: a metronome that counts in tens, say.
    Cards of one slot are in order only by luck or by noise.

    Parameters
    ----------
    width : int
        Cards in a slot, 1 .. 127.
    seconds : float
        Seconds from one slot to the next, above 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.Slots(width=10, seconds=2.0)
    Slots(width=10, seconds=2.0)
    """

    width: int = 10
    seconds: float = 2.0

    def __post_init__(self) -> None:
        check_whole(self, "width", 1, 127)
        check(self, seconds=POSITIVE)

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        return self.seconds * (np.maximum(np.arange(128) - 1, 0) // self.width)

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return obs.until_card(self._table)
