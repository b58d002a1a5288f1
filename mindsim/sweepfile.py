"""A sweep as a TOML file: read, checked and played. ``mindsim sweep FILE.toml`` and ``mindsim baseline`` are these.

::

    n_games = 10_000
    seed = 0
    store = "results/mine"                 # optional; else the command says where

    [[grid]]                               # one or more; every list is swept
    players = [2, 3, 4]
    rules = "the_mind"
    policy = ["gap_linear", {name = "gap_power", pace = [0.02, 0.05], exponent = 2.0}]
    clock = {name = "scalar", weber = 0.14, floor = 0.05}
    reaction = 0.23

A policy, clock, stars, stops, reaction or team is a registered name, or a table of a name and parameters, in which a
list is swept too. A list inside a list is a mixed team, one entry per seat; in a parameter it is one value. A grid of
The Game says so, and has strategies::

    [[grid]]
    game = "the_game"
    players = [1, 2]
    strategy = ["random", {name = "look_ahead", reach = [1, 2]}]
    end = ["player_stuck", "nobody_can_play"]

What this file leaves to others: what the arguments mean (`cells.grid`, `the_game.cells.grid`), playing (`sweep`).
"""

from __future__ import annotations

import dataclasses
import difflib
import itertools
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, field_validator

from mindsim import registry
from mindsim.cells import MODULES, AnyCell, grid, make
from mindsim.rules import Level, Rules
from mindsim.sweep import sweep
from mindsim.table import SweepTable

Whole = int | list[int]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Grid(_Strict):
    """One ``[[grid]]``: the arguments of `mindsim.grid`."""

    game: Literal["the_mind", "the_game"] = "the_mind"
    rules: str | dict[str, Any] | list[Any] = "the_mind"
    players: Whole | None = None
    policy: str | dict[str, Any] | list[Any] | None = None
    team: str | dict[str, Any] | list[Any] | None = None
    clock: str | dict[str, Any] | list[Any] | None = None
    stars: str | dict[str, Any] | list[Any] | None = None
    stops: str | dict[str, Any] | list[Any] | None = None
    reaction: float | str | dict[str, Any] | list[Any] | None = None
    sees_clock: bool | list[bool] | None = None
    lives: Whole | None = None
    n_stars: Whole | None = None
    max_lives: Whole | None = None
    max_stars: Whole | None = None
    deck: Whole | None = None
    refocus_seconds: float | list[float] | None = None
    max_stops: Whole | None = None
    blind_count: str | list[str] | None = None
    max_epochs: Whole | None = None

    def cells(self) -> list[AnyCell]:
        """The cells of this grid."""
        given = {name: getattr(self, name) for name in (self.model_fields_set | {"rules"}) - {"game"}}
        return [*grid(**{name: _value(name, value) for name, value in given.items()})]


class TheGameGrid(_Strict):
    """One ``[[grid]]`` of The Game: the arguments of `mindsim.the_game.grid`."""

    game: Literal["the_game"]
    strategy: str | dict[str, Any] | list[Any]
    players: Whole
    end: str | list[str] = "player_stuck"
    hand: Whole | None = None
    minimum: Whole | None = None
    minimum_when_empty: Whole | None = None
    trick: Whole | None = None
    deck: Whole | None = None

    def cells(self) -> list[AnyCell]:
        """The cells of this grid."""
        from mindsim import the_game

        given = {name: getattr(self, name) for name in self.model_fields_set - {"game"}}
        given["strategy"] = _values("strategy", self.strategy, the_game.strategies.make)
        return [*the_game.grid(**given)]


GAMES: dict[Any, type[BaseModel]] = {"the_mind": Grid, "the_game": TheGameGrid}


def _game_of(part: Any) -> str:
    """Which kind of grid a table is; one that names no game that there is is checked as one of The Mind."""
    game = part.get("game") if isinstance(part, dict) else getattr(part, "game", None)
    return "the_game" if game == "the_game" else "the_mind"


AnyGrid = Annotated[
    Annotated[Grid, Tag("the_mind")] | Annotated[TheGameGrid, Tag("the_game")], Discriminator(_game_of)
]


class SweepFile(_Strict):
    """The whole file."""

    n_games: int = Field(ge=1)
    seed: int = Field(default=0, ge=0)
    store: str | None = None
    until: float | None = Field(default=None, gt=0, lt=0.5)
    on_error: Literal["raise", "record"] = "raise"
    grid: list[AnyGrid] = Field(min_length=1)

    @field_validator("grid", mode="before")
    @classmethod
    def _one_or_more(cls, value: Any) -> Any:
        return [value] if isinstance(value, dict) else value

    def cells(self) -> list[AnyCell]:
        """The cells of all grids, in order."""
        return [cell for part in self.grid for cell in part.cells()]


# --- from TOML values to objects -------------------------------------------------------------------------------------
def _value(name: str, value: Any) -> Any:
    """A value of a grid with its names made into objects; lists of lists into tuples, which are mixed teams."""
    if name == "rules":
        return [_rules(v) for v in value] if isinstance(value, list) else _rules(value)
    if name not in MODULES:
        return value
    return _values(name, value, partial(make, name))


def _values(name: str, value: Any, maker: Callable[..., Any]) -> Any:
    """What a name, a table or a list of them stands for."""
    if not isinstance(value, list):
        made = list(_made(name, value, maker))
        return made if len(made) > 1 else made[0]
    return [choice for entry in value for choice in _choices(name, entry, maker)]


def _rules(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    levels = value.get("levels", [])
    if not isinstance(levels, list):
        raise ValueError(f"rules: levels must be a list of tables such as {{cards = 3}}, not {levels!r}")
    made = [_of_class(Level, level, "level") if isinstance(level, dict) else level for level in levels]
    return _of_class(Rules, {**value, "levels": made}, "rules")


def _of_class(made: Any, value: dict[str, Any], where: str) -> Any:
    """The object that a table describes, key by key."""
    fields = made.__dataclass_fields__
    _known(value, fields, where)
    lacking = [k for k, field in fields.items() if field.default is dataclasses.MISSING and k not in value]
    if lacking:
        raise ValueError(f"{where}: {lacking[0]} must be given")
    return made(**value)


def _choices(name: str, entry: Any, maker: Callable[..., Any]) -> Iterator[Any]:
    """What one entry of a list stands for: a mixed team, or one object for each combination of its parameters."""
    if isinstance(entry, list):
        yield from itertools.product(*(list(_made(name, seat, maker)) for seat in entry))
    else:
        yield from _made(name, entry, maker)


def _made(name: str, value: Any, maker: Callable[..., Any]) -> Iterator[Any]:
    if isinstance(value, str):
        value = {"name": value}
    if not isinstance(value, dict):
        yield value
        return
    if "name" not in value:
        raise ValueError(f'{name} must be a registered name, or a table with a "name" and parameters, not {value!r}')
    params = {k: _parameter(v) for k, v in value.items() if k != "name"}
    for values in itertools.product(*params.values()):
        yield maker(value["name"], **dict(zip(params, values, strict=True)))


def _parameter(value: Any) -> list[Any]:
    """The values that a parameter takes: those of a list, and a table with a kind is an object of its own."""
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ValueError("a parameter must have at least one value to sweep over; the list is empty")
    return [_object(v) for v in values]


def _object(value: Any) -> Any:
    if isinstance(value, dict) and "kind" in value:
        params = {k: _object(v) for k, v in value.items() if k not in ("kind", "name")}
        if value["kind"] not in registry.KINDS:
            raise ValueError(f"kind must be one of {', '.join(registry.KINDS)}, not {value['kind']!r}")
        part = "team" if value["kind"] == "player" else str(value["kind"])
        return make(part, str(value.get("name")), **params)
    return tuple(_object(v) for v in value) if isinstance(value, list) else value


def _known(value: Mapping[str, Any], names: Any, where: str) -> None:
    for name in value:
        if name not in names:
            raise ValueError(f"{where}: unknown key {name!r}{_nearest(name, list(names))}")


# --- reading, with the line of what is wrong -------------------------------------------------------------------------
def read(path: str | Path) -> SweepFile:
    """Read and check a sweep file.

    Parameters
    ----------
    path : path

    Raises
    ------
    ValueError
        If the file is no TOML, has an unknown or missing key or a wrong value: with the file, the line and, for a
        misspelt key, the nearest right one.
    OSError
        If it cannot be read.
    """
    path = Path(path)
    text = path.read_text(encoding="utf-8")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is no TOML: {error}") from error
    try:
        found = SweepFile.model_validate(data)
    except ValidationError as error:
        raise ValueError("\n".join(_sentence(path, text, e) for e in _unlike(error))) from error
    for number, part in enumerate(found.grid):
        _check_grid(path, text, number, part)
    return found


def _check_grid(path: Path, text: str, number: int, part: Grid | TheGameGrid) -> None:
    """Make the cells once, so that a wrong name is found before anything is played."""
    try:
        part.cells()
    except (ValueError, TypeError) as error:
        words = re.findall(r"'([A-Za-z_]\w*)'", str(error))
        line = next((n for word in words if (n := _line(text, word, number))), None) or _line(text, "", number)
        raise ValueError(f"{path}, line {line}, grid {number + 1}: {error}") from error


def _unlike(error: ValidationError) -> list[Any]:
    """The errors, one for each place: a union reports each of its branches."""
    places: dict[tuple[Any, ...], Any] = {}
    for e in error.errors():
        tagged = len(e["loc"]) > 2 and e["loc"][2] in GAMES  # pydantic names the kind of grid on the way
        found: dict[str, Any] = dict(e, loc=e["loc"][:2] + e["loc"][3:], game=e["loc"][2]) if tagged else dict(e)
        depth = 3 if found["loc"][:1] == ("grid",) else 1
        places.setdefault(found["loc"][:depth], found)
    return list(places.values())


def _sentence(path: Path, text: str, error: Any) -> str:
    where = error["loc"]
    in_grid = where[0] == "grid" and len(where) > 2
    number = int(where[1]) if in_grid else None
    key, section = str(where[2] if in_grid else where[0]), "the file" if number is None else f"[grid] {number + 1}"
    names = list((GAMES[error["game"]] if in_grid else SweepFile).model_fields)
    if error["type"] == "missing":
        return f"{path}: {section} lacks the key {key!r}"
    place = f"{path}, line {_line(text, key, number)}"
    if error["type"] == "extra_forbidden":
        return f"{place}: unknown key {key!r} in {section}{_nearest(key, names)}"
    return f"{place}: {key} = {error['input']!r} is not allowed: {error['msg'][0].lower()}{error['msg'][1:]}"


def _nearest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; the keys are {', '.join(names)}"


def _line(text: str, word: str, number: int | None) -> int | None:
    """The line on which a word first stands, in the file's head or in its n-th grid; comments do not count."""
    section = -1
    for i, line in enumerate(text.splitlines(), start=1):
        if re.match(r"\s*\[\[?\s*grid\s*\]", line):
            section += 1
        here = section == -1 if number is None else section == number
        if (here or (number is None and not word)) and re.search(rf"\b{re.escape(word)}\b|^\s*\[", _bare(line, word)):
            return i
    return None


def _bare(line: str, word: str) -> str:
    """The line without its comment, and without its header unless that is what is looked for."""
    line = line.split("#")[0]
    return line if not word else re.sub(r"^\s*\[\[?\s*grid\s*\]\]?", "", line)


# --- playing ---------------------------------------------------------------------------------------------------------
def run(
    path: str | Path,
    *,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    dask: str | None = None,
    n_games: int | None = None,
    progress: bool = True,
) -> SweepTable:
    """Play a sweep file.

    Parameters
    ----------
    path : path
    n_jobs : int, optional
        As for `sweep`.
    store : path, optional
        Where the results go; default: what the file says, else ``results/<name of the file>``.
    dask : str, optional
        Address of a dask scheduler (``tcp://host:8786``): its workers play.
    n_games : int, optional
        Instead of the file's.
    progress : bool, default True

    Raises
    ------
    ValueError, OSError
        As `read` and `sweep`.
    ImportError
        If `dask` is given and dask.distributed is not installed.
    """
    file = read(path)
    where = store or file.store or Path("results") / Path(path).stem
    with ExitStack() as stack:
        if dask is not None:
            _use_cluster(stack, dask)
        return sweep(
            file.cells(),
            file.n_games if n_games is None else n_games,
            file.seed,
            n_jobs=n_jobs,
            store=where,
            progress=progress,
            on_error=file.on_error,
            until=file.until,
        )


def _use_cluster(stack: ExitStack, address: str) -> None:
    """Let the workers of a cluster play until the stack is closed."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError('a cluster needs dask.distributed: pip install "mindsim[dask]"') from error
    from joblib import parallel_config

    try:
        stack.enter_context(Client(address, timeout=10))
    except (OSError, TimeoutError) as error:
        raise OSError(f"no dask scheduler answers at {address!r}: {error}") from error
    stack.enter_context(parallel_config(backend="dask"))
