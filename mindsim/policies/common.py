"""What several families share: how any schedule stays the same for everybody on a pile built face down.

Face up, everybody knows the pile's top and when it rose, so any f(gap) counted from there is one schedule for all. Face
down, a player knows only its own last card, and players with different last cards would run different schedules
(unless f is linear). So there the count starts with the level, which all share: a card's moment is f(card).

What this file leaves to others: the schedules.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mindsim.jit import entry
from mindsim.observation import Observation

Floats = NDArray[np.float64]


def remaining_or_moment(obs: Observation, left: Floats, moment: Callable[[], Floats]) -> Floats:
    """What is left of a wait since the pile rose; on a face-down pile, of the time to a moment of the level.

    Parameters
    ----------
    obs : Observation
    left : float64[rows]
        Seconds left of the wait that began with the pile's last rise.
    moment : function without arguments -> float64[rows]
        Seconds from the level's start; called only if some row is face down.
    """
    if not obs.some_face_down:
        return left
    return np.where(obs.face_down, obs.until(moment()), left)


@entry
def _left_by_table(table, gap, head_start, out):
    for i in range(len(out)):
        left = table[gap[i]] - head_start[i]
        out[i] = left if left > 0.0 else 0.0


def by_table(obs: Observation, table: Floats) -> Floats:
    """The wait of a schedule given as a table by gap (face down: by card)."""
    left = np.empty(obs.rows)
    _left_by_table(table, obs._gap, obs.head_start, left)
    return remaining_or_moment(obs, left, lambda: table.take(obs.card))
