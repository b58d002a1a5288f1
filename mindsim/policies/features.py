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

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from mindsim.jit import entry
from mindsim.observation import Observation

__all__: list[str] = []

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


@njit
def _second_lowest(floors, sizes, top, hidden):
    """The rank up to which at most one player may hold cards: the second-lowest of the players' floors."""
    lowest = second = 1 << 20
    for q in range(len(floors)):
        if sizes[q] > 0 or hidden:
            floor = max(floors[q], top)
            if floor < lowest:
                lowest, second = floor, lowest
            elif floor < second:
                second = floor
    return second if second < (1 << 20) else top


@njit
def _depth(card, top, below, floors, sizes, hidden):
    """Ranks on which somebody else's lower card may lie."""
    start = 0 if hidden else top
    edge = _second_lowest(floors, sizes, start, hidden)
    if card <= edge:
        return 0.0
    if hidden:
        return float(card - 1 - edge)
    shown = 0
    for floor in floors:
        if top < floor <= edge:
            shown += 1
    return float(max(below - (edge - top) + shown, 0))


@entry
def _fill(card, top, below, unseen, unseen_all, sizes, floors, level_cards, ranks, level, n_levels, lives, stars,
          hidden, logs, depth, out):  # fmt: skip
    players = sizes.shape[1]
    for i in range(len(card)):
        own, held, squares = sizes[i, 0], 0, 0
        for q in range(players):
            held += sizes[i, q]
            squares += sizes[i, q] * sizes[i, q]
        dealt = players * level_cards[i]
        left = unseen_all[i] + own
        n = max(held, 1)
        mixed = max(1.0 - squares / (n * n), 0.02) / (1.0 - 1.0 / players)
        share = logs[own * players] - logs[n]
        if hidden[i]:
            n, left = dealt, ranks[i] if unseen_all[i] == unseen[i] else 2 * ranks[i]
            mixed, share = 1.0, 0.0
        depth[i] = _depth(card[i], top[i], below[i], floors[i], sizes[i], hidden[i]) if card[i] > 0 else 0.0
        alive, stage = (lives[i] - 3.0) / 2.0, 2.0 * level[i] / n_levels[i] - 1.0
        row = out[i]
        row[0] = 1.0
        row[1] = logs[10] + logs[n] - logs[max(left, 1)]
        row[2] = alive
        row[3] = 1.0 if lives[i] == 1 else 0.0
        row[4] = 1.0 if lives[i] == 2 else 0.0
        row[5] = 1.0 if lives[i] >= 5 else 0.0
        row[6] = stage
        row[7] = alive * stage
        row[8] = 1.0 if level[i] == n_levels[i] else 0.0
        row[9] = math.log(mixed)
        row[10] = logs[n] - logs[players]
        row[11] = share
        row[12] = stars[i] / 3.0
        row[13] = 1.0 if held == dealt else 0.0
        row[14] = math.log(1.0 + depth[i])
        row[15] = math.log(1.0 + depth[i] * n / max(left, 1))


def look(obs: Observation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The depth of every row's card, and all features, float64[rows, len(FEATURES)]."""
    depth, out = np.empty(obs.rows), np.empty((obs.rows, len(NAMES)))
    _fill(
        obs.card, obs.top, obs.unseen_below, obs.unseen, obs.unseen_all, obs.hand_sizes, obs.floors, obs.level_cards,
        obs.ranks, obs.level, obs.n_levels, obs.lives, obs.stars, obs.face_down, _LOGS, depth, out,
    )  # fmt: skip
    return depth, out


@entry
def _weighted(rows, weights, out):
    for i in range(len(rows)):
        for k in range(weights.shape[1]):
            total = 0.0
            for j in range(weights.shape[0]):
                total += rows[i, j] * weights[j, k]
            out[i, k] = total


def weighted(rows: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix product, summed in one order whatever the number of rows (BLAS takes another for few rows)."""
    out = np.empty((len(rows), weights.shape[1]))
    _weighted(np.ascontiguousarray(rows), weights, out)
    return out


def spacing(seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cards of all expected on one rank."""
    return 0.1 * np.exp(seen[:, 1])


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
