"""What a learner sees: the fields of `mindsim.observation`, as one flat array of numbers from 0 to 1, or by name.

A learner has one row per track, since its card, gap, pile and so on differ by track; what does not differ is said
once. The flat array holds the fields of the first track, of the second if there is one, then the rest;
`FlatFields.names` says which number is which. Whole numbers are divided by the largest value that the rules allow,
times are on the wait scale (the number at which a time stands is the action that waits as long), and who acted last and
what happened are one-hot.

What this file leaves to others: what players may know is cut out by `mindsim.observation` alone.
"""
from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from mindsim.env.scale import WaitScale
from mindsim.observation import FIELDS, Event, Observation
from mindsim.rules import Rules

TIMES = ("since_top", "elapsed", "last_wait")
BY_TRACK = (
    "card", "top", "gap", "since_top", "hand", "hand_size", "floors", "unseen", "unseen_below", "face_down",
)  # fmt: skip
ON_OTHER_TRACK = ("other_card", "other_gap", "other_hand_size", "track")  # said by the other track's row
ONE_HOT = ("last_event", "last_player")
LONGEST = 1e9  # seconds: what `Named` tells of times ends here


class Field(NamedTuple):
    """One field: how many numbers a row holds, and between which bounds they lie."""

    name: str
    width: int
    low: int
    high: int


def fields_of(rules: Rules) -> list[Field]:
    """All fields that an environment of these rules can show, in the order of `observation.FIELDS`."""
    most_cards = max(level.cards for level in rules.levels)
    most_stars = max(1, rules.stars, rules.max_stars)
    high = {
        "hand_size": most_cards, "others_cards": max(1, most_cards * (rules.players - 1)), "hand_sizes": most_cards,
        "unseen_all": rules.deck, "level": rules.n_levels, "n_levels": rules.n_levels, "level_cards": most_cards,
        "lives": max(rules.lives, rules.max_lives), "stars": most_stars, "players": rules.players, "face_down": 1,
        "last_event": max(Event), "last_track": 1, "last_player": max(1, rules.players - 1), "stars_here": most_stars,
        "last_plays": rules.players * rules.tracks, "stops_here": max(1, rules.max_stops),
    }  # fmt: skip
    width = {"hand": most_cards, "hand_sizes": rules.players, "floors": rules.players}
    names = [name for name in FIELDS if name not in ON_OTHER_TRACK]
    low = {"last_player": -1}
    return [Field(name, width.get(name, 1), low.get(name, 0), high.get(name, rules.ranks)) for name in names]


def constant(rules: Rules) -> set[str]:
    """Fields that are the same throughout an environment of these rules."""
    never = {"n_levels", "ranks", "players"}
    never |= {"last_track"} if rules.tracks == 1 else set()
    never |= {"stops_here"} if rules.max_stops == 0 else set()
    hidden = {hides for level in rules.levels for hides in level.hidden(rules.tracks)}
    return never | ({"face_down"} if len(hidden) == 1 else set())


def _rows(obs: Observation, field: Field) -> NDArray[Any]:
    """A field as a table with one row per learner.

    Raises
    ------
    ValueError
        If the game has more or fewer players or cards than the environment.
    """
    values: NDArray[Any] = getattr(obs, field.name)
    table = values if values.ndim > 1 else values[:, None]
    if table.shape[1] != field.width:
        raise ValueError(
            f"{field.name} has {table.shape[1]} numbers in this game, but {field.width} in the environment: "
            "their rules differ in players or cards"
        )
    return table


# --- flat ------------------------------------------------------------------------------------------------------------
class FlatFields:
    """Fields as float32[rows, width], all numbers from 0 to 1.

    Parameters
    ----------
    rules : Rules
    scale : WaitScale
    chosen : sequence of str, optional
        Names of fields; by default all that vary under these rules.

    Raises
    ------
    ValueError
        If a name is unknown, or there is none.
    """

    def __init__(self, rules: Rules, scale: WaitScale, chosen: Iterable[str] | None = None) -> None:
        self.tracks, self.scale = rules.tracks, scale
        every = {field.name: field for field in fields_of(rules)}
        varying = [name for name in every if name not in constant(rules)]
        self.chosen = varying if chosen is None else _checked(chosen, list(every))
        self._writers: list[tuple[int, slice, Callable[[Observation, NDArray[np.float32]], None]]] = []
        self.names: list[str] = []
        colours = ["white ", "red "] if rules.tracks == 2 else [""]
        for t, colour in enumerate(colours):
            for name in self.chosen:
                if name in BY_TRACK:
                    self._add(every[name], t, colour)
        for name in self.chosen:
            if name not in BY_TRACK:
                self._add(every[name], 0, "")
        self.space = spaces.Box(0.0, 1.0, (len(self.names),), np.float32)

    def _add(self, field: Field, track: int, colour: str) -> None:
        begin = len(self.names)
        if field.name in ONE_HOT:
            values = range(field.high + 1)
            self.names += [f"{field.name}={Event(v).name.lower() if field.name == 'last_event' else v}" for v in values]
        else:
            self.names += [f"{colour}{field.name}{f'[{i}]' if field.width > 1 else ''}" for i in range(field.width)]
        self._writers.append((track, slice(begin, len(self.names)), self._writer(field)))

    def _writer(self, field: Field) -> Callable[[Observation, NDArray[np.float32]], None]:
        """What writes a field's numbers to its columns."""
        scale, share = self.scale, 1.0 / field.high

        def time(obs: Observation, out: NDArray[np.float32]) -> None:
            out[:, 0] = scale.place(getattr(obs, field.name))

        def one_hot(obs: Observation, out: NDArray[np.float32]) -> None:
            for value in range(field.high + 1):
                out[:, value] = getattr(obs, field.name) == value

        def number(obs: Observation, out: NDArray[np.float32]) -> None:
            np.multiply(_rows(obs, field), share, out=out, casting="unsafe")

        return time if field.name in TIMES else one_hot if field.name in ONE_HOT else number

    def read(self, rows: Sequence[Observation]) -> NDArray[np.float32]:
        """The numbers of every learner; `rows` has one observation per track, for the same learners."""
        out = np.empty((rows[0].rows, len(self.names)), np.float32)
        for track, columns, write in self._writers:
            write(rows[track], out[:, columns])
        return out


def _checked(chosen: Iterable[str], known: list[str]) -> list[str]:
    names = [chosen] if isinstance(chosen, str) else list(chosen)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=3) or known
            raise ValueError(f"fields must be names of observation fields, not {name!r}; nearest: {', '.join(near)}")
    if not names:
        raise ValueError("fields must name at least one observation field, not none")
    return [name for name in known if name in names]


# --- by name ---------------------------------------------------------------------------------------------------------
class NamedFields:
    """Fields as a dict of arrays, as they are: ranks, cards, seconds.

    Those that differ by track are [tracks] or [tracks, width] for one learner, the others [width].

    Parameters
    ----------
    rules : Rules
    chosen : sequence of str, optional
        Names of fields; by default all.
    """

    def __init__(self, rules: Rules, chosen: Iterable[str] | None = None) -> None:
        every = fields_of(rules)
        names = [field.name for field in every] if chosen is None else _checked(chosen, [f.name for f in every])
        self.fields = [field for field in every if field.name in names]
        self.tracks = rules.tracks
        self.space = spaces.Dict({field.name: self._space(field) for field in self.fields})

    def _space(self, field: Field) -> spaces.Box:
        shape: tuple[int, ...] = (field.width,)
        if field.name in BY_TRACK:
            shape = (self.tracks,) if field.width == 1 else (self.tracks, field.width)
        if field.name in TIMES:
            return spaces.Box(0.0, LONGEST, shape, np.float64)
        return spaces.Box(field.low, field.high, shape, np.int64)

    def read(self, rows: Sequence[Observation]) -> dict[str, NDArray[Any]]:
        """Arrays with one row per learner; `rows` has one observation per track, for the same learners."""
        return {field.name: self._values(rows, field) for field in self.fields}

    def _values(self, rows: Sequence[Observation], field: Field) -> NDArray[Any]:
        kind, most = (np.float64, LONGEST) if field.name in TIMES else (np.int64, field.high)
        if field.name not in BY_TRACK:
            values = _rows(rows[0], field)
        elif field.width == 1:
            values = np.stack([getattr(obs, field.name) for obs in rows], axis=1)
        else:
            values = np.stack([_rows(obs, field) for obs in rows], axis=1)
        bounded: NDArray[Any] = np.minimum(values, most).astype(kind)
        return bounded
