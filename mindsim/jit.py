"""Compiling with Numba so that a stale cache is impossible.

Numba notices edits of the file that holds a function, but not of files whose functions it calls. Here the cache has a
directory of its own whose name is a digest of every source that takes part in compiling, so an edit anywhere starts
an empty one. The directory lies under ``NUMBA_CACHE_DIR`` if that is set, else under the user's cache directory.

Entry points are decorated with `entry`, what they call with `inner`, which is compiled into them.
"""
from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock
from numba import config, njit, typeof, types
from numba.core.caching import FunctionCache


def _lasting_name(record: Any) -> tuple[str, tuple[str, ...]]:
    """A name for a record type that is the same in every process, and of this type only."""
    return type(record).__name__, (hashlib.sha256(str(record).encode()).hexdigest()[:16],)


# Numba names compiled functions after their argument types, and a record type after a number that counts the types of
# this process. Functions for two record types that were compiled in two processes can then have one name, and code
# loaded from the cache is linked with the other's. So records are named after what they hold.
types.Record.mangling_args = property(_lasting_name)

_IMPORT = re.compile(rb"^from mindsim(?:\.([\w.]+))? import \(?([\w, ]*)", re.MULTILINE)

_COMPILED = re.compile(rb"^@(?:entry|making_entry|inner|inlined|njit)\b", re.MULTILINE)


def compiled_sources(package: Path) -> list[Path]:
    """Every source that takes part in compiling: those that compile, and all of the package that they import."""
    content = {path: path.read_bytes() for path in package.rglob("*.py")}
    found: set[Path] = set()
    todo = [path for path, text in content.items() if _COMPILED.search(text)]
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found.add(path)
        for module, names in _IMPORT.findall(content[path]):
            parts = [module.decode()] if module else [name.strip() for name in names.decode().split(",")]
            for part in filter(None, parts):
                place = package.joinpath(*part.split("."))
                todo += [p for p in (place.with_suffix(".py"), place / "__init__.py") if p in content]
    return sorted(found)


def digest_of_sources() -> str:
    """A digest of all compiled code of the package and of the tables that it reads, as they are on disk now."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in [*compiled_sources(package), *sorted(package.glob("*.npy"))]:
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def fingerprint() -> str:
    """The digest as it was when this process first asked."""
    return digest_of_sources()


@cache
def cache_dir() -> Path:
    """Where compiled code is kept; in a temporary directory if the usual place cannot be written."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        base = Path(os.environ["NUMBA_CACHE_DIR"])
    elif os.environ.get("XDG_CACHE_HOME"):
        base = Path(os.environ["XDG_CACHE_HOME"]) / "mindsim"
    elif sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        base = Path(os.environ["LOCALAPPDATA"]) / "mindsim" / "cache"
    else:
        base = Path.home() / ".cache" / "mindsim"
    try:
        (base / fingerprint()).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=base / fingerprint()):
            pass
    except OSError:
        base = Path(tempfile.gettempdir()) / f"mindsim-{getattr(os, 'getuid', lambda: 0)()}"
        (base / fingerprint()).mkdir(parents=True, exist_ok=True)
    return base / fingerprint()


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, safe for several processes at once.

    Two processes that save code for different argument types at the same moment would both take the next free file
    name, and one would later run the other's code. So saving is done under a lock; and not at all if a source has been
    edited since this process began, for nobody knows then which version was compiled.
    """

    def save_overload(self, sig: Any, data: Any) -> None:
        with FileLock(cache_dir() / "saving.lock"):
            if digest_of_sources() == fingerprint():
                super().save_overload(sig, data)


def _compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return njit(error_model="numpy", no_cfunc_wrapper=True, **options)(function)


def _cached(compiled: Any) -> Callable[..., Any]:
    """Keep what is compiled on disk."""
    if not config.DISABLE_JIT:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(cache_dir())  # read once, while the cache is made
        try:
            compiled._cache = _Cache(compiled.py_func)
        finally:
            config.CACHE_DIR = before
    return compiled


# Without reference counting (`_nrt=False`), which took half of the engine's time: a function may pass on arrays that it
# was given, and their elements, but makes none. One that tries is refused by the compiler.
def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile an entry point: cached on disk, releasing the GIL, dividing by zero as NumPy does; makes no arrays."""
    return _cached(_compiled(function, nogil=True, _nrt=False))


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile what entry points call: without the wrapper for calls from Python, which costs as much again."""
    return _compiled(function, no_cpython_wrapper=True, _nrt=False)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """An `inner` that is always compiled into its callers: for what takes many arrays and is called often."""
    return _compiled(function, no_cpython_wrapper=True, forceinline=True, _nrt=False)


def making_entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """An `entry` that may make arrays."""
    return _cached(_compiled(function, nogil=True))


def settled(function: Any, *arguments: Any) -> Callable[..., Any]:
    """The compiled code of an entry point for arguments of these types.

    It does not ask anew at each call what it is given, which takes longer than the call itself if that is many arrays.
    Arguments of other types are refused with a TypeError.
    """
    if config.DISABLE_JIT:
        return function
    return function.compile(tuple(map(typeof, arguments)))


def announce(what: str) -> Callable[[], None]:
    """Say once per cache that `what` is being compiled; call the answer when it is done."""
    marker = cache_dir() / f"{what.replace(' ', '-')}.compiled"
    if marker.exists() or config.DISABLE_JIT:
        return lambda: None
    print(f"mindsim: compiling the engine for {what} (once, some seconds) ...", file=sys.stderr, flush=True)
    return marker.touch
