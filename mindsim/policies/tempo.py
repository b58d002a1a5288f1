"""Tempo matching: listen to the partners' plays, estimate each one's pace, and move towards it.

When a partner plays a card that lies g above the pile, T seconds after the pile last rose, its pace was T / g. The
player keeps a running estimate of each partner's pace through the game, and corrects its own twice, as people do who
tap along with another: the *period*, its lasting pace, moves a share `period` of the way to the mean of the estimates;
the *phase*, for its next wait only, a share `phase` of the way to what it has just heard.

It listens while it holds cards itself (a partner left alone plays at once, which tells nothing), to single plays
(several cards in one stretch do not tell who waited for what) and face up (face down it sees no card, and keeps its
pace). What it hears is the earliest of several noisy intentions, so two listeners drift together, by a few per cent in
a game with ordinary clocks; `docs/policies.md` has the figures.

All that is noted is relative to `pace`, with 0 for "as at the start", so that a game's memory begins right.

What this file leaves to others: fixed paces are in `gap`.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindsim.fields import U64, fetch_ahead, hear, page
from mindsim.jit import entry, inner
from mindsim.observation import Observation
from mindsim.registry import POSITIVE, SHARE, check, policies

__all__ = ["TempoMatching"]

# Columns of the memory.
PERIOD, PHASE = 0, 1  # own pace: what lasts, and what is added for the next wait; as shares of `pace`
TOPS, SINCE = 2, 4  # for each of two tracks: the pile's top, and the felt time since it rose
HEARD = 6  # for each of three partners, clockwise: its pace as a multiple of `pace`, 0 if not heard yet

_NEWEST = 0.5  # weight of the newest play in a partner's estimate
_FACTOR = 4.0  # one play counts as at most this many times quicker or slower than the own period


@entry
def _watch(games, slot, place, memory, pace, phase, period):
    """Note what happened, one player at a time."""
    for i in range(len(slot)):
        r = games[U64(slot[i])]
        fetch_ahead(games, slot, i)
        own = memory[page(r, slot[i], place[i])]
        holds, elapsed, last_wait, _, card, track, player, plays = hear(r, place[i])
        gap = seconds = 0.0
        for t in range(len(r.hidden)):
            rises, since = (card > 0) & (t == track), own[SINCE + t] + last_wait
            gap, seconds = (card - own[TOPS + t], since) if rises else (gap, seconds)
            own[TOPS + t] = card if rises else own[TOPS + t]
            own[SINCE + t] = 0.0 if rises else since
        if elapsed == 0.0:  # a level begins: both piles are empty
            own[PHASE], own[TOPS], own[TOPS + 1], own[SINCE], own[SINCE + 1] = 0.0, 0.0, 0.0, 0.0, 0.0
            continue
        own[PHASE] = 0.0 if (card > 0) & (player <= 0) else own[PHASE]
        tells = holds & (player > 0) & (plays == 1) & (gap > 0.0)
        _listen(own, player if tells else 0, seconds / max(gap, 1.0) / pace, phase, period)


@inner
def _listen(own, partner, heard, phase, period):
    """Correct the estimate of the partner, the own period and the own phase by one play; partner 0: by none.

    Nothing branches on who played, which no processor can foresee; that would cost more than all the arithmetic.
    """
    pace, total, n = 1.0 + own[PERIOD], 0.0, 0.0
    least, most = pace / _FACTOR, pace * _FACTOR
    heard = least if heard < least else most if heard > most else heard
    for k in range(3):
        known = own[HEARD + k]
        corrected = heard if known == 0.0 else known + _NEWEST * (heard - known)
        known = corrected if k + 1 == partner else known
        own[HEARD + k] = known
        total += known
        n += 1.0 if known > 0.0 else 0.0
    own[PHASE] = phase * (heard - pace) if partner > 0 else own[PHASE]
    own[PERIOD] += period * (total / max(n, 1.0) - pace) if partner > 0 else 0.0


@entry
def _wait(games, slot, place, memory, gap, pace, head_start, left):
    for i in range(len(left)):
        own = memory[page(games[0], slot[i], place[i])]
        wait = pace * (1.0 + own[PERIOD] + own[PHASE]) * gap[i] - head_start[i]
        left[i] = wait if wait > 0.0 else 0.0


@policies.register("tempo_matching", timing="gap")
@dataclass(frozen=True)
class TempoMatching:
    """Wait in proportion to the gap, at a pace that follows what is heard of the partners.

    Parameters
    ----------
    pace : float
        Seconds a card of gap at the game's start, above 0.
    phase : float
        Phase correction: the share of a difference that the next wait makes up for, 0 to 1. People: 0.2 to 0.8.
    period : float
        Period correction: the share of a difference by which the own pace moves for good, 0 to 1. People: 0 to 0.3.

    Source
    ------
    Two-process error correction in synchronised tapping: Mates (1994), Repp (2005), Jacoby et al. (2015), carried over
    from intervals between taps to seconds a card.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.TempoMatching(pace=0.05)
    TempoMatching(pace=0.05, phase=0.2, period=0.2)
    """

    pace: float = 0.34
    phase: float = 0.2
    period: float = 0.2

    memory = HEARD + 3
    watches_without_cards = False

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, phase=SHARE, period=SHARE)

    def watch(self, obs: Observation) -> None:
        """Listen to what happened."""
        _watch(*obs._records(), float(self.pace), float(self.phase), float(self.period))

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        left = np.empty(obs.rows)
        _wait(*obs._records(), obs.gap, float(self.pace), obs.head_start, left)
        return left
