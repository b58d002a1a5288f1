"""Clocks: a player's sense of time. One family per file; a new file here is found by itself.

A clock is any object with ``rate(noise) -> float64[rows] > 0`` (what multiplies an intended wait) and, if it likes,
``motor(noise) -> float64[rows]`` (seconds added by the hand) and ``lasts`` ("epoch", "level" or "game": how long a
drawn rate stays). Clocks multiply: ``Tempo(0.26) * Lognormal(0.98)``. See ``docs/clocks.md``.

What this file leaves to others: when a clock is asked, and felt time, are the engine's business.
"""
from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from mindsim import registry as _registry

register = _registry.clocks.register
names = _registry.clocks.names
make = _registry.clocks.make
entries = _registry.clocks.entries


def _discover() -> list[str]:
    """Import every file of this package and take in the classes it registers."""
    found = []
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for name in getattr(module, "__all__", ()):
            globals()[name] = getattr(module, name)
            found.append(name)
    return found


__all__ = ["entries", "make", "names", "register", *_discover()]


def __getattr__(name: str) -> Any:
    """Say what there is; this also tells type checkers that the classes found above are attributes."""
    raise AttributeError(f"mindsim.clocks has no {name!r}; it has {', '.join(__all__)}")
