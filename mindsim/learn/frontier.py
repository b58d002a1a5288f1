"""`frontier`: win rate against time, for families of policies that are each tuned with the same budget.

For every time allowed, every family is searched for the best win rate among players whose won games last no longer on
average. Points are judged on held-out games.

What this file leaves to others: the search to `search`, the picture to `plots`.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mindsim.learn.objectives import WinRateWithin
from mindsim.learn.search import optimise
from mindsim.rules import Rules

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Frontier", "dominated", "frontier"]


class Frontier:
    """What `frontier` found.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per family and time allowed: ``family, allowed, win_rate, low, high, seconds, levels_completed``.
    players : dict
        The players, by (family, time allowed).
    """

    def __init__(self, table: pd.DataFrame, players: dict[tuple[str, float], Any]) -> None:
        self.table, self.players = table, players

    def plot(self, ax: Any = None) -> Any:
        """Share of games lost against time, a curve for each family."""
        from mindsim.plots import lost_by_time

        return lost_by_time(self.table, ax=ax)

    def __repr__(self) -> str:
        return f"<Frontier>\n{self.table.to_string(index=False)}"


def frontier(
    families: Mapping[str, Any],
    rules: Rules,
    clock: Any,
    seconds: Iterable[float],
    budget: int = 500_000,
    *,
    store: str | Path | None = None,
    **options: Any,
) -> Frontier:
    """Tune every family for every time allowed.

    Parameters
    ----------
    families : mapping of str to Player or policy
        Where each search begins. For each time it begins at the player found for the time before.
    rules : Rules
    clock : clock
    seconds : iterable of float
        Mean durations that won games may have.
    budget : int
        Training games for each point.
    store : path, optional
        Holds a directory for each point, so that an interrupted run goes on.
    **options
        For `optimise`: ``seed, n_games, population, held_out, n_jobs`` ...

    Returns
    -------
    Frontier

    Examples
    --------
    >>> import mindsim as ms
    >>> one = ms.Rules(2, [ms.Level(2)], lives=1, stars=0)
    >>> found = ms.learn.frontier({"linear": ms.policies.GapLinear(0.2)}, one, ms.clocks.Scalar(0.14, 0.05), [10.0],
    ...                           budget=2_000, n_games=100, held_out=400)
    >>> found.table["family"].tolist()
    ['linear']
    """
    import pandas as pd

    rows, players = [], {}
    for family, template in families.items():
        start = template
        for allowed in sorted(float(s) for s in seconds):
            place = None if store is None else Path(store) / f"{family}-{allowed:g}"
            tuned = optimise(start, rules, clock, WinRateWithin(allowed), budget, store=place, **options)
            players[family, allowed] = start = tuned.player
            rows.append({"family": family, "allowed": allowed, **tuned.figures})
    return Frontier(pd.DataFrame(rows), players)


def dominated(table: pd.DataFrame, family: str, by: str) -> pd.DataFrame:
    """Where one family's win rate lies below another's by more than both intervals allow, at the same time allowed.

    Returns
    -------
    pandas.DataFrame
        ``allowed``, both win rates and ``below`` (bool), one row per time allowed.
    """
    both = table[table["family"] == family].merge(
        table[table["family"] == by], on="allowed", suffixes=("_mine", "_theirs")
    )
    found = both[["allowed", "win_rate_mine", "win_rate_theirs"]].copy()
    found["below"] = np.asarray(both["high_mine"] < both["low_theirs"])
    return found
