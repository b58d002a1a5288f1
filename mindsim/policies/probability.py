"""Waits by what the others are likely to hold, not by the gap alone.

A player knows which ranks above the pile are still unseen: A above its own card and B below it. The others hold C
cards. As the deal is uniform, every C of the A + B unseen ranks are equally likely to be theirs, so the number of lower
cards among them is hypergeometric: its mean is C B / (A + B), and the chance that there is none is
binom(A, C) / binom(A + B, C). On two tracks C counts the cards of both, and A the unseen ranks of the other track too.

Face down the pile tells only the own last card, and nobody knows which ranks are gone. There the policies take the
numbers as they were for everybody when the level began, and count from then (see `common`).

What this file leaves to others: what silence tells is in `confidence`.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.jit import entry
from mindsim.observation import Observation
from mindsim.registry import NOT_NEGATIVE, POSITIVE, check, policies

__all__ = ["ChanceLower", "Density", "ExpectedLower"]

Floats = NDArray[np.float64]

_N = 256  # unseen ranks on all tracks: at most 2 x 127
_LOG_FACTORIAL = np.array([math.lgamma(n + 1.0) for n in range(_N)])


def _log_arrangements() -> Floats:
    """log(n! / (n - c)!) at [c, n]: how many ways to lay c cards on n ranks.

    Where c exceeds n there is none; each card too many then takes off log(256), more than any step before, so that
    what is built on it goes on in order and stays finite.
    """
    n, c = np.arange(_N)[None, :], np.arange(_N)[:, None]
    return _LOG_FACTORIAL[n] - _LOG_FACTORIAL[np.maximum(n - c, 0)] - math.log(_N) * np.maximum(c - n, 0)


_LOG_ARRANGEMENTS = _log_arrangements()


@entry
def _surprise(counts, gap, log, pace, head_start, left):
    """pace x -log of the chance that no lower card is out: log binom(A + B, C) - log binom(A, C).

    (At the level's start B of the highest cards exceeds what was then unseen by everybody.)
    """
    for i in range(len(left)):
        cards, below = np.int64(counts[i, 0]), np.int64(counts[i, 1])
        unseen = max(np.int64(counts[i, 2]), below)
        wait = pace * (log[cards, unseen] - log[cards, unseen - below]) - head_start[i]
        left[i] = wait if wait > 0.0 else 0.0


@entry
def _expected(counts, gap, power, pace, head_start, left):
    """pace x (C B / (A + B))^exponent, given the powers of whole numbers."""
    for i in range(len(left)):
        cards, below, unseen = counts[i, 0], counts[i, 1], counts[i, 2]
        wait = pace * power[cards] * power[below] / power[max(unseen, 1)] - head_start[i]
        left[i] = wait if wait > 0.0 else 0.0


@entry
def _dense(counts, gap, power, pace, head_start, left):
    """pace x (gap x cards held / ranks left)^exponent, given the powers of whole numbers."""
    for i in range(len(left)):
        wait = pace * power[gap[i]] * power[counts[i, 3]] / power[max(counts[i, 5], 1)] - head_start[i]
        left[i] = wait if wait > 0.0 else 0.0


def at_the_start(obs: Observation) -> NDArray[np.uint8]:
    """The counts as they stood for everybody when the level began, before the first card."""
    counts = obs.counts.copy()
    counts[:, 0] = obs.level_cards * (obs.players - 1)
    counts[:, 1] = obs.card - 1
    counts[:, 2] = obs._tracks * obs.ranks - obs.level_cards
    counts[:, 3] = obs.level_cards * obs.players
    counts[:, 5] = obs.ranks
    return counts


def _wait(obs: Observation, fill: Callable[..., None], table: Floats, pace: float) -> Floats:
    """What is left of a wait reckoned from the counts; on a face-down pile, of the time to a moment of the level."""
    left = np.empty(obs.rows)
    fill(obs.counts, obs._gap, table, float(pace), obs.head_start, left)
    if not obs.some_face_down:
        return left
    hidden = np.empty(obs.rows)
    fill(at_the_start(obs), obs.card, table, float(pace), np.where(obs.alone, np.inf, obs.elapsed), hidden)
    return np.where(obs.face_down, hidden, left)


class _Powers:
    """A policy with the powers of whole numbers, tabulated once."""

    exponent: float

    @cached_property
    def _powers(self) -> Floats:
        powers: Floats = np.arange(float(_N)) ** self.exponent
        return powers


@policies.register("expected_lower", timing="gap")
@dataclass(frozen=True)
class ExpectedLower(_Powers):
    """Wait by the number of lower cards that the others are expected to hold: pace x expected^exponent.

    Its gap twin is ``GapPower(pace', exponent)``: both agree up to a factor as long as hands and unseen cards stay the
    same.

    Parameters
    ----------
    pace : float
        Seconds when one lower card is expected, above 0.
    exponent : float
        Above 1: long waits are told apart better than short ones. At least 0.

    Source
    ------
    The mean of the hypergeometric distribution. People use more than the gap: at the same gap their median wait grew
    fourfold with the chance that the partner held a lower card.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.ExpectedLower(pace=3.0)
    ExpectedLower(pace=3.0, exponent=1.6)
    """

    pace: float = 3.0
    exponent: float = 1.6

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, exponent=NOT_NEGATIVE)

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        return _wait(obs, _expected, self._powers, self.pace)


@policies.register("chance_lower", timing="gap")
@dataclass(frozen=True)
class ChanceLower:
    """Wait by how unlikely it is to hold the lowest card: pace x -log(chance that no lower card is out).

    The wait is that of a player who lets its doubt, the surprise that it would be first, run out at a steady rate. For
    small chances it is `ExpectedLower` with exponent 1. Where a lower card is certain, waits go on rising with every
    lower rank, by 5.5 paces and more, so that the order of cards is kept.

    Parameters
    ----------
    pace : float
        Seconds for each unit of -log(chance), above 0.

    Source
    ------
    The hypergeometric distribution, exact.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.ChanceLower(pace=3.0)
    ChanceLower(pace=3.0)
    """

    pace: float = 3.0

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE)

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        return _wait(obs, _surprise, _LOG_ARRANGEMENTS, self.pace)


@policies.register("density", timing="gap")
@dataclass(frozen=True)
class Density(_Powers):
    """Wait by how many cards would lie in the gap if all cards still held were spread evenly over the ranks left.

    pace x (gap x cards held by all / ranks left above the pile)^exponent. Everybody knows hand sizes and the pile, so
    all players share one schedule for the gap, which quickens as hands empty. (`ExpectedLower` counts others' cards
    only, so that players with hands of different sizes wait differently at the same gap.)

    Parameters
    ----------
    pace : float
        Seconds when one card is expected in the gap, above 0.
    exponent : float
        Above 1: long waits are told apart better than short ones. At least 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.Density(pace=1.0, exponent=2.0)
    Density(pace=1.0, exponent=2.0)
    """

    pace: float = 1.0
    exponent: float = 1.6

    def __post_init__(self) -> None:
        check(self, pace=POSITIVE, exponent=NOT_NEGATIVE)

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        return _wait(obs, _dense, self._powers, self.pace)
