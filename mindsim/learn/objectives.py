"""What a search tries to make large: a number for the games of one candidate.

Each objective is a frozen value with ``score(games) -> float``; any other object with that method will do. `games` need
only have ``won``, ``duration`` and ``levels_completed``; an objective with ``recorded = True`` is given games with
events.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from mindsim.learn.piles import in_turn
from mindsim.registry import NOT_NEGATIVE, POSITIVE, check

__all__ = ["BothPiles", "MeanLevel", "Objective", "WinRate", "WinRateWithin"]


class Objective(Protocol):
    """Anything that scores games."""

    def score(self, games: Any) -> float:
        """The larger the better."""


@dataclass(frozen=True)
class WinRate:
    """The share of games won. It can be bought with slowness: see `WinRateWithin`."""

    def score(self, games: Any) -> float:
        """The larger the better."""
        return float(games.won.mean())


@dataclass(frozen=True)
class WinRateWithin:
    """The share of games won, less a penalty for won games that last longer on average than `seconds`.

    score = share won + `levels` x share of levels completed
            - `penalty` x max(0, mean duration of won games / seconds - 1)

    Parameters
    ----------
    seconds : float
        The mean duration that won games may have, above 0.
    penalty : float
        What twice that duration costs, as a win rate; at least 0.
    levels : float
        A small reward for levels completed: it leads the way while hardly any game is won. At least 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(0.5), n_games=50, seed=1)
    >>> ms.learn.WinRateWithin(10_000.0, levels=0.0).score(games)
    1.0
    """

    seconds: float
    penalty: float = 0.5
    levels: float = 0.02

    def __post_init__(self) -> None:
        check(self, seconds=POSITIVE, penalty=NOT_NEGATIVE, levels=NOT_NEGATIVE)

    def score(self, games: Any) -> float:
        """The larger the better."""
        won = games.won
        over = max(0.0, float(games.duration[won].mean()) / self.seconds - 1.0) if won.any() else 0.0
        reached = float(games.levels_completed.mean()) / games.rules.n_levels
        return float(won.mean()) + self.levels * reached - self.penalty * over


@dataclass(frozen=True)
class MeanLevel:
    """The mean of levels completed."""

    def score(self, games: Any) -> float:
        """The larger the better."""
        return float(games.levels_completed.mean())


@dataclass(frozen=True)
class BothPiles:
    """Another objective, less a penalty for finishing one pile before the other is begun more often than by chance.

    score = score of `goal` - `penalty` x max(0, share of levels built one pile at a time - share by chance)

    For games of two tracks: The Mind Extreme does not allow it, the engine does. Shares are those of `in_turn`.

    Parameters
    ----------
    goal : objective
    penalty : float
        What it costs to do so in every level, as a win rate; at least 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.extreme(2), ms.policies.GapLinear(0.3), n_games=50, seed=1, record=True)
    >>> ms.learn.BothPiles(ms.learn.WinRate()).score(games) <= ms.learn.WinRate().score(games)
    True
    """

    goal: Any
    penalty: float = 1.0
    recorded: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check(self, penalty=NOT_NEGATIVE)
        if not callable(getattr(self.goal, "score", None)):
            raise TypeError(f"BothPiles: goal must be an objective with score(games), not {self.goal!r}")

    def score(self, games: Any) -> float:
        """The larger the better."""
        counted = in_turn(games)
        over = max(0.0, counted.share - counted.share_by_chance)
        return float(self.goal.score(games)) - self.penalty * over
