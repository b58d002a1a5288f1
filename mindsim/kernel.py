"""An epoch of a batch of games, compiled: which moment comes first, and what follows from it.

Entry points (`@entry`) work on a whole batch:

    deal_first     begin a game in every place of the batch
    carry_out      turn intended waits into true moments, as clocks and reaction times will have it
    choose_calls   find out, where hands or stops are up, which of them come before the next card
    advance        let the earliest moment of every game happen, with all that follows from it, and lay out the rows
                   that policies are asked about in the next epoch

What this file leaves to others: what the rules say is in `rulebook`; who decides what and when is asked in `simulate`;
what a player may see is cut out by `observation`. Section numbers are those of ``docs/rules.md``.
"""
from __future__ import annotations

import numpy as np
from numba import njit

from mindsim import rng
from mindsim.bits import fetch, fetch_entry, popcount
from mindsim.jit import entry, inlined, inner
from mindsim.rng import EPOCH, PLAYER, TIE, below, channel, mix
from mindsim.rulebook import (
    begin_game,
    begin_level,
    end_game,
    end_level,
    entry_of,
    land,
    mistake,
    note,
    read_piles,
    spend_star,
    stall,
    stop,
)  # fmt: skip
from mindsim.state import (
    ALL,
    CARD_FIRST,
    CLOCK,
    INF,
    LOST,
    NONE,
    NOTHING,
    ONE,
    PLAYING,
    POLICY,
    REACTION,
    SEE_PLAY,
    STALLED,
    STAR_FIRST,
    STOP_FIRST,
    TIED,
    ZERO,
)  # fmt: skip

U64 = np.uint64
_TIE = channel(TIE)
BLOCK = 64  # games resolved before their rows are laid
NOBODY_ELSE = np.array([0.0, INF])  # what a player alone is ahead by (looked up: a branch would be mispredicted)
AHEAD = 10  # games between the one that is resolved and the one whose record is fetched from memory
SOON = 4  # games between it and the one whose record has arrived, so that one can see what else it will want


# --- a card, with its consequences (sections 5 to 8) ------------------------------------------------------------------
@inner
def is_right(r, k):
    """Whether nobody holds a lower card of the same track than place k does."""
    right = True
    for q in range(k % len(r.hidden), len(r.low), len(r.hidden)):
        right &= r.low[q] >= r.low[k]
    return right


@inner
def why(r, wrong, first, rows):
    """Whether clock or policy let the card of place `wrong` (just played) be first.

    The clock, "if the smallest intended wait of that epoch belonged to a right card (to right cards only, if several
    share it)".
    """
    least = rows.intended[first + wrong]
    for k in range(len(r.low)):
        if r.low[k] != NONE:
            least = min(least, rows.intended[first + k])
    if rows.intended[first + wrong] == least:
        return POLICY
    for k in range(len(r.low)):
        if k != wrong and r.low[k] != NONE and rows.intended[first + k] == least and not is_right(r, k):
            return POLICY
    return CLOCK


@inner
def play(r, k, at, cause, first, rows, log):
    """A card lands, with all its consequences; a cause of POLICY means that the reason must still be found."""
    card = np.int64(r.low[k])
    early = land(r, k, at)
    if len(log.when) > 0:
        note(log, r, r.elapsed + at, SEE_PLAY, k // len(r.hidden), k % len(r.hidden), card, NOTHING)
    if early:
        if cause == POLICY:
            cause = why(r, k, first, rows)
        mistake(r, k, card, cause, r.elapsed + at, log)


# --- from intention to act (section 4) -------------------------------------------------------------------------------
@entry
def take_rates(rate, seats, players, out):
    """Put a group's rates, game by game, in their places of a grid [live game, player]; returns how many are none.

    None: NaN, infinite, or not above 0.
    """
    bad, n = 0, len(seats)
    if n == players:  # the usual case, in vector instructions
        for i in range(len(rate)):
            bad += not 0.0 < rate[i] < INF
            out[i] = rate[i]
        return bad
    for a in range(len(rate) // n):
        for i in range(n):
            value = rate[a * n + i]
            bad += not 0.0 < value < INF
            out[a * players + seats[i]] = value
    return bad


@entry
def keys_of_acts(at, tracks, seat_key, out):
    """The keys of the draws of acts, from those of their players."""
    half = U64(tracks - 1)
    for i in range(len(out)):
        place = U64(at[i])
        out[i] = seat_key[place >> half] + rng.TRACK * (place & half)


@entry
def carry_out(wait, at, tracks, rate, intended, executed):
    """A wait ends after ``wait x rate`` true seconds; returns how many waits are none (NaN or negative).

    `at` is the row's index on the grid of places; that over `tracks` (1 or 2) is the player's.
    """
    bad = 0
    half = U64(tracks - 1)
    for i in range(len(wait)):
        place = U64(at[i])
        bad += not wait[i] >= 0.0
        intended[place] = wait[i]
        executed[place] = max(wait[i] * rate[place >> half], 0.0) + 0.0  # + 0.0: never minus zero
    return bad


@entry
def carry_out_late(wait, at, tracks, rate, least, motor, intended, executed):
    """The same with reaction time and an unsteady hand: ``max(wait x rate, least) + motor``, never below 0."""
    bad = 0
    half = U64(tracks - 1)
    for i in range(len(wait)):
        place = U64(at[i])
        bad += not wait[i] >= 0.0
        intended[place] = wait[i]
        executed[place] = max(max(wait[i] * rate[place >> half], least[i]) + motor[i], 0.0) + 0.0
    return bad


@entry
def reaction_floor(games, live, at, tracks, reaction, out):
    """Nobody begins an act sooner than a reaction time after another's act; a level's start is nobody's act."""
    players, half = U64(len(games[0].felt)), U64(tracks - 1)
    for i in range(len(out)):
        seat = U64(at[i]) >> half
        a = seat // players
        r = games[U64(live[a])]
        anothers = r.level_epoch > 0 and r.last_player != np.int64(seat - a * players)
        out[i] = reaction[seat] if anothers else 0.0


# --- which moment is first (sections 5 and 6) ------------------------------------------------------------------------
@inner
def fair_draw(r, n):
    """One of n equal candidates, by the game's tie stream, never by seat order."""
    if n == 1:
        return 0
    u = mix(r.key + EPOCH * U64(r.epoch) + _TIE + rng.CALL * U64(r.draws))
    r.draws += 1
    return np.int64(below(u, U64(n)))


@inner
def earliest(r, places, first, rows):
    """Among a set of places: the one whose card is due first, by a fair draw if several are; and how many are."""
    least, n = INF, NOTHING
    for k in range(len(r.low)):
        if places & (ONE << U64(k)):
            due = rows.executed[first + k]
            n = 1 if due < least else n + (due == least)
            least = min(least, due)
    pick = fair_draw(r, n)
    for k in range(len(r.low)):
        if places & (ONE << U64(k)) and rows.executed[first + k] == least:
            if pick == 0:
                return k, n
            pick -= 1
    return 0, n


@inner
def in_flight(r, a, k, moment, first, rows, seats):
    """Whether the card of place k is due within its owner's reaction after `moment`, so that it cannot be held back."""
    p = k // len(r.hidden)
    reaction = seats.reaction[a * len(r.felt) + p]
    return reaction > 0.0 and rows.executed[first + k] <= moment + reaction


@inner
def overtaken(r, k):
    """The set of places whose card is set aside if that of place k lands now: the lower ones of a face-up pile."""
    t = k % len(r.hidden)
    places = ZERO
    for q in range(t, len(r.low), len(r.hidden)):
        places |= ONE << U64(q) if r.low[q] < r.low[k] and not r.hidden[t] else ZERO
    return places


@inner
def play_cards(r, a, first, rows, seats, log):
    """The first card lands and then, in time order, every card in flight; returns when the last one landed.

    "The window is counted from the first landing, not chained." A card set aside meanwhile does not land, nor does
    anything after the last life or after the level's time limit.
    """
    places = ZERO
    for k in range(len(r.low)):
        places |= ONE << U64(k) if r.low[k] != NONE else ZERO
    k, n = earliest(r, places, first, rows)
    landed = rows.executed[first + k]
    flying = ZERO
    if len(seats.reaction) > 0:
        for q in range(len(r.low)):
            if q != k and r.low[q] != NONE and in_flight(r, a, q, landed, first, rows, seats):
                flying |= ONE << U64(q)
    flying &= ~overtaken(r, k)
    play(r, k, landed, TIED if n > 1 else POLICY, first, rows, log)
    r.last_plays = 1
    while flying != ZERO and r.lives > 0:
        k, n = earliest(r, flying, first, rows)
        flying ^= ONE << U64(k)
        due = rows.executed[first + k]
        if r.elapsed + due <= r.limit:
            flying &= ~overtaken(r, k)
            play(r, k, due, REACTION, first, rows, log)
            r.last_plays += 1
            landed = due
    return landed


# --- stars and stops (sections 9 and 10) -----------------------------------------------------------------------------
@inner
def preempted(r, a, moment, first, rows, seats):
    """Whether a card comes before a call at `moment`: due earlier, or within its owner's reaction after it."""
    for k in range(len(r.low)):
        if rows.executed[first + k] < moment:
            return True
        if len(seats.reaction) > 0 and r.low[k] != NONE and in_flight(r, a, k, moment, first, rows, seats):
            return True
    return False


@inner
def first_call(r, a, calls):
    """When somebody calls first; never, if that is after the level's time limit."""
    players = len(r.felt)
    least = INF
    for p in range(players):
        least = min(least, calls[a * players + p])
    return least if r.elapsed + least <= r.limit else INF


@inner
def caller(r, a, calls, moment):
    """Who calls at that moment, by a fair draw among equals."""
    players = len(r.felt)
    n = NOTHING
    for p in range(players):
        n += calls[a * players + p] == moment
    pick = fair_draw(r, n)
    for p in range(players):
        if calls[a * players + p] == moment:
            if pick == 0:
                return p
            pick -= 1
    return 0


@entry
def with_star(games, live, which):
    """List the live games whose team has a star; returns how many there are."""
    n = NOTHING
    for a in range(len(live)):
        which[n] = a
        n += games[U64(live[a])].stars > 0
    return n


@entry
def with_stop(games, live, max_stops, which):
    """List the live games in which a stop may still be called; returns how many there are."""
    n = NOTHING
    for a in range(len(live)):
        which[n] = a
        n += games[U64(live[a])].stops_here < max_stops
    return n


@inlined
def card_before_calls(rows, first, places, seats, first_seat, players):
    """Whether a card of a game is due before every hand and stop, even those that do not count."""
    due, call = INF, INF
    for k in range(places):
        due = min(due, rows.executed[first + k])
    if len(seats.stop) > 0:
        for p in range(players):
            call = min(call, seats.stop[first_seat + p])
    if len(seats.hand_up) > 0:
        for p in range(players):
            call = min(call, seats.hand_up[first_seat + p])
    return due < call


@entry
def choose_calls(games, live, which, rows, seats, calls, book):
    """For the live games `which`: does a stop, a hand or a card come first? Returns how many hands do.

    "Exact ties: stop before hand before card." A hand counts while the team has a star, a stop while the level's
    allowance lasts.
    """
    hands, places, players = 0, len(games[0].low), len(games[0].felt)
    for a in which:
        calls.kind[a] = CARD_FIRST
        if card_before_calls(rows, a * places, places, seats, a * players, players):
            continue  # as nearly always: the record need not be read
        r = games[U64(live[a])]
        first = a * len(r.low)
        stopped, raised = INF, INF
        if len(seats.stop) > 0 and r.stops_here < book.max_stops:
            stopped = first_call(r, a, seats.stop)
        if len(seats.hand_up) > 0 and r.stars > 0:
            raised = first_call(r, a, seats.hand_up)
        moment = min(stopped, raised)
        if moment < INF and not preempted(r, a, moment, first, rows, seats):
            stops = stopped <= raised
            calls.kind[a] = STOP_FIRST if stops else STAR_FIRST
            calls.who[a] = caller(r, a, seats.stop, moment) if stops else caller(r, a, seats.hand_up, moment)
            calls.when[a] = moment
            hands += not stops
    return hands


# --- an epoch of every game ------------------------------------------------------------------------------------------
@njit(inline="always")
def low_bits(n):
    """A mask of as many low bits as numbers below n need (at most 32 numbers)."""
    return U64(7) if n <= 8 else (U64(15) if n <= 16 else U64(31))


@inner
def feel_epoch(r, a, moment, feel):
    """Time passes for everybody as it seems to him or her, with tops that rose somewhere in the epoch (see `land`)."""
    tracks = len(r.hidden)
    for p in range(len(r.felt)):
        rate = feel[a * len(r.felt) + p]
        felt = moment / rate
        r.last_wait[p] = felt
        r.felt[p] += felt
        for q in range(p * tracks, (p + 1) * tracks):
            r.since[q] = (moment + r.since[q]) / rate if r.since[q] < 0.0 else r.since[q] + felt


@inlined
def end_epoch(r, results, table, book, log):
    """What follows from the epoch: piles are read, everybody refocuses, a level or the game ends."""
    if r.left == 0 and r.lives > 0:
        read_piles(r, book.breaks, log)
    if r.refocus:
        r.refocus = 0
        r.duration += book.refocus if r.lives > 0 else 0.0
    if r.lives <= 0:
        return LOST
    if r.left == 0:
        return end_level(r, results, table, book, log)
    return STALLED if r.level_epoch >= book.max_epochs else PLAYING


@inlined
def fetch_level(r, results, first_game):
    """Ask for the memory where a level's results will be written: a store has to wait for it as a load does."""
    game, level = entry_of(r.game, first_game, len(results.outcome)), U64(np.int64(r.level))
    fetch_entry(results.level_time, (game, level))
    fetch_entry(results.level_stars, (game, level))
    fetch_entry(results.level_mistakes, (game, level, ZERO))


@inlined
def resolve(games, live, start, stop_at, still, rows, seats, calls, longest_reaction, results, table, book, log):
    """Let the earliest moment of the live games start..stop_at-1 happen; returns how many of all so far go on.

    The hot path is a single card, with nothing else due at the same time. Its minimum is taken over integers: a
    non-negative float64 is ordered like its bit pattern, whose last bits are replaced by the place. Moments that agree
    but for those bits (`close`), and all that is rare (ties, flights, stars, stops), are left to exact and slower
    functions, which receive arrays only when they are called.
    """
    due, feel, executed = rows.bits, seats.feel, rows.executed  # once: reading a field of a tuple counts references
    kinds, moments = calls.kind, calls.when
    places = len(games[0].low)
    players = len(games[0].felt)
    tracks = places // players
    mask = low_bits(places)
    logging, calling = len(log.when) > 0, len(calls.kind) > 0
    reacting = longest_reaction > 0.0 and places > 1
    max_epochs = book.max_epochs
    for a in range(start, stop_at):
        r = games[U64(live[U64(a)])]
        fetch(games[U64(live[U64(min(a + AHEAD, stop_at - 1))])])
        soon = games[U64(live[U64(min(a + SOON, stop_at - 1))])]
        if soon.left == 1:  # its level will most likely end
            fetch_level(soon, results, table.first)
        first = U64(a * places)
        best, second = ALL, ALL
        for k in range(places):
            moment = (due[first + U64(k)] & ~mask) | U64(k)
            second = min(second, max(best, moment))
            best = min(best, moment)
        k, close = np.int64(best & mask), (best ^ second) <= mask
        moment = executed[first + U64(k)]
        kind = kinds[a] if calling else CARD_FIRST
        if kind != CARD_FIRST:
            moment = moments[a]
        elif close:
            for q in range(places):
                moment = min(moment, executed[first + U64(q)])
        outcome = PLAYING
        if moment == INF or r.elapsed + moment > r.limit:
            outcome = stall(r)
        else:
            if (
                kind == CARD_FIRST
                and not close
                and not (reacting and U64(second & ~mask).view(np.float64) <= moment + longest_reaction)
            ):
                for p in range(players):
                    felt = moment / feel[U64(a * players + p)]
                    r.last_wait[p] = felt
                    r.felt[p] += felt
                    for q in range(p * tracks, (p + 1) * tracks):
                        r.since[q] += felt
                card = np.int64(r.low[k])
                r.last_plays = 1
                early = land(r, k, 0.0)  # at the end of the epoch, which has been felt already
                if logging:
                    note(log, r, r.elapsed + moment, SEE_PLAY, k // tracks, k % tracks, card, NOTHING)
                if early:
                    mistake(r, k, card, why(r, k, a * places, rows), r.elapsed + moment, log)
            else:
                if kind == STAR_FIRST:
                    spend_star(r, a, a * places, calls, rows, log)
                elif kind == STOP_FIRST:
                    stop(r, a, calls, log)
                else:
                    moment = play_cards(r, a, a * places, rows, seats, log)
                feel_epoch(r, a, moment, feel)
            r.elapsed += moment
            r.duration += moment
            r.epoch += 1
            r.level_epoch += 1
            r.draws = 0
            if r.left == 0 or r.refocus or r.level_epoch >= max_epochs:
                outcome = end_epoch(r, results, table, book, log)
        if outcome > PLAYING:
            end_game(r, outcome, results, table, log)
            if table.next[0] == table.n_games:
                continue
            begin_game(r, np.int64(live[U64(a)]), table, book)
        if outcome != PLAYING:
            begin_level(r, table, book, log)
        live[U64(still)] = live[U64(a)]
        still += 1
    return still


@inner
def held(r):
    """The set of places that hold a card."""
    places = ZERO
    for k in range(len(r.low)):
        places |= U64(r.low[k] != NONE) << U64(k)
    return places


@inlined
def lay_group(games, live, start, stop_at, i, rows):
    """Lay the rows of group i, one for each of its cards that may come next.

    A row of a place that holds no card, or is not in the group, is overwritten by the next one: no branches.
    """
    at, gap, head_start, members, n = rows.at, rows.gap, rows.head_start, rows.members[i], U64(rows.filled[i])
    places, tracks = len(games[0].low), len(games[0].hidden)
    for a in range(start, stop_at):
        r = games[U64(live[U64(a)])]
        holding = held(r)
        holders = holding if tracks == 1 else (holding | (holding >> ONE)) & U64(0x5555555555555555)
        nobody_else = NOBODY_ELSE[np.int64(popcount(holders) == 1)]
        mine = holding & members
        for k in range(places):
            at[n] = a * places + k
            gap[n] = np.int64(r.low[k]) - np.int64(r.top[k])
            head_start[n] = r.since[k] + nobody_else
            n += (mine >> U64(k)) & ONE
    rows.filled[i] = n


@inlined
def lay_rows(games, live, start, stop_at, rows, seats):
    """Write down, for the live games start..stop_at-1, the cards that may come next and the keys of their draws."""
    executed, key = rows.executed, seats.key
    places, players = len(games[0].low), len(games[0].felt)
    for a in range(start, stop_at):
        r = games[U64(live[U64(a)])]
        moment = r.key + EPOCH * U64(r.epoch)
        for k in range(places):
            executed[U64(a * places + k)] = INF
        for p in range(players):
            key[U64(a * players + p)] = moment + PLAYER * U64(p + 1)
    for i in range(len(rows.filled)):
        lay_group(games, live, start, stop_at, i, rows)


@inner
def no_rows(rows):
    """Begin to lay rows anew."""
    for i in range(len(rows.filled)):
        rows.filled[i] = rows.begin[i]


@entry
def deal_first(games, live, rows, seats, table, book, log):
    """Begin a game in every record, and lay the first rows."""
    for g in range(len(games)):
        begin_game(games[g], g, table, book)
        begin_level(games[g], table, book, log)
    no_rows(rows)
    lay_rows(games, live, NOTHING, len(live), rows, seats)


@entry
def advance(games, live, rows, seats, calls, longest_reaction, results, table, book, log):
    """One epoch of all live games: resolve it and lay the rows of the next; returns how many games go on.

    In blocks of games, so that a record is still in the cache when its rows are laid.
    """
    no_rows(rows)
    table.n_begun[0] = 0
    n, still = len(live), NOTHING  # not 0: see `state`
    for start in range(0, n, BLOCK):
        was = still
        stop_at = min(start + BLOCK, n)
        still = resolve(
            games, live, start, stop_at, still, rows, seats, calls, longest_reaction, results, table, book, log
        )
        lay_rows(games, live, was, still, rows, seats)
    return still
