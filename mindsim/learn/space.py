"""Which numbers of a player a search may change, as one vector.

Weights of learnable policies and stars (fields with ``learn`` in their metadata) enter as they are; of any other policy
the positive numbers enter by their logarithm. Coordinates are scaled so that a step of 1 is a sensible first step.
"""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindsim.player import Player

_LOG_STEP = 0.3


class Knob(NamedTuple):
    """One field of one part of the player: how many numbers it holds, and how they enter the vector."""

    part: str
    name: str
    size: int
    step: float
    by_log: bool


def flat(value: Any) -> Iterator[float]:
    """The numbers in nested tuples."""
    if isinstance(value, tuple):
        for item in value:
            yield from flat(item)
    else:
        yield float(value)


def shaped(numbers: Iterator[float], like: Any) -> Any:
    """Nested tuples of the same shape with other numbers."""
    if isinstance(like, tuple):
        return tuple(shaped(numbers, item) for item in like)
    return next(numbers)


class Space:
    """The free numbers of a template.

    Parameters
    ----------
    template : Player
    free : iterable of str, optional
        Fields such as ``"policy.pace"`` or ``"stars.weights"``. Default: all learnable fields of policy and stars; if
        the policy has none, its positive numbers.

    Raises
    ------
    ValueError
        If nothing is free, or a named field cannot be; a TypeError if `free` is one string.

    Examples
    --------
    >>> import mindsim as ms
    >>> from mindsim.learn.space import Space
    >>> space = Space(ms.Player(ms.policies.GapPower(0.02, 2.0)))
    >>> space.player(space.start + 1.0).policy.pace > 0.02
    True
    """

    def __init__(self, template: Player, free: Iterable[str] | None = None) -> None:
        self.template = template
        every = [knob for part in ("policy", "stars") for knob in _knobs(template, part)]
        if free is not None:
            if isinstance(free, str):
                raise TypeError(f"free must be a list of names such as [{free!r}], not {free!r}")
            wanted = list(free)
            names = {f"{k.part}.{k.name}" for k in every}
            unknown = [name for name in wanted if name not in names]
            if unknown:
                raise ValueError(f"free must name fields among {', '.join(sorted(names))}; got {unknown[0]!r}")
            every = [k for k in every if f"{k.part}.{k.name}" in wanted]
        else:
            every = [k for k in every if k.part == "policy" or not k.by_log]
        if not every:
            raise ValueError(f"template has nothing to learn: {template!r}")
        self.knobs = every
        self.start = self._vector(template)

    def __len__(self) -> int:
        return len(self.start)

    def _vector(self, player: Player) -> NDArray[np.float64]:
        found: list[float] = []
        for knob in self.knobs:
            for number in flat(getattr(getattr(player, knob.part), knob.name)):
                found.append((math.log(number) if knob.by_log else number) / knob.step)
        return np.array(found)

    def player(self, vector: Any) -> Player:
        """The template with the numbers of a vector."""
        numbers = iter(np.asarray(vector, float).tolist())
        changed: dict[str, dict[str, Any]] = {}
        for knob in self.knobs:
            mine = [next(numbers) * knob.step for _ in range(knob.size)]
            values = [math.exp(min(x, 50.0)) for x in mine] if knob.by_log else mine
            like = getattr(getattr(self.template, knob.part), knob.name)
            changed.setdefault(knob.part, {})[knob.name] = shaped(iter(values), like)
        parts = {p: dataclasses.replace(getattr(self.template, p), **values) for p, values in changed.items()}
        return dataclasses.replace(self.template, **parts)


def _knobs(template: Player, part: str) -> Iterator[Knob]:
    thing = getattr(template, part)
    if not dataclasses.is_dataclass(thing):
        return
    fields = [f for f in dataclasses.fields(thing) if f.init]
    learnable = [f for f in fields if "learn" in f.metadata]
    for f in learnable:
        size = sum(1 for _ in flat(getattr(thing, f.name)))
        if size:
            yield Knob(part, f.name, size, float(f.metadata["learn"]), False)
    if learnable:
        return
    for f in fields:
        value = getattr(thing, f.name)
        if isinstance(value, float) and value > 0.0:
            yield Knob(part, f.name, 1, _LOG_STEP, True)
