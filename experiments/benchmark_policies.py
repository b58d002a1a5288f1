"""How fast is every built-in policy, clock and star rule, compared with `GapLinear` at 4 players?

    python experiments/benchmark_policies.py [--games N] [--rounds N] [--only WORD_IN_NAME] [--out FOLDER]

There are so many lives that every game goes through all levels. Each is timed in turn with `GapLinear` in the same
process, a pair in every round, so that whatever else slows the machine slows both: the share of `GapLinear`'s games a
second is the median over the rounds. Time is that of the processor, for one thread. Printed, and written to
`policies.csv` with a manifest, are games and epochs a second, the best of all rounds (an epoch is one decision of every
player; a bad policy has fewer, as mistakes empty hands), and the shares of both.
"""
from __future__ import annotations

import argparse
import platform
import time
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd

import mindsim as ms
from mindsim.files import write_json

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


def paired(player: ms.Player, base: ms.Player, n_games: int, rounds: int) -> dict[str, float]:
    """The best speeds of a player, and its median shares of the base's in the same rounds."""
    speed(player, 2000)  # compiles and tabulates
    speeds = [(*speed(base, n_games), *speed(player, n_games)) for _ in range(rounds)]
    return {
        "games_per_s": max(games for _, _, games, _ in speeds),
        "share_of_games": median(games / base_games for base_games, _, games, _ in speeds),
        "epochs_per_s": max(epochs for _, _, _, epochs in speeds),
        "share_of_epochs": median(epochs / base_epochs for _, base_epochs, _, epochs in speeds),
    }


def write(table: pd.DataFrame, out: Path, command: str) -> None:
    """The table as CSV, and beside it how it was made."""
    out.mkdir(parents=True, exist_ok=True)
    table.to_csv(out / "policies.csv", index=False, float_format="%.4g", lineterminator="\n")
    versions = {"mindsim": ms.__version__, "python": platform.python_version()}
    machine = f"{platform.system()} {platform.machine()}"
    write_json(out / "policies.manifest.json", {"command": command, "versions": versions, "machine": machine})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="games of each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="only names that hold this word")
    parser.add_argument("--out", type=Path, help="where policies.csv goes, such as results/benchmark; default: nowhere")
    args = parser.parse_args()
    players = settings()
    base = players[BASE]
    speed(base, 2000)
    rows = []
    for name in (name for name in players if args.only in name):
        row: dict[str, Any] = {"name": name, **paired(players[name], base, args.games, args.rounds)}
        rows.append(row)
        print(f"{name:28s} {row['games_per_s']:9.0f} games/s {row['share_of_games']:6.2f} of GapLinear's; "
              f"{row['epochs_per_s'] / 1e6:6.2f} M epochs/s {row['share_of_epochs']:6.2f}", flush=True)  # fmt: skip
    if args.out:
        command = f"python experiments/benchmark_policies.py --games {args.games} --rounds {args.rounds}"
        write(pd.DataFrame(rows), args.out, command + (f" --only {args.only}" if args.only else ""))


if __name__ == "__main__":
    main()
