"""Whole players by name: a policy, a clock and a reaction time that belong together.

>>> import mindsim as ms
>>> [name for name in ms.players.names() if not name.startswith("learned_")]
['careful', 'exact', 'human', 'matching', 'ordinary', 'random']
>>> ms.players.make("ordinary", pace=0.05).policy
GapPower(pace=0.05, exponent=2.0)

The figures are those of ``docs/clocks.md``. Names that begin with ``learned_`` are the trained players in
``policies/trained`` (see ``docs/learning.md``). What this file leaves to others: what the parts do.
"""
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mindsim import clocks, policies, reactions
from mindsim import registry as _registry
from mindsim.player import Player

register = _registry.players.register
names = _registry.players.names
make = _registry.players.make
entries = _registry.players.entries

__all__ = ["careful", "entries", "exact", "human", "make", "matching", "names", "ordinary", "random", "register"]


@register("exact")
def exact(pace: float = 0.1) -> Player:
    """A machine: waits in proportion to the gap on an exact clock, with no reaction time. It wins every game."""
    return Player(policies.GapLinear(pace))


@register("careful")
def careful(pace: float = 0.02, exponent: float = 2.0) -> Player:
    """A person who counts: waits pace x gap^exponent, Weber fraction 0.07, reaction 0.23 s."""
    return Player(policies.GapPower(pace, exponent), clock=clocks.careful(), reaction=reactions.ExGaussian())


@register("ordinary")
def ordinary(pace: float = 0.02, exponent: float = 2.0) -> Player:
    """A person who does not count: waits pace x gap^exponent, Weber fraction 0.14, floor 0.05 s, reaction 0.23 s."""
    return Player(policies.GapPower(pace, exponent), clock=clocks.ordinary(), reaction=reactions.ExGaussian())


@register("human")
def human(reaction: Any = None) -> Player:
    """People's waits as fitted, their clocks' spread included; reaction 0.23 s unless another is given."""
    return Player(policies.Human(), reaction=reactions.ExGaussian() if reaction is None else reaction)


@register("matching")
def matching(pace: float = 0.34, phase: float = 0.2, period: float = 0.2) -> Player:
    """A person with a tempo of its own who adapts to the partners' pace."""
    clock = clocks.Tempo(0.26) * clocks.ordinary()
    return Player(policies.TempoMatching(pace, phase, period), clock=clock, reaction=reactions.ExGaussian())


@register("random")
def random(seconds: float = 10.0) -> Player:
    """Plays at random moments, blind to its cards."""
    return Player(policies.Uniform(seconds))


def _trained(path: Path) -> Callable[[], Player]:
    """What makes the player in a file, which is read when it is asked for."""

    def make() -> Player:
        player: Player = _registry.from_json(json.loads(path.read_text())["player"])
        return player

    make.__doc__ = f"Trained by search, held-out figures and manifest in policies/trained/{path.name}."
    make.__qualname__ = path.stem
    return make


for _path in sorted((Path(__file__).parent / "policies" / "trained").glob("learned_*.json")):
    register(_path.stem)(_trained(_path))
