"""Figures: one function each, which takes a table and returns Axes.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart; every series also has its own marker,
line style or hatch, so that a figure can be read when printed in black. Intervals are drawn wherever the table has
them. What this file leaves to others: numbers (`stats`), tables (`sweep`, `probe`, `crossplay`). matplotlib is imported
when a figure is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mindsim import stats
from mindsim.stats.curves import at_least, count_within, survival_from_counts

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008), "Color Universal Design"; the yellow comes last, it is faint on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (6, 2, 1, 2)))
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo", "++", "**")
CAUSES = ("policy", "clock", "reaction", "tie", "blind")
NAMES = {
    "win_rate": "win rate (share of games)",
    "pace": "pace (seconds per card put down)",
    "levels_completed": "levels completed (mean)",
    "level_reached": "level reached (mean)",
    "mistakes_per_100": "mistakes per 100 cards",
    "duration": "duration of a game (s)",
    "players": "players",
    "cards_left": "cards left in hands and draw pile (mean)",
}


def _axes(ax: Axes | None, width: float = 6.4, height: float = 4.2) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def _style(i: int) -> dict[str, Any]:
    """Colour, marker and line of the i-th series."""
    turn = (i + i // 8) % 8  # beyond eight series the same colour has another marker and line
    return {"color": COLOURS[i % 8], "marker": MARKERS[turn], "linestyle": LINES[turn]}


def _finish(ax: Axes, x: str, y: str) -> Axes:
    ax.set(xlabel=NAMES.get(x, x), ylabel=NAMES.get(y, y))
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    _legend(ax)
    return ax


def _legend(ax: Axes) -> None:
    """Inside where there is room; else to the right, in a figure made wider (if it holds nothing else)."""
    labels = ax.get_legend_handles_labels()[1]
    longest = max((len(label) for label in labels), default=0)
    if len(labels) < 2:
        return
    style: dict[str, Any] = {"frameon": False, "fontsize": "small", "handlelength": 3}
    if len(labels) <= 5 and longest <= 30:
        ax.legend(loc="best", **style)
        return
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0, **style)
    figure = ax.get_figure(root=True)
    if figure is not None and len(figure.axes) == 1:
        figure.set_size_inches(6.4 + 0.6 + 0.075 * longest, max(4.2, 0.6 + 0.2 * len(labels)))


def _need(table: Any, *columns: str) -> None:
    for column in columns:
        if column not in table.columns:
            raise ValueError(f"the table has no column {column!r}; it has {', '.join(map(str, table.columns))}")


def _bars(table: pd.DataFrame, of: str) -> np.ndarray | None:
    """How far the interval reaches below and above each value; None if the table has no interval."""
    if f"{of}_low" not in table.columns:
        return None
    value = table[of].to_numpy(float)
    reach = np.array([value - table[f"{of}_low"].to_numpy(float), table[f"{of}_high"].to_numpy(float) - value])
    return np.nan_to_num(reach).clip(0)


def _series(table: pd.DataFrame, by: str) -> Iterator[tuple[int, str, pd.DataFrame]]:
    for i, (name, rows) in enumerate(table.groupby(by, sort=False)):
        yield i, str(name), rows


# --- win rates -------------------------------------------------------------------------------------------------------
def win_rate(table: pd.DataFrame, x: str = "players", by: str = "policy", ax: Axes | None = None) -> Axes:
    """Win rates with 95% intervals, one series per policy, side by side for each number of players.

    Parameters
    ----------
    table : SweepTable
        With ``win_rate``, ``win_rate_low``, ``win_rate_high``.
    x, by : str
        The columns along the axis and of the series.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    ax = _side_by_side(table, "win_rate", x, by, ax)
    ax.set_ylim(-0.02, 1.02)
    return _finish(ax, x, "win_rate")


def cards_left(table: pd.DataFrame, x: str = "players", by: str = "strategy", ax: Axes | None = None) -> Axes:
    """The Game: mean cards left with 95% intervals, one series per strategy, side by side for each number of players.

    Parameters
    ----------
    table : SweepTable
        With ``cards_left``, ``cards_left_low``, ``cards_left_high``.
    x, by : str
        The columns along the axis and of the series.
    ax : Axes, optional
    """
    ax = _side_by_side(table, "cards_left", x, by, ax)
    ax.set_ylim(bottom=0)
    return _finish(ax, x, "cards_left")


def _side_by_side(table: pd.DataFrame, y: str, x: str, by: str, ax: Axes | None) -> Axes:
    """Points with intervals for each value of `x`, the series of `by` beside each other."""
    _need(table, x, by, y)
    ax, places = _axes(ax), {value: i for i, value in enumerate(dict.fromkeys(table[x]))}
    if all(isinstance(v, (int, float, np.number)) for v in places):
        places = {value: i for i, value in enumerate(sorted(places))}
    n = table[by].nunique()
    for i, name, rows in _series(table, by):
        at = rows[x].map(places).to_numpy(float) + (i - (n - 1) / 2) * min(0.12, 0.7 / n)
        style = _style(i) | {"linestyle": "none"}
        ax.errorbar(at, rows[y], yerr=_bars(rows, y), capsize=3, label=name, **style)
    ax.set_xticks(list(places.values()), [str(v) for v in places])
    return ax


def frontier(table: pd.DataFrame, by: str = "policy", y: str = "win_rate", ax: Axes | None = None) -> Axes:
    """Win rate against pace: what accuracy costs in time, with 95% intervals both ways.

    Parameters
    ----------
    table : SweepTable
        With ``win_rate`` and ``pace`` and their intervals.
    by : str
        Points of one value have one colour, and are joined in order of pace if they are of one number of players.
        Choose the family of a policy rather than each setting: ``table.assign(family=...)``.
    y : str
        Another figure of merit, such as ``"levels_completed"``.
    ax : Axes, optional
    """
    _need(table, by, y, "pace")
    ax = _axes(ax)
    for i, name, rows in _series(table, by):
        rows = rows.sort_values("pace")
        one_line = len(rows) > 1 and ("players" not in rows or rows["players"].nunique() == 1)
        style = _style(i) | ({} if one_line else {"linestyle": "none"})
        ax.errorbar(
            rows["pace"], rows[y], xerr=_bars(rows, "pace"), yerr=_bars(rows, y), capsize=2, label=name, **style
        )
    return _finish(ax, "pace", y)


def heatmap(
    table: pd.DataFrame, x: str, y: str, value: str = "win_rate", fmt: str = ".2f", ax: Axes | None = None
) -> Axes:
    """A value over two swept parameters, with the number in each field.

    Parameters
    ----------
    table : SweepTable
        One row for each pair of `x` and `y`; filter it first if it has more.
    x, y, value : str
        Columns, e.g. ``"policy.pace"``, ``"clock.weber"``, ``"win_rate"``.
    fmt : str
        How numbers are written.
    ax : Axes, optional

    Raises
    ------
    ValueError
        If there is more than one row for a field.
    """
    _need(table, x, y, value)
    if table.duplicated([x, y]).any():
        raise ValueError(f"the table has several rows for one pair of {x} and {y}; choose the rows to be shown first")
    grid = table.pivot(index=y, columns=x, values=value).sort_index(ascending=False)
    return _matrix(grid, _axes(ax), NAMES.get(value, value), NAMES.get(x, x), NAMES.get(y, y), fmt)


def crossplay(matrix: pd.DataFrame, label: str = "", fmt: str = ".2f", ax: Axes | None = None) -> Axes:
    """Everybody with everybody: newcomers in rows, hosts in columns; self-play is framed.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Square, as `Crossplay.matrix` gives it.
    label : str
        What the numbers are.
    fmt : str
        How they are written.
    ax : Axes, optional
    """
    from matplotlib.patches import Rectangle

    size = 2.5 + 0.8 * len(matrix)
    rows, columns = matrix.index.name or "newcomer", matrix.columns.name or "host"
    ax = _matrix(matrix, _axes(ax, size + 1, size), label or "mean", str(columns), str(rows), fmt)
    for i, name in enumerate(matrix.index):
        if name in matrix.columns:
            place = (list(matrix.columns).index(name) - 0.5, i - 0.5)
            ax.add_patch(Rectangle(place, 1, 1, fill=False, edgecolor="black", linewidth=2))
    return ax


def _matrix(grid: pd.DataFrame, ax: Axes, label: str, x: str, y: str, fmt: str) -> Axes:
    values = grid.to_numpy(float)
    image = ax.imshow(values, cmap="cividis", aspect="auto")
    for (i, j), number in np.ndenumerate(values):
        if not np.isnan(number):
            dark = float(image.norm(np.array([number]))[0]) < 0.55  # type: ignore[arg-type,index]
            ax.text(j, i, format(number, fmt), ha="center", va="center", color="white" if dark else "black")
    ax.set_xticks(range(grid.shape[1]), [_short(c) for c in grid.columns])
    ax.set_yticks(range(grid.shape[0]), [_short(r) for r in grid.index])
    if max(len(_short(c)) for c in grid.columns) > 6:
        ax.set_xticks(ax.get_xticks(), [_short(c) for c in grid.columns], rotation=30, ha="right")
    ax.set(xlabel=x, ylabel=y)
    ax.figure.colorbar(image, ax=ax, label=label)
    return ax


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


# --- games -----------------------------------------------------------------------------------------------------------
def _pieces(source: Any) -> Iterator[tuple[str, int, Iterator[Any]]]:
    """Label, number of levels (0: not known) and games in pieces, from `Games` by name or from the rows of a table."""
    if hasattr(source, "groups"):
        for row in range(len(source)):
            yield _row_label(source, row), 0, (_Columns(group) for group in source.groups(row))
        return
    named = source if isinstance(source, Mapping) else {"": source}
    for name, games in named.items():
        if not hasattr(games, "level_reached"):
            raise TypeError(f"games must be Games, a dict of them, or a table of sweep() or load(), not {games!r}")
        yield str(name), int(games.rules.n_levels), iter([games])


class _Columns:
    """Arrays by name, as attributes."""

    def __init__(self, columns: Mapping[str, np.ndarray]) -> None:
        self.__dict__.update(columns)


def _row_label(table: Any, row: int) -> str:
    """What tells this row from the others."""
    names = [c for c in stats.varied_columns(table) if "." not in c and table[c].astype(str).nunique() > 1]
    parts = [f"{table[c].iloc[row]} players" if c == "players" else str(table[c].iloc[row]) for c in names]
    return ", ".join(parts) or str(table["policy"].iloc[row] if "policy" in table.columns else row)


def share_within(games: Any, times: Sequence[float] | None = None, ax: Axes | None = None) -> Axes:
    """The share of ALL games that were won within t seconds, with pointwise 95% bands.

    Parameters
    ----------
    games : Games, dict of Games by name, or SweepTable
        Of a table every row is a curve; filter it to a handful.
    times : array of float, optional
        Seconds. Default: 200 points up to 600.
    ax : Axes, optional
    """
    seconds = np.linspace(0, 600, 201) if times is None else np.asarray(times, float)
    ax = _axes(ax)
    for i, (name, _, pieces) in enumerate(_pieces(games)):
        won, n = np.zeros(len(seconds)), 0
        for piece in pieces:
            won += count_within(piece.won, piece.duration, seconds)
            n += len(piece.won)
        curve = stats.share(won, np.full(len(seconds), n))
        style = _style(i) | {"markevery": (5 * i % 20, 20), "markersize": 5}
        ax.plot(seconds, curve.value, label=name, **style)
        ax.fill_between(seconds, curve.low, curve.high, color=COLOURS[i % 8], alpha=0.2, linewidth=0)
    ax.set_ylim(-0.02, 1.02)
    return _finish(ax, "time t (s)", "share of all games won within t")


def survival(games: Any, of: str = "share_passed", ax: Axes | None = None) -> Axes:
    """Level by level: the share of all games that passed it, or with ``of="pass_rate"`` of those that reached it.

    Parameters
    ----------
    games : Games, dict of Games by name, or SweepTable
    of : {"share_passed", "pass_rate"}
    ax : Axes, optional
    """
    words = {"share_passed": "share of all games that passed", "pass_rate": "share passed, of games that reached it"}
    if of not in words:
        raise ValueError(f'of must be "share_passed" or "pass_rate", not {of!r}')
    ax, last = _axes(ax), 1
    for i, (name, levels, pieces) in enumerate(_pieces(games)):
        table = _survival(list(_level_counts(pieces)), levels)
        ax.errorbar(table.index, table[of], yerr=_bars(table, of), capsize=2, label=name, **_style(i))
        last = max(last, int(table.index.max()))
    ax.set_xticks(range(1, last + 1))
    ax.set_ylim(-0.02, 1.02)
    return _finish(ax, "level", words[of])


def _level_counts(pieces: Iterator[Any]) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    for piece in pieces:
        most = int(np.max(piece.level_reached))
        yield at_least(piece.level_reached, most), at_least(piece.levels_completed, most), len(piece.won)


def _survival(counts: list[tuple[np.ndarray, np.ndarray, int]], levels: int) -> pd.DataFrame:
    most = max([levels, *(len(reached) for reached, _, _ in counts)])
    reached, passed = np.zeros(most, int), np.zeros(most, int)
    for arrived, completed, _ in counts:
        reached[: len(arrived)] += arrived
        passed[: len(completed)] += completed
    return survival_from_counts(reached, passed, sum(n for _, _, n in counts))


def causes(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Why lives were lost: mean mistakes per game by cause, a stacked bar per row.

    Parameters
    ----------
    table : SweepTable
        With ``mistakes_policy``, ``mistakes_clock`` and so on.
    ax : Axes, optional
    """
    shown = [c for c in CAUSES if f"mistakes_{c}" in table.columns]
    if not shown:
        raise ValueError(f"the table has no column mistakes_<cause>; it has {', '.join(map(str, table.columns))}")
    ax = _axes(ax, 7.5, 1.6 + 0.35 * len(table))
    labels, left = [_row_label(table, row) for row in range(len(table))], np.zeros(len(table))
    for i, cause in enumerate(shown):
        size = np.nan_to_num(table[f"mistakes_{cause}"].to_numpy(float))
        ax.barh(range(len(table)), size, left=left, label=cause, color=COLOURS[i], hatch=HATCHES[i], edgecolor="white")
        left = left + size
    ax.set_yticks(range(len(table)), labels)
    ax.invert_yaxis()
    ax.set_xlabel("lives lost per game (mean), by cause")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small", ncols=len(shown), loc="lower right", bbox_to_anchor=(1, 1.0))
    return ax


# --- policies and their tuning ---------------------------------------------------------------------------------------
def delay_curves(table: pd.DataFrame, x: str = "gap", ax: Axes | None = None) -> Axes:
    """How long policies wait, against the gap between their card and the pile.

    Parameters
    ----------
    table : pandas.DataFrame
        As `probe` gives it: ``policy``, ``gap``, ``wait``, and ``wait_low``, ``wait_high`` where policies draw. Every
        other column that varies makes curves of its own.
    x : str
        The column along the axis.
    ax : Axes, optional
    """
    _need(table, "policy", x, "wait")
    own = {"policy", "gap", "card", "wait", "wait_low", "wait_high", x}
    by = ["policy", *[c for c in table.columns if c not in own and table[c].nunique() > 1]]
    ax = _axes(ax)
    for i, (key, rows) in enumerate(table.groupby(by, sort=False)):
        rows = rows[np.isfinite(rows["wait"])].sort_values(x)
        name = ", ".join([str(key[0]), *(f"{c} {v:g}" for c, v in zip(by[1:], key[1:], strict=True))])
        style = _style(i) | {"markevery": max(1, len(rows) // 8), "markersize": 5}
        ax.plot(rows[x], rows["wait"], label=name, **style)
        if "wait_low" in rows and not np.allclose(rows["wait_low"], rows["wait_high"]):
            ax.fill_between(rows[x], rows["wait_low"], rows["wait_high"], color=COLOURS[i % 8], alpha=0.2, linewidth=0)
    return _finish(ax, "gap (own lowest card minus top of the pile)" if x == "gap" else x, "wait (s)")


def trace(table: pd.DataFrame, x: str = "generation", y: str = "value", by: str = "", ax: Axes | None = None) -> Axes:
    """How an optimisation went: the value of each step, its interval if there is one, and the best so far.

    Parameters
    ----------
    table : pandas.DataFrame
        One row per step, with columns `x` and `y` (and ``<y>_low``, ``<y>_high``).
    x, y : str
    by : str, optional
        A column that tells several runs apart.
    ax : Axes, optional
    """
    _need(table, x, y, *([by] if by else []))
    ax = _axes(ax)
    runs = _series(table, by) if by else iter([(0, "", table)])
    for i, name, rows in runs:
        rows, style = rows.sort_values(x), _style(i)
        dots = style | {"linestyle": "none", "alpha": 0.5, "capsize": 2}
        ax.errorbar(rows[x], rows[y], yerr=_bars(rows, y), label=f"{name} each step".strip(), **dots)
        best, line = np.maximum.accumulate(rows[y].to_numpy(float)), style | {"marker": ""}
        ax.plot(rows[x], best, drawstyle="steps-post", label=f"{name} best so far".strip(), **line)
    if table[x].dtype.kind in "iu":
        ax.locator_params(axis="x", integer=True)
    return _finish(ax, x, y)


def lost_by_time(table: pd.DataFrame, by: str = "family", ax: Axes | None = None) -> Axes:
    """The share of games lost against the mean duration of won games, a curve for each family, both logarithmic.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns `by`, ``seconds``, ``win_rate``, ``low``, ``high``, as `mindsim.learn.frontier` returns them.
    by : str
        Which column tells the curves apart.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    _need(table, by, "seconds", "win_rate", "low", "high")
    ax = _axes(ax)
    for i, (family, part) in enumerate(table.groupby(by, sort=False)):
        part = part.sort_values("seconds")
        lost = 1.0 - part["win_rate"]
        spread = [(part["high"] - part["win_rate"]).clip(lower=0.0), (part["win_rate"] - part["low"]).clip(lower=0.0)]
        ax.errorbar(part["seconds"], lost, yerr=spread, label=str(family), capsize=2, **_style(i))
    ax.set(xscale="log", yscale="log")
    return _finish(ax, "mean duration of won games (s)", "share of games lost")


def the_game(table: pd.DataFrame) -> Figure:
    """The Game: the share of games won by strategy and players, one panel for each ending, with intervals.

    Parameters
    ----------
    table : SweepTable
        Of cells from `mindsim.the_game.grid`.
    """
    import matplotlib.pyplot as plt

    ends = list(dict.fromkeys(table["end"]))
    figure, axes = plt.subplots(1, len(ends), sharey=True, squeeze=False, figsize=(5.2 * len(ends) + 2.6, 4.6))
    for ax, end in zip(axes[0], ends, strict=True):
        win_rate(table[table["end"] == end], by="strategy", ax=ax).set_title(f"end: {end}")
    for ax in axes[0][:-1]:
        if ax.get_legend() is not None:
            ax.get_legend().remove()
    for ax in axes[0]:
        ax.label_outer()
    figure.set_layout_engine("constrained")
    return figure
