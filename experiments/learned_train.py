"""Train the shipped players of the published game: CMA-ES over all weights of `LogLinear` and `Score`.

    python experiments/learned_train.py --players 2 --ship 1

The search plays its training games in the compiled loop of `learned_fast`; `mindsim.learn.optimise` keeps a checkpoint
after every generation, so that a run can be stopped and taken up again. At the end all waits are changed by one factor
so that won games last 0.985 of the time allowed: time that is left is worth something. The figure is that of
`mindsim.simulate` on held-out games. ``--ship 1`` writes the file in ``mindsim/policies/trained``; without ``--budget``
the script plays as many training games as for the shipped file.
"""
from __future__ import annotations

import argparse
from typing import Any

import learned_common as common
import learned_fast
import pandas as pd

import mindsim as ms
from mindsim import registry
from mindsim.learn import seeds, shipped

BUDGET = {2: 5_400_000, 3: 2_160_000, 4: 1_080_000}  # training games
POPULATION = 18


def trained(args: argparse.Namespace) -> dict[str, Any]:
    """What the file of a shipped player says about its search."""
    games = args.candidate_games
    generations = max(1, (args.budget or BUDGET[args.players]) // (POPULATION * games))
    return {
        "rules": f"Rules.the_mind({args.players})", "clock": registry.to_json(common.CLOCK),
        "objective": registry.to_json(ms.learn.WinRateWithin(common.SECONDS[args.players])),
        "script": "experiments/learned_train.py", "method": "cma", "seed": args.seed,
        "starts_from": "learned_common.template()", "generations": generations, "population": POPULATION,
        "games_per_candidate": games, "training_games": generations * POPULATION * games,
        "then": "all waits changed by one factor until won games lasted 0.985 of the time allowed; rounded",
    }  # fmt: skip


def main() -> None:
    """Search, lengthen, judge, write; ship if asked to."""
    args = common.arguments(__doc__, "train", games=100_000, players=2, budget=0, candidate_games=1_500, ship=0)
    rules, seconds, about = ms.Rules.the_mind(args.players), common.SECONDS[args.players], trained(args)
    tuned = ms.learn.optimise(
        common.template(), rules, common.CLOCK, ms.learn.WinRateWithin(seconds), about["training_games"],
        seed=args.seed, n_jobs=args.jobs, n_games=args.candidate_games, population=POPULATION,
        held_out=min(10_000, 10 * args.games), play=learned_fast.play, store=args.out / f"search_{args.players}p",
        progress=True,
    )  # fmt: skip
    last = seeds.seed_for(seeds.CHOOSING, args.seed, 1)
    player = common.use_the_time(
        tuned.player, lambda p: ms.simulate(rules, p, min(10_000, 10 * args.games), last), seconds
    )
    games = ms.simulate(rules, player, args.games, seeds.seed_for(seeds.HELD_OUT, args.seed, args.players))
    figures = ms.learn.figures_of(games)
    figures |= {"mistakes_per_game": float(games.mistakes.mean()), "stars_used": float(games.stars_used.mean())}
    path = shipped.FOLDER / f"learned_{args.players}p.json" if args.ship else args.out / "player.json"
    shipped.save(path, player, about, figures)
    common.write(args, pd.DataFrame([figures]))
    common.picture(args, tuned.plot(), "trace")


if __name__ == "__main__":
    main()
