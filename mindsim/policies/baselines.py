"""Baselines: policies that know little or nothing, to measure the others against.

What this file leaves to others: anything that looks at the gap is in `gap`, at the cards unseen in `probability`.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Observation
from mindsim.registry import POSITIVE, check, policies

__all__ = ["Uniform"]


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

    seconds: float

    def __post_init__(self) -> None:
        check(self, seconds=POSITIVE)

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return obs.unless_alone(self.seconds * obs.uniform())
