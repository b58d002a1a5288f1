"""Intervals for one quantity: a share of games, a mean over games, a ratio of two sums over games.

Every function takes arrays with one entry per game and gives back `Estimate`, a tuple ``(value, low, high)``. Games
are independent, so the game is the unit everywhere: cards, levels and mistakes within one game are not.

What this file leaves to others: differences between two teams are in `paired`, curves and tables in `curves`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Estimate(NamedTuple):
    """A value with its interval: a plain tuple ``(value, low, high)``, of numbers or of arrays of one shape."""

    value: Any
    low: Any
    high: Any

    @property
    def half_width(self) -> Any:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    def __format__(self, spec: str) -> str:
        spec = spec or ".4g"
        return f"{self.value:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


def check_confidence(confidence: float) -> float:
    """The confidence level itself, if it is one: strictly between 0 and 1."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie strictly between 0 and 1, e.g. 0.95; got {confidence!r}")
    return float(confidence)


def wilson(successes: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[Any, Any]:
    """The Wilson score interval of a share: `successes` out of `n`.

    Parameters
    ----------
    successes, n : int or array of int
        How often it happened, and how often it could have. They broadcast. Where `n` is 0 both ends are NaN.
    confidence : float, default 0.95

    Returns
    -------
    low, high : float or array of float, within 0..1

    Source
    ------
    Wilson (1927), JASA 22; `statsmodels.stats.proportion.proportion_confint` with ``method="wilson"``. It keeps its
    coverage near 0 and 1, where the textbook interval (statsmodels' default) does not.

    Example
    -------
    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    from statsmodels.stats.proportion import proportion_confint

    check_confidence(confidence)
    successes, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(n, dtype=float))
    if np.any(successes < 0) or np.any(successes > n):
        raise ValueError("successes must lie between 0 and n")
    known = n > 0
    low, high = proportion_confint(np.where(known, successes, 0.0), np.where(known, n, 1.0), 1 - confidence, "wilson")
    low, high = np.where(successes == 0, 0.0, low), np.where(successes == n, 1.0, high)  # where rounding misses them
    low, high = np.where(known, low, np.nan), np.where(known, high, np.nan)
    return (float(low), float(high)) if low.ndim == 0 else (low, high)


def share(successes: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> Estimate:
    """A share with its Wilson interval; NaN where `n` is 0.

    Example
    -------
    >>> f"{share(8, 10):.3f}"
    '0.800 [0.490, 0.943]'
    """
    low, high = wilson(successes, n, confidence)
    successes, n = np.asarray(successes, dtype=float), np.asarray(n, dtype=float)
    value = np.divide(successes, n, out=np.full(np.shape(low), np.nan), where=n > 0)
    return Estimate(float(value) if value.ndim == 0 else value, low, high)


def t_quantile(confidence: float, df: float) -> float:
    """How many standard errors to either side: the quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + check_confidence(confidence) / 2))


def interval_from_moments(n: int, total: float, squares: float, confidence: float = 0.95) -> Estimate:
    """The mean and its t interval, from how many, their sum and the sum of their squares."""
    if n == 0:
        return Estimate(float("nan"), float("nan"), float("nan"))
    mean = total / n
    if n == 1:
        return Estimate(mean, float("nan"), float("nan"))
    variance = max(squares - total * mean, 0.0) / (n - 1)
    reach = t_quantile(confidence, n - 1) * float(np.sqrt(variance / n))
    return Estimate(mean, mean - reach, mean + reach)


def mean_interval(x: ArrayLike, confidence: float = 0.95) -> Estimate:
    """The mean of `x` with Student's t interval.

    Parameters
    ----------
    x : array, shape (n_games,)
    confidence : float, default 0.95

    Returns
    -------
    Estimate
        ``(mean, low, high)``; the ends are NaN with fewer than two values.

    Example
    -------
    >>> f"{mean_interval([1, 2, 3, 4]):.3f}"
    '2.500 [0.446, 4.554]'
    """
    x = np.asarray(x, dtype=float).ravel()
    if x.size == 0:
        return interval_from_moments(0, 0.0, 0.0, confidence)
    centre = float(x.mean())
    around = interval_from_moments(x.size, float((x - centre).sum()), float(((x - centre) ** 2).sum()), confidence)
    return Estimate(centre, centre + around.low, centre + around.high)


def bootstrap_interval(
    x: ArrayLike,
    statistic: Callable[..., Any] = np.mean,
    confidence: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
) -> Estimate:
    """A statistic of `x` with its percentile bootstrap interval; the same seed gives the same interval.

    Parameters
    ----------
    x : array, shape (n_games,)
    statistic : function, default numpy.mean
        Takes an array and ``axis=``.
    confidence : float, default 0.95
    resamples : int, default 9999
    seed : int, default 0

    Source
    ------
    `scipy.stats.bootstrap`, ``method="percentile"``.

    Example
    -------
    >>> f"{bootstrap_interval([1, 2, 3, 4, 5], np.median):.0f}"
    '3 [1, 5]'
    """
    from scipy.stats import bootstrap

    x = np.asarray(x).ravel()
    if x.size < 2:
        raise ValueError(f"x must hold at least two games to resample; got {x.size}")
    batch = max(1, 4_000_000 // x.size)
    found = bootstrap(
        (x,),
        statistic,
        n_resamples=resamples,
        confidence_level=check_confidence(confidence),
        batch=batch,
        method="percentile",
        rng=np.random.default_rng(seed),
        vectorized=True,
    )
    return Estimate(
        float(statistic(x, axis=-1)), float(found.confidence_interval.low), float(found.confidence_interval.high)
    )


def ratio_from_moments(
    n: int, top: float, bottom: float, top2: float, both: float, bottom2: float, confidence: float = 0.95
) -> Estimate:
    """A ratio of sums and its interval from the sums of x, y, x^2, x y and y^2 over n games."""
    nothing = float("nan")
    if n == 0 or bottom == 0:
        return Estimate(nothing, nothing, nothing)
    ratio = top / bottom
    if n == 1:
        return Estimate(ratio, nothing, nothing)
    residual = max(top2 - 2 * ratio * both + ratio * ratio * bottom2, 0.0)  # sum of (x - ratio y)^2
    reach = t_quantile(confidence, n - 1) * float(np.sqrt(residual * n / (n - 1))) / abs(bottom)
    return Estimate(ratio, ratio - reach, ratio + reach)


def ratio_interval(numerator: ArrayLike, denominator: ArrayLike, confidence: float = 0.95) -> Estimate:
    """``sum(numerator) / sum(denominator)`` with an interval that treats the game as the unit.

    Seconds per card and mistakes per card are ratios of two sums, both random, and cards of one game belong together.
    The linearised variance of the ratio estimator takes both into account.

    Parameters
    ----------
    numerator, denominator : array, shape (n_games,)
        One entry per game. A game may contribute 0 to either.
    confidence : float, default 0.95

    Source
    ------
    Cochran (1977), Sampling Techniques, section 2.11 and chapter 6; the same as a regression weighted by the
    denominator with heteroscedasticity-consistent errors (HC1), which the tests hold it against.

    Example
    -------
    >>> f"{ratio_interval([10, 12, 14], [5, 6, 7]):.1f}"
    '2.0 [2.0, 2.0]'
    """
    x, y = np.asarray(numerator, dtype=float).ravel(), np.asarray(denominator, dtype=float).ravel()
    if x.shape != y.shape:
        raise ValueError(f"numerator and denominator must have one entry per game each; got {x.size} and {y.size}")
    total = float(y.sum())
    if x.size < 2 or total == 0:
        return ratio_from_moments(x.size, float(x.sum()), total, 0.0, 0.0, 0.0, confidence)
    ratio = float(x.sum()) / total
    around = ratio_from_moments(x.size, 0.0, total, float(((x - ratio * y) ** 2).sum()), 0.0, 0.0, confidence)
    return Estimate(ratio, ratio + around.low, ratio + around.high)
