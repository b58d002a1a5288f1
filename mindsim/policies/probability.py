"""Waits by what the others are likely to hold, not by the gap alone.

A player knows which ranks above the pile are still unseen: A above its own card and B below it. The others hold C
cards. As the deal is uniform, every C of the A + B unseen ranks are equally likely to be theirs, so the number of lower
cards among them is hypergeometric: its mean is C B / (A + B), and the chance that there is none is
binom(A, C) / binom(A + B, C). On two tracks C counts the cards of both, and A the unseen ranks of the other track too.

Face down the pile tells only the own last card, so that B also counts cards already played by others: the policies then
wait longer than they need, which is the safe side.

What this file leaves to others: what silence tells is in `confidence`.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Observation
from mindsim.registry import NOT_NEGATIVE, POSITIVE, check, policies

__all__ = ["ChanceLower", "Density", "ExpectedLower"]

_N = 256  # unseen ranks on all tracks: at most 2 x 127
_LOG_FACTORIAL = np.array([math.lgamma(n + 1.0) for n in range(_N)])


def expected_lower(obs: Observation) -> NDArray[np.float64]:
    """How many cards below the own lowest one the others are expected to hold: C B / (A + B)."""
    return obs.others_cards * obs.unseen_below / np.maximum(obs.unseen_all, 1)  # type: ignore[no-any-return]


def log_chance_none_lower(obs: Observation) -> NDArray[np.float64]:
    """Logarithm of binom(A, C) / binom(A + B, C), the chance that no lower card is out; -inf where C > A."""
    unseen = obs.unseen_all
    above = unseen - obs.unseen_below
    rest = above - obs.others_cards
    fits = rest >= 0
    log = _LOG_FACTORIAL.take
    kept = log(above) - log(np.where(fits, rest, 0)) - log(unseen) + log(np.maximum(unseen - obs.others_cards, 0))
    return np.where(fits, np.minimum(kept, 0.0), -np.inf)


@policies.register("expected_lower", timing="gap")
@dataclass(frozen=True)
class ExpectedLower:
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

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        return np.arange(_N) ** self.exponent

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        power = self._table.take
        share = power(obs.others_cards) * power(obs.unseen_below) / power(np.maximum(obs.unseen_all, 1))
        return obs.remaining(self.pace * share)


@policies.register("chance_lower", timing="gap")
@dataclass(frozen=True)
class ChanceLower:
    """Wait by how unlikely it is to hold the lowest card: pace x -log(chance that no lower card is out).

    The wait is that of a player who lets its doubt, the surprise that it would be first, run out at a steady rate. For
    small chances it is `ExpectedLower` with exponent 1. Where a lower card is certain, it waits as if the last card
    that leaves a chance were meant.

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

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        return obs.remaining(self.pace * np.minimum(-log_chance_none_lower(obs), _certain(obs)))


def _certain(obs: Observation) -> NDArray[np.float64]:
    """More than -log of any chance that is left, and growing with the card: log binom(A + B, C) + B / (A + B)."""
    unseen, others = obs.unseen_all, np.minimum(obs.others_cards, obs.unseen_all)
    log = _LOG_FACTORIAL.take
    return log(unseen) - log(others) - log(unseen - others) + obs.unseen_below / np.maximum(unseen, 1)


@policies.register("density", timing="gap")
@dataclass(frozen=True)
class Density:
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

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        return np.arange(_N) ** self.exponent

    def wait(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds to wait, one for each row."""
        power = self._table.take
        held = obs.others_cards + obs.hand_size + obs.other_hand_size
        left = np.maximum(obs.ranks - obs.top, 1)
        return obs.remaining(self.pace * power(obs.gap) * power(held) / power(left))
