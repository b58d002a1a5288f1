"""Situations and noise made up by hand: to look at policies and clocks, and to test them, without playing a game.

`Situations` is an `Observation` whose fields are given as arrays instead of being cut out of a game's records; `Draws`
is the `Noise` of made-up moments. Both draw by the same keyed generator as a game does, so rows stay independent.

What this file leaves to others: grids of situations to `probe`, conformance checks to `testing`.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindsim import rng
from mindsim.bits import MAX_RANK
from mindsim.observation import FIELDS, Event, Lasts, Noise, Observation
from mindsim.state import NONE, game_dtype

_FLOATS = ("since_top", "elapsed", "last_wait")
_TABLES = ("hand", "hand_sizes", "floors")


class Situations(Observation):
    """An observation whose every field is given, one row per situation.

    Use `situations` to make one with sensible values for what is not said.

    Parameters
    ----------
    fields : dict
        Every name of `observation.FIELDS` -> array.
    keys : uint64[rows]
        What makes the draws of each row.
    memory : float64[rows, n]
        What each row's player has noted.
    """

    def __init__(self, fields: dict[str, Any], keys: NDArray[np.uint64], memory: NDArray[np.float64]) -> None:
        missing = sorted(FIELDS.keys() - fields.keys())
        if missing:
            raise ValueError(f"fields must hold every field of an observation; missing: {', '.join(missing)}")
        self.rows = len(keys)
        self._keys, self._calls, self._purpose = keys, 0, rng.WAIT
        self.__dict__.update(fields, memory=memory)

    @property
    def counts(self) -> NDArray[np.uint8]:
        """Small numbers that chances are reckoned from: see `observation.COUNTS`."""
        held = self.others_cards + self.hand_size + self.other_hand_size
        columns = [self.others_cards, self.unseen_below, self.unseen_all, held, self.card, self.ranks - self.top]
        return np.column_stack([*columns, self.face_down]).astype(np.uint8)

    @property
    def _tracks(self) -> Any:
        """How many tracks there are, for each row: made-up situations tell by what is unseen."""
        return np.where(self.unseen_all == self.unseen, 1, 2)

    @property
    def track_length(self) -> int:
        """Cards per track, as one number."""
        return int(self.ranks[0]) if self.rows else 1

    @property
    def seats(self) -> int:
        """Players, as one number."""
        return int(self.hand_sizes.shape[1])

    @property
    def glance(self) -> NDArray[np.uint16]:
        """The depth of the card, and small numbers that everybody knows: see `observation.GLANCE`."""
        deck = self._tracks * self.ranks
        own, held = self.hand_sizes[:, 0], self.hand_sizes.sum(axis=1)
        now = [self.others_cards, held, np.maximum(self.unseen_all + own, 1)]
        start = [self.level_cards * (self.players - 1), self.level_cards * self.players, deck]
        return np.vstack([depth_of(self), np.where(self.face_down, start, now)]).astype(np.uint16)

    @property
    def standing(self) -> NDArray[np.uint16]:
        """How the game stands: see `observation.STANDING`."""
        own, held, dealt = self.hand_sizes[:, 0], self.hand_sizes.sum(axis=1), self.level_cards * self.players
        game = [self.level, self.n_levels, self.lives, self.stars, self.face_down]
        return np.vstack([own, held, dealt, *game]).astype(np.uint16)

    def _records(self) -> tuple[Any, Any, Any, NDArray[np.float64]]:
        """A record for each row, with what `observation.hear` reads."""
        games = np.zeros(self.rows, game_dtype(1, 2, 1)).view(np.recarray)
        games.low[:] = NONE
        games.low[:, 0] = np.where(self.card > 0, self.card, NONE)
        games.felt[:, 0], games.last_wait[:, 0] = self.elapsed, self.last_wait
        games.level_epoch = self.elapsed > 0.0
        for name in ("last_event", "last_card", "last_track", "last_player", "last_plays"):
            games[name] = self.__dict__[name]
        return games, np.arange(self.rows, dtype=np.int32), np.zeros(self.rows, np.uint8), self.memory

    def fields(self) -> dict[str, Any]:
        """All fields by name."""
        return {name: self.__dict__[name] for name in FIELDS}

    def take(self, rows: Any) -> Situations:
        """Some of the rows, in this order, as a new observation with draws from the start."""
        fields = {name: values[rows].copy() for name, values in self.fields().items()}
        return Situations(fields, self._keys[rows].copy(), self.memory[rows].copy())

    def asked_for(self, purpose: int) -> Situations:
        """The same situations, asked for another purpose: its draws are others, from the start."""
        twin = self.take(np.arange(self.rows))
        twin._purpose = purpose
        return twin

    def _draw(self, fill: Callable[..., None], channel: np.uint64) -> NDArray[np.float64]:
        out = np.empty(self.rows)
        fill(self._keys, channel, out)
        return out

    def personal(self, k: int) -> NDArray[np.float64]:
        """The k-th standard normal draw that stays with the row's player."""
        return self._draw(rng.fill_normal, rng.channel(rng.PERSONAL, k))


def depth_of(obs: Observation) -> NDArray[np.int64]:
    """Ranks on which somebody else's lower card may lie.

    Up to the second-lowest of the floors of those who may hold cards, the edge, at most one player holds any: below
    it lies nobody else's lower card. It rises above the pile only when cards are shown, by a star say; these are no
    longer among the unseen ranks.
    """
    start = np.where(obs.face_down, 0, obs.top)
    floors = np.maximum(obs.floors, start[:, None])
    floors = np.where((obs.hand_sizes > 0) | obs.face_down[:, None], floors, 1 << 20)
    edge = np.sort(floors, axis=1)[:, 1]
    edge = np.where(edge < 1 << 20, edge, start)
    shown = ((obs.floors > obs.top[:, None]) & (obs.floors <= edge[:, None])).sum(axis=1)
    unseen = np.where(obs.face_down, obs.card - 1 - edge, obs.unseen_below - (edge - obs.top) + shown)
    return np.where(obs.card > edge, np.maximum(unseen, 0), 0)


def situations(
    *, card: Any, top: Any = 0, others_cards: Any = 1, memory: int = 0, seed: int = 0, **fields: Any
) -> Situations:
    """Situations by their main features; what is not said is as it would be in a first, quiet, face-up epoch.

    Parameters
    ----------
    card : int or array of int
        Own lowest rank; 0 for an empty hand.
    top, others_cards : int or array of int
        The pile's top, and how many cards others hold.
    memory : int
        Columns of memory (zeros).
    seed : int
        Starts the rows' draws.
    **fields
        Any field of `observation.FIELDS`, a number or an array.

    Returns
    -------
    Situations
        With as many rows as the arrays have (numbers are repeated).

    Raises
    ------
    TypeError
        If a field is unknown.
    ValueError
        If a card does not lie above its pile, or no game could hold such cards.

    Examples
    --------
    >>> from mindsim.situations import situations
    >>> import mindsim as ms
    >>> ms.policies.GapLinear(0.5).wait(situations(card=[10, 20], top=4))
    array([3., 8.])
    """
    unknown = sorted(fields.keys() - FIELDS.keys())
    if unknown:
        raise TypeError(f"unknown field {unknown[0]!r}; the fields are {', '.join(FIELDS)}")
    given = {"card": card, "top": top, "others_cards": others_cards, **fields}
    rows = max([len(v) for v in given.values() if np.ndim(v)], default=1)
    full = {name: _column(name, value, rows) for name, value in given.items()}
    if np.any((full["card"] < 0) | (full["card"] > MAX_RANK) | (full["top"] < 0)):
        raise ValueError(f"card must be 0 .. {MAX_RANK} and top at least 0; got card {card!r} and top {top!r}")
    if np.any((full["others_cards"] < 0) | (full["others_cards"] > 2 * MAX_RANK)):
        raise ValueError(f"others_cards must be 0 .. {2 * MAX_RANK}, not {others_cards!r}")
    if np.any((full["card"] > 0) & (full["card"] <= full["top"])):
        raise ValueError(f"card must lie above top, or be 0; got card {card!r} and top {top!r}")
    for name, value in _defaults(full, rows).items():
        full.setdefault(name, value)
    keys = np.array([rng.game_key(rng.as_seed(seed), np.uint64(i)) for i in range(rows)], np.uint64)
    return Situations(full, keys, np.zeros((rows, memory)))


def _column(name: str, value: Any, rows: int) -> Any:
    if name in _TABLES:
        return np.broadcast_to(np.asarray(value, np.int64), (rows, np.shape(value)[-1])).copy()
    kind = float if name in _FLOATS else bool if name == "face_down" else np.int64
    return np.broadcast_to(np.asarray(value, kind), (rows,)).copy()


def _defaults(given: dict[str, Any], rows: int) -> dict[str, Any]:
    """The fields not given, from those that are."""

    def of(name: str, otherwise: Any) -> Any:
        return given[name] if name in given else _column(name, otherwise, rows)

    card, top, others = given["card"], given["top"], given["others_cards"]
    size, players, ranks = of("hand_size", np.minimum(card, 1)), of("players", 2), of("ranks", 100)
    other_size = of("other_hand_size", 0)
    unseen = of("unseen", np.maximum(ranks - top - size, 0))
    width = int(players[0]) if rows else 2
    level_cards = of("level_cards", np.maximum(size + other_size, 1))
    values: dict[str, Any] = {name: np.zeros(rows, float if name in _FLOATS else np.int64) for name in FIELDS}
    return values | {
        "gap": np.where(card > 0, card - top, 0),
        "hand": _hands(card, size, ranks),
        "hand_size": size,
        "hand_sizes": np.column_stack([size + other_size, _shared(others, width - 1)]),
        "floors": np.repeat(top[:, None], width, axis=1),
        "unseen": unseen,
        "unseen_below": np.where(card > 0, np.minimum(np.maximum(card - top - 1, 0), unseen), 0),
        "unseen_all": unseen,
        "level": level_cards,
        "n_levels": np.maximum(level_cards, 12),
        "level_cards": level_cards,
        "ranks": ranks,
        "lives": players,
        "stars": np.ones(rows, np.int64),
        "players": players,
        "face_down": np.zeros(rows, bool),
        "last_event": np.full(rows, int(Event.LEVEL)),
        "last_player": np.full(rows, -1),
    }


def _hands(card: Any, size: Any, ranks: Any) -> Any:
    """Hands that start with the lowest card and go on with the ranks that follow."""
    width = max(int(size.max(initial=0)), 1)
    place = np.arange(width)
    return np.where((place < size[:, None]) & (card[:, None] > 0), np.minimum(card[:, None] + place, ranks[:, None]), 0)


def _shared(cards: Any, hands: int) -> Any:
    """As many cards in each of the other hands, as evenly as may be."""
    return (cards[:, None] + hands - 1 - np.arange(hands)) // hands


class Draws(Noise):
    """Noise for made-up moments: row i is player `player[i]` in an epoch and level of a game.

    Parameters
    ----------
    game, level, epoch, player : int or array of int
        The moments; numbers are repeated.
    seed : int
        Starts all draws.
    purpose : int
        One of the purposes in `rng`.

    Examples
    --------
    >>> import numpy as np
    >>> import mindsim as ms
    >>> from mindsim.situations import Draws
    >>> rates = ms.clocks.Lognormal(0.2).rate(Draws(game=np.arange(10_000)))
    >>> bool(abs(np.log(rates).std() - 0.2) < 0.01)
    True
    """

    def __init__(
        self, game: Any = 0, level: Any = 0, epoch: Any = 0, player: Any = 0, seed: int = 0, purpose: int = rng.RATE
    ) -> None:
        moments = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, np.uint64)) for x in (game, level, epoch, player)))
        games, levels, epochs, players = moments
        start = np.array([rng.game_key(rng.as_seed(seed), g) for g in games], np.uint64)
        seat = start + rng.PLAYER * (players + np.uint64(1))
        self._bases = {"epoch": seat + rng.EPOCH * epochs, "level": seat + rng.LEVEL * levels, "game": seat}
        self._tracks, self._purpose, self._part, self._calls, self._lasts = 1, purpose, 0, 0, "epoch"
        self._keys = self._bases["epoch"]
        self.rows = len(start)

    def take(self, rows: Any) -> Draws:
        """Some of the rows, in this order, with draws from the start."""
        twin = self._twin(self._keys[rows])
        twin._bases, twin.rows = {name: keys[rows] for name, keys in self._bases.items()}, len(twin._keys)
        return twin

    def _twin(self, keys: Any) -> Draws:
        twin = Draws.__new__(Draws)
        twin.__dict__.update(self.__dict__)
        twin._keys, twin._calls = keys, 0
        return twin

    def lasting(self, lasts: Lasts) -> Draws:
        """The noise whose draws stay the same for an "epoch", a "level" or a "game"."""
        twin = self._twin(self._bases[lasts])
        twin._lasts = lasts
        return twin
