"""Find the weights of the linear strategies of The Game, and write them with how they were found.

    python experiments/the_game_tune.py linear --players 2 --games 300 --generations 80 --seed 1
    python experiments/the_game_tune.py linear_hints --players 2 3 4 5 --weights hints --store build/tune_hints

The search is `mindsim.learn.maximise` (CMA-ES): each generation plays its candidates on the same fresh deals, the
choice among candidates is made on others, and the figure comes from a third stream that no candidate has seen. A
candidate's score is the mean of ``exp(-cards left / softness)`` over the tables: a win counts 1, a narrow loss
something. With --store the search is kept after every generation, and goes on where it was. The weights that come with
the package change only if the new ones win more of the held-out games.
"""
from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mindsim import learn
from mindsim import the_game as tg
from mindsim.files import write_json
from mindsim.the_game.strategies.linear import HEARD, N, shipped

WEIGHTS = Path(tg.__file__).with_name("weights.json")
FREE = ("early", "late", "both", "hints")


@dataclass(frozen=True)
class Task:
    """What is optimised: a strategy by name, at which tables, with how many nodes of endgame search (0: none).

    `weights` says which of its weights are free: "early" (those of hints, and the two hint gaps, too), "late" (added
    with an empty draw pile), "both", or "hints" (those of hints and the gaps only).
    """

    name: str
    players: tuple[int, ...]
    nodes: int
    look: int
    weights: str
    softness: float

    @property
    def numbers(self) -> np.ndarray:
        """The shipped weights, then the two hint gaps."""
        found = shipped()[self.name]
        return np.array([*found["weights"], found["very_near"], found["near"]])

    @property
    def free(self) -> np.ndarray:
        """Which of the numbers may change."""
        free = np.zeros(2 * N + 2, bool)
        free[:N] = free[2 * N :] = self.weights != "late"
        free[N : 2 * N] = self.weights in ("late", "both")
        if self.weights == "hints":
            free[:HEARD] = False
        if "hints" not in self.name:
            free[HEARD:N] = free[N + HEARD :] = False
        return free

    @property
    def spread(self) -> np.ndarray:
        """How far each number may move at first: some of its size, at least a little."""
        x = self.numbers
        sd = np.maximum(0.4 * np.abs(x), 0.5)
        sd[2 * N :] = np.maximum(0.3 * x[2 * N :], 1.0)
        return sd

    @property
    def start(self) -> np.ndarray:
        """The search counts in units of `spread`, from the shipped numbers."""
        return np.zeros(int(self.free.sum()))

    def moved(self, x: np.ndarray) -> np.ndarray:
        """All numbers at a point of the search."""
        numbers, free = self.numbers, self.free
        numbers[free] += np.asarray(x) * self.spread[free]
        return numbers

    def gaps(self, x: np.ndarray) -> tuple[int, int]:
        """The two hint gaps as whole numbers."""
        very_near, near = (int(v) for v in np.clip(np.round(self.moved(x)[2 * N :]), 0, 98))
        return very_near, near

    def strategy(self, x: np.ndarray) -> Any:
        """The strategy at a point of the search."""
        very_near, near = self.gaps(x)
        weights = tuple(self.moved(x)[: 2 * N].round(4))
        base = tg.strategies.make(self.name, weights=weights, very_near=very_near, near=near, look=self.look)
        return tg.strategies.Endgame(base, self.nodes) if self.nodes else base

    def setting(self) -> dict[str, Any]:
        """All that decides the scores."""
        return {**asdict(self), "players": list(self.players), "from": self.numbers.tolist()}

    def score(self, x: np.ndarray, n_games: int, seed: int) -> float:
        """The mean of exp(-cards left / softness) over all tables."""
        left = [tg.simulate(tg.Rules(p), self.strategy(x), n_games, seed=seed).cards_left for p in self.players]
        return float(np.mean([np.exp(-cards / self.softness).mean() for cards in left]))

    def won(self, x: np.ndarray, n_games: int, seed: int) -> dict[str, float]:
        """The share of games won at each table."""
        return {
            str(p): float(tg.simulate(tg.Rules(p), self.strategy(x), n_games, seed=seed).won.mean())
            for p in self.players
        }


def keep(task: Task, x: np.ndarray, run: dict[str, Any], path: Path = WEIGHTS) -> None:
    """Write the weights, and how they were found."""
    sets = json.loads(path.read_text(encoding="utf-8"))
    very_near, near = task.gaps(x)
    sets[task.name] = {
        "weights": [round(float(w), 4) for w in task.moved(x)[: 2 * N]],
        "very_near": very_near,
        "near": near,
        "found_by": [*sets[task.name].get("found_by", []), run],
    }
    write_json(path, sets)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(shipped()))
    parser.add_argument("--players", type=int, nargs="+", default=[2])
    parser.add_argument("--nodes", type=int, default=0, help="endgame search; 0: none")
    parser.add_argument("--look", type=int, default=2, help="plays to look ahead")
    parser.add_argument("--weights", choices=FREE, default="early", help="which ones are free")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--generations", type=int, default=80)
    parser.add_argument("--population", type=int, default=12)
    parser.add_argument("--step", type=float, default=0.5)
    parser.add_argument("--softness", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", type=Path, default=None, help="keep the search here, to go on with it")
    parser.add_argument("--into", type=Path, default=WEIGHTS, help="the file of weights that is changed")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    """Search, and keep the result if it wins more held-out games."""
    args, began = arguments(argv), time.time()
    task = Task(args.name, tuple(args.players), args.nodes, args.look, args.weights, args.softness)
    found = learn.maximise(
        task, args.games * args.population * args.generations, seed=args.seed, n_jobs=args.jobs, store=args.store,
        n_games=args.games, population=args.population, held_out=args.held_out, step=args.step,
    )  # fmt: skip
    before, after = (task.won(x, args.held_out, found.held_out_seed) for x in (task.start, found.x))
    print(f"held-out score before {found.start_score:.4f}, after {found.score:.4f}; {time.time() - began:.0f} s")
    print(f"held-out games won before {before}, after {after}")
    if np.mean(list(after.values())) > np.mean(list(before.values())):
        given = {k: v for k, v in vars(args).items() if k not in ("store", "into", "jobs")}
        by = {"search": "mindsim.learn.maximise", **given, "held_out_seed": found.held_out_seed}
        keep(task, found.x, {**by, "won_before": before, "won_after": after}, args.into)


if __name__ == "__main__":
    main()
