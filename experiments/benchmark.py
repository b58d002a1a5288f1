"""Speed: full games a second on one thread, side by side with a plain C program in the same run.

Question: how close is the engine to plain C, and what do recording, stars, reaction and two tracks cost?
Writes ``results/benchmark/``: ``speed.csv`` (games a second, and the ratio to C), ``costs.csv`` (time of a feature over
the plain run), ``scaling.csv`` and ``scaling.png`` (time against games, players and cards), ``peers.csv`` (jobs of
other programs), ``the_game.csv`` (The Game, by strategy), ``manifest.json``.
Processor time, the best of several alternating rounds; the ratios are what to quote.
"""
from __future__ import annotations

import argparse
import json
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

import mindsim as ms

HERE = Path(__file__).parent
CLOCK = ms.clocks.Scalar(weber=0.1)
PLAIN = ms.Player(ms.policies.GapLinear(0.05), clock=CLOCK)


def build(folder: Path) -> Path:
    """Compile the yardstick."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise OSError("the yardstick needs a C compiler (cc or gcc)")
    target = folder / "yardstick"
    subprocess.run(
        [compiler, "-O3", "-march=native", str(HERE / "yardstick.c"), "-o", str(target), "-lm"], check=True
    )
    return target


def plain_c(yardstick: Path, players: int, games: int) -> float:
    """Games a second of the C program."""
    out = subprocess.run([str(yardstick), str(players), str(games), "0.1"], check=True, capture_output=True, text=True)
    return float(out.stdout.split()[0])


def rate(rules: ms.Rules, player: ms.Player, games: int, seed: int = 1, record: bool = False) -> float:
    """Games a second of processor time."""
    start = time.process_time()
    ms.simulate(rules, player, games, seed=seed, record=record)
    return games / (time.process_time() - start)


def speed(yardstick: Path, games: int, rounds: int) -> pd.DataFrame:
    """Plain full games by players, in turn with C."""
    rows = []
    for players in (2, 3, 4):
        rules = ms.Rules.the_mind(players)
        ms.simulate(rules, PLAIN, 10)  # compile first
        ours, power, c = 0.0, 0.0, 0.0
        curved = ms.Player(ms.policies.GapPower(0.02, 2.0), clock=CLOCK)
        for i in range(rounds):
            ours = max(ours, rate(rules, PLAIN, games, seed=i))
            power = max(power, rate(rules, curved, games, seed=i))
            c = max(c, plain_c(yardstick, players, games))
        rows.append((players, round(ours), round(power), round(c), ours / c, power / c))
    names = ["players", "GapLinear games/s", "GapPower games/s", "C games/s", "GapLinear / C", "GapPower / C"]
    return pd.DataFrame(rows, columns=names).round(3)


def costs(games: int, rounds: int) -> pd.DataFrame:
    """Time of a feature over the plain run, 4 players."""
    mind, extreme = ms.Rules.the_mind(4), ms.Rules.extreme(4, face_down={})
    starry = ms.Player(PLAIN.policy, stars=ms.stars.At(30.0), clock=CLOCK)
    quick = ms.Player(PLAIN.policy, clock=CLOCK, reaction=0.2)
    cases: dict[str, tuple[ms.Rules, ms.Player, bool]] = {
        "plain": (mind, PLAIN, False),
        "record=True": (mind, PLAIN, True),
        "stars": (mind, starry, False),
        "reaction": (mind, quick, False),
        "blind": (ms.Rules.blind(4), PLAIN, False),
        "two tracks": (extreme, PLAIN, False),
    }
    epochs = {name: int(ms.simulate(r, p, games, seed=1).epochs.sum()) for name, (r, p, _) in cases.items()}
    best = dict.fromkeys(cases, 0.0)
    for _ in range(rounds):
        for name, (rules, player, record) in cases.items():
            best[name] = max(best[name], rate(rules, player, games, record=record))
    rows = [
        (name, round(best[name]), best["plain"] / best[name], 1e9 * games / best[name] / epochs[name]) for name in cases
    ]
    return pd.DataFrame(rows, columns=["case", "games/s", "time over plain", "ns per epoch"]).round(2)


def scaling(games: int, rounds: int) -> pd.DataFrame:
    """Time against the number of games, and against cards x players: the least of several alternating rounds."""
    cases = [("games", ms.Rules.the_mind(4), n) for n in (games // 8, games // 4, games // 2, games, games * 2)]
    for players in (2, 3, 4):
        for cards in (2, 4, 8):
            cases.append(("cards", ms.Rules(players, (ms.Level(cards),), 5, 0), games * 2))
            ms.simulate(cases[-1][1], PLAIN, 10)
    seconds = [float("inf")] * len(cases)
    for _ in range(rounds):
        seconds = [min(least, n / rate(rules, PLAIN, n)) for least, (_, rules, n) in zip(seconds, cases, strict=True)]
    rows = [
        (varied, rules.players, rules.levels[-1].cards, n, least)
        for least, (varied, rules, n) in zip(seconds, cases, strict=True)
    ]
    return pd.DataFrame(rows, columns=["varied", "players", "cards", "games", "seconds"]).round(4)


def peers(games: int, rounds: int) -> pd.DataFrame:
    """The jobs of public programs, made here again: levels without lives, and one clean level."""
    jobs = {
        "12 levels without lives, 2 players": ms.Rules(2, tuple(ms.Level(n) for n in range(1, 13)), 100, 0),
        "one clean level of 8 cards, 2 players": ms.Rules(2, (ms.Level(8),), 1, 0),
    }
    rows = []
    for name, rules in jobs.items():
        ms.simulate(rules, PLAIN, 10)
        rows.append((name, round(max(rate(rules, PLAIN, games) for _ in range(rounds)))))
    return pd.DataFrame(rows, columns=["job", "games/s"])


def the_game(games: int, rounds: int) -> pd.DataFrame:
    """The Game: full games a second by strategy and players. `random` is to reach 20,000, `least_movement` 2,000."""
    rows = []
    for name, least in (("random", 20_000), ("least_movement", 2_000), ("look_ahead", 0)):
        for players in (1, 2, 5):
            rules, strategy = ms.the_game.Rules(players), ms.the_game.strategies.make(name)
            ms.the_game.simulate(rules, strategy, 10)  # compile first
            best, n = 0.0, games if least > 10_000 else games // 10
            for i in range(rounds):
                start = time.process_time()
                ms.the_game.simulate(rules, strategy, n, seed=i)
                best = max(best, n / (time.process_time() - start))
            rows.append((name, players, round(best), least or None))
    return pd.DataFrame(rows, columns=["strategy", "players", "games/s", "at least"]).astype({"at least": "Int64"})


def draw(table: pd.DataFrame, path: Path) -> None:
    """Time against games and against cards dealt."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    by_games = table[table.varied == "games"]
    left.plot(by_games.games, by_games.seconds, "o-", color="#0072B2")
    left.set(xlabel="games (4 players, 8 levels)", ylabel="processor time (s)")
    for players, marker, colour in ((2, "o", "#0072B2"), (3, "s", "#D55E00"), (4, "^", "#009E73")):
        part = table[(table.varied == "cards") & (table.players == players)]
        time_per_level = 1e6 * part.seconds / part.games
        right.plot(part.cards * players, time_per_level, marker + "-", color=colour, label=f"{players} players")
    right.set(xlabel="cards dealt in a level", ylabel="time per level (microseconds)")
    right.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--games", type=int, default=40_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("results/benchmark"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        tables = {
            "speed": speed(build(Path(folder)), given.games, given.rounds),
            "costs": costs(given.games // 4, given.rounds),
            "scaling": scaling(given.games, given.rounds),
            "peers": peers(given.games // 2, given.rounds),
            "the_game": the_game(given.games, given.rounds),
        }
    for name, table in tables.items():
        table.to_csv(given.out / f"{name}.csv", index=False)
        print(table.to_string(index=False), end="\n\n")
    draw(tables["scaling"], given.out / "scaling.png")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    about = {
        "command": f"python experiments/benchmark.py --games {given.games} --rounds {given.rounds}",
        "versions": {"mindsim": ms.__version__, "python": platform.python_version()},
        "machine": f"{platform.system()} {platform.machine()}",
        "peak memory, MiB": round(peak),
    }
    (given.out / "manifest.json").write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
