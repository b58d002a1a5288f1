"""`LogSinh`: a learnable schedule for piles that nobody can see.

`LogLinear` grows with a power of the depth. Face down, where a level is one long count from its start, powers spend too
much time on high cards or too little on low ones: what keeps every step equally hard to time under a clock with
sd^2 = s0^2 + (w t)^2 is a sinh (see `policies.stabilised`). Here it gets what `SinhGap` lacks: its length and its bend
depend on what everybody at the table knows, so that a team may slow down at its last life or hurry through easy levels.

What this file leaves to others: features and depth are those of `policies.features`.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Observation
from mindsim.policies.features import DEPTH, Weights
from mindsim.policies.learnable import as_weights, require_shared

__all__ = ["LogSinh"]

Floats = NDArray[np.float64]
_LONGEST = 11.0  # log seconds


@dataclass(frozen=True)
class LogSinh:
    """Wait ``bend x sinh(u x depth / ranks)``, with u such that the wait at a depth of all ranks is `length`.

    Far below `bend` seconds the wait grows in proportion to the depth, far above by a factor a rank. It counts from
    the pile's last rise, and face down from the level's start. A card that is certain to be next is played at once.

    Parameters
    ----------
    features : tuple of str
        Names from `FEATURES`, but those that depend on the own card (``depth, expected``).
    length, bend : tuple of float
        A weight for each feature; shorter tuples leave out the last features. ``log length = sum of weight x
        feature``, in seconds; likewise bend.

    Examples
    --------
    >>> import mindsim as ms
    >>> policy = ms.learn.LogSinh(("one", "last_life"), length=(4.1, 0.5), bend=(-1.0,))
    >>> games = ms.simulate(ms.Rules.blind(2), policy, n_games=20, seed=1)
    """

    features: tuple[str, ...] = ("one",)
    length: tuple[float, ...] = field(default=(4.1,), metadata={"learn": 0.3})
    bend: tuple[float, ...] = field(default=(-1.0,), metadata={"learn": 0.3})

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        require_shared("LogSinh", self.features)
        for name in ("length", "bend"):
            object.__setattr__(self, name, as_weights("LogSinh", name, getattr(self, name), self.features))

    @cached_property
    def _weights(self) -> Weights:
        return Weights(self.features, self.length, self.bend)

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        length, bend = self._weights.sums(obs)
        length, bend = np.exp(np.minimum(length, _LONGEST)), np.exp(np.clip(bend, -6.0, 6.0))
        wait: Floats = bend * np.sinh(np.arcsinh(length / bend) * obs.glance[DEPTH] / obs.track_length)
        left = obs.remaining(wait)
        if obs.face_down.any():
            left = np.where(obs.face_down, obs.unless_alone(wait - obs.elapsed), left)
        return left
