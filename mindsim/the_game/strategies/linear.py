"""`Linear`: weigh the position after each short sequence of plays by a linear evaluation, and take the best.

The search looks at sequences of the plays that make sense on a pile (a trick, the two nearest cards, the far end of a
pair of tricks), as many as the turn still needs and up to `look` (more is stronger and slower). The evaluation of the
position after each is a weighted sum of `FEATURES`; a second set of weights is added once the draw pile is empty.
Weights are data: `shipped` reads the sets in ``weights.json``, which ``experiments/the_game_tune.py`` found.

Without memory, "others' cards" are all cards that the player does not hold itself; with it, those still unseen.
With hints, each player says per pile: "please leave" (it holds a trick there), "suits me" (a card very near), "please
no big jump" (a card near), else nothing; how near is set by the weights `very_near` and `near`.
"""
from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numba import njit

from mindsim.jit import making_entry
from mindsim.the_game.kernel import (
    ILLEGAL,
    NO_BIG_JUMP,
    NOTHING,
    PLEASE_LEAVE,
    STOP,
    SUITS_ME,
    fill_view,
    holds,
    movement,
)
from mindsim.the_game.strategies.base import BuiltIn, register, whole

FEATURES = (
    "others_dead",  # others' cards that no pile takes
    "others_one",  # that one pile takes
    "others_two",
    "others_three",
    "others_tricks",  # tricks that others may hold
    "others_next",  # others' cards among the next four of each pile
    "own_dead",
    "own_one",
    "own_two",
    "own_tricks",
    "own_pairs",  # own cards one trick apart
    "own_nearest",  # the smallest gap of the own hand
    "own_second",  # the smallest gap of its other cards
    "own_gaps",  # sum of each own card's smallest gap
    "hand",  # cards kept
    "advance",  # summed advance of the piles
    "uneven",  # difference of the two piles of one direction
    "leave_play",  # piles advanced that another asked to leave
    "leave_jump",  # and how far
    "suits_play",
    "suits_jump",
    "near_play",
    "near_jump",
)
N = len(FEATURES)
HEARD = FEATURES.index("leave_play")
VERY_NEAR, NEAR, LOOK = 2 * N, 2 * N + 1, 2 * N + 2  # parameters after the weights
FAR = 30  # gaps count up to this
WORST = -1e18


# --- features --------------------------------------------------------------------------------------------------------
@njit
def count_others(view):
    """``counts[c]``: how many cards up to c may be in others' hands or the draw pile."""
    counts = np.zeros(view.deck + 3, np.int64)
    k = 0
    for card in range(2, view.deck + 2):
        own = k < view.n_cards and view.cards[k] == card
        k += own
        there = holds(view.unseen, card) if view.memory == 1 else not own
        counts[card] = counts[card - 1] + there
    counts[view.deck + 2] = counts[view.deck + 1]
    return counts


@njit
def others_by_takers(piles, counts, f):
    """How many of the others' cards none, one, two and three piles take. Between two tops the number is the same."""
    a, b = min(piles[0], piles[1]), max(piles[0], piles[1])
    c, d = min(piles[2], piles[3]), max(piles[2], piles[3])
    last = len(counts) - 1
    start, takers = 1, 2
    while start < last:
        takers = (start >= a) + (start >= b) + (start < c) + (start < d)
        end = last
        for top in (a, b, c, d):
            if start < top < end:
                end = top
        if takers < 4:
            f[takers] += 0.1 * (counts[end] - counts[start])
        start = end


@njit
def others_near(view, piles, counts, f):
    """Tricks that others may hold, and their cards among the next four of each pile."""
    last = len(counts) - 1
    for pile in range(4):
        up = pile < 2
        trick = piles[pile] - view.trick if up else piles[pile] + view.trick
        if view.trick > 0 and 2 <= trick < last and counts[trick] > counts[trick - 1]:
            f[4] += 1.0
        if up:
            f[5] += 0.2 * (counts[min(piles[pile] + 4, last)] - counts[piles[pile]])
        else:
            f[5] += 0.2 * (counts[piles[pile] - 1] - counts[max(piles[pile] - 5, 0)])


@njit
def own_card(card, piles, trick, f):
    """One own card: how many piles take it, tricks; return its smallest gap, `FAR` if there is none."""
    takers, nearest = 0, FAR
    for pile in range(4):
        moved = movement(card, piles[pile], pile, trick)
        if moved < 0:
            f[9] += 1.0
            nearest = min(nearest, 0)
        elif moved != ILLEGAL:
            takers += 1
            nearest = min(nearest, moved)
    if takers < 3:
        f[6 + takers] += 1.0
    return nearest


@njit
def own_hand(view, piles, used, f):
    """The features of the cards kept."""
    first, second, kept = FAR, FAR, 0
    for i in range(view.n_cards):
        if used & (1 << i):
            continue
        gap = own_card(view.cards[i], piles, view.trick, f)
        f[13] += gap / FAR
        kept += 1
        if gap < first:
            first, second = gap, first
        elif gap < second:
            second = gap
        for k in range(i + 1, view.n_cards):
            if not used & (1 << k) and view.cards[k] - view.cards[i] == view.trick:
                f[10] += 1.0
    if kept > 0:
        f[11] = 0.1 * first
    if kept > 1:
        f[12] = 0.1 * second
    f[14] = kept


@njit
def heard(view, piles, f):
    """The piles advanced in spite of what others said; the strongest wish per pile and kind counts once."""
    for pile in range(4):
        moved = piles[pile] - view.piles[pile] if pile < 2 else view.piles[pile] - piles[pile]
        if moved <= 0:
            continue
        for k in range(1, view.players):
            said = view.hints[k, pile]
            if said != NOTHING:
                kind = 0 if said == PLEASE_LEAVE else (2 if said == SUITS_ME else 4)
                f[HEARD + kind] += 1.0
                f[HEARD + kind + 1] += 0.1 * moved


@njit
def evaluate(view, piles, used, counts, weights, f):
    """The weighted sum of the features of a position."""
    f[:] = 0.0
    others_by_takers(piles, counts, f)
    others_near(view, piles, counts, f)
    own_hand(view, piles, used, f)
    f[15] = 0.1 * (piles[0] + piles[1] - piles[2] - piles[3])
    f[16] = 0.1 * (abs(piles[0] - piles[1]) + abs(piles[2] - piles[3]))
    heard(view, piles, f)
    value = 0.0
    for i in range(N):
        value += weights[i] * f[i]
    return value


# --- search ----------------------------------------------------------------------------------------------------------
@njit
def candidates(view, pile, top, used, out):
    """The cards that make sense on a pile: a trick, the two nearest, the far end of a pair. Return their number."""
    n, near = 0, 0
    for step in range(view.n_cards):
        i = step if pile < 2 else view.n_cards - 1 - step  # nearest first
        if used & (1 << i):
            continue
        moved = movement(view.cards[i], top, pile, view.trick)
        if moved == ILLEGAL:
            continue
        if moved < 0:
            out[n] = i
            n += 1
        elif near < 2 or pair_behind(view, i, pile, used):
            out[n] = i
            n += 1
            near += 1
    return n


@njit
def pair_behind(view, i, pile, used):
    """Whether the hand also holds the card one trick behind card i."""
    back = view.cards[i] - view.trick if pile < 2 else view.cards[i] + view.trick
    for k in range(view.n_cards):
        if view.cards[k] == back and not used & (1 << k):
            return view.trick > 0
    return False


@njit
def same_as_before(view, piles, pile):
    """Whether the pile before goes the same way, shows the same card and was given the same hints."""
    if pile == 0 or pile == 2 or piles[pile - 1] != piles[pile] or view.piles[pile - 1] != view.piles[pile]:
        return False
    for k in range(1, view.players):  # noqa: SIM110 (Numba knows no generator expressions)
        if view.hints[k, pile] != view.hints[k, pile - 1]:
            return False
    return True


@njit
def best_sequence(view, piles, used, from_pile, needed, depth, counts, weights, f):
    """The best value within `depth` plays that has the needed ones, and its first play (`STOP`: play no more).

    Plays on different piles commute, so piles are taken in order.
    """
    value, play = WORST, STOP
    if needed <= 0:
        value = evaluate(view, piles, used, counts, weights, f)
    if depth == 0:
        return value, play
    cards = np.empty(view.n_cards, np.int64)
    for pile in range(from_pile, 4):
        top = piles[pile]
        if from_pile < pile and same_as_before(view, piles, pile):
            continue
        for k in range(candidates(view, pile, top, used, cards)):
            i = cards[k]
            piles[pile] = view.cards[i]
            rest = used | (1 << i)
            after, _ = best_sequence(view, piles, rest, pile, needed - 1, depth - 1, counts, weights, f)
            piles[pile] = top
            if after > value:
                value, play = after, 4 * view.cards[i] + pile
    return value, play


@njit
def choose_linear(parameters, view):
    """The first play of the best sequence; the longest possible one if the minimum cannot be reached."""
    counts = count_others(view)
    weights = parameters[:N].copy()
    if view.deck_left == 0:
        weights += parameters[N : 2 * N]
    f = np.empty(N)
    none, look = np.int64(0), np.int64(parameters[LOOK])
    piles = view.piles.copy()
    if view.needed == 0:
        _, play = best_sequence(view, piles, none, none, none, look, counts, weights, f)
        return play
    for needed in range(view.needed, 0, -1):
        depth = max(needed, look) if needed == view.needed else needed
        _, play = best_sequence(view, piles, none, none, needed, depth, counts, weights, f)
        if play != STOP:
            return play
    return STOP


@njit
def say_linear(parameters, view, said):
    """Per pile: "please leave" with a trick, "suits me" with a card very near, "please no big jump" with one near."""
    for pile in range(4):
        said[pile] = NOTHING
        nearest = ILLEGAL
        for i in range(view.n_cards):
            nearest = min(nearest, movement(view.cards[i], view.piles[pile], pile, view.trick))
        if nearest < 0:
            said[pile] = PLEASE_LEAVE
        elif nearest <= parameters[VERY_NEAR]:
            said[pile] = SUITS_ME
        elif nearest <= parameters[NEAR]:
            said[pile] = NO_BIG_JUMP


@making_entry
def choose_loop(states, rows, book, memory, hears, parameters, views, plays):
    """Choose for the player on turn in each of the games `rows`."""
    for k in range(len(rows)):
        s = states[rows[k]]
        fill_view(views[0], s, book, s.player, memory, hears)
        plays[k] = choose_linear(parameters, views[0])


@making_entry
def say_loop(states, rows, players, book, memory, hears, parameters, views, said):
    """Let player ``players[k]`` speak in game ``rows[k]``."""
    for k in range(len(rows)):
        fill_view(views[0], states[rows[k]], book, players[k], memory, hears)
        say_linear(parameters, views[0], said[k])


# --- the strategies --------------------------------------------------------------------------------------------------
def shipped() -> dict[str, Any]:
    """Return the weight sets that come with the package, by name, each with how it was found."""
    sets: dict[str, Any] = json.loads(Path(__file__).parents[1].joinpath("weights.json").read_text(encoding="utf-8"))
    return sets


@dataclass(frozen=True)
class _Linear(BuiltIn):
    """What the linear strategies share: their weights, given or the shipped ones.

    Parameters
    ----------
    weights : tuple of float, optional
        ``2 * len(FEATURES)`` numbers: the weights of `FEATURES`, then what is added to each once the draw pile is
        empty. None: the shipped ones.
    very_near, near : int, optional
        The largest gaps at which "suits me" and "please no big jump" are said.
    look : int
        Plays to look ahead, at least as many as the turn needs.
    """

    weights: tuple[float, ...] | None = None
    very_near: int | None = None
    near: int | None = None
    look: int = 3
    choose_loop: ClassVar = staticmethod(choose_loop)
    say_loop: ClassVar = staticmethod(say_loop)

    def __post_init__(self) -> None:
        whole("look", self.look, 1, 4)
        for name in ("very_near", "near"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name), 0, 98)
        if self.weights is None:
            return
        values = tuple(float(w) for w in self.weights)
        if len(values) != 2 * N or not np.isfinite(values).all():
            raise ValueError(f"weights must be {2 * N} finite numbers (two for each of FEATURES), not {self.weights!r}")
        object.__setattr__(self, "weights", values)

    def filled(self) -> Any:
        """Return the same strategy with its weights and hint gaps written out."""
        found = shipped()[self.name]
        given = {name: getattr(self, name) for name in ("weights", "very_near", "near")}
        return replace(self, **{name: found[name] if value is None else value for name, value in given.items()})

    def settings(self) -> tuple[float, ...]:
        """Return the weights, the two hint gaps and the depth."""
        me = self.filled()
        return (*me.weights, float(me.very_near), float(me.near), float(me.look))


@register("linear")
@dataclass(frozen=True)
class Linear(_Linear):
    """The linear evaluation without memory and without hints.

    Examples
    --------
    >>> len(Linear().settings()) == 2 * len(FEATURES) + 3
    True
    """


@register("linear_memory")
@dataclass(frozen=True)
class LinearMemory(_Linear):
    """The linear evaluation that counts cards: it knows which are still unseen."""

    memory: ClassVar[bool] = True


@register("linear_hints")
@dataclass(frozen=True)
class LinearHints(_Linear):
    """The linear evaluation with hints, without memory."""

    hints: ClassVar[bool] = True


@register("linear_memory_hints")
@dataclass(frozen=True)
class LinearMemoryHints(_Linear):
    """The linear evaluation that counts cards and uses hints."""

    memory: ClassVar[bool] = True
    hints: ClassVar[bool] = True
