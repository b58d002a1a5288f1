"""Strategies x players x endings: one row of summary for each cell, and the figure of such a table.

All cells share their seed, so every strategy meets the same decks at a table of the same size; their errors are
therefore correlated, which `mindsim.the_game.compare` makes use of.
"""
from __future__ import annotations

from collections.abc import Sequence
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
