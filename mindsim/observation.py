"""What one player may know now, and nothing more; and the noise that a clock may draw.

An `Observation` has one row per (game, player, track) that holds a card (for stars, stops and watching: one per game
and player). Its fields are arrays cut out of the games' records when they are first read, so a policy pays for what
it reads only. Everything here is felt by the player or seen by all; cards of others, cards put down unseen and other
players' intentions cannot be reached through the public names.

What the fields mean is said once, in `FIELDS`. Whom to ask, and when, is the business of `simulate`.
"""
from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mindsim import rng
from mindsim.bits import popcount, trailing_zeros
from mindsim.jit import entry, inner

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Lasts = Literal["epoch", "level", "game"]

U64 = np.uint64
_ONE, _ZERO, _ALL = U64(1), U64(0), ~U64(0)
_NONE = 255


class Event(IntEnum):
    """What everybody saw last (`Observation.last_event`)."""

    LEVEL = 0
    PLAY = 1
    MISTAKE = 2
    STAR = 3
    STOP = 4


FIELDS: dict[str, str] = {
    "card": "own lowest rank of this track (0 with an empty hand)",
    "top": "highest rank this player knows to lie on the pile (face down: its own last card)",
    "gap": "card - top (0 with an empty hand)",
    "since_top": "felt seconds since top last rose, or since the level began",
    "hand": "[rows, max cards] own ranks of this track, ascending, padded with 0",
    "hand_size": "own cards of this track",
    "others_cards": "cards in all other hands, over both tracks",
    "hand_sizes": "[rows, players] cards in each hand, over both tracks; self first, then clockwise",
    "floors": "[rows, players] highest rank each player has shown on this track; self first, then clockwise",
    "unseen": "ranks above top that are neither in the own hand nor publicly seen",
    "unseen_below": "the same, below card",
    "unseen_all": "the same as unseen, over both tracks",
    "other_card": "own lowest rank of the other track (0 if none, or with one track)",
    "other_gap": "its gap (0 if none)",
    "other_hand_size": "own cards of the other track",
    "level": "number of the level, from 1",
    "n_levels": "levels in the game",
    "level_cards": "cards dealt to each player in this level",
    "ranks": "cards per track",
    "lives": "lives the team has",
    "stars": "stars the team has",
    "players": "number of players",
    "track": "0 (white) or 1 (red)",
    "face_down": "whether this track is built face down",
    "elapsed": "felt seconds since the level began",
    "last_wait": "felt length of the last epoch, in seconds",
    "last_event": "what everybody saw last: an `Event`",
    "last_card": "rank of the last card played (0 if hidden, or no card)",
    "last_track": "its track",
    "last_player": "who acted last: 0 self, 1 next clockwise ...; -1 before anything happened",
    "last_plays": "cards that landed in the last epoch",
    "stars_here": "stars used in this level",
    "stops_here": "stops called in this level",
}


# What `Observation.counts` holds, by column.
COUNTS = ("others_cards", "unseen_below", "unseen_all", "held", "card", "left", "face_down")

# What `Observation.glance` and `Observation.standing` hold, by row: what policies that learn look at. `depth`, `cards`
# and `room` are explained in `policies.features`; face down `others`, `cards` and `room` are as at the level's start.
GLANCE = ("depth", "others", "cards", "room")
STANDING = ("own", "held", "dealt", "level", "n_levels", "lives", "stars", "face_down")


# --- what compiled policies may read of a record ----------------------------------------------------------------------
@inner
def hear(r, k):
    """What the player of a place notices: whether it holds a card; `elapsed`, `last_wait`, and what happened last.

    That is `last_event`, `last_card`, `last_track`, `last_player` and `last_plays`.
    """
    p, who, holds = owner(r, k), np.int64(r.last_player), False
    for t in range(len(r.hidden)):
        holds |= r.low[p * len(r.hidden) + t] != _NONE
    clockwise = who - p if who >= p or who < 0 else who - p + len(r.felt)
    card, track = np.int64(r.last_card), np.int64(r.last_track)
    return holds, r.felt[p], r.last_wait[p], r.last_event, card, track, -1 if who < 0 else clockwise, r.last_plays


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
def _fill_card(games, slot, place, out):
    for i in range(len(out)):
        low = games[U64(slot[i])].low[place[i]]
        out[i] = 0 if low == _NONE else low


@entry
def _fill_gap(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        low = np.int64(r.low[place[i]])
        out[i] = 0 if low == _NONE else low - np.int64(r.top[place[i]])


@entry
def _fill_top(games, slot, place, out):
    for i in range(len(out)):
        out[i] = games[U64(slot[i])].top[place[i]]


@entry
def _fill_since(games, slot, place, out):
    for i in range(len(out)):
        out[i] = games[U64(slot[i])].since[place[i]]


@entry
def _fill_felt(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.felt[owner(r, place[i])]


@entry
def _fill_last_wait(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.last_wait[owner(r, place[i])]


@entry
def _fill_hidden(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.hidden[place[i] % len(r.hidden)] != 0


@entry
def _any_hidden(games, slot):
    for i in range(len(slot)):
        for hidden in games[U64(slot[i])].hidden:
            if hidden:
                return True
    return False


@entry
def _fill_hand(games, slot, place, out):
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
def _fill_hand_size(games, slot, place, out):
    for i in range(len(out)):
        out[i] = _size(games[U64(slot[i])], place[i])


@entry
def _fill_others_cards(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        out[i] = r.left - _player_size(r, owner(r, place[i]))


@entry
def _fill_hand_sizes(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        p = owner(r, place[i])
        for q in range(len(r.felt)):
            out[i, q] = _player_size(r, _clockwise(r, p, q))


@entry
def _fill_floors(games, slot, place, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        p, tracks = owner(r, place[i]), len(r.hidden)
        for q in range(len(r.felt)):
            out[i, q] = r.floors[_clockwise(r, p, q) * tracks + place[i] % tracks]


@entry
def _fill_unseen(games, slot, place, ranks, out):
    for i in range(len(out)):
        word0, word1 = _unseen(games[U64(slot[i])], place[i], ranks)
        out[i] = _count(word0, word1)


@entry
def _fill_unseen_below(games, slot, place, ranks, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        low = r.low[place[i]]
        word0, word1 = _unseen(r, place[i], ranks)
        out[i] = 0 if low == _NONE else _below(word0, word1, U64(low))


@entry
def _fill_unseen_all(games, slot, place, ranks, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        first, n = owner(r, place[i]) * len(r.hidden), 0
        for t in range(len(r.hidden)):
            word0, word1 = _unseen(r, first + t, ranks)
            n += _count(word0, word1)
        out[i] = n


@entry
def _fill_counts(games, slot, place, ranks, out):
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
    start = np.int64(0) if r.hidden[t] else np.int64(r.top[k])
    for q in range(len(r.felt)):
        highest = max(highest, np.int64(r.floors[q * tracks + t]))
    if low == _NONE or highest <= start:  # as nearly always: nobody has shown more than the pile does
        return np.int64(0) if low == _NONE else low - 1 if r.hidden[t] else below
    edge, shown = _edge(r, t, start), 0
    for q in range(len(r.felt)):
        shown += start < r.floors[q * tracks + t] <= edge
    left = low - 1 - edge if r.hidden[t] else below - (edge - start) + shown
    return max(left, 0) if low > edge else np.int64(0)


@entry
def _fill_glance(games, slot, place, ranks, level_cards, out):
    """All of `GLANCE`, one pass over the records; returns how many rows are of a track built face down."""
    depth, others, cards, room, n = out[0], out[1], out[2], out[3], 0
    for i in range(len(slot)):
        r, k = games[U64(slot[i])], np.int64(place[i])
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
def _fill_standing(games, slot, place, level_cards, out):
    """All of `STANDING`, one pass over the records."""
    for i in range(len(slot)):
        r, k = games[U64(slot[i])], np.int64(place[i])
        level = np.int64(r.level)
        out[0, i], out[1, i], out[2, i] = _player_size(r, owner(r, k)), r.left, level_cards[level] * len(r.felt)
        out[3, i], out[4, i], out[5, i], out[6, i] = level + 1, len(level_cards), r.lives, r.stars
        out[7, i] = r.hidden[k % len(r.hidden)]


@entry
def _fill_until_card(games, slot, place, moments, head_start, out):
    for i in range(len(out)):
        r = games[U64(slot[i])]
        wait = moments[r.low[place[i]]] - r.felt[owner(r, place[i])]
        out[i] = wait if wait > 0.0 and head_start[i] < np.inf else 0.0


@entry
def _fill_stars_here(games, slot, place, out):
    for i in range(len(out)):
        out[i] = games[U64(slot[i])].stars_here


@entry
def _locate(games, live, at, slot, place):
    """From places on the grid of live games to records and places in them."""
    for i in range(len(at)):
        a = U64(at[i]) // U64(len(games[0].low))
        slot[i] = live[a]
        place[i] = U64(at[i]) - a * U64(len(games[0].low))


@entry
def _fill_remaining(wait, head_start, out):
    for i in range(len(out)):
        left = wait[i] - head_start[i]
        out[i] = left if left > 0.0 else 0.0  # nan (inf - inf) also means: now


@entry
def _fill_unless_alone(wait, alone, out):
    for i in range(len(out)):
        out[i] = 0.0 if alone[i] or wait[i] <= 0.0 else wait[i]


@entry
def _fill_until(moment, elapsed, alone, out):
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


@entry
def forget_games(games, live, memory):
    """Zero the memory of games that begin."""
    for i in range(len(live)):
        if games[U64(live[i])].epoch == 0:
            memory[live[i]] = 0.0


class View:
    """The records of a batch and the shape of its game: what all observations of one simulation share."""

    def __init__(
        self, games: Any, players: int, tracks: int, ranks: int, level_cards: Ints, hides: bool = True
    ) -> None:
        self.games, self.players, self.tracks, self.ranks = games, players, tracks, ranks
        self.hides = hides  # whether any level has a track that is built face down
        self.level_cards, self.n_levels = level_cards, len(level_cards)


class Noise:
    """Random draws for a clock, one row per (game, player) or per card.

    Rows of the same player draw the same numbers for as long as the clock says (`lasting`), and other numbers in
    every other epoch, level, game, part of a product and call.
    """

    def __init__(self, view: View, live: Any, at: Any, tracks: int, purpose: int, keys: Any) -> None:
        """For the rows `at` of the grid of live games' players (`tracks` is 1) or places; None: of all players."""
        self._view, self._live, self._at, self._tracks, self._purpose = view, live, at, tracks, purpose
        self._part, self._calls, self._lasts, self._keys = 0, 0, "epoch", keys
        self.rows = len(keys)

    def _keyed(self, fill: Callable[..., None]) -> NDArray[np.uint64]:
        """The rows' keys, from their games' records."""
        at = np.arange(self.rows, dtype=np.int32) if self._at is None else self._at
        slot, place = np.empty(self.rows, self._live.dtype), np.empty(self.rows, np.uint8)
        _locate(self._view.games, self._live, at * (self._view.tracks // self._tracks), slot, place)
        keys = np.empty(self.rows, np.uint64)
        fill(self._view.games, slot, place, keys)
        return keys

    def _twin(self, keys: Any) -> Noise:
        twin = Noise(self._view, self._live, self._at, self._tracks, self._purpose, keys)
        twin._part, twin._lasts = self._part, self._lasts
        return twin

    def lasting(self, lasts: Lasts) -> Noise:
        """The noise whose draws stay the same for an "epoch", a "level" or a "game"."""
        if lasts == self._lasts:
            return self
        fill = {"epoch": fill_moment_keys, "level": fill_level_keys, "game": fill_game_keys}[lasts]
        twin = self._twin(self._keyed(fill))
        twin._lasts = lasts
        return twin

    def part(self, i: int) -> Noise:
        """An independent noise for the i-th factor (0, 1, ...) of a product of clocks."""
        twin = self._twin(self._keys)
        twin._part = self._part * 16 + i + 1
        return twin

    def ago(self, epochs: int) -> Noise:
        """This noise as it was that many epochs earlier in the game (before the game began: fresh draws)."""
        if self._lasts != "epoch":
            return self
        back = (int(rng.EPOCH) * epochs) & 0xFFFFFFFFFFFFFFFF
        return self._twin(self._keys - U64(back))

    def _draw(self, fill: Callable[..., None], *parameters: float) -> Floats:
        self._calls += 1
        out = np.empty(self.rows)
        fill(self._keys, rng.channel(self._purpose, self._part * 4096 + self._calls), *parameters, out)
        return out

    def normal(self) -> Floats:
        """Standard normal draws, new ones at each call."""
        return self._draw(rng.fill_normal)

    def uniform(self) -> Floats:
        """Draws between 0 and 1 (both excluded), new ones at each call."""
        return self._draw(rng.fill_uniform)

    def scalar_rate(self, weber: float, lowest: float) -> Floats:
        """``max(1 + weber * normal, lowest)`` in one pass."""
        return self._draw(rng.fill_rate, weber, lowest)

    def ones(self) -> Floats:
        """A one per row."""
        return np.ones(self.rows)

    def zeros(self) -> Floats:
        """A zero per row."""
        return np.zeros(self.rows)


class Observation:
    """What the rows' players may know now.

    Fields are arrays of length `rows` (int64, float64 or bool), read-only; see `FIELDS` or ``docs/policies.md``.

    Examples
    --------
    A policy is any function of an observation:

    >>> import mindsim as ms
    >>> def eager(obs):
    ...     return obs.remaining(0.02 * obs.gap**2)
    >>> ms.simulate(ms.Rules.the_mind(2), eager, n_games=10, seed=1).won.shape
    (10,)
    """

    def __init__(self, view: View, slot: Any, place: Any, purpose: int, memory: Any = None) -> None:
        self._view, self._purpose, self._memory, self._calls = view, purpose, memory, 0
        self.__dict__["_slot"], self.__dict__["_place"] = slot, place
        self.rows: int = len(slot)

    _slot: Any  # which record; which place in it
    _place: Any

    # --- cutting out -----------------------------------------------------------------------------
    def _ints(self, fill: Callable[..., None], *extra: int) -> Ints:
        out = np.empty(self.rows, np.int64)
        fill(self._view.games, self._slot, self._place, *extra, out)
        return out

    def _floats(self, fill: Callable[..., None], *extra: int) -> Floats:
        out = np.empty(self.rows)
        fill(self._view.games, self._slot, self._place, *extra, out)
        return out

    def _table(self, fill: Callable[..., None], width: int, *extra: int) -> Ints:
        out = np.zeros((self.rows, width), np.int64)
        fill(self._view.games, self._slot, self._place, *extra, out)
        return out

    def _of_game(self, field: str) -> Ints:
        values: Ints = self._view.games[field][self._slot].astype(np.int64)
        return values

    def _constant(self, value: int) -> Ints:
        return np.full(self.rows, value, np.int64)

    @property
    def _player(self) -> Ints:
        player: Ints = self._place.astype(np.int64) // self._view.tracks
        return player

    @cached_property
    def _other_place(self) -> NDArray[np.uint8]:
        place: NDArray[np.uint8] = self._place ^ np.uint8(1)
        return place

    # --- own cards and the pile ------------------------------------------------------------------
    @cached_property
    def card(self) -> Ints:
        return self._ints(_fill_card)

    @cached_property
    def top(self) -> Ints:
        return self._ints(_fill_top)

    @cached_property
    def gap(self) -> Ints:
        return self._ints(_fill_gap)

    @cached_property
    def since_top(self) -> Floats:
        return self._floats(_fill_since)

    @cached_property
    def hand(self) -> Ints:
        return self._table(_fill_hand, int(self._view.level_cards.max()))

    @cached_property
    def hand_size(self) -> Ints:
        return self._ints(_fill_hand_size)

    @cached_property
    def track(self) -> Ints:
        return self._place.astype(np.int64) % self._view.tracks

    @cached_property
    def face_down(self) -> Bools:
        hidden = np.empty(self.rows, np.bool_)
        _fill_hidden(self._view.games, self._slot, self._place, hidden)
        return hidden

    @cached_property
    def some_face_down(self) -> bool:
        """Whether any track of these games is built face down: if not, `face_down` need not be looked at."""
        if "face_down" in self.__dict__:
            return bool(self.face_down.any())
        return self._view.hides and bool(_any_hidden(self._view.games, self._games_of_rows))

    @property
    def _games_of_rows(self) -> Any:
        return self._slot

    # --- the other track -------------------------------------------------------------------------
    def _on_other(self, fill: Callable[..., None]) -> Ints:
        if self._view.tracks == 1:
            return self._constant(0)
        out = np.empty(self.rows, np.int64)
        fill(self._view.games, self._slot, self._other_place, out)
        return out

    @cached_property
    def other_card(self) -> Ints:
        return self._on_other(_fill_card)

    @cached_property
    def other_gap(self) -> Ints:
        return self._on_other(_fill_gap)

    @cached_property
    def other_hand_size(self) -> Ints:
        return self._on_other(_fill_hand_size)

    # --- everybody's cards -----------------------------------------------------------------------
    @cached_property
    def others_cards(self) -> Ints:
        return self._ints(_fill_others_cards)

    @cached_property
    def hand_sizes(self) -> Ints:
        return self._table(_fill_hand_sizes, self._view.players)

    @cached_property
    def floors(self) -> Ints:
        return self._table(_fill_floors, self._view.players)

    @cached_property
    def unseen(self) -> Ints:
        return self._ints(_fill_unseen, self._view.ranks)

    @cached_property
    def unseen_below(self) -> Ints:
        return self._ints(_fill_unseen_below, self._view.ranks)

    @cached_property
    def unseen_all(self) -> Ints:
        return self._ints(_fill_unseen_all, self._view.ranks)

    # --- several fields in one pass, for compiled policies ----------------------------------------
    @cached_property
    def counts(self) -> NDArray[np.uint8]:
        """[rows, 7] `COUNTS`: small numbers that chances are reckoned from."""
        out = np.empty((self.rows, len(COUNTS)), np.uint8)
        n = _fill_counts(self._view.games, self._slot, self._place, self._view.ranks, out)
        self.__dict__["some_face_down"] = n > 0
        return out

    @cached_property
    def glance(self) -> NDArray[np.uint16]:
        """[4, rows] `GLANCE`: the depth of the card, and small numbers that everybody knows."""
        out, view = np.empty((len(GLANCE), self.rows), np.uint16), self._view
        n = _fill_glance(view.games, self._slot, self._place, view.ranks, view.level_cards, out)
        self.__dict__["some_face_down"] = n > 0
        return out

    @cached_property
    def standing(self) -> NDArray[np.uint16]:
        """[8, rows] `STANDING`: how the game stands."""
        out, view = np.empty((len(STANDING), self.rows), np.uint16), self._view
        _fill_standing(view.games, self._slot, self._place, view.level_cards, out)
        return out

    def _records(self) -> tuple[Any, Any, Any, Floats]:
        """What a compiled pass over the rows reads with `hear` and `page`: games, slots, places, and the memory itself.

        The memory is that of all players and games, one page each.
        """
        memory = np.zeros((self.rows, 0)) if self._memory is None else self._memory
        return self._view.games, self._slot, self._place, memory.reshape(-1, memory.shape[-1])

    def until_card(self, moments: Floats) -> Floats:
        """Seconds until the card's moment of the level, given by rank; 0 once it has passed, or for a player alone."""
        return self.until(moments.take(self.card))

    @cached_property
    def alone(self) -> Bools:
        """Whether nobody else holds a card."""
        return self.others_cards == 0

    # --- the game --------------------------------------------------------------------------------
    @cached_property
    def level(self) -> Ints:
        return self._of_game("level") + 1

    @cached_property
    def n_levels(self) -> Ints:
        return self._constant(self._view.n_levels)

    @cached_property
    def level_cards(self) -> Ints:
        return self._view.level_cards[self.level - 1]

    @cached_property
    def ranks(self) -> Ints:
        return self._constant(self._view.ranks)

    @property
    def track_length(self) -> int:
        """Cards per track, as one number: it is the same in all rows."""
        return self._view.ranks

    @property
    def seats(self) -> int:
        """Players, as one number: it is the same in all rows."""
        return self._view.players

    @cached_property
    def players(self) -> Ints:
        return self._constant(self._view.players)

    @cached_property
    def lives(self) -> Ints:
        return self._of_game("lives")

    @cached_property
    def stars(self) -> Ints:
        return self._of_game("stars")

    @cached_property
    def stars_here(self) -> Ints:
        return self._ints(_fill_stars_here)

    @cached_property
    def stops_here(self) -> Ints:
        return self._of_game("stops_here")

    # --- time and what happened ------------------------------------------------------------------
    @cached_property
    def elapsed(self) -> Floats:
        return self._floats(_fill_felt)

    @cached_property
    def last_wait(self) -> Floats:
        return self._floats(_fill_last_wait)

    @cached_property
    def last_event(self) -> Ints:
        return self._of_game("last_event")

    @cached_property
    def last_card(self) -> Ints:
        return self._of_game("last_card")

    @cached_property
    def last_track(self) -> Ints:
        return self._of_game("last_track")

    @cached_property
    def last_player(self) -> Ints:
        who = self._of_game("last_player")
        return np.where(who < 0, -1, (who - self._player) % self._view.players)

    @cached_property
    def last_plays(self) -> Ints:
        return self._of_game("last_plays")

    # --- memory and draws ------------------------------------------------------------------------
    @cached_property
    def memory(self) -> Floats:
        """[rows, n] What this player's `watch` has noted in this game; zeros at its start. Written in `watch` only."""
        if self._memory is None:
            return np.zeros((self.rows, 0))
        noted: Floats = self._memory[self._slot, self._player]
        if self._purpose != rng.WATCH:
            noted.flags.writeable = False
        return noted

    def _draw(self, fill: Callable[..., None], channel: np.uint64) -> Floats:
        keys = np.empty(self.rows, np.uint64)
        fill_moment_keys(self._view.games, self._slot, self._place, keys)
        out = np.empty(self.rows)
        fill(keys, channel, out)
        return out

    def uniform(self) -> Floats:
        """Draws between 0 and 1, fresh for every row at every call."""
        self._calls += 1
        return self._draw(rng.fill_uniform, rng.channel(self._purpose, self._calls))

    def normal(self) -> Floats:
        """Standard normal draws, fresh for every row at every call."""
        self._calls += 1
        return self._draw(rng.fill_normal, rng.channel(self._purpose, self._calls))

    def personal(self, k: int) -> Floats:
        """The k-th (0, 1, ...) standard normal draw that stays with a player for the whole game."""
        keys = np.empty(self.rows, np.uint64)
        fill_game_keys(self._view.games, self._slot, self._place, keys)
        out = np.empty(self.rows)
        rng.fill_normal(keys, rng.channel(rng.PERSONAL, k), out)
        return out

    # --- for gap policies ------------------------------------------------------------------------
    def remaining(self, wait: Floats) -> Floats:
        """What is left of a wait that began when the top last rose: ``max(0, wait - since_top)``; 0 for a player alone.

        An event that did not raise this pile's top must not restart the wait.
        """
        out = np.empty(self.rows)
        _fill_remaining(self._one_per_row(wait), self.head_start, out)
        return out

    def _one_per_row(self, numbers: Any) -> Floats:
        """Numbers as float64[rows]; compiled code would read beyond the end of a shorter array."""
        column = np.asarray(numbers, np.float64)
        return column if column.shape == (self.rows,) else np.broadcast_to(column, self.rows).copy()

    def unless_alone(self, wait: Floats) -> Floats:
        """``max(0, wait)``; 0 for a player alone: nobody else holds a card, so there is nothing to wait for."""
        out = np.empty(self.rows)
        _fill_unless_alone(self._one_per_row(wait), self.alone, out)
        return out

    def until(self, moment: Floats) -> Floats:
        """Seconds until moments of the level, 0 once they have passed; 0 for a player alone."""
        out = np.empty(self.rows)
        _fill_until(self._one_per_row(moment), self.elapsed, self.alone, out)
        return out

    @cached_property
    def passed(self) -> Floats:
        """`head_start`, but on a track built face down counted from the level's start: what all players share there."""
        if not self.some_face_down:
            return self.head_start
        return np.where(self.face_down & ~self.alone, self.elapsed, self.head_start)

    @cached_property
    def head_start(self) -> Floats:
        """What `remaining` takes off a wait: `since_top`; for a player alone, infinitely much."""
        return np.where(self.alone, np.inf, self.since_top)


class CardRows(Observation):
    """One row per card that may be played next, as `kernel.lay_rows` writes them: gap and head start are at hand."""

    def __init__(
        self, view: View, live: Any, at: Any, memory: Any, gap: Ints, head_start: Floats, purpose: int = rng.WAIT
    ) -> None:
        self._view, self._live, self._at, self._memory = view, live, at, memory
        self._purpose, self._calls = purpose, 0
        self.rows = len(at)
        self.__dict__["gap"], self.__dict__["head_start"] = gap, head_start

    @cached_property
    def _slot(self) -> Any:
        return self._located[0]

    @cached_property
    def _place(self) -> Any:
        return self._located[1]

    @cached_property
    def _located(self) -> tuple[Any, Any]:
        slot, place = np.empty(self.rows, self._live.dtype), np.empty(self.rows, np.uint8)
        _locate(self._view.games, self._live, self._at, slot, place)
        return slot, place

    @property
    def _games_of_rows(self) -> Any:
        return self._live

    def until_card(self, moments: Floats) -> Floats:
        """As for any observation, in one pass."""
        out = np.empty(self.rows)
        _fill_until_card(self._view.games, self._slot, self._place, moments, self.head_start, out)
        return out

    @cached_property
    def alone(self) -> Bools:
        return self.head_start == np.inf


class Request(Observation):
    """A consent asked for: also how long the row's player has waited, and who raised a hand."""

    def __init__(self, view: View, slot: Any, place: Any, memory: Any, waited: Floats, raiser: Ints) -> None:
        super().__init__(view, slot, place, rng.CONSENT, memory)
        self.waited = waited
        self.raiser = raiser
