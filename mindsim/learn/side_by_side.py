"""`SideBySide`: a learnable schedule for two piles that are built together, face up or face down.

A pile with few cards has wide gaps, and waits that grow faster than the gap keep it waiting until the other one is
finished. Against that, a card's wait here depends on two depths: its own (see `policies.features`), and that beyond the
front, which is the higher of both piles' tops: if both rise together, a card far ahead of its own pile but close to the
front is due soon. What lies on a pile that is face down is unknown, and does not move the front; nor do plays that
happen in flight before the last one of an epoch (with reaction times): a player remembers the last card it saw.

What this file leaves to others: face up the schedule of both depths is that of `LogLinear`, face down that of
`LogSinh`, whose parameters stand side by side here so that one search finds all.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.learn.log_sinh import LogSinh
from mindsim.observation import Event, Observation
from mindsim.policies.features import CARDS, DEPTH, ROOM, Weights
from mindsim.policies.learnable import as_weights, require_shared

__all__ = ["SideBySide"]

Floats = NDArray[np.float64]
LEVEL = 2  # memory: the top of each pile, and the level they belong to


@dataclass(frozen=True)
class SideBySide:
    """`LogLinear` in a mixture of the depth and the depth beyond the front; `LogSinh` on piles face down.

    Parameters
    ----------
    features : tuple of str
        Names from `FEATURES`, but those that depend on the own card.
    scale, exponent, shift : tuple of float
        As in `LogLinear`.
    length, bend : tuple of float
        As in `LogSinh`.
    own : tuple of float
        Weights of features, too: their sum is the logit of the share of the own depth in the mixture. Far above 0: each
        pile by itself.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.extreme(2), ms.learn.SideBySide(own=(-1.0,)), n_games=20, seed=1)
    """

    features: tuple[str, ...] = ("one",)
    scale: tuple[float, ...] = field(default=(0.4,), metadata={"learn": 0.3})
    exponent: tuple[float, ...] = field(default=(0.7,), metadata={"learn": 0.15})
    shift: tuple[float, ...] = field(default=(-1.2,), metadata={"learn": 0.3})
    length: tuple[float, ...] = field(default=(4.1,), metadata={"learn": 0.3})
    bend: tuple[float, ...] = field(default=(-1.0,), metadata={"learn": 0.3})
    own: tuple[float, ...] = field(default=(0.0,), metadata={"learn": 0.5})

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        require_shared("SideBySide", self.features)
        for name in ("scale", "exponent", "shift", "length", "bend", "own"):
            object.__setattr__(self, name, as_weights("SideBySide", name, getattr(self, name), self.features))

    memory = 3

    @cached_property
    def _face_down(self) -> LogSinh:
        return LogSinh(self.features, self.length, self.bend)

    @cached_property
    def _weights(self) -> Weights:
        return Weights(self.features, self.scale, self.exponent, self.shift, self.own)

    def watch(self, obs: Observation) -> None:
        """Remember the level, and the last card seen on each pile in it."""
        memory, event = obs.memory, obs.last_event
        new = memory[:, LEVEL] != obs.level  # what happened last was in the level before
        memory[new] = 0.0
        memory[:, LEVEL] = obs.level
        seen = ~new & (obs.last_card > 0) & ((event == Event.PLAY) | (event == Event.MISTAKE))
        memory[seen, obs.last_track[seen]] = obs.last_card[seen]

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        glance = obs.glance
        depth, spacing = glance[DEPTH], glance[CARDS] / glance[ROOM].astype(float)
        beyond = np.maximum(obs.card - 1 - np.maximum(obs.top, obs.memory[:, :LEVEL].max(axis=1)), 0)
        scale, exponent, shift, own = self._weights.sums(obs)
        share = 1.0 / (1.0 + np.exp(-np.clip(own, -30.0, 30.0)))
        x = (share * depth + (1.0 - share) * np.minimum(depth, beyond)) * spacing
        extra, power = np.exp(np.clip(shift, -6.0, 4.0)), np.exp(np.clip(exponent, -3.0, 2.5))
        log_wait = scale + power * np.log((x + extra) / (1.0 + extra))
        left = obs.remaining(np.where(depth > 0, np.exp(np.minimum(log_wait, 11.0)), 0.0))
        return np.where(obs.face_down, self._face_down.wait(obs), left) if obs.face_down.any() else left
