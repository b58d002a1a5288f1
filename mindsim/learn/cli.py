"""``mindsim learn FILE.toml``: a search written down as a file.

::

    rules = "the_mind"            # or blind, campaign, extreme
    players = 2
    player = "learned_2p"         # where to begin: a player's name ...
    # policy = {name = "gap_power", pace = 0.02, exponent = 2.0}     # ... or a policy, and stars
    # stars = {name = "learn_score", features = ["one", "level"], weights = [-1.0, 0.5]}
    clock = {name = "scalar", weber = 0.14, floor = 0.05}
    objective = {name = "win_rate_within", seconds = 300.0}          # or win_rate, mean_level; for Extreme
    # objective = {name = "both_piles", goal = {name = "win_rate"}}
    budget = 1_000_000            # and any other number that `learn.optimise` takes: n_games, held_out, seed ...
    method = "cma"
    store = "results/learned/mine"

The command line itself is in `mindsim.cli`; the search in `search`.
"""
from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import typer

from mindsim import registry
from mindsim.learn.objectives import BothPiles, MeanLevel, WinRate, WinRateWithin
from mindsim.learn.search import Tuned, optimise
from mindsim.player import Player
from mindsim.rules import Rules

OBJECTIVES: dict[str, type] = {
    "win_rate": WinRate, "win_rate_within": WinRateWithin, "mean_level": MeanLevel, "both_piles": BothPiles,
}  # fmt: skip
NUMBERS = ("budget", "seed", "n_games", "population", "held_out", "step")
KEYS = ("rules", "players", "player", "policy", "stars", "clock", "objective", "method", "store", "free", *NUMBERS)
RULES = ("the_mind", "blind", "campaign", "extreme")


def run(file: Path, jobs: int = 1, out: Path | None = None) -> Tuned:
    """Search as the file says, write to its store, and print what was found.

    Parameters
    ----------
    file : path
    jobs : int
        Processes.
    out : path, optional
        The store, instead of the one in the file.

    Raises
    ------
    ValueError
        If the file is no TOML, or says something that is not understood.
    """
    setting = read(file)
    store = out if out is not None else setting.pop("store", None)
    setting.pop("store", None)
    tuned = optimise(**setting, n_jobs=jobs, store=store, progress=True)
    f = tuned.figures
    typer.echo(f"held out, {f['n_games']} games: win rate {f['win_rate']:.4f} ({f['low']:.4f} to {f['high']:.4f})")
    if f["seconds"] is not None:
        typer.echo(f"mean duration of won games {f['seconds']:.1f} s, levels completed {f['levels_completed']:.2f}")
    typer.echo(repr(tuned.player) if store is None else f"written: {store}/result.json, trace.csv")
    return tuned


def read(file: Path) -> dict[str, Any]:
    """The arguments of `optimise` that a file holds.

    Raises
    ------
    ValueError
        If the file is no TOML, or says something that is not understood.
    """
    try:
        said = tomllib.loads(Path(file).read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file} is no TOML: {error}") from error
    unknown = sorted(said.keys() - set(KEYS))
    if unknown:
        raise ValueError(f"{file}: unknown key {unknown[0]!r}; the keys are {', '.join(KEYS)}")
    found = {k: said[k] for k in (*NUMBERS, "method", "free", "store") if k in said}
    found["rules"] = _rules(file, said)
    found["template"] = _template(file, said)
    if "clock" in said:
        found["clock"] = _made(file, "clock", said["clock"], registry.clocks.make)
    if "objective" in said:
        found["objective"] = _objective(file, "objective", said["objective"])
    return found


def _rules(file: Path, said: dict[str, Any]) -> Rules:
    kind = said.get("rules", "the_mind")
    if kind not in RULES:
        raise ValueError(f"{file}: rules must be one of {', '.join(RULES)}, not {kind!r}")
    made: Rules = getattr(Rules, kind)(said.get("players", 2))
    return made


def _template(file: Path, said: dict[str, Any]) -> Any:
    from mindsim import players, policies, stars

    if ("player" in said) == ("policy" in said):
        raise ValueError(f"{file}: say either player or policy")
    if "player" in said:
        return _made(file, "player", said["player"], players.make)
    policy = _made(file, "policy", said["policy"], policies.make)
    return Player(policy, stars=_made(file, "stars", said["stars"], stars.make)) if "stars" in said else Player(policy)


def _made(file: Path, key: str, value: Any, make: Any) -> Any:
    """An object from its name, or from a table of its name and parameters (lists become tuples)."""
    if isinstance(value, str):
        return make(value)
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise ValueError(f"{file}: {key} must be a name, or a table with a name and parameters, not {value!r}")
    return make(value["name"], **{k: registry.from_json(v) for k, v in value.items() if k != "name"})


def _objective(file: Path, key: str, value: Any) -> Any:
    """An objective; one that builds on another holds it as ``goal``."""
    if isinstance(value, dict) and "goal" in value:
        goal = _objective(file, "goal", value["goal"])
        value = {k: v for k, v in value.items() if k != "goal"}
        return _made(file, key, value, lambda name, **params: _scored(name, goal=goal, **params))
    return _made(file, key, value, _scored)


def _scored(name: str, **params: Any) -> Any:
    if name not in OBJECTIVES:
        raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}, not {name!r}")
    try:
        return OBJECTIVES[name](**params)
    except TypeError as error:
        raise ValueError(f"objective {name!r}: {error}") from error
