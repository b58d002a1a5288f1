"""Stars: when to raise a hand for a star, and when to consent.

Stars are any object with ``raise_hand(obs) -> float64[rows]`` (seconds from now; inf: no) and ``consent(obs) ->
bool[rows]``, and optionally ``prefer(obs) -> int64[rows]`` (the track to give up a card of). Rows are (game, player), empty
hands included.

What this file leaves to others: what a star does is in the rule book (`kernel`).
"""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindsim import registry as _registry
from mindsim.observation import Observation
from mindsim.registry import NOT_NEGATIVE, check

register = _registry.stars.register
names = _registry.stars.names
make = _registry.stars.make
entries = _registry.stars.entries

__all__ = ["At", "Never", "entries", "make", "names", "register"]


@register("never")
@dataclass(frozen=True)
class Never:
    """Never raise a hand; consent when another does.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.Never()
    Never()
    """

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        return np.full(obs.rows, np.inf)

    def consent(self, obs: Observation) -> NDArray[np.bool_]:
        """Agree with the raised hand?"""
        return np.ones(obs.rows, dtype=bool)


@register("at")
@dataclass(frozen=True, init=False, repr=False)
class At:
    """Raise a hand at a given moment of every level in which no star has been used.

    Parameters
    ----------
    seconds : float
        Felt seconds since the level's start, at least 0; once they have passed, at once.
    consent : bool
        Whether to agree when another raises a hand.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.At(3.0, consent=False)
    At(seconds=3.0, consent=False)
    """

    seconds: float
    agrees: bool = field(metadata={"parameter": "consent"})  # `consent` is the method that players call

    def __init__(self, seconds: float, consent: bool = True) -> None:
        object.__setattr__(self, "seconds", seconds)
        object.__setattr__(self, "agrees", consent)
        check(self, seconds=NOT_NEGATIVE)
        if not isinstance(consent, bool):
            raise TypeError(f"At: consent must be True or False, not {consent!r}")

    def __repr__(self) -> str:
        return f"At(seconds={self.seconds!r}, consent={self.agrees!r})"

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        return np.where(obs.stars_here > 0, np.inf, np.maximum(self.seconds - obs.elapsed, 0.0))

    def consent(self, obs: Observation) -> NDArray[np.bool_]:
        """Agree with the raised hand?"""
        return np.full(obs.rows, self.agrees)
