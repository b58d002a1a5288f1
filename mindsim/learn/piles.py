"""Two piles: is one finished before the other is begun, and how often do plays change piles?

The Mind Extreme does not allow one pile to be finished before the other is begun. Nothing in the engine forbids it, so
a search for win rate may come to it. Levels of few cards are often built so by chance (two cards on two piles
always), so a share says something only beside the share that a random order of the same cards gives.

What this file leaves to others: the penalty of a search is `objectives.BothPiles`.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import comb

__all__ = ["InTurn", "in_turn"]


class InTurn(NamedTuple):
    """Completed levels with plays on both piles: how many, and how many of them were built one pile at a time.

    Attributes
    ----------
    levels, in_turn : int
        All such levels; those in which the last play on one pile came before the first on the other.
    by_chance : float
        How many of them would be expected if the same plays came in any order alike.
    changes, changes_by_chance : float
        Changes from one pile to the other between two plays, in all; and as expected in the same way.
    """

    levels: int
    in_turn: int
    by_chance: float
    changes: float
    changes_by_chance: float

    @property
    def share(self) -> float:
        """The share of levels built one pile at a time; 0 if there are none."""
        return self.in_turn / self.levels if self.levels else 0.0

    @property
    def share_by_chance(self) -> float:
        """The same for random orders."""
        return self.by_chance / self.levels if self.levels else 0.0

    def __add__(self, other: Any) -> InTurn:
        """Both counts together."""
        return InTurn(*(a + b for a, b in zip(self, other, strict=True)))


def in_turn(games: Any) -> InTurn:
    """Count the completed levels of recorded games in which one pile was finished before the other was begun.

    Parameters
    ----------
    games : Games
        Of two tracks, played with ``record=True``.

    Raises
    ------
    ValueError
        If the games are of one track, or were not recorded.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.extreme(2), ms.policies.Uniform(5.0), n_games=50, seed=1, record=True)
    >>> ms.learn.in_turn(games).levels > 0
    True
    """
    if games.rules.tracks != 2:
        raise ValueError(f"games must be of two tracks, not {games.rules.tracks}")
    n_levels = games.rules.n_levels
    events = games.events
    plays = (events["event"] == "play").to_numpy()
    game = events["game"].to_numpy()[plays] - games.first_game
    level = events["level"].to_numpy()[plays]
    red = (events["colour"] == "red").to_numpy()[plays]
    done = level <= games.levels_completed[game]
    place, red = (game * n_levels + level - 1)[done], red[done]
    size = games.n_games * n_levels
    n, reds = np.bincount(place, minlength=size), np.bincount(place[red], minlength=size)
    changed = (place[1:] == place[:-1]) & (red[1:] != red[:-1])  # plays of a level stand together, in order
    changes = np.bincount(place[1:][changed], minlength=size)
    both = (reds > 0) & (reds < n)
    n, reds, changes = n[both], reds[both], changes[both]
    return InTurn(
        len(n), int((changes == 1).sum()), float((2.0 / comb(n, reds)).sum()), float(changes.sum()),
        float((2.0 * reds * (n - reds) / np.maximum(n, 1)).sum()),
    )  # fmt: skip
