"""Learners at the engine's table: their seats hold a `Puppet` that gives the answers which `step` was handed.

`Table` is what all environments share. It owns a `simulate.Batch`, the only game loop; it says which rows are the
learners', hands decisions on, and finds out what a step brought: levels, lives, seconds, ends.

What this file leaves to others: the form of actions and observations (`actions`, `observations`), each interface's
conventions (`parallel`, `single`, `batch`).
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindsim import rng
from mindsim.env.actions import Decisions, Situation
from mindsim.games import empty_results
from mindsim.observation import Observation, View
from mindsim.player import Player
from mindsim.rules import Rules
from mindsim.simulate import Batch
from mindsim.state import N_CAUSES, PLAYING, WON

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
ENDLESS = 2**62  # games


class Puppet:
    """Policy, stars and stops of all learners: answers what it has been told, place by place."""

    def __init__(self, slots: int, rules: Rules) -> None:
        self.players, self.tracks = rules.players, rules.tracks
        self.waits = np.full((slots, rules.players, rules.tracks), np.inf)
        self.hands = np.full((slots, rules.players), np.inf)
        self.stops = np.full((slots, rules.players), np.inf)
        self.consents = np.ones((slots, rules.players), np.bool_)

    def take(self, decisions: Decisions, seats: Any) -> None:
        """Remember what the learners in these seats have decided."""
        shape = (len(self.waits), len(seats))
        self.waits[:, seats] = decisions.waits.reshape(*shape, self.tracks)
        if decisions.hands is not None and decisions.consents is not None:
            self.hands[:, seats] = decisions.hands.reshape(shape)
            self.consents[:, seats] = decisions.consents.reshape(shape)
        if decisions.stops is not None:
            self.stops[:, seats] = decisions.stops.reshape(shape)

    def wait(self, obs: Any) -> Floats:
        """The waits of the cards asked about: every game of a table is live until all are over."""
        waits: Floats = self.waits.take(obs._at)
        return waits

    def raise_hand(self, obs: Observation) -> Floats:
        """Seconds until a hand goes up."""
        hands: Floats = self.hands[obs._slot, obs._player]
        return hands

    def consent(self, obs: Observation) -> Bools:
        """The consent given beforehand."""
        consents: Bools = self.consents[obs._slot, obs._player]
        return consents

    def call(self, obs: Observation) -> Floats:
        """Seconds until stop is called."""
        stops: Floats = self.stops[obs._slot, obs._player]
        return stops

    def __repr__(self) -> str:
        return "the learner"


class Step(NamedTuple):
    """What one step brought, one entry per game."""

    ended: Bools
    outcome: NDArray[np.int8]  # of ended games, else -1
    levels: Ints  # levels completed: 0 or 1
    lives_lost: Ints
    lives_left: Ints  # of ended games
    seconds: Floats  # true seconds, refocusing included
    game: Ints  # number of the game that was played
    entry: Ints  # of ended games: where their results are

    @property
    def won(self) -> Bools:
        """Which games ended in a win."""
        won: Bools = self.outcome == WON
        return won


class Table:
    """Games with learners in some of the seats.

    Parameters
    ----------
    rules : Rules
    team : list of Player or None
        None where a learner sits.
    puppet : Puppet
    learners : sequence of Player
        The players that sit there, one per learner: their minds are the puppet.
    seed : int
    games : range
        Which games are played; more than `slots` follow on one another without end.
    slots : int
        How many are advanced together.
    """

    def __init__(
        self, rules: Rules, team: Sequence[Player | None], puppet: Puppet, learners: Sequence[Player], seed: int,
        games: range, slots: int,
    ) -> None:  # fmt: skip
        self.rules, self.puppet, self.slots = rules, puppet, slots
        self.seats = np.array([seat for seat, player in enumerate(team) if player is None], np.int64)
        sitting = iter(learners)
        whole = [next(sitting) if player is None else player for player in team]
        room = empty_results(4 * slots if len(games) > slots else slots, rules.n_levels)
        self.batch = Batch(rules, whole, seed, games, slots, results=room)
        self.records = self.batch.records
        self.view = View(self.records, rules.players, rules.tracks, rules.ranks, self.batch.book.cards)
        self._slot = np.repeat(np.arange(slots, dtype=np.int32), len(self.seats))
        self._player = np.tile(self.seats, slots)
        places = [(self._player * rules.tracks + t).astype(np.uint8) for t in range(rules.tracks)]
        self._places = places
        self._look()

    @property
    def rows(self) -> int:
        """Learners at all games together."""
        return len(self._slot)

    def observe(self) -> list[Observation]:
        """What the learners know now: one observation per track, with one row per learner, game by game."""
        return [Observation(self.view, self._slot, place, rng.WATCH) for place in self._places]

    def situation(self, seen: Sequence[Observation]) -> Situation:
        """What masks depend on."""
        return Situation(
            holds=np.stack([obs.card > 0 for obs in seen], axis=1),
            alone=seen[0].alone,
            has_star=seen[0].stars > 0,
            may_stop=seen[0].stops_here < self.rules.max_stops,
        )

    def step(self, decisions: Decisions) -> Step:
        """Let one epoch pass in every game."""
        self.puppet.take(decisions, self.seats)
        self._keep_room()
        self.batch.epoch()
        return self._account()

    # --- accounts --------------------------------------------------------------------------------
    def _look(self) -> None:
        """Note how the games stand before a step."""
        records = self.records
        self._game, self._duration = records["game"].copy(), records["duration"].copy()
        self._level = records["level"].astype(np.int64)
        self._mistakes = np.zeros(self.slots, np.int64)
        for cause in range(N_CAUSES):  # faster than a sum over a short axis
            self._mistakes += records["mistakes"][:, cause]

    def _keep_room(self) -> None:
        """Games whose numbers are further apart than the results have entries could share one: make room in time."""
        entries = len(self.batch.results.outcome)
        if self.slots > 1 and int(np.ptp(self._game)) + self.slots >= entries:
            self.batch.results = empty_results(2 * entries, self.rules.n_levels)

    def _account(self) -> Step:
        """What the step brought, from the games' records before and after it and the results of those that ended."""
        results, game, level, mistakes, duration = (
            self.batch.results, self._game, self._level, self._mistakes, self._duration,
        )  # fmt: skip
        self._look()
        over = self._game != game if self.batch.playing else np.ones(self.slots, np.bool_)
        entry = (game - self.batch.games.start) % len(results.outcome)
        ended, passed = np.flatnonzero(over), np.flatnonzero(over | (self._level != level))
        outcome = np.full(self.slots, PLAYING, np.int8)
        levels, lives_lost = self._level - level, self._mistakes - mistakes
        lives_left, seconds = np.zeros(self.slots, np.int64), self._duration - duration
        lost_in_level = results.level_mistakes[entry[passed], level[passed]].sum(axis=1, dtype=np.int64)
        lives_lost[passed] = lost_in_level - mistakes[passed]
        at = entry[ended]
        outcome[ended], lives_left[ended] = results.outcome[at], results.lives[at]
        levels[ended], seconds[ended] = results.outcome[at] == WON, results.duration[at] - duration[ended]
        return Step(over, outcome, levels, lives_lost, lives_left, seconds, game, entry)
