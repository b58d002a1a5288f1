"""Reactions: how long a player needs to see an event and to answer, or to call a movement back.

A reaction is a number of seconds, or any object with ``draw(noise) -> float64[rows] >= 0``, drawn once for each player
and epoch.

What this file leaves to others: what a reaction time does is in `kernel`.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindsim import registry as _registry
from mindsim.observation import Noise
from mindsim.registry import NOT_NEGATIVE, check

register = _registry.reactions.register
names = _registry.reactions.names
make = _registry.reactions.make
entries = _registry.reactions.entries

__all__ = ["ExGaussian", "Fixed", "entries", "make", "names", "register"]


@register("fixed")
@dataclass(frozen=True)
class Fixed:
    """Always the same reaction time.

    Parameters
    ----------
    seconds : float
        At least 0. Simple visual reactions: 0.23.

    Examples
    --------
    >>> from mindsim import reactions
    >>> reactions.Fixed(0.23)
    Fixed(seconds=0.23)
    """

    seconds: float

    def __post_init__(self) -> None:
        check(self, seconds=NOT_NEGATIVE)

    def draw(self, noise: Noise) -> NDArray[np.float64]:
        """Seconds, one for each row."""
        return np.full(noise.rows, float(self.seconds))


@register("ex_gaussian")
@dataclass(frozen=True)
class ExGaussian:
    """A normal time and an exponential one added up, never below 0: mean mu + tau, variance sigma^2 + tau^2.

    Parameters
    ----------
    mu, sigma, tau : float
        Mean and spread of the normal part and mean of the exponential part, in seconds, at least 0. As given: mean
        0.23, spread 0.054.

    Source
    ------
    Simple visual reactions: mean 0.23 s (Woods et al. 2015, n = 1469), ex-Gaussian, spread within a person 40-60 ms.

    Examples
    --------
    >>> from mindsim import reactions
    >>> reactions.ExGaussian()
    ExGaussian(mu=0.18, sigma=0.02, tau=0.05)
    """

    mu: float = 0.18
    sigma: float = 0.02
    tau: float = 0.05

    def __post_init__(self) -> None:
        check(self, mu=NOT_NEGATIVE, sigma=NOT_NEGATIVE, tau=NOT_NEGATIVE)

    def draw(self, noise: Noise) -> NDArray[np.float64]:
        """Seconds, one for each row."""
        return np.maximum(self.mu + self.sigma * noise.normal() - self.tau * np.log(noise.uniform()), 0.0)
