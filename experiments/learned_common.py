"""What the experiments on learning share: arguments, clocks, allowed times, and how results are written."""
from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from pathlib import Path
from typing import Any

import mindsim as ms
from mindsim.files import write_json

CLOCK = ms.clocks.Scalar(weber=0.14, floor=0.05)
SECONDS = {2: 300.0, 3: 273.0, 4: 225.0}  # mean duration that won games may have
WAIT_FEATURES = (
    "one", "density", "lives", "last_life", "two_lives", "full", "level", "late_lives", "last_level", "mixed", "held",
    "stars",
)  # fmt: skip
STAR_FEATURES = (
    "one", "level", "last_level", "lives", "stars", "held", "fresh", "depth", "expected", "density",
)  # fmt: skip
N_EXPONENT, N_SHIFT = 8, 4  # how many of the features exponent and shift may use


def arguments(text: str | None, out: str, games: int, **more: Any) -> argparse.Namespace:
    """--games --seed --jobs --out, and integers besides."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--games", type=int, default=games, help="held-out games of each figure")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("results/learned") / out)
    for name, default in more.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    parsed = parser.parse_args()
    parsed.began = time.process_time()
    return parsed


def template(scale: float = 0.85) -> ms.Player:
    """Where searches over the full policy begin: one schedule for all situations, slower at the last life."""
    waits = [0.0] * len(WAIT_FEATURES)
    waits[0], waits[3] = scale, 0.8
    policy = ms.learn.LogLinear(
        WAIT_FEATURES, tuple(waits), (0.7, *[0.0] * (N_EXPONENT - 1)), (-1.2, *[0.0] * (N_SHIFT - 1))
    )
    stars = ms.learn.Score(STAR_FEATURES, (-1.0, 0.0, 2.0, *[0.0] * (len(STAR_FEATURES) - 3)))
    return ms.Player(policy, stars=stars, clock=CLOCK)


def lengthened(player: ms.Player, by: float) -> ms.Player:
    """All waits times exp(by), and weights rounded to four places."""
    policy, stars = player.policy, player.stars
    changed = {}
    for name in ("scale", "exponent", "shift", "length", "bend", "own"):
        weights = getattr(policy, name, None)
        if weights is not None:
            first = weights[0] + (by if name in ("scale", "length", "bend") else 0.0)
            changed[name] = tuple(round(w, 4) for w in (first, *weights[1:]))
    if isinstance(stars, ms.learn.Score):
        stars = dataclasses.replace(stars, weights=tuple(round(w, 4) for w in stars.weights))
    return dataclasses.replace(player, policy=dataclasses.replace(policy, **changed), stars=stars)


def use_the_time(player: ms.Player, play: Any, seconds: float) -> ms.Player:
    """Lengthen (or shorten) all waits by one factor until won games last 0.985 of the time allowed, by bisection.

    `play` plays games of a player, always the same ones, which took no part in training or in the final figure.
    """
    def slow(by: float) -> bool:
        games = play(lengthened(player, by))
        return bool(games.won.any() and games.duration[games.won].mean() > 0.985 * seconds)

    low, high = -0.3, 0.6
    while high < 4.0 and not slow(high):
        high *= 2.0
    for _ in range(9):
        middle = (low + high) / 2
        low, high = (low, middle) if slow(middle) else (middle, high)
    return lengthened(player, low)


def write(args: argparse.Namespace, table: Any, name: str = "table", **more: Any) -> None:
    """A table, and a manifest that says how it was made."""
    args.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(args.out / f"{name}.csv", index=False, float_format="%.6g", lineterminator="\n")
    setting = {k: str(v) if isinstance(v, Path) else v for k, v in vars(args).items() if k not in ("began", "out")}
    manifest = {
        "script": "experiments/" + Path(sys.argv[0]).name, "arguments": setting, "mindsim": ms.__version__,
        "processor_seconds": round(time.process_time() - args.began), **more,
    }  # fmt: skip
    write_json(args.out / "manifest.json", manifest)
    print(table.to_string(index=False))


def picture(args: argparse.Namespace, axes: Any, name: str = "figure") -> None:
    """A small PNG beside the table."""
    args.out.mkdir(parents=True, exist_ok=True)
    axes.figure.savefig(args.out / f"{name}.png", dpi=110)
