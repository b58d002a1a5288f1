"""Independent Q-learners from nothing: two players, four levels and all twelve, exact clocks and human-like ones."""
from __future__ import annotations

import dataclasses

import learned_common as common
import pandas as pd

import mindsim as ms
from mindsim.learn.seeds import HELD_OUT, seed_for


def main() -> None:
    """Learn, and judge."""
    args = common.arguments(__doc__, "qlearning", games=20_000, rounds=40, practice=6_000)
    full = ms.Rules.the_mind(2)
    four = dataclasses.replace(full, levels=full.levels[:4])
    curves, rows = [], []
    for clock in (ms.clocks.Exact(), common.CLOCK):
        learned = ms.learn.q_learn(four, args.rounds, args.practice, clock=clock, seed=args.seed)
        curves.append(learned.curve.assign(run=repr(clock)))
        for levels, rules in ((4, four), (12, full)):
            games = ms.simulate(rules, learned.team, args.games, seed_for(HELD_OUT, args.seed, 1), n_jobs=args.jobs)
            rows.append({"clock": repr(clock), "trained_on": 4, "levels": levels, **ms.learn.figures_of(games)})
    common.write(args, pd.concat(curves), "curve")
    common.write(args, pd.DataFrame(rows))
    curve = pd.concat(curves)
    axes = ms.plots.trace(curve, x="games", y="win_rate", by="run")
    common.picture(args, axes)


if __name__ == "__main__":
    main()
