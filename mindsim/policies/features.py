"""What learnable policies and star rules look at: a few numbers that sum up an observation.

The base of all is the *depth* of a card: the number of ranks on which somebody else's lower card may still lie. It is
the gap less what is publicly known: cards set aside face up, and, after a star, the ranks below the cards that players
have shown (a player whose lowest card was shown holds nothing below it). At depth 0 a card is certain to be next. Face
down nobody sees the pile grow, so depth is counted from the level's start and the wait from there too.

The other numbers are those that everybody at the table knows (hand sizes, lives, level ...), so that players who share
a policy share its schedule. Everything is computed in one compiled pass over the rows.

What this file leaves to others: what is made of the numbers, to `learnable`.
"""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindsim.elementary import log
from mindsim.jit import entry, inner
from mindsim.observation import Observation

__all__: list[str] = []

Floats = NDArray[np.float64]

FEATURES: dict[str, str] = {
    "one": "1",
    "density": "log of (10 x cards held by all / ranks left), both tracks; face down as at the level's start",
    "lives": "(lives - 3) / 2",
    "last_life": "1 with one life left",
    "two_lives": "1 with two lives left",
    "full": "1 with five lives or more: a life won now is lost at the usual cap",
    "level": "2 x level / levels - 1: about -1 in the first, 1 in the last",
    "late_lives": "lives x level, of these features",
    "last_level": "1 in the last level: lives and stars left are worth nothing after it",
    "mixed": "log of the chance that two held cards are not of one hand, over its largest value; face down 0",
    "held": "log of cards held by all / players; face down as at the level's start",
    "share": "log of (own cards x players / cards held by all); face down 0",
    "stars": "stars / 3",
    "fresh": "1 while all cards of the level are in hand",
    "depth": "log(1 + depth)",
    "expected": "log(1 + expected cards of all within the depth)",
}
NAMES = tuple(FEATURES)
_LOGS = np.log(np.maximum(np.arange(512.0), 0.05))


BLOCK = 512  # rows that are gone through several times while they stay in the processor's cache
DEPTH, OTHERS, CARDS, ROOM = range(4)  # rows of `Observation.glance`
OWN, HELD, DEALT, LEVEL, LEVELS, LIVES, STARS, FACE_DOWN = range(8)  # rows of `Observation.standing`


@entry
def _fill_mixed(hand_sizes, out):
    """The chance that two of the cards held are not of one hand, over its largest value."""
    players = hand_sizes.shape[1]
    for i in range(len(out)):
        held = squares = 0
        for q in range(players):
            held += hand_sizes[i, q]
            squares += hand_sizes[i, q] * hand_sizes[i, q]
        out[i] = max(1.0 - squares / (max(held, 1) * max(held, 1)), 0.02) / (1.0 - 1.0 / players)


@inner
def _fill(j, glance, standing, mixed, players, logs, start, column):
    """Feature j of a block of rows, the first of which is `start`: `FEATURES` says what they mean.

    Each has a loop of its own, so that several rows are gone through at once.
    """
    n = min(len(column), glance.shape[1] - start)
    depth, cards, room, stars, hidden = glance[DEPTH], glance[CARDS], glance[ROOM], standing[STARS], standing[FACE_DOWN]
    own, held, dealt = standing[OWN], standing[HELD], standing[DEALT]
    level, levels, lives = standing[LEVEL], standing[LEVELS], standing[LIVES]
    for i in range(start, start + n):
        if j == 0:
            x = 1.0
        elif j == 1:
            x = logs[10] + logs[max(cards[i], 1)] - logs[room[i]]
        elif j == 2:
            x = (lives[i] - 3.0) / 2.0
        elif j == 3:
            x = 1.0 if lives[i] == 1 else 0.0
        elif j == 4:
            x = 1.0 if lives[i] == 2 else 0.0
        elif j == 5:
            x = 1.0 if lives[i] >= 5 else 0.0
        elif j == 6:
            x = 2.0 * level[i] / levels[i] - 1.0
        elif j == 7:
            x = (lives[i] - 3.0) / 2.0 * (2.0 * level[i] / levels[i] - 1.0)
        elif j == 8:
            x = 1.0 if level[i] == levels[i] else 0.0
        elif j == 9:
            x = 0.0 if hidden[i] else log(mixed[i])
        elif j == 10:
            x = logs[max(cards[i], 1)] - logs[players]
        elif j == 11:
            x = 0.0 if hidden[i] else logs[own[i] * players] - logs[max(held[i], 1)]
        elif j == 12:
            x = stars[i] / 3.0
        elif j == 13:
            x = 1.0 if held[i] == dealt[i] else 0.0
        elif j == 14:
            x = log(1.0 + depth[i])
        else:
            x = log(1.0 + depth[i] * cards[i] / np.float64(room[i]))
        column[i - start] = x


@entry
def _weigh(glance, standing, mixed, players, logs, used, weights, column, out):
    """out[k] = sum of weights[u, k] x feature used[u], features in order."""
    for start in range(0, glance.shape[1], len(column)):
        stop = min(start + len(column), glance.shape[1])
        out[:, start:stop] = 0.0
        for u in range(len(used)):
            _fill(used[u], glance, standing, mixed, players, logs, start, column)
            for k in range(len(out)):
                if weights[u, k] != 0.0:
                    total, weight = out[k], weights[u, k]
                    for i in range(start, stop):
                        total[i] += weight * column[i - start]


class Weights:
    """Sums of features: a column of weights for each sum, a row for each feature that is looked at."""

    def __init__(self, features: tuple[str, ...], *sums: tuple[float, ...]) -> None:
        """Each of the `sums` has a weight for each feature, or for the first of them."""
        matrix = np.zeros((len(NAMES), len(sums)))
        for k, weights in enumerate(sums):
            matrix[columns(features)[: len(weights)], k] = weights
        self.used = np.flatnonzero(matrix.any(axis=1))
        self.matrix = matrix[self.used]

    def sums(self, obs: Observation) -> Floats:
        """float64[sums, rows], always added up in the same order; float64[sums, 1] if they are the same in all rows."""
        if not len(self.used) or self.used.tolist() == [0]:
            return self.matrix.sum(axis=0)[:, None].copy()
        mixed = np.zeros(0)
        if NAMES.index("mixed") in self.used:
            mixed = np.empty(obs.rows)
            _fill_mixed(obs.hand_sizes, mixed)
        out = np.empty((self.matrix.shape[1], obs.rows))
        _weigh(obs.glance, obs.standing, mixed, obs.seats, _LOGS, self.used, self.matrix, np.empty(BLOCK), out)
        return out


def columns(features: tuple[str, ...]) -> list[int]:
    """Where features stand.

    Raises
    ------
    ValueError
        If one is unknown.
    """
    unknown = [name for name in features if name not in FEATURES]
    if unknown:
        raise ValueError(f"features must be among {', '.join(NAMES)}; got {unknown[0]!r}")
    return [NAMES.index(name) for name in features]
