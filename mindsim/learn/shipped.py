"""The trained players that come with the package: one JSON file each, with its manifest, in ``policies/trained``.

A file has ``player`` (the setting that `registry.from_json` reads), ``trained`` (rules, clock, objective, seeds,
budget) and ``held_out`` (the figures on games that took no part in training). ``ms.players.make("learned_3p")`` makes
the player.
"""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mindsim import registry
from mindsim.files import write_json
from mindsim.player import Player

FOLDER = Path(__file__).parent.parent / "policies" / "trained"


def trained_names() -> list[str]:
    """The names of all shipped players.

    Examples
    --------
    >>> from mindsim.learn import trained_names
    >>> "learned_2p" in trained_names()
    True
    """
    return sorted(path.stem for path in FOLDER.glob("learned_*.json"))


def manifest(name: str) -> dict[str, Any]:
    """All that the file of a shipped player says.

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    if name not in trained_names():
        raise ValueError(f"no trained player {name!r}; there are {', '.join(trained_names()) or 'none'}")
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def load(path: str | Path) -> Player:
    """The player in a file of this form.

    Raises
    ------
    ValueError
        If the file holds no player.
    """
    data = json.loads(Path(path).read_text())
    player = registry.from_json(data["player"]) if isinstance(data, dict) and "player" in data else None
    if not isinstance(player, Player):
        raise ValueError(f"{path} holds no player")
    return player


def save(path: str | Path, player: Player, trained: dict[str, Any], held_out: dict[str, Any]) -> None:
    """Write a player with its manifest."""
    write_json(Path(path), {"player": registry.to_json(player), "trained": trained, "held_out": held_out})
