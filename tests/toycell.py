"""A cell that needs no engine: keyed draws stand for games, so that sweeps can be tested hard in little time."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mindsim.stats.summary import Summary


@dataclass(frozen=True)
class Toy:
    """Wins with chance p; game i is the same whoever plays it."""

    p: float = 0.5
    name: str = "toy"
    players: int = 2
    seconds: float = 0.0  # what a piece takes
    fails_at: int = -1

    @property
    def label(self) -> str:
        return f"players={self.players}, policy={self.name}, policy.p={self.p}"

    @property
    def columns(self) -> dict[str, Any]:
        return {"rules": "toy", "players": self.players, "policy": self.name, "policy.p": self.p}

    @property
    def shape(self) -> Any:
        return "toy", self.players

    def setting(self) -> dict[str, Any]:
        return {"game": "toy", "p": self.p, "name": self.name, "players": self.players}

    def play(self, seed: int, games: range) -> dict[str, np.ndarray]:
        if self.fails_at in games:
            raise ZeroDivisionError("a policy of the toy broke")
        time.sleep(self.seconds)
        number = np.arange(games.start, games.stop, dtype=np.uint64)
        luck = _uniform(number * np.uint64(2) + np.uint64(seed))
        noise = _uniform(number * np.uint64(2) + np.uint64(1 + seed + int(self.p * 1000)))
        won = 0.8 * luck + 0.2 * noise < self.p
        played = np.where(won, 156, (luck * 100).astype(np.int32)).astype(np.int32)
        level = np.where(won, 12, (luck * 12).astype(np.int32)).astype(np.int32)
        nothing = np.zeros(len(number), np.int32)
        return {
            "won": won,
            "stalled": nothing.astype(bool),
            "duration": 10.0 + 100.0 * luck + played * noise,
            "levels_completed": level,
            "level_reached": np.minimum(level + 1, 12).astype(np.int32),
            "lives": won.astype(np.int32),
            "stars": nothing,
            "stars_used": nothing,
            "mistakes": (2 - won).astype(np.int32),
            "cards_lost": nothing,
            "cards_played": played,
            "epochs": played,
            "mistakes_policy": (1 - won).astype(np.int32),
            "mistakes_clock": nothing + 1,
        }

    def wins(self, games: Any) -> int:
        return int(games["won"].sum())

    def summarise(self, pieces: Iterable[Any]) -> dict[str, Any]:
        summary = Summary()
        for piece in pieces:
            summary.add(piece)
        return summary.result()


def _uniform(x: np.ndarray) -> np.ndarray:
    """SplitMix64's output function, as a number in 0..1."""
    with np.errstate(over="ignore"):
        x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)) / 9007199254740992.0


def toys(n: int = 3, **others: Any) -> list[Toy]:
    """n cells of two and three players."""
    return [Toy(p=0.3 + 0.1 * i, name=f"toy{i}", players=2 + i % 2, **others) for i in range(n)]
