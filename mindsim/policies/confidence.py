"""Silence is information: play once the chance of holding the lowest card, given the silence so far, is high enough.

The player assumes that its partners play a card of gap g at pace x g seconds after the pile's last rise. While nobody
plays, the ranks that should have been played by now drop out one by one. With A unseen ranks above the own card, r of
those below it not yet ruled out, and C cards in other hands, the chance that none of the r is out is

    binom(A, C) / binom(A + r, C),

which rises as r falls. The player waits until r has fallen to the largest number that leaves this chance at the
threshold or above. With a threshold of 1 that is r = 0, and the policy is `GapLinear`; with a lower one it dares
earlier, the more so the fewer cards are out.

Face down nobody sees which ranks are gone, so silence cannot be counted out: the policy is `GapLinear` there.

What this file leaves to others: waits by the chance at the last rise of the pile, without silence, are in
`probability`.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.jit import entry
from mindsim.observation import Observation
from mindsim.registry import POSITIVE, SHARE, check, policies

__all__ = ["Confidence"]

_N = 256  # unseen ranks, or cards in other hands: at most 2 x 127


def tolerable(threshold: float) -> NDArray[np.int64]:
    """The largest r by A (rows) and C (columns) with binom(A, C) / binom(A + r, C) >= threshold.

    A step from r to r + 1 multiplies the chance by (A + r + 1 - C) / (A + r + 1). Where C is 0 any r will do (given as
    255), where C exceeds A none will (given as 0: a lower card is certain until silence has ruled out all).
    """
    above = np.arange(_N)[:, None]
    cards = np.arange(_N)[None, :]
    chance = np.where(cards <= above, 1.0, 0.0)
    out = np.zeros((_N, _N), dtype=np.int64)
    for r in range(1, _N):
        chance *= np.maximum(above + r - cards, 0) / (above + r)
        passes = chance >= threshold
        if not passes[:, 1:].any():
            break
        out[passes] = r
    out[:, 0] = _N - 1
    return out


@entry
def _wait(counts, gap, tolerable, pace, head_start, left):
    """pace x gap x the share of lower ranks that silence has still to rule out, less what has passed."""
    for i in range(len(left)):
        cards, below, unseen = np.int64(counts[i, 0]), np.int64(counts[i, 1]), np.int64(counts[i, 2])
        to_go = max(below - tolerable[cards, max(unseen - below, 0)], 0)
        share = 1.0 if counts[i, 6] else to_go / max(below, 1)
        wait = pace * gap[i] * share - head_start[i]
        left[i] = wait if wait > 0.0 else 0.0


@policies.register("confidence", timing="gap")
@dataclass(frozen=True)
class Confidence:
    """Play once the chance of holding the lowest card, given the silence so far, passes a threshold.

    Parameters
    ----------
    pace : float
        The pace that partners are assumed to keep, seconds a card of gap, above 0.
    threshold : float
        The chance at which to play, from 0 to 1. 1 waits until silence has ruled out every lower card.

    Source
    ------
    Bayes' rule on a uniform deal with partners whose clocks are taken as exact.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.Confidence(pace=0.05, threshold=0.95)
    Confidence(pace=0.05, threshold=0.95)
    """

    pace: float = 0.34
    threshold: float = 0.95

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, threshold=SHARE)

    @cached_property
    def _tolerable(self) -> NDArray[np.int64]:
        return tolerable(float(self.threshold)).T.copy()  # [C, A]: rows that are asked together lie together

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row: the share of the gap that silence has still to rule out, at the pace."""
        left = np.empty(obs.rows)
        _wait(obs.counts, obs._gap, self._tolerable, float(self.pace), obs.head_start, left)
        return left
