"""`TricksAndSmallGaps`: a strategy of a few plain rules, as people state them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numba import njit

from mindsim.jit import making_entry
from mindsim.the_game.kernel import ILLEGAL, NOTHING, PLEASE_LEAVE, STOP, fill_view, movement
from mindsim.the_game.strategies.base import BuiltIn, register, whole

NEAR = 2  # a pile this near to one's nearest card is reserved
OWN_RIGHT = 3  # a reserved pile is used all the same if the own gap is at most this


@njit
def nearest(view, two_players):
    """The play with the smallest movement, as (movement, card, pile); reserved piles only where allowed."""
    best, best_card, best_pile = ILLEGAL, 0, 0
    for i in range(view.n_cards):
        for pile in range(4):
            moved = movement(view.cards[i], view.piles[pile], pile, view.trick)
            avoided = two_players and view.hints[1, pile] == PLEASE_LEAVE and moved > OWN_RIGHT
            if moved < best and not avoided:
                best, best_card, best_pile = moved, view.cards[i], pile
    return best, best_card, best_pile


@njit
def in_hand(view, card):
    """Whether the card is in the own hand."""
    for i in range(view.n_cards):  # noqa: SIM110 (Numba knows no generator expressions)
        if view.cards[i] == card:
            return True
    return False


@njit
def choose_tricks(parameters, view):
    """Any trick; else the smallest gap, its partner one trick further on first; after the minimum small gaps only."""
    limit = parameters[0]
    moved, card, pile = nearest(view, view.players == 2)
    if moved == ILLEGAL and view.needed > 0:
        moved, card, pile = nearest(view, False)  # nothing but reserved piles is left
    if moved == ILLEGAL or (view.needed <= 0 and moved > limit):
        return STOP
    partner = card + view.trick if pile < 2 else card - view.trick
    if moved > 0 and view.trick > 0 and in_hand(view, partner):
        card = partner
    return 4 * card + pile


@njit
def say_tricks(parameters, view, said):
    """With two players, ask to leave the pile of the nearest card if it is very near."""
    said[:] = NOTHING
    moved, _, pile = nearest(view, False)
    if view.players == 2 and moved <= NEAR:
        said[pile] = PLEASE_LEAVE


@making_entry
def choose_loop(states, rows, book, memory, hears, parameters, views, plays):
    """Choose for the player on turn in each of the games `rows`."""
    for k in range(len(rows)):
        s = states[rows[k]]
        fill_view(views[0], s, book, s.player, memory, hears)
        plays[k] = choose_tricks(parameters, views[0])


@making_entry
def say_loop(states, rows, players, book, memory, hears, parameters, views, said):
    """Let player ``players[k]`` speak in game ``rows[k]``."""
    for k in range(len(rows)):
        fill_view(views[0], states[rows[k]], book, players[k], memory, hears)
        say_tricks(parameters, views[0], said[k])


@register("tricks_and_small_gaps")
@dataclass(frozen=True)
class TricksAndSmallGaps(BuiltIn):
    """Play tricks, else the smallest gap, and go on while that costs little.

    Any trick in hand is played first; else the card with the smallest gap, or rather the card one trick further on if
    that is also held, so that the trick brings it back. With two players each asks to leave the pile of its nearest
    card, if the gap is at most 2; the other avoids it unless its own gap is at most 3.

    Parameters
    ----------
    limit : int
        After the minimum, go on while a trick or a gap up to this exists.
    """

    limit: int = 3
    choose_loop: ClassVar = staticmethod(choose_loop)
    say_loop: ClassVar = staticmethod(say_loop)
    hints: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole("limit", self.limit, -100, 98)

    def settings(self) -> tuple[float, ...]:
        """Return the limit."""
        return (float(self.limit),)
