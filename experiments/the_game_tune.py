"""Find the weights of the linear strategies of The Game by CMA-ES, and write them with how they were found.

    python experiments/the_game_tune.py linear --players 2 --games 300 --generations 80 --seed 1

Each generation plays its candidates on the same fresh deals (the noise is shared, the deals are not reused), and is
judged by the mean of ``exp(-cards left / softness)``: a win counts 1, a narrow loss something. The result is the mean
of the final distribution, and is measured on deals that no generation has seen.
"""
from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cma
import numpy as np

from mindsim import the_game as tg
from mindsim.the_game.strategies.linear import FEATURES, shipped

WEIGHTS = Path(tg.__file__).with_name("weights.json")
N = len(FEATURES)
HEARD = FEATURES.index("leave_play")
HELD_OUT_SEED = 10**9


@dataclass(frozen=True)
class Task:
    """What is optimised: a strategy by name, at which tables, with how many nodes of endgame search (0: none).

    `weights` says which of its weights: "early" (the hint gaps too), "late" (added with an empty draw pile), "both".
    """

    name: str
    players: tuple[int, ...]
    nodes: int
    look: int
    weights: str

    def free(self) -> np.ndarray:
        """Which of the weights, then the two hint gaps, are free to change."""
        free = np.zeros(2 * N + 2, bool)
        free[:N] = free[2 * N :] = self.weights != "late"
        free[N : 2 * N] = self.weights != "early"
        if "hints" not in self.name:
            free[HEARD:N] = free[N + HEARD :] = False
        return free

    def strategy(self, x: np.ndarray) -> Any:
        """The strategy with these weights and hint gaps."""
        very_near, near = (int(v) for v in np.clip(np.round(x[2 * N :]), 0, 98))
        base = tg.strategies.make(self.name, weights=tuple(x[: 2 * N]), very_near=very_near, near=near, look=self.look)
        return tg.strategies.Endgame(base, self.nodes) if self.nodes else base

    def score(self, x: np.ndarray, n_games: int, seed: int, softness: float) -> float:
        """The mean of exp(-cards left / softness) over all tables."""
        left = [tg.simulate(tg.Rules(p), self.strategy(x), n_games, seed=seed).cards_left for p in self.players]
        return float(np.mean([np.exp(-cards / softness).mean() for cards in left]))


def start(task: Task) -> np.ndarray:
    """The weights to start from: the shipped ones."""
    found = shipped()[task.name]
    return np.array([*found["weights"], found["very_near"], found["near"]])


def spread(x: np.ndarray) -> np.ndarray:
    """How far each number may move at first: some of its size, at least a little."""
    sd = np.maximum(0.4 * np.abs(x), 0.5)
    sd[2 * N :] = np.maximum(0.3 * x[2 * N :], 1.0)
    return sd


def optimise(task: Task, args: argparse.Namespace) -> np.ndarray:
    """Run CMA-ES and return the mean of its last distribution."""
    x, free = start(task), task.free()
    options = {"CMA_stds": spread(x)[free], "popsize": args.popsize, "seed": args.seed, "verbose": -9}
    es = cma.CMAEvolutionStrategy(x[free], args.sigma, options)
    for generation in range(args.generations):
        points, scores = es.ask(), []
        for point in points:
            candidate = x.copy()
            candidate[free] = point
            scores.append(-task.score(candidate, args.games, args.seed * 100_000 + generation, args.softness))
        es.tell(points, scores)
        if generation % 10 == 0:
            print(f"generation {generation}: mean {-np.mean(scores):.4f}, sigma {es.sigma:.3f}", flush=True)
    x[free] = es.mean
    return x


def held_out(task: Task, x: np.ndarray, n_games: int) -> dict[str, float]:
    """The share of won games at each table, on deals that no generation has seen."""
    return {
        str(p): float(tg.simulate(tg.Rules(p), task.strategy(x), n_games, seed=HELD_OUT_SEED).won.mean())
        for p in task.players
    }


def main() -> None:
    """Read the command, optimise, and keep the result if it is better on held-out deals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(shipped()))
    parser.add_argument("--players", type=int, nargs="+", default=[2])
    parser.add_argument("--nodes", type=int, default=0, help="endgame search; 0: none")
    parser.add_argument("--look", type=int, default=2, help="plays to look ahead")
    parser.add_argument("--weights", choices=("early", "late", "both"), default="early", help="which ones are free")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--generations", type=int, default=80)
    parser.add_argument("--popsize", type=int, default=12)
    parser.add_argument("--sigma", type=float, default=0.5)
    parser.add_argument("--softness", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", type=int, default=10_000)
    args = parser.parse_args()
    task = Task(args.name, tuple(args.players), args.nodes, args.look, args.weights)
    began = time.time()
    x = optimise(task, args)
    before, after = held_out(task, start(task), args.held_out), held_out(task, x, args.held_out)
    print(f"held out: before {before}, after {after}; {time.time() - began:.0f} s")
    if np.mean(list(after.values())) > np.mean(list(before.values())):
        keep(task, x, args, before, after)


def keep(
    task: Task, x: np.ndarray, args: argparse.Namespace, before: dict[str, float], after: dict[str, float]
) -> None:
    """Write the weights, and how they were found."""
    sets = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    run = {**vars(args), "held_out_seed": HELD_OUT_SEED, "won_before": before, "won_after": after}
    history = sets[task.name].get("found_by", [])
    sets[task.name] = {
        "weights": [round(float(w), 4) for w in x[: 2 * N]],
        "very_near": int(np.clip(round(x[2 * N]), 0, 98)),
        "near": int(np.clip(round(x[2 * N + 1]), 0, 98)),
        "found_by": [*history, run],
    }
    temporary = WEIGHTS.with_suffix(".tmp")
    temporary.write_text(json.dumps(sets, indent=1) + "\n", encoding="utf-8")
    temporary.replace(WEIGHTS)


if __name__ == "__main__":
    main()
