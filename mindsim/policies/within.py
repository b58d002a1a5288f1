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

from mindsim.elementary import exp, exp_single, log
from mindsim.fields import U64, fetch_ahead, page
from mindsim.jit import entry, inner
from mindsim.observation import Event, Observation
from mindsim.policies.tempo import OWN, note_rise
from mindsim.registry import NOT_NEGATIVE, POSITIVE, SHARE, check, policies

__all__ = ["DeltaTempo", "EwaTempo"]

Floats = NDArray[np.float64]
_TEMPI = np.log(np.array([0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0]))
N_TEMPI = len(_TEMPI)  # known when compiled, so that loops over them become vector instructions
_SMALLEST = 0.05  # seconds: what came sooner tells about hands, not about tempo
_PLAY = int(Event.PLAY)

# Columns of the memory, after those of `note_rise`: the tempo, as a share of that at the start, less 1; then for
# `DeltaTempo` its logarithm, for `EwaTempo` the attractions.
TEMPO, LOG_TEMPO, ATTRACTIONS = OWN, OWN + 1, OWN + 1

BLOCK = 256  # rows whose memory stays in the processor's cache while they are gone through several times


@inner
def _hear(games, slot, place, memory, log_form, start, told, heard, expected):
    """Collect, for a block of rows, whose memory is told a partner's tempo, and its logarithm; returns how many are."""
    n = 0
    for i in range(start, min(start + BLOCK, len(slot))):
        r = games[U64(slot[i])]
        fetch_ahead(games, slot, i)
        mine = page(r, slot[i], place[i])
        _, tells, _, gap, seconds, event = note_rise(r, place[i], memory[mine])
        told[n], heard[n], expected[n] = mine, seconds, log_form[np.int64(gap)]
        n += tells & (event == _PLAY) & (gap > 1.0) & (seconds > _SMALLEST)
    for j in range(n):
        heard[j] = log(heard[j]) - expected[j]
    return n


@inner
def _remember(memory, told, log_tempo, n):
    """Keep the tempi, given their logarithms; the exponentials in a loop of their own, where they are quickest."""
    for j in range(n):
        log_tempo[j] = exp(log_tempo[j]) - 1.0
    for j in range(n):
        memory[told[j], TEMPO] = log_tempo[j]


@entry
def _watch_delta(games, slot, place, memory, log_form, rate, most, told, heard, expected):
    for start in range(0, len(slot), BLOCK):
        n = _hear(games, slot, place, memory, log_form, start, told, heard, expected)
        for j in range(n):
            known = memory[told[j], LOG_TEMPO]
            error = heard[j] - known
            error = most if error > most else -most if error < -most else error
            heard[j] = known + rate * error
            memory[told[j], LOG_TEMPO] = heard[j]
        _remember(memory, told, heard, n)


@entry
def _watch_ewa(
    games, slot, place, memory, log_form, tempi, anchors, keep, sharpness, base, told, heard, expected, weights
):
    for start in range(0, len(slot), BLOCK):
        n = _hear(games, slot, place, memory, log_form, start, told, heard, expected)
        for j in range(n):
            own, h, at, largest = memory[told[j]], heard[j], N_TEMPI * j, -np.inf
            for k in range(N_TEMPI):
                attraction = keep * own[ATTRACTIONS + k] - abs(tempi[k] - h)
                own[ATTRACTIONS + k] = attraction
                weight = sharpness * (attraction - anchors[k])
                weights[at + k] = weight
                largest = weight if weight > largest else largest
            for k in range(N_TEMPI):
                weights[at + k] -= np.float32(largest)
        _mix(weights, tempi, base, n, heard)
        _remember(memory, told, heard, n)


@inner
def _mix(weights, tempi, base, n, mixed):
    """The mean of the log tempi, weighed by the exponentials of `weights`, less `base`."""
    for i in range(N_TEMPI * n):
        weights[i] = exp_single(weights[i])
    for j in range(n):
        total = mean = 0.0
        for k in range(N_TEMPI):
            total += weights[N_TEMPI * j + k]
            mean += weights[N_TEMPI * j + k] * tempi[k]
        mixed[j] = mean / total - base


@entry
def _wait(games, slot, place, memory, gap, form, head_start, left):
    """tempo x form, less what has passed."""
    for i in range(len(left)):
        tempo = 1.0 + memory[page(games[0], slot[i], place[i]), TEMPO]
        wait = tempo * form[gap[i]] - head_start[i]
        left[i] = wait if wait > 0.0 else 0.0


def _room() -> tuple[NDArray[np.int64], Floats, Floats]:
    """Room for what a block of rows is told."""
    return np.empty(BLOCK + 1, np.int64), np.empty(BLOCK + 1), np.empty(BLOCK + 1)


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

    @cached_property
    def _log_form(self) -> Floats:
        log_form: Floats = np.log(self.pace) + self.exponent * np.log(np.maximum(np.arange(128.0), 1.0))
        return log_form

    @cached_property
    def _first(self) -> Floats:
        """Waits of who has heard nothing."""
        first: Floats = np.exp(self._start) * self._form
        return first

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        left = np.empty(obs.rows)
        _wait(*obs._records(), obs._gap, self._first, obs.head_start, left)
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

    memory = LOG_TEMPO + 1

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, exponent=NOT_NEGATIVE, rate=SHARE, most=POSITIVE)

    def watch(self, obs: Observation) -> None:
        """Listen to what happened."""
        _watch_delta(*obs._records(), self._log_form, float(self.rate), float(self.most), *_room())


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
        how = (self._log_form, _TEMPI, self._anchors, float(self.keep), float(self.sharpness), self._start)
        _watch_ewa(*obs._records(), *how, *_room(), np.empty(BLOCK * N_TEMPI, np.float32))
