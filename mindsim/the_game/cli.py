"""``mindsim the-game``: play The Game from the command line. Mounted by ``mindsim.cli``."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(help="The Game, the turn-based sibling: four piles, no clock.", no_args_is_help=True)

Count = Annotated[int, typer.Option("--games", help="Number of games (per cell).")]
Seed = Annotated[int, typer.Option("--seed", help="0 .. 2**64 - 1.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Processes.")]
Out = Annotated[Path | None, typer.Option("--out", help="Write a CSV file here.")]


def _strategy(text: str) -> Any:
    """Build a strategy from its name, or from a JSON object with the key "name"."""
    from mindsim.the_game.strategies import make

    if not text.lstrip().startswith("{"):
        return make(text)
    try:
        setting = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"strategy is neither a name nor a JSON object: {text!r} ({error})") from error
    if "name" not in setting:
        raise ValueError(f'strategy needs the key "name": {text!r}')
    return make(**setting)


def _write(frame: Any, out: Path | None) -> None:
    """Print a frame; write it too, whole or not at all."""
    typer.echo(frame.to_string(index=False, float_format=lambda x: f"{x:.4f}"))
    if out is not None:
        temporary = out.with_name(out.name + ".tmp")
        frame.to_csv(temporary, index=False)
        temporary.replace(out)


@app.command()
def run(
    strategy: Annotated[str, typer.Argument(help="A name (see `strategies`) or a JSON object.")] = "look_ahead",
    players: Annotated[int, typer.Option(help="1..5.")] = 2,
    end: Annotated[str, typer.Option(help="player_stuck or nobody_can_play.")] = "player_stuck",
    expert: Annotated[bool, typer.Option("--expert", help="At least three cards a turn.")] = False,
    games: Count = 1000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    replay: Annotated[int | None, typer.Option(help="Tell this game in words instead.")] = None,
    out: Out = None,
) -> None:
    """Play games with one strategy; print a summary, or tell one game in words."""
    from mindsim.the_game import Rules, simulate

    try:
        rules = Rules.expert(players, end=end) if expert else Rules(players, end=end)  # type: ignore[arg-type]
        team = _strategy(strategy)
        if replay is not None:
            typer.echo(simulate(rules, team, 1, seed=seed, first_game=replay, record=True).replay(replay))
            return
        result = simulate(rules, team, games, seed=seed, n_jobs=jobs)
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error)) from error
    _write(result.summary(), None)
    if out is not None:
        _write_games(result, out)


def _write_games(result: Any, out: Path) -> None:
    """Write one row per game."""
    temporary = out.with_name(out.name + ".tmp")
    result.to_frame().to_csv(temporary, index=False)
    temporary.replace(out)


@app.command()
def sweep(
    strategy: Annotated[list[str], typer.Option(help="A name or a JSON object; may be given more than once.")],
    players: Annotated[list[int] | None, typer.Option(help="May be given more than once; all if left out.")] = None,
    end: Annotated[list[str] | None, typer.Option(help="May be given more than once; both if left out.")] = None,
    games: Count = 1000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    store: Annotated[Path | None, typer.Option(help="Keep the games in this directory; see `mindsim status`.")] = None,
    out: Out = None,
) -> None:
    """Play every strategy at every table under every ending; print a row for each.

    With --store the games are kept, and a sweep that was interrupted goes on where it was; `mindsim status` says how
    far one is, and `mindsim report` writes its page.
    """
    from mindsim.the_game import grid
    from mindsim.the_game import sweep as play
    from mindsim.the_game.rules import ENDS

    try:
        cells = grid(
            strategy=[_strategy(s) for s in strategy], players=players or [1, 2, 3, 4, 5], end=end or list(ENDS)
        )
        table = play(cells, games, seed, n_jobs=jobs, store=store, progress=True)
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error)) from error
    shown = [c for c in table.columns if c != "cell" and "." not in c]
    _write(table[shown], out)


@app.command()
def strategies() -> None:
    """List the strategies."""
    from mindsim.the_game.strategies import names

    typer.echo("\n".join(names()))
