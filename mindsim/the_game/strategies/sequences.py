"""Strategies that weigh every legal sequence of the minimum length: `Random`, `LeastMovement`, `Reserve`.

All three give each sequence of plays a cost and take one of the cheapest, all equally likely. For `Random` every cost
is 0; for `LeastMovement` it is the summed movement of the piles; `Reserve` adds a penalty for piles that others ask to
be left alone. After the first play the rest is weighed anew, which leaves the probabilities as they were.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit

from mindsim.jit import making_entry
from mindsim.the_game.kernel import ILLEGAL, PLEASE_LEAVE, STOP, draw_below, fill_view, movement
from mindsim.the_game.strategies.base import BuiltIn, register, whole

NONE = 1 << 30  # the cost where there is no sequence


@njit
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


@njit
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


@njit
def choose_cheapest(view, weight, price):
    """Play a cheapest sequence of the minimum length (the longest possible one if there is none), then stop."""
    for length in range(view.needed, 0, -1):
        play = first_of_cheapest(view, weight, price, length)
        if play != STOP:
            return play
    return STOP


@njit
def wishes(view):
    """For each pile, whether another player asked to leave it."""
    asked = np.zeros(4, np.int64)
    for k in range(1, view.players):
        for pile in range(4):
            if view.hints[k, pile] == PLEASE_LEAVE:
                asked[pile] = 1
    return asked


@njit
def choose_sequence(parameters, view):
    """A cheapest sequence of the minimum length; then small gaps, on piles that nobody asked to leave.

    `parameters` are the weight of movement, the penalty of a pile that others asked to leave, and the reach.
    """
    weight, penalty, reach = np.int64(parameters[0]), np.int64(parameters[1]), np.int64(parameters[2])
    asked = wishes(view)
    if view.needed > 0:
        return choose_cheapest(view, weight, asked * penalty)
    smallest, play = reach + 1, STOP
    for i in range(view.n_cards):
        for pile in range(4):
            moved = movement(view.cards[i], view.piles[pile], pile, view.trick)
            if moved < smallest and asked[pile] == 0:
                smallest, play = moved, 4 * view.cards[i] + pile
    return play


@njit
def say_tricks_held(parameters, view, said):
    """Ask to leave the piles on which the own hand holds a trick."""
    for pile in range(4):
        said[pile] = 0
        for i in range(view.n_cards):
            if movement(view.cards[i], view.piles[pile], pile, view.trick) < 0:
                said[pile] = PLEASE_LEAVE


@making_entry
def choose_loop(states, rows, book, memory, hears, parameters, views, plays):
    """Choose for the player on turn in each of the games `rows`."""
    for k in range(len(rows)):
        s = states[rows[k]]
        fill_view(views[0], s, book, s.player, memory, hears)
        plays[k] = choose_sequence(parameters, views[0])


@making_entry
def say_loop(states, rows, players, book, memory, hears, parameters, views, said):
    """Let player ``players[k]`` speak in game ``rows[k]``."""
    for k in range(len(rows)):
        fill_view(views[0], states[rows[k]], book, players[k], memory, hears)
        say_tricks_held(parameters, views[0], said[k])


NO_REACH = -1000.0


@register("random")
@dataclass(frozen=True)
class Random(BuiltIn):
    """A uniformly random legal sequence of the minimum length.

    Examples
    --------
    >>> Random()
    Random()
    """

    choose_loop: ClassVar = staticmethod(choose_loop)

    def settings(self) -> tuple[float, ...]:
        """Return a weight of 0 for movement."""
        return 0.0, 0.0, NO_REACH


@register("least_movement")
@dataclass(frozen=True)
class LeastMovement(BuiltIn):
    """The legal sequence of the minimum length with the smallest summed movement of the piles, and nothing more.

    A trick counts as a movement of -10. Ties are broken at random.
    """

    choose_loop: ClassVar = staticmethod(choose_loop)

    def settings(self) -> tuple[float, ...]:
        """Return a weight of 1 for movement."""
        return 1.0, 0.0, NO_REACH


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
    choose_loop: ClassVar = staticmethod(choose_loop)
    say_loop: ClassVar = staticmethod(say_loop)
    hints: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole("penalty", self.penalty, 0, 1000)
        whole("reach", self.reach, -100, 98)

    def settings(self) -> tuple[float, ...]:
        """Return a weight of 1 for movement, the penalty and the reach."""
        return 1.0, float(self.penalty), float(self.reach)
