"""What one player may know now, and nothing more; and the noise that a clock may draw.

An `Observation` has one row per (game, player, track) that holds a card (for stars, stops and watching: one per game
and player). Its fields are arrays cut out of the games' records when they are first read, so a policy pays for what
it reads only. Everything here is felt by the player or seen by all; cards of others, cards put down unseen and other
players' intentions cannot be reached through the public names.

What the fields mean is said once, in `FIELDS`. How they are cut out is in `fields`; whom to ask, and
when, is the business of `simulate`.
"""
from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mindsim import fields, rng

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Lasts = Literal["epoch", "level", "game"]

U64 = np.uint64


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
        fields.locate(self._view.games, self._live, at * (self._view.tracks // self._tracks), slot, place)
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
        fill = {"epoch": fields.fill_moment_keys, "level": fields.fill_level_keys, "game": fields.fill_game_keys}[lasts]
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

    Fields are arrays of length `rows` (int64, float64 or bool), see `FIELDS` or ``docs/policies.md``. They are the
    policy's own: it may keep them after the call, and change them without an effect on anything but `memory`.

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
        return self._ints(fields.fill_card)

    @cached_property
    def top(self) -> Ints:
        return self._ints(fields.fill_top)

    @cached_property
    def gap(self) -> Ints:
        return self._ints(fields.fill_gap)

    @property
    def _tracks(self) -> Any:
        """How many tracks there are."""
        return self._view.tracks

    @property
    def _gap(self) -> Ints:
        """`gap` for built-in policies, which do not keep it: without a copy where the engine has it at hand."""
        return self.gap

    @cached_property
    def since_top(self) -> Floats:
        return self._floats(fields.fill_since)

    @cached_property
    def hand(self) -> Ints:
        return self._table(fields.fill_hand, int(self._view.level_cards.max()))

    @cached_property
    def hand_size(self) -> Ints:
        return self._ints(fields.fill_hand_size)

    @cached_property
    def track(self) -> Ints:
        return self._place.astype(np.int64) % self._view.tracks

    @cached_property
    def face_down(self) -> Bools:
        hidden = np.empty(self.rows, np.bool_)
        fields.fill_hidden(self._view.games, self._slot, self._place, hidden)
        return hidden

    @cached_property
    def some_face_down(self) -> bool:
        """Whether any track of these games is built face down: if not, `face_down` need not be looked at."""
        if "face_down" in self.__dict__:
            return bool(self.face_down.any())
        return self._view.hides and bool(fields.any_hidden(self._view.games, self._games_of_rows))

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
        return self._on_other(fields.fill_card)

    @cached_property
    def other_gap(self) -> Ints:
        return self._on_other(fields.fill_gap)

    @cached_property
    def other_hand_size(self) -> Ints:
        return self._on_other(fields.fill_hand_size)

    # --- everybody's cards -----------------------------------------------------------------------
    @cached_property
    def others_cards(self) -> Ints:
        return self._ints(fields.fill_others_cards)

    @cached_property
    def hand_sizes(self) -> Ints:
        return self._table(fields.fill_hand_sizes, self._view.players)

    @cached_property
    def floors(self) -> Ints:
        return self._table(fields.fill_floors, self._view.players)

    @cached_property
    def unseen(self) -> Ints:
        return self._ints(fields.fill_unseen, self._view.ranks)

    @cached_property
    def unseen_below(self) -> Ints:
        return self._ints(fields.fill_unseen_below, self._view.ranks)

    @cached_property
    def unseen_all(self) -> Ints:
        return self._ints(fields.fill_unseen_all, self._view.ranks)

    # --- several fields in one pass, for compiled policies ----------------------------------------
    @cached_property
    def counts(self) -> NDArray[np.uint8]:
        """[rows, 7] `COUNTS`: small numbers that chances are reckoned from."""
        out = np.empty((self.rows, len(fields.COUNTS)), np.uint8)
        n = fields.fill_counts(self._view.games, self._slot, self._place, self._view.ranks, out)
        self.__dict__["some_face_down"] = n > 0
        return out

    @cached_property
    def glance(self) -> NDArray[np.uint16]:
        """[4, rows] `GLANCE`: the depth of the card, and small numbers that everybody knows."""
        out, view = np.empty((len(fields.GLANCE), self.rows), np.uint16), self._view
        n = fields.fill_glance(view.games, self._slot, self._place, view.ranks, view.level_cards, out)
        self.__dict__["some_face_down"] = n > 0
        return out

    @cached_property
    def standing(self) -> NDArray[np.uint16]:
        """[8, rows] `STANDING`: how the game stands."""
        out, view = np.empty((len(fields.STANDING), self.rows), np.uint16), self._view
        fields.fill_standing(view.games, self._slot, self._place, view.level_cards, out)
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
        return self._ints(fields.fill_stars_here)

    @cached_property
    def stops_here(self) -> Ints:
        return self._of_game("stops_here")

    # --- time and what happened ------------------------------------------------------------------
    @cached_property
    def elapsed(self) -> Floats:
        return self._floats(fields.fill_felt)

    @cached_property
    def last_wait(self) -> Floats:
        return self._floats(fields.fill_last_wait)

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
        fields.fill_moment_keys(self._view.games, self._slot, self._place, keys)
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
        fields.fill_game_keys(self._view.games, self._slot, self._place, keys)
        out = np.empty(self.rows)
        rng.fill_normal(keys, rng.channel(rng.PERSONAL, k), out)
        return out

    # --- for gap policies ------------------------------------------------------------------------
    def remaining(self, wait: Floats) -> Floats:
        """What is left of a wait that began when the top last rose: ``max(0, wait - since_top)``; 0 for a player alone.

        An event that did not raise this pile's top must not restart the wait.
        """
        out = np.empty(self.rows)
        fields.fill_remaining(self._one_per_row(wait), self.head_start, out)
        return out

    def _one_per_row(self, numbers: Any) -> Floats:
        """Numbers as float64[rows]; compiled code would read beyond the end of a shorter array."""
        column = np.asarray(numbers, np.float64)
        return column if column.shape == (self.rows,) else np.broadcast_to(column, self.rows).copy()

    def unless_alone(self, wait: Floats) -> Floats:
        """``max(0, wait)``; 0 for a player alone: nobody else holds a card, so there is nothing to wait for."""
        out = np.empty(self.rows)
        fields.fill_unless_alone(self._one_per_row(wait), self.alone, out)
        return out

    def until(self, moment: Floats) -> Floats:
        """Seconds until moments of the level, 0 once they have passed; 0 for a player alone."""
        out = np.empty(self.rows)
        fields.fill_until(self._one_per_row(moment), self.elapsed, self.alone, out)
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
        self._laid, self.__dict__["head_start"] = gap, head_start

    @property
    def _gap(self) -> Ints:
        return self._laid

    @cached_property
    def gap(self) -> Ints:
        return self._laid.copy()

    def asked_again(self) -> CardRows:
        """The same rows, now to decide; where they are is known by now."""
        twin = CardRows(self._view, self._live, self._at, self._memory, self._laid, self.head_start)
        twin.__dict__["_located"] = self._located
        return twin

    @cached_property
    def _slot(self) -> Any:
        return self._located[0]

    @cached_property
    def _place(self) -> Any:
        return self._located[1]

    @cached_property
    def _located(self) -> tuple[Any, Any]:
        slot, place = np.empty(self.rows, self._live.dtype), np.empty(self.rows, np.uint8)
        fields.locate(self._view.games, self._live, self._at, slot, place)
        return slot, place

    @property
    def _games_of_rows(self) -> Any:
        return self._live

    def until_card(self, moments: Floats) -> Floats:
        """As for any observation, in one pass."""
        out = np.empty(self.rows)
        fields.fill_until_card(self._view.games, self._slot, self._place, moments, self.head_start, out)
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
