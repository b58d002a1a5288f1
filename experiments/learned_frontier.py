"""Win rate against time: learned policies against linear, power and sinh waits, each tuned with the same budget.

Nobody uses stars, so that the shape of the delay is compared and nothing else; a last curve adds learned stars. The
learned family is searched with the compiled loop of `learned_fast`, the others with the engine; every point is judged
by the engine on held-out games.
"""
from __future__ import annotations

import learned_common as common
import learned_fast
import pandas as pd

import mindsim as ms


def main() -> None:
    """Tune every family for every time allowed."""
    args = common.arguments(__doc__, "frontier", games=10_000, players=2, budget=60_000, learned=1)
    rules = ms.Rules.the_mind(args.players)
    seconds = (60.0, 120.0, 300.0, 600.0)
    shared = {"seed": args.seed, "n_jobs": args.jobs, "held_out": args.games, "n_games": min(500, args.budget // 16)}
    hand_made = {
        "linear": ms.policies.GapLinear(0.1), "power": ms.policies.GapPower(0.005, 2.0),
        "sinh": ms.policies.SinhGap(0.14, 0.05, 20.0),
    }  # fmt: skip
    tables = [
        ms.learn.frontier({name: start}, rules, common.CLOCK, seconds, args.budget, population=8, **shared).table
        for name, start in hand_made.items()
    ]
    start = common.template(-0.6)
    bare = ms.Player(start.policy, clock=common.CLOCK)
    for name, player in {"learned, no stars": bare, "learned, with stars": start}.items():
        found = ms.learn.frontier(
            {name: player}, rules, common.CLOCK, seconds, args.budget * args.learned, population=16,
            play=learned_fast.play, **shared,
        )  # fmt: skip
        tables.append(found.table)
    table = pd.concat(tables, ignore_index=True).drop(columns="seed")
    common.write(args, table, note="--learned: how many times the budget of the other families")
    from mindsim.plots import lost_by_time as draw

    common.picture(args, draw(table))
    for other in hand_made:
        print(ms.learn.dominated(table, "learned, no stars", other).to_string(index=False))


if __name__ == "__main__":
    main()
