"""Cutting what players may see out of the games' records: compiled functions, one field or a few in a pass.

`observation` calls them when a field is first read; `ask` when it lays rows of its own. `hear` and `page` are for
policies that are compiled themselves: all that they may read of a record goes through functions of this file, which
show a player nothing that it could not know.

What this file leaves to others: what the fields mean is said in `observation`; the records are laid out in `state`.
"""
from __future__ import annotations

import numpy as np

from mindsim import rng
from mindsim.bits import fetch, popcount, trailing_zeros
from mindsim.jit import entry, inner

U64 = np.uint64
_ONE, _ZERO, _ALL = U64(1), U64(0), ~U64(0)
_NONE = 255
ROWS_AHEAD = 24  # rows between the one that is looked at and the one that is fetched from memory

# What `Observation.counts` holds, by column.
COUNTS = ("others_cards", "unseen_below", "unseen_all", "held", "card", "left", "face_down")

# What `Observation.glance` and `Observation.standing` hold, by row: what policies that learn look at. `depth`, `cards`
# and `room` are explained in `policies.features`; face down `others`, `cards` and `room` are as at the level's start.
GLANCE = ("depth", "others", "cards", "room")
STANDING = ("own", "held", "dealt", "level", "n_levels", "lives", "stars", "face_down")


# --- what compiled policies may read of a record ----------------------------------------------------------------------
@inner
def hear(r, k):
    """What the player of a place notices: whether it holds a card; whether a level begins; and what happened last.

    That is `last_wait`, `last_event`, `last_card`, `last_track`, `last_player` and `last_plays`.
    """
    p, who, holds = owner(r, k), np.int64(r.last_player), False
    for t in range(len(r.hidden)):
        holds |= r.low[p * len(r.hidden) + t] != _NONE
    clockwise = who - p + len(r.felt) * np.int64(who < p)  # no branch: nobody can foresee who plays
    card, track, player = np.int64(r.last_card), np.int64(r.last_track), -1 if who < 0 else clockwise
    return holds, r.level_epoch == 0, r.last_wait[p], r.last_event, card, track, player, r.last_plays


@inner
def fetch_ahead(games, slot, i):
    """Begin to fetch the record of a row that comes soon: for passes that read much of each."""
    fetch(games[U64(slot[min(i + ROWS_AHEAD, len(slot) - 1)])])


@inner
def page(r, slot, place):
    """Which page of the memory is that of a place's player."""
    return U64(slot) * U64(len(r.felt)) + U64(place) // U64(len(r.hidden))


# --- cutting fields out of records -----------------------------------------------------------------------------------
@inner
def owner(r, place):
    """The player of a place. The number of tracks is part of the record's type, so that nothing is divided."""
    return np.int64(U64(place) // U64(len(r.hidden)))


@inner
def _size(r, k):
    return np.int64(popcount(r.hand[k, 0]) + popcount(r.hand[k, 1]))


@inner
def _player_size(r, p):
    n = 0
    for t in range(len(r.hidden)):
        n += _size(r, p * len(r.hidden) + t)
    return n


@inner
def _clockwise(r, p, q):
    """The q-th player after player p."""
    return (p + q) % len(r.felt)


# The set of ranks n (0 .. 128) and above, as two words.
_FROM = np.array([divmod((1 << 128) - (1 << n), 1 << 64)[::-1] for n in range(129)], U64)


@inner
def _unseen(r, k, ranks):
    """The set of ranks above top that are neither in the own hand nor set aside face up."""
    t, above, beyond = k % len(r.hidden), _FROM[U64(r.top[k]) + _ONE], _FROM[U64(ranks) + _ONE]
    word0 = above[0] & ~(beyond[0] | r.hand[k, 0] | r.seen[t, 0])
    word1 = above[1] & ~(beyond[1] | r.hand[k, 1] | r.seen[t, 1])
    return word0, word1


@inner
def _count(word0, word1):
    return np.int64(popcount(word0) + popcount(word1))


@inner
def _below(word0, word1, rank):
    """How many of a set's ranks lie below `rank`."""
    return _count(word0 & ~_FROM[rank, 0], word1 & ~_FROM[rank, 1])


@entry
def fill_card(games, slot, place, out):
    for i in range(len(out)):
        low = games[U64(slot[i])].low[place[i]]
        out[i] = 0 if low == _NONE else low


@entry
def fill_gap(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        low = np.int64(r.low[place[i]])
        out[i] = 0 if low == _NONE else low - np.int64(r.top[place[i]])


@entry
def fill_top(games, slot, place, out):
    for i in range(len(out)):
        out[i] = games[U64(slot[i])].top[place[i]]


@entry
def fill_since(games, slot, place, out):
    for i in range(len(out)):
        out[i] = games[U64(slot[i])].since[place[i]]


@entry
def fill_felt(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.felt[owner(r, place[i])]


@entry
def fill_last_wait(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.last_wait[owner(r, place[i])]


@entry
def fill_hidden(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.hidden[place[i] % len(r.hidden)] != 0


@entry
def any_hidden(games, slot):
    for i in range(len(slot)):
        for hidden in games[U64(slot[i])].hidden:
            if hidden:
                return True
    return False


@entry
def fill_hand(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        n = 0
        for word in range(2):
            left = r.hand[place[i], word]
            while left != _ZERO:
                out[i, n] = 64 * word + trailing_zeros(left)
                left &= left - _ONE
                n += 1


@entry
def fill_hand_size(games, slot, place, out):
    for i in range(len(out)):
        out[i] = _size(games[U64(slot[i])], place[i])


@entry
def fill_others_cards(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.left - _player_size(r, owner(r, place[i]))


@entry
def fill_hand_sizes(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        p = owner(r, place[i])
        for q in range(len(r.felt)):
            out[i, q] = _player_size(r, _clockwise(r, p, q))


@entry
def fill_floors(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        p, tracks = owner(r, place[i]), len(r.hidden)
        for q in range(len(r.felt)):
            out[i, q] = r.floors[_clockwise(r, p, q) * tracks + place[i] % tracks]


@entry
def fill_unseen(games, slot, place, ranks, out):
    for i in range(len(out)):
        word0, word1 = _unseen(games[U64(slot[i])], place[i], ranks)
        out[i] = _count(word0, word1)


@entry
def fill_unseen_below(games, slot, place, ranks, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        low = r.low[place[i]]
        word0, word1 = _unseen(r, place[i], ranks)
        out[i] = 0 if low == _NONE else _below(word0, word1, U64(low))


@entry
def fill_unseen_all(games, slot, place, ranks, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        first, n = owner(r, place[i]) * len(r.hidden), 0
        for t in range(len(r.hidden)):
            word0, word1 = _unseen(r, first + t, ranks)
            n += _count(word0, word1)
        out[i] = n


@entry
def fill_counts(games, slot, place, ranks, out):
    """All of `COUNTS`, one pass over the records; returns how many rows are of a track built face down."""
    hidden = 0
    for i in range(len(out)):
        r, k = games[U64(slot[i])], place[i]
        p, t, tracks = owner(r, k), k % len(r.hidden), len(r.hidden)
        word0, word1 = _unseen(r, k, ranks)
        low, n = r.low[k], _count(word0, word1)
        out[i, 0] = r.left - _player_size(r, p)
        out[i, 1] = 0 if low == _NONE else _below(word0, word1, U64(low))
        if tracks > 1:
            word0, word1 = _unseen(r, (2 * p + 1) * tracks - 1 - k, ranks)
            n += _count(word0, word1)
        out[i, 2] = n
        out[i, 3] = r.left
        out[i, 4] = 0 if low == _NONE else low
        out[i, 5] = ranks - r.top[k]
        out[i, 6] = r.hidden[t]
        hidden += r.hidden[t]
    return hidden


@inner
def _edge(r, t, start):
    """The rank up to which at most one player may hold cards of a track: the second-lowest of the players' floors.

    Face down everybody may hold cards, for all that anybody knows. Floors rise above the pile only when cards are
    shown, by a star say; until then the answer is `start`, the pile's top or, face down, 0.
    """
    lowest = second = np.int64(_NONE)
    for q in range(len(r.felt)):
        floor = max(np.int64(r.floors[q * len(r.hidden) + t]), start) if _may_hold(r, q, t) else np.int64(_NONE)
        second = min(second, max(lowest, floor))
        lowest = min(lowest, floor)
    return second if second < _NONE else start


@inner
def _may_hold(r, q, t):
    holds = r.hidden[t] != 0
    for k in range(q * len(r.hidden), (q + 1) * len(r.hidden)):
        holds |= r.low[k] != _NONE
    return holds


@inner
def _depth(r, k, below):
    """Ranks on which somebody else's lower card may lie."""
    tracks, low = len(r.hidden), np.int64(r.low[k])
    t, highest = k % tracks, np.int64(0)
    if low != _NONE and r.stars_here == 0 and not r.hidden[t]:  # as nearly always: nobody has shown more than the pile
        return below
    start = np.int64(0) if r.hidden[t] else np.int64(r.top[k])
    for q in range(len(r.felt)):
        highest = max(highest, np.int64(r.floors[q * tracks + t]))
    if low == _NONE or highest <= start:
        return np.int64(0) if low == _NONE else low - 1 if r.hidden[t] else below
    edge, shown = _edge(r, t, start), 0
    for q in range(len(r.felt)):
        shown += start < r.floors[q * tracks + t] <= edge
    left = low - 1 - edge if r.hidden[t] else below - (edge - start) + shown
    return max(left, 0) if low > edge else np.int64(0)


@entry
def fill_glance(games, slot, place, ranks, level_cards, out):
    """All of `GLANCE`, one pass over the records; returns how many rows are of a track built face down."""
    depth, others, cards, room, n = out[0], out[1], out[2], out[3], 0
    for i in range(len(slot)):
        r, k = games[U64(slot[i])], np.int64(place[i])
        fetch_ahead(games, slot, i)
        p, tracks = owner(r, k), len(r.hidden)
        word0, word1 = _unseen(r, k, ranks)
        below, unseen, own = _below(word0, word1, U64(min(r.low[k], 127))), _count(word0, word1), _player_size(r, p)
        if tracks > 1:
            word0, word1 = _unseen(r, (2 * p + 1) * tracks - 1 - k, ranks)
            unseen += _count(word0, word1)
        depth[i], others[i], cards[i], room[i] = _depth(r, k, below), r.left - own, r.left, max(unseen + own, 1)
        if r.hidden[k % tracks]:
            each, n = level_cards[np.int64(r.level)], n + 1
            others[i], cards[i], room[i] = each * (len(r.felt) - 1), each * len(r.felt), ranks * tracks
    return n


@entry
def fill_standing(games, slot, place, level_cards, out):
    """All of `STANDING`, one pass over the records."""
    for i in range(len(slot)):
        r, k = games[U64(slot[i])], np.int64(place[i])
        level = np.int64(r.level)
        out[0, i], out[1, i], out[2, i] = _player_size(r, owner(r, k)), r.left, level_cards[level] * len(r.felt)
        out[3, i], out[4, i], out[5, i], out[6, i] = level + 1, len(level_cards), r.lives, r.stars
        out[7, i] = r.hidden[k % len(r.hidden)]


@entry
def fill_until_card(games, slot, place, moments, head_start, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        wait = moments[r.low[place[i]]] - r.felt[owner(r, place[i])]
        out[i] = wait if wait > 0.0 and head_start[i] < np.inf else 0.0


@entry
def fill_stars_here(games, slot, place, out):
    for i in range(len(out)):
        out[i] = games[U64(slot[i])].stars_here


@entry
def locate(games, live, at, slot, place):
    """From places on the grid of live games to records and places in them."""
    for i in range(len(at)):
        a = U64(at[i]) // U64(len(games[0].low))
        slot[i] = live[a]
        place[i] = U64(at[i]) - a * U64(len(games[0].low))


@entry
def fill_remaining(wait, head_start, out):
    for i in range(len(out)):
        left = wait[i] - head_start[i]
        out[i] = left if left > 0.0 else 0.0  # nan (inf - inf) also means: now


@entry
def fill_unless_alone(wait, alone, out):
    for i in range(len(out)):
        out[i] = 0.0 if alone[i] or wait[i] <= 0.0 else wait[i]


@entry
def fill_until(moment, elapsed, alone, out):
    for i in range(len(out)):
        wait = moment[i] - elapsed[i]
        out[i] = 0.0 if alone[i] or wait <= 0.0 else wait


@entry
def fill_moment_keys(games, slot, place, out):
    """The key of each row's draws: game, epoch, player, track."""
    for i in range(len(out)):
        r = games[U64(slot[i])]
        p = owner(r, place[i])
        moment = r.key + rng.EPOCH * U64(r.epoch) + rng.PLAYER * U64(p + 1)
        out[i] = moment + rng.TRACK * U64(place[i] - p * len(r.hidden))


@entry
def fill_game_keys(games, slot, place, out):
    """The key of each row's draws that last the game."""
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.key + rng.PLAYER * U64(owner(r, place[i]) + 1)


@entry
def fill_level_keys(games, slot, place, out):
    """The key of each row's draws that last the level."""
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.key + rng.LEVEL * U64(r.level + 1) + rng.PLAYER * U64(owner(r, place[i]) + 1)


@inner
def _nearest(r, player):
    """The place of a player's track with the smaller gap, the first if it holds no card."""
    tracks = len(r.hidden)
    best = player * tracks
    for k in range(best + 1, (player + 1) * tracks):
        gap, least = np.int64(r.low[k]) - np.int64(r.top[k]), np.int64(r.low[best]) - np.int64(r.top[best])
        if r.low[k] != _NONE and (r.low[best] == _NONE or gap < least):
            best = k
    return best


@entry
def nearest_places(games, slot, player, out):
    """For each (game, player): the place of the track with the smaller gap."""
    for i in range(len(out)):
        out[i] = _nearest(games[slot[i]], player[i])


@entry
def seat_rows(games, live, which, seats, slot, place, at):
    """For each of the live games `which` and these seats: record, nearest place, and where on the grid of players."""
    n = _ZERO
    for a in which:
        r = games[live[a]]
        for seat in seats:
            slot[n], place[n], at[n] = live[a], _nearest(r, seat), a * len(r.felt) + seat
            n += _ONE


@entry
def nearest_of_two(at, gap, out):
    """On two tracks: which rows are of their player's track with the smaller gap (equal: of the first)."""
    for i in range(len(at)):
        after = i + 1 < len(at) and at[i + 1] == at[i] + 1 and at[i] % 2 == 0
        before = i > 0 and at[i - 1] == at[i] - 1 and at[i] % 2 == 1
        out[i] = not (after and gap[i + 1] < gap[i]) and not (before and gap[i - 1] <= gap[i])
