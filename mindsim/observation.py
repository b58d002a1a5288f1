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
from numba import njit
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


# --- cutting fields out of records -----------------------------------------------------------------------------------
@njit(inline="always")
def _size(r, k):
    return popcount(r.hand[k, 0]) + popcount(r.hand[k, 1])


@njit(inline="always")
def _player_size(r, p):
    tracks = len(r.hidden)
    n = 0
    for k in range(p * tracks, (p + 1) * tracks):
        n += _size(r, k)
    return n


@njit(inline="always")
def _between(word0, word1, above, below):
    """How many of a set's ranks lie strictly between `above` and `below`."""
    low0 = _ALL << U64(above + 1) if above + 1 < 64 else _ZERO
    low1 = _ALL if above + 1 <= 64 else (_ALL << U64(above - 63) if above < 127 else _ZERO)
    high0 = _ALL if below >= 64 else (_ONE << U64(below)) - _ONE
    high1 = _ZERO if below <= 64 else ((_ONE << U64(below - 64)) - _ONE if below < 128 else _ALL)
    return popcount(word0 & low0 & high0) + popcount(word1 & low1 & high1)


@inner
def _unseen(r, k, below):
    """Ranks between top and `below` that are neither in the own hand nor set aside face up."""
    t, top = k % len(r.hidden), np.int64(r.top[k])
    known = _between(r.hand[k, 0] | r.seen[t, 0], r.hand[k, 1] | r.seen[t, 1], top, below)
    return max(below - 1 - top, 0) - known


@entry
def _fill_card(games, slot, place, out):
    for i in range(len(out)):
        low = games[slot[i]].low[place[i]]
        out[i] = 0 if low == _NONE else low


@entry
def _fill_gap(games, slot, place, out):
    for i in range(len(out)):
        r = games[slot[i]]
        low = np.int64(r.low[place[i]])
        out[i] = 0 if low == _NONE else low - np.int64(r.top[place[i]])


@entry
def _fill_top(games, slot, place, out):
    for i in range(len(out)):
        out[i] = games[slot[i]].top[place[i]]


@entry
def _fill_since(games, slot, place, out):
    for i in range(len(out)):
        out[i] = games[slot[i]].since[place[i]]


@entry
def _fill_felt(games, slot, place, tracks, out):
    for i in range(len(out)):
        out[i] = games[slot[i]].felt[place[i] // tracks]


@entry
def _fill_last_wait(games, slot, place, tracks, out):
    for i in range(len(out)):
        out[i] = games[slot[i]].last_wait[place[i] // tracks]


@entry
def _fill_hand(games, slot, place, out):
    for i in range(len(out)):
        r = games[slot[i]]
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
        out[i] = _size(games[slot[i]], place[i])


@entry
def _fill_others_cards(games, slot, place, tracks, out):
    for i in range(len(out)):
        r = games[slot[i]]
        out[i] = r.left - _player_size(r, place[i] // tracks)


@entry
def _fill_hand_sizes(games, slot, place, tracks, out):
    players = out.shape[1]
    for i in range(len(out)):
        r = games[slot[i]]
        for q in range(players):
            out[i, q] = _player_size(r, (place[i] // tracks + q) % players)


@entry
def _fill_floors(games, slot, place, tracks, out):
    players = out.shape[1]
    for i in range(len(out)):
        r = games[slot[i]]
        for q in range(players):
            p = (place[i] // tracks + q) % players
            out[i, q] = r.floors[p * tracks + place[i] % tracks]


@entry
def _fill_unseen(games, slot, place, ranks, out):
    for i in range(len(out)):
        out[i] = _unseen(games[slot[i]], place[i], ranks + 1)


@entry
def _fill_unseen_below(games, slot, place, ranks, out):
    for i in range(len(out)):
        r = games[slot[i]]
        low = np.int64(r.low[place[i]])
        out[i] = 0 if low == _NONE else _unseen(r, place[i], low)


@entry
def _fill_unseen_all(games, slot, place, tracks, ranks, out):
    for i in range(len(out)):
        r = games[slot[i]]
        first = place[i] // tracks * tracks
        n = 0
        for k in range(first, first + tracks):
            n += _unseen(r, k, ranks + 1)
        out[i] = n


@entry
def _fill_remaining(wait, head_start, out):
    for i in range(len(out)):
        left = wait[i] - head_start[i]
        out[i] = left if left > 0.0 else 0.0  # nan (inf - inf) also means: now


@entry
def fill_moment_keys(games, slot, place, tracks, out):
    """The key of each row's draws: game, epoch, player, track."""
    for i in range(len(out)):
        r = games[slot[i]]
        p = place[i] // tracks
        moment = r.key + rng.EPOCH * U64(r.epoch) + rng.PLAYER * U64(p + 1)
        out[i] = moment + rng.TRACK * U64(place[i] - p * tracks)


@entry
def fill_game_keys(games, slot, place, tracks, out):
    """The key of each row's draws that last the game."""
    for i in range(len(out)):
        out[i] = games[slot[i]].key + rng.PLAYER * U64(place[i] // tracks + 1)


@entry
def fill_level_keys(games, slot, place, tracks, out):
    """The key of each row's draws that last the level."""
    for i in range(len(out)):
        r = games[slot[i]]
        out[i] = r.key + rng.LEVEL * U64(r.level + 1) + rng.PLAYER * U64(place[i] // tracks + 1)


@entry
def nearest_places(games, slot, player, out):
    """For each (game, player): the place of the track with the smaller gap, the first if it holds no card."""
    for i in range(len(out)):
        r = games[slot[i]]
        tracks = len(r.hidden)
        best = player[i] * tracks
        for k in range(best + 1, (player[i] + 1) * tracks):
            gap, least = np.int64(r.low[k]) - np.int64(r.top[k]), np.int64(r.low[best]) - np.int64(r.top[best])
            if r.low[k] != _NONE and (r.low[best] == _NONE or gap < least):
                best = k
        out[i] = best


class View:
    """The records of a batch and the shape of its game: what all observations of one simulation share."""

    def __init__(self, games: Any, players: int, tracks: int, ranks: int, level_cards: Ints) -> None:
        self.games, self.players, self.tracks, self.ranks = games, players, tracks, ranks
        self.level_cards, self.n_levels = level_cards, len(level_cards)


class Noise:
    """Random draws for a clock, one row per (game, player) or per card.

    Rows of the same player draw the same numbers for as long as the clock says (`lasting`), and other numbers in
    every other epoch, level, game, part of a product and call.
    """

    def __init__(self, view: View, live: Any, seats: Any, purpose: int, keys: Any) -> None:
        self._view, self._live, self._seats, self._purpose, self._keys = view, live, seats, purpose, keys
        self._part, self._calls, self._lasts = 0, 0, "epoch"
        self.rows = len(keys)

    @classmethod
    def at(cls, view: View, live: Any, at: Any, tracks: int, purpose: int) -> Noise:
        """Noise for the rows `at` of a grid [live game, player, track]: of hands, not of rates."""
        seat = at // tracks
        slot = live[seat // view.players]
        place = (seat % view.players * view.tracks + at % tracks).astype(np.uint8)
        keys = np.empty(len(at), np.uint64)
        fill_moment_keys(view.games, slot, place, view.tracks, keys)
        return cls(view, live, (), purpose, keys)

    def _twin(self, keys: Any) -> Noise:
        twin = Noise(self._view, self._live, self._seats, self._purpose, keys)
        twin._part, twin._lasts = self._part, self._lasts
        return twin

    def lasting(self, lasts: Lasts) -> Noise:
        """The noise whose draws stay the same for an "epoch", a "level" or a "game"."""
        if lasts == self._lasts:
            return self
        fill = {"epoch": fill_moment_keys, "level": fill_level_keys, "game": fill_game_keys}[lasts]
        slot = np.repeat(self._live, len(self._seats))
        place = np.tile(self._seats * self._view.tracks, len(self._live)).astype(np.uint8)
        keys = np.empty(self.rows, np.uint64)
        fill(self._view.games, slot, place, self._view.tracks, keys)
        twin = self._twin(keys)
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

    def _again(self, purpose: int) -> Observation:
        """The same rows asked for another purpose: fields that were read are kept, draws are new."""
        twin = Observation.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._purpose, twin._calls = purpose, 0
        return twin

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
        hidden: Bools = self._view.games["hidden"][self._slot, self.track] != 0
        return hidden

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
        return self._ints(_fill_others_cards, self._view.tracks)

    @cached_property
    def hand_sizes(self) -> Ints:
        return self._table(_fill_hand_sizes, self._view.players, self._view.tracks)

    @cached_property
    def floors(self) -> Ints:
        return self._table(_fill_floors, self._view.players, self._view.tracks)

    @cached_property
    def unseen(self) -> Ints:
        return self._ints(_fill_unseen, self._view.ranks)

    @cached_property
    def unseen_below(self) -> Ints:
        return self._ints(_fill_unseen_below, self._view.ranks)

    @cached_property
    def unseen_all(self) -> Ints:
        return self._ints(_fill_unseen_all, self._view.tracks, self._view.ranks)

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
        return self._of_game("stars_here")

    @cached_property
    def stops_here(self) -> Ints:
        return self._of_game("stops_here")

    # --- time and what happened ------------------------------------------------------------------
    @cached_property
    def elapsed(self) -> Floats:
        return self._floats(_fill_felt, self._view.tracks)

    @cached_property
    def last_wait(self) -> Floats:
        return self._floats(_fill_last_wait, self._view.tracks)

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
        fill_moment_keys(self._view.games, self._slot, self._place, self._view.tracks, keys)
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
        fill_game_keys(self._view.games, self._slot, self._place, self._view.tracks, keys)
        out = np.empty(self.rows)
        rng.fill_normal(keys, rng.channel(rng.PERSONAL, k), out)
        return out

    # --- for gap policies ------------------------------------------------------------------------
    def remaining(self, wait: Floats) -> Floats:
        """What is left of a wait that began when the top last rose: ``max(0, wait - since_top)``; 0 for a player alone.

        An event that did not raise this pile's top must not restart the wait.
        """
        out = np.empty(self.rows)
        _fill_remaining(wait, self._head_start, out)
        return out

    def unless_alone(self, wait: Floats) -> Floats:
        """``max(0, wait)``; 0 for a player alone: nobody else holds a card, so there is nothing to wait for."""
        return np.where(self.alone, 0.0, np.maximum(wait, 0.0))

    @cached_property
    def _head_start(self) -> Floats:
        return np.where(self.alone, np.inf, self.since_top)


class CardRows(Observation):
    """One row per card that may be played next, as `kernel.lay_rows` writes them: gap and head start are at hand."""

    def __init__(self, view: View, live: Any, at: Any, memory: Any, gap: Ints, head_start: Floats) -> None:
        self._view, self._live, self._at, self._memory = view, live, at, memory
        self._purpose, self._calls = rng.WAIT, 0
        self.rows = len(at)
        self.__dict__["gap"], self.__dict__["_head_start"] = gap, head_start

    @cached_property
    def _slot(self) -> Any:
        return self._live[self._at // (self._view.players * self._view.tracks)]

    @cached_property
    def _place(self) -> Any:
        return (self._at % (self._view.players * self._view.tracks)).astype(np.uint8)

    @cached_property
    def alone(self) -> Bools:
        return self._head_start == np.inf


class Request(Observation):
    """A consent asked for: also how long the row's player has waited, and who raised a hand."""

    def __init__(self, view: View, slot: Any, place: Any, memory: Any, waited: Floats, raiser: Ints) -> None:
        super().__init__(view, slot, place, rng.CONSENT, memory)
        self.waited = waited
        self.raiser = raiser
