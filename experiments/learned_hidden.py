"""Blind games and Extreme: searched players against every hand-made wait in the same time; are piles built in turn?

    python experiments/learned_hidden.py --players 2 --ship 1

Hand-made waits are tried in several shapes, at fifteen paces and with three star rules, on games for choosing; of each
family the one that wins most with won games in the time allowed is kept (by levels completed where hardly anything is
won), and its pace is then chosen anew, in finer steps and on more games, so that it too uses the time. Blind, the
search is over a `LogSinh`; in Extreme over a `SideBySide`, with the penalty of `BothPiles` for finishing one pile
before the other is begun. Both search a `Score` for stars. All are judged on the same held-out deals; `ahead` is the
searched player's win rate less that of the row, deal by deal. With ``--ship 1`` the searched players are written to
``mindsim/policies/trained``.
"""
from __future__ import annotations

import argparse
from typing import Any

import learned_common as common
import numpy as np
import pandas as pd

import mindsim as ms
from mindsim import registry
from mindsim.learn import seeds, shipped

P = ms.policies
PACES = tuple(0.1 * 1.35**k for k in range(15))  # 0.1 to 6.7 times the pace that stands with the family
FINER = tuple(1.35 ** (k / 6) for k in range(-5, 6))
EXPONENTS, FLOORS = (1.3, 1.6, 2.0, 2.5, 3.0), (0.05, 0.1, 0.15, 0.2, 0.3)
STARS = (ms.stars.Never(), ms.stars.AtOnce(), ms.stars.Rationed())
FAMILIES: dict[str, Any] = {
    "linear": lambda x: [P.GapLinear(0.3 * x)],
    "power": lambda x: [P.GapPower(2.0 * x / 10.0**exponent, exponent) for exponent in EXPONENTS],
    "exponential": lambda x: [P.GapExponential(0.05 * x, growth) for growth in (0.03, 0.05, 0.08, 0.12)],
    "sinh": lambda x: [P.SinhGap(0.14, floor, 60.0 * x) for floor in FLOORS],
    "sinh of the level": lambda x: [P.SinhLevel(0.14, floor, 60.0 * x) for floor in FLOORS],
    "metronome": lambda x: [P.Metronome(0.3 * x)],
    "slots": lambda x: [P.Slots(5, 1.5 * x)],
    "expected lower": lambda x: [P.ExpectedLower(3.0 * x, exponent) for exponent in EXPONENTS],
    "chance lower": lambda x: [P.ChanceLower(5.0 * x)],
    "density": lambda x: [P.Density(0.5 * x, exponent) for exponent in EXPONENTS],
    "confidence": lambda x: [P.Confidence(0.3 * x)],
    "human": lambda x: [P.Human(0.3 * x)],
    "tempo matching": lambda x: [P.TempoMatching(0.3 * x)],
    "uniform": lambda x: [P.Uniform(10.0 * x)],
}
STAR_FEATURES = ("one", "fresh", "level", "last_level", "lives", "stars", "density", "depth")
BUDGET = 1_400_000  # training games
CANDIDATE_GAMES = 2_000
POPULATION = 14


def template(name: str) -> ms.Player:
    """Where a search begins."""
    stars = ms.learn.Score(STAR_FEATURES, (1.0, *[0.0] * 7))
    if name == "blind":
        features = ("one", "density", "last_life", "two_lives", "last_level", "level", "lives", "full", "stars")
        policy: Any = ms.learn.LogSinh(features, (4.2, 0.0, 0.3, *[0.0] * 6), (-1.0, 0.0, 0.0))
    else:
        features = ("one", "density", "last_life", "two_lives", "level", "lives", "last_level", "full", "stars")
        policy = ms.learn.SideBySide(
            features, (1.0, 0.0, 0.7, *[0.0] * 6), (0.7, 0.0, 0.0), (-1.2, 0.0), (4.2, 0.0, 0.3), (-1.0,), (1.0, 0.0)
        )
    return ms.Player(policy, stars=stars, clock=common.CLOCK)


def objective(name: str, seconds: float) -> Any:
    """Win rate in the time allowed, with levels completed to lead the way; in Extreme both piles side by side."""
    goal = ms.learn.WinRateWithin(seconds, levels=0.2)
    return ms.learn.BothPiles(goal) if name == "extreme" else goal


def trained(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """What the file of a shipped player says about its search."""
    budget = args.budget or BUDGET
    games = min(CANDIDATE_GAMES, max(1, budget // 40))
    generations = max(1, budget // (POPULATION * games))
    return {
        "rules": f"Rules.{name}({args.players})", "clock": registry.to_json(common.CLOCK),
        "objective": registry.to_json(objective(name, common.SECONDS[args.players])),
        "script": "experiments/learned_hidden.py", "method": "cma", "seed": args.seed,
        "starts_from": "learned_hidden.template()", "generations": generations, "population": POPULATION,
        "games_per_candidate": games, "training_games": generations * POPULATION * games,
        "then": "all waits changed by one factor until won games lasted 0.985 of the time allowed; rounded",
    }  # fmt: skip


def searched(name: str, rules: ms.Rules, args: argparse.Namespace) -> ms.Player:
    """CMA-ES, then the factor that uses the time."""
    about, seconds = trained(name, args), common.SECONDS[args.players]
    tuned = ms.learn.optimise(
        template(name), rules, common.CLOCK, objective(name, seconds), about["training_games"], seed=args.seed,
        n_jobs=args.jobs, n_games=about["games_per_candidate"], population=POPULATION, step=0.7,
        held_out=min(8_000, args.games), store=args.out / f"search_{name}_{args.players}p",
    )  # fmt: skip
    last, n = seeds.seed_for(seeds.CHOOSING, args.seed, 1), min(20_000, args.games)
    return common.use_the_time(tuned.player, lambda p: ms.simulate(rules, p, n, last), seconds)


def chosen(family: Any, rules: ms.Rules, goal: Any, args: argparse.Namespace) -> ms.Player:
    """The best of a hand-made family: its shape, its pace and its star rule."""
    tried = [
        (x, shape, stars) for x in PACES[: args.paces] for shape in range(len(family(1.0))) for stars in STARS
    ]  # fmt: skip
    first, then = (seeds.seed_for(seeds.CHOOSING, args.seed, k) for k in (7, 8))

    def player(x: float, shape: int, stars: Any) -> ms.Player:
        return ms.Player(family(x)[shape], stars=stars, clock=common.CLOCK)

    x, *rest = max(tried, key=lambda one: goal.score(ms.simulate(rules, player(*one), args.choosing, first)))
    finer = [player(x * by, *rest) for by in FINER]
    return max(finer, key=lambda p: goal.score(ms.simulate(rules, p, 10 * args.choosing, then)))


def piles(rules: ms.Rules, player: ms.Player, args: argparse.Namespace, seed: int) -> dict[str, Any]:
    """How often one pile is finished before the other is begun, in the first games of the held-out ones."""
    if rules.tracks == 1:
        return {}
    n = min(args.recorded, args.games)
    batches = (
        ms.simulate(rules, player, min(4_000, n - k), seed, first_game=k, record=True) for k in range(0, n, 4_000)
    )
    found = ms.learn.InTurn(0, 0, 0.0, 0.0, 0.0)
    for games in batches:
        found = found + ms.learn.in_turn(games)
    share = ms.stats.share(found.in_turn, found.levels)
    return {
        "levels_with_both": found.levels, "in_turn": found.share, "in_turn_low": share.low, "in_turn_high": share.high,
        "in_turn_by_chance": found.share_by_chance, "changes_of_pile": found.changes / found.changes_by_chance,
    }  # fmt: skip


def judged(name: str, rules: ms.Rules, players: dict[str, ms.Player], args: argparse.Namespace) -> list[dict[str, Any]]:
    """A row for each player; `players` begins with the searched one."""
    seed = seeds.seed_for(seeds.HELD_OUT, args.seed, 7)
    rows: list[dict[str, Any]] = []
    mine = None
    for family, player in players.items():
        games = ms.simulate(rules, player, args.games, seed, n_jobs=args.jobs)
        mine = games.won.astype(float) if mine is None else mine
        level, ahead = ms.stats.mean_interval(games.levels_completed), ms.stats.mean_interval(mine - games.won)
        rows.append(
            {"rules": name, "players": args.players, "policy": family, **ms.learn.figures_of(games),
             "levels_low": level.low, "levels_high": level.high, "ahead": ahead.value, "ahead_low": ahead.low,
             "ahead_high": ahead.high, **piles(rules, player, args, seed),
             "wait": "" if family == "learned" else repr(player.policy),
             "stars": "" if family == "learned" else repr(player.stars)}
        )  # fmt: skip
        said = {k: rows[-1][k] for k in ("win_rate", "seconds", "levels_completed", "ahead_low")}
        print(name, family, *(x if x is None else f"{x:.4f}" for x in said.values()), flush=True)
    return rows


def main() -> None:
    """Search, choose and judge; ship if asked to."""
    args = common.arguments(
        __doc__, "hidden", games=100_000, players=2, budget=0, choosing=1_000, paces=len(PACES), recorded=8_000,
        blind=1, extreme=1, ship=0,
    )  # fmt: skip
    rows: list[dict[str, Any]] = []
    for name in [kind for kind in ("blind", "extreme") if getattr(args, kind)]:
        rules = getattr(ms.Rules, name)(args.players)
        goal = ms.learn.WinRateWithin(common.SECONDS[args.players], levels=0.2)
        players = {"learned": searched(name, rules, args)}
        players |= {family: chosen(make, rules, goal, args) for family, make in FAMILIES.items()}
        mine, *others = judged(name, rules, players, args)
        if args.ship:
            held_out = {k: v for k, v in mine.items() if k not in ("rules", "players", "policy", "wait", "stars")}
            held_out = {k: v for k, v in held_out.items() if not k.startswith("ahead")}
            shipped.save(shipped.FOLDER / f"learned_{name}_{args.players}p.json", players["learned"],
                         trained(name, args), held_out)  # fmt: skip
        rows += [mine, *sorted(others, key=lambda row: -row["win_rate"])]
    common.write(args, pd.DataFrame(rows).drop(columns="seed").replace({np.nan: None}))


if __name__ == "__main__":
    main()
