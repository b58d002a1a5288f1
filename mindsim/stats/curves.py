"""Curves and small tables over games: won within t, pace, mistakes per 100 cards, survival by level.

A win rate never stands without time: slower play buys accuracy. So the curve of `share_within` counts all games, lost
ones too, and `pace` is over all games. All arrays have one entry per game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mindsim.stats.intervals import Estimate, ratio_interval, share, wilson

if TYPE_CHECKING:
    import pandas as pd


def count_within(won: ArrayLike, duration: ArrayLike, times: ArrayLike) -> np.ndarray:
    """How many games were won after at most each of `times` seconds."""
    finished = np.sort(np.asarray(duration, dtype=float)[np.asarray(won, dtype=bool)])
    return np.searchsorted(finished, np.asarray(times, dtype=float), side="right")


def share_within(won: ArrayLike, duration: ArrayLike, times: ArrayLike, confidence: float = 0.95) -> Estimate:
    """The share of ALL games that were won within t seconds, for each t, with Wilson intervals (pointwise).

    Parameters
    ----------
    won : array of bool, shape (n_games,)
    duration : array of float, shape (n_games,), seconds
    times : array of float, seconds
    confidence : float, default 0.95

    Returns
    -------
    Estimate of arrays, one entry per time.

    Example
    -------
    >>> curve = share_within([True, True, False, True], [10.0, 30.0, 5.0, 20.0], [10, 20, 60])
    >>> curve.value.tolist()
    [0.25, 0.5, 0.75]
    """
    won = np.asarray(won, dtype=bool)
    return share(count_within(won, duration, times), np.full(np.shape(times), won.size), confidence)


def pace(duration: ArrayLike, cards_played: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Seconds per card put down, over all games, clustered by game (`ratio_interval`).

    Example
    -------
    >>> f"{pace([100.0, 90.0], [50, 50]).value:.2f}"
    '1.90'
    """
    return ratio_interval(duration, cards_played, confidence)


def mistakes_per_100_cards(mistakes: ArrayLike, cards_played: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Mistakes per 100 cards put down, clustered by game (`ratio_interval`).

    Example
    -------
    >>> f"{mistakes_per_100_cards([1, 0, 2, 0], [50, 60, 30, 60]).value:.2f}"
    '1.50'
    """
    return ratio_interval(100.0 * np.asarray(mistakes, dtype=float), cards_played, confidence)


def survival_from_counts(reached: ArrayLike, passed: ArrayLike, n_games: int, confidence: float = 0.95) -> pd.DataFrame:
    """The table of `survival`, from how many games reached and passed each level (level 1 first)."""
    reached, passed = np.asarray(reached), np.asarray(passed)
    rate = share(passed, reached, confidence)
    low, high = wilson(passed, np.full(len(passed), n_games), confidence)
    import pandas as pd

    levels = pd.RangeIndex(1, len(reached) + 1, name="level")
    return pd.DataFrame(
        {
            "reached": reached,
            "passed": passed,
            "pass_rate": rate.value,
            "pass_rate_low": rate.low,
            "pass_rate_high": rate.high,
            "share_passed": passed / max(n_games, 1),
            "share_passed_low": low,
            "share_passed_high": high,
        },
        index=levels,
    )


def survival(
    levels_completed: ArrayLike, level_reached: ArrayLike, n_levels: int, confidence: float = 0.95
) -> pd.DataFrame:
    """Level by level: how many games reached it, how many passed it, and the rate among those that reached it.

    ``pass_rate`` is over survivors only: the games that reached a late level are the ones with lives left, so it must
    not be read as the difficulty of that level for any game. ``share_passed`` is over all games.

    Parameters
    ----------
    levels_completed : array of int, shape (n_games,), 0..n_levels
    level_reached : array of int, shape (n_games,), 1..n_levels
    n_levels : int
    confidence : float, default 0.95

    Returns
    -------
    pandas.DataFrame
        Index ``level`` 1..n_levels; columns ``reached, passed, pass_rate, pass_rate_low, pass_rate_high,
        share_passed, share_passed_low, share_passed_high`` (Wilson). NaN where no game reached the level.

    Example
    -------
    >>> survival([2, 1, 0, 2], [2, 2, 1, 2], 2)[["reached", "passed"]].values.tolist()
    [[4, 3], [3, 2]]
    """
    completed, arrived = np.asarray(levels_completed), np.asarray(level_reached)
    if completed.shape != arrived.shape:
        raise ValueError(
            f"levels_completed and level_reached must have one entry per game each; "
            f"got {completed.size} and {arrived.size}"
        )
    reached, passed = at_least(arrived, n_levels), at_least(completed, n_levels)
    return survival_from_counts(reached, passed, completed.size, confidence)


def at_least(values: np.ndarray, n_levels: int) -> np.ndarray:
    """For each level 1..n_levels, how many of `values` are that level or more."""
    counts = np.bincount(np.asarray(values, dtype=np.int64), minlength=n_levels + 1)
    return counts[::-1].cumsum()[::-1][1 : n_levels + 1]
