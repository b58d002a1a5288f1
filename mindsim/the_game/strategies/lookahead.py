"""`LookAhead`: whole chains of tricks, the cheapest turn, then extra plays within reach.

A **chain** is a run of own cards one trick apart (30, 40, 50). On a pile that goes up it is played from its far end, 50
40 30, so that the pile moves only as far as 30; on a pile that goes down the other way round. The unit of thought is
therefore (card, pile): the card at which a pile comes to rest, with the chain beyond it.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit

from mindsim.jit import making_entry
from mindsim.the_game.kernel import ILLEGAL, STOP, fill_view, movement
from mindsim.the_game.strategies.base import BuiltIn, register, whole

# One number orders turns: total movement first, then chains broken, then more cards, then the more advanced piles.
# Each weight outweighs all that a hand of 16 can add up below it.
PER_MOVEMENT, PER_BREAK, PER_CARD = 1 << 20, 1 << 15, 1 << 10
NONE = 1 << 40


@njit
def place(view, card, used):
    """The place of a card in the own hand, if it is there and not used; else -1."""
    for i in range(view.n_cards):
        if view.cards[i] == card and not used & (1 << i):
            return i
    return -1


@njit
def chain(view, i, pile, used):
    """The chain that rests at card i: its far end's card, its cards as bits, and their number."""
    step = view.trick if pile < 2 else -view.trick
    card, bits, n = view.cards[i], 1 << i, 1
    while step != 0:
        k = place(view, card + step, used)
        if k < 0:
            break
        card, bits, n = card + step, bits | (1 << k), n + 1
    return card, bits, n


@njit
def rest_movement(view, card, top, pile, n):
    """How far a pile has moved when a chain of n cards rests at `card`; `ILLEGAL` if it does not fit.

    The rest may lie behind the top, by less than a trick, if the chain begins beyond it: 40 30 on 35.
    """
    moved = movement(card, top, pile, view.trick)
    behind = top - card if pile < 2 else card - top
    return -behind if moved == ILLEGAL and n > 1 and 0 <= behind < view.trick else moved


@njit
def unit_cost(view, piles, i, pile, used, n):
    """What a unit adds to the cost of a turn; `NONE` if its card does not fit."""
    card = view.cards[i]
    moved = rest_movement(view, card, piles[pile], pile, n)
    if moved == ILLEGAL:
        return NONE
    back = card - view.trick if pile < 2 else card + view.trick
    broken = 1 if view.trick > 0 and place(view, back, used) >= 0 else 0
    advanced = piles[pile] if pile < 2 else view.deck + 3 - piles[pile]
    return PER_MOVEMENT * moved + PER_BREAK * broken - PER_CARD * n - advanced


@njit
def far_end(view, piles, i, pile, used):
    """The card to play first, the chain's bits and its length. A trick is played at once, not from the far end."""
    if movement(view.cards[i], piles[pile], pile, view.trick) < 0:
        return view.cards[i], 1 << i, 1
    return chain(view, i, pile, used)


@njit
def best_turn(view, piles, used, needed):
    """The cheapest way to play at least `needed` cards in units: its cost and its first play."""
    best, play = NONE, STOP
    for i in range(view.n_cards):
        if used & (1 << i):
            continue
        for pile in range(4):
            first, bits, n = far_end(view, piles, i, pile, used)
            cost = unit_cost(view, piles, i, pile, used, n)
            if cost < NONE and n < needed:
                top = piles[pile]
                piles[pile] = view.cards[i]
                rest, _ = best_turn(view, piles, used | bits, needed - n)
                piles[pile] = top
                cost = NONE if rest == NONE else cost + rest
            if cost < best:
                best, play = cost, 4 * first + pile
    return best, play


@njit
def choose_look_ahead(parameters, view):
    """The cheapest turn while cards are needed; then units that move their pile no further than the reach."""
    piles = view.piles.copy()
    for needed in range(view.needed, 0, -1):
        _, play = best_turn(view, piles, np.int64(0), needed)
        if play != STOP:
            return play
    reach = np.int64(parameters[1] if view.deck_left == 0 else parameters[0])
    cost, play = best_turn(view, piles, np.int64(0), np.int64(1))
    # The terms below movement are less than half a step of it, on either side.
    return play if cost < NONE and cost < PER_MOVEMENT * reach + PER_MOVEMENT // 2 else STOP


@making_entry
def choose_loop(states, rows, book, memory, hears, parameters, views, plays):
    """Choose for the player on turn in each of the games `rows`."""
    for k in range(len(rows)):
        s = states[rows[k]]
        fill_view(views[0], s, book, s.player, memory, hears)
        plays[k] = choose_look_ahead(parameters, views[0])


@register("look_ahead")
@dataclass(frozen=True)
class LookAhead(BuiltIn):
    """Play chains of tricks whole, take the turn that moves the piles least, then what lies within reach.

    Among turns of equal movement those that break no chain, then those with more cards, then those on the more advanced
    piles come first.

    Parameters
    ----------
    reach : int
        After the minimum, go on while a play (or chain) moves its pile no further than this.
    reach_when_empty : int
        The same once the draw pile is empty.
    """

    reach: int = 2
    reach_when_empty: int = 10
    choose_loop: ClassVar = staticmethod(choose_loop)

    def __post_init__(self) -> None:
        whole("reach", self.reach, -100, 98)
        whole("reach_when_empty", self.reach_when_empty, -100, 98)

    def settings(self) -> tuple[float, ...]:
        """Return both reaches."""
        return float(self.reach), float(self.reach_when_empty)
