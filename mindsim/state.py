"""The data of the engine: the record of a game, and the arrays that the compiled functions share.

No rule is here; they are in `rulebook`.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import config
from numpy.typing import NDArray

U64 = np.uint64
INF = np.inf
NONE = 255  # "no card": above every rank
DECK_ROOM = 256  # room for the largest deck: two tracks of 127 ranks
ONE, ZERO, ALL = U64(1), U64(0), ~U64(0)

# Codes are np.int64, not Python integers: Numba compiles a function anew for every literal that it is called with.
_code = np.int64
NOBODY, NOTHING = _code(-1), _code(0)
# What everybody sees (`last_event`); DISCARD and those after it appear in the log only.
SEE_LEVEL, SEE_PLAY, SEE_MISTAKE, SEE_STAR, SEE_STOP = map(_code, range(5))
LOG_DISCARD, LOG_REWARD, LOG_END, LOG_DEAL = map(_code, range(5, 9))
# Why a life was lost.
POLICY, CLOCK, REACTION, TIED, BLIND = map(_code, range(5))
N_CAUSES = 5
# How a game ends; or goes on, in this level or in the next.
PASSED, PLAYING, WON, LOST, STALLED = map(_code, range(-2, 3))
# Causes of a discard, rewards.
BY_MISTAKE, BY_STAR = _code(1), _code(2)
NO_REWARD, A_LIFE, A_STAR = map(_code, range(3))
# What comes first in an epoch.
CARD_FIRST, STAR_FIRST, STOP_FIRST = map(_code, range(3))


# One record per game. P players, T tracks, and K = P * T "places" k = player * T + track, one lowest card each.
#
#   key                      where this game's random numbers start
#   elapsed, duration        true seconds in this level; in the game, with refocusing
#   felt[P], last_wait[P]    felt seconds in this level; felt length of the last epoch
#   since[K]                 felt seconds since this player's known top rose (while an epoch is resolved: minus the
#                            true seconds from its start at which the top rose in it)
#   hand[K], seen[T]         sets of ranks, as two words: held; set aside face up in this level
#   low[K], top[K]           lowest card held (NONE if none); highest rank known to lie on the pile
#   floors[K]                highest rank shown to all on this track by this player
#   pile, put_by             face-down piles in the order played, and the players
#
# What every epoch touches comes first, and records begin where a line of the processor's cache does, so that as few
# lines as possible go through the cache.
CACHE_LINE = 64  # bytes


def _fields(players: int, tracks: int, pile: int) -> tuple[list[Any], list[Any]]:
    """The fields of a record: those of every epoch, and the others."""
    places = players * tracks
    often = [
        ("key", "u8"), ("elapsed", "f8"), ("duration", "f8"), ("limit", "f8"), ("felt", "f8", (players,)),
        ("last_wait", "f8", (players,)), ("since", "f8", (places,)), ("hand", "u8", (places, 2)),
        ("epoch", "i4"), ("level_epoch", "i4"), ("played", "i4"), ("left", "i2"), ("lives", "i2"),
        ("low", "u1", (places,)), ("top", "u1", (places,)), ("floors", "u1", (places,)), ("hidden", "u1", (tracks,)),
        ("last_event", "i1"), ("last_player", "i1"), ("last_track", "i1"), ("last_card", "u1"), ("last_plays", "u1"),
        ("draws", "u1"), ("refocus", "u1"),
    ]  # fmt: skip
    seldom = [
        ("stars", "i2"), ("stars_here", "i2"), ("game", "i8"), ("lost", "i4"), ("level", "i2"), ("stars_used", "i2"),
        ("mistakes", "u1", (N_CAUSES,)), ("on_pile", "u1", (tracks,)), ("stops_here", "i4"),
        ("seen", "u8", (tracks, 2)), ("pile", "u1", (tracks, pile)), ("put_by", "u1", (tracks, pile)),
    ]  # fmt: skip
    return often, seldom


def game_dtype(players: int, tracks: int, pile: int) -> np.dtype[np.void]:
    """The record of one game; `pile` is the largest number of cards on a face-down pile (at least 1)."""
    often, seldom = _fields(players, tracks, pile)
    packed = np.dtype(often + seldom, align=True)
    names: list[str] = list(packed.names or ())
    fields: Any = packed.fields
    size = -(-packed.itemsize // CACHE_LINE) * CACHE_LINE
    return np.dtype(
        {
            "names": names,
            "formats": [fields[name][0] for name in names],
            "offsets": [fields[name][1] for name in names],
            "itemsize": size,
        },
        align=True,
    )


def game_records(n: int, dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """Room for n games, each at the beginning of a line of the cache.

    Interpreted code needs a recarray, to read fields as attributes; Numba takes longer to see what that is.
    """
    room = np.zeros(n * dtype.itemsize + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    records = room[start : start + n * dtype.itemsize].view(dtype)
    return records.view(np.recarray) if config.DISABLE_JIT else records


class Book(NamedTuple):
    """The rules as the compiled code reads them: one entry per level, then what holds for the whole game."""

    cards: NDArray[np.int64]
    reward: NDArray[np.int64]
    hidden: NDArray[np.bool_]  # [levels, tracks]
    limit: NDArray[np.float64]
    lives: int
    stars: int
    max_lives: int
    max_stars: int
    ranks: int
    max_stops: int
    max_epochs: int
    breaks: int  # 1: blind_count="breaks"
    refocus: float


class Table(NamedTuple):
    """Where games come from: the seed, the range of games, given deals, and room for shuffling."""

    seed: np.uint64
    first: int  # number of the first game
    n_games: int
    next: NDArray[np.int64]  # [1]: how many games have begun
    begun: NDArray[np.int32]  # in which records a game has begun in this epoch
    n_begun: NDArray[np.int64]  # [1]: how many these are
    given: NDArray[np.uint64]  # [0, 1 or n_games, levels, places, 2]: hands as sets of ranks
    deck: NDArray[np.uint8]  # [DECK_ROOM]


class Rows(NamedTuple):
    """One row per card that may be played next. Each group of equal players has a contiguous region of its own, with
    one spare row at its end.

    ``at`` says where on the grid [live game, place] a row belongs; decisions lie on the grid, so that the places of a
    game are neighbours whoever was asked about them.
    """

    at: NDArray[np.int32]
    gap: NDArray[np.int64]
    head_start: NDArray[np.float64]  # since_top, or infinite for a player alone
    intended: NDArray[np.float64]  # on the grid: waits, where there is a card
    executed: NDArray[np.float64]  # on the grid: true seconds until the card would land; infinite without a card
    bits: NDArray[np.uint64]  # the same memory, read as integers
    filled: NDArray[np.int64]  # per group: where its rows end
    begin: NDArray[np.int64]  # per group: where they begin
    members: NDArray[np.uint64]  # per group: the set of its places


class Seats(NamedTuple):
    """One entry per (live game, player), cards or none."""

    key: NDArray[np.uint64]
    rate: NDArray[np.float64]  # how fast the player acts
    feel: NDArray[np.float64]  # how fast time seems to pass (1 for a player who sees a clock)
    reaction: NDArray[np.float64]
    hand_up: NDArray[np.float64]  # true seconds until a hand is raised, a stop called
    stop: NDArray[np.float64]


class Calls(NamedTuple):
    """Per live game: what comes first, who calls, when, and the track of which each player would give a card."""

    kind: NDArray[np.int8]
    who: NDArray[np.int64]
    when: NDArray[np.float64]
    track: NDArray[np.int8]  # [live game, player]; -1: the one with the smaller intended wait


class Results(NamedTuple):
    """One entry per game, and per (game, level); if there are fewer entries than games, they are used again in turn."""

    outcome: NDArray[np.int8]
    level: NDArray[np.int16]
    lives: NDArray[np.int16]
    stars: NDArray[np.int16]
    stars_used: NDArray[np.int16]
    lost: NDArray[np.int32]
    played: NDArray[np.int32]
    epochs: NDArray[np.int32]
    duration: NDArray[np.float64]
    level_time: NDArray[np.float64]
    level_stars: NDArray[np.uint8]
    level_mistakes: NDArray[np.uint8]  # [games, levels, causes]


class Log(NamedTuple):
    """Events, if there is room for them."""

    first: int  # number of the first game
    game: NDArray[np.int32]  # counted from the first
    what: NDArray[np.int16]  # [events, 8]: level, event, player, track, card, lives, stars, cause
    when: NDArray[np.float64]  # level time
    n: NDArray[np.int64]  # [1]: how many there are
