"""Whole games of one face-up track in one compiled loop, so that searches over `LogLinear` take minutes.

`mindsim.simulate` stays the judge of everything that is reported. This surrogate plays by the same rules but draws
other numbers, and knows only teams with `LogLinear` policies of one player or of several (without the features that
differ between players), one `Score` for all or no stars, and one `Scalar` clock. ``python learned_fast.py`` compares
the two.

`play` is meant for ``mindsim.learn.optimise(..., play=play)``.
"""
from __future__ import annotations

# ruff: noqa: NPY002  compiled code has the legacy generator only
import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

import mindsim as ms
from mindsim.policies.features import NAMES, columns

SHARED = 14  # features before `depth` and `expected`, which are the card's own
_fast = njit(cache=True, fastmath=True, error_model="numpy")


class Setting(NamedTuple):
    """What the loop needs of the rules and the clock."""

    players: int
    cards: Any
    reward: Any
    lives: int
    stars: int
    max_lives: int
    max_stars: int
    weber: float
    floor: float


class Table(NamedTuple):
    """One level's state: hands, ascending; how many cards are left in each and where they begin; what was shown."""

    hands: Any
    sizes: Any
    first: Any
    floors: Any
    seen: Any


class Played(NamedTuple):
    """What an objective reads."""

    won: Any
    duration: Any
    levels_completed: Any
    rules: Any


@_fast
def _deal(order, players, cards, hands):
    for i in range(players * cards):
        j = i + np.random.randint(0, 100 - i)
        order[i], order[j] = order[j], order[i]
    for p in range(players):
        for c in range(cards):
            x, k = order[p * cards + c] + 1, c
            while k > 0 and hands[p, k - 1] > x:
                hands[p, k] = hands[p, k - 1]
                k -= 1
            hands[p, k] = x


@_fast
def _show(t, p):
    """The player's lowest card leaves its hand, face up."""
    card = t.hands[p, t.first[p]]
    t.seen[card] = True
    t.floors[p] = max(t.floors[p], card)
    t.first[p] += 1
    t.sizes[p] -= 1
    return card


@_fast
def _edge(t, top):
    """Up to which rank at most one player may hold cards, and how many shown ranks lie between the top and there."""
    low = second = 1 << 20
    for q in range(len(t.sizes)):
        if t.sizes[q] > 0:
            floor = max(t.floors[q], top)
            if floor < low:
                low, second = floor, low
            elif floor < second:
                second = floor
    shown = 0
    for floor in t.floors:
        shown += top < floor <= second
    return second, shown


@_fast
def _look(t, top, lives, stars, level, s, starred, f):
    """The shared features; returns how many players hold cards, and cards per rank left."""
    held = squares = holders = above = 0
    for n in t.sizes:
        held += n
        squares += n * n
        holders += n > 0
    if starred:
        for r in range(top + 1, 101):
            above += t.seen[r]
    left = 100 - top - above
    alive, stage = (lives - 3.0) / 2.0, 2.0 * (level + 1) / len(s.cards) - 1.0
    f[0], f[1], f[2] = 1.0, math.log(10.0 * held / left), alive
    f[3], f[4], f[5] = 1.0 * (lives == 1), 1.0 * (lives == 2), 1.0 * (lives >= 5)
    f[6], f[7], f[8] = stage, alive * stage, 1.0 * (level == len(s.cards) - 1)
    f[9] = math.log(max(1.0 - squares / (held * held), 0.02) / (1.0 - 1.0 / s.players))
    f[10], f[11], f[12] = math.log(held / s.players), 0.0, stars / 3.0
    f[13] = 1.0 * (held == s.players * s.cards[level])
    return holders, held / left


@_fast
def _depth(t, p, top, edge, shown, starred):
    card = t.hands[p, t.first[p]]
    if card <= edge:
        return 0
    below = card - 1 - top
    if starred:
        for r in range(top + 1, card):
            below -= t.seen[r]
    return max(below - (edge - top) + shown, 0)


@_fast
def _three(f, matrix):
    """Log scale, exponent and shift of a schedule."""
    scale = power = shift = 0.0
    for j in range(SHARED):
        scale += f[j] * matrix[j, 0]
        power += f[j] * matrix[j, 1]
        shift += f[j] * matrix[j, 2]
    return scale, math.exp(min(max(power, -3.0), 2.5)), math.exp(min(max(shift, -6.0), 4.0))


@_fast
def _level(t, level, lives, stars, s, matrix, score, since, rate, f):
    """Play a level; returns lives and stars left, and the seconds it took."""
    top, clock, starred = 0, 0.0, False
    while True:
        if t.sizes.sum() == 0:
            return lives, stars, clock
        holders, spacing = _look(t, top, lives, stars, level, s, starred, f)
        if holders == 1:  # plays all it has at once
            return lives, stars, clock
        raising, same = 0.0, len(matrix) == 1
        for j in range(SHARED):
            raising += f[j] * score[j]
        scale, power, shift = _three(f, matrix[0])
        edge, shown = _edge(t, top) if starred else (top, 0)
        best, when, hand = -1, np.inf, np.inf
        for p in range(s.players):
            if t.sizes[p] == 0:
                continue
            depth, wait = _depth(t, p, top, edge, shown, starred), 0.0
            if not same:
                scale, power, shift = _three(f, matrix[p])
            if depth > 0:
                log_wait = scale + power * math.log((depth * spacing + shift) / (1.0 + shift))
                wait = max(math.exp(min(log_wait, 11.0)) - since[p], 0.0)
                own = score[14] * math.log(1.0 + depth) + score[15] * math.log(1.0 + depth * spacing)
                if stars > 0 and raising + own > 0.0:
                    hand = min(hand, max(s.floor * np.random.normal(), 0.0))
            rate[p] = max(1.0 + s.weber * np.random.normal(), 0.01)
            moment = max(wait * rate[p] + s.floor * np.random.normal(), 0.0)
            if moment < when or (moment == when and np.random.random() < 0.5):
                best, when = p, moment
        if hand <= when:
            clock, stars, starred = clock + hand, stars - 1, True
            for p in range(s.players):
                if t.sizes[p] > 0:
                    since[p] += hand / rate[p]
                    _show(t, p)
            continue
        clock, top, wrong = clock + when, _show(t, best), False
        since[:] = 0.0
        for p in range(s.players):
            while t.sizes[p] > 0 and t.hands[p, t.first[p]] < top:
                _show(t, p)
                wrong = True
        if wrong:
            lives -= 1
            if lives == 0:
                return lives, stars, clock


@_fast
def _games(s, matrix, score, seeds, won, duration, completed):
    players, n_levels = s.players, len(s.cards)
    deals, order = np.zeros((n_levels, players, 16), np.int64), np.arange(100)
    since, rate, f = np.zeros(players), np.zeros(players), np.zeros(SHARED)
    t = Table(
        np.zeros((players, 16), np.int64), np.zeros(players, np.int64), np.zeros(players, np.int64),
        np.zeros(players, np.int64), np.zeros(128, np.bool_),
    )  # fmt: skip
    for g in range(len(seeds)):
        np.random.seed(seeds[g])  # all hands first: every candidate meets the same
        for level in range(n_levels):
            _deal(order, players, s.cards[level], deals[level])
        lives, stars, clock, level = s.lives, s.stars, 0.0, 0
        while level < n_levels and lives > 0:
            t.hands[:], t.sizes[:], t.first[:], t.floors[:], t.seen[:] = deals[level], s.cards[level], 0, 0, False
            since[:] = 0.0
            lives, stars, seconds = _level(t, level, lives, stars, s, matrix, score, since, rate, f)
            clock += seconds
            if lives > 0:
                if s.reward[level] == 1:
                    lives = min(lives + 1, s.max_lives)
                elif s.reward[level] == 2:
                    stars = min(stars + 1, s.max_stars)
                level += 1
        won[g], duration[g], completed[g] = lives > 0, clock, level


def setting(rules: ms.Rules, clock: Any) -> Setting:
    """The rules and the clock as the loop reads them."""
    kinds = {None: 0, "life": 1, "star": 2}
    cards = np.array([level.cards for level in rules.levels])
    reward = np.array([kinds[level.reward] for level in rules.levels])
    return Setting(
        rules.players, cards, reward, rules.lives, rules.stars, rules.max_lives, rules.max_stars, float(clock.weber),
        float(clock.floor),
    )  # fmt: skip


def _matrix(policy: ms.learn.LogLinear) -> Any:
    """float64[features, 3]: every feature's weight in log scale, exponent and shift."""
    matrix = np.zeros((len(NAMES), 3))
    for k, weights in enumerate((policy.scale, policy.exponent, policy.shift)):
        matrix[columns(policy.features)[: len(weights)], k] = weights
    return matrix


def play(rules: ms.Rules, team: Any, n_games: int, seed: int) -> Played:
    """Training games of a player at every seat, or of a team of one player for each seat."""
    seats = list(team) if isinstance(team, (list, tuple)) else [team]
    unknown = any("share" in player.policy.features for player in seats)
    if unknown or any(any(level.hidden(rules.tracks)) for level in rules.levels):
        raise ValueError("learned_fast plays one face-up track, and knows no feature 'share'")
    score, first = np.zeros(len(NAMES)), seats[0]
    if isinstance(first.stars, ms.learn.Score):
        score[columns(first.stars.features)] = first.stars.weights
    seeds = np.random.default_rng(seed).integers(0, 2**32, n_games)
    won, duration, completed = np.zeros(n_games, np.bool_), np.zeros(n_games), np.zeros(n_games, np.int64)
    matrices = np.array([_matrix(player.policy) for player in seats])
    _games(setting(rules, first.clock), matrices, score, seeds, won, duration, completed)
    return Played(won, duration, completed, rules)


class Beside:
    """Training games of a candidate with itself and, in equal shares, beside others: for ``optimise(play=...)``.

    Parameters
    ----------
    partners : sequence of LogLinear
        Or of numbers: then the candidate's own schedule, with all waits longer by that factor.
    """

    def __init__(self, partners: Any) -> None:
        self.partners = tuple(partners)

    def __call__(self, rules: ms.Rules, player: ms.Player, n_games: int, seed: int) -> Played:
        """The games of all tables together."""
        tables = [player, *([player, *[self._partner(p, player)] * (rules.players - 1)] for p in self.partners)]
        share = max(1, n_games // len(tables))
        parts = [play(rules, table, share, seed + i) for i, table in enumerate(tables)]
        return Played(*(np.concatenate([part[k] for part in parts]) for k in range(3)), rules)

    @staticmethod
    def _partner(partner: Any, player: ms.Player) -> ms.Player:
        if isinstance(partner, float):
            first, *rest = player.policy.scale
            partner = dataclasses.replace(player.policy, scale=(first + math.log(partner), *rest))
        return dataclasses.replace(player, policy=partner)


def main() -> None:
    """Compare the loop with the engine."""
    clock = ms.clocks.Scalar(0.14, 0.05)
    policy = ms.learn.LogLinear(("one", "last_life"), (0.4, 1.0), (0.7,), (-1.2,))
    player = ms.Player(policy, stars=ms.learn.Score(("one", "last_level"), (-1.0, 2.0)), clock=clock)
    for players in (2, 3, 4):
        rules = ms.Rules.the_mind(players)
        for name, games in (
            ("loop", play(rules, player, 10_000, 1)), ("engine", ms.simulate(rules, player, 10_000, seed=1)),
        ):  # fmt: skip
            print(players, name, f"won {games.won.mean():.4f}, won games {games.duration[games.won].mean():.1f} s")


if __name__ == "__main__":
    main()
