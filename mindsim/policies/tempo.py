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

# Columns of the memory, for each of two tracks: the pile's top, and the felt time since it rose (see `note_rise`).
TOP, SINCE, A_TRACK, OWN = 0, 1, 2, 4
# From column OWN on, `TempoMatching`'s own: its pace, what lasts, and what is added for the next wait, as shares of
# `pace`; for each of three partners, clockwise, its pace as a multiple of `pace`, 0 if not heard yet.
PERIOD, PHASE, HEARD = OWN, OWN + 1, OWN + 2
_ESTIMATES = 3

_NEWEST = 0.5  # weight of the newest play in a partner's estimate
_FACTOR = 4.0  # one play counts as at most this many times quicker or slower than the own period


@inner
def note_rise(r, place, own):
    """Note the piles' tops and the time since they rose; tell how far a pile rose, and after how many felt seconds.

    Returns whether a level begins; whether a partner's wait is told, by a single card that made a pile rise while the
    partner saw that oneself still holds cards; who played (see `last_player`); the gap, the seconds, and what happened.
    """
    holds, begins, last_wait, event, card, track, player, plays = hear(r, place)
    gap = seconds = 0.0
    for t in range(len(r.hidden)):
        c = A_TRACK * t
        rises, since = (card > 0) & (t == track), own[c + SINCE] + last_wait
        gap, seconds = (card - own[c + TOP], since) if rises else (gap, seconds)
        own[c + TOP] = 0.0 if begins else card if rises else own[c + TOP]
        own[c + SINCE] = 0.0 if begins | rises else since
    tells = holds & (not begins) & (player > 0) & (plays == 1) & (gap > 0.0)
    return begins, tells, player, gap, seconds, event


@entry
def _watch(games, slot, place, memory, pace, phase, period):
    """Note what happened, one player at a time."""
    for i in range(len(slot)):
        r = games[U64(slot[i])]
        fetch_ahead(games, slot, i)
        own = memory[page(r, slot[i], place[i])]
        begins, tells, player, gap, seconds, _ = note_rise(r, place[i], own)
        own[PHASE] = 0.0 if begins | ((gap > 0.0) & (player <= 0)) else own[PHASE]
        if tells:
            _listen(own, U64(player - 1) % U64(_ESTIMATES), seconds / gap / pace, phase, period)


@inner
def _listen(own, estimate, heard, phase, period):
    """Correct an estimate, the own period and the own phase by one play that tells something."""
    pace, total, n = 1.0 + own[PERIOD], 0.0, 0
    heard = min(max(heard, pace / _FACTOR), pace * _FACTOR)
    known = own[U64(HEARD) + estimate]
    own[U64(HEARD) + estimate] = heard if known == 0.0 else known + _NEWEST * (heard - known)
    for k in range(_ESTIMATES):
        total += own[HEARD + k]
        n += own[HEARD + k] > 0.0
    own[PHASE] = phase * (heard - pace)
    own[PERIOD] += period * (total / n - pace)


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

    Three estimates are kept: at tables of more than four players every third partner, clockwise, shares one.

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

    memory = HEARD + _ESTIMATES
    watches_without_cards = False

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, phase=SHARE, period=SHARE)

    def watch(self, obs: Observation) -> None:
        """Listen to what happened."""
        _watch(*obs._records(), float(self.pace), float(self.phase), float(self.period))

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        left = np.empty(obs.rows)
        _wait(*obs._records(), obs._gap, float(self.pace), obs.head_start, left)
        return left
