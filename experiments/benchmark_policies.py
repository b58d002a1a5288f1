"""How fast is every built-in policy, clock and star rule, compared with `GapLinear` at 4 players?

    python experiments/benchmark_policies.py [N_GAMES] [ROUNDS] [WORD_IN_NAME]

There are so many lives that every game goes through all levels. Printed are games a second of processor time, and
epochs a second (an epoch is one decision of every player; a bad policy has fewer, as mistakes empty hands), the best of
all rounds, and both relative to `GapLinear`.
"""
from __future__ import annotations

import sys
import time
from typing import Any

import mindsim as ms

PARAMETERS: dict[str, dict[str, Any]] = {"script": {"times": {c: 0.1 * c for c in range(1, 101)}}}
CLOCKS = {
    "exact": ms.clocks.Exact(), "scalar": ms.clocks.Scalar(0.1), "ordinary": ms.clocks.ordinary(),
    "lognormal": ms.clocks.Lognormal(0.1), "gamma": ms.clocks.Gamma(0.1),
    "inverse_gaussian": ms.clocks.InverseGaussian(0.1),
    "additive": ms.clocks.Additive(0.05), "tempo": ms.clocks.Tempo(0.1), "drift": ms.clocks.Drift(0.1, 0.8),
    "human": ms.clocks.human(),
}  # fmt: skip
STARS = {
    "at": ms.stars.At(5.0), "at_once": ms.stars.AtOnce(), "inversion_risk": ms.stars.InversionRisk(),
    "rationed": ms.stars.Rationed(), "spend_before_cap": ms.stars.SpendBeforeCap(),
    "reserve": ms.stars.Reserve(ms.stars.AtOnce()),
}  # fmt: skip
BASE = "policy gap_linear"
CLOCK = ms.clocks.Scalar(0.1)
RULES = ms.Rules(players=4, levels=ms.Rules.the_mind(4).levels, lives=100, stars=1, max_lives=100)


def settings() -> dict[str, ms.Player]:
    """Every built-in, each in a player that is otherwise as plain as can be."""
    players = {}
    for name in ms.policies.names():
        players[f"policy {name}"] = ms.Player(ms.policies.make(name, **PARAMETERS.get(name, {})), clock=CLOCK)
    for name, clock in CLOCKS.items():
        players[f"clock {name}"] = ms.Player(ms.policies.GapLinear(0.34), clock=clock)
    for name, stars in STARS.items():
        players[f"stars {name}"] = ms.Player(ms.policies.GapLinear(0.34), stars=stars, clock=CLOCK)
    return players


def speed(player: ms.Player, n_games: int) -> tuple[float, float]:
    """Games and epochs a second of processor time, one thread."""
    start = time.process_time()
    games = ms.simulate(RULES, player, n_games=n_games, seed=3)
    seconds = time.process_time() - start
    return n_games / seconds, float(games.epochs.sum()) / seconds


def main(n_games: int = 20_000, rounds: int = 3, only: str = "") -> None:
    players = {name: player for name, player in settings().items() if only in name or name == BASE}
    for player in players.values():
        speed(player, 2000)  # compiles and tabulates
    best = dict.fromkeys(players, (0.0, 0.0))
    for _ in range(rounds):
        for name, player in players.items():
            best[name] = max(best[name], speed(player, n_games))
    print(f"{'4 players':28s} {'games/s':>9s} {'relative':>9s} {'M epochs/s':>11s} {'relative':>9s}")
    for name, (games, epochs) in best.items():
        relative = games / best[BASE][0], epochs / best[BASE][1]
        print(f"{name:28s} {games:9.0f} {relative[0]:9.2f} {epochs / 1e6:11.2f} {relative[1]:9.2f}")


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:3]), *sys.argv[3:4])
