"""Conventions: do players that were trained apart understand each other?

Everybody at a table shares a policy while it is trained, so any schedule will do as long as all keep it. Players
trained from other seeds may have settled on other schedules: then a mixed table loses where each pure one wins. The
*gap* is the mean win rate of pure tables less that of mixed ones, as in the study of Hanabi players (Hu et al. 2020).

What this file leaves to others: the table of who plays with whom is `mindsim.crossplay`'s.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mindsim.learn.objectives import WinRate
from mindsim.learn.search import optimise
from mindsim.learn.seeds import HELD_OUT, seed_for
from mindsim.player import Player
from mindsim.rules import Rules
from mindsim.simulate import simulate
from mindsim.stats import bootstrap_interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Conventions", "MixedTables", "conventions", "together", "train_apart"]


class MixedTables:
    """Plays training games with varied partners: one candidate at a table of given players, each in turn.

    Give it to `optimise` as ``play=``.

    Parameters
    ----------
    partners : sequence of Player
        With each of them, and with itself, the candidate plays an equal share of the games.
    """

    def __init__(self, partners: Sequence[Player]) -> None:
        self.partners = tuple(partners)

    def __call__(self, rules: Rules, player: Player, n_games: int, seed: int) -> Any:
        """The games of all tables together."""
        from mindsim.games import Games

        tables = [player, *([player, *[p] * (rules.players - 1)] for p in self.partners)]
        share = max(1, n_games // len(tables))
        parts = [simulate(rules, t, share, seed, first_game=i * share) for i, t in enumerate(tables)]
        return Games.joined(parts)


class Conventions:
    """What `conventions` found.

    Attributes
    ----------
    players : list of Player
        One for each training seed.
    matrix : pandas.DataFrame
        Win rate of every player at a table of every other (row: one seat; column: all other seats).
    figures : dict
        ``self_play, cross_play, gap`` with ``gap_low, gap_high`` (bootstrap over the training seeds).
    """

    def __init__(self, players: list[Player], matrix: pd.DataFrame, figures: dict[str, float]) -> None:
        self.players, self.matrix, self.figures = players, matrix, figures

    def __repr__(self) -> str:
        f = self.figures
        return (
            f"<Conventions of {len(self.players)} players: self-play {f['self_play']:.3f}, cross-play "
            f"{f['cross_play']:.3f}, gap {f['gap']:.3f} ({f['gap_low']:.3f} to {f['gap_high']:.3f})>"
        )


def conventions(
    template: Any,
    rules: Rules,
    clock: Any,
    objective: Any = None,
    seeds: Sequence[int] = (0, 1, 2, 3),
    budget: int = 200_000,
    *,
    meetings: int = 4_000,
    spread: float = 0.0,
    **options: Any,
) -> Conventions:
    """Train one player for each seed, and let them play with each other.

    Parameters
    ----------
    template : Player or policy
    rules, clock, objective, budget
        As for `optimise`.
    seeds : sequence of int
        At least two.
    meetings : int
        Held-out games of every pair.
    spread : float
        How far apart the searches begin: the standard deviation, in first steps, of a random shift of the template (of
        what is free, if ``free=`` is among the options).
    **options
        For `optimise`.

    Returns
    -------
    Conventions

    Raises
    ------
    ValueError
        If there are fewer than two seeds.
    """
    if len(seeds) < 2:
        raise ValueError(f"seeds must be at least two, not {list(seeds)!r}")
    players = train_apart(template, rules, clock, objective, seeds, budget, spread=spread, **options)
    return together(players, rules, meetings, seed_for(HELD_OUT, int(seeds[0]), 1))


def train_apart(
    template: Any,
    rules: Rules,
    clock: Any,
    objective: Any = None,
    seeds: Sequence[int] = (0, 1, 2, 3),
    budget: int = 200_000,
    *,
    spread: float = 0.0,
    **options: Any,
) -> list[Player]:
    """The first half of `conventions`: a player for each seed, from searches that begin apart.

    Parameters
    ----------
    template, rules, clock, objective, seeds, budget, spread, **options
        As for `conventions`; a single seed will do.

    Returns
    -------
    list of Player
    """
    goal, players = WinRate() if objective is None else objective, []
    for seed in seeds:
        start = _shifted(template, clock, spread, seed, options.get("free"))
        players.append(optimise(start, rules, clock, goal, budget, seed=seed, **options).player)
    return players


def _shifted(template: Any, clock: Any, spread: float, seed: int, free: Any) -> Player:
    from mindsim.learn.space import Space
    from mindsim.player import as_player

    space = Space(dataclasses.replace(as_player(template), clock=clock), free)
    shift = np.random.default_rng([seed, 1]).normal(0.0, 1.0, len(space))
    return space.player(space.start + spread * shift)


def together(players: Sequence[Player], rules: Rules, n_games: int, seed: int) -> Conventions:
    """Let given players play with each other: one seat for each row, all other seats for each column."""
    import pandas as pd

    n = len(players)
    rates = np.zeros((n, n))
    for i, one in enumerate(players):
        for j, other in enumerate(players):
            table = one if i == j else [one, *[other] * (rules.players - 1)]
            rates[i, j] = simulate(rules, table, n_games, seed).won.mean()
    return Conventions(list(players), pd.DataFrame(rates), _figures(rates))


def _figures(rates: Any) -> dict[str, float]:
    n = len(rates)
    crossed = np.array([(rates[i].sum() - rates[i, i]) / (n - 1) for i in range(n)])
    gaps = np.diag(rates) - (crossed + np.array([(rates[:, j].sum() - rates[j, j]) / (n - 1) for j in range(n)])) / 2
    gap = bootstrap_interval(gaps, seed=0) if n > 2 else (float(gaps.mean()),) * 3
    return {
        "self_play": float(np.diag(rates).mean()), "cross_play": float(crossed.mean()), "gap": float(gap[0]),
        "gap_low": float(gap[1]), "gap_high": float(gap[2]),
    }  # fmt: skip
