"""The summary of a cell, from pieces of its games: memory does not grow with their number.

All intervals are 95%. `Summary.add` takes arrays with one entry per game; only counts and sums are kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mindsim.stats.intervals import Estimate, interval_from_moments, ratio_from_moments, share

_MEANS = ("levels_completed", "level_reached", "lives", "stars_used", "cards_lost", "cards_played", "epochs")
_CAUSES = ("policy", "clock", "reaction", "tie", "blind")


class Summary:
    """Counts and sums over games, and the results they give.

    Example
    -------
    >>> summary = Summary()
    >>> summary.add({"won": np.array([True, False]), "stalled": np.array([False, False]),
    ...              "duration": np.array([100.0, 40.0]), "cards_played": np.array([50, 20]),
    ...              "mistakes": np.array([0, 2])})
    >>> result = summary.result()
    >>> result["n_games"], result["win_rate"], result["pace"]
    (2, 0.5, 2.0)
    """

    def __init__(self) -> None:
        self.n = self.won = self.stalled = 0
        self.sums: dict[str, float] = {}

    def add(self, games: Mapping[str, np.ndarray]) -> None:
        """Take in a piece."""
        won = games["won"].astype(bool)
        seconds, cards = games["duration"].astype(float), games["cards_played"].astype(float)
        mistakes = games["mistakes"].astype(float)
        self.n += len(won)
        self.won += int(won.sum())
        self.stalled += int(games["stalled"].sum())
        products = {
            "s": seconds,
            "ss": seconds**2,
            "c": cards,
            "cc": cards**2,
            "sc": seconds * cards,
            "m": mistakes,
            "mm": mistakes**2,
            "mc": mistakes * cards,
            "w": seconds[won],
            "ww": seconds[won] ** 2,
        }
        for name in _MEANS:
            if name in games:
                products[name] = games[name].astype(float)
                products[name + "^2"] = products[name] ** 2
        for cause in _CAUSES:
            if f"mistakes_{cause}" in games:
                products[f"mistakes_{cause}"] = games[f"mistakes_{cause}"].astype(float)
        for name, values in products.items():
            self.sums[name] = self.sums.get(name, 0.0) + float(values.sum())

    def result(self) -> dict[str, Any]:
        """Results by name, in the order of the table; None where there is nothing to say."""
        s, n = self.sums, self.n
        found: dict[str, Any] = {"n_games": n, "won": self.won, "stalled": self.stalled}
        found |= _named("win_rate", share(self.won, n))
        for name in _MEANS:
            if name in s:
                found |= _named(name, interval_from_moments(n, s[name], s[name + "^2"]))
        found |= _named("duration", interval_from_moments(n, s["s"], s["ss"]))
        found |= _named("duration_won", interval_from_moments(self.won, s["w"], s["ww"]))
        found |= _named("pace", ratio_from_moments(n, s["s"], s["c"], s["ss"], s["sc"], s["cc"]))
        found |= _named(
            "mistakes_per_100",
            Estimate(*(100 * x for x in ratio_from_moments(n, s["m"], s["c"], s["mm"], s["mc"], s["cc"]))),
        )
        found |= {f"mistakes_{cause}": s[f"mistakes_{cause}"] / n for cause in _CAUSES if f"mistakes_{cause}" in s}
        return found


def _named(name: str, estimate: Estimate) -> dict[str, float | None]:
    values = dict(zip((name, f"{name}_low", f"{name}_high"), estimate, strict=True))
    return {k: None if math.isnan(v) else float(v) for k, v in values.items()}
