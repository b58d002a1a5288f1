"""The compile cache: keyed on all sources that matter, and never one process's code for another's types."""
from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import mindsim
from mindsim.jit import compiled_sources, entry, settled

PACKAGE = Path(mindsim.__file__).parent


def test_all_that_compiled_code_imports_is_in_the_key():
    """Files that hold compiled functions, and files that they take constants and functions from."""
    names = {path.relative_to(PACKAGE).as_posix() for path in compiled_sources(PACKAGE)}
    assert {"kernel.py", "rulebook.py", "fields.py", "rng.py", "bits.py", "state.py", "jit.py"} <= names
    assert "cli.py" not in names


@entry
def _sum_up(numbers, factor):
    total = 0.0
    for number in numbers:
        total += number * factor
    return total


def test_settled_code_is_that_of_its_types():
    """It gives the same answers for other arguments of the same types, and takes no others."""
    quick = settled(_sum_up, np.zeros(1), 2)
    numbers = np.arange(5.0)
    assert quick(numbers, 3) == _sum_up(numbers, 3) == 30.0
    with pytest.raises(TypeError):
        quick(numbers.astype(np.float32), 3)
    with pytest.raises(TypeError):
        quick([1.0, 2.0], 3)


def test_an_edit_of_an_imported_file_changes_the_key(tmp_path):
    """A copy of two files, of which the one without compiled code is edited."""
    (tmp_path / "a.py").write_text("from mindsim.b import X\n\n@entry\ndef f(): return X\n")
    (tmp_path / "b.py").write_text("X = 1\n")
    (tmp_path / "c.py").write_text("Y = 1\n")
    assert [path.name for path in compiled_sources(tmp_path)] == ["a.py", "b.py"]


def test_processes_that_compile_for_different_shapes_do_not_mix(tmp_path):
    """One process compiles for two players, another for three; a third that loads both gets the right code of each.

    Numba names functions after a number that counts record types in a process: both were the first.
    """
    (tmp_path / "shapes.py").write_text(
        textwrap.dedent(
            """
            import sys
            import numpy as np
            from numba import typeof
            from mindsim.jit import entry, inner
            from mindsim.state import game_dtype

            @inner
            def places(r):
                n = 0
                for k in range(len(r.low)):
                    n += r.low[k]
                return n

            @entry
            def total(games):
                n = 0
                for g in range(len(games)):
                    n += places(games[g])
                return n

            for players in map(int, sys.argv[1:]):
                games = np.zeros(2, game_dtype(players, 1, 1)).view(np.recarray)
                games["low"] = 1
                print(total(games), sum(total.stats.cache_hits.values()), *typeof(games).dtype.mangling_args[1])
            """
        )
    )

    def run(*players: int) -> list[str]:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(PACKAGE.parent)}
        done = subprocess.run(
            [sys.executable, "shapes.py", *map(str, players)],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=120,
        )  # fmt: skip
        return done.stdout.splitlines()

    two, three = run(2)[0].split()[2], run(3)[0].split()[2]
    assert two != three
    assert run(2, 3) == [f"4 1 {two}", f"6 2 {three}"]
    assert run(3, 2) == [f"6 1 {three}", f"4 2 {two}"]
