"""`Endgame`: exact search of what is left once the draw pile is empty, in front of any other strategy.

With the draw pile empty, the unseen cards are the other players' hands as one set. When at most one other player still
holds cards, all is then known and the search is exact: it finds the course of play that leaves the fewest cards, if it
ends within its number of nodes. While two others or more hold cards, who has which is unknown, and the base plays on:
to search as if one partner held the whole set lost games when it was tried. The search uses what the player may know
only: its hand, the piles, the sizes of hands, and (by memory) the unseen set.

The search is depth first over (cards left, piles, whose turn, cards still needed), cheap plays first, leaving out
positions already searched and those that cannot become better than the best found.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numba import njit

from mindsim.bits import popcount
from mindsim.jit import making_entry
from mindsim.rng import U64, mix
from mindsim.the_game.kernel import ILLEGAL, STOP, fill_view, holds, movement
from mindsim.the_game.rules import Rules
from mindsim.the_game.strategies.base import BuiltIn, make, register, whole
from mindsim.the_game.strategies.own import as_strategy, ask, ask_hints

UNDECIDED = -1
TABLE = 1 << 12  # positions remembered, by hash, the newest first
MAX_CARDS = 63
BEST, NODES = 0, 1  # places in `found`: fewest cards left, nodes still allowed
NEXT_TO = 1  # plays that move a pile this far or less are tried before the turn is handed over
HAND_OVER = -1


@njit
def all_cards(view):
    """All cards left, ascending, and the bits of those in the own hand. The others' count only when all are known."""
    cards = np.zeros(view.deck, np.int64)
    n, mine = 0, np.int64(0)
    k = 0
    for card in range(2, view.deck + 2):
        own = k < view.n_cards and view.cards[k] == card
        if own or holds(view.unseen, card):
            cards[n] = card
            if own:
                mine |= np.int64(1) << n
                k += 1
            n += 1
            if n > MAX_CARDS:
                break
    return cards[:n], mine


@njit
def position_key(left, piles, turn, needed):
    """A hash of a position; two piles of one direction are interchangeable."""
    low, high = min(piles[0], piles[1]), max(piles[0], piles[1])
    low2, high2 = min(piles[2], piles[3]), max(piles[2], piles[3])
    tops = ((low * 128 + high) * 128 + low2) * 128 + high2
    return mix(mix(U64(left)) + U64(tops * 64 + turn * 32 + needed))


@njit
def lost_cards(cards, left, piles, trick):
    """At least so many cards can no longer be played: those behind all piles, once no trick can ever happen."""
    low, high = min(piles[0], piles[1]), max(piles[2], piles[3])
    lost = 0
    for i in range(len(cards)):
        if not left & (np.int64(1) << i):
            continue
        card = cards[i]
        for pile in range(4):
            if movement(card, piles[pile], pile, trick) < 0:
                return 0
        for k in range(i + 1, len(cards)):
            if cards[k] == card + trick and trick > 0 and left & (np.int64(1) << k):
                return 0
        if card < low and card > high:
            lost += 1
    return lost


@njit
def moves(cards, playable, piles, trick, out):
    """Write the legal plays as (movement, card index, pile), smallest movement first; return their number."""
    n = 0
    for i in range(len(cards)):
        if not playable & (np.int64(1) << i):
            continue
        for pile in range(4):
            same = (pile == 1 or pile == 3) and piles[pile] == piles[pile - 1]
            moved = movement(cards[i], piles[pile], pile, trick)
            if moved == ILLEGAL or same:
                continue
            k = n
            while k > 0 and out[k - 1, 0] > moved:
                out[k] = out[k - 1]
                k -= 1
            out[k, 0], out[k, 1], out[k, 2] = moved, i, pile
            n += 1
    return n


@njit
def seen_before(table, key):
    """Whether a position was searched already; it is now."""
    place = np.int64(key & U64(TABLE - 1))
    if table[place] == key:
        return True
    table[place] = key
    return False


@njit
def worth_it(cards, left, piles, turn, needed, trick, table, found):
    """Whether a position is to be searched: nodes are left, it is new, and it may beat the best found."""
    found[NODES] -= 1
    found[BEST] = min(found[BEST], popcount(U64(left)))
    if found[NODES] <= 0 or found[BEST] == 0:
        return False
    if lost_cards(cards, left, piles, trick) >= found[BEST]:
        return False
    return not seen_before(table, position_key(left, piles, turn, needed))


@njit
def search(cards, mine, left, piles, turn, needed, rule, table, found):
    """Search all continuations of a position; return the best first step: ``4 * index + pile``, `HAND_OVER`, or -2.

    `rule` is (minimum a turn, trick, whether players may pass). `turn` is 0 for the player itself.
    """
    minimum, trick, passes = rule
    step = -2
    if not worth_it(cards, left, piles, turn, needed, trick, table, found):
        return step
    own = mine & left if turn == 0 else left & ~mine
    other = left & ~own
    plays = np.empty((4 * len(cards), 3), np.int64)
    n = moves(cards, own, piles, trick, plays)
    may_hand_over = other != 0 and (needed <= 0 or own == 0 or (n == 0 and passes == 1))
    for k in range(n + 1):
        if may_hand_over and (k == n or plays[k, 0] > NEXT_TO):
            may_hand_over = False
            before = found[BEST]
            ask = min(minimum, popcount(U64(other)))
            search(cards, mine, left, piles, 1 - turn, ask, rule, table, found)
            step = HAND_OVER if found[BEST] < before else step
        if k == n or found[BEST] == 0 or found[NODES] <= 0:
            break
        i, pile = plays[k, 1], plays[k, 2]
        top, before = piles[pile], found[BEST]
        piles[pile] = cards[i]
        search(cards, mine, left & ~(np.int64(1) << i), piles, turn, max(needed - 1, 0), rule, table, found)
        piles[pile] = top
        step = 4 * i + pile if found[BEST] < before else step
    return step


@njit
def others_with_cards(view):
    """How many other players hold cards."""
    n = 0
    for k in range(1, view.players):
        n += view.sizes[k] > 0
    return n


@njit
def endgame(parameters, view):
    """The first play of the best course found; `UNDECIDED` if neither a win nor the end of the search was reached."""
    cards, mine = all_cards(view)
    if len(cards) > MAX_CARDS or others_with_cards(view) > 1:
        return UNDECIDED
    found = np.array([len(cards) + 1, np.int64(parameters[0])])
    table = np.zeros(TABLE, np.uint64)
    left = np.int64(0)
    for i in range(len(cards)):
        left |= np.int64(1) << i
    rule = (view.minimum_when_empty, view.trick, view.passes)
    step = search(cards, mine, left, view.piles.copy(), np.int64(0), view.needed, rule, table, found)
    if found[BEST] > 0 and found[NODES] <= 0:
        return UNDECIDED
    if step == HAND_OVER:
        return STOP if view.needed == 0 else UNDECIDED
    return 4 * cards[step >> 2] + (step & 3) if step >= 0 else UNDECIDED


@making_entry
def choose_loop(states, rows, book, memory, hears, parameters, views, plays):
    """Choose for the player on turn in each of the games `rows`."""
    for k in range(len(rows)):
        s = states[rows[k]]
        fill_view(views[0], s, book, s.player, memory, hears)
        plays[k] = endgame(parameters, views[0])


@register("endgame")
@dataclass(frozen=True)
class Endgame(BuiltIn):
    """Another strategy, with exact search once the draw pile is empty.

    Parameters
    ----------
    base : strategy or str
        The strategy (or its name) that plays before, where more than one other player holds cards, and where the
        search comes to no end.
    nodes : int
        Positions that one search may visit.

    Notes
    -----
    The search uses memory: which cards are unseen is known only to who remembers those put down.

    Examples
    --------
    >>> Endgame("look_ahead", nodes=500).base
    LookAhead(reach=2, reach_when_empty=10)
    """

    base: Any = "look_ahead"
    nodes: int = 2000
    memory: ClassVar[bool] = True
    choose_loop: ClassVar = staticmethod(choose_loop)

    def __post_init__(self) -> None:
        whole("nodes", self.nodes, 1, 10_000_000)
        object.__setattr__(self, "base", make(self.base) if isinstance(self.base, str) else as_strategy(self.base))

    @property
    def hints(self) -> bool:  # type: ignore[override]
        """Whether the base uses hints."""
        return bool(getattr(self.base, "hints", False))

    def filled(self) -> Any:
        """Return the same with its base written out."""
        return replace(self, base=self.base.filled()) if isinstance(self.base, BuiltIn) else self

    def settings(self) -> tuple[float, ...]:
        """Return the number of nodes."""
        return (float(self.nodes),)

    def choose_rows(self, rules: Rules, states: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Search where the draw pile is empty; ask the base elsewhere, and where the search came to no end."""
        plays = np.full(len(rows), UNDECIDED, np.int64)
        empty = np.flatnonzero(states["drawn"][rows] == rules.deck)
        plays[empty] = super().choose_rows(rules, states, rows[empty])
        open_ = np.flatnonzero(plays == UNDECIDED)
        if len(open_):
            plays[open_] = ask(self.base, rules, states, rows[open_])
        return plays

    def say_rows(self, rules: Rules, states: np.ndarray, rows: np.ndarray, players: np.ndarray) -> np.ndarray:
        """Say what the base says."""
        return ask_hints(self.base, rules, states, rows, players)
