"""Who may import whom: the arrows of the design, read from the sources.

Every part of the core may import the parts listed here and no others. What is not listed is an edge (learning,
environments, plots, command line ...): it may import anything, and no part of the core imports it. Imports for type
checkers only do not count; a method that draws may import `plots` when it is called.
"""
from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "mindsim"
BASE = {"bits", "elementary", "jit", "rng", "registry"}
PLAYERS_PARTS = {"policies", "stars", "stops", "clocks", "reactions"}
MAY_IMPORT: dict[str, set[str]] = {
    "bits": set(),
    "jit": set(),
    "elementary": {"jit"},
    "rng": {"bits", "jit"},
    "rules": set(),
    "registry": set(),
    "files": set(),
    "show": set(),
    "state": set(),
    "stats": set(),  # arrays in, numbers out
    "rulebook": {"rng", "bits", "jit", "state"},
    "kernel": {"rulebook", "rng", "bits", "jit", "state"},
    "fields": {"rng", "bits", "jit"},
    "observation": {"fields", "rng"},
    **{part: {"observation", "fields", *BASE} for part in PLAYERS_PARTS},
    "player": {*PLAYERS_PARTS, "registry"},
    "players": {*PLAYERS_PARTS, "player", "registry"},
    "deals": {"rules"},
    "record": {"rules", "state", "observation"},
    "games": {"stats", "rules", "state", "record"},
    "ask": {"kernel", "fields", "observation", "player", "rng", "state"},
    "simulate": {"ask", "deals", "games", "jit", "kernel", "observation", "player", "record", "rng", "rules", "state"},
    "table": {"store", "stats", "files"},
    "store": {"files", "table"},
    "cells": {"registry", "player", "rules", "stats", "simulate"},
    "sweep": {"cells", "simulate", "stats", "store", "table"},
    "crossplay": {"player", "rng", "rules", "simulate", "stats", "store", "sweep"},
    "situations": {"bits", "observation", "rng", "state"},
    "the_game": {*BASE, "cells", "files", "plots", "stats", "store", "sweep", "table", "show"},
}
DRAWS = {"plots", "replay", "report"}  # the only ones that import matplotlib


class Import(NamedTuple):
    file: Path
    line: int
    name: str  # dotted, absolute
    at_once: bool  # when the module is loaded, not when a function is called


def imports(file: Path) -> Iterator[Import]:
    """All imports of a file but those for type checkers only."""
    yield from _imports(file, ast.parse(file.read_text(encoding="utf-8")).body, at_once=True)


def _imports(file: Path, body: list[ast.stmt], at_once: bool) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name, at_once)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield Import(file, node.lineno, f"{_module(file, node)}.{alias.name}", at_once)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            yield from _imports(file, node.orelse, at_once)
        else:
            later = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            for part in ("body", "orelse", "finalbody", "handlers", "cases"):
                inner = getattr(node, part, [])
                yield from _imports(file, inner if isinstance(inner, list) else [], at_once and not later)


def _module(file: Path, node: ast.ImportFrom) -> str:
    """The absolute name of the module that is imported from."""
    if not node.level:
        return node.module or ""
    package = ["mindsim", *file.relative_to(PACKAGE).parent.parts]
    return ".".join(package[: len(package) - node.level + 1] + ([node.module] if node.module else []))


def part_of(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def own_imports(file: Path) -> Iterator[tuple[str, Import]]:
    """Imports of other parts of the package: (part, import)."""
    for found in imports(file):
        names = found.name.split(".")
        if names[0] == "mindsim" and len(names) > 1 and names[1] != part_of(file):
            yield names[1], found


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_the_arrows(file):
    """The core imports only what the design lets it."""
    part = part_of(file)
    if part not in MAY_IMPORT:
        return  # an edge
    for other, found in own_imports(file):
        if other.startswith("__") or (other in DRAWS and not found.at_once):
            continue
        assert other in MAY_IMPORT[part], f"{file.name}:{found.line}: {part} may not import {other}"


def test_only_drawing_imports_matplotlib():
    """`plots`, `replay` and `report`, and only when they are used."""
    for file in FILES:
        for found in imports(file):
            if found.name.split(".")[0] == "matplotlib":
                assert part_of(file) in DRAWS, f"{file}:{found.line}: matplotlib belongs to {DRAWS}"
                assert not found.at_once, f"{file}:{found.line}: matplotlib is to be imported when something is drawn"


def test_the_core_has_no_circles():
    def reach(part: str, seen: tuple[str, ...]) -> None:
        assert part not in seen, " -> ".join([*seen, part])
        for other in MAY_IMPORT.get(part, ()):
            if {part, other} != {"store", "table"}:  # one family in two files
                reach(other, (*seen, part))

    for part in MAY_IMPORT:
        if part not in ("the_game",):
            reach(part, ())


def test_the_check_can_fail(tmp_path):
    """Negative control: a forbidden import is seen, at once or later, absolute or relative; one for types is not."""
    file = PACKAGE / "kernel.py"
    source = (
        "import mindsim.simulate\nfrom . import games\nfrom mindsim import plots as p\n"
        "if TYPE_CHECKING:\n    from mindsim import env\n"
        "def f():\n    try:\n        import matplotlib.pyplot\n    except ImportError:\n        from .stats import x\n"
    )
    found = list(_imports(file, ast.parse(source).body, at_once=True))
    assert [(i.name, i.at_once) for i in found] == [
        ("mindsim.simulate", True), ("mindsim.games", True), ("mindsim.plots", True),
        ("matplotlib.pyplot", False), ("mindsim.stats.x", False),
    ]  # fmt: skip


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, mindsim; heavy = {'numba', 'matplotlib', 'pandas', 'scipy', 'numpy'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE.parent)


def test_playing_loads_no_pandas():
    """Frames, tables and pictures are for those who ask: the first game of a process does not wait for them."""
    code = (
        "import sys, mindsim as ms; ms.simulate(ms.Rules.the_mind(2), 'gap_linear', n_games=1); "
        "heavy = {'matplotlib', 'pandas', 'pyarrow', 'joblib'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE.parent)
