"""The rule book of The Game, compiled: short functions named as the book names things.

One record (`STATE`) holds one game; another (`VIEW`) holds what one player may know, and a strategy never gets anything
else. `settle` carries a game on to the next choice; `accept` checks a choice and carries it out. Who chooses what is
the business of `strategies`; running many games, of `simulate`.

A **play** is one number, ``4 * card + pile``; `STOP` (0) ends the turn. Piles 0 and 1 go up, 2 and 3 go down.

Random numbers follow the scheme of `mindsim.rng`: the deck is shuffled (Fisher-Yates) by the stream that starts at
``mix(game_key + PURPOSE * 32)``; a player's draws come from the key of the moment, ``mix(game_key + EPOCH * cards put
down so far + PLAYER * (player + 1))``, with purpose 33, draw n by ``CALL * n``.
"""
from __future__ import annotations

import numpy as np
from numba import njit

from mindsim.rng import CALL, EPOCH, PLAYER, PURPOSE, THE_GAME, U64, below, game_key, mix, stream, to_uniform
from mindsim.the_game.rules import MAX_DECK, MAX_HAND, MAX_PLAYERS

PURPOSE_SHUFFLE, PURPOSE_CHOICE = U64(THE_GAME), U64(THE_GAME + 1)

STOP = 0
NOTHING, SUITS_ME, PLEASE_LEAVE, NO_BIG_JUMP = 0, 1, 2, 3
HINTS = ("nothing", "suits me", "please leave", "please no big jump")
ILLEGAL = 1000  # the movement of a card that may not be played

# Why a choice is refused.
FINE, BEFORE_MINIMUM, NOT_HELD, NO_SUCH_PILE, DOES_NOT_FIT, NO_SUCH_HINT = range(6)

DEAL, HINT, PLAY, DRAW, PASS, END = range(6)
EVENTS = ("deal", "hint", "play", "draw", "pass", "end")
LOG_COLUMNS = ("turn", "event", "player", "pile", "card", "value")
# A game logs 98 cards dealt or drawn, at most 98 played, 98 passes and an end; hints change at most five players x
# four piles at each of its moments.
LOG_ROWS = 3 * MAX_DECK + 1
LOG_ROWS_WITH_HINTS = LOG_ROWS + MAX_PLAYERS * 4 * 2 * MAX_DECK

STATE = np.dtype([
    ("key", np.uint64),
    ("piles", np.int16, (4,)),
    ("cards", np.int16, (MAX_PLAYERS, MAX_HAND)),  # ascending, 0 beyond `sizes`
    ("sizes", np.int16, (MAX_PLAYERS,)),
    ("deck", np.uint8, (MAX_DECK,)),
    ("drawn", np.int16),  # cards that left the draw pile
    ("out", np.uint64, (2,)),  # the set of cards put down
    ("n_out", np.int16),
    ("hints", np.int16, (MAX_PLAYERS, 4)),
    ("player", np.int16),
    ("needed", np.int16),  # cards that this turn still asks for
    ("played", np.int16),  # cards played in this turn
    ("turns", np.int16),
    ("tricks", np.int16),
    ("turn_over", np.int16),
    ("over", np.int16),
    ("logged", np.int32),
])

VIEW = np.dtype([
    ("cards", np.int64, (MAX_HAND,)),  # own hand, ascending, 0 beyond n_cards
    ("n_cards", np.int64),
    ("piles", np.int64, (4,)),
    ("unseen", np.uint64, (2,)),  # the set of cards neither put down nor in the own hand; empty without memory
    ("memory", np.int64),  # 1: `unseen` is known
    ("sizes", np.int64, (MAX_PLAYERS,)),  # self first, then clockwise
    ("hints", np.int64, (MAX_PLAYERS, 4)),  # the same order; row 0 is not used
    ("players", np.int64),
    ("deck_left", np.int64),
    ("needed", np.int64),
    ("played", np.int64),
    ("minimum_when_empty", np.int64),
    ("full_hand", np.int64),
    ("trick", np.int64),
    ("passes", np.int64),
    ("deck", np.int64),
    ("key", np.uint64),
    ("draws", np.int64),
])


# --- cards and piles -------------------------------------------------------------------------------------------------
@njit(inline="always")
def movement(card, top, pile, trick):
    """How far a card moves a pile: its gap, ``-trick`` for a card exactly that far back, else `ILLEGAL`."""
    gap = card - top if pile < 2 else top - card
    if gap > 0:
        return gap
    return gap if gap == -trick and trick > 0 else ILLEGAL


@njit(inline="always")
def holds(words, card):
    """Whether a set of cards, as two 64-bit words, has the card."""
    return (words[card >> 6] >> U64(card & 63)) & U64(1) != U64(0)


@njit(inline="always")
def put(words, card):
    """Add a card to a set."""
    words[card >> 6] |= U64(1) << U64(card & 63)


@njit(inline="always")
def take(words, card):
    """Take a card out of a set."""
    words[card >> 6] &= ~(U64(1) << U64(card & 63))


@njit(inline="always")
def draw_bits(view):
    """The next 64 random bits of this choice; each call gives new ones."""
    view.draws += 1
    return mix(view.key + PURPOSE * PURPOSE_CHOICE + CALL * U64(view.draws))


@njit(inline="always")
def draw_below(view, n):
    """A random integer in 0..n-1."""
    return np.int64(below(draw_bits(view), U64(n)))


@njit(inline="always")
def draw_uniform(view):
    """A random number strictly between 0 and 1."""
    return to_uniform(draw_bits(view))


# --- the course of a game --------------------------------------------------------------------------------------------
@njit
def note(s, log, event, player, pile, card, value):
    """Write one line of the log, if one is kept."""
    if len(log) > 0:
        log[s.logged, 0] = s.turns
        log[s.logged, 1] = event
        log[s.logged, 2] = player
        log[s.logged, 3] = pile
        log[s.logged, 4] = card
        log[s.logged, 5] = value
        s.logged += 1


@njit
def shuffle(s, book):
    """Shuffle the cards 2 .. deck + 1."""
    for i in range(book.deck):
        s.deck[i] = i + 2
    start = mix(s.key + PURPOSE * PURPOSE_SHUFFLE)
    for i in range(book.deck):
        j = i + np.int64(below(stream(start, i), U64(book.deck - i)))
        s.deck[i], s.deck[j] = s.deck[j], s.deck[i]


@njit
def take_up(s, player):
    """The player takes the next card of the draw pile into its (sorted) hand."""
    card = np.int64(s.deck[s.drawn])
    s.drawn += 1
    i = np.int64(s.sizes[player])
    while i > 0 and s.cards[player, i - 1] > card:
        s.cards[player, i] = s.cards[player, i - 1]
        i -= 1
    s.cards[player, i] = card
    s.sizes[player] += 1
    return card


@njit
def begin(s, book, seed, game, log):
    """Set the piles, shuffle and deal: player 0 gets its whole hand first. Player 0 has the first turn."""
    s.key = game_key(seed, game)
    s.piles[0], s.piles[1], s.piles[2], s.piles[3] = 1, 1, book.deck + 2, book.deck + 2
    shuffle(s, book)
    for player in range(book.players):
        for _ in range(book.hand):
            note(s, log, DEAL, player, -1, take_up(s, player), 0)
    s.player = book.players - 1
    s.turn_over = 1


@njit
def refill(s, book, log):
    """After a turn its player draws up to a full hand, as far as the draw pile goes."""
    while s.sizes[s.player] < book.hand and s.drawn < book.deck:
        note(s, log, DRAW, s.player, -1, take_up(s, s.player), 0)


@njit
def can_play(s, book, player):
    """Whether the player holds a card that fits on some pile."""
    for i in range(s.sizes[player]):
        for pile in range(4):
            if movement(s.cards[player, i], s.piles[pile], pile, book.trick) != ILLEGAL:
                return True
    return False


@njit
def anyone_can_play(s, book):
    """Whether any player holds a card that fits on some pile."""
    for player in range(book.players):  # noqa: SIM110 (Numba knows no generator expressions)
        if can_play(s, book, player):
            return True
    return False


@njit
def next_turn(s, book):
    """The next player with cards is on turn; who has none is skipped."""
    player = (s.player + 1) % book.players
    while s.sizes[player] == 0:
        player = (player + 1) % book.players
    s.player = player
    minimum = book.minimum if s.drawn < book.deck else book.minimum_when_empty
    s.needed = min(minimum, s.sizes[player])
    s.played = 0
    s.turns += 1
    s.turn_over = 0


@njit
def finish(s, book, log):
    """The game is over: nobody has cards left, or it cannot go on."""
    s.over = 1
    note(s, log, END, -1, -1, 0, book.deck - s.n_out)


@njit
def settle(s, book, log):
    """Carry the game on until its player has something to choose, or it is over.

    The game is won when all cards are out. A player who has played the minimum and can play no more is done. Who cannot
    play the minimum ends the game (`end="player_stuck"`) or passes, as long as somebody can play.
    """
    while s.over == 0:
        if s.turn_over == 1:
            if s.turns > 0:
                refill(s, book, log)
            if s.n_out == book.deck or (book.passes == 1 and not anyone_can_play(s, book)):
                finish(s, book, log)
                return
            next_turn(s, book)
        if can_play(s, book, s.player):
            return
        if s.needed <= 0:
            s.turn_over = 1
        elif book.passes == 1:
            note(s, log, PASS, s.player, -1, 0, s.needed)
            s.turn_over = 1
        else:
            finish(s, book, log)


@njit
def put_down(s, i, pile, moved, log):
    """The player on turn puts its i-th card on a pile."""
    player, card = s.player, np.int64(s.cards[s.player, i])
    s.piles[pile] = card
    put(s.out, card)
    s.n_out += 1
    for k in range(i, s.sizes[player] - 1):
        s.cards[player, k] = s.cards[player, k + 1]
    s.sizes[player] -= 1
    s.cards[player, s.sizes[player]] = 0
    s.needed -= 1
    s.played += 1
    if moved < 0:
        s.tricks += 1
    note(s, log, PLAY, player, pile, card, moved)


@njit
def accept(s, book, play, log):
    """Carry out a play of the player on turn, or return why it is not allowed (and change nothing)."""
    if play == STOP:
        if s.needed > 0:
            return BEFORE_MINIMUM
        s.turn_over = 1
        return FINE
    card, pile = play >> 2, play & 3
    for i in range(s.sizes[s.player]):
        if s.cards[s.player, i] == card:
            moved = movement(card, np.int64(s.piles[pile]), pile, book.trick)
            if moved == ILLEGAL:
                return DOES_NOT_FIT
            put_down(s, i, pile, moved, log)
            return FINE
    return NOT_HELD


@njit
def hear(s, player, said, log):
    """Show a player's four hints to all, or return why they are not allowed."""
    for pile in range(4):
        if said[pile] < NOTHING or said[pile] > NO_BIG_JUMP:
            return NO_SUCH_HINT
    for pile in range(4):
        if s.hints[player, pile] != said[pile]:
            s.hints[player, pile] = said[pile]
            note(s, log, HINT, player, pile, 0, said[pile])
    return FINE


# --- what a player may know ------------------------------------------------------------------------------------------
@njit
def fill_view(view, s, book, player, memory, hears):
    """Fill in what the player may know: its hand, the piles, counts, and hints and memory if it uses them."""
    view.n_cards = s.sizes[player]
    for i in range(MAX_HAND):
        view.cards[i] = s.cards[player, i]
    for k in range(book.players):
        other = (player + k) % book.players
        view.sizes[k] = s.sizes[other]
        for pile in range(4):
            view.hints[k, pile] = s.hints[other, pile] if hears and k > 0 else NOTHING
    for pile in range(4):
        view.piles[pile] = s.piles[pile]
    fill_unseen(view, s, book, memory)
    view.players, view.deck_left = book.players, book.deck - s.drawn
    view.needed, view.played = max(s.needed, 0), s.played
    view.minimum_when_empty, view.full_hand = book.minimum_when_empty, book.hand
    view.trick, view.passes, view.deck = book.trick, book.passes, book.deck
    view.key = mix(s.key + EPOCH * U64(s.n_out) + PLAYER * U64(player + 1))
    view.draws = 0


@njit
def fill_unseen(view, s, book, memory):
    """The cards neither put down nor in the own hand: a matter of memory, since only the tops of the piles show."""
    view.unseen[0], view.unseen[1] = U64(0), U64(0)
    view.memory = 1 if memory else 0
    if memory:
        for card in range(2, book.deck + 2):
            put(view.unseen, card)
        view.unseen[0] &= ~s.out[0]
        view.unseen[1] &= ~s.out[1]
        for i in range(view.n_cards):
            take(view.unseen, view.cards[i])
