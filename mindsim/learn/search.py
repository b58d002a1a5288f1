"""`optimise`: let a search change the numbers of a player until it scores well, and judge the outcome on new games.

Every generation all candidates play the same deals (one seed), the next generation others. Which candidate is kept is
decided on a second stream of seeds, and the figure that is reported comes from a third (see `seeds`). After every
generation the whole state is written to the store, so a run killed at any moment goes on where it was
and ends the same.

What this file leaves to others: the searches are in `evolve`, what may change in `space`, scores in `objectives`.
"""
from __future__ import annotations

import dataclasses
import io
import json
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mindsim import registry
from mindsim.files import StoreError, write_json, write_whole
from mindsim.learn.evolve import METHODS, searcher
from mindsim.learn.objectives import WinRate
from mindsim.learn.seeds import CHOOSING, HELD_OUT, TRAINING, seed_for
from mindsim.learn.space import Space
from mindsim.player import Player, as_player
from mindsim.rules import Rules
from mindsim.simulate import simulate

if TYPE_CHECKING:
    import pandas as pd

Play = Callable[[Rules, Player, int, int], Any]


@dataclasses.dataclass(frozen=True)
class Plan:
    """All that decides the outcome of a search besides its template: two runs of one plan end the same."""

    rules: Rules
    objective: Any
    method: str
    seed: int
    n_games: int
    population: int
    generations: int
    held_out: int
    step: float


class Tuned:
    """What a search found.

    Attributes
    ----------
    player : Player
        The one kept.
    figures : dict
        Its held-out result: ``n_games, seed, wins, win_rate, low, high, seconds`` (mean duration of won games)``,
        levels_completed, score``.
    trace : pandas.DataFrame
        One row per generation: ``generation, games`` (played so far)``, value, median`` (the best and
        the median score).
    manifest : dict
        The plan, the template and the figures, ready for JSON.
    """

    def __init__(self, player: Player, figures: dict[str, Any], trace: pd.DataFrame, manifest: dict[str, Any]) -> None:
        self.player, self.figures, self.trace, self.manifest = player, figures, trace, manifest

    def plot(self, **options: Any) -> Any:
        """The best score of every generation (`plots.trace`)."""
        from mindsim import plots

        return plots.trace(self.trace, **options)

    def __repr__(self) -> str:
        f = self.figures
        return (
            f"<Tuned: held-out win rate {f['win_rate']:.4f} ({f['low']:.4f} to {f['high']:.4f}), "
            f"won games {f['seconds']:.1f} s>\n{self.player}"
        )


def figures_of(games: Any, objective: Any = None) -> dict[str, Any]:
    """The figures of a batch of games with the Wilson interval of the win rate; numbers as JSON knows them.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(0.05), n_games=100, seed=7)
    >>> ms.learn.figures_of(games)["wins"]
    100
    """
    from mindsim.stats import share

    n, wins = len(games.won), int(games.won.sum())
    rate = share(wins, n)
    found = {
        "n_games": n, "seed": int(games.seed), "wins": wins, "win_rate": wins / n, "low": float(rate.low),
        "high": float(rate.high), "seconds": float(games.duration[games.won].mean()) if wins else None,
        "levels_completed": float(games.levels_completed.mean()),
    }  # fmt: skip
    return found if objective is None else {**found, "score": float(objective.score(games))}


def optimise(
    template: Any,
    rules: Rules,
    clock: Any = None,
    objective: Any = None,
    budget: int = 1_000_000,
    *,
    method: str = "cma",
    seed: int = 0,
    n_jobs: int = 1,
    store: str | Path | None = None,
    progress: bool = False,
    n_games: int = 1_000,
    population: int | None = None,
    held_out: int = 20_000,
    free: Iterable[str] | None = None,
    step: float = 1.0,
    play: Play | None = None,
) -> Tuned:
    """Search for a player's best numbers.

    Parameters
    ----------
    template : Player or policy
        Where the search begins, and what is not searched. It sits in every seat.
    rules : Rules
    clock : clock, optional
        Everybody's clock; default: the template's.
    objective : object with ``score(games)``, optional
        Default: `WinRate`. See `objectives`.
    budget : int
        Games to play in training, over all candidates.
    method : {"cma", "differential_evolution"}
    seed : int
        Starts the search and its deals.
    n_jobs : int
        Processes, as in joblib.
    store : path, optional
        A directory for the state after every generation, the trace and the result. An interrupted search goes on.
    progress : bool
        Show a progress bar.
    n_games : int
        Games a candidate plays in each generation.
    population : int, optional
        Candidates a generation; default: as the method thinks fit.
    held_out : int
        Games of the final figure; choosing among candidates takes half as many of its own.
    free : iterable of str, optional
        Fields to change, such as ``"policy.pace"``; see `Space`.
    step : float
        Length of the first steps, 1: as each field suggests.
    play : function of (rules, player, n_games, seed), optional
        Plays the training games; default: `simulate`. Choosing and the final figure always use `simulate`.

    Returns
    -------
    Tuned

    Raises
    ------
    TypeError, ValueError
        If an argument makes no sense, or the store is of another search (`StoreError`).

    Examples
    --------
    >>> import mindsim as ms
    >>> tuned = ms.learn.optimise(ms.policies.GapPower(0.05, 1.0), ms.Rules(2, [ms.Level(2)], lives=1, stars=0),
    ...                           ms.clocks.Scalar(0.14, 0.05), budget=3_000, n_games=100, held_out=500, seed=1)
    >>> len(tuned.trace) > 1
    True
    """
    start = as_player(template) if clock is None else dataclasses.replace(as_player(template), clock=clock)
    _check(rules, method, budget, n_games, held_out, population)
    space = Space(start, free)
    search = searcher(method, space.start, seed, population, step)
    generations = max(1, budget // (search.population * n_games))
    plan = Plan(
        rules, WinRate() if objective is None else objective, method, seed, n_games, search.population, generations,
        held_out, step,
    )  # fmt: skip
    run = _Run(space, search, plan, Path(store) if store is not None else None)
    run.play(_Playing(simulate_one if play is None else play, plan), n_jobs, progress)
    return run.result()


def simulate_one(rules: Rules, player: Player, n_games: int, seed: int) -> Any:
    """Play training games in this process."""
    return simulate(rules, player, n_games, seed)


class _Playing:
    """Scores one candidate: what a worker is sent."""

    def __init__(self, play: Play, plan: Plan) -> None:
        self.how, self.plan = play, plan

    def loss(self, player: Player, seed: int) -> float:
        return -float(self.plan.objective.score(self.how(self.plan.rules, player, self.plan.n_games, seed)))


class _Run:
    """A search under way: its state can be put down after every generation, and taken up again."""

    def __init__(self, space: Space, search: Any, plan: Plan, store: Path | None) -> None:
        self.space, self.search, self.plan, self.store = space, search, plan, store
        self.rows: list[dict[str, Any]] = []
        self.kept: list[Any] = [space.start]
        if store is not None:
            self._open(store)

    # --- the store -------------------------------------------------------------------------------
    def _open(self, store: Path) -> None:
        path, mine = store / "manifest.json", json.loads(json.dumps(self.manifest()))
        if path.exists():
            theirs = json.loads(path.read_text())
            differing = sorted(k for k in mine if theirs.get(k) != mine[k])
            if differing:
                raise StoreError(f"{store} holds another search: {differing[0]} differs; choose another store")
        else:
            write_json(path, mine)
        state = store / "state.pickle"
        if state.exists():
            self.search, self.rows, self.kept = pickle.loads(state.read_bytes())

    def manifest(self) -> dict[str, Any]:
        """What decides the outcome."""
        plan = {f.name: getattr(self.plan, f.name) for f in dataclasses.fields(self.plan)}
        rules = dataclasses.asdict(plan.pop("rules"))
        plan["objective"] = registry.to_json(plan["objective"])
        return {**plan, "rules": rules, "template": registry.to_json(self.space.template)}

    def _save(self) -> None:
        if self.store is not None:
            state = pickle.dumps((self.search, self.rows, self.kept))
            write_whole(self.store / "state.pickle", lambda file: file.write(state))

    # --- searching -------------------------------------------------------------------------------
    def play(self, playing: _Playing, n_jobs: int, progress: bool) -> None:
        """All generations that are still to come."""
        from joblib import Parallel
        from tqdm.auto import tqdm

        todo = range(len(self.rows), self.plan.generations)
        with Parallel(n_jobs=n_jobs) as workers:
            for generation in tqdm(todo, disable=not progress, desc="optimise", unit="generation"):
                self._generation(generation, playing, workers)
                self._save()

    def _generation(self, k: int, playing: _Playing, workers: Any) -> None:
        from joblib import delayed

        seed = seed_for(TRAINING, self.plan.seed, k)
        asked = self.search.ask()
        losses = np.array(workers(delayed(playing.loss)(self.space.player(x), seed) for x in asked))
        self.search.tell(asked, losses.tolist())
        games = (k + 1) * len(asked) * self.plan.n_games
        self.rows.append(
            {"generation": k, "games": games, "value": -float(losses.min()), "median": -float(np.median(losses))}
        )
        last = k == self.plan.generations - 1
        if last or (k + 1) % max(1, self.plan.generations // 3) == 0:
            self.kept.append(self.search.favourite)
        if last:
            self.kept.append(asked[int(losses.argmin())])

    # --- judging ---------------------------------------------------------------------------------
    def _chosen(self) -> Player:
        """The best of the start, some favourites on the way, and the last generation's best, on games of their own."""
        seed, n = seed_for(CHOOSING, self.plan.seed), max(1, self.plan.held_out // 2)
        players = [self.space.player(x) for x in self.kept]
        scores = [self.plan.objective.score(simulate(self.plan.rules, p, n, seed)) for p in players]
        return players[int(np.argmax(scores))]

    def result(self) -> Tuned:
        """Choose, judge on held-out games, and write the result."""
        import pandas as pd

        player = self._chosen()
        seed = seed_for(HELD_OUT, self.plan.seed)
        figures = figures_of(simulate(self.plan.rules, player, self.plan.held_out, seed), self.plan.objective)
        manifest = {**self.manifest(), "player": registry.to_json(player), "held_out_figures": figures}
        trace = pd.DataFrame(self.rows)
        if self.store is not None:
            text = io.StringIO()
            trace.to_csv(text, index=False, lineterminator="\n")
            write_whole(self.store / "trace.csv", lambda file: file.write(text.getvalue().encode()))
            write_json(self.store / "result.json", manifest)
        return Tuned(player, figures, trace, manifest)


def _check(rules: Any, method: Any, budget: Any, n_games: Any, held_out: Any, population: Any) -> None:
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules value such as Rules.the_mind(3), not {rules!r}")
    if method not in METHODS:
        raise ValueError(f'method must be "cma" or "differential_evolution", not {method!r}')
    for name, value in (("budget", budget), ("n_games", n_games), ("held_out", held_out), ("population", population)):
        if name == "population" and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise ValueError(f"{name} must be an integer of at least 1, not {value!r}")
