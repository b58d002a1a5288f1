"""`compare` two teams on the same deals, and `rank` the policies of a sweep: words and tables for people.

The arithmetic is in `paired` and `intervals`; this file checks that the games can be paired, and says what follows.
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mindsim.stats.curves import mistakes_per_100_cards, pace
from mindsim.stats.intervals import Estimate, mean_interval, share
from mindsim.stats.paired import (
    games_to_resolve,
    holm,
    is_equivalent,
    mcnemar,
    mean_difference,
    paired_bootstrap,
    paired_gain,
    share_difference,
)

if TYPE_CHECKING:
    import pandas as pd

ALPHA, POWER = 0.05, 0.8


@dataclass(frozen=True)
class Comparison:
    """Two teams on the same deals. Differences are first minus second, intervals 95%.

    Attributes
    ----------
    names : pair of str
    n_games : int
    only_first, only_second : int
        Games that only one of them won.
    p : float
        Exact McNemar.
    figures : pandas.DataFrame
        A row per figure: both teams' values with intervals, and the difference with its interval where there is one.
    win_difference, levels_difference, duration_difference : Estimate
    gain_wins, gain_levels : float
        How many times fewer games the common deals need than independent ones.
    margin : float
        The difference of win rates below which the teams count as equivalent.
    games_needed : float
        Games in all that would resolve a difference as large as the one seen, with 80% power.
    """

    names: tuple[str, str]
    n_games: int
    only_first: int
    only_second: int
    p: float
    figures: pd.DataFrame
    win_difference: Estimate
    levels_difference: Estimate
    duration_difference: Estimate
    gain_wins: float
    gain_levels: float
    margin: float
    games_needed: float

    @property
    def equivalent(self) -> bool:
        """Is the difference of win rates surely smaller than the margin?"""
        return is_equivalent(self.win_difference, self.margin)

    @property
    def verdict(self) -> str:
        """What follows for the win rate, in a sentence."""
        better = self.names[0] if self.win_difference.value > 0 else self.names[1]
        if self.p < ALPHA:
            small = f", but by less than the margin of {self.margin:g}" if self.equivalent else ""
            return f"{better} wins more often{small}"
        if self.equivalent:
            return f"equivalent: the win rates differ by less than the margin of {self.margin:g}"
        return f"not resolved; {_more(self.games_needed, self.n_games)}"

    def _lines(self) -> list[str]:
        test = (
            f"Only {self.names[0]} won {self.only_first} games, only {self.names[1]} {self.only_second}: "
            f"exact McNemar p = {self.p:.3g}."
        )
        gain = (
            f"Common deals need {_times(self.gain_wins)} fewer games than independent ones for the win rate, "
            f"{_times(self.gain_levels)} for levels completed."
        )
        return [
            f"{self.names[0]} against {self.names[1]}, {self.n_games:,} games on the same deals",
            test,
            gain,
            f"Verdict: {self.verdict}. Compare the times too: slower play buys accuracy.",
        ]

    def __str__(self) -> str:
        head, *rest = self._lines()
        return "\n".join([head, "", self.figures.to_string(), "", *rest])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rest = (html.escape(line) for line in self._lines())
        return f"<p><b>{head}</b></p>{self.figures.to_html()}" + "".join(f"<p>{line}</p>" for line in rest)


def _more(needed: float, n: int) -> str:
    if math.isinf(needed):
        return "the two won equally often, so no number of games is expected to tell them apart"
    return f"about {max(int(needed) - n, 0):,} more games would resolve a difference as large as the one seen"


def _times(gain: float) -> str:
    return "an unknown number of times" if math.isnan(gain) else f"{gain:.3g} times"


def compare(
    games_a: Any, games_b: Any, margin: float = 0.01, names: Sequence[str] = ("first", "second"), seed: int = 0
) -> Comparison:
    """Compare two teams that played the same deals.

    Parameters
    ----------
    games_a, games_b : Games
        Of the same rules and seed, and of the same games.
    margin : float, default 0.01
        A difference of win rates that would not matter. Say it before looking: with many games everything differs.
    names : pair of str
        What to call them.
    seed : int, default 0
        Of the bootstrap.

    Returns
    -------
    Comparison
        Prints as a table with a verdict.

    Raises
    ------
    ValueError
        If the games are not of the same rules, seed and numbers, or `margin` is not above 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> rules, clock = ms.Rules.the_mind(2), ms.clocks.Scalar(weber=0.14)
    >>> linear = ms.simulate(rules, ms.Player("gap_linear", clock=clock), n_games=300, seed=1)
    >>> squared = ms.simulate(rules, ms.Player(ms.policies.GapPower(0.02, 2.0), clock=clock), n_games=300, seed=1)
    >>> ms.compare(squared, linear, names=("squared", "linear")).verdict
    'squared wins more often'
    """
    _check_paired(games_a, games_b)
    first, second = (str(name) for name in names)
    a, b = games_a, games_b
    test = mcnemar(a.won, b.won)
    wins = share_difference(test.only_a, test.only_b, a.n_games)
    is_equivalent(wins, margin)  # refuses a bad margin before anything is shown
    levels = paired_bootstrap(a.levels_completed, b.levels_completed, seed=seed)
    seconds = mean_difference(a.duration, b.duration)
    spread = float(np.std(a.won.astype(float) - b.won.astype(float), ddof=1)) if a.n_games > 1 else math.nan
    return Comparison(
        names=(first, second), n_games=a.n_games, only_first=test.only_a, only_second=test.only_b, p=test.p,
        figures=_figures(a, b, (first, second), wins, levels, seconds), win_difference=wins, levels_difference=levels,
        duration_difference=seconds, gain_wins=paired_gain(a.won, b.won),
        gain_levels=paired_gain(a.levels_completed, b.levels_completed), margin=margin,
        games_needed=games_to_resolve(wins.value, spread, ALPHA, POWER),
    )  # fmt: skip


def _check_paired(a: Any, b: Any) -> None:
    for name, words in (
        ("rules", "rules"),
        ("seed", "seeds"),
        ("n_games", "numbers of games"),
        ("first_game", "first games"),
    ):
        left, right = getattr(a, name), getattr(b, name)
        if left != right:
            raise ValueError(
                f"games_a and games_b cannot be paired: they have different {words}, {left!r} and "
                f"{right!r}. Play both with the same rules, seed and n_games"
            )


def _figures(
    a: Any, b: Any, names: tuple[str, str], wins: Estimate, levels: Estimate, seconds: Estimate
) -> pd.DataFrame:
    def shown(estimate: Estimate | None) -> str:
        return "" if estimate is None else f"{estimate:.4g}"

    def row(of: Any, difference: Estimate | None) -> list[str]:
        return [shown(of(a)), shown(of(b)), shown(difference)]

    rows = {
        "win rate (Wilson; paired)": row(lambda g: share(int(g.won.sum()), g.n_games), wins),
        "levels completed (t; paired bootstrap)": row(lambda g: mean_interval(g.levels_completed), levels),
        "duration, s (t; paired t)": row(lambda g: mean_interval(g.duration), seconds),
        "pace, s per card (by game)": row(lambda g: pace(g.duration, g.cards_played), None),
        "mistakes per 100 cards (by game)": row(lambda g: mistakes_per_100_cards(g.mistakes, g.cards_played), None),
    }
    import pandas as pd

    return pd.DataFrame.from_dict(rows, orient="index", columns=[*names, "difference"])


# --- many policies ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Ranking:
    """The policies of a sweep in order, within each setting, and every pair of them.

    Attributes
    ----------
    table : pandas.DataFrame
        A row per cell: rank, win rate with Wilson interval, pace, and how it stands to the best of its group.
    pairs : pandas.DataFrame
        A row per pair of cells of a group: difference of win rates with interval, exact McNemar p, p by Holm over all
        pairs of all groups, whether it is resolved, and how many more games would resolve it.
    """

    table: pd.DataFrame
    pairs: pd.DataFrame

    @property
    def best(self) -> pd.DataFrame:
        """The best of each group, and those not yet told from it."""
        return self.table[self.table["stands"] != "worse"]

    @property
    def unresolved(self) -> pd.DataFrame:
        """The pairs whose difference is not resolved, with how many more games would."""
        return self.pairs[~self.pairs["resolved"].astype(bool)]

    def __str__(self) -> str:
        open_pairs = self.unresolved
        says = (
            f"{len(self.pairs) - len(open_pairs)} of {len(self.pairs)} differences are resolved (exact McNemar on "
            f"common deals, Holm over all {len(self.pairs)}, level {ALPHA:g})."
        )
        tail = "" if open_pairs.empty else "\n\nNot resolved:\n" + open_pairs.to_string(index=False)
        return f"{self.table.to_string(index=False)}\n\n{says}{tail}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tail = "" if self.unresolved.empty else f"<p>Not resolved:</p>{self.unresolved.to_html(index=False)}"
        return self.table.to_html(index=False) + tail


def rank(table: Any, of: str = "policy") -> Ranking:
    """Which policy is best, within each player count and setting; what is not resolved, and what would resolve it.

    Rows that agree in everything varied but `of` form a group. All pairs of a group are compared on their common deals,
    and Holm's rule covers all pairs of all groups together.

    Parameters
    ----------
    table : SweepTable
        From `sweep` or `load`.
    of : str, default "policy"
        The column to be ranked (``"team"`` where teams were given, ``"strategy"`` in The Game).

    Raises
    ------
    ValueError
        If there is no such column, or the games of the table are not at hand.

    Examples
    --------
    >>> import mindsim as ms
    >>> cells = ms.grid(players=2, policy=[ms.policies.GapPower(0.02, 2.0), ms.policies.Uniform(1.0)],
    ...                 clock=ms.clocks.Scalar(weber=0.14))
    >>> ms.rank(ms.sweep(cells, n_games=200, seed=1)).table["stands"].tolist()
    ['best', 'worse']
    """
    if of not in table.columns:
        raise ValueError(f"of must be a column of the table, not {of!r}; it has {', '.join(map(str, table.columns))}")
    played = table.reset_index(drop=True)
    groups = _groups(played, of)
    pairs = _with_holm([pair for key, rows in groups for pair in _pairs(played, of, key, rows)])
    import pandas as pd

    ranked = pd.concat([_ranked(played, of, key, rows, pairs) for key, rows in groups], ignore_index=True)
    return Ranking(ranked, pairs.drop(columns=["row_a", "row_b", "sd"], errors="ignore"))


def varied_columns(table: Any) -> list[str]:
    """The columns that name a cell: those before the first result."""
    names = [str(c) for c in table.columns]
    return [c for c in names[: names.index("n_games")] if c != "cell"]


def _groups(table: Any, of: str) -> list[tuple[dict[str, Any], list[int]]]:
    by = [c for c in varied_columns(table) if c != of and not c.startswith(of + ".")]
    found: dict[tuple[Any, ...], list[int]] = {}
    for row in range(len(table)):
        if not np.isnan(table["win_rate"].iloc[row]):
            found.setdefault(tuple(str(table[c].iloc[row]) for c in by), []).append(row)
    return [
        ({c: table[c].iloc[rows[0]] for c in by}, sorted(rows, key=lambda r: -table["win_rate"].iloc[r]))
        for rows in found.values()
    ]


def _pairs(table: Any, of: str, key: dict[str, Any], rows: list[int]) -> list[dict[str, Any]]:
    won = {row: table.games(row, ["won"])["won"] for row in rows}
    return [_pair(table, of, key, a, b, won[a], won[b]) for a, b in itertools.combinations(rows, 2)]


def _pair(table: Any, of: str, key: dict[str, Any], a: int, b: int, won_a: Any, won_b: Any) -> dict[str, Any]:
    n = min(len(won_a), len(won_b))  # the first n games of both are the same deals
    won_a, won_b = won_a[:n], won_b[:n]
    test = mcnemar(won_a, won_b)
    difference = share_difference(test.only_a, test.only_b, n)
    sd = float(np.std(won_a.astype(float) - won_b.astype(float)))
    return {
        **key,
        "better": table[of].iloc[a],
        "worse": table[of].iloc[b],
        "n_games": n,
        "difference": difference.value,
        "difference_low": difference.low,
        "difference_high": difference.high,
        "p": test.p,
        "row_a": a,
        "row_b": b,
        "sd": sd,
    }


def _with_holm(pairs: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(pairs)
    if frame.empty:
        return pd.DataFrame(columns=["better", "worse", "p", "p_holm", "resolved", "more_games", "row_a", "row_b"])
    frame["p_holm"] = holm(frame["p"].to_numpy())
    frame["resolved"] = frame["p_holm"] < ALPHA
    needed = [
        games_to_resolve(d, sd, ALPHA / len(frame), POWER)
        for d, sd in zip(frame["difference"], frame["sd"], strict=True)
    ]
    more = np.maximum(np.array(needed) - frame["n_games"].to_numpy(), 0.0)
    frame["more_games"] = np.where(frame["resolved"], 0.0, more)
    return frame


def _ranked(table: Any, of: str, key: dict[str, Any], rows: list[int], pairs: pd.DataFrame) -> pd.DataFrame:
    best, lines = rows[0], []
    for place, row in enumerate(rows, start=1):
        against = pairs[(pairs["row_a"] == best) & (pairs["row_b"] == row)]
        stands = "best" if row == best else "worse" if bool(against["resolved"].iloc[0]) else "not told from the best"
        names = ("win_rate", "win_rate_low", "win_rate_high", "pace", "n_games")
        figures = {c: table[c].iloc[row] for c in names if c in table.columns}
        lines.append({**key, "rank": place, of: table[of].iloc[row], **figures, "stands": stands})
    import pandas as pd

    return pd.DataFrame(lines)
