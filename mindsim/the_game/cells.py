"""Cells of The Game, one setting each, and `grid`, which makes them from values and lists of values.

They offer what `mindsim.cells.AnyCell` asks for, so that sweeps, stores, tables and reports are those of The Mind.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mindsim import registry
from mindsim.cells import Columns, Counted, check_known, combinations, refuse_twins, seats, sources
from mindsim.the_game.games import team_name
from mindsim.the_game.rules import Rules
from mindsim.the_game.simulate import as_team, simulate
from mindsim.the_game.strategies.base import BuiltIn, make
from mindsim.the_game.summary import Summary

ENGINE = 1  # raised whenever the same seed gives other games
RULE_SETTINGS = ("hand", "minimum", "minimum_when_empty", "trick", "deck")


@dataclass(frozen=True)
class Cell(Counted):
    """One setting of The Game: rules, one strategy per seat, and the values that name it in a table.

    Parameters
    ----------
    rules : Rules
    team : strategy, or sequence of one per seat
    columns : mapping, optional
        What stands in the table for this cell. Default: players, ending and strategies.

    Examples
    --------
    >>> from mindsim import the_game as tg
    >>> Cell(tg.Rules(2), tg.strategies.LookAhead()).label
    'players=2, end=player_stuck, strategy=look_ahead'
    """

    rules: Rules
    team: Any
    columns: Mapping[str, Any] = field(default_factory=dict, compare=False)

    summary = Summary

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise TypeError(f"Cell.rules must be mindsim.the_game.Rules, not {self.rules!r}")
        object.__setattr__(self, "team", tuple(as_team(self.rules, self.team)))
        if not self.columns:
            named = {"players": self.rules.players, "end": self.rules.end, "strategy": team_name(self.team)}
            object.__setattr__(self, "columns", named)

    @property
    def shape(self) -> Hashable:
        """The strategies, which are compiled into the game."""
        return "the_game", *(type(strategy) for strategy in self.team)

    def setting(self) -> dict[str, Any]:
        """Rules, strategies with all their numbers, and a digest of the source of every one from outside this package.

        Raises
        ------
        TypeError
            If a strategy cannot be written as JSON, or its source cannot be read.
        """
        return {
            "game": "the_game",
            "engine": ENGINE,
            "rules": self.rules.to_dict(),
            "team": [registry.to_json(s.filled() if isinstance(s, BuiltIn) else s) for s in self.team],
            "sources": dict(sorted(sources(self.team))),
        }

    def play(self, seed: int, games: range) -> Columns:
        """Play these games."""
        played = simulate(self.rules, self.team, len(games), seed=seed, first_game=games.start)
        counts = {name: getattr(played, name).astype(np.int16) for name in ("cards_left", "turns", "tricks")}
        return {"won": played.won, **counts}


def grid(*, strategy: Any, players: Any, end: Any = "player_stuck", **others: Any) -> list[Cell]:
    """Cells for every combination of the values given: a list is swept, anything else is the same in all cells.

    A tuple is a mixed team: one strategy per seat.

    Parameters
    ----------
    strategy : strategy, its name, tuple of one per seat, or a list of these
    players : int or list of int
        1..5.
    end : {"player_stuck", "nobody_can_play"}, or a list of them
    hand, minimum, minimum_when_empty, trick, deck
        Other values than the rules' own, or lists of them.

    Returns
    -------
    list of Cell
        Endings vary slowest, then players, then rules, then strategies.

    Raises
    ------
    ValueError, TypeError
        For an empty list, an unknown argument, a team of the wrong size, or the same cell twice.

    Examples
    --------
    >>> cells = grid(strategy=["random", "least_movement"], players=[2, 3])
    >>> len(cells), cells[0].label
    (4, 'players=2, end=player_stuck, strategy=random')
    """
    check_known(others, RULE_SETTINGS)
    cells = [_cell(values) for values in combinations({"end": end, "players": players, **others, "strategy": strategy})]
    refuse_twins(cells)
    return cells


def _cell(values: dict[str, Any]) -> Cell:
    changed = {name: values[name] for name in RULE_SETTINGS if name in values}
    rules = Rules(values["players"], end=values["end"], **changed)
    given = seats("strategy", values["strategy"], rules.players)
    team = as_team(rules, [make(s) if isinstance(s, str) else s for s in given])
    columns = {"players": rules.players, "end": rules.end, **changed, "strategy": team_name(team)}
    if not isinstance(values["strategy"], tuple):
        columns |= {f"strategy.{k}": v for k, v in _numbers(team[0]).items()}
    return Cell(rules, team, columns)


def _numbers(strategy: Any) -> dict[str, float]:
    """The numbers among a strategy's settings, those of one inside it under its name (``base.reach``)."""
    found: dict[str, float] = {}
    for f in dataclasses.fields(strategy) if dataclasses.is_dataclass(strategy) else ():
        value = getattr(strategy, f.name)
        if dataclasses.is_dataclass(value):
            found |= {f"{f.name}.{k}": v for k, v in _numbers(value).items()}
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found[f.name] = value
    return found

