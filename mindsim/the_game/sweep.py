"""Strategies x players x endings: one row of summary for each cell, and the figure of such a table.

All cells share their seed, so every strategy meets the same decks at a table of the same size; their errors are
therefore correlated, which `mindsim.the_game.compare` makes use of.
"""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindsim.the_game.rules import Rules
from mindsim.the_game.simulate import simulate

if TYPE_CHECKING:
    import pandas as pd


def sweep(
    strategies: Sequence[Any],
    players: Sequence[int] = (1, 2, 3, 4, 5),
    ends: Sequence[str] = ("player_stuck", "nobody_can_play"),
    *,
    n_games: int = 1000,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool = False,
) -> pd.DataFrame:
    """Play every strategy at every table under every ending.

    Parameters
    ----------
    strategies : sequence
        Strategies, or their names.
    players : sequence of int
        Numbers of players.
    ends : sequence of str
        Endings, see `Rules`.
    n_games, seed, n_jobs, progress
        As for `simulate`, for each cell.

    Returns
    -------
    DataFrame
        One row per cell: the columns of `Games.summary`.

    Examples
    --------
    >>> table = sweep(["random", "least_movement"], players=[2], ends=["player_stuck"], n_games=50)
    >>> table["strategy"].tolist()
    ['random', 'least_movement']
    """
    import pandas as pd

    from mindsim.the_game.strategies import make

    cells = [
        simulate(Rules(p, end=end), s, n_games, seed=seed, n_jobs=n_jobs, progress=progress).summary()  # type: ignore[arg-type]
        for end in ends
        for p in players
        for s in (make(x) if isinstance(x, str) else x for x in strategies)
    ]
    if not cells:
        raise ValueError("strategies, players and ends must each have at least one entry")
    return pd.concat(cells, ignore_index=True)


def plot_table(table: pd.DataFrame, path: str | Path) -> None:
    """Draw the share of games won by strategy and number of players, one panel for each ending, with intervals.

    Parameters
    ----------
    table : DataFrame
        From `sweep`.
    path : path
        Where the figure is written; the ending of the name says how.
    """
    from matplotlib.figure import Figure

    ends = list(dict.fromkeys(table["end"]))
    figure = Figure(figsize=(6.5 * len(ends), 4.8), layout="constrained")
    axes = figure.subplots(1, len(ends), sharey=True, squeeze=False)[0]
    for axis, end in zip(axes, ends, strict=True):
        for i, (strategy, rows) in enumerate(table[table["end"] == end].groupby("strategy", sort=False)):
            error = [rows["won"] - rows["won_low"], rows["won_high"] - rows["won"]]
            axis.errorbar(rows["players"], 100 * rows["won"], [100 * e for e in error], label=strategy, capsize=2,
                          marker="osD^v<>Ph*X"[i % 11], markersize=4, linewidth=1.2)
        axis.set(xlabel="players", xticks=sorted(set(table["players"])), title=f"end: {end}")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("games won, % (95% intervals)")
    axes[-1].legend(fontsize=8)
    figure.savefig(path, dpi=150, metadata={"Software": None})
