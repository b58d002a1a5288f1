"""Learning within one game: players that adapt their tempo to what they hear.

Both wait ``tempo x pace x gap^exponent`` seconds and learn the tempo, by its logarithm, from partners' plays. When a
partner plays a card that lay g above the pile after T felt seconds, its tempo was ``T / (pace g^exponent)``: the waits
of partners who share the form are heard as if they told their tempo, with noise, and only when they were the earliest.

- `DeltaTempo` moves its log tempo a share of the way to what it hears (the delta rule of Rescorla & Wagner 1972).
- `EwaTempo` keeps an attraction for each of a few tempi and mixes them (experience-weighted attraction, Camerer & Ho
  1999): forgone tempi count too, since it can tell how far each would have been from what it heard.

Nothing is carried over to the next game. What this file leaves to others: phase and period correction of people who tap
together is in `mindsim.policies.tempo`.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.elementary import exp, log
from mindsim.fields import U64, fetch_ahead, hear, page
from mindsim.jit import entry, inner
from mindsim.observation import Event, Observation
from mindsim.registry import NOT_NEGATIVE, POSITIVE, SHARE, check, policies

__all__ = ["DeltaTempo", "EwaTempo"]

Floats = NDArray[np.float64]
_TEMPI = np.log(np.array([0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0]))
N_TEMPI = len(_TEMPI)  # known when compiled, so that loops over rows become vector instructions
_SMALLEST = 0.05  # seconds: what came sooner tells about hands, not about tempo
_PLAY = int(Event.PLAY)

# Columns of the memory: the pile's top before the last event; the log tempo, as a difference from that at the start;
# and for `EwaTempo` the attractions.
TOP, TEMPO, ATTRACTIONS = 0, 1, 2


BLOCK = 256  # rows whose memory stays in the processor's cache while they are gone through several times


@inner
def _hear(games, slot, place, memory, form, start, told, heard):
    """Note the pile's top for a block of rows; collect whose memory is told a partner's tempo, and its logarithm.

    Returns how many are told.
    """
    n = 0
    for i in range(start, min(start + BLOCK, len(slot))):
        r = games[U64(slot[i])]
        fetch_ahead(games, slot, i)
        mine = page(r, slot[i], place[i])
        holds, elapsed, last_wait, event, card, _, player, plays = hear(r, place[i])
        runs = elapsed > 0.0
        top = np.int64(memory[mine, TOP]) if runs else 0
        gap = card - top
        memory[mine, TOP] = card if runs & (card > 0) else top
        told[n], heard[n] = mine, last_wait / form[gap if gap > 0 else 0]
        n += holds & runs & (event == _PLAY) & (player > 0) & (plays == 1) & (gap > 1) & (last_wait > _SMALLEST)
    for j in range(n):
        heard[j] = log(heard[j])
    return n


@entry
def _watch_delta(games, slot, place, memory, form, rate, most, told, heard):
    for start in range(0, len(slot), BLOCK):
        for j in range(_hear(games, slot, place, memory, form, start, told, heard)):
            error = heard[j] - memory[told[j], TEMPO]
            error = most if error > most else -most if error < -most else error
            memory[told[j], TEMPO] += rate * error


@entry
def _watch_ewa(games, slot, place, memory, form, tempi, anchors, keep, sharpness, base, told, heard, weights, mixed):
    for start in range(0, len(slot), BLOCK):
        n = _hear(games, slot, place, memory, form, start, told, heard)
        for j in range(n):
            own = memory[told[j]]
            for k in range(N_TEMPI):
                own[ATTRACTIONS + k] = keep * own[ATTRACTIONS + k] - abs(tempi[k] - heard[j])
                weights[k, j] = sharpness * (own[ATTRACTIONS + k] - anchors[k])
        _mix(weights, tempi, n, mixed)
        for j in range(n):
            memory[told[j], TEMPO] = mixed[j] - base


@inner
def _mix(weights, tempi, n, mixed):
    """The mean of the log tempi, weighed by the exponentials of `weights`; several rows at once."""
    for j in range(n):
        largest = weights[0, j]
        for k in range(1, N_TEMPI):
            largest = weights[k, j] if weights[k, j] > largest else largest
        total = mean = 0.0
        for k in range(N_TEMPI):
            weight = exp(weights[k, j] - largest)
            total += weight
            mean += weight * tempi[k]
        mixed[j] = mean / total


@entry
def _wait(games, slot, place, memory, gap, form, start, head_start, left):
    """tempo x form, less what has passed; the exponentials in a loop of their own, where they are quickest."""
    for i in range(len(left)):
        left[i] = memory[page(games[0], slot[i], place[i]), TEMPO]
    for i in range(len(left)):
        left[i] = exp(start + left[i])
    for i in range(len(left)):
        wait = left[i] * form[gap[i]] - head_start[i]
        left[i] = wait if wait > 0.0 else 0.0


def _room() -> tuple[NDArray[np.int64], Floats]:
    """Room for what a block of rows is told."""
    return np.empty(BLOCK + 1, np.int64), np.empty(BLOCK + 1)


class _Tempo:
    """What both share: the form, and waits by the tempo that is learned."""

    pace: float
    exponent: float

    watches_without_cards = False

    @cached_property
    def _start(self) -> float:
        """The log tempo of who has heard nothing."""
        return 0.0

    @cached_property
    def _form(self) -> Floats:
        """pace x gap^exponent for every gap."""
        form: Floats = self.pace * np.arange(128.0) ** self.exponent
        return form

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        left = np.empty(obs.rows)
        _wait(*obs._records(), obs.gap, self._form, self._start, obs.head_start, left)
        return left


@policies.register("learn_delta_tempo", timing="gap")
@dataclass(frozen=True)
class DeltaTempo(_Tempo):
    """Move the log tempo a share of the way to each tempo that is heard.

    Parameters
    ----------
    pace, exponent : float
        The form ``pace x gap^exponent`` at the game's start.
    rate : float
        The share, 0 to 1.
    most : float
        One play counts as at most this much, in logarithms; above 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> slow, quick = ms.learn.DeltaTempo(pace=0.04, rate=0.3), ms.learn.DeltaTempo(pace=0.02, rate=0.3)
    >>> games = ms.simulate(ms.Rules.the_mind(2), [slow, quick], n_games=20, seed=1)
    """

    pace: float = 0.02
    exponent: float = 2.0
    rate: float = 0.3
    most: float = 1.0

    memory = 2

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, exponent=NOT_NEGATIVE, rate=SHARE, most=POSITIVE)

    def watch(self, obs: Observation) -> None:
        """Listen to what happened."""
        _watch_delta(*obs._records(), self._form, float(self.rate), float(self.most), *_room())


@policies.register("learn_ewa_tempo", timing="gap")
@dataclass(frozen=True)
class EwaTempo(_Tempo):
    """Weigh nine tempi, from a quarter to four times the own, by how well they would have matched what was heard.

    Parameters
    ----------
    pace, exponent : float
        The form ``pace x gap^exponent`` at the game's start.
    keep : float
        How much of the attractions is kept at each play heard (the model's phi), 0 to 1.
    sharpness : float
        How strongly attractions decide (its lambda), at least 0.
    anchor : float
        Attraction to the own tempo at the start, at least 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.learn.EwaTempo(pace=0.02)
    EwaTempo(pace=0.02, exponent=2.0, keep=0.9, sharpness=2.0, anchor=1.0)
    """

    pace: float = 0.02
    exponent: float = 2.0
    keep: float = 0.9
    sharpness: float = 2.0
    anchor: float = 1.0

    memory = ATTRACTIONS + N_TEMPI

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, exponent=NOT_NEGATIVE, keep=SHARE, sharpness=NOT_NEGATIVE, anchor=NOT_NEGATIVE)

    @cached_property
    def _anchors(self) -> Floats:
        """What each tempo's attraction lacks at the start."""
        anchors: Floats = self.anchor * np.abs(_TEMPI)
        return anchors

    @cached_property
    def _start(self) -> float:
        weight = np.exp(-self.sharpness * self._anchors)
        return float((weight * _TEMPI).sum() / weight.sum())

    def watch(self, obs: Observation) -> None:
        """Listen to what happened."""
        how = (self._form, _TEMPI, self._anchors, float(self.keep), float(self.sharpness), self._start)
        _watch_ewa(*obs._records(), *how, *_room(), np.empty((N_TEMPI, BLOCK)), np.empty(BLOCK))
