"""One game at a time: what the parallel and the single environment have in common.

A reset begins a game: game 0 of its seed, and the next one at each reset without a seed, so that the k-th episode after
``reset(seed=s)`` is game k of ``simulate(..., seed=s)``.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindsim import rng
from mindsim.env import drawing
from mindsim.env.actions import Decisions
from mindsim.env.setup import Setup
from mindsim.env.table import Step, Table
from mindsim.observation import Event, Observation
from mindsim.record import OUTCOMES
from mindsim.rules import COLOURS, rank_to_value
from mindsim.state import PLAYING, STALLED

RENDER_MODES = ("human", "ansi", "rgb_array")


class OneGame:
    """The game being played, and the numbers of those to come."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.seed: int | None = None
        self.number = -1
        self.table: Table | None = None
        self._seen: list[Observation] = []

    def begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Begin a game: ``options["game"]`` says which one; other options are nobody's business here."""
        if seed is not None:
            self.seed, self.number = rng.as_seed(seed).item(), -1
        elif self.seed is None:
            self.seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        wanted = (options or {}).get("game")
        if wanted is not None and (isinstance(wanted, bool) or not isinstance(wanted, (int, np.integer)) or wanted < 0):
            raise ValueError(f'options["game"] must be the number of a game, at least 0, not {wanted!r}')
        self.number = self.number + 1 if wanted is None else int(wanted)
        self.table = self.setup.table(self.seed, range(self.number, self.number + 1), 1)
        self._seen = self.table.observe()

    @property
    def seen(self) -> list[Observation]:
        """What the learners know now."""
        if self.table is None:
            raise RuntimeError("no game has begun: call reset() first")
        return self._seen

    @property
    def running(self) -> Table:
        """The table.

        Raises
        ------
        RuntimeError
            If no game has begun.
        """
        if self.table is None:
            raise RuntimeError("no game has begun: call reset() first")
        return self.table

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self.running.batch.playing

    def step(self, decisions: Decisions) -> Step:
        """Let one epoch pass."""
        step = self.running.step(decisions)
        self._seen = self.running.observe()
        return step

    # --- telling ---------------------------------------------------------------------------------
    def masks(self) -> NDArray[np.int8] | None:
        """The action masks of the learners; None if their actions have none."""
        return self.setup.actions.mask(self.running.situation(self.seen))

    def info(self, step: Step | None = None) -> dict[str, Any]:
        """What happened and how long it took, in true seconds; for those who train, not for players."""
        record = self.running.records[0]
        what = Event(int(record["last_event"])).name.lower()
        outcome = PLAYING if step is None else int(step.outcome[0])
        info = {
            "game": self.number,
            "event": "nothing" if outcome == STALLED else what,
            "player": int(record["last_player"]),
            **self._card(record),
            "plays": int(record["last_plays"]),
            "seconds": 0.0 if step is None else float(step.seconds[0]),
            "lives_lost": 0 if step is None else int(step.lives_lost[0]),
            "levels_completed": 0 if step is None else int(step.levels[0]),
            "level": int(record["level"]) + 1,
            "elapsed": float(record["elapsed"]),
            "duration": float(record["duration"]),
            "lives": int(record["lives"]),
            "stars": int(record["stars"]),
        }
        if outcome != PLAYING:
            info["outcome"] = OUTCOMES[outcome]
        return info

    def _card(self, record: Any) -> dict[str, Any]:
        """The printed card that was seen to be played last, 0 if none or hidden."""
        rank, track = int(record["last_card"]), int(record["last_track"])
        colour = COLOURS[track] if self.setup.rules.tracks == 2 and record["last_player"] >= 0 else ""
        return {"colour": colour, "card": rank_to_value(track, rank, self.setup.rules.ranks) if rank else 0}

    def render(self, mode: str | None) -> str | NDArray[np.uint8] | None:
        """Show the table with all hands open: print it, or return it as text or as a picture."""
        if mode is None:
            return None
        position = drawing.Position.of(self.running.view, self.setup.rules)
        if mode == "rgb_array":
            return drawing.picture(position)
        text = drawing.text(position)
        if mode == "ansi":
            return text
        print(text)
        return None


def checked_mode(mode: Any) -> str | None:
    """A render mode.

    Raises
    ------
    ValueError
        If there is no such mode.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be one of {', '.join(RENDER_MODES)} or None, not {mode!r}")
    return None if mode is None else str(mode)
