"""Two teams on the same deals: differences, tests, and what common deals save.

Game i of both teams has the same cards (deals depend on seed, game and level only), so the two results of a game are
a pair. Tests and intervals here use the pairs; they need fewer games than two independent samples, by the factor that
`paired_gain` reports. All arrays have one entry per game, in the same order for both teams.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mindsim.stats.intervals import Estimate, check_confidence, mean_interval


class Discordant(NamedTuple):
    """Games that only one of two teams won, and how surprising that split is if both are equally good."""

    only_a: int
    only_b: int
    p: float


def pairs(a: ArrayLike, b: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays of one length."""
    a, b = np.asarray(a).ravel(), np.asarray(b).ravel()
    if a.size != b.size or a.size == 0:
        raise ValueError(f"a and b must have one entry for each of the same games; got {a.size} and {b.size}")
    return a, b


def mcnemar(won_a: ArrayLike, won_b: ArrayLike) -> Discordant:
    """The exact McNemar test: do two teams win equally often on the same deals?

    Source
    ------
    McNemar (1947); `statsmodels.stats.contingency_tables.mcnemar` with ``exact=True`` (binomial, two-sided).

    Example
    -------
    >>> mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0])
    Discordant(only_a=5, only_b=0, p=0.0625)
    """
    from statsmodels.stats.contingency_tables import mcnemar as exact_mcnemar

    a, b = pairs(np.asarray(won_a, dtype=bool), np.asarray(won_b, dtype=bool))
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    table = [[int((a & b).sum()), only_a], [only_b, int((~a & ~b).sum())]]
    return Discordant(only_a, only_b, float(exact_mcnemar(table, exact=True).pvalue))


def share_difference(only_a: int, only_b: int, n: int, confidence: float = 0.95) -> Estimate:
    """The difference of two win rates on `n` common deals, from the games that only one team won.

    Half a game is added to each cell of the two-by-two table, so that the interval keeps a width even when no game
    was decided differently (a bootstrap would call that certainty). The value is the plain difference.

    Source
    ------
    Agresti and Min (2005), Statistics in Medicine 24, 729-740 ("Wald + 2").

    Example
    -------
    >>> f"{share_difference(30, 10, 200):.3f}"
    '0.100 [0.038, 0.160]'
    """
    from scipy.special import ndtri

    z = float(ndtri(0.5 + check_confidence(confidence) / 2))
    more, less, all_games = only_a + 0.5, only_b + 0.5, n + 2.0
    centre = (more - less) / all_games
    reach = z * math.sqrt(max(more + less - (more - less) ** 2 / all_games, 0.0)) / all_games
    return Estimate((only_a - only_b) / n, max(centre - reach, -1.0), min(centre + reach, 1.0))


def mean_difference(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Estimate:
    """The mean of a - b over the pairs, with Student's t interval.

    Example
    -------
    >>> f"{mean_difference([3.0, 5.0, 4.0], [1.0, 2.0, 3.0]).value:.1f}"
    '2.0'
    """
    a, b = pairs(a, b)
    return mean_interval(a.astype(float) - b.astype(float), confidence)


def paired_bootstrap(
    a: ArrayLike, b: ArrayLike, confidence: float = 0.95, resamples: int = 9_999, seed: int = 0
) -> Estimate:
    """The mean of a - b with its percentile bootstrap interval, resampling pairs.

    Meant for counts such as levels completed. A difference of counts takes few distinct values, so instead of drawing
    games one by one the number of times each value comes up is drawn (a multinomial): the same distribution, in a
    time that does not depend on the number of games.

    Source
    ------
    Efron and Tibshirani (1993), chapter 13; held against `scipy.stats.bootstrap` in the tests.

    Example
    -------
    >>> estimate = paired_bootstrap([3, 4, 5, 6] * 50, [3, 3, 5, 5] * 50)
    >>> f"{estimate:.2f}"
    '0.50 [0.43, 0.57]'
    """
    a, b = pairs(a, b)
    values, counts = np.unique(a.astype(float) - b.astype(float), return_counts=True)
    if values.size > 10_000:
        raise ValueError("paired_bootstrap is for counts; for a continuous quantity use mean_difference")
    rng, block, n = np.random.default_rng(seed), max(1, 4_000_000 // values.size), int(counts.sum())
    means = [
        rng.multinomial(n, counts / n, size=min(block, resamples - done)) @ values / n
        for done in range(0, resamples, block)
    ]
    tail = (1 - check_confidence(confidence)) / 2
    low, high = np.quantile(np.concatenate(means), [tail, 1 - tail])
    return Estimate(float(values @ counts) / n, float(low), float(high))


def paired_gain(a: ArrayLike, b: ArrayLike) -> float:
    """How many times fewer games common deals need than independent ones, for the same precision of mean(a) - mean(b).

    (var a + var b) / var(a - b): 1 means that the deals do not matter, below 1 that they harm. NaN if nothing varies,
    infinite if only the difference does not.

    Example
    -------
    >>> round(paired_gain([0, 1, 0, 1], [0, 1, 1, 1]), 3)
    2.333
    """
    a, b = (x.astype(float) for x in pairs(a, b))
    if a.size < 2:
        return float("nan")
    apart, together = float(a.var(ddof=1) + b.var(ddof=1)), float((a - b).var(ddof=1))
    if together == 0.0:
        return float("inf") if apart > 0 else float("nan")
    return apart / together


def games_to_resolve(difference: float, sd: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """How many games in all would show a difference of this size, two-sided, with this power.

    Parameters
    ----------
    difference : float
        The mean difference supposed true (usually the one seen so far, so the answer is a rough guide).
    sd : float
        Standard deviation of the difference between the two results of one game.
    alpha, power : float

    Returns
    -------
    float
        A whole number; infinite if the difference is 0.

    Source
    ------
    `statsmodels.stats.power.normal_sample_size_one_tail` with half of alpha in each tail.

    Example
    -------
    >>> games_to_resolve(0.01, 0.5)
    19623.0
    """
    from statsmodels.stats.power import normal_sample_size_one_tail

    if difference == 0:
        return float("inf")
    if sd == 0:
        return 1.0
    return float(math.ceil(normal_sample_size_one_tail(abs(difference), power, alpha / 2, std_null=sd)))


def is_equivalent(difference: Estimate, margin: float) -> bool:
    """Does the whole interval lie strictly within -margin..margin?

    With many games everything differs, so it must be said beforehand what difference would matter. A 95% interval
    within the margin is the two one-sided tests procedure at 2.5% a side.

    Source
    ------
    Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15.

    Example
    -------
    >>> is_equivalent(Estimate(0.001, -0.004, 0.006), 0.01)
    True
    """
    if not margin > 0:
        raise ValueError(f"margin must be above 0; got {margin!r}")
    return bool(-margin < difference.low and difference.high < margin)


def holm(p: ArrayLike) -> np.ndarray:
    """p-values adjusted for a whole family of tests, by Holm's step-down rule.

    Source
    ------
    Holm (1979); `statsmodels.stats.multitest.multipletests` with ``method="holm"`` (its default is another).

    Example
    -------
    >>> holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    from statsmodels.stats.multitest import multipletests

    p = np.asarray(p, dtype=float).ravel()
    return p if p.size == 0 else np.asarray(multipletests(p, method="holm")[1])
