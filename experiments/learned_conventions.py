"""Do players that were trained apart understand each other, and what makes them?

Several seeds each, with searches that begin at different places, in several ways of training:

- for the win rate alone, and for the win rate within a common mean time, the latter with a tenth of the games as well;
- within that time and with one wait agreed beforehand: `scale`, the wait when one card is expected below the own one
  (and, to tell what that does, the same form of schedule with nothing agreed);
- within that time beside others: two strangers, one of a flatter and one of a steeper schedule; copies of oneself at
  0.7 and 1.4 times one's pace; champions of other seeds (each player has two of its own, trained within the time: no
  two players share one).

`apart_1` and `apart_5` say how far the schedules lie apart: the standard deviation over players of the logarithm of the
wait at the start of level 6, for a card with about one and about five cards expected below it. `seconds` is the
mean duration of won games among equals.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import learned_common as common
import learned_fast
import numpy as np
import pandas as pd

import mindsim as ms

START = ms.learn.LogLinear(("one", "density", "last_life"), (0.6, 0.0, 0.5), (0.7, 0.0), (-1.2,))
STRANGERS = [dataclasses.replace(START, scale=(0.6, 0.0, 0.5), exponent=(e, 0.0)) for e in (0.4, 1.0)]
ANCHORED = ms.learn.LogLinear(START.features, (0.6,), (0.7, 0.0, 0.0), (-1.2,))
RULES = ms.Rules.the_mind(2)


def trained(args: Any, goal: Any, play: Any, seeds: range, budget: int, start: Any = START, **more: Any) -> list[Any]:
    """A player for each seed."""
    return ms.learn.train_apart(
        start, RULES, common.CLOCK, goal, seeds, budget, spread=2.0, n_jobs=args.jobs, population=10,
        held_out=min(2_000, args.games), n_games=max(1, min(150, budget // 20)), play=play, **more,
    )  # fmt: skip


def beside_champions(args: Any, goal: Any, seeds: range) -> list[Any]:
    """Each player trains beside two champions of other seeds, which nobody else meets."""
    found = []
    for i, seed in enumerate(seeds):
        theirs = range(args.seed + 100 + 2 * i, args.seed + 102 + 2 * i)
        champions = trained(args, goal, learned_fast.play, theirs, args.budget)
        play = learned_fast.Beside([player.policy for player in champions])
        found += trained(args, goal, play, range(seed, seed + 1), args.budget)
    return found


def every_way(args: Any) -> Iterator[tuple[str, list[Any]]]:
    """What each way of training came to."""
    seeds, fast, budget = range(args.seed, args.seed + args.runs), learned_fast.play, args.budget
    within = ms.learn.WinRateWithin(common.SECONDS[2])
    yield "win rate alone", trained(args, ms.learn.WinRate(), fast, seeds, budget)
    yield "within 300 s, a tenth of the games", trained(args, within, fast, seeds, max(1, budget // 10))
    yield "within 300 s", trained(args, within, fast, seeds, budget)
    agreed = {"start": ANCHORED, "free": ("policy.exponent", "policy.shift")}
    yield "within 300 s, the same form, nothing agreed", trained(args, within, fast, seeds, budget, start=ANCHORED)
    yield "within 300 s, one wait agreed", trained(args, within, fast, seeds, budget, **agreed)
    strangers, copies = learned_fast.Beside(STRANGERS), learned_fast.Beside([0.7, 1.4])
    yield "within 300 s, beside strangers", trained(args, within, strangers, seeds, budget)
    yield "within 300 s, beside own copies at other paces", trained(args, within, copies, seeds, budget)
    yield "within 300 s, beside champions of other seeds", beside_champions(args, within, seeds)


def apart(players: list[Any]) -> list[float]:
    """How far the schedules lie apart at one and at five expected cards, of 12 cards at the start of level 6."""
    waits = [
        ms.probe(p.policy, card=[9, 43], others=6, hand_size=6, players=2, lives=3, level=6, n_levels=12, level_cards=6)
        for p in players
    ]  # fmt: skip
    return np.log([w.table["wait"].to_numpy() for w in waits]).std(axis=0, ddof=1).tolist()


def main() -> None:
    """Train apart, and let them meet."""
    args = common.arguments(__doc__, "conventions", games=2_000, runs=5, budget=60_000)
    rows, seed = [], ms.learn.seeds.seed_for(ms.learn.seeds.HELD_OUT, args.seed, 1)
    for name, players in every_way(args):
        found = ms.learn.together(players, RULES, args.games, seed)
        own = [ms.simulate(RULES, p, args.games, seed) for p in players]
        seconds = np.mean([g.duration[g.won].mean() if g.won.any() else np.nan for g in own])
        one, five = apart(players)
        rows.append({"training": name, **found.figures, "seconds": seconds, "apart_1": one, "apart_5": five})
        print(name, found, f"{seconds:.0f} s, apart {one:.2f} {five:.2f}", flush=True)
    common.write(args, pd.DataFrame(rows))


if __name__ == "__main__":
    main()
