"""How close do searched schedules come to the best possible one, on a deck small enough to try all?

Two players with one card each on a deck of eight; the best of 170,544 rising schedules over 16 waits for each time
allowed, refined until no neighbour is better, against
`Table` and `GapPower` found by CMA-ES with few games. All are valued by the same sums (`mindsim.learn.exact`), so
that only the search's own failings show; the engine's win rate stands beside.
"""
from __future__ import annotations

import learned_common as common
import numpy as np
import pandas as pd

import mindsim as ms
from mindsim.learn.exact import best_schedule, one_card_each, refined, value_of

DECK = 8
WAITS = [0.0, *np.geomspace(0.06, 12.0, 15).tolist()]


def valued(policy: object) -> tuple[float, float]:
    """Win rate and time of a policy's waits at gaps 1 .. 8, by the same sums as the optimum."""
    waits = ms.probe(policy, card=range(1, DECK + 1), others=1, hand_size=1, players=2, ranks=DECK, level=1, n_levels=1)
    return value_of(waits.table["wait"].tolist(), common.CLOCK)


def main() -> None:
    """Tune for each time allowed, and compare."""
    args = common.arguments(__doc__, "small_deck", games=50_000, budget=200_000)
    rules, rows = one_card_each(DECK), []
    table = ms.learn.Table((1, 2, 3, 4, 5, 6, 7), (1,), (-2.0,), ((0.0,) * 6,))
    for seconds in (0.15, 0.3, 0.6):
        best = best_schedule(DECK, seconds, WAITS, common.CLOCK)
        rows.append(("best of all on the grid", seconds, best.win_rate, best.seconds, best.policy))
        fine = refined(best, seconds, common.CLOCK)
        rows.append(("optimum (refined)", seconds, fine.win_rate, fine.seconds, fine.policy))
        for name, start in (("Table", table), ("GapPower", ms.policies.GapPower(0.02, 2.0))):
            goal = ms.learn.WinRateWithin(seconds, penalty=0.3, levels=0.0)
            tuned = ms.learn.optimise(
                start, rules, common.CLOCK, goal, args.budget, seed=args.seed, n_games=1_000, held_out=2_000,
                n_jobs=args.jobs,
            )  # fmt: skip
            rows.append((name, seconds, *valued(tuned.player.policy), tuned.player.policy))
    found = pd.DataFrame(rows, columns=["schedule", "allowed", "win_rate", "seconds", "policy"])
    engine = [ms.simulate(rules, ms.Player(p, clock=common.CLOCK), args.games, seed=args.seed) for p in found["policy"]]
    found["engine_win_rate"] = [g.won.mean() for g in engine]
    optimum = found[found["schedule"].str.startswith("optimum")].set_index("allowed")["win_rate"]
    found["short_of_best"] = found["allowed"].map(optimum) - found["win_rate"]
    common.write(args, found.drop(columns="policy"), tried_schedules=170_544)


if __name__ == "__main__":
    main()
