"""Train the players that come with the package: CMA-ES over all weights of `LogLinear` and `Score`.

    python experiments/learned_train.py --players 2 --out results/learned/train_2p

The search plays its training games in the compiled loop of `learned_fast`; `mindsim.learn.optimise` keeps a checkpoint
after every generation, so that a run can be stopped and taken up again. At the end all waits are lengthened by one
factor so that won games last 0.985 of the time allowed: time that is left is worth something. The figure is that of
`mindsim.simulate` on held-out games.

The shipped players were found by this search (same template, population and steps) in a run whose generations drew
their seeds by another rule: this script finds players as good, not the same numbers.
"""
from __future__ import annotations

import dataclasses

import learned_common as common
import learned_fast
import pandas as pd

import mindsim as ms
from mindsim.learn import seeds, shipped


def lengthened(player: ms.Player, by: float) -> ms.Player:
    """All waits times exp(by), and weights rounded to four places."""
    policy, stars = player.policy, player.stars
    scale = (policy.scale[0] + by, *policy.scale[1:])
    rounded = {
        name: tuple(round(w, 4) for w in weights)
        for name, weights in (("scale", scale), ("exponent", policy.exponent), ("shift", policy.shift))
    }
    stars = dataclasses.replace(stars, weights=tuple(round(w, 4) for w in stars.weights))
    return dataclasses.replace(player, policy=dataclasses.replace(policy, **rounded), stars=stars)


def use_the_time(player: ms.Player, rules: ms.Rules, seconds: float, seed: int) -> ms.Player:
    """The factor by bisection, on games for choosing."""
    low, high = -0.3, 0.6
    for _ in range(7):
        middle = (low + high) / 2
        games = learned_fast.play(rules, lengthened(player, middle), 4_000, seed)
        low, high = (low, middle) if games.duration[games.won].mean() > 0.985 * seconds else (middle, high)
    return lengthened(player, low)


def main() -> None:
    """Search, lengthen, judge, write."""
    args = common.arguments(__doc__, "train", games=100_000, players=2, budget=2_000_000, candidate_games=1_500)
    rules, seconds = ms.Rules.the_mind(args.players), common.SECONDS[args.players]
    tuned = ms.learn.optimise(
        common.template(), rules, common.CLOCK, ms.learn.WinRateWithin(seconds), args.budget, seed=args.seed,
        n_jobs=args.jobs, n_games=args.candidate_games, population=18, held_out=10_000, play=learned_fast.play,
        store=args.out / "search", progress=True,
    )  # fmt: skip
    player = use_the_time(tuned.player, rules, seconds, seeds.seed_for(seeds.CHOOSING, args.seed, 1))
    games = ms.simulate(rules, player, args.games, seeds.seed_for(seeds.HELD_OUT, args.seed, args.players))
    figures = ms.learn.figures_of(games)
    shipped.save(args.out / "player.json", player, tuned.manifest, figures)
    common.write(args, pd.DataFrame([figures]))
    common.picture(args, tuned.plot(), "trace")


if __name__ == "__main__":
    main()
