"""The best schedule on a deck so small that all schedules can be tried: what a search can be measured against.

Two players, one card each, one life. The first card played leaves the other player alone, who plays at once; so a
schedule t(1) <= t(2) <= ... of waits by gap decides everything, and

    chance to win = mean over pairs g < h of P(card g lands before card h),
    mean duration of won games = mean over pairs of E[the earlier moment | right order] + floor / sqrt(2 pi),

the last being what the hand of the player left alone takes. Both are sums over pairs, integrated on a fine grid of
moments. The best of all rising schedules over given waits is found by going through every one of them; `refined` then
goes through all neighbours of the best again and again, each wait a
little shorter, equal or longer, in ever finer steps.

The clock is `Scalar`: a moment is normal with sd^2 = floor^2 + (weber t)^2,
and never before 0 (fair draws decide ties there).

What this file leaves to others: searches to `search`, games to `mindsim.simulate`.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindsim.clocks import Scalar
from mindsim.policies.learnable import ByGap

if TYPE_CHECKING:
    from mindsim.rules import Rules

__all__ = ["BestSchedule", "best_schedule", "one_card_each", "refined", "value_of"]

Floats = NDArray[np.float64]
_CELLS = 4_000


class BestSchedule(NamedTuple):
    """The best of all schedules tried."""

    policy: ByGap
    win_rate: float
    seconds: float
    tried: int


def one_card_each(deck: int) -> Rules:
    """Two players with a card each and one life, on a deck of that size."""
    from mindsim.rules import Level, Rules

    return Rules(2, (Level(1),), lives=1, stars=0, deck=deck)


def pair_tables(waits: Sequence[float], clock: Any) -> tuple[Floats, Floats]:
    """For every ordered pair of waits (a, b): P(a lands first), and E[moment of a; a lands first]."""
    edges = np.linspace(0.0, 1.7 * max(waits) + 8.0 * clock.floor + 1e-9, _CELLS + 1)
    middle = (edges[:-1] + edges[1:]) / 2.0
    below = np.array([_normal_below(edges, w, _spread(w, clock)) for w in waits])
    mass, at_zero = np.diff(below, axis=1), below[:, 0]
    later = 1.0 - (below[:, 1:] + below[:, :-1]) / 2.0  # P(the other lands after the middle of a cell)
    first = mass @ later.T + at_zero[:, None] * (1.0 - at_zero[None, :] / 2.0)
    return first, (mass * middle) @ later.T


def _spread(wait: float, clock: Any) -> float:
    return math.sqrt(float(clock.floor) ** 2 + (float(clock.weber) * wait) ** 2)


def _normal_below(x: Floats, mean: float, sd: float) -> Floats:
    from scipy.stats import norm

    if sd == 0.0:
        return (x >= mean).astype(float)
    return np.asarray(norm.cdf(x, mean, sd), float)


def value_of(waits: Sequence[float], clock: Any) -> tuple[float, float]:
    """Win rate and mean duration of won games of one schedule of waits, gap 1 first.

    Examples
    --------
    >>> import mindsim as ms
    >>> from mindsim.learn.exact import value_of
    >>> value_of([0.0, 0.0], ms.clocks.Scalar(0.14, 0.05))[0]  # equal waits: a fair draw
    0.5
    """
    levels = sorted(set(waits))
    won, time = _values(np.array([[levels.index(w) for w in waits]]), levels, clock)
    return float(won[0]), float(time[0])


def _values(every: NDArray[Any], levels: Sequence[float], clock: Any) -> tuple[Floats, Floats]:
    """Win rate and mean duration for each row of indices into `levels`."""
    first, moment = pair_tables(levels, clock)
    won, time, deck = np.zeros(len(every)), np.zeros(len(every)), every.shape[1]
    for i, j in itertools.combinations(range(deck), 2):
        won += first[every[:, i], every[:, j]]
        time += moment[every[:, i], every[:, j]]
    hand = float(clock.floor) / math.sqrt(2.0 * math.pi)
    return won / (deck * (deck - 1) / 2), time / won + hand


def _best(every: NDArray[Any], levels: Sequence[float], seconds: float, clock: Any) -> BestSchedule:
    won, time = _values(every, levels, clock)
    quick = time <= seconds
    if not quick.any():
        raise ValueError(f"seconds must allow for some schedule; the quickest takes {float(time.min()):.3g}")
    best = int(np.argmax(np.where(quick, won, -1.0)))
    policy = ByGap((0.0, *(float(levels[k]) for k in every[best])))
    return BestSchedule(policy, float(won[best]), float(time[best]), len(every))


def best_schedule(deck: int, seconds: float, waits: Sequence[float], clock: Any = None) -> BestSchedule:
    """The rising schedule over `waits` that wins most among those whose won games take at most `seconds`.

    Parameters
    ----------
    deck : int
        Cards, 2 to 12; gap 1 always waits 0.
    seconds : float
        Mean duration of won games.
    waits : sequence of float
        The waits to choose from, rising, beginning with 0.
    clock : Scalar, optional
        Default: weber 0.14, floor 0.05.

    Returns
    -------
    BestSchedule

    Raises
    ------
    ValueError
        If deck or waits are not as said, or no schedule is quick enough.

    Examples
    --------
    >>> from mindsim.learn.exact import best_schedule
    >>> best = best_schedule(deck=4, seconds=2.0, waits=[0.0, 0.5, 1.0, 2.0, 4.0, 8.0])
    >>> best.policy.waits[1], best.seconds <= 2.0
    (0.0, True)
    """
    clock = Scalar(0.14, 0.05) if clock is None else clock
    if not 2 <= deck <= 12:
        raise ValueError(f"deck must be 2 to 12 cards, not {deck!r}")
    if len(waits) < 2 or waits[0] != 0.0 or np.any(np.diff(waits) <= 0.0):
        raise ValueError(f"waits must rise from 0, not {waits!r}")
    every = np.array(list(itertools.combinations_with_replacement(range(len(waits)), deck - 1)), np.int16)
    every = np.column_stack([np.zeros(len(every), np.int16), every])
    return _best(every, waits, seconds, clock)


def refined(
    best: BestSchedule, seconds: float, clock: Any = None, steps: Sequence[float] = (0.2, 0.05, 0.01)
) -> BestSchedule:
    """The best schedule near another one: no neighbour in any of the steps, all waits changed at once, is better.

    Parameters
    ----------
    best : BestSchedule
    seconds : float
    clock : Scalar, optional
    steps : sequence of float
        By which share waits are made shorter or longer.
    """
    clock = Scalar(0.14, 0.05) if clock is None else clock
    for step in steps:
        while True:
            found = _best(*_neighbours(best.policy.waits[2:], step), seconds, clock)
            if found.win_rate <= best.win_rate + 1e-7:
                break
            best = found._replace(tried=best.tried + found.tried)
    return best


def _neighbours(waits: Sequence[float], step: float) -> tuple[NDArray[Any], list[float]]:
    """All rising schedules with each wait shorter, equal or longer, as indices, and the waits they index."""
    choices = [[max(w, 0.01) / (1.0 + step), w, max(w, 0.01) * (1.0 + step)] for w in waits]
    levels = sorted({0.0, *itertools.chain(*choices)})
    index = {w: i for i, w in enumerate(levels)}
    every = np.array(list(itertools.product(*[[index[w] for w in c] for c in choices])), np.int16)
    every = every[(np.diff(every, axis=1) >= 0).all(axis=1)]
    return np.column_stack([np.zeros(len(every), np.int16), every]), levels
