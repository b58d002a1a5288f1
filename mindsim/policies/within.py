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

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Event, Observation
from mindsim.registry import NOT_NEGATIVE, POSITIVE, SHARE, check, policies

__all__ = ["DeltaTempo", "EwaTempo"]

Floats = NDArray[np.float64]
_TEMPI = np.log(np.array([0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0]))
_SMALLEST = 0.05  # seconds: what came sooner tells about hands, not about tempo


def _heard(obs: Observation, top: Floats, pace: float, exponent: float) -> tuple[NDArray[np.bool_], Floats]:
    """Whether the last event tells a partner's tempo, and its logarithm; `top` is the pile before it, 0 at a start."""
    gap = obs.last_card - top
    tells = (obs.last_event == Event.PLAY) & (obs.last_player > 0) & (obs.last_plays == 1) & (obs.elapsed > 0.0)
    tells &= (gap > 1) & (obs.last_wait > _SMALLEST) & (obs.card > 0)
    model = pace * np.maximum(gap, 1.0) ** exponent
    return tells, np.log(np.maximum(obs.last_wait, _SMALLEST) / model)


class _Tempo:
    """What both share: memory column 0 is the pile's top as it was before the last event; then what is learned."""

    pace: float
    exponent: float

    def watch(self, obs: Observation) -> None:
        """Listen to what happened."""
        top = np.where(obs.elapsed > 0.0, obs.memory[:, 0], 0.0)
        tells, heard = _heard(obs, top, self.pace, self.exponent)
        self._learn(obs.memory, tells, heard)
        face_up = (obs.last_card > 0) & (obs.elapsed > 0.0)
        obs.memory[:, 0] = np.where(face_up, obs.last_card, np.where(obs.elapsed > 0.0, top, 0.0))

    def _learn(self, memory: Floats, tells: NDArray[np.bool_], heard: Floats) -> None:
        raise NotImplementedError

    def _log_tempo(self, memory: Floats) -> Floats:
        raise NotImplementedError

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        tempo = np.exp(self._log_tempo(obs.memory))
        return obs.remaining(tempo * self.pace * obs.gap.astype(float) ** self.exponent)


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

    def _learn(self, memory: Floats, tells: NDArray[np.bool_], heard: Floats) -> None:
        error = np.clip(heard - memory[:, 1], -self.most, self.most)
        memory[:, 1] += np.where(tells, self.rate * error, 0.0)

    def _log_tempo(self, memory: Floats) -> Floats:
        return memory[:, 1]


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

    memory = 1 + len(_TEMPI)

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, exponent=NOT_NEGATIVE, keep=SHARE, sharpness=NOT_NEGATIVE, anchor=NOT_NEGATIVE)

    def _learn(self, memory: Floats, tells: NDArray[np.bool_], heard: Floats) -> None:
        payoff = -np.abs(_TEMPI[None, :] - heard[:, None])
        learned = self.keep * memory[:, 1:] + payoff
        memory[:, 1:] = np.where(tells[:, None], learned, memory[:, 1:])

    def _log_tempo(self, memory: Floats) -> Floats:
        attraction = self.sharpness * (memory[:, 1:] - self.anchor * np.abs(_TEMPI))
        weight = np.exp(attraction - attraction.max(axis=1, keepdims=True, initial=-np.inf))
        return (weight * _TEMPI).sum(axis=1) / weight.sum(axis=1)
