"""A sweep's report: one HTML page with figures, tables and the manifest, which needs nothing but itself.

The same store gives the same page. What this file leaves to others: figures (`plots`), numbers (`stats`), reading the
store (`store`).
"""

from __future__ import annotations

import base64
import html
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
}
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid #ddd;white-space:nowrap}
th{border-bottom:2px solid #888}img{max-width:100%;height:auto}figure{display:inline-block;margin:0 1rem 1rem 0}
figcaption{font-size:13px;color:#555}pre{font-size:12px;overflow-x:auto;background:#f6f6f6;padding:1rem}
@media print{figure{break-inside:avoid}details{display:none}}
"""
_NOTES = (
    "All intervals are 95%: Wilson for shares, t for means, by game for ratios of sums (pace, mistakes per 100 cards).",
    "A win rate says little without the time it took: slower play buys accuracy. Read it beside the pace.",
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
        Default: ``report.html`` in the directory of the store's parent, named after the store.

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
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in _NOTES)
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
    return next((c for c in ("policy", "team") if c in table.columns and table[c].nunique() > 1), None)


def _manifest(store: Store) -> str:
    text = html.escape(json.dumps(store.manifest, indent=1))
    return f"<h2>Manifest</h2><details><summary>Every cell's full setting</summary><pre>{text}</pre></details>"


# --- figures ---------------------------------------------------------------------------------------------------------
def _figures(table: SweepTable) -> Iterator[str]:
    """Figures for each setting of what is neither a policy nor a number of players."""
    of = _ranked_column(table) or ("policy" if "policy" in table.columns else "team" if "team" in table.columns else "")
    if not of or "players" not in table.columns:
        return
    yield "<h2>Figures</h2>"
    for number, (name, rows) in enumerate(_groups(table, of)):
        if number == MOST_GROUPS:
            yield f"<p>The first {MOST_GROUPS} settings are drawn; the table has them all.</p>"
            return
        yield f"<h3>{html.escape(name)}</h3>" if name else ""
        yield _figure(plots.win_rate(rows, by=of), "Win rate by policy and number of players")
        yield from _grids(rows)
        for players, some in rows.groupby("players", sort=True):
            yield from _of_players(_kept(some, table), of, f"{players} players")
        if "mistakes_policy" in rows.columns:
            yield _figure(plots.causes(rows.iloc[:MOST_BARS]), "Why lives were lost")


def _kept(rows: Any, table: SweepTable) -> SweepTable:
    """Rows of a table with the connection to its games."""
    kept = SweepTable(rows)
    kept.source = table.source
    return kept


def _groups(table: SweepTable, of: str) -> Iterator[tuple[str, SweepTable]]:
    by = [c for c in stats.varied_columns(table) if "." not in c and c not in (of, "players")]
    by = [c for c in by if table[c].nunique(dropna=False) > 1]
    if not by:
        yield "", table
        return
    for key, rows in table.groupby(by, sort=False, dropna=False):
        yield ", ".join(f"{c}: {v}" for c, v in zip(by, key, strict=True)), _kept(rows, table)


def _of_players(rows: SweepTable, of: str, words: str) -> Iterator[str]:
    if "pace" in rows.columns:
        yield _figure(plots.frontier(rows, by=of), f"{words}: win rate against pace")
    best = _kept(rows.sort_values("win_rate", ascending=False).iloc[:MOST_CURVES].sort_index(), rows)
    only = "" if len(rows) <= MOST_CURVES else f" (the best {MOST_CURVES})"
    yield _figure(plots.share_within(best, _times(best)), f"{words}: won within t{only}")
    yield _figure(plots.survival(best), f"{words}: levels passed{only}")


def _times(rows: SweepTable) -> Any:
    """Seconds up to one and a half times the mean of the slowest won games."""
    longest = np.nanmax([1.0, *rows["duration_won"].to_numpy(float)]) * 1.5
    return np.linspace(0, min(longest, 3_600), 201)


def _grids(rows: SweepTable) -> Iterator[str]:
    """Heat maps, where one policy's two parameters were swept over."""
    numbers = [c for c in stats.varied_columns(rows) if "." in c and rows[c].nunique() > 2 and rows[c].notna().all()]
    if len(numbers) == 2:
        for players, some in rows.groupby("players", sort=True):
            if not some.duplicated(numbers).any():
                yield _figure(plots.heatmap(some, *numbers), f"{players} players: win rate")


def _figure(ax: Any, caption: str) -> str:
    """A drawn figure as a picture inside the page."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    with io.BytesIO() as file, mpl.rc_context({"svg.hashsalt": caption, "svg.fonttype": "none"}):
        ax.figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        data = base64.b64encode(file.getvalue()).decode()
    plt.close(ax.figure)
    words = html.escape(caption)
    return (
        f'<figure><img alt="{words}" src="data:image/svg+xml;base64,{data}"><figcaption>{words}</figcaption></figure>'
    )
