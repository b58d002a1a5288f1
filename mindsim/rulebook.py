"""The rule book of The Mind, compiled: short functions named as the book names things.

A game is one record of a structured array (`state.game_dtype`); functions take the record alone, since passing arrays
to small compiled functions costs more than the functions do. This file knows ranks only. Section numbers are those of
``docs/rules.md``.

What this file leaves to others: when things happen, and to which games, is in `kernel`.
"""
from __future__ import annotations

import numpy as np
from numba import njit

from mindsim.bits import leading_zeros, popcount, trailing_zeros
from mindsim.jit import inlined, inner
from mindsim.rng import DEAL, LEVEL, below, channel, game_key, mix, stream
from mindsim.state import (
    A_LIFE,
    A_STAR,
    ALL,
    BLIND,
    BY_MISTAKE,
    BY_STAR,
    DECK_ROOM,
    INF,
    LOG_DEAL,
    LOG_DISCARD,
    LOG_END,
    LOG_REWARD,
    N_CAUSES,
    NOBODY,
    NONE,
    NOTHING,
    ONE,
    PASSED,
    SEE_LEVEL,
    SEE_MISTAKE,
    SEE_PLAY,
    SEE_STAR,
    SEE_STOP,
    STALLED,
    WON,
    ZERO,
)  # fmt: skip

U64 = np.uint64
_DEAL = channel(DEAL)


@inner
def note(log, r, time, event, player, track, card, cause):
    """Write one line of the log."""
    n, what = U64(log.n[0]), log.what
    log.game[n], log.when[n] = r.game - log.first, time
    what[n, 0], what[n, 1], what[n, 2], what[n, 3] = r.level + 1, event, player, track
    what[n, 4], what[n, 5], what[n, 6], what[n, 7] = card, r.lives, r.stars, cause
    log.n[0] += 1


# --- hands -----------------------------------------------------------------------------------------------------------
@njit(inline="always")
def lowest(word0, word1):
    """The lowest rank of a set; NONE if it is empty."""
    low = trailing_zeros(word0) if word0 != ZERO else 64 + trailing_zeros(word1)
    return low if (word0 | word1) != ZERO else NONE


@njit(inline="always")
def bit(rank, word):
    """The word (0 or 1) of a set that holds only this rank."""
    return ONE << U64(rank & 63) if rank >> 6 == word else ZERO


@njit(inline="always")
def lower_than(rank, word):
    """The word (0 or 1) of the set of all ranks below `rank`."""
    if word == 0:
        return ALL if rank >= 64 else (ONE << U64(rank)) - ONE
    return ZERO if rank <= 64 else (ONE << U64(rank - 64)) - ONE


@njit(inline="always")
def take_lowest(r, k):
    """The lowest card leaves the hand."""
    word0, word1 = r.hand[k, 0], r.hand[k, 1]
    word1 = word1 & (word1 - ONE) if word0 == ZERO else word1
    word0 = word0 & (word0 - ONE)  # stays 0 if it is 0
    r.hand[k, 0], r.hand[k, 1] = word0, word1
    r.low[k] = lowest(word0, word1)
    r.left -= 1


# --- dealing (section 1) ---------------------------------------------------------------------------------------------
@inlined
def deal_hands(r, cards, book, table):
    """Deal `cards` cards to each player: player 0 the first ones of a shuffled deck, player 1 the next ...

    The shuffle is that of Fisher and Yates, by the level's own stream of random numbers; it ends with the last card
    that is wanted, and a card that has been drawn is not put back at the front, where nobody would look for it again.
    """
    deck, tracks = table.deck, len(r.hidden)
    start = mix(r.key + _DEAL + LEVEL * U64(r.level + 1))
    for i in range(DECK_ROOM):  # all the room there is: a length known beforehand takes a few vector instructions
        deck[i] = i
    for k in range(len(r.low)):
        r.hand[k, 0], r.hand[k, 1] = ZERO, ZERO
    i = ZERO
    for p in range(len(r.low) // tracks):
        for _ in range(cards):
            j = i + below(stream(start, i), U64(book.ranks * tracks) - i)
            card = np.int64(deck[j])
            deck[j] = deck[i]
            i += ONE
            t = card >= book.ranks if tracks > 1 else False
            rank = card + 1 - t * book.ranks
            r.hand[p * tracks + t, rank >> 6] |= ONE << U64(rank & 63)


@inner
def take_given(r, table):
    """Take the hands of this level from the given deals."""
    at = r.game - table.first if len(table.given) > 1 else 0
    level = np.int64(r.level)
    for k in range(len(r.low)):
        r.hand[k, 0], r.hand[k, 1] = table.given[at, level, k, 0], table.given[at, level, k, 1]


@inlined
def begin_level(r, table, book, log):
    """All have concentrated: level time 0, every pile's top is rank 0."""
    level = np.int64(r.level)
    cards = book.cards[level]
    if len(table.given) > 0:
        take_given(r, table)
    else:
        deal_hands(r, cards, book, table)
    tracks = len(r.hidden)
    for t in range(tracks):
        r.hidden[t], r.on_pile[t] = book.hidden[level, t], 0
        r.seen[t, 0], r.seen[t, 1] = ZERO, ZERO
    for k in range(len(r.low)):
        r.low[k] = lowest(r.hand[k, 0], r.hand[k, 1])
        r.top[k], r.floors[k], r.since[k] = 0, 0, 0.0
        r.felt[k // tracks] = 0.0
    for cause in range(N_CAUSES):
        r.mistakes[cause] = 0
    r.left = cards * (len(r.low) // tracks)
    r.limit = book.limit[level]
    r.elapsed, r.level_epoch, r.stars_here, r.stops_here = 0.0, 0, 0, 0
    r.duration += book.refocus
    if len(log.when) > 0:
        note_deal(log, r)


@inner
def note_deal(log, r):
    """Log every card dealt, by player, track and rank, then that the level starts."""
    tracks = len(r.hidden)
    for k in range(len(r.low)):
        for word in range(2):
            hand = r.hand[k, word]
            while hand != ZERO:
                note(log, r, 0.0, LOG_DEAL, k // tracks, k % tracks, trailing_zeros(hand) + 64 * word, NOTHING)
                hand &= hand - ONE
    note(log, r, 0.0, SEE_LEVEL, NOBODY, NOTHING, NOTHING, NOTHING)


@inlined
def begin_game(r, slot, table, book):
    """The next game sits down in this record, that of number `slot`; its first level is still to begin."""
    number = table.first + table.next[0]
    table.next[0] += 1
    table.begun[table.n_begun[0]] = slot
    table.n_begun[0] += 1
    r.game = number
    r.key = game_key(table.seed, U64(number))
    r.level, r.lives, r.stars = 0, book.lives, book.stars
    r.stars_used, r.lost, r.played, r.epoch, r.duration = 0, 0, 0, 0, 0.0
    for p in range(len(r.last_wait)):
        r.last_wait[p] = 0.0
    r.last_event, r.last_player, r.last_track, r.last_card, r.last_plays = SEE_LEVEL, -1, 0, 0, 0
    r.refocus = 0


# --- a card (sections 5 to 8) ----------------------------------------------------------------------------------------
@njit(inline="always")
def land(r, k, at):
    """The lowest card of place k lands, `at` seconds into the epoch; True if it is a mistake that all can see.

    "A card lands, face up. It becomes the top. If anyone holds a lower rank of that track: a mistake." Face down it
    is seen by its owner only, and nobody can call a mistake.
    """
    tracks = len(r.hidden)
    t = k % tracks
    card = r.low[k]
    take_lowest(r, k)
    r.played += 1
    r.last_event, r.last_player, r.last_track = SEE_PLAY, k // tracks, t
    if r.hidden[t]:
        r.pile[t, r.on_pile[t]], r.put_by[t, r.on_pile[t]] = card, k // tracks
        r.on_pile[t] += 1
        r.top[k], r.since[k], r.last_card = card, 0.0 - at, 0
        return False
    r.last_card, r.floors[k] = card, card
    lowest_left = np.uint8(NONE)
    for q in range(t, len(r.low), tracks):
        lowest_left = min(lowest_left, r.low[q])
        r.top[q], r.since[q] = card, 0.0 - at
    return lowest_left < card


@inner
def lose_life(r, player, t, card, cause, time, log):
    """A mistake costs one life, whatever the number of cards."""
    r.lives -= 1
    r.mistakes[cause] += 1
    if len(log.when) > 0:
        note(log, r, time, SEE_MISTAKE, player, t, card, cause)


@inner
def set_aside_below(r, t, card, time, log):
    """Every lower card of the track, in every hand, is set aside face up."""
    tracks = len(r.hidden)
    for k in range(t, len(r.low), tracks):
        if r.low[k] >= card:
            continue
        out0, out1 = r.hand[k, 0] & lower_than(card, 0), r.hand[k, 1] & lower_than(card, 1)
        n = popcount(out0) + popcount(out1)
        r.left -= n
        r.lost += n
        r.hand[k, 0] ^= out0
        r.hand[k, 1] ^= out1
        r.seen[t, 0] |= out0
        r.seen[t, 1] |= out1
        r.low[k] = lowest(r.hand[k, 0], r.hand[k, 1])
        r.floors[k] = 127 - leading_zeros(out1) if out1 != ZERO else 63 - leading_zeros(out0)
        if len(log.when) > 0:
            for rank in range(1, card):
                if (out0 & bit(rank, 0)) | (out1 & bit(rank, 1)):
                    note(log, r, time, LOG_DISCARD, k // tracks, t, rank, BY_MISTAKE)


@inner
def mistake(r, k, card, cause, time, log):
    """A card was put down too early: a life, the lower cards, and everybody refocuses."""
    t = k % len(r.hidden)
    lose_life(r, k // len(r.hidden), t, card, cause, time, log)
    set_aside_below(r, t, card, time, log)
    r.last_event, r.refocus = SEE_MISTAKE, 1


# --- stars and stops (sections 9 and 10) -----------------------------------------------------------------------------
@inner
def give_track(r, p, wish, first, rows):
    """The place from which player p sets a card aside: its wish, else where it would have played sooner."""
    tracks = len(r.hidden)
    if wish >= 0 and r.low[p * tracks + wish] != NONE:
        return p * tracks + wish
    place, least = -1, INF
    for k in range(p * tracks, (p + 1) * tracks):
        wait = rows.intended[first + k]
        if r.low[k] != NONE and (place < 0 or wait < least):
            place, least = k, wait
    return place


@inner
def spend_star(r, a, first, calls, rows, log):
    """One star is spent; every player with cards sets its lowest card aside face up; no life is lost."""
    tracks = len(r.hidden)
    time = r.elapsed + calls.when[a]
    r.stars -= 1
    r.stars_used += 1
    r.stars_here += 1
    r.last_event, r.last_player, r.last_track, r.last_card, r.last_plays = SEE_STAR, calls.who[a], 0, 0, 0
    r.refocus = 1
    if len(log.when) > 0:
        note(log, r, time, SEE_STAR, calls.who[a], NOTHING, NOTHING, NOTHING)
    for p in range(len(r.felt)):
        k = give_track(r, p, calls.track[a, p], first, rows)
        if k < 0:
            continue
        t, card = k % tracks, np.int64(r.low[k])
        r.seen[t, card >> 6] |= ONE << U64(card & 63)
        r.floors[k] = card
        take_lowest(r, k)
        if len(log.when) > 0:
            note(log, r, time, LOG_DISCARD, p, t, card, BY_STAR)


@inner
def stop(r, a, calls, log):
    """No card moves; everyone refocuses."""
    r.stops_here += 1
    r.last_event, r.last_player, r.last_track, r.last_card, r.last_plays = SEE_STOP, calls.who[a], 0, 0, 0
    r.refocus = 1
    if len(log.when) > 0:
        note(log, r, r.elapsed + calls.when[a], SEE_STOP, calls.who[a], NOTHING, NOTHING, NOTHING)


# --- the end of a level (sections 8, 11, 12) -------------------------------------------------------------------------
@inner
def read_pile(r, t, breaks, log):
    """Turn a face-down pile up and read it in the order played; reading stops at the last life.

    As face up: "each card put down over at least one lower card still to come is one mistake, those lower cards are
    taken out, reading goes on". Breaks: "one mistake wherever a card is lower than the one before it".
    """
    n = np.int64(r.on_pile[t])
    for i in range(n):
        card = np.int64(r.pile[t, i])
        if r.lives <= 0 or card == 0:  # 0: taken out
            continue
        end = min(i + 2, n) if breaks else n
        early = False
        for j in range(i + 1, end):
            early |= 0 < r.pile[t, j] < card
        if early:
            r.refocus = 1
            lose_life(r, np.int64(r.put_by[t, i]), t, card, BLIND, r.elapsed, log)
            if not breaks:
                take_out_below(r, t, i, card, log)


@inner
def read_piles(r, breaks, log):
    """When the hands are empty, what lies face down is turned up, white first."""
    for t in range(len(r.hidden)):
        if r.on_pile[t] > 0:
            read_pile(r, t, breaks, log)


@inner
def take_out_below(r, t, i, card, log):
    """The lower cards that come after the i-th of a face-down pile are taken out."""
    for j in range(i + 1, np.int64(r.on_pile[t])):
        lower = np.int64(r.pile[t, j])
        if 0 < lower < card:
            r.pile[t, j] = 0
            r.played -= 1
            r.lost += 1
            if len(log.when) > 0:
                note(log, r, r.elapsed, LOG_DISCARD, np.int64(r.put_by[t, j]), t, lower, BY_MISTAKE)


@inner
def take_reward(r, reward, book, log):
    """The level's reward, up to the caps; the surplus is lost."""
    gains_life = reward == A_LIFE and r.lives < book.max_lives
    gains_star = reward == A_STAR and r.stars < book.max_stars
    r.lives += gains_life
    r.stars += gains_star
    if (gains_life or gains_star) and len(log.when) > 0:
        note(log, r, r.elapsed, LOG_REWARD, NOBODY, NOTHING, NOTHING, reward)


@inner
def entry_of(game, first_game, entries):
    """Where a game's results are written; an unsigned word, since indices that may be negative cost more."""
    return U64(game - first_game) % U64(entries)


@inlined
def note_level(r, results, first_game):
    """Write down what the level cost."""
    i, level = entry_of(r.game, first_game, len(results.outcome)), U64(np.int64(r.level))
    results.level_time[i, level] = r.elapsed
    results.level_stars[i, level] = r.stars_here
    for cause in range(N_CAUSES):
        results.level_mistakes[i, level, cause] = r.mistakes[cause]


@inlined
def end_level(r, results, table, book, log):
    """All hands are empty and a life is left: take the reward; the next level is still to begin."""
    take_reward(r, book.reward[r.level], book, log)
    if r.level + 1 == len(book.cards):
        return WON
    note_level(r, results, table.first)
    r.level += 1
    return PASSED


@inlined
def end_game(r, outcome, results, table, log):
    """Write the game's results down."""
    note_level(r, results, table.first)
    i = entry_of(r.game, table.first, len(results.outcome))
    results.outcome[i], results.level[i] = outcome, r.level + 1
    results.lives[i], results.stars[i], results.stars_used[i] = r.lives, r.stars, r.stars_used
    results.lost[i], results.played[i], results.epochs[i] = r.lost, r.played, r.epoch
    results.duration[i] = r.duration
    if len(log.when) > 0:
        note(log, r, r.elapsed, LOG_END, NOBODY, NOTHING, NOTHING, outcome)


@inner
def stall(r):
    """Nothing will happen any more, or not in time: the level's time runs out, if it is limited."""
    r.epoch += 1
    if r.limit < INF:
        r.duration += r.limit - r.elapsed
        r.elapsed = r.limit
    return STALLED
