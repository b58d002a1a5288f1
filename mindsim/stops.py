"""Stops: when to call "stop", so that everybody takes the hand off the cards and concentrates again.

Stops are any object with ``call(obs) -> float64[rows]`` (seconds from now; inf: no). Rows are (game, player), empty
hands included. Only `Rules.max_stops` of them count in a level, and that is 0 by default.

What this file leaves to others: what a stop does is in the rule book (`rulebook`).
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindsim import registry as _registry
from mindsim.observation import Observation
from mindsim.registry import NOT_NEGATIVE, POSITIVE, check

register = _registry.stops.register
names = _registry.stops.names
make = _registry.stops.make
entries = _registry.stops.entries

__all__ = ["AfterSilence", "At", "Never", "entries", "make", "names", "register"]


@register("never")
@dataclass(frozen=True)
class Never:
    """Never call stop.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stops.Never()
    Never()
    """

    def call(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the call."""
        return np.full(obs.rows, np.inf)


@register("at")
@dataclass(frozen=True)
class At:
    """Call stop at a given moment of every level in which nobody has called it.

    Parameters
    ----------
    seconds : float
        Felt seconds since the level's start, at least 0; once they have passed, at once.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stops.At(3.0)
    At(seconds=3.0)
    """

    seconds: float

    def __post_init__(self) -> None:
        check(self, seconds=NOT_NEGATIVE)

    def call(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the call."""
        return np.where(obs.stops_here > 0, np.inf, np.maximum(self.seconds - obs.elapsed, 0.0))


@register("after_silence")
@dataclass(frozen=True)
class AfterSilence:
    """Call stop once nothing has happened for some seconds.

    Every event starts the silence afresh, a stop included, so a long silence is cut into equal pieces.

    Parameters
    ----------
    seconds : float
        Felt seconds without an event, above 0.

    Source
    ------
    The rulebook lets any player call stop to let everybody concentrate again; when people do is not published.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stops.AfterSilence(seconds=5.0)
    AfterSilence(seconds=5.0)
    """

    seconds: float

    def __post_init__(self) -> None:
        check(self, seconds=POSITIVE)

    def call(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the call."""
        return np.full(obs.rows, float(self.seconds))
