"""Strategies that weigh every legal sequence of the minimum length: `Random`, `LeastMovement`, `Reserve`.

All three give each sequence of plays a cost and take one of the cheapest, all equally likely. For `Random` every cost is
0; for `LeastMovement` it is the summed movement of the piles; `Reserve` adds a penalty for piles that others ask to be
left alone. After the first play the rest is weighed anew, which leaves the probabilities as they were.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit

from mindsim.the_game.kernel import ILLEGAL, PLEASE_LEAVE, STOP, draw_below, movement
from mindsim.the_game.strategies.base import BuiltIn, register, whole

NONE = 1 << 30  # the cost where there is no sequence


@njit(cache=True)
def cheapest(view, piles, used, weight, price, length):
    """The smallest cost of a legal sequence of plays of this length, and how many sequences have it.

    `used` marks the cards of the hand that are already played; a play costs ``weight * movement + price[pile]``.
    """
    best, ties = NONE, 0
    for i in range(view.n_cards):
        if used & (1 << i):
            continue
        card = view.cards[i]
        for pile in range(4):
            top = piles[pile]
            moved = movement(card, top, pile, view.trick)
            if moved == ILLEGAL:
                continue
            cost, n = weight * moved + price[pile], 1
            if length > 1:
                piles[pile] = card
                rest, n = cheapest(view, piles, used | (1 << i), weight, price, length - 1)
                piles[pile] = top
                cost = NONE if rest == NONE else cost + rest
            if cost < best:
                best, ties = cost, n
            elif cost == best and cost < NONE:
                ties += n
    return best, ties


@njit(cache=True)
def first_of_cheapest(view, weight, price, length):
    """The first play of a cheapest sequence, all cheapest sequences being equally likely; `STOP` if there is none."""
    best, total, play = NONE, 0, STOP
    piles = view.piles.copy()
    for i in range(view.n_cards):
        card = view.cards[i]
        for pile in range(4):
            top = piles[pile]
            moved = movement(card, top, pile, view.trick)
            if moved == ILLEGAL:
                continue
            cost, n = weight * moved + price[pile], 1
            if length > 1:
                piles[pile] = card
                rest, n = cheapest(view, piles, 1 << i, weight, price, length - 1)
                piles[pile] = top
                cost = NONE if rest == NONE else cost + rest
            if cost < best:
                best, total, play = cost, n, 4 * card + pile
            elif cost == best and cost < NONE:
                total += n
                if draw_below(view, total) < n:
                    play = 4 * card + pile
    return play


@njit(cache=True)
def choose_cheapest(view, weight, price):
    """Play a cheapest sequence of the minimum length (the longest possible one if there is none), then stop."""
    for length in range(view.needed, 0, -1):
        play = first_of_cheapest(view, weight, price, length)
        if play != STOP:
            return play
    return STOP


@njit(cache=True)
def choose_random(parameters, view):
    """A random sequence of the minimum length: no play costs anything."""
    return choose_cheapest(view, 0, np.zeros(4, np.int64))


@njit(cache=True)
def choose_least_movement(parameters, view):
    """The sequence of the minimum length that moves the piles least."""
    return choose_cheapest(view, 1, np.zeros(4, np.int64))


@njit(cache=True)
def wishes(view):
    """For each pile, whether another player asked to leave it."""
    asked = np.zeros(4, np.int64)
    for k in range(1, view.players):
        for pile in range(4):
            if view.hints[k, pile] == PLEASE_LEAVE:
                asked[pile] = 1
    return asked


@njit(cache=True)
def choose_reserve(parameters, view):
    """Least movement with a penalty on reserved piles; then small gaps, on piles that are not reserved."""
    penalty, reach = np.int64(parameters[1]), np.int64(parameters[2])
    asked = wishes(view)
    if view.needed > 0:
        return choose_cheapest(view, 1, asked * penalty)
    smallest, play = reach + 1, STOP
    for i in range(view.n_cards):
        for pile in range(4):
            moved = movement(view.cards[i], view.piles[pile], pile, view.trick)
            if moved < smallest and asked[pile] == 0:
                smallest, play = moved, 4 * view.cards[i] + pile
    return play


@njit(cache=True)
def say_reserve(parameters, view, said):
    """Ask to leave the piles on which the own hand holds a trick."""
    for pile in range(4):
        said[pile] = 0
        for i in range(view.n_cards):
            if movement(view.cards[i], view.piles[pile], pile, view.trick) < 0:
                said[pile] = PLEASE_LEAVE


@register("random")
@dataclass(frozen=True)
class Random(BuiltIn):
    """A uniformly random legal sequence of the minimum length.

    Examples
    --------
    >>> Random()
    Random()
    """

    code: ClassVar[int] = 0


@register("least_movement")
@dataclass(frozen=True)
class LeastMovement(BuiltIn):
    """The legal sequence of the minimum length with the smallest summed movement of the piles, and nothing more.

    A trick counts as a movement of -10. Ties are broken at random.
    """

    code: ClassVar[int] = 1


@register("reserve")
@dataclass(frozen=True)
class Reserve(BuiltIn):
    """Least movement that leaves the piles alone on which another player holds a trick.

    Every player asks ("please leave") for the piles on which it holds a trick.

    Parameters
    ----------
    penalty : int
        Added to the movement of a required play on a pile that another player asks to leave. Optional plays on such
        piles are not made at all.
    reach : int
        After the minimum, plays with a gap up to this (tricks too) are made, the smallest first. -11 for none.
    """

    penalty: int = 20
    reach: int = 1
    code: ClassVar[int] = 2
    hints: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole("penalty", self.penalty, 0, 1000)
        whole("reach", self.reach, -100, 98)

    def settings(self) -> tuple[float, ...]:
        """Return the penalty and the reach."""
        return float(self.penalty), float(self.reach)
