"""Play many cells: in parallel, in pieces, to be stopped and taken up again.

The work is cut into pieces of at most `GAMES_PER_PART` games of a cell. The cut depends on the numbers of games alone,
and game i of a cell is the same wherever it is played, so results do not depend on workers, backends or interruptions.
joblib plays the pieces with whatever backend is active (`joblib.parallel_config`), and this process, the only one that
writes, puts them into the store as they come.

What this file leaves to others: what a cell is (`cells`), files (`store`), numbers (`stats`).
"""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mindsim.cells import AnyCell, Cell, Columns, grid
from mindsim.stats.intervals import share
from mindsim.store import FORMAT, Store, cell_id, writing
from mindsim.table import SweepTable, table_of

ENGINE = 1  # raised whenever the same seed gives other games
GAMES_PER_PART = 20_000
FIRST_LOOK, GROWTH = 1_000, 1.25


# --- how much is played, and in which pieces -------------------------------------------------------------------------
class Part(NamedTuple):
    """A piece of a cell: its number, and its games."""

    number: int
    games: range


def looks(n_games: int, until: float | None) -> list[int]:
    """After how many games a cell is looked at: once at the end, or from 1,000 on, each time a quarter more.

    Example
    -------
    >>> looks(2_500, 0.01)
    [1000, 1250, 1562, 1952, 2440, 2500]
    """
    if until is None:
        return [n_games]
    found, n = [], float(FIRST_LOOK)
    while n < n_games:
        found.append(int(n))
        n = int(n) * GROWTH
    return [*found, n_games]


def parts_between(start: int, stop: int, first_number: int) -> list[Part]:
    """The games start..stop-1 in pieces."""
    pieces = [range(a, min(a + GAMES_PER_PART, stop)) for a in range(start, stop, GAMES_PER_PART)]
    return [Part(first_number + i, games) for i, games in enumerate(pieces)]


def is_narrow(wins: int, n_games: int, until: float | None) -> bool:
    """Is the 95% Wilson interval of the win rate at most ``until`` to either side?"""
    return until is not None and bool(share(wins, n_games).half_width <= until)


class Progress:
    """How far one cell is: which pieces are in, how many games they won, and up to which look it is to be played."""

    def __init__(self, n_games: int, until: float | None) -> None:
        self.until, self.look = until, 0
        self.steps: list[list[Part]] = []
        start = number = 0
        for stop in looks(n_games, until):
            self.steps.append(parts_between(start, stop, number))
            start, number = stop, number + len(self.steps[-1])
        self.wins: dict[int, int] = {}
        self.over = False

    @property
    def due(self) -> list[Part]:
        """The pieces up to the current look."""
        return [part for step in self.steps[: self.look + 1] for part in step]

    @property
    def missing(self) -> list[Part]:
        """Those that are not in yet."""
        return [] if self.over else [part for part in self.due if part.number not in self.wins]

    def advance(self) -> bool:
        """Look, as often as all due pieces are in; True when the cell has been played to its end."""
        while not self.missing:
            due = self.due
            wins, n = sum(self.wins[part.number] for part in due), due[-1].games.stop
            if self.look == len(self.steps) - 1 or is_narrow(wins, n, self.until):
                return True
            self.look += 1
        return False


# --- what a worker does ----------------------------------------------------------------------------------------------
class Played(NamedTuple):
    """A piece that has come back: its games, or what went wrong."""

    cell: int
    part: Part
    games: Columns
    error: str


def play_part(cell: AnyCell, index: int, part: Part, seed: int, on_error: str) -> Played:
    """Play one piece, in whatever process this is."""
    try:
        return Played(index, part, cell.play(seed, part.games), "")
    except Exception as error:  # whatever a foreign policy raises
        if on_error == "raise":
            error.add_note(f"in the sweep's cell {index} ({cell.label}), games {part.games.start}..{part.games[-1]}")
            raise
        return Played(index, part, {}, f"{type(error).__name__}: {error}")


# --- a run -----------------------------------------------------------------------------------------------------------
class Run:
    """A sweep that is being played into a store."""

    def __init__(self, store: Store, cells: Sequence[AnyCell], plan: dict[str, Any]) -> None:
        self.store, self.cells, self.plan = store, cells, plan
        self.entries = store.cells
        self.errors: dict[str, str] = {}
        self.progress = [self._found(i) for i in range(len(cells))]

    def _found(self, i: int) -> Progress:
        """What the store has of a cell already."""
        progress, cell = Progress(self.plan["n_games"], self.plan["until"]), self.id(i)
        if self.store.is_whole(cell):
            self.store.summary_of(cell)  # refuses a damaged file now, not after hours of play
            self.store.drop_parts(cell)
            progress.over = True
            return progress
        for number in self.store.parts_of(cell):
            progress.wins[number] = sum(self.cells[i].wins(g) for g in self.store.parts(cell, [number]))
        return progress

    def id(self, i: int) -> str:
        """The id of a cell."""
        return str(self.entries[i]["id"])

    def finish_found(self) -> None:
        """Close the cells whose pieces are all in: a run may have been killed just before."""
        for i, progress in enumerate(self.progress):
            if not progress.over and progress.wins and progress.advance():
                self._finish(i, None)

    def tasks(self) -> list[tuple[AnyCell, int, Part]]:
        """The pieces to be played before the next look, the first of every shape in front.

        So workers that begin together compile different engines, not the same one each.
        """
        found = [(self.cells[i], i, part) for i, progress in enumerate(self.progress) for part in progress.missing]
        firsts: list[tuple[AnyCell, int, Part]] = []
        others: list[tuple[AnyCell, int, Part]] = []
        begun = set()
        for task in found:
            (others if task[0].shape in begun else firsts).append(task)
            begun.add(task[0].shape)
        return firsts + others

    def games_due(self) -> tuple[int, int]:
        """Games played and games that may have to be played, in all."""
        total = len(self.cells) * self.plan["n_games"]
        return sum(self._games_in(p) for p in self.progress), total

    def _games_in(self, progress: Progress) -> int:
        if progress.over:
            return int(self.plan["n_games"])
        return sum(len(part.games) for part in progress.due if part.number in progress.wins)

    def take(self, played: Played) -> None:
        """Put a piece into the store, and close its cell if it was the last."""
        progress, cell = self.progress[played.cell], self.id(played.cell)
        if played.error:
            self.errors.setdefault(cell, played.error)
            progress.over = True
        if progress.over:
            return
        progress.wins[played.part.number] = self.cells[played.cell].wins(played.games)
        over = progress.advance()
        if over and len(progress.due) == 1:  # a cell of one piece needs no pieces
            self._finish(played.cell, played.games)
            return
        self.store.add_part(cell, played.part.number, played.games)
        if over:
            self._finish(played.cell, None)

    def _finish(self, i: int, games: Columns | None) -> None:
        cell, progress = self.id(i), self.progress[i]
        numbers = [part.number for part in progress.due]

        def pieces() -> Iterator[Columns]:
            return iter([games]) if games is not None else self.store.parts(cell, numbers)

        summary = self.cells[i].summarise(pieces())
        self.store.finish(cell, self.entries[i]["setting"], pieces(), summary)
        progress.over = True


def sweep(
    cells: Iterable[AnyCell] | AnyCell,
    n_games: int,
    seed: int = 0,
    *,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    progress: bool = False,
    on_error: str = "raise",
    until: float | None = None,
) -> SweepTable:
    """Play `n_games` games of every cell and return a table with a row per cell.

    Parameters
    ----------
    cells : list of cells
        From `grid`, or The Game's (`mindsim.the_game.grid`); lists may be joined with ``+``.
    n_games : int
        Games per cell; with `until`, at most so many.
    seed : int, default 0
        The same for all cells: they are dealt the same cards.
    n_jobs : int, optional
        Processes (-1: all cores). Default: 1, or what `joblib.parallel_config` says.
    store : path, optional
        A directory that keeps the games. A sweep that was interrupted goes on where it was. Without it the games are
        kept in a temporary directory as long as the table lives.
    progress : bool, default False
        Show games, games per second and the time left.
    on_error : {"raise", "record"}
        What an error in a policy does: end the sweep (what is finished stays in the store), or stand in the column
        ``error`` of its cell while the others go on.
    until : float, optional
        Play each cell only until the 95% interval of its win rate reaches at most so far to either side. It is looked
        at after 1,000 games and then each time a quarter more have been played (see ``docs/statistics.md``).

    Returns
    -------
    SweepTable
        A `pandas.DataFrame`; ``table.games(row)`` gives the single games.

    Raises
    ------
    ValueError, TypeError
        For arguments that make no sense, and stores of another sweep (`StoreError`).
    OSError
        If the store cannot be written.

    Examples
    --------
    >>> import mindsim as ms
    >>> cells = ms.grid(players=[2, 3], policy=ms.policies.GapLinear(0.05), clock=ms.clocks.Scalar(weber=0.1))
    >>> table = ms.sweep(cells, n_games=200, seed=1)
    >>> table[["players", "n_games"]].values.tolist()
    [[2, 200], [3, 200]]
    """
    cells = _checked_cells(cells)
    _check(n_games, seed, on_error, until)
    plan = {"seed": int(seed), "n_games": int(n_games), "until": until, "games_per_part": GAMES_PER_PART}
    manifest = manifest_of(_entries(cells, plan, _setting if store is not None else _description), plan)
    with ExitStack() as stack:
        temporary = tempfile.TemporaryDirectory(prefix="mindsim-") if store is None else None
        there = stack.enter_context(writing(Path(temporary.name) if temporary else Path(str(store)), manifest))
        run = Run(there, cells, plan)
        run.finish_found()
        _play_all(run, n_jobs, on_error, progress)
        table = table_of(there, run.errors)
        there.write_summary(table)
    there.temporary = temporary  # lives as long as the table does
    return table


def _play_all(run: Run, n_jobs: int | None, on_error: str, progress: bool) -> None:
    from joblib import Parallel, delayed
    from tqdm.auto import tqdm

    done, total = run.games_due()
    with tqdm(total=total, initial=done, unit="game", unit_scale=True, disable=not progress, desc="sweep") as bar:
        while tasks := run.tasks():
            calls = (delayed(play_part)(cell, i, part, run.plan["seed"], on_error) for cell, i, part in tasks)
            for played in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(calls):
                run.take(played)
                bar.update(len(played.part.games))
        bar.update(total - bar.n)  # games that an early end has saved


def manifest_of(entries: list[dict[str, Any]], plan: dict[str, Any]) -> dict[str, Any]:
    """What a store says about itself."""
    import pyarrow

    from mindsim import __version__

    versions = {
        "mindsim": __version__,
        "numpy": np.__version__,
        "pyarrow": pyarrow.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
    # games with an engine of their own say its version in their settings
    versions |= {e["setting"]["game"]: e["setting"]["engine"] for e in entries if "engine" in e["setting"]}
    return {"format": FORMAT, "engine": ENGINE, "versions": versions, "plan": plan, "cells": entries}


def _entries(cells: Sequence[AnyCell], plan: dict[str, Any], describe: Any) -> list[dict[str, Any]]:
    entries = []
    for i, cell in enumerate(cells):
        setting = describe(cell, i)
        entries.append(
            {"id": cell_id(setting, plan), "label": cell.label, "columns": dict(cell.columns), "setting": setting}
        )
    twins = [e["label"] for i, e in enumerate(entries) if e["id"] in {other["id"] for other in entries[:i]}]
    if twins:
        raise ValueError(f"the sweep has the same cell twice: {twins[0]}")
    return entries


def _setting(cell: AnyCell, i: int) -> dict[str, Any]:
    """A cell's setting, which must be one that can be read back."""
    try:
        return cell.setting()
    except TypeError as error:
        raise TypeError(f"{cell.label}: {error}. Without store= it can be played all the same") from error


def _description(cell: AnyCell, i: int) -> dict[str, Any]:
    """A cell's setting, or for a temporary store a mere description of one that cannot be written."""
    try:
        return cell.setting()
    except TypeError:
        return {"unnamed": i, "as": cell.label}


def _checked_cells(cells: Any) -> list[AnyCell]:
    found = [cells] if hasattr(cells, "play") else list(cells)
    if not found:
        raise ValueError("cells must have at least one cell; the list is empty")
    for cell in found:
        if not hasattr(cell, "play") or not hasattr(cell, "setting"):
            raise TypeError(f"cells must be a list of cells, as grid() makes them; it holds {cell!r}")
    return found


def _check(n_games: Any, seed: Any, on_error: Any, until: Any) -> None:
    for name, value, low in (("n_games", n_games, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{name} must be an integer of at least {low}, not {value!r}")
        if value < low:
            raise ValueError(f"{name} must be an integer of at least {low}, not {value}")
    if on_error not in ("raise", "record"):
        raise ValueError(f'on_error must be "raise" or "record", not {on_error!r}')
    if until is not None and (isinstance(until, bool) or not isinstance(until, (int, float)) or not 0 < until < 0.5):
        raise ValueError(f"until must be None or the half-width of an interval, above 0 and below 0.5, not {until!r}")


__all__ = ["ENGINE", "Cell", "grid", "sweep"]
