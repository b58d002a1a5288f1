"""A clock whose rate wanders: quick now means rather quick in the next epochs too.

What this file leaves to others: rates drawn afresh or kept as they are, in `scalar`.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.clocks.base import Clock
from mindsim.observation import Noise
from mindsim.registry import NOT_NEGATIVE, Range, check, clocks

__all__ = ["Drift"]

_RHO = Range(0.0, 0.95, True, "a number from 0 to 0.95")
_LOST = 1e-4  # share of the variance that may be lost by forgetting the distant past


@clocks.register("drift")
@dataclass(frozen=True)
class Drift(Clock):
    """A slowly drifting rate exp(sigma x), x a stationary autoregression over epochs with correlation rho.

    x = sqrt(1 - rho^2) (z_0 + rho z_1 + rho^2 z_2 + ...), with z_k the normal draw of k epochs ago. The sum stops where
    less than 1 in 10,000 of the variance is left, and is scaled up by that much; it costs about 4.6 / -log(rho) draws.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rate's logarithm, at least 0.
    rho : float
        Correlation of x in neighbouring epochs, 0 to 0.95.

    Source
    ------
    Produced intervals are positively correlated over tens of intervals; a first-order autoregression is the simplest
    form of it.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.Drift(sigma=0.2, rho=0.8)
    Drift(sigma=0.2, rho=0.8)
    """

    sigma: float
    rho: float = 0.8

    def __post_init__(self) -> None:
        check(self, sigma=NOT_NEGATIVE, rho=_RHO)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weight of the draw of 0, 1, 2 ... epochs ago; their squares sum to 1."""
        n = 1 if self.rho == 0 else 1 + math.ceil(math.log(_LOST) / (2.0 * math.log(self.rho)))
        powers = float(self.rho) ** np.arange(n)
        return powers / np.sqrt(np.sum(powers**2))

    def rate(self, noise: Noise) -> NDArray[np.float64]:
        """exp(sigma x)."""
        x = noise.zeros()
        for k, weight in enumerate(self.weights):
            x += weight * noise.ago(k).normal()
        return np.exp(self.sigma * x)
