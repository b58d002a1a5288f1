"""A small package of somebody else's: one policy, offered to mindsim by an entry point."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Patient:
    """Waits a long time."""

    pace: float = 5.0

    def wait(self, obs):
        return obs.remaining(self.pace * obs.gap)
