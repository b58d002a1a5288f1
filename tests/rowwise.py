"""The bridge between the engine, which asks for a column of decisions, and functions that look at one row.

A function of one row is used by the reference game as it is, and by the engine through the adapters below; so both
play the same player, and `log` shows what the engine let it see.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

FIELDS = (
    "card", "top", "gap", "since_top", "hand", "hand_size", "others_cards", "hand_sizes", "floors", "unseen",
    "unseen_below", "unseen_all", "level", "n_levels", "level_cards", "ranks", "lives", "stars", "players", "track",
    "face_down", "elapsed", "last_wait", "last_event", "last_card", "last_track", "last_player", "last_plays",
    "stars_here", "stops_here", "alone",
)  # fmt: skip
TWO_TRACKS = ("other_card", "other_gap", "other_hand_size")


class Log(list):
    """What one group of seats was asked: (kind, fields of one row)."""

    def of(self, kind: str) -> list[dict]:
        return [fields for k, fields in self if k == kind]


class Calls:
    """A drawing function of the observation, seen from one row: the n-th call is the n-th column, made once."""

    def __init__(self, draw: Callable[[], np.ndarray]) -> None:
        self.draw, self.columns = draw, []

    def of_row(self, i: int) -> Callable[[], float]:
        calls = 0

        def call() -> float:
            nonlocal calls
            calls += 1
            while len(self.columns) < calls:
                self.columns.append(self.draw())
            return float(self.columns[calls - 1][i])

        return call


def plain(value: Any) -> Any:
    """A Python number, or a tuple of them."""
    return tuple(value.tolist()) if isinstance(value, np.ndarray) and value.ndim else value.item()


def rows(obs: Any, kind: str, tracks: int, log: Log | None) -> Iterator[SimpleNamespace]:
    """The rows of an observation, one by one."""
    names = FIELDS + (TWO_TRACKS if tracks == 2 else ()) + (("waited", "raiser") if kind == "consent" else ())
    columns = {name: np.asarray(getattr(obs, name)) for name in names}
    columns = {name: np.broadcast_to(c, (obs.rows, *c.shape[1:])) for name, c in columns.items()}
    uniform, normal = Calls(obs.uniform), Calls(obs.normal)
    for i in range(obs.rows):
        fields = {name: plain(column[i]) for name, column in columns.items()}
        fields["hand"] = tuple(card for card in fields["hand"] if card)
        if log is not None:
            log.append((kind, fields))
        yield SimpleNamespace(
            **fields, uniform=uniform.of_row(i), normal=normal.of_row(i), memory=list(obs.memory[i].tolist()),
            personal=lambda k, i=i: float(obs.personal(k)[i]),
        )


class Policy:
    """`wait`, and if given `watch` with so many floats of memory, row by row."""

    def __init__(self, wait: Callable, tracks: int, log: Log | None = None, memory: int = 0,
                 watch: Callable | None = None) -> None:
        self._wait, self._watch, self.tracks, self.log = wait, watch, tracks, log
        self.memory = memory
        if watch is not None:
            self.watch = self._watch_rows

    def wait(self, obs: Any) -> np.ndarray:
        return np.array([self._wait(row) for row in rows(obs, "wait", self.tracks, self.log)], dtype=float)

    def _watch_rows(self, obs: Any) -> None:
        for i, row in enumerate(rows(obs, "watch", self.tracks, self.log)):
            self._watch(row)
            obs.memory[i, :] = row.memory


class Stars:
    """`raise_hand`, `consent` and if given `prefer`, row by row."""

    def __init__(self, raise_hand: Callable, consent: Callable, tracks: int, log: Log | None = None,
                 prefer: Callable | None = None) -> None:
        self._raise_hand, self._consent, self._prefer, self.tracks, self.log = raise_hand, consent, prefer, tracks, log
        if prefer is not None:
            self.prefer = self._prefer_rows

    def raise_hand(self, obs: Any) -> np.ndarray:
        return np.array([self._raise_hand(row) for row in rows(obs, "raise_hand", self.tracks, self.log)], dtype=float)

    def consent(self, obs: Any) -> np.ndarray:
        return np.array([self._consent(row) for row in rows(obs, "consent", self.tracks, self.log)], dtype=bool)

    def _prefer_rows(self, obs: Any) -> np.ndarray:
        return np.array([self._prefer(row) for row in rows(obs, "prefer", self.tracks, self.log)], dtype=np.int64)


class Stops:
    """`call`, row by row."""

    def __init__(self, call: Callable, tracks: int, log: Log | None = None) -> None:
        self._call, self.tracks, self.log = call, tracks, log

    def call(self, obs: Any) -> np.ndarray:
        return np.array([self._call(row) for row in rows(obs, "call", self.tracks, self.log)], dtype=float)


class Wobble:
    """A clock of our own whose rate is spread evenly around 1."""

    def __init__(self, spread: float, lasts: str = "epoch") -> None:
        self.spread, self.lasts = spread, lasts

    def rate(self, noise: Any) -> Any:
        return 1.0 + self.spread * (noise.uniform() - 0.5)


class Slow:
    """A reaction time that differs from epoch to epoch."""

    def __init__(self, least: float, spread: float) -> None:
        self.least, self.spread = least, spread

    def draw(self, noise: Any) -> Any:
        return self.least + self.spread * noise.uniform()
