"""Conventions: whose waits go together? Everybody with everybody, at two seats.

Built-in policies on ordinary clocks, at paces that take much the same time, and the trained player for two. Each wins
with its like; the gap is what a pair loses by not sharing a schedule. Its interval resamples deals and agents.

    python experiments/crossplay.py --games 500 --seed 1
"""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import common

import mindsim as ms

P = ms.policies
CLOCK = ms.clocks.ordinary()
WAITS: dict[str, Any] = {
    "linear": P.GapLinear(0.34),
    "power 1.5": P.GapPower(0.1, 1.5),
    "power 2": P.GapPower(0.02, 2.0),
    "power 2, slower": P.GapPower(0.04, 2.0),
    "expected lower": P.ExpectedLower(2.5, 2.0),
    "density": P.Density(1.0, 2.0),
    "tempo matching": P.TempoMatching(0.34, 0.2, 0.2),
    "power 2, adapting": P.DeltaTempo(0.02, 2.0, 0.3),
}


def agents() -> dict[str, ms.Player]:
    """Who sits down, by name; nobody raises a hand, but all consent."""
    found = {name: ms.Player(waits, clock=CLOCK) for name, waits in WAITS.items()}
    if "learned_2p" in ms.players.names():
        learned = ms.players.make("learned_2p")
        found["learned"] = dataclasses.replace(learned, stars=ms.stars.Never(), clock=CLOCK)
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Play, write, draw. With --first, only so many of the agents, at least two."""
    args = common.arguments(__doc__, "crossplay", 500, argv)
    who = dict(list(agents().items())[: args.first])
    found = ms.crossplay(who, n_games=args.games, seed=args.seed, n_jobs=args.jobs)
    common.write(args, found.gaps().reset_index(), "gaps")
    common.write(args, found.table)
    common.picture(args, found.plot(label="win rate").figure)
    print(found.matrix().round(3).to_string(), found.gaps().round(3).to_string(), sep="\n\n")


if __name__ == "__main__":
    main()
