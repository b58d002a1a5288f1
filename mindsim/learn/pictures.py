"""The picture of a frontier; matplotlib is imported when it is drawn.

What this file leaves to others: traces, delay curves and cross-play tables are drawn by `mindsim.plots`.
"""
from __future__ import annotations

from typing import Any


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(6.4, 4.2), layout="constrained")[1]


def frontier(table: Any, ax: Any = None) -> Any:
    """Share of games lost against the mean duration of won games, a curve for each family; returns the axes."""
    ax = _axes(ax)
    for family, part in table.groupby("family", sort=False):
        part = part.sort_values("seconds")
        lost = 1.0 - part["win_rate"]
        spread = [lost - (1.0 - part["high"]), (1.0 - part["low"]) - lost]
        ax.errorbar(part["seconds"], lost, yerr=[s.clip(lower=0.0) for s in spread], marker="o", ms=3, lw=1, label=family)
    ax.set(xlabel="mean duration of won games (s)", ylabel="share of games lost", xscale="log", yscale="log")
    ax.legend(frameon=False)
    return ax
