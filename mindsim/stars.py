"""Stars: when to raise a hand for a star, and when to consent.

Stars are any object with ``raise_hand(obs) -> float64[rows]`` (seconds from now; inf: no) and ``consent(obs) ->
bool[rows]``, and optionally ``prefer(obs) -> int64[rows]`` (the track to give up a card of). Rows are (game, player),
empty hands included. The rulebook leaves open when to use a star: the rules here are our own, each with its reason.

What this file leaves to others: what a star does is in the rule book (`rulebook`).
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindsim import registry as _registry
from mindsim.jit import entry
from mindsim.observation import Observation
from mindsim.registry import NOT_NEGATIVE, POSITIVE, SHARE, check, check_whole

register = _registry.stars.register
names = _registry.stars.names
make = _registry.stars.make
entries = _registry.stars.entries

__all__ = [
    "At", "AtOnce", "Earliest", "InversionRisk", "Never", "Rationed", "Reserve", "SpendBeforeCap",
    "entries", "make", "names", "register",
]  # fmt: skip


class Agreeing:
    """The base of stars that always consent."""

    def consent(self, obs: Observation) -> NDArray[np.bool_]:
        """Agree with the raised hand?"""
        return np.ones(obs.rows, dtype=bool)


def at_once_where(condition: NDArray[np.bool_]) -> NDArray[np.float64]:
    """0 seconds where the condition holds, never elsewhere."""
    return np.where(condition, 0.0, np.inf)


def others_hold_cards(obs: Observation) -> NDArray[np.bool_]:
    """Whether the player and somebody else hold cards: else nothing can go wrong that a star would spare."""
    return (obs.card > 0) & (obs.others_cards > 0)


@register("never")
@dataclass(frozen=True)
class Never(Agreeing):
    """Never raise a hand; consent when another does.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.Never()
    Never()
    """

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        return np.full(obs.rows, np.inf)


@entry
def _until_once(moment: float, elapsed: Any, used: Any, out: Any) -> None:
    """What is left until a moment of the level; never, once it has been used."""
    for i in range(len(out)):
        left = moment - elapsed[i]
        out[i] = np.inf if used[i] > 0 else (left if left > 0.0 else 0.0)


@register("at")
@dataclass(frozen=True, init=False, repr=False)
class At:
    """Raise a hand at a given moment of every level in which no star has been used.

    Parameters
    ----------
    seconds : float
        Felt seconds since the level's start, at least 0; once they have passed, at once.
    consent : bool
        Whether to agree when another raises a hand.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.At(3.0, consent=False)
    At(seconds=3.0, consent=False)
    """

    seconds: float
    agrees: bool = field(metadata={"parameter": "consent"})  # `consent` is the method that players call

    def __init__(self, seconds: float, consent: bool = True) -> None:
        object.__setattr__(self, "seconds", seconds)
        object.__setattr__(self, "agrees", consent)
        check(self, seconds=NOT_NEGATIVE)
        if not isinstance(consent, bool):
            raise TypeError(f"At: consent must be True or False, not {consent!r}")

    def __repr__(self) -> str:
        return f"At(seconds={self.seconds!r}, consent={self.agrees!r})"

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        wait = np.empty(obs.rows)
        _until_once(float(self.seconds), obs.elapsed, obs.stars_here, wait)
        return wait

    def consent(self, obs: Observation) -> NDArray[np.bool_]:
        """Agree with the raised hand?"""
        return np.full(obs.rows, self.agrees)


@register("at_once")
@dataclass(frozen=True)
class AtOnce(Agreeing):
    """Raise a hand whenever the team has a star and more than one player holds cards.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.AtOnce()
    AtOnce()
    """

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        return at_once_where(others_hold_cards(obs))


@register("inversion_risk")
@dataclass(frozen=True)
class InversionRisk(Agreeing):
    """Raise a hand when the own nearest card is likely to be confused with another player's.

    Players are taken to wait pace x gap on clocks with sd^2 = floor^2 + (weber t)^2. Two cards at gaps g and h come out
    in the wrong order with chance Phi(-|t_g - t_h| / sqrt(sd_g^2 + sd_h^2)). Summed over all gaps h at which another
    card may lie, each with the density of others' cards among the unseen ranks, that is the expected number x of
    inversions; the chance of at least one is taken as 1 - exp(-x).

    Parameters
    ----------
    threshold : float
        The chance from which on a hand goes up, 0 to 1.
    pace : float
        Seconds a card of gap that players are taken to wait, above 0.
    weber, floor : float
        The clock they are taken to have, at least 0 (floor in seconds).

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.InversionRisk(threshold=0.5, pace=0.05)
    InversionRisk(threshold=0.5, pace=0.05, weber=0.14, floor=0.05)
    """

    threshold: float = 0.4
    pace: float = 0.05
    weber: float = 0.14
    floor: float = 0.05

    def __post_init__(self) -> None:
        check(self, threshold=SHARE, pace=POSITIVE, weber=NOT_NEGATIVE, floor=NOT_NEGATIVE)

    @cached_property
    def _inversions(self) -> NDArray[np.float64]:
        """By own gap: the sum over all other gaps of the chance of an inversion."""
        gaps = np.arange(128.0)
        moment = self.pace * gaps
        variance = self.floor**2 + (self.weber * moment) ** 2
        apart = np.abs(moment[:, None] - moment[None, :])
        chance = _normal_tail(apart / np.sqrt(np.maximum(variance[:, None] + variance[None, :], 1e-300)))
        chance[:, 0] = 0.0
        np.fill_diagonal(chance, 0.0)
        return chance.sum(axis=1)

    def chance(self, obs: Observation) -> NDArray[np.float64]:
        """The chance that the own nearest card comes out in the wrong order with another's."""
        density = obs.others_cards / np.maximum(obs.unseen_all, 1)
        return -np.expm1(-density * self._inversions.take(obs.gap))

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        return at_once_where(others_hold_cards(obs) & (self.chance(obs) > self.threshold))


@register("rationed")
@dataclass(frozen=True)
class Rationed(Agreeing):
    """Raise a hand when few cards are left to play for each star the team has: in the last level, all stars go.

    Cards left are those in all hands, and those of the levels to come as if every hand grew by one card a level.

    Parameters
    ----------
    cards : int
        Raise when at most this many cards are left for each star.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.Rationed(cards=30)
    Rationed(cards=30)
    """

    cards: int = 30

    def __post_init__(self) -> None:
        check_whole(self, "cards", 1, 1_000_000)

    def cards_left(self, obs: Observation) -> NDArray[np.int64]:
        """Cards that the team has still to put down, as far as can be foreseen."""
        coming = obs.n_levels - obs.level
        a_player = coming * obs.level_cards + coming * (coming + 1) // 2
        return obs.hand_sizes.sum(axis=1) + obs.players * a_player

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        return at_once_where(others_hold_cards(obs) & (self.cards_left(obs) <= self.cards * obs.stars))


@register("spend_before_cap")
@dataclass(frozen=True)
class SpendBeforeCap(Agreeing):
    """Raise a hand in a level whose reward is a star that the team could not keep.

    Parameters
    ----------
    levels : tuple of int
        The levels that give a star. The Mind: 2, 5, 8.
    cap : int
        The most stars a team may have, at least 1. The Mind: 3.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.SpendBeforeCap()
    SpendBeforeCap(levels=(2, 5, 8), cap=3)
    """

    levels: tuple[int, ...] = (2, 5, 8)
    cap: int = 3

    def __post_init__(self) -> None:
        check_whole(self, "cap", 1, 1_000_000)
        levels = self.levels
        if not isinstance(levels, (tuple, list)) or not all(isinstance(n, (int, np.integer)) for n in levels):
            raise TypeError(f"SpendBeforeCap: levels must be a tuple of level numbers, not {levels!r}")
        object.__setattr__(self, "levels", tuple(int(n) for n in levels))

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        rewarded = np.isin(obs.level, self.levels)
        return at_once_where(others_hold_cards(obs) & rewarded & (obs.stars >= self.cap))


@register("earliest")
@dataclass(frozen=True)
class Earliest:
    """Several rules at once: the earliest hand counts, and all must consent.

    Parameters
    ----------
    rules : tuple of stars
        At least one.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.Earliest((ms.stars.SpendBeforeCap(), ms.stars.At(9.0)))
    Earliest(rules=(SpendBeforeCap(levels=(2, 5, 8), cap=3), At(seconds=9.0, consent=True)))
    """

    rules: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.rules, (tuple, list)) or not self.rules:
            raise ValueError(f"Earliest: rules must be a tuple of at least one stars rule, not {self.rules!r}")
        for rule in self.rules:
            _require_stars("Earliest: rules", rule)
        object.__setattr__(self, "rules", tuple(self.rules))

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        return np.min([rule.raise_hand(obs) for rule in self.rules], axis=0)

    def consent(self, obs: Observation) -> NDArray[np.bool_]:
        """Agree with the raised hand?"""
        return np.all([rule.consent(obs) for rule in self.rules], axis=0)


@register("reserve")
@dataclass(frozen=True)
class Reserve:
    """Raise by another rule, but refuse to spend what should be kept, and refuse when the own next card is certain.

    Refuses, and does not raise, while the team has no more than `keep` stars, except in the last level; and refuses
    when its own lowest card is the next rank of its pile, which it would give up for nothing.

    Parameters
    ----------
    rule : stars
        When to raise a hand, and when to refuse besides.
    keep : int
        Stars to keep until the last level, at least 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.stars.Reserve(ms.stars.AtOnce(), keep=1)
    Reserve(rule=AtOnce(), keep=1)
    """

    rule: Any
    keep: int = 1

    def __post_init__(self) -> None:
        _require_stars("Reserve: rule", self.rule)
        check_whole(self, "keep", 0, 1_000_000)

    def _may_spend(self, obs: Observation) -> NDArray[np.bool_]:
        return (obs.stars > self.keep) | (obs.level == obs.n_levels)

    def raise_hand(self, obs: Observation) -> NDArray[np.float64]:
        """Seconds until the hand goes up."""
        return np.where(self._may_spend(obs), self.rule.raise_hand(obs), np.inf)

    def consent(self, obs: Observation) -> NDArray[np.bool_]:
        """Agree with the raised hand?"""
        return self._may_spend(obs) & (obs.gap != 1) & self.rule.consent(obs)


def _require_stars(what: str, rule: object) -> None:
    if not (callable(getattr(rule, "raise_hand", None)) and callable(getattr(rule, "consent", None))):
        raise TypeError(f"{what} must be stars (an object with raise_hand and consent), not {rule!r}")


def _normal_tail(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance that a standard normal deviate exceeds x."""
    return 0.5 * np.vectorize(math.erfc)(x / math.sqrt(2.0))
