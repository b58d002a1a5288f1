"""The summary of many games, from pieces of them: memory does not grow with their number.

Only counts and sums of whole numbers are kept, so that the same games give the same summary in whatever pieces they
come.
"""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mindsim.stats import Estimate, share
from mindsim.stats.intervals import interval_from_moments
from mindsim.the_game.rules import EXCELLENT, GOOD, RATINGS

MEANS = ("cards_left", "turns", "tricks")


class Summary:
    """Counts and sums over games, and the results they give.

    Parameters
    ----------
    confidence : float
        Of the intervals: Wilson for the share of games won, Student's t for means.

    Examples
    --------
    >>> summary = Summary()
    >>> summary.add({"cards_left": np.array([0, 12]), "turns": np.array([40, 38]), "tricks": np.array([14, 11])})
    >>> result = summary.result()
    >>> result["n_games"], result["win_rate"], result["cards_left"], result["perfect"], result["good"]
    (2, 0.5, 6.0, 0.5, 0.5)
    """

    def __init__(self, confidence: float = 0.95) -> None:
        self.confidence, self.n = confidence, 0
        self.sums = {name: [0, 0] for name in MEANS}
        self.rated = np.zeros(len(RATINGS), np.int64)

    def add(self, games: Mapping[str, np.ndarray]) -> None:
        """Take in a piece: one entry per game of `cards_left`, `turns` and `tricks`."""
        self.n += len(games["cards_left"])
        for name in MEANS:
            values = games[name].astype(np.int64)
            self.sums[name][0] += int(values.sum())
            self.sums[name][1] += int((values**2).sum())
        self.rated += np.bincount(rating_numbers(games["cards_left"]), minlength=len(RATINGS))

    def result(self) -> dict[str, Any]:
        """Results by name, in the order of the table; None where there is nothing to say."""
        won = int(self.rated[0])
        found: dict[str, Any] = {"n_games": self.n, "won": won}
        found |= _named("win_rate", share(won, self.n, self.confidence))
        for name in MEANS:
            total, squares = self.sums[name]
            found |= _named(name, interval_from_moments(self.n, total, squares, self.confidence))
        return found | {word: int(n) / self.n for word, n in zip(RATINGS, self.rated, strict=True)}


def rating_numbers(cards_left: np.ndarray) -> np.ndarray:
    """The place of each result in `RATINGS`."""
    numbers: np.ndarray = (cards_left > 0).astype(np.int64) + (cards_left > EXCELLENT) + (cards_left > GOOD)
    return numbers


def _named(name: str, estimate: Estimate) -> dict[str, float | None]:
    values = dict(zip((name, f"{name}_low", f"{name}_high"), estimate, strict=True))
    return {k: None if math.isnan(v) else float(v) for k, v in values.items()}
