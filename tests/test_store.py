"""The store: whole or not at all, the same bytes, and a sentence for everything that can be wrong with one."""

from __future__ import annotations

import errno
import hashlib
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from toycell import Toy, toys

import mindsim as ms
from mindsim import store as store_module
from mindsim.store import Store, StoreError, cell_id, status, write_whole


def digest(folder: Path) -> dict[str, str]:
    """What every file of a store holds; the lock apart."""
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name != store_module.LOCK
    }


@pytest.fixture
def made(tmp_path):
    """A small finished store."""
    ms.sweep(toys(3), 500, seed=1, store=tmp_path / "made")
    return tmp_path / "made"


# --- what is in it ---------------------------------------------------------------------------------------------------
def test_the_files_of_a_store(made):
    manifest = json.loads((made / "manifest.json").read_text())
    ids = [cell["id"] for cell in manifest["cells"]]
    assert list(digest(made)) == sorted([*(f"cells/{i}.parquet" for i in ids), "manifest.json", "summary.csv"])
    assert manifest["plan"]["seed"] == 1 and manifest["cells"][0]["setting"]["p"] == 0.3
    assert manifest["engine"] and "numpy" in manifest["versions"]


def test_ids_are_addresses_of_content():
    plan = {"seed": 1, "n_games": 10, "until": None}
    assert cell_id({"a": 1, "b": 2}, plan) == cell_id({"b": 2, "a": 1}, plan)
    others = [cell_id({"a": 1, "b": 3}, plan), cell_id({"a": 1, "b": 2}, {**plan, "seed": 2})]
    assert len({cell_id({"a": 1, "b": 2}, plan), *others}) == 3


def test_cells_are_parquet_that_anyone_can_read(made):
    import pandas as pd

    path = next((made / "cells").iterdir())
    frame = pd.read_parquet(path)
    assert len(frame) == 500 and frame["won"].dtype == bool


def test_load_gives_the_table_of_the_sweep(made):
    table = ms.load(made)
    assert table["n_games"].tolist() == [500] * 3
    again = ms.sweep(toys(3), 500, seed=1, store=made)
    assert table.equals(again)
    assert len(table.games(0)["won"]) == 500 and table.games(1, ["won"])["won"].mean() == table["win_rate"].iloc[1]
    assert len(table[table["players"] == 3].games(0)["duration"]) == 500


def test_the_same_bytes_each_time(made, tmp_path):
    ms.sweep(toys(3), 500, seed=1, store=tmp_path / "again")
    assert digest(made) == digest(tmp_path / "again")


def test_a_store_is_only_read_by_load(made):
    before = {p: p.stat().st_mtime_ns for p in made.rglob("*")}
    ms.load(made)
    status(made)
    assert before == {p: p.stat().st_mtime_ns for p in made.rglob("*")}


def test_status_in_words(made, tmp_path):
    assert "3 of 3 cells whole, 1,500 games kept" in status(made) and "nobody is writing" in status(made)
    with pytest.raises(ZeroDivisionError):
        ms.sweep([*toys(1), Toy(name="breaks", fails_at=450)], 500, store=tmp_path / "half")
    assert "1 of 2 cells whole" in status(tmp_path / "half")
    assert "0 of 500 games  players=2, policy=breaks" in status(tmp_path / "half")


# --- what is refused -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seed": 2}, "seed is 1, not 2"),
        ({"n_games": 600}, "n_games is 500, not 600"),
        ({"until": 0.01}, "until is None, not 0.01"),
        ({"cells": toys(2)}, "a cell that is not asked for now"),
    ],
)
def test_a_store_of_another_sweep_is_refused(made, change, says):
    before = digest(made)
    asked = {"cells": toys(3), "n_games": 500, "seed": 1, **change}
    with pytest.raises(StoreError, match=says):
        ms.sweep(asked.pop("cells"), asked.pop("n_games"), store=made, **asked)
    assert digest(made) == before


def test_a_store_of_another_engine_is_refused(made, monkeypatch):
    monkeypatch.setattr(importlib.import_module("mindsim.sweep"), "ENGINE", 99)
    with pytest.raises(StoreError, match=r"engine version is .*, this one is 99"):
        ms.sweep(toys(3), 500, seed=1, store=made)
    assert len(ms.load(made)) == 3


def test_more_cells_extend_a_store_to_the_bytes_of_a_fresh_one(made, tmp_path):
    ms.sweep(toys(5), 500, seed=1, store=made)
    ms.sweep(toys(5), 500, seed=1, store=tmp_path / "fresh")
    assert digest(made) == digest(tmp_path / "fresh")


def test_truncated_cells_are_named(made):
    path = next((made / "cells").iterdir())
    path.write_bytes(path.read_bytes()[:-100])
    for use in (lambda: ms.load(made), lambda: ms.sweep(toys(3), 500, seed=1, store=made), lambda: status(made)):
        with pytest.raises(StoreError, match=rf"{path.name} is damaged.*Delete it"):
            use()
    before = digest(made)
    path.unlink()
    ms.sweep(toys(3), 500, seed=1, store=made)
    assert digest(made).keys() == before.keys() and len(ms.load(made)) == 3


def test_a_flipped_byte_is_noticed(made):
    path = next((made / "cells").iterdir())
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0xFF
    path.write_bytes(bytes(data))
    table = None
    with pytest.raises(StoreError, match="damaged"):
        table = ms.load(made)
        for row in range(3):
            table.games(row)


def test_a_cell_under_a_wrong_name_is_noticed(made):
    one, other, _ = sorted((made / "cells").iterdir())
    one.write_bytes(other.read_bytes())
    with pytest.raises(StoreError, match="another setting than its name says"):
        ms.load(made)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"format": 1, "cel', "cannot be read"),
        ("[]", "is not the manifest of a sweep"),
        ('{"format": 99, "engine": 1, "plan": {}, "cells": []}', "has format 99"),
    ],
)
def test_bad_manifests(made, text, says):
    (made / "manifest.json").write_text(text)
    for use in (ms.load, status, lambda store: ms.sweep(toys(3), 500, seed=1, store=store)):
        with pytest.raises(StoreError, match=says):
            use(made)


def test_what_is_no_store_at_all(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"no manifest\.json"):
        ms.load(tmp_path)
    with pytest.raises(StoreError, match="holds other files"):
        ms.sweep(toys(1), 10, store=tmp_path)
    with pytest.raises(StoreError, match="is a file"):
        ms.sweep(toys(1), 10, store=tmp_path / "notes.txt")
    with pytest.raises(StoreError, match="is a file"):
        ms.load(tmp_path / "notes.txt")
    with pytest.raises(StoreError, match="there is no store"):
        ms.load(tmp_path / "nowhere")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_foreign_parquet_file(made):
    import pandas as pd

    path = next((made / "cells").iterdir())
    pd.DataFrame({"x": [1]}).to_parquet(path)
    with pytest.raises(StoreError, match="was not written by a sweep"):
        ms.load(made)


# --- disks -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("number", "says"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "read-only"), (errno.EACCES, "no permission")],
)
def test_a_disk_that_refuses(tmp_path, monkeypatch, number, says):
    """The third file cannot be flushed: what was finished stays, nothing half-written is left."""
    fresh, path, calls = tmp_path / "fresh", tmp_path / "full", []
    ms.sweep(toys(3), 500, seed=1, store=fresh)
    real = os.fsync

    def failing(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > 4:
            raise OSError(number, os.strerror(number))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match=says) as caught:
        ms.sweep(toys(3), 500, seed=1, store=path)
    assert caught.value.errno == number and not list(path.rglob("*.tmp"))
    monkeypatch.setattr(os, "fsync", real)
    assert len(ms.load(path)) < 3
    ms.sweep(toys(3), 500, seed=1, store=path)
    assert digest(path) == digest(fresh)


SMALL_DISK = """
import resource, signal, sys
import numpy as np
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
from pathlib import Path
from mindsim.store import write_whole
try:
    write_whole(Path(sys.argv[1]), lambda file: [file.write(bytes(10_000)) for _ in range(100)])
except OSError as error:
    print(error)
"""


def test_a_write_that_the_system_cuts_short(tmp_path):
    """A real one: the kernel refuses the bytes beyond 100,000."""
    path = tmp_path / "large"
    says = subprocess.run([sys.executable, "-c", SMALL_DISK, str(path)], capture_output=True, text=True, check=True)
    assert "the file would be larger than is allowed" in says.stdout
    assert not list(tmp_path.iterdir())


def test_write_whole_leaves_the_old_file_when_the_writer_fails(tmp_path):
    path = tmp_path / "file"
    write_whole(path, lambda file: file.write(b"old"))
    with pytest.raises(KeyError):
        write_whole(path, lambda file: [file.write(b"new"), {}["missing"]])
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


# --- two processes ---------------------------------------------------------------------------------------------------
HOLD = """
import sys
from pathlib import Path
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_writer_at_a_time(made):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(made / store_module.LOCK)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match="another process is writing"):
            ms.sweep(toys(3), 500, seed=1, store=made)
        assert "a process is writing" in status(made)
        assert len(ms.load(made)) == 3
    finally:
        process.communicate("")
    ms.sweep(toys(3), 500, seed=1, store=made)


def test_pieces_come_back_in_order_and_damage_in_one_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.import_module("mindsim.sweep"), "GAMES_PER_PART", 100)
    with pytest.raises(ZeroDivisionError):
        ms.sweep(Toy(fails_at=450), 500, store=tmp_path / "s")
    store = Store(tmp_path / "s")
    cell = store.cells[0]["id"]
    assert store.parts_of(cell) == [0, 1, 2, 3]
    pieces = np.concatenate([p["duration"] for p in store.parts(cell, [0, 1, 2, 3])])
    assert np.array_equal(pieces, Toy().play(0, range(400))["duration"])
    store.part_path(cell, 2).write_bytes(b"PAR1")
    with pytest.raises(StoreError, match="damaged"):
        ms.sweep(Toy(), 500, store=tmp_path / "s")
