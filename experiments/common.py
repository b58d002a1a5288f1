"""What the experiments share: arguments, playing cells, and how tables, figures and manifests are written."""
from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any

import mindsim as ms
from mindsim.files import write_json

PACKAGES = ("numpy", "numba", "scipy", "pandas", "statsmodels")
FIGURES = ("win_rate", "levels_completed", "duration_won", "pace", "mistakes_per_100")
CAUSES = ("policy", "clock", "reaction", "tie", "blind")
DPI, N_COLOURS = 90, 64  # they keep every figure below 100 kB


def arguments(text: str | None, name: str, games: int, argv: Sequence[str] | None = None) -> argparse.Namespace:
    """--games --seed --jobs --out, and --first to play only the first rows of the table."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=games, help="games of each cell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("results") / name)
    parser.add_argument("--first", type=int, default=None, help="only so many rows of the table: a quick check")
    args = parser.parse_args(argv)
    for option in ("games", "jobs", "first"):
        if getattr(args, option) is not None and getattr(args, option) < 1:
            parser.error(f"--{option} must be at least 1, not {getattr(args, option)}")
    args.name = name
    return args


def cell(rules: ms.Rules, team: Any, **columns: Any) -> Any:
    """A cell of one player for all seats, or a list of one per seat, named by the columns given."""
    from mindsim.cells import Cell

    players = list(team) if isinstance(team, (list, tuple)) else [team] * rules.players
    return Cell(rules, players, {"players": rules.players, **columns})


def play(cells: Sequence[Any], args: argparse.Namespace) -> Any:
    """The table of the cells, or of the first of them."""
    return ms.sweep(list(cells)[: args.first], args.games, args.seed, n_jobs=args.jobs)


def figures(table: Any, *more: str) -> Any:
    """What is published of a sweep: what names the cells, win rate with time, and lives lost by cause."""
    names = list(table.columns[1 : list(table.columns).index("n_games") + 1])
    kept = [f"{f}{end}" for f in (*FIGURES, *more) for end in ("", "_low", "_high")]
    return table[names + kept + [f"mistakes_{cause}" for cause in CAUSES]]


def write(args: argparse.Namespace, table: Any, name: str = "table") -> None:
    """A table as CSV, and beside it the manifest that says how it was made."""
    args.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(args.out / f"{name}.csv", index=False, float_format="%.6g", lineterminator="\n")
    command = f"python experiments/{args.name}.py --games {args.games} --seed {args.seed}"
    versions = {"python": platform.python_version(), "mindsim": ms.__version__}
    versions |= {package: version(package) for package in PACKAGES}
    about = {"command": command if args.first is None else f"{command} --first {args.first}"}
    write_json(args.out / "manifest.json", {**about, "seed": args.seed, "games": args.games, "versions": versions})


def picture(args: argparse.Namespace, figure: Any, name: str = "figure") -> None:
    """A small PNG beside the table."""
    import matplotlib.pyplot as plt
    from PIL import Image

    args.out.mkdir(parents=True, exist_ok=True)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=DPI)
    Image.open(drawn).convert("RGB").quantize(N_COLOURS).save(args.out / f"{name}.png", optimize=True)
    plt.close(figure)


def panels(n: int, width: float = 5.2, height: float = 4.0) -> Any:
    """A figure of n axes side by side; gives the figure and the list of axes."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, n, figsize=(width * n, height), layout="constrained", squeeze=False)
    return figure, list(axes[0])


def lines(table: Any, x: str, by: str, ax: Any, y: str = "win_rate", label: str = "") -> Any:
    """A line with intervals for each value of `by`, along a numeric column."""
    from mindsim.plots import COLOURS, LINES, MARKERS, NAMES

    for i, (name, rows) in enumerate(table.groupby(by, sort=False)):
        reach = [(rows[y] - rows[f"{y}_low"]).clip(0), (rows[f"{y}_high"] - rows[y]).clip(0)]
        style = {"color": COLOURS[i % 8], "marker": MARKERS[i % 8], "linestyle": LINES[i % 8], "markersize": 5}
        ax.errorbar(rows[x], rows[y], yerr=reach, capsize=2, label=str(name), **style)
    ax.set(xlabel=label or x, ylabel=NAMES.get(y, y))
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    if table[by].nunique() > 5:
        ax.legend(frameon=False, fontsize="small", handlelength=3, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    else:
        ax.legend(frameon=False, fontsize="small", handlelength=3)
    if y == "win_rate":
        ax.set_ylim(-0.02, 1.02)
    return ax


def in_order(table: Any, column: str) -> Any:
    """The table with a column that keeps its order from the top down in a heat map."""
    names = list(dict.fromkeys(table[column]))[::-1]
    return table.assign(**{column: table[column].astype("category").cat.reorder_categories(names)})


def said(estimate: Any) -> str:
    """A row's win rate with its interval, for the terminal: 0.532 (0.517 to 0.547)."""
    return f"{estimate['win_rate']:.3f} ({estimate['win_rate_low']:.3f} to {estimate['win_rate_high']:.3f})"
