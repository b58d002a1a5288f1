"""What does each star rule bring over never using a star?

    python experiments/star_rules.py [N_GAMES]

The published rules, ordinary clocks, the same deals for all; win rates, and paired differences with 95% intervals.
"""
from __future__ import annotations

import sys

import mindsim as ms
from mindsim import stats

S, P = ms.stars, ms.policies
RULES = {
    "Never": S.Never(), "AtOnce": S.AtOnce(), "InversionRisk(0.2)": S.InversionRisk(0.2, pace=0.34),
    "InversionRisk(0.4)": S.InversionRisk(0.4, pace=0.34), "InversionRisk(0.6)": S.InversionRisk(0.6, pace=0.34),
    "Rationed(20)": S.Rationed(20), "Rationed(40)": S.Rationed(40), "Rationed(80)": S.Rationed(80),
    "SpendBeforeCap": S.SpendBeforeCap(), "Reserve(AtOnce)": S.Reserve(S.AtOnce()),
}  # fmt: skip


def main(n_games: int = 4000) -> None:
    for players in (2, 4):
        for policy in (P.GapLinear(0.34), P.GapPower(0.02, 2.0)):
            print(f"\n{players} players, {policy}")
            never = None
            for name, stars in RULES.items():
                me = ms.Player(policy, stars=stars, clock=ms.clocks.ordinary())
                games = ms.simulate(ms.Rules.the_mind(players), me, n_games=n_games, seed=4)
                never = games if never is None else never
                more = stats.mean_difference(games.won, never.won)
                print(f"  {name:20s} won {games.won.mean():.3f}, {games.stars_used.mean():.2f} stars; more {more:.3f}")


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:2]))
