"""Whole clocks by name, from figures published on human timing.

What this file leaves to others: the parts they are made of, in `scalar`.
"""
from __future__ import annotations

from mindsim.clocks.base import Clock
from mindsim.clocks.scalar import Lognormal, Scalar, Tempo
from mindsim.registry import clocks

__all__ = ["careful", "human", "ordinary"]


@clocks.register("careful")
def careful() -> Clock:
    """A person who counts: Weber fraction 0.07 (targets of 3 to 18 s; Fechner Day proceedings, art. 356).

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.careful()
    Scalar(weber=0.07, floor=0.0, lasts='epoch')
    """
    return Scalar(weber=0.07)


@clocks.register("ordinary")
def ordinary() -> Clock:
    """A person who does not count: Weber fraction 0.14, floor 0.05 s (the same study; Ivry and Hazeltine 1995).

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.ordinary()
    Scalar(weber=0.14, floor=0.05, lasts='epoch')
    """
    return Scalar(weber=0.14, floor=0.05)


@clocks.register("human")
def human() -> Clock:
    """The spread of people's waits when they play: 0.26 between players, 0.98 within (facts fitted to 21 people).

    Most of it is the spread of decisions, not of the sense of time; so use it with a policy that adds none of its own
    (`policies.Human` has it already).

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.human()
    Product(factors=(Tempo(sigma=0.26), Lognormal(sigma=0.98, lasts='epoch')))
    """
    return Tempo(0.26) * Lognormal(0.98)
