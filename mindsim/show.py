"""Tables in a terminal: data frames as `rich` tables, estimates with their intervals in one cell.

In a notebook data frames show themselves; pictures are in `plots`.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

SWEPT = ("rules", "players", "end", "policy", "strategy", "clock", "stars", "stops", "reaction")


def interval(value: float, low: float, high: float, digits: int = 4) -> str:
    """An estimate with its interval.

    Examples
    --------
    >>> interval(0.5, 0.4, 0.6)
    '0.5000 [0.4000, 0.6000]'
    """
    if value != value:  # nan: there was nothing to estimate from
        return "-"
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def table(frame: pd.DataFrame, title: str = "", formats: Mapping[str, Callable[[Any], str]] | None = None) -> Table:
    """A data frame, its index included, as a table: numbers to the right, words to the left."""
    from rich import box
    from rich.table import Table

    formats = formats or {}
    flat = frame.reset_index()
    out = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left")
    for name in flat.columns:
        numeric = flat[name].dtype.kind in "ifu" or str(name) in formats
        fixed = numeric or "95%" in str(name)  # numbers and intervals stay on one line
        out.add_column(str(name), justify="right" if fixed else "left", no_wrap=fixed, overflow="fold")
    out.columns[0].no_wrap, out.columns[0].min_width = True, max(len(str(x)) for x in [*flat.iloc[:, 0], ""])
    for values in flat.itertuples(index=False):
        out.add_row(*(formats.get(str(n), _plain)(v) for n, v in zip(flat.columns, values, strict=True)))
    return out


def summary(frame: pd.DataFrame) -> Table:
    """`Games.summary` for a terminal."""
    shown = frame[["unit", "interval"]].copy()
    cells = zip(frame["estimate"], frame["low"], frame["high"], strict=True)
    shown.insert(0, "estimate [95% interval]", [interval(*cell) for cell in cells])
    return table(shown)


def levels(frame: pd.DataFrame) -> Table:
    """`Games.levels` for a terminal: pass rates are over the games that reached the level."""
    shown = frame[["reached", "passed"]].copy()
    rates = zip(frame["pass_rate"], frame["pass_rate_low"], frame["pass_rate_high"], strict=True)
    shown["pass rate [95%]"] = [interval(*rate) for rate in rates]
    causes = [name for name in frame.columns if name.startswith("lives_lost_") and frame[name].any()]
    shown["lives lost"] = frame["lives_lost"]
    for name in causes:
        shown[name.removeprefix("lives_lost_")] = frame[name]
    shown["stars used"] = frame["stars_used"]
    shown["seconds"] = [f"{t:.2f}" for t in frame["time"]]
    return table(shown, "By level (of the games that reached it)")


def sweep(frame: pd.DataFrame) -> Table:
    """A sweep's table for a terminal: what differs between cells, then win rate, levels and time (or cards left)."""
    import pandas as pd

    swept = [name for name in SWEPT if name in frame]
    varying = [name for name in swept if frame[name].astype(str).nunique() > 1]
    subject = [name for name in ("policy", "team", "strategy") if name in frame][:1]
    shown = pd.DataFrame({name: [_short(x) for x in frame[name]] for name in varying or subject})
    for title, name, digits in (
        ("win rate [95%]", "win_rate", 4), ("level reached [95%]", "level_reached", 2), ("s per card [95%]", "pace", 3),
        ("cards left [95%]", "cards_left", 2),
    ):  # fmt: skip
        if name in frame:
            cells = zip(frame[name], frame[f"{name}_low"], frame[f"{name}_high"], strict=True)
            shown[title] = [interval(*cell, digits) for cell in cells]
    if "duration_won" in frame:
        shown["s, won games"] = [f"{t:.0f}" if t == t else "-" for t in frame["duration_won"]]
    return table(shown.set_index(shown.columns[0]), f"{len(frame)} cells of {frame['n_games'].max():,} games")


def _short(value: Any) -> str:
    """Parameters without their class's defaults' noise: ``Scalar(weber=0.14, floor=0.05)``."""
    return str(value).replace(", lasts='epoch'", "").replace(", floor=0.0", "")


def _plain(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
