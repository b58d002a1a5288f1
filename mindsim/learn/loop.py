"""`Loop`: a search generation by generation, kept on disk after each; and `maximise`, for anything that can be scored.

Every generation all candidates play the same deals (one seed), the next generation others. Which candidate is kept is
decided on a second stream of seeds, and the figure that is reported comes from a third (see `seeds`). After every
generation the whole state is written to the store, so a run killed at any moment goes on where it was and ends the
same.

What this file leaves to others: the searches are in `evolve`; players of The Mind, their numbers and figures in
`search`, whose `optimise` is this loop too.
"""
from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from mindsim.files import StoreError, write_json, write_whole
from mindsim.learn.evolve import METHODS, Vector, searcher
from mindsim.learn.seeds import CHOOSING, HELD_OUT, TRAINING, seed_for

if TYPE_CHECKING:
    import pandas as pd

SMALLEST_POPULATION = 4  # fewer candidates tell neither method where to go


class Loop:
    """A search under way.

    Parameters
    ----------
    start : vector
        Where the search begins; it is a candidate for the end, too.
    search : Search
    setting : dict
        All that decides the outcome, ready for JSON. A store of another setting is refused.
    seed, n_games, generations : int
        Of the deals; games a candidate plays in each generation; how many generations.
    store : path, optional
        A directory for the state after every generation.
    """

    def __init__(
        self, start: Vector, search: Any, setting: dict[str, Any], seed: int, n_games: int, generations: int,
        store: str | Path | None,
    ) -> None:  # fmt: skip
        self.search, self.seed, self.n_games, self.generations = search, seed, n_games, generations
        self.store = None if store is None else Path(store)
        self.rows: list[dict[str, Any]] = []
        self.kept: list[Any] = [start]
        if self.store is not None:
            self._open(self.store, setting)

    # --- the store -------------------------------------------------------------------------------
    def _open(self, store: Path, setting: dict[str, Any]) -> None:
        path, mine = store / "manifest.json", json.loads(json.dumps(setting))
        if path.exists():
            theirs = _read(path, json.loads)
            differing = sorted(k for k in mine if theirs.get(k) != mine[k])
            if differing:
                raise StoreError(f"{store} holds another search: {differing[0]} differs; choose another store")
        else:
            write_json(path, mine)
        state = store / "state.pickle"
        if state.exists():
            self.search, self.rows, self.kept = _read(state, pickle.loads)

    def _save(self) -> None:
        if self.store is not None:
            state = pickle.dumps((self.search, self.rows, self.kept))
            write_whole(self.store / "state.pickle", lambda file: file.write(state))

    def close(self, result: dict[str, Any]) -> pd.DataFrame:
        """Write the trace and the result; return the trace."""
        import pandas as pd

        trace = pd.DataFrame(self.rows)
        if self.store is not None:
            text = io.StringIO()
            trace.to_csv(text, index=False, lineterminator="\n")
            write_whole(self.store / "trace.csv", lambda file: file.write(text.getvalue().encode()))
            write_json(self.store / "result.json", result)
        return trace

    # --- searching -------------------------------------------------------------------------------
    def play(self, score: Callable[[Vector, int], float], n_jobs: int, progress: bool) -> None:
        """All generations that are still to come: `score` plays one candidate's training games on a seed."""
        from joblib import Parallel
        from tqdm.auto import tqdm

        todo = range(len(self.rows), self.generations)
        with Parallel(n_jobs=n_jobs) as workers:
            for generation in tqdm(todo, disable=not progress, desc="optimise", unit="generation"):
                self._generation(generation, score, workers)
                self._save()

    def _generation(self, k: int, score: Callable[[Vector, int], float], workers: Any) -> None:
        from joblib import delayed

        seed = seed_for(TRAINING, self.seed, k)
        asked = self.search.ask()
        losses = -np.array(workers(delayed(score)(x, seed) for x in asked))
        self.search.tell(asked, losses.tolist())
        games = (k + 1) * len(asked) * self.n_games
        self.rows.append(
            {"generation": k, "games": games, "value": -float(losses.min()), "median": -float(np.median(losses))}
        )
        last = k == self.generations - 1
        if last or (k + 1) % max(1, self.generations // 3) == 0:
            self.kept.append(self.search.favourite)
        if last:
            self.kept.append(asked[int(losses.argmin())])

    def chosen(self, score: Callable[[Vector, int], float]) -> Vector:
        """The best of the start, some favourites on the way, and the last generation's best, on a seed of their own."""
        seed = seed_for(CHOOSING, self.seed)
        best: Vector = self.kept[int(np.argmax([score(x, seed) for x in self.kept]))]
        return best


def _read(path: Path, understand: Callable[[bytes], Any]) -> Any:
    """What a file of a store holds, or an error that names it."""
    try:
        return understand(path.read_bytes())
    except Exception as error:  # what pickle raises on damaged files can be nearly anything
        raise StoreError(
            f"{path} is damaged or no file of a search ({error}); delete its directory, or choose another store"
        ) from error


# --- for anything that can be scored ---------------------------------------------------------------------------------
class Problem(Protocol):
    """What `maximise` asks of a problem; with several processes it must survive pickling."""

    @property
    def start(self) -> Vector:
        """Where the search begins. A step of 1 in every coordinate should be a sensible first step."""

    def setting(self) -> dict[str, Any]:
        """All that decides the scores, ready for JSON."""

    def score(self, x: Vector, n_games: int, seed: int) -> float:
        """Play `n_games` games on a seed: the larger the better."""


class Found(NamedTuple):
    """What `maximise` found: a vector, its score and that of the start on held-out games, and the trace."""

    x: Vector
    score: float
    start_score: float
    held_out_seed: int
    trace: Any


def maximise(
    problem: Problem,
    budget: int,
    *,
    method: str = "cma",
    seed: int = 0,
    n_jobs: int = 1,
    store: str | Path | None = None,
    progress: bool = False,
    n_games: int = 1_000,
    population: int | None = None,
    held_out: int = 20_000,
    step: float = 1.0,
) -> Found:
    """Search for the numbers that score best in a problem of one's own, in the way of `optimise`.

    Parameters
    ----------
    problem : Problem
        An object with ``start``, ``setting()`` and ``score(x, n_games, seed)``.
    budget, method, seed, n_jobs, store, progress, n_games, population, held_out, step
        As in `optimise`.

    Returns
    -------
    Found

    Raises
    ------
    ValueError
        If an argument makes no sense, or the store is of another search (`StoreError`).

    Examples
    --------
    >>> class Parabola:
    ...     start = np.zeros(2)
    ...     def setting(self):
    ...         return {"centre": 3.0}
    ...     def score(self, x, n_games, seed):
    ...         return -float(((x - 3.0) ** 2).sum())
    >>> found = maximise(Parabola(), budget=5_000, n_games=10)
    >>> bool(abs(found.x - 3.0).max() < 0.01), found.start_score
    (True, -18.0)
    """
    check_search(method, seed, population, step, budget=budget, n_games=n_games, held_out=held_out)
    search = searcher(method, problem.start, seed, population, step)
    generations = max(1, budget // (search.population * n_games))
    setting = {
        "problem": problem.setting(), "method": method, "seed": seed, "n_games": n_games,
        "population": search.population, "generations": generations, "held_out": held_out, "step": step,
    }  # fmt: skip
    loop = Loop(np.asarray(problem.start, float), search, setting, seed, n_games, generations, store)
    loop.play(_Training(problem, n_games), n_jobs, progress)
    x = loop.chosen(_Training(problem, max(1, held_out // 2)))
    last = seed_for(HELD_OUT, seed)
    score, before = (float(problem.score(v, held_out, last)) for v in (x, np.asarray(problem.start, float)))
    result = {**setting, "x": x.tolist(), "score": score, "start_score": before, "held_out_seed": last}
    return Found(x, score, before, last, loop.close(result))


@dataclass(frozen=True)
class _Training:
    """Scores one candidate on so many games: what a worker is sent."""

    problem: Any
    n_games: int

    def __call__(self, x: Vector, seed: int) -> float:
        return float(self.problem.score(x, self.n_games, seed))


def check_search(method: Any, seed: Any, population: Any, step: Any, **games: Any) -> None:
    """Refuse methods that do not exist and numbers that make no sense; `games` are numbers of games, by name."""
    if method not in METHODS:
        raise ValueError(f'method must be "cma" or "differential_evolution", not {method!r}')
    if population is not None:
        _whole("population", population, SMALLEST_POPULATION)
    _whole("seed", seed, 0)
    if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0.0 < step < np.inf:
        raise ValueError(f"step must be a finite number above 0, not {step!r}")
    for name, value in games.items():
        _whole(name, value, 1)


def _whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}")
