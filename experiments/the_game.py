"""The table of The Game: share won and cards left, by strategy, players and ending.

    python experiments/the_game.py --games 100000 --seed 1 --jobs 1 --out results/the_game

Slower strategies play fewer games; the table says how many. Written are `table.csv`, `table.png` and `manifest.json`.
"""
from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

import mindsim
from mindsim import plots
from mindsim import the_game as tg

S = tg.strategies
# Each strategy, and the share of --games that it plays.
PLAN: list[tuple[Any, float]] = [
    (S.Random(), 1.0),
    (S.LeastMovement(), 0.5),
    (S.TricksAndSmallGaps(), 1.0),
    (S.Reserve(), 0.2),
    (S.LookAhead(), 0.2),
    (S.Linear(), 0.08),
    (S.LinearHints(), 0.08),
    (S.Endgame(S.LookAhead()), 0.1),
    (S.Endgame(S.LinearMemoryHints()), 0.08),
]
PACKAGES = ("mindsim", "numpy", "numba", "pandas", "scipy", "statsmodels")


def play(n_games: int, seed: int, jobs: int) -> pd.DataFrame:
    """Play all cells, telling how long each strategy took."""
    tables = []
    for strategy, share in PLAN:
        n, began = max(int(n_games * share), 1), time.perf_counter()
        tables.append(tg.sweep([strategy], n_games=n, seed=seed, n_jobs=jobs))
        print(f"{tables[-1]['strategy'].iloc[0]}: {n} games a cell, {time.perf_counter() - began:.0f} s", flush=True)
    table = pd.concat(tables, ignore_index=True)
    return table.assign(memory=table["strategy"].map(_uses("memory")), hints=table["strategy"].map(_uses("hints")))


def _uses(what: str) -> dict[str, bool]:
    """Which strategies use memory or hints, by the name in the table."""
    return {tg.games.strategy_name(s): bool(getattr(s, what)) for s, _ in PLAN}


def manifest(args: argparse.Namespace, seconds: float) -> dict[str, Any]:
    """How the table was made."""
    return {
        "command": f"python experiments/the_game.py --games {args.games} --seed {args.seed} --jobs {args.jobs}",
        "seed": args.seed,
        "cells": [{"strategy": S.describe(s), "n_games": max(int(args.games * share), 1)} for s, share in PLAN],
        "versions": {name: version(name) for name in PACKAGES} | {"python": platform.python_version()},
        "mindsim": mindsim.__version__,
        "seconds": round(seconds),
    }


def main() -> None:
    """Read the command, play, and write the three files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results/the_game"))
    args = parser.parse_args()
    if args.games < 1:
        sys.exit(f"--games must be at least 1, not {args.games}")
    began = time.perf_counter()
    table = play(args.games, args.seed, args.jobs)
    args.out.mkdir(parents=True, exist_ok=True)
    table.round(6).to_csv(args.out / "table.csv", index=False)
    plots.the_game(table, args.out / "table.png")
    about = json.dumps(manifest(args, time.perf_counter() - began), indent=1)
    (args.out / "manifest.json").write_text(about + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
