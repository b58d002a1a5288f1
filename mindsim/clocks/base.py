"""What all clocks share: they multiply, and say without being called whether they have motor noise.

`motor` is None for a clock whose hand obeys exactly, so that nobody draws noise of size 0; `lasts` says how long a
drawn rate stays.

What this file leaves to others: the shapes of noise are in the files beside it.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mindsim.observation import Noise
from mindsim.registry import clocks

__all__ = ["Clock", "Exact", "Product"]

LASTS = ("epoch", "level", "game")
Motor = Callable[[Noise], NDArray[np.float64]]


class Rated(Protocol):
    """The least that a clock must have."""

    def rate(self, noise: Noise) -> NDArray[np.float64]:
        """What multiplies an intended wait, one for each row, above 0."""
        ...


class Clock:
    """The base of the built-in clocks; another's clock needs only a method `rate`."""

    lasts: str = "epoch"

    def rate(self, noise: Noise) -> NDArray[np.float64]:
        """What multiplies an intended wait, one for each row."""
        return noise.ones()

    @property
    def motor(self) -> Motor | None:
        """A function that draws the seconds the hand adds to a wait; None: it adds none."""
        return None

    def __mul__(self, other: Rated) -> Product:
        """Both clocks at once: rates multiply, motor noise adds up."""
        if not callable(getattr(other, "rate", None)):
            return NotImplemented
        return Product(_factors(self) + _factors(other))


@clocks.register("exact")
@dataclass(frozen=True)
class Exact(Clock):
    """A clock without error.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.Exact()
    Exact()
    """


@clocks.register("product")
@dataclass(frozen=True)
class Product(Clock):
    """Several clocks at once: rates multiply, motor noise adds up.

    Each factor draws its own noise, which stays for as long as that factor lasts.

    Parameters
    ----------
    factors : tuple of clocks
        At least one. Written with ``*``.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.clocks.Tempo(0.26) * ms.clocks.Lognormal(0.98)
    Product(factors=(Tempo(sigma=0.26), Lognormal(sigma=0.98, lasts='epoch')))
    """

    factors: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.factors, (tuple, list)) or not self.factors:
            raise ValueError(f"Product: factors must be a tuple of at least one clock, not {self.factors!r}")
        for factor in self.factors:
            if not callable(getattr(factor, "rate", None)):
                raise TypeError(f"Product: factors must be clocks (objects with a method rate), not {factor!r}")
        object.__setattr__(self, "factors", tuple(self.factors))

    @property
    def lasts(self) -> str:  # type: ignore[override]
        """How long the product stays as drawn: as its least lasting factor."""
        return min((getattr(f, "lasts", "epoch") for f in self.factors), key=LASTS.index)

    def rate(self, noise: Noise) -> NDArray[np.float64]:
        """The product of the factors' rates."""
        rate = noise.ones()
        for i, factor in enumerate(self.factors):
            if type(factor) is not Exact:
                rate = rate * factor.rate(noise.part(i).lasting(getattr(factor, "lasts", "epoch")))
        return rate

    @property
    def motor(self) -> Motor | None:
        """The sum of the factors' motor noise; None if none has any."""
        hands = [(i, m) for i, f in enumerate(self.factors) if (m := getattr(f, "motor", None)) is not None]
        if not hands:
            return None
        return lambda noise: sum((m(noise.part(i)) for i, m in hands), start=noise.zeros())


def _factors(clock: Any) -> tuple[Any, ...]:
    return clock.factors if isinstance(clock, Product) else (clock,)
