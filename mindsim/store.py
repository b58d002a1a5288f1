"""A sweep's directory: a manifest, one Parquet file per cell, and a table of results.

::

    manifest.json       format, engine version, library versions, seed, games, every cell's full setting
    cells/<id>.parquet  a row per game; its metadata repeat the setting and hold the summary
    parts/<id>.<k>.parquet   finished pieces of cells that are still being played; gone when the cell is whole
    summary.csv         a row per cell
    store.lock          held by the process that writes

A cell's id is a hash of its setting, the seed and the number of games. Every file is written under another name in the
same directory, flushed to the disk and then renamed, so that a file under its own name is whole. A killed run loses at
most the pieces in flight; run again it ends in the same bytes.

What this file leaves to others: how a file is written (`files`), what a cell is and how it is played (`cells`,
`sweep`), what the numbers mean (`stats`).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mindsim.files import (
    Columns,
    StoreError,
    cannot_write,
    open_parquet,
    read_groups,
    write_groups,
    write_json,
    write_whole,
)

if TYPE_CHECKING:
    from mindsim.table import SweepTable

FORMAT = 1
MANIFEST, SUMMARY, LOCK = "manifest.json", "summary.csv", "store.lock"
_SETTING, _SUMMARY = b"mindsim.setting", b"mindsim.summary"


# --- names -----------------------------------------------------------------------------------------------------------
def canonical(setting: Any) -> str:
    """JSON with one spelling: keys sorted, no spaces, no NaN."""
    return json.dumps(setting, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=True)


def cell_id(setting: Any, plan: Mapping[str, Any]) -> str:
    """The content address of a cell: 16 hexadecimal digits of the SHA-256 of its setting and of how much is played."""
    return hashlib.sha256(canonical([setting, dict(plan)]).encode()).hexdigest()[:16]


# --- a store ---------------------------------------------------------------------------------------------------------
class CellStatus(NamedTuple):
    """How far one cell is."""

    id: str
    label: str
    whole: bool
    games: int
    planned: int


class Store:
    """A sweep's directory, opened for reading; `writing` opens one for writing.

    Parameters
    ----------
    path : path

    Raises
    ------
    StoreError
        If there is no readable manifest.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.manifest = read_manifest(self.path)
        self.temporary: Any = None  # what keeps a temporary directory alive

    # -- where things are
    def cell_path(self, cell: str) -> Path:
        """The file of a whole cell."""
        return self.path / "cells" / f"{cell}.parquet"

    def part_path(self, cell: str, number: int) -> Path:
        """The file of a finished piece of a cell."""
        return self.path / "parts" / f"{cell}.{number:05d}.parquet"

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The manifest's entries: id, label, setting."""
        return list(self.manifest["cells"])

    # -- reading
    def is_whole(self, cell: str) -> bool:
        """Has the cell been played to its end?"""
        return self.cell_path(cell).exists()

    def summary_of(self, cell: str) -> dict[str, Any]:
        """The summary that was written with the cell.

        Raises
        ------
        StoreError
            If the file is damaged, or is another cell's.
        """
        path = self.cell_path(cell)
        with open_parquet(path) as file:
            metadata = file.metadata.metadata or {}
            rows = file.metadata.num_rows
        if _SETTING not in metadata or _SUMMARY not in metadata:
            raise StoreError(f"{path} was not written by a sweep: it lacks the setting and the summary")
        if cell_id(json.loads(metadata[_SETTING]), self.manifest["plan"]) != cell:
            raise StoreError(
                f"{path} holds the games of another setting than its name says; delete it and run the sweep again"
            )
        summary: dict[str, Any] = json.loads(metadata[_SUMMARY])
        if summary["n_games"] != rows:
            raise StoreError(
                f"{path} holds {rows} games where its summary counts {summary['n_games']}; delete it and "
                "run the sweep again"
            )
        return summary

    def groups(self, cell: str, columns: Sequence[str] | None = None) -> Iterator[dict[str, np.ndarray]]:
        """A whole cell's games, a piece at a time."""
        return read_groups(self.cell_path(cell), columns)

    def games(self, cell: str, columns: Sequence[str] | None = None) -> dict[str, np.ndarray]:
        """A whole cell's games: one array per column."""
        pieces = list(self.groups(cell, columns))
        return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}

    def parts_of(self, cell: str) -> list[int]:
        """The numbers of the finished pieces."""
        return sorted(int(p.name.split(".")[1]) for p in (self.path / "parts").glob(f"{cell}.*.parquet"))

    def status(self) -> list[CellStatus]:
        """How far each cell is."""
        return [self._status(entry) for entry in self.cells]

    def _status(self, entry: dict[str, Any]) -> CellStatus:
        cell, planned = entry["id"], int(self.manifest["plan"]["n_games"])
        whole = self.is_whole(cell)
        paths = [self.cell_path(cell)] if whole else [self.part_path(cell, k) for k in self.parts_of(cell)]
        games = 0
        for path in paths:
            with open_parquet(path) as file:
                games += file.metadata.num_rows
        return CellStatus(cell, entry["label"], whole, games, planned)

    # -- writing
    def add_part(self, cell: str, number: int, columns: Columns) -> None:
        """Keep a finished piece of a cell."""
        write_whole(self.part_path(cell, number), lambda file: write_groups(file, iter([columns]), {}))

    def parts(self, cell: str, numbers: Sequence[int], columns: Sequence[str] | None = None) -> Iterator[Columns]:
        """The pieces of a cell, in order."""
        for number in numbers:
            yield from read_groups(self.part_path(cell, number), columns)

    def finish(self, cell: str, setting: Any, groups: Iterator[Columns], summary: Mapping[str, Any]) -> None:
        """Write the whole cell, then drop its pieces."""
        metadata = {_SETTING: canonical(setting), _SUMMARY: json.dumps(dict(summary))}
        write_whole(self.cell_path(cell), lambda file: write_groups(file, groups, metadata))
        self.drop_parts(cell)

    def drop_parts(self, cell: str) -> None:
        """Remove the pieces of a cell that is whole."""
        for number in self.parts_of(cell):
            self.part_path(cell, number).unlink(missing_ok=True)
        folder = self.path / "parts"
        if folder.exists() and not any(folder.iterdir()):
            folder.rmdir()

    def write_summary(self, table: Any) -> None:
        """Write ``summary.csv`` from a DataFrame."""
        text = table.to_csv(index=False, lineterminator="\n")
        write_whole(self.path / SUMMARY, lambda file: file.write(text.encode()))


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a store.

    Raises
    ------
    StoreError
        If `path` is no store, or its manifest cannot be read.
    """
    file = path / MANIFEST
    if not path.exists():
        raise StoreError(f"there is no store at {path}")
    if not path.is_dir():
        raise StoreError(f"{path} is a file; a store is a directory with a {MANIFEST}")
    if not file.exists():
        raise StoreError(f"{path} is no store: it has no {MANIFEST}")
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{file} cannot be read ({error}); the store's cells are still there, but what they are is "
            "not known: put the manifest back, or sweep into another directory"
        ) from error
    return _checked_manifest(file, manifest)


def _checked_manifest(file: Path, manifest: Any) -> dict[str, Any]:
    missing = [k for k in ("format", "engine", "plan", "cells") if not isinstance(manifest, dict) or k not in manifest]
    if missing:
        raise StoreError(f"{file} is not the manifest of a sweep: it has no {missing[0]!r}")
    if manifest["format"] != FORMAT:
        raise StoreError(f"{file} has format {manifest['format']!r}; this version reads format {FORMAT}")
    return dict(manifest)


# --- opening for writing ---------------------------------------------------------------------------------------------
@contextmanager
def writing(path: str | Path, manifest: Mapping[str, Any]) -> Iterator[Store]:
    """Make a store, or open one to go on with it, and hold its lock.

    Parameters
    ----------
    path : path
        A directory that does not exist, is empty, or holds a store of the same sweep.
    manifest : mapping
        What the sweep is. A store whose engine, versions, seed, numbers of games or cells differ is refused; one that
        has only some of the cells is extended.

    Raises
    ------
    StoreError
        If another process is writing there, or what is there is something else.
    OSError
        If it cannot be written.
    """
    path = Path(path)
    _prepare(path)
    with _locked(path):
        if (path / MANIFEST).exists():
            refuse_other(path, read_manifest(path), manifest)
        for left in [*path.glob("*.tmp"), *path.glob("*/*.tmp")]:
            left.unlink(missing_ok=True)  # of a run that was killed
        if not (path / MANIFEST).exists() or read_manifest(path) != json.loads(json.dumps(manifest)):
            write_json(path / MANIFEST, manifest)
        yield Store(path)


def _prepare(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise StoreError(f"{path} is a file; store must be a directory")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    if not (path / MANIFEST).exists():
        strange = sorted(p.name for p in path.iterdir() if p.name != LOCK and p.suffix != ".tmp")
        if strange:
            raise StoreError(
                f"{path} holds other files ({', '.join(strange[:3])}) and no {MANIFEST}: it is no store. "
                "Give a new or empty directory"
            )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise StoreError(
            f"another process is writing to {path}; wait until it has finished, or give another directory"
        ) from error
    except OSError as error:
        raise cannot_write(path / LOCK, error) from error
    try:
        yield
    finally:
        lock.release()


def refuse_other(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse to go on with a store that another sweep or engine made.

    Raises
    ------
    StoreError
        Naming what differs.
    """
    wanted = json.loads(json.dumps(wanted))
    differ = _differences(found, wanted)
    if differ:
        raise StoreError(
            f"{path} was made by another sweep: {'; '.join(differ)}. Give another directory, or the "
            "setting it was made with"
        )


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    differ = []
    if found["engine"] != wanted["engine"]:
        differ.append(f"its engine version is {found['engine']}, this one is {wanted['engine']}")
    for what, group in (("version of", "versions"), ("", "plan")):
        old, new = found.get(group, {}), wanted.get(group, {})
        differ += [
            f"its {what} {key} is {old.get(key)!r}, not {new.get(key)!r}".replace("  ", " ")
            for key in sorted({*old, *new})
            if old.get(key) != new.get(key)
        ]
    here = {cell["id"] for cell in wanted["cells"]}
    gone = [cell["label"] for cell in found["cells"] if cell["id"] not in here]
    if gone and not differ:
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        differ.append(f"it has a cell that is not asked for now ({gone[0]}{more})")
    return differ


def is_locked(path: str | Path) -> bool:
    """Is another process writing there? (False where that cannot be found out: a store that cannot be written.)"""
    from filelock import FileLock, Timeout

    file = Path(path) / LOCK
    if not file.exists() or not os.access(file, os.W_OK):
        return False
    lock = FileLock(file, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        return True
    except OSError:
        return False
    lock.release()
    return False


# --- for everybody ---------------------------------------------------------------------------------------------------
def load(path: str | Path) -> SweepTable:
    """The table of a store: a row per cell that is whole, in the manifest's order. Nothing is written.

    Parameters
    ----------
    path : path
        What `sweep` was given as ``store=``.

    Raises
    ------
    StoreError
        If there is no store, or a file of it is damaged.
    """
    from mindsim.table import table_of

    return table_of(Store(path))


def status(path: str | Path) -> str:
    """How far a sweep is, in words: cells, games, and whether somebody is writing.

    Raises
    ------
    StoreError
        If there is no store, or a file of it is damaged.
    """
    store = Store(path)
    cells = store.status()
    whole = [c for c in cells if c.whole]
    lines = [
        f"{path}: {len(whole)} of {len(cells)} cells whole, {sum(c.games for c in cells):,} games kept; "
        f"engine {store.manifest['engine']}, seed {store.manifest['plan'].get('seed')}; "
        + ("a process is writing" if is_locked(path) else "nobody is writing")
    ]
    lines += [f"  {c.id}  {c.games:>9,} of {c.planned:,} games  {c.label}" for c in cells if not c.whole]
    return "\n".join(lines)
