"""`optimise`: let a search change the numbers of a player until it scores well, and judge the outcome on new games.

What this file leaves to others: the generations, their deals and the store are in `loop`, the searches in `evolve`,
what may change in `space`, scores in `objectives`.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindsim import registry
from mindsim.learn.evolve import Vector, searcher
from mindsim.learn.loop import Loop, check_search
from mindsim.learn.objectives import WinRate
from mindsim.learn.seeds import HELD_OUT, seed_for
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
        Default: `WinRate`. See `objectives`. With ``recorded = True`` its games are played with events.
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
    _check(rules, objective)
    check_search(method, seed, population, step, budget=budget, n_games=n_games, held_out=held_out)
    space = Space(start, free)
    search = searcher(method, space.start, seed, population, step)
    generations = max(1, budget // (search.population * n_games))
    plan = Plan(
        rules, WinRate() if objective is None else objective, method, seed, n_games, search.population, generations,
        held_out, step,
    )  # fmt: skip
    loop = Loop(space.start, search, _manifest(plan, space), seed, n_games, generations, store)
    loop.play(_Playing(_usual(plan.objective) if play is None else play, space, plan), n_jobs, progress)
    return _judged(loop, space, plan)


def simulate_one(rules: Rules, player: Player, n_games: int, seed: int) -> Any:
    """Play training games in this process."""
    return simulate(rules, player, n_games, seed)


def simulate_recorded(rules: Rules, player: Player, n_games: int, seed: int) -> Any:
    """The same with events."""
    return simulate(rules, player, n_games, seed, record=True)


def _usual(objective: Any) -> Play:
    """How games for an objective are played."""
    return simulate_recorded if getattr(objective, "recorded", False) else simulate_one


class _Playing:
    """Scores one candidate in training: what a worker is sent."""

    def __init__(self, play: Play, space: Space, plan: Plan) -> None:
        self.how, self.space, self.plan = play, space, plan

    def __call__(self, x: Vector, seed: int) -> float:
        games = self.how(self.plan.rules, self.space.player(x), self.plan.n_games, seed)
        return float(self.plan.objective.score(games))


def _manifest(plan: Plan, space: Space) -> dict[str, Any]:
    """What decides the outcome."""
    found = {f.name: getattr(plan, f.name) for f in dataclasses.fields(plan)}
    rules = dataclasses.asdict(found.pop("rules"))
    found["objective"] = registry.to_json(found["objective"])
    return {**found, "rules": rules, "template": registry.to_json(space.template)}


def _judged(loop: Loop, space: Space, plan: Plan) -> Tuned:
    """Choose, judge on held-out games, and write the result."""
    n, play = max(1, plan.held_out // 2), _usual(plan.objective)
    x = loop.chosen(lambda v, seed: plan.objective.score(play(plan.rules, space.player(v), n, seed)))
    player, seed = space.player(x), seed_for(HELD_OUT, plan.seed)
    figures = figures_of(play(plan.rules, player, plan.held_out, seed), plan.objective)
    manifest = {**_manifest(plan, space), "player": registry.to_json(player), "held_out_figures": figures}
    return Tuned(player, figures, loop.close(manifest), manifest)


def _check(rules: Any, objective: Any) -> None:
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules value such as Rules.the_mind(3), not {rules!r}")
    if objective is not None and not callable(getattr(objective, "score", None)):
        raise TypeError(f"objective must have a method score(games), as WinRate() has; got {objective!r}")
