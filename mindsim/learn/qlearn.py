"""Learning by playing: independent Q-learners that start from nothing.

Each of two or more players keeps a table of its own, ``Q[gap, choice]``: what the team may expect when it, seeing that
gap, sets itself that wait. A choice is one of `choices` waits, `pace` seconds apart. Nobody is told what the others
hold, or intend, or how good a wait would have been: after every card each player gets the team's reward, +1 for a right
card and -1 for a mistake, and moves the entry of its own last choice towards it. Choices are epsilon-greedy;
half of the others are near the best one, half anywhere.

Learners practise with lives to spare, so that a table sees all levels from the first game on and no game's last reward
is lost; they are judged by the rules as they are. Many games are played at once by one table: the rewards that an entry
gets in one epoch are averaged.

What this file leaves to others: the engine plays the games; search over whole policies is in `search`.
"""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mindsim import rng
from mindsim.learn.seeds import HELD_OUT, TRAINING, seed_for
from mindsim.observation import Event, Observation
from mindsim.player import Player
from mindsim.policies.learnable import ByGap
from mindsim.rules import Rules
from mindsim.simulate import simulate

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Learned", "Learner", "practice", "q_learn"]

Floats = NDArray[np.float64]
GAPS = 128
_BLUR = np.array([1.0, 2.0, 3.0, 2.0, 1.0]) / 9.0
HAS_CHOSEN, GAP, CHOICE = 0, 1, 2  # columns of the memory


class Learner:
    """A policy that learns while it plays: a table of values, changed in `watch`.

    Parameters
    ----------
    choices : int
        How many waits there are to choose from.
    pace : float
        Seconds between one and the next.
    seed : int
        Starts its exploration.
    """

    memory = 3

    def __init__(self, choices: int, pace: float, seed: int) -> None:
        self.values, self.visits = np.zeros((GAPS, choices)), np.zeros((GAPS, choices))
        self.pace, self.epsilon, self.least_step, self.margin = pace, 1.0, 0.01, 0.01
        self.reach = max(1, choices // 20)
        self.generator = np.random.default_rng(seed)
        self._asked, self._known = 0, np.zeros(GAPS, np.int64)

    @property
    def choices(self) -> int:
        """How many waits there are."""
        return self.values.shape[1]

    def watch(self, obs: Observation) -> None:
        """Learn from what the last choices led to, and make the next."""
        noted = obs.memory
        happened = (obs.last_event == Event.PLAY) | (obs.last_event == Event.MISTAKE)
        learns = (noted[:, HAS_CHOSEN] > 0.0) & happened
        reward = np.where(obs.last_event[learns] == Event.MISTAKE, -1.0, 1.0)
        self._learn(noted[learns, GAP].astype(int), noted[learns, CHOICE].astype(int), reward)
        noted[:, GAP] = obs.gap
        noted[:, CHOICE] = self._choose(obs.gap)
        noted[:, HAS_CHOSEN] = (obs.card > 0) & (obs.others_cards > 0)

    def _learn(self, gap: Any, choice: Any, reward: Floats) -> None:
        """Move each entry towards the mean of its rewards: as 1/n at first, then by at least `least_step` for each."""
        cell = gap * self.choices + choice
        n = np.bincount(cell, minlength=self.values.size).reshape(self.values.shape)
        total = np.bincount(cell, reward, minlength=self.values.size).reshape(self.values.shape)
        self.visits += n
        step = np.maximum(n / np.maximum(self.visits, 1.0), 1.0 - (1.0 - self.least_step) ** n)
        self.values += np.where(n > 0, step * (total / np.maximum(n, 1.0) - self.values), 0.0)

    def _choose(self, gap: Any) -> Any:
        draw, best, n = self.generator, self._greedy()[gap], len(gap)
        anywhere = draw.integers(0, self.choices, n)
        near = np.clip(best + draw.integers(-self.reach, self.reach + 1, n), 0, self.choices - 1)
        explored = np.where(draw.random(n) < 0.5, anywhere, near)
        return np.where(draw.random(n) < self.epsilon, explored, best)

    def _greedy(self) -> Any:
        """What `best` said, asked anew every few calls: it is costly, and changes slowly."""
        if self._asked % 8 == 0:
            self._known = self.best()
        self._asked += 1
        return self._known

    def best(self) -> Any:
        """The choice of the highest value for every gap, the middle one of those that share it.

        Neighbouring waits lead to much the same, so values are averaged with their neighbours' first, and all choices
        within `margin` of the highest count as equal.
        """
        values = _blurred(self.values)
        top = values >= values.max(axis=1, keepdims=True) - self.margin
        rank = np.cumsum(top, axis=1)
        return np.argmax(rank >= (rank[:, -1:] + 1) // 2, axis=1)

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        return obs.unless_alone(self.pace * obs.memory[:, CHOICE])

    def policy(self) -> ByGap:
        """What it has learned, frozen: the best wait for each gap."""
        return ByGap(tuple((self.pace * self.best()).tolist()))


def _blurred(table: Floats) -> Floats:
    """Each entry with its two neighbours to either side, in the weights 1 2 3 2 1 (of 9)."""
    padded, n = np.pad(table, ((0, 0), (2, 2)), mode="edge"), table.shape[1]
    return np.sum([w * padded[:, i : i + n] for i, w in enumerate(_BLUR)], axis=0)


class Learned:
    """What `q_learn` found.

    Attributes
    ----------
    team : list of Player
        One per seat: independent learners need not agree.
    curve : pandas.DataFrame
        One row per round: ``round, games, epsilon, win_rate, low, high, levels_completed``, on games that nobody trains
        on.
    """

    def __init__(self, team: list[Player], learners: list[Learner], curve: pd.DataFrame) -> None:
        self.team, self.learners, self.curve = team, learners, curve


def practice(rules: Rules) -> Rules:
    """The same levels with lives to spare and no stars."""
    levels = tuple(dataclasses.replace(level, reward=None) for level in rules.levels)
    return dataclasses.replace(rules, levels=levels, lives=100, max_lives=100, stars=0)


def q_learn(
    rules: Rules,
    rounds: int = 40,
    games: int = 6_000,
    *,
    clock: Any = None,
    choices: int = 240,
    pace: float = 0.05,
    epsilon: tuple[float, float] = (1.0, 0.3),
    least_step: tuple[float, float] = (0.05, 0.005),
    seed: int = 0,
    judged: int = 2_000,
) -> Learned:
    """Let one independent learner per seat learn by playing with the others.

    Parameters
    ----------
    rules : Rules
        What they are judged by; they practise with `practice` of it.
    rounds, games : int
        Rounds, and games of practice in each.
    clock : clock, optional
        Default: exact.
    choices, pace : int, float
        The waits: 0, pace, 2 pace ... seconds.
    epsilon, least_step : pair of float
        Share of random choices, and weight of each new reward, in the first and the last round; falling
        geometrically between.
    seed : int
    judged : int
        Held-out games after each round.

    Returns
    -------
    Learned

    Examples
    --------
    >>> import mindsim as ms
    >>> learned = ms.learn.q_learn(ms.Rules.the_mind(2), rounds=2, games=20, judged=50)
    >>> len(learned.team), len(learned.curve)
    (2, 2)
    """
    import pandas as pd

    from mindsim.learn.search import figures_of

    learners = [Learner(choices, pace, _own_seed(seed, seat)) for seat in range(rules.players)]
    extra = {} if clock is None else {"clock": clock}
    table = [Player(learner, **extra) for learner in learners]
    rows, team = [], []
    for k in range(rounds):
        part = k / max(1, rounds - 1)
        for learner in learners:
            learner.epsilon, learner.least_step = _between(epsilon, part), _between(least_step, part)
        simulate(practice(rules), table, games, seed_for(TRAINING, seed, k), batch=max(1, games // 4))
        team = [Player(learner.policy(), **extra) for learner in learners]
        figures = figures_of(simulate(rules, team, judged, seed_for(HELD_OUT, seed)))
        rows.append({"round": k, "games": (k + 1) * games, "epsilon": learners[0].epsilon, **figures})
    return Learned(team, learners, pd.DataFrame(rows))


def _own_seed(seed: int, seat: int) -> int:
    return int(rng.game_key(rng.as_seed(seed), np.uint64(seat)))


def _between(ends: tuple[float, float], part: float) -> float:
    """From the first to the last, geometrically."""
    return float(ends[0] * (ends[1] / ends[0]) ** part)
