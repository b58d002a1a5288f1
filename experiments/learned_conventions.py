"""Do players that were trained apart understand each other, and what makes them?

Three ways of training, from several seeds each, with searches that begin at different places: for the win rate alone;
for the win rate within a common time; and within that time beside varied partners.
"""
from __future__ import annotations

import learned_common as common
import pandas as pd

import mindsim as ms

START = ms.learn.LogLinear(("one", "density", "last_life"), (0.6, 0.0, 0.5), (0.7, 0.0), (-1.2,))


def main() -> None:
    """Train apart, and let them meet."""
    args = common.arguments(__doc__, "conventions", games=4_000, runs=5, budget=40_000)
    rules, seeds = ms.Rules.the_mind(2), range(args.seed, args.seed + args.runs)
    within = ms.learn.WinRateWithin(common.SECONDS[2])
    partners = ms.learn.MixedTables(
        [ms.Player(ms.policies.GapPower(pace, 2.0), clock=common.CLOCK) for pace in (0.015, 0.03)]
    )
    ways = {
        "win rate alone": (ms.learn.WinRate(), None),
        "within 300 s": (within, None),
        "within 300 s, varied partners": (within, partners),
    }
    rows = []
    for name, (goal, play) in ways.items():
        found = ms.learn.conventions(
            START, rules, common.CLOCK, goal, seeds, args.budget, meetings=args.games, spread=2.0, n_jobs=args.jobs,
            held_out=min(2_000, args.games), population=10, n_games=min(500, args.budget // 16), play=play,
        )  # fmt: skip
        rows.append({"training": name, **found.figures})
        print(found, flush=True)
    common.write(args, pd.DataFrame(rows))


if __name__ == "__main__":
    main()
