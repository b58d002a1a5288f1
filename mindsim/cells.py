"""Cells: one setting each (rules and a team), and `grid`, which makes them from values and lists of values.

A cell knows how to play a range of its games, how to write its setting as JSON, and how to summarise its games a piece
at a time. `sweep` needs nothing more of it, so that another game can bring cells of its own.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import importlib
import inspect
import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from mindsim import registry
from mindsim.player import Player
from mindsim.rules import Rules
from mindsim.stats.summary import Summary

Columns = Mapping[str, np.ndarray]
RULE_SETS = ("the_mind", "blind", "campaign", "extreme")
RULE_SETTINGS = (
    "lives",
    "n_stars",
    "max_lives",
    "max_stars",
    "deck",
    "refocus_seconds",
    "max_stops",
    "blind_count",
    "max_epochs",
)
PARTS = ("policy", "clock", "stars", "stops", "reaction", "sees_clock")
MODULES = {
    "policy": "policies", "clock": "clocks", "stars": "stars", "stops": "stops", "reaction": "reactions",
    "team": "players",
}  # fmt: skip


class AnyCell(Protocol):
    """What `sweep` asks of a cell."""

    @property
    def label(self) -> str:
        """One line for people."""

    @property
    def columns(self) -> Mapping[str, Any]:
        """What was varied: the first columns of the table."""

    @property
    def shape(self) -> Hashable:
        """Cells of one shape are played by the same compiled code."""

    def setting(self) -> dict[str, Any]:
        """All that decides its games, as JSON."""

    def play(self, seed: int, games: range) -> Columns:
        """Play these games: one array per column, one entry per game."""

    def wins(self, games: Columns) -> int:
        """How many of them were won."""

    def summarise(self, pieces: Iterable[Columns]) -> dict[str, Any]:
        """Results over all games, from pieces that come one after another."""


class Counted:
    """What cells of all games do alike: their columns name them, and their wins are counted."""

    columns: Mapping[str, Any]
    summary: ClassVar[type[Any]]  # takes in pieces of games, one after another

    @property
    def label(self) -> str:
        """The columns in one line."""
        return ", ".join(f"{k}={v}" for k, v in self.columns.items() if "." not in k)

    def wins(self, games: Columns) -> int:
        """How many games were won."""
        return int(games["won"].sum())

    def summarise(self, pieces: Iterable[Columns]) -> dict[str, Any]:
        """Results over all games."""
        summary = self.summary()
        for piece in pieces:
            summary.add(piece)
        result: dict[str, Any] = summary.result()
        return result


@dataclass(frozen=True)
class Cell(Counted):
    """One setting of The Mind: rules, one player per seat, and the values that name it in a table.

    Parameters
    ----------
    rules : Rules
    team : sequence of Player
        One per seat.
    columns : mapping, optional
        What stands in the table for this cell, e.g. ``{"policy": "mine"}``.

    Examples
    --------
    >>> import mindsim as ms
    >>> Cell(ms.Rules.the_mind(2), [ms.Player("gap_linear")] * 2, {"policy": "linear"}).label
    'policy=linear'
    """

    rules: Rules
    team: tuple[Player, ...]
    columns: Mapping[str, Any] = field(default_factory=dict, compare=False)

    summary = Summary

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise TypeError(f"Cell.rules must be Rules, not {self.rules!r}")
        object.__setattr__(self, "team", tuple(self.team))
        if len(self.team) != self.rules.players or not all(isinstance(p, Player) for p in self.team):
            raise ValueError(f"Cell.team must be {self.rules.players} players, one per seat, not {self.team!r}")

    @property
    def shape(self) -> Hashable:
        """Players and tracks."""
        return "the_mind", self.rules.players, self.rules.tracks

    def setting(self) -> dict[str, Any]:
        """Rules, team, and a digest of the source of every part that is not of this package.

        The digest makes a changed policy of the same name another setting. What such a policy calls in other files is
        not seen.

        Raises
        ------
        TypeError
            If a part cannot be written as JSON, or its source cannot be read.
        """
        rules = dataclasses.asdict(self.rules)
        return {
            "game": "the_mind",
            "rules": rules,
            "team": [registry.to_json(p) for p in self.team],
            "sources": dict(sorted(sources(self.team))),
        }

    def play(self, seed: int, games: range) -> Columns:
        """Play these games."""
        from mindsim.simulate import simulate

        return columns_of(simulate(self.rules, list(self.team), len(games), seed, first_game=games.start))


def columns_of(games: Any) -> Columns:
    """The columns that are kept of each game, in small types."""
    counts = (
        "levels_completed",
        "level_reached",
        "lives",
        "stars",
        "stars_used",
        "mistakes",
        "cards_lost",
        "cards_played",
        "epochs",
    )
    kept = {"won": games.won, "stalled": games.outcome == "stalled", "duration": games.duration}
    kept |= {name: getattr(games, name).astype(np.int32) for name in counts}
    return kept | {f"mistakes_{cause}": games.causes[:, i].astype(np.int32) for i, cause in enumerate(games.CAUSES)}


# --- sources of foreign parts ----------------------------------------------------------------------------------------
def sources(thing: Any) -> Iterator[tuple[str, str]]:
    """Where each class or function from outside this package is, and a digest of its source."""
    if isinstance(thing, (tuple, list)):
        for item in thing:
            yield from sources(item)
    elif dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        yield from _source(type(thing))
        for f in dataclasses.fields(thing):
            yield from sources(getattr(thing, f.name))
    elif inspect.isfunction(thing):
        yield from _source(thing)


def _source(maker: Any) -> Iterator[tuple[str, str]]:
    if maker.__module__.split(".")[0] == "mindsim":
        return
    where = f"{maker.__module__}:{maker.__qualname__}"
    try:
        text = inspect.getsource(maker)
    except (OSError, TypeError) as error:
        raise TypeError(
            f"the source of {where} cannot be read, so a store could not tell it from a later version; "
            "put it in a file, or sweep without store="
        ) from error
    yield where, hashlib.sha256(text.encode()).hexdigest()[:16]


# --- grid ------------------------------------------------------------------------------------------------------------
def grid(
    *, rules: Any = "the_mind", players: Any = None, policy: Any = None, team: Any = None, **others: Any
) -> list[Cell]:
    """Cells for every combination of the values given: a list is swept, anything else is the same in all cells.

    A tuple is a mixed team: one value per seat.

    Parameters
    ----------
    rules : name or Rules, or a list of them
        ``"the_mind"``, ``"blind"``, ``"campaign"``, ``"extreme"``, or any `Rules` value.
    players : int or list of int
        Needed with a name.
    policy : policy, name, tuple of one per seat, or a list of these
    team : Player, name of one, tuple of one per seat, or a list of these
        Instead of `policy` and the other parts of a player.
    clock, stars, stops, reaction, sees_clock
        Parts of the players, like `policy`.
    lives, n_stars, max_lives, max_stars, deck, refocus_seconds, max_stops, blind_count, max_epochs
        Other values than the rules' own. (`n_stars` is how many stars the team starts with; `stars` is how the players
        use them.)

    Returns
    -------
    list of Cell
        In the order of the arguments above: `rules` vary slowest.

    Raises
    ------
    ValueError, TypeError
        For an empty list, an unknown argument, a team of the wrong size, or the same cell twice.

    Examples
    --------
    >>> import mindsim as ms
    >>> cells = ms.grid(players=[2, 3], policy=[ms.policies.GapLinear(0.05), ms.policies.GapLinear(0.1)],
    ...                 clock=ms.clocks.Scalar(weber=0.14))
    >>> len(cells)
    4
    >>> cells[0].label
    "rules=the_mind, players=2, policy=GapLinear(pace=0.05), clock=Scalar(weber=0.14, floor=0.0, lasts='epoch')"
    """
    given = {"rules": rules, "players": players, "policy": policy, "team": team, **others}
    given = {name: value for name, value in given.items() if value is not None}
    _check_names(given)
    cells = [_cell(values) for values in combinations(given)]
    refuse_twins(cells)
    return cells


def _check_names(given: Mapping[str, Any]) -> None:
    known = ["rules", "players", "policy", "team", *[p for p in PARTS if p != "policy"], *RULE_SETTINGS]
    check_known(given, known)
    if "team" in given and (both := [p for p in PARTS if p in given]):
        raise TypeError(f"grid() takes either team= or {both[0]}=, not both: a team's players have their own")
    if "team" not in given and "policy" not in given:
        raise TypeError("grid() needs policy= or team=")


def check_known(given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse arguments that `grid` does not have, with the nearest that it has."""
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(known)}"
            raise TypeError(f"grid() has no argument {name!r}; {hint}")


def combinations(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One value of each list, in every way; the first argument varies slowest."""
    lists = {name: _choices(name, value) for name, value in given.items()}
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def _choices(name: str, value: Any) -> list[Any]:
    """The values to sweep over; a single one is a list of one."""
    if isinstance(value, (list, range, np.ndarray)):
        values = [v.item() if isinstance(v, np.generic) else v for v in value]
        if not values:
            raise ValueError(f"{name} must have at least one value to sweep over; the list is empty")
        return values
    return [value]


def _cell(values: dict[str, Any]) -> Cell:
    rules = _rules(values)
    if "team" in values:
        team = [_made("team", member) for member in seats("team", values["team"], rules.players)]
    else:
        parts = {
            name: [_made(name, v) for v in seats(name, values[name], rules.players)]
            for name in PARTS
            if name in values
        }
        team = [Player(**{name: column[seat] for name, column in parts.items()}) for seat in range(rules.players)]
    players = tuple(p if isinstance(p, Player) else Player(p) for p in team)
    return Cell(rules, players, _columns({"players": rules.players, **values}, players))


def _rules(values: Mapping[str, Any]) -> Rules:
    rules, players = values["rules"], values.get("players")
    if isinstance(rules, str):
        if rules not in RULE_SETS:
            near = difflib.get_close_matches(rules, RULE_SETS, n=1)
            raise ValueError(
                f"rules must be one of {', '.join(RULE_SETS)}, or a Rules value, not {rules!r}"
                + (f"; did you mean {near[0]!r}?" if near else "")
            )
        if players is None:
            raise ValueError(f"players must be given with rules={rules!r}: 2, 3 or 4, or a list of these")
        rules = getattr(Rules, rules)(players)
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be one of {', '.join(RULE_SETS)}, or a Rules value, not {rules!r}")
    if players is not None and players != rules.players:
        raise ValueError(f"players={players!r} does not go with rules for {rules.players} players; leave it out")
    changed = {"stars" if k == "n_stars" else k: values[k] for k in RULE_SETTINGS if k in values}
    return dataclasses.replace(rules, **changed)


def seats(name: str, value: Any, players: int) -> list[Any]:
    """One value per seat."""
    if not isinstance(value, tuple):
        return [value] * players
    if len(value) != players:
        raise ValueError(
            f"{name}: a tuple is one value per seat; {len(value)} values do not fit {players} players: "
            f"{value!r}. To sweep over values give a list"
        )
    return list(value)


def make(part: str, name: str, **params: Any) -> Any:
    """The registered policy, clock, stars, stops, reaction or (for ``"team"``) player of that name.

    Raises
    ------
    ValueError
        If the name or a parameter is unknown, or a value is not allowed.
    """
    module = importlib.import_module(f"mindsim.{MODULES[part]}")  # names are known once their module is loaded
    return module.make(name, **params)


def _made(part: str, value: Any) -> Any:
    return make(part, value) if part in MODULES and isinstance(value, str) else value


def _columns(values: Mapping[str, Any], team: tuple[Player, ...]) -> dict[str, Any]:
    """What the table shows of a cell: the values as text, and the numbers in them by name (``policy.pace``)."""
    columns: dict[str, Any] = {}
    for name in ["rules", "players", *[n for n in values if n not in ("rules", "players")]]:
        columns[name] = text_of(values[name])
    for name in PARTS:
        part = getattr(team[0], name)
        if name in values and not isinstance(values[name], tuple) and dataclasses.is_dataclass(part):
            columns |= {f"{name}.{k}": v for k, v in _numbers(part).items()}
    return columns


def _numbers(part: Any) -> dict[str, float]:
    found = {f.name: getattr(part, f.name) for f in dataclasses.fields(part)}
    return {k: v for k, v in found.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}


def text_of(value: Any) -> Any:
    """How a value stands in a table: numbers and words as they are, others in a few words."""
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, tuple):
        return " + ".join(str(text_of(v)) for v in value)
    if inspect.isfunction(value):
        return value.__name__
    if isinstance(value, Rules):
        return f"{value.players} players, {value.n_levels} levels"
    return repr(value)


def refuse_twins(cells: Iterable[AnyCell]) -> None:
    """Refuse a grid that has the same cell twice."""
    seen: set[AnyCell] = set()
    for cell in cells:
        try:
            twin = cell in seen
            seen.add(cell)
        except TypeError:  # a part that cannot be hashed cannot be compared either
            continue
        if twin:
            raise ValueError(f"the grid has the same cell twice: {cell.label}")
