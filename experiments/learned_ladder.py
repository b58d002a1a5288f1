"""What each kind of knowledge adds: the gap; others' cards; lives and level; stars. Ten training seeds for each rung.

Every rung has the same number of training games and the same time allowed; at the end all waits are changed by one
factor, so that won games last 0.985 of it on every rung. Intervals are over training seeds (t), so that they hold what
a search's luck does. The first rung is a power of the gap; the others are `LogLinear` with more and more features.
"""
from __future__ import annotations

import argparse
from typing import Any

import learned_common as common
import learned_fast
import pandas as pd

import mindsim as ms
from mindsim.learn import seeds
from mindsim.stats import mean_interval

RUNGS = {
    "+ others' cards": ("density", "mixed", "held"),
    "+ lives and level": ("density", "mixed", "held", "lives", "last_life", "two_lives", "full", "level", "late_lives",
                          "last_level"),
}  # fmt: skip


def rung(features: tuple[str, ...], stars: bool) -> ms.Player:
    """Where the search begins on a rung."""
    names = ("one", *features)
    rest = (0.0,) * len(features)
    policy = ms.learn.LogLinear(names, (0.85, *rest), (0.7, *rest), (-1.2, *rest))
    rule = ms.learn.Score(("one", "level", "last_level", "lives", "depth"), (-1.0, 0.0, 2.0, 0.0, 0.0))
    return ms.Player(policy, stars=rule, clock=common.CLOCK) if stars else ms.Player(policy, clock=common.CLOCK)


def starts() -> dict[str, ms.Player]:
    """The rungs from the bottom up."""
    found: dict[str, ms.Player] = {}
    for name, features in RUNGS.items():
        found[name] = rung(features, stars=False)
    found["+ stars"] = rung(RUNGS["+ lives and level"], stars=True)
    return found


def final(player: ms.Player, rules: ms.Rules, seconds: float, run: int, args: argparse.Namespace) -> dict[str, Any]:
    """The held-out figures of a player that uses the time."""
    last, held_out = seeds.seed_for(seeds.CHOOSING, run, 1), seeds.seed_for(seeds.HELD_OUT, run, 1)
    player = common.use_the_time(player, lambda p: learned_fast.play(rules, p, 2 * args.games, last), seconds)
    return ms.learn.figures_of(ms.simulate(rules, player, args.games, held_out))


def main() -> None:
    """Climb with every training seed."""
    args = common.arguments(__doc__, "ladder", games=10_000, players=2, runs=10, budget=200_000)
    rules, goal = ms.Rules.the_mind(args.players), ms.learn.WinRateWithin(common.SECONDS[args.players])
    gap_only = ms.Player(ms.policies.GapPower(0.02, 2.0), clock=common.CLOCK)
    rows = []
    for name, start in {"gap": gap_only, **starts()}.items():
        for run in range(args.seed, args.seed + args.runs):
            learned = isinstance(start.policy, ms.learn.LogLinear)
            tuned = ms.learn.optimise(
                start, rules, common.CLOCK, goal, args.budget if learned else args.budget // 3, seed=run,
                n_jobs=args.jobs, held_out=args.games, n_games=500, population=12 if learned else 8,
                play=learned_fast.play if learned else None,
            )  # fmt: skip
            figures = final(tuned.player, rules, goal.seconds, run, args) if learned else tuned.figures
            rows.append({"rung": name, "run": run, **figures})
            print(name, run, figures["win_rate"], figures["seconds"], flush=True)
    every = pd.DataFrame(rows)
    common.write(args, every.drop(columns="seed"), "runs")
    summary = []
    for name, part in every.groupby("rung", sort=False):
        rate = mean_interval(part["win_rate"].to_numpy())
        summary.append((name, len(part), rate.value, rate.low, rate.high, part["seconds"].mean()))
    common.write(args, pd.DataFrame(summary, columns=["rung", "seeds", "win_rate", "low", "high", "seconds"]))


if __name__ == "__main__":
    main()
