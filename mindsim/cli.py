"""The command line: ``mindsim run``, ``baseline``, ``sweep``, ``status``, ``report``, ``crossplay``, ``policies`` ...

Each command reads its options, calls the library and prints; nothing is decided here. Modules are imported inside
commands, so that ``mindsim --help`` is quick.
"""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="mindsim",
    help="Whole games of The Mind: how well do agents coordinate when the only channel is when they act?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
PLAIN = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

Games = Annotated[int, typer.Option("--games", "-n", help="How many games (in a sweep: for each cell).")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1: all cores.")]
# Who plays, and by what rules: the options of every command that plays games of one kind.
Players = Annotated[int, typer.Option(help="How many players.")]
POLICY, CLOCK, STARS, STOPS, REACTION = "gap_power", "exact", "never", "never", 0.0  # of who is not described
PolicyName = Annotated[str, typer.Option(help="A registered policy, or module:Class; see `mindsim policies`.")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="A parameter of the policy, name=value.")]
ClockName = Annotated[str, typer.Option(help="A registered clock.")]
ClockSettings = Annotated[list[str] | None, typer.Option(help="A parameter of the clock.")]
StarsName = Annotated[str, typer.Option(help="When to raise a hand.")]
StarsSettings = Annotated[list[str] | None, typer.Option(help="A parameter of the stars.")]
StopsName = Annotated[str, typer.Option(help="When to call stop.")]
StopsSettings = Annotated[list[str] | None, typer.Option(help="A parameter of the stops.")]
Reaction = Annotated[float, typer.Option(help="Reaction time in seconds.")]
PlayerName = Annotated[str | None, typer.Option(help="A whole player by name, instead of the parts.")]
RulesName = Annotated[str, typer.Option(help="the_mind, blind, campaign or extreme.")]
Lives = Annotated[int | None, typer.Option(help="Lives at the start, if not as published.")]
NStars = Annotated[int | None, typer.Option(help="Stars at the start, if not as published.")]
LevelCards = Annotated[int | None, typer.Option(help="Play one level of so many cards instead.")]
Params = Annotated[list[str] | None, typer.Option(help="name=value; may be repeated.")]


def main() -> None:
    """Run the command line; mistakes in what was asked for are one line, not a traceback."""
    import sys

    try:
        app()
    except (ValueError, TypeError, OSError) as error:
        from rich.console import Console

        Console(stderr=True, highlight=False).print(f"[bold red]error:[/] {_escaped(error)}", soft_wrap=True)
        sys.exit(1)


def _escaped(error: object) -> str:
    from rich.markup import escape

    return escape(str(error))


def _console() -> Any:
    import os
    import sys

    from rich.console import Console

    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else 120
    return Console(highlight=False, width=width)


def _settings(pairs: list[str] | None, option: str) -> dict[str, Any]:
    """``name=value`` pairs as keyword arguments; values are Python literals, or else words."""
    import ast

    found: dict[str, Any] = {}
    for pair in pairs or ():
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"{option} must be name=value, such as pace=0.05, not {pair!r}")
        try:
            found[name] = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            found[name] = text
    return found


def _rules(kind: str, players: int, lives: int | None, n_stars: int | None, level_cards: int | None) -> Any:
    from mindsim.rules import Level, Rules

    if level_cards is not None:
        if kind != "the_mind":
            raise ValueError(f"--level-cards is a single face-up level: leave --rules {kind} out")
        return Rules(players, (Level(level_cards),), 1 if lives is None else lives, n_stars or 0)
    kinds: dict[str, Callable[..., Rules]] = {
        "the_mind": Rules.the_mind, "blind": Rules.blind, "campaign": Rules.campaign, "extreme": Rules.extreme
    }  # fmt: skip
    if kind not in kinds:
        raise ValueError(f"--rules must be one of {', '.join(kinds)}, not {kind!r}")
    return kinds[kind](players, lives=lives, stars=1 if n_stars is None else n_stars)


def _player(
    player: str | None, policy: str, clock: str, stars: str, stops: str, reaction: float,
    sets: list[str] | None, set_clock: list[str] | None, set_stars: list[str] | None, set_stops: list[str] | None,
) -> Any:  # fmt: skip
    """The player that the options describe."""
    from mindsim import clocks, players, policies
    from mindsim import stars as star_kinds
    from mindsim import stops as stop_kinds
    from mindsim.player import Player

    if player is not None:
        own = (policy, clock, stars, stops, reaction) == (POLICY, CLOCK, STARS, STOPS, REACTION)
        if not own or set_clock or set_stars or set_stops:
            raise ValueError("--player brings its own policy, clock, stars, stops and reaction: leave those out")
        return players.make(player, **_settings(sets, "--set"))
    return Player(
        policies.make(policy, **_settings(sets, "--set")),
        stars=star_kinds.make(stars, **_settings(set_stars, "--set-stars")),
        stops=stop_kinds.make(stops, **_settings(set_stops, "--set-stops")),
        clock=clocks.make(clock, **_settings(set_clock, "--set-clock")),
        reaction=reaction,
    )


@app.command()
def run(
    players: Players = 3,
    policy: PolicyName = POLICY,
    set_: Settings = None,
    clock: ClockName = CLOCK,
    set_clock: ClockSettings = None,
    stars: StarsName = STARS,
    set_stars: StarsSettings = None,
    stops: StopsName = STOPS,
    set_stops: StopsSettings = None,
    reaction: Reaction = REACTION,
    player: PlayerName = None,
    rules: RulesName = "the_mind",
    lives: Lives = None,
    n_stars: NStars = None,
    level_cards: LevelCards = None,
    games: Games = 10_000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    out: Annotated[Path | None, typer.Option(help="Write the games to this file (.csv or .parquet).")] = None,
) -> None:
    """Play games with one kind of player and print a summary with intervals and the table by level."""
    from mindsim import show
    from mindsim.simulate import simulate

    me = _player(player, policy, clock, stars, stops, reaction, set_, set_clock, set_stars, set_stops)
    played = simulate(_rules(rules, players, lives, n_stars, level_cards), me, games, seed, n_jobs=jobs, progress=True)
    console = _console()
    console.print(f"{games} games, {players} players, seed {seed}", f"{me}", sep="\n", markup=False)
    console.print(show.summary(played.summary()))
    console.print(show.levels(played.levels()))
    if out is not None:
        _write_games(played.to_frame(), out)


def _write_games(frame: Any, out: Path) -> None:
    from mindsim.files import write_whole

    writers = {".csv": frame.to_csv, ".parquet": frame.to_parquet}
    if out.suffix not in writers:
        raise ValueError(f"--out must end in .csv or .parquet, not {out.name!r}")
    write_whole(out, writers[out.suffix])


@app.command()
def policies(
    kind: Annotated[str, typer.Argument(help="policies, stars, stops, clocks, reactions or players")] = "policies",
) -> None:
    """List what there is by name, one line each."""
    from mindsim import clocks, players, reactions, registry, show, stars, stops
    from mindsim import policies as found

    modules = {
        "policies": found, "stars": stars, "stops": stops, "clocks": clocks, "reactions": reactions, "players": players
    }  # fmt: skip
    if kind not in modules:
        raise ValueError(f"kind must be one of {', '.join(modules)}, not {kind!r}")
    import pandas as pd

    entries = getattr(registry, kind).entries()
    frame = pd.DataFrame([(e.name, e.summary) for e in entries], columns=["name", "what it does"]).set_index("name")
    _console().print(show.table(frame))


@app.command()
def replay(
    players: Players = 3,
    policy: PolicyName = POLICY,
    set_: Settings = None,
    clock: ClockName = CLOCK,
    set_clock: ClockSettings = None,
    stars: StarsName = STARS,
    set_stars: StarsSettings = None,
    stops: StopsName = STOPS,
    set_stops: StopsSettings = None,
    reaction: Reaction = REACTION,
    player: PlayerName = None,
    rules: RulesName = "the_mind",
    lives: Lives = None,
    n_stars: NStars = None,
    level_cards: LevelCards = None,
    seed: Seed = 0,
    game: Annotated[int, typer.Option(help="The game's number.")] = 0,
    level: Annotated[int | None, typer.Option(help="In a picture: this level only.")] = None,
    out: Annotated[Path, typer.Option(help="A page (.html) or a picture (.png, .svg, .pdf).")] = Path("replay.html"),
) -> None:
    """Play one game again and write it as a page with play, pause and step, or as a picture."""
    from mindsim.replay import write
    from mindsim.simulate import simulate

    me = _player(player, policy, clock, stars, stops, reaction, set_, set_clock, set_stars, set_stops)
    book = _rules(rules, players, lives, n_stars, level_cards)
    played = simulate(book, me, 1, seed, first_game=game, record="waits")
    write(played, game, out, level)
    _console().print(f"{played.replay(game)!r} written to {out}", markup=False)


# --- sweeps ----------------------------------------------------------------------------------------------------------
StoreDir = Annotated[Path | None, typer.Option(help="Where the results go, if not where the file says.")]


@app.command()
def sweep(
    file: Annotated[Path, typer.Argument(help="A sweep as a TOML file, such as experiments/baseline.toml.")],
    jobs: Jobs = 1,
    store: StoreDir = None,
    games: Annotated[int | None, typer.Option("--games", "-n", help="Games per cell, if not as the file says.")] = None,
    dask: Annotated[str | None, typer.Option(help="Address of a dask scheduler, tcp://host:8786.")] = None,
) -> None:
    """Play every cell of a sweep file; interrupted, it goes on where it was."""
    from mindsim import sweepfile

    _show_sweep(sweepfile.run(file, n_jobs=None if dask else jobs, store=store, dask=dask, n_games=games))


@app.command()
def baseline(
    file: Annotated[Path, typer.Option(help="The sweep file.")] = Path("experiments/baseline.toml"),
    games: Annotated[int | None, typer.Option("--games", "-n", help="Games per cell, if not as the file says.")] = None,
    jobs: Jobs = 2,
    store: StoreDir = None,
) -> None:
    """The main job: policies by players and clocks, as a table, figures and a page."""
    from mindsim import report, sweepfile

    if not file.exists():
        raise ValueError(f"there is no {file}; run this in a checkout of the repository, or name one with --file")
    table = sweepfile.run(file, n_jobs=jobs, store=store, n_games=games)
    _show_sweep(table)
    written = report.figures(table)
    _console().print(f"written: {', '.join(map(str, written))} and the tables beside them", markup=False)


def _show_sweep(table: Any) -> None:
    """Win rate, levels and pace, a row per cell."""
    from mindsim import show

    _console().print(show.sweep(table))


@app.command()
def status(store: Annotated[Path, typer.Argument(help="A sweep's directory.")]) -> None:
    """How far a sweep is."""
    from mindsim import store as stores

    typer.echo(stores.status(store))


@app.command()
def report(
    store: Annotated[Path, typer.Argument(help="A sweep's directory.")],
    out: Annotated[Path | None, typer.Option(help="The page, if not beside the directory.")] = None,
) -> None:
    """Write one self-contained page with a sweep's figures, tables and manifest."""
    from mindsim import report as reports

    typer.echo(f"written: {reports.write(store, out)}")


@app.command()
def crossplay(
    agents: Annotated[list[str], typer.Argument(help="Names of players or policies, two or more.")],
    players: Annotated[int, typer.Option(help="Seats at the table.")] = 2,
    games: Games = 1_000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    out: Annotated[Path | None, typer.Option(help="Write the heat map to this picture.")] = None,
) -> None:
    """Everybody with everybody on the same deals: who is understood by whom?"""
    from mindsim import players as named
    from mindsim import policies as by_name
    from mindsim import show
    from mindsim.crossplay import crossplay as play

    known = set(named.names())
    team = {name: named.make(name) if name in known else by_name.make(name) for name in agents}
    found = play(team, players, n_games=games, seed=seed, n_jobs=jobs, progress=True)
    console = _console()
    console.print(show.table(found.matrix(), "Share of games won: newcomers in rows, hosts in columns"))
    console.print(show.table(found.gaps(), "Self-play minus cross-play"))
    if out is not None:
        found.plot().figure.savefig(out, dpi=150, bbox_inches="tight")
        typer.echo(f"written: {out}")


# --- the other parts, whose commands are loaded when they are called --------------------------------------------------
@app.command("the-game", context_settings=PLAIN)
def the_game(context: typer.Context) -> None:
    """The Game, the turn-based sibling: `mindsim the-game --help`."""
    from mindsim.the_game.cli import app as commands

    commands(context.args or ["--help"], prog_name="mindsim the-game")


@app.command()
def learn(
    file: Annotated[Path, typer.Argument(help="What to learn, as a TOML file, such as experiments/learn_2p.toml.")],
    jobs: Jobs = 1,
    out: Annotated[Path | None, typer.Option(help="Where the results go, if not where the file says.")] = None,
) -> None:
    """Search for a policy's parameters; interrupted, it goes on where it was."""
    from mindsim.learn.cli import run as search

    search(file, jobs=jobs, out=out)
