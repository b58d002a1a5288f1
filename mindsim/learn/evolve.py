"""Two searches that ask for candidates and are told their losses: CMA-ES and differential evolution.

Both draw from a generator of their own that is pickled with them, so that a search taken up again from a file goes on
exactly as it would have. Neither knows what a candidate means.

What this file leaves to others: what is searched, and checkpoints, to `search`.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import cma
import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
METHODS = ("cma", "differential_evolution")


class Search(Protocol):
    """What both offer."""

    population: int

    def ask(self) -> list[Vector]:
        """The candidates of the next generation."""

    def tell(self, candidates: Sequence[Vector], losses: Sequence[float]) -> None:
        """Their losses: the smaller the better."""

    @property
    def favourite(self) -> Vector:
        """Where the search believes the optimum to be."""


class _Normals:
    """Standard normal draws as `cma` asks for them, from a generator that is pickled along."""

    def __init__(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def __call__(self, *shape: int) -> Vector:
        return self.generator.standard_normal(shape)


class CMA:
    """Covariance matrix adaptation (Hansen 2016, arXiv 1604.00772), by the `cma` package.

    Its favourite is the mean of the distribution: with noisy losses a better guess than the best candidate seen.
    """

    def __init__(self, start: Vector, seed: int, population: int | None = None, step: float = 1.0) -> None:
        options: dict[str, Any] = {"randn": _Normals(seed), "seed": np.nan, "verbose": -9, "tolfun": 0, "tolx": 0}
        options |= {"tolflatfitness": 10**9, "tolstagnation": 10**9, "tolfunhist": 0}
        if population is not None:
            options["popsize"] = population
        # one coordinate is a case that the package refuses: a second one without effect stands beside it
        self._alone = len(start) == 1
        self._search = cma.CMAEvolutionStrategy(np.append(start, 0.0) if self._alone else start, step, options)
        self.population = int(self._search.popsize)

    def ask(self) -> list[Vector]:
        """The candidates of the next generation."""
        self._asked = self._search.ask()
        return [np.array(x[:1] if self._alone else x) for x in self._asked]

    def tell(self, candidates: Sequence[Vector], losses: Sequence[float]) -> None:
        """Their losses: the smaller the better."""
        self._search.tell(self._asked, list(losses))

    @property
    def favourite(self) -> Vector:
        """The mean of the distribution."""
        mean = np.array(self._search.mean)
        return mean[:1] if self._alone else mean


class DifferentialEvolution:
    """Differential evolution, current-to-best/1 with binomial crossover (Storn & Price 1997).

    Losses are noisy, so a parent's loss is told anew each generation: parents and children are both asked for.
    """

    def __init__(self, start: Vector, seed: int, population: int | None = None, step: float = 1.0) -> None:
        self.generator = np.random.default_rng(seed)
        half = max(4, (population or 2 * (8 + 2 * len(start))) // 2)
        self.population = 2 * half
        self.parents = start + step * self.generator.standard_normal((half, len(start)))
        self.parents[0] = start
        self.best = start.copy()

    def ask(self) -> list[Vector]:
        """All parents, then all children."""
        g, parents = self.generator, self.parents
        n, dim = parents.shape
        children = parents.copy()
        for i in range(n):
            b, c = parents[g.choice(n, 2, replace=False)]
            mutant = parents[i] + g.uniform(0.4, 0.9) * (self.best - parents[i]) + g.uniform(0.4, 0.9) * (b - c)
            crossed = (g.random(dim) < 0.8) | (np.arange(dim) == g.integers(dim))
            children[i] = np.where(crossed, mutant, parents[i])
        return [*parents, *children]

    def tell(self, candidates: Sequence[Vector], losses: Sequence[float]) -> None:
        """Each child that is no worse than its parent takes its place."""
        n = len(self.parents)
        loss = np.asarray(losses, float)
        better = loss[n:] <= loss[:n]
        self.parents = np.where(better[:, None], np.array(candidates[n:]), np.array(candidates[:n]))
        self.best = self.parents[int(np.argmin(np.where(better, loss[n:], loss[:n])))].copy()

    @property
    def favourite(self) -> Vector:
        """The mean of the better half would blur separate basins: the best of the last generation."""
        return self.best


def searcher(method: str, start: Vector, seed: int, population: int | None = None, step: float = 1.0) -> Any:
    """A search of that name.

    Raises
    ------
    ValueError
        If there is none.
    """
    if method not in METHODS:
        raise ValueError(f'method must be "cma" or "differential_evolution", not {method!r}')
    made = CMA if method == "cma" else DifferentialEvolution
    return made(np.asarray(start, float), seed, population, step)


def minimise(
    loss: Callable[[Vector], float], start: Any, generations: int, method: str = "cma", seed: int = 0, step: float = 1.0
) -> Vector:
    """The minimum of a function, as the searches find it: for tests and for trying them out.

    Examples
    --------
    >>> from mindsim.learn.evolve import minimise
    >>> found = minimise(lambda x: float(((x - 3.0) ** 2).sum()), [0.0, 0.0], generations=60)
    >>> bool(abs(found - 3.0).max() < 0.01)
    True
    """
    search = searcher(method, np.asarray(start, float), seed, step=step)
    for _ in range(generations):
        asked = search.ask()
        search.tell(asked, [loss(x) for x in asked])
    return np.asarray(search.favourite)
