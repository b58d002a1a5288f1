"""The table of The Game: share won and cards left, by strategy, players and ending.

    python experiments/the_game.py                        # all of it: about 30 minutes on one core
    python experiments/the_game.py --games 1000 --out /elsewhere

Question: how far do arithmetic, hints, memory and search carry, at tables of 1-5, under both endings? A cell plays
--games games; strategies that search play a fixed share of that (`PLAN`), and the table's column ``n_games`` says how
many. Games of one number of players are dealt the same decks in all cells. The games are kept in a store (--store), so
that a run that was interrupted goes on where it was. Written are `table.csv`, `figure.png` and `manifest.json`.
"""
from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import common
import pandas as pd

from mindsim import plots
from mindsim import the_game as tg
from mindsim.files import write_json

S = tg.strategies
PLAYERS = [1, 2, 3, 4, 5]
# Each strategy, and the share of --games that its cells play. On one core a cell of 100,000 games takes 1 to 40 s up to
# `look_ahead`; of two players with exact endgames 70 s; the linear strategies play 90 to 140 games a second.
PLAN: list[tuple[Any, float]] = [
    (S.Random(), 1.0),
    (S.LeastMovement(), 1.0),
    (S.TricksAndSmallGaps(), 1.0),
    (S.Reserve(), 1.0),
    (S.LookAhead(), 1.0),
    (S.Endgame(S.LookAhead()), 0.5),
    (S.Linear(), 0.03),
    (S.LinearHints(), 0.03),
    (S.Endgame(S.LinearMemoryHints()), 0.03),
]
FIGURES = ("win_rate", "cards_left", "turns", "tricks")


def play(args: argparse.Namespace) -> pd.DataFrame:
    """Play the cells of every strategy, telling how long it took; a strategy has a store of its own."""
    tables = []
    for strategy, share in PLAN[: args.first]:
        n, name, began = max(int(args.games * share), 1), tg.games.strategy_name(strategy), time.perf_counter()
        cells = tg.grid(strategy=strategy, players=PLAYERS, end=list(tg.rules.ENDS))
        found = tg.sweep(cells, n, args.seed, n_jobs=args.jobs, store=args.store / f"{name}-{n}-{args.seed}")
        print(f"{name}: {n} games a cell, {time.perf_counter() - began:.0f} s", flush=True)
        tables.append(found.assign(memory=bool(strategy.memory), hints=bool(strategy.hints)))
    return pd.concat([pd.DataFrame(table) for table in tables], ignore_index=True)


def published(table: pd.DataFrame) -> pd.DataFrame:
    """The columns that are published."""
    named = ["players", "end", "strategy", "memory", "hints", "n_games"]
    figures = [f"{f}{bound}" for f in FIGURES for bound in ("", "_low", "_high")]
    return table[[*named, *figures, *tg.rules.RATINGS]].round(6)


def write(args: argparse.Namespace, table: pd.DataFrame) -> None:
    """The table, its figure, and the manifest with the setting of every strategy."""
    import json

    common.write(args, published(table))
    common.picture(args, plots.the_game(table))
    path = args.out / "manifest.json"
    cells = [
        {"strategy": S.describe(strategy), "n_games": max(int(args.games * share), 1)}
        for strategy, share in PLAN[: args.first]
    ]
    write_json(path, {**json.loads(path.read_text(encoding="utf-8")), "engine": tg.cells.ENGINE, "cells": cells})


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command, play, and write the three files."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--store", type=Path, default=Path("build/the_game"), help="where the games are kept")
    store, rest = parser.parse_known_args(argv)
    args = common.arguments(__doc__, "the_game", 100_000, rest)
    args.store = store.store
    write(args, play(args))


if __name__ == "__main__":
    main()
