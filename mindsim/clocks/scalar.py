"""Clocks whose error grows with the interval: scalar timing in its usual shapes, and the steady parts of it.

A rate is a positive random number that multiplies an intended wait. Its spread is the Weber fraction.

What this file leaves to others: rates that wander are in `drift`, whole clocks by name in `whole`.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindsim.clocks.base import LASTS, Clock, Motor
from mindsim.observation import Noise
from mindsim.registry import NOT_NEGATIVE, POSITIVE, check, check_choice, clocks

__all__ = ["Additive", "Gamma", "InverseGaussian", "Lognormal", "Scalar", "Tempo"]

_LOWEST_RATE = 0.01


@clocks.register("scalar")
@dataclass(frozen=True)
class Scalar(Clock):
    """Generalised scalar timing: sd^2 = floor^2 + (weber t)^2, normal.

    The rate is 1 + weber z, kept above 0.01; the hand adds floor z'.

    Parameters
    ----------
    weber : float
        The Weber fraction, at least 0. People: 0.14 without counting, 0.07 with.
    floor : float
        Spread in seconds of even the shortest wait, at least 0. People: about 0.02 to 0.1.
    lasts : str
        How long a drawn rate stays: "epoch", "level" or "game".

    Source
    ------
    Gibbon (1977); Getty (1975); Ivry and Hazeltine (1995).

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.Scalar(weber=0.14, floor=0.05)
    Scalar(weber=0.14, floor=0.05, lasts='epoch')
    """

    weber: float
    floor: float = 0.0
    lasts: str = "epoch"

    def __post_init__(self) -> None:
        check(self, weber=NOT_NEGATIVE, floor=NOT_NEGATIVE)
        check_choice(self, "lasts", LASTS)

    def rate(self, noise: Noise) -> NDArray[np.float64]:
        """1 + weber z."""
        return noise.scalar_rate(self.weber, _LOWEST_RATE)

    @property
    def motor(self) -> Motor | None:
        """floor z seconds."""
        return (lambda noise: self.floor * noise.normal()) if self.floor else None


@clocks.register("lognormal")
@dataclass(frozen=True)
class Lognormal(Clock):
    """A rate exp(sigma z): as often twice too fast as twice too slow; its median is 1.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rate's logarithm, at least 0.
    lasts : str
        How long a drawn rate stays: "epoch", "level" or "game".

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.Lognormal(sigma=0.2)
    Lognormal(sigma=0.2, lasts='epoch')
    """

    sigma: float
    lasts: str = "epoch"

    def __post_init__(self) -> None:
        check(self, sigma=NOT_NEGATIVE)
        check_choice(self, "lasts", LASTS)

    def rate(self, noise: Noise) -> NDArray[np.float64]:
        """exp(sigma z)."""
        return np.exp(self.sigma * noise.normal())


@clocks.register("tempo")
@dataclass(frozen=True)
class Tempo(Clock):
    """A personal tempo, exp(sigma z), that stays with the player for the whole game.

    Parameters
    ----------
    sigma : float
        Standard deviation between players of the tempo's logarithm, at least 0. People playing The Mind: 0.26.

    Source
    ------
    Spontaneous tempo differs between people and stays; 0.26 was fitted to waits of people playing The Mind.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.Tempo(0.26)
    Tempo(sigma=0.26)
    """

    sigma: float

    lasts = "game"

    def __post_init__(self) -> None:
        check(self, sigma=NOT_NEGATIVE)

    def rate(self, noise: Noise) -> NDArray[np.float64]:
        """exp(sigma z)."""
        return np.exp(self.sigma * noise.normal())


@clocks.register("gamma")
@dataclass(frozen=True)
class Gamma(Clock):
    """A rate with a gamma distribution of mean 1: a count of ticks of a random pacemaker.

    Parameters
    ----------
    cv : float
        Coefficient of variation, above 0; the shape is 1 / cv^2.
    lasts : str
        How long a drawn rate stays: "epoch", "level" or "game".

    Source
    ------
    Shape k = 1 / cv^2 as in pacemaker-accumulator models; drawn by the method of Marsaglia and Tsang (2000), A simple
    method for generating gamma variables, ACM TOMS 26, which takes a row's first accepted proposal.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.Gamma(cv=0.2)
    Gamma(cv=0.2, lasts='epoch')
    """

    cv: float
    lasts: str = "epoch"

    def __post_init__(self) -> None:
        check(self, cv=POSITIVE)
        check_choice(self, "lasts", LASTS)

    def rate(self, noise: Noise) -> NDArray[np.float64]:
        """A gamma deviate of shape k, divided by k."""
        shape = 1.0 / float(self.cv) ** 2
        if shape >= 1.0:
            return _gamma(noise, shape) / shape
        boost = noise.uniform() ** (1.0 / shape)
        return np.maximum(_gamma(noise, shape + 1.0) * boost / shape, np.finfo(float).tiny)


def _gamma(noise: Noise, shape: float) -> NDArray[np.float64]:
    """Gamma deviates of a shape of at least 1: every row takes the first proposal that passes."""
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    out, open_ = noise.ones(), np.ones(noise.rows, dtype=bool)
    while open_.any():
        z, u = noise.normal(), noise.uniform()
        v = np.maximum(1.0 + c * z, 1e-30) ** 3
        passed = open_ & (np.log(u) < 0.5 * z * z + d * (1.0 - v + np.log(v)))
        out[passed] = d * v[passed]
        open_ &= ~passed
    return out


@clocks.register("inverse_gaussian")
@dataclass(frozen=True)
class InverseGaussian(Clock):
    """A rate with an inverse Gaussian distribution of mean 1: the first passage of a rising noisy accumulator.

    Parameters
    ----------
    cv : float
        Coefficient of variation, above 0.
    lasts : str
        How long a drawn rate stays: "epoch", "level" or "game".

    Source
    ------
    Simen et al. (2011), A model of interval timing by neural integration, J. Neuroscience 31; drawn by the method of
    Michael, Schucany and Haas (1976), The American Statistician 30.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.InverseGaussian(cv=0.2)
    InverseGaussian(cv=0.2, lasts='epoch')
    """

    cv: float
    lasts: str = "epoch"

    def __post_init__(self) -> None:
        check(self, cv=POSITIVE)
        check_choice(self, "lasts", LASTS)

    def rate(self, noise: Noise) -> NDArray[np.float64]:
        """The smaller root x of a quadratic, or 1 / x with chance x / (1 + x)."""
        y = 0.5 * float(self.cv) ** 2 * noise.normal() ** 2
        larger = 1.0 + y + np.sqrt(y * (2.0 + y))  # the roots multiply to 1; this form of them loses no digits
        return np.where(noise.uniform() * (1.0 + larger) < larger, 1.0 / larger, larger)


@clocks.register("additive")
@dataclass(frozen=True)
class Additive(Clock):
    """An exact clock and an unsteady hand: normal noise of the same size for every wait.

    Parameters
    ----------
    sd : float
        Seconds, at least 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.Additive(sd=0.05)
    Additive(sd=0.05)
    """

    sd: float

    def __post_init__(self) -> None:
        check(self, sd=NOT_NEGATIVE)

    @property
    def motor(self) -> Motor | None:
        """sd z seconds."""
        return (lambda noise: self.sd * noise.normal()) if self.sd else None
