"""Policies: how long to wait before playing the next card. One family per file; a new file here is found by itself.

A policy is any object with ``wait(obs) -> float64[rows]`` (seconds from now, on the player's own sense of time;
``inf``: not before something changes) or such a function. See ``docs/policies.md``.

What this file leaves to others: the rules of each policy are in the files beside it, names and JSON in `registry`.
"""
from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from mindsim import registry as _registry

register = _registry.policies.register
names = _registry.policies.names
make = _registry.policies.make
entries = _registry.policies.entries


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
    raise AttributeError(f"mindsim.policies has no {name!r}; it has {', '.join(__all__)}")
