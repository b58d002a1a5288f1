"""A sweep's report: one HTML page with figures, tables and the manifest, which needs nothing but itself.

The same store gives the same page. What this file leaves to others: figures (`plots`), numbers (`stats`), reading the
store (`store`).
"""

from __future__ import annotations

import base64
import html
import io
import itertools
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from mindsim import plots, stats
from mindsim.files import write_whole
from mindsim.store import Store, load
from mindsim.table import SweepTable

MOST_CURVES, MOST_BARS, MOST_GROUPS, MOST_PAIRS = 8, 40, 12, 40
_FIGURES = {
    "win_rate": "share of games",
    "levels_completed": "mean",
    "pace": "s per card put down",
    "mistakes_per_100": "mistakes per 100 cards",
    "duration_won": "s, won games",
    "cards_left": "mean",
}
_SUBJECTS = ("policy", "team", "strategy")  # columns of what figures and rankings tell apart
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid #ddd;white-space:nowrap}
th{border-bottom:2px solid #888}img{max-width:100%;height:auto}figure{display:inline-block;margin:0 1rem 1rem 0}
figcaption{font-size:13px;color:#555}pre{font-size:12px;overflow-x:auto;background:#f6f6f6;padding:1rem}
@media print{figure{break-inside:avoid}details{display:none}}
"""
_TIMED = (
    "All intervals are 95%: Wilson for shares, t for means, by game for ratios of sums (pace, mistakes per 100 cards).",
    "A win rate says little without the time it took: slower play buys accuracy. Read it beside the pace.",
)
_UNTIMED = ("All intervals are 95%: Wilson for shares, t for means.",)
_NOTES = (
    "All cells were dealt the same cards. That sharpens comparisons between cells, and it means that the errors of all "
    "cells are correlated: a lucky seed is lucky for all of them.",
)


def write(store: str | Path, out: str | Path | None = None) -> Path:
    """Write the report of a store.

    Parameters
    ----------
    store : path
        A sweep's directory; cells that are not whole are left out.
    out : path, optional
        Default: beside the directory, with its name and ``.html``.

    Returns
    -------
    Path
        Of the page.

    Raises
    ------
    StoreError
        If there is no readable store.
    ValueError
        If no cell is whole yet.
    """
    store = Path(store)
    path = store.with_name(f"{store.name}.html") if out is None else Path(out)
    page = render(load(store), Store(store))
    write_whole(path, lambda file: file.write(page.encode()))
    return path


def render(table: SweepTable, store: Store) -> str:
    """The page as text."""
    if table.empty:
        raise ValueError(f"{store.path} has no whole cell to report on yet; run the sweep to its end")
    title = f"Sweep: {store.path.name}"
    parts = [_head(title, table, store), *_figures(table), *_ranking(table), *_tables(table), _manifest(store)]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


# --- words and tables ------------------------------------------------------------------------------------------------
def _head(title: str, table: SweepTable, store: Store) -> str:
    manifest = store.manifest
    whole, all_cells = len(table), len(manifest["cells"])
    says = (
        f"{whole} of {all_cells} cells, {int(table['n_games'].sum()):,} games in all, seed {manifest['plan']['seed']}; "
        f"engine {manifest['engine']}, mindsim {manifest['versions']['mindsim']}, "
        f"numpy {manifest['versions']['numpy']}, {manifest['versions']['machine']}."
    )
    notes = "".join(f"<li>{html.escape(n)}</li>" for n in (*(_TIMED if "pace" in table.columns else _UNTIMED), *_NOTES))
    return f"<h1>{html.escape(title)}</h1><p>{html.escape(says)}</p><ul>{notes}</ul>"


def _tables(table: SweepTable) -> Iterator[str]:
    shown = _readable(table)
    yield "<h2>All cells</h2>" + _html(shown)


def _readable(table: SweepTable) -> Any:
    """The varied columns, and the main figures with their intervals in one column each."""
    import pandas as pd

    varied = [c for c in stats.varied_columns(table) if "." not in c]
    shown = pd.DataFrame({c: table[c] for c in varied})
    shown["games"] = table["n_games"]
    for name, unit in _FIGURES.items():
        if name in table.columns:
            shown[f"{name.replace('_', ' ')} ({unit})"] = [_interval(table, name, row) for row in range(len(table))]
    return shown


def _interval(table: Any, name: str, row: int) -> str:
    value, low, high = (float(table[f"{name}{end}"].iloc[row]) for end in ("", "_low", "_high"))
    if np.isnan(value):
        return ""
    return f"{value:.4g}" + ("" if np.isnan(low) else f" [{low:.4g}, {high:.4g}]")


def _html(frame: Any) -> str:
    body = frame.to_html(index=False, border=0, na_rep="", float_format="{:.4g}".format)
    return f'<div class="wide">{body}</div>'


def _ranking(table: SweepTable) -> Iterator[str]:
    of = _ranked_column(table)
    if of is None:
        return
    ranking = stats.rank(table, of)
    unresolved = ranking.unresolved.sort_values("more_games")
    yield f"<h2>Ranking by win rate: {html.escape(of)}</h2>"
    yield _html(ranking.best)
    done = len(ranking.pairs) - len(unresolved)
    more = f" The {MOST_PAIRS} nearest to being resolved:" if len(unresolved) > MOST_PAIRS else ""
    yield (
        f"<p>Exact McNemar tests on common deals, Holm over all {len(ranking.pairs)} pairs of one setting: {done} "
        f"differences are resolved, {len(unresolved)} are not.{more}</p>"
    )
    if len(unresolved):
        yield _html(unresolved.head(MOST_PAIRS))


def _ranked_column(table: SweepTable) -> str | None:
    return next((c for c in _SUBJECTS if c in table.columns and table[c].nunique() > 1), None)


def _manifest(store: Store) -> str:
    text = html.escape(json.dumps(store.manifest, indent=1))
    return f"<h2>Manifest</h2><details><summary>Every cell's full setting</summary><pre>{text}</pre></details>"


# --- figures ---------------------------------------------------------------------------------------------------------
class Figure(NamedTuple):
    """A drawn figure: of which setting, a name for files, words for readers."""

    group: str
    name: str
    caption: str
    ax: Any


def figures(table: SweepTable, folder: str | Path | None = None) -> list[Path]:
    """Write the figures of a sweep as PNG files.

    Parameters
    ----------
    table : SweepTable
        From `sweep` or `load`.
    folder : path, optional
        Default: ``figures`` in the table's store.

    Returns
    -------
    list of Path

    Raises
    ------
    ValueError
        If no folder is given and the table has no store.
    """
    import matplotlib.pyplot as plt

    if folder is None:
        if table.store is None:
            raise ValueError("folder must be given: the table has no store")
        folder = table.store.path / "figures"
    written: list[Path] = []
    for number, figure in enumerate(drawn(table), start=1):
        with io.BytesIO() as file:
            figure.ax.figure.savefig(file, format="png", dpi=150, metadata={"Software": None})
            data = file.getvalue()
        plt.close(figure.ax.figure)
        written.append(Path(folder) / f"{number:02d}_{figure.name}.png")
        write_whole(written[-1], partial(_put, data))
    return written


def _put(data: bytes, file: IO[bytes]) -> None:
    file.write(data)


def _figures(table: SweepTable) -> Iterator[str]:
    """The figures for the page, under a heading for each setting."""
    heading = None
    for figure in drawn(table):
        if heading is None:
            yield "<h2>Figures</h2>"
        if figure.group != heading and figure.group:
            yield f"<h3>{html.escape(figure.group)}</h3>"
        heading = figure.group
        yield _inline(figure)
    groups = len(list(_groups(table, _subject(table)))) if heading is not None else 0
    if groups > MOST_GROUPS:
        yield f"<p>The first {MOST_GROUPS} of {groups} settings are drawn; the table has them all.</p>"


def _subject(table: SweepTable) -> str:
    """What the figures tell apart: policies, teams or strategies."""
    return _ranked_column(table) or next((c for c in _SUBJECTS if c in table.columns), "")


def drawn(table: SweepTable) -> Iterator[Figure]:
    """Figures for each setting of what is neither the subject nor a number of players, one after another."""
    of = _subject(table)
    if not of or "players" not in table.columns:
        return
    for group, rows in itertools.islice(_groups(table, of), MOST_GROUPS):
        words = f"by {'policy' if of == 'team' else of} and number of players"
        yield Figure(group, "win_rate", f"Win rate {words}", plots.win_rate(rows, by=of))
        if "cards_left" in rows.columns:
            yield Figure(group, "cards_left", f"Cards left {words}", plots.cards_left(rows, by=of))
        timed = _by_players(rows, of) if "duration_won" in rows.columns else ()
        for name, caption, ax in itertools.chain(_grids(rows), timed):
            yield Figure(group, name, caption, ax)
        if "mistakes_policy" in rows.columns:
            yield Figure(group, "causes", "Why lives were lost", plots.causes(rows.iloc[:MOST_BARS]))


def _kept(rows: Any, table: SweepTable) -> SweepTable:
    """Rows of a table with the connection to its games."""
    kept = SweepTable(rows)
    kept.store = table.store
    return kept


def _groups(table: SweepTable, of: str) -> Iterator[tuple[str, SweepTable]]:
    by = [c for c in stats.varied_columns(table) if "." not in c and c not in (of, "players")]
    by = [c for c in by if table[c].nunique(dropna=False) > 1]
    if not by:
        yield "", table
        return
    for key, rows in table.groupby(by, sort=False, dropna=False):
        yield ", ".join(f"{c}: {v}" for c, v in zip(by, key, strict=True)), _kept(rows, table)


def _by_players(rows: SweepTable, of: str) -> Iterator[tuple[str, str, Any]]:
    """Speed against accuracy, won within t, and levels passed, for each number of players."""
    for players, same in rows.groupby("players", sort=True):
        some, words = _kept(same, rows), f"{players} players"
        if "pace" in some.columns:
            yield f"frontier_{players}p", f"{words}: win rate against pace", plots.frontier(some, by=of)
        best = _kept(some.sort_values("win_rate", ascending=False).iloc[:MOST_CURVES].sort_index(), rows)
        only = "" if len(some) <= MOST_CURVES else f" (the best {MOST_CURVES})"
        yield f"within_{players}p", f"{words}: won within t{only}", plots.share_within(best, _times(best))
        yield f"levels_{players}p", f"{words}: levels passed{only}", plots.survival(best)


def _times(rows: SweepTable) -> Any:
    """Seconds up to one and a half times the mean of the slowest won games."""
    longest = np.nanmax([1.0, *rows["duration_won"].to_numpy(float)]) * 1.5
    return np.linspace(0, min(longest, 3_600), 201)


def _grids(rows: SweepTable) -> Iterator[tuple[str, str, Any]]:
    """Heat maps, where one policy's two parameters were swept over."""
    numbers = [c for c in stats.varied_columns(rows) if "." in c and rows[c].nunique() > 2 and rows[c].notna().all()]
    if len(numbers) == 2:
        for players, some in rows.groupby("players", sort=True):
            if not some.duplicated(numbers).any():
                yield f"grid_{players}p", f"{players} players: win rate", plots.heatmap(some, numbers[0], numbers[1])


def _inline(figure: Figure) -> str:
    """A drawn figure as a picture inside the page."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    salt = figure.group + figure.caption
    with io.BytesIO() as file, mpl.rc_context({"svg.hashsalt": salt, "svg.fonttype": "none"}):
        figure.ax.figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        data = base64.b64encode(file.getvalue()).decode()
    plt.close(figure.ax.figure)
    words = html.escape(figure.caption)
    return (
        f'<figure><img alt="{words}" src="data:image/svg+xml;base64,{data}"><figcaption>{words}</figcaption></figure>'
    )
