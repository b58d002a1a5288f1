"""Thousands of games at once, as arrays: Gymnasium's vector conventions over one batch of the engine.

What this file leaves to others: what actions and observations mean (`actions`, `observations`), rewards (`rewards`).
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from mindsim import rng
from mindsim.env.rewards import Rewards
from mindsim.env.scale import WaitScale
from mindsim.env.setup import rules_of, setup, team_with
from mindsim.env.table import ENDLESS, Step, Table
from mindsim.rules import Rules

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class TheMindBatch(VectorEnv[Any, Any, NDArray[Any]]):
    """Many games of The Mind for Gymnasium; made by `batch_env`, which says what the arguments mean."""

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(self, n_games: int, **shared: Any) -> None:
        self.setup = setup(**shared)
        self.num_envs = n_games
        self.n_learners = len(self.setup.bodies)
        self.single_observation_space = batch_space(self.setup.fields.space, self.n_learners)
        self.single_action_space = batch_space(self.setup.actions.space, self.n_learners)
        self.observation_space = batch_space(self.single_observation_space, n_games)
        self.action_space = batch_space(self.single_action_space, n_games)
        self._seed: int | None = None
        self._table: Table | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin games 0 .. n_games - 1 of `seed`; without one, of the seed before it plus 1."""
        super().reset(seed=seed)
        if seed is not None:
            self._seed = rng.as_seed(seed).item()
        elif self._seed is None:
            self._seed = int(self.np_random.integers(2**63))
        else:
            self._seed = (self._seed + 1) % 2**64
        self._table = self.setup.table(self._seed, range(ENDLESS), self.num_envs)
        self._seen = self._table.observe()
        return self._observations(), {}

    def step(self, actions: Any) -> tuple[Any, Floats, Bools, Bools, dict[str, Any]]:
        """Let one epoch pass in every game; a game that ends makes room for the next one at once.

        Returns
        -------
        observations : float32[n_games, learners, numbers], or a dict of arrays
            Of ended games: the first of the game that follows.
        rewards : float64[n_games]
        terminations, truncations : bool[n_games]
            Truncations are all False: every game ends by itself.
        infos : dict
            See `batch_env`.
        """
        table = self._playing
        step = table.step(self.setup.actions.read(actions, table.rows))
        self._seen = table.observe()
        rewards = self.setup.rewards.of(step)
        return self._observations(), rewards, step.ended, np.zeros(self.num_envs, np.bool_), self._infos(step)

    def action_masks(self) -> NDArray[np.int8] | None:
        """[n_games, learners, actions] Which actions make sense (1) now; None unless actions are discrete."""
        masks = self.setup.actions.mask(self._playing.situation(self._seen))
        return None if masks is None else masks.reshape(self.num_envs, self.n_learners, -1)

    @property
    def _playing(self) -> Table:
        if self._table is None:
            raise RuntimeError("no game has begun: call reset() first")
        return self._table

    @property
    def holding(self) -> Bools:
        """[n_games, learners] Who holds a card, and so has something to decide."""
        holds: Bools = np.any([obs.card > 0 for obs in self._seen], axis=0)
        return holds.reshape(self.num_envs, self.n_learners)

    def _observations(self) -> Any:
        read = self.setup.fields.read(self._seen)
        shape = (self.num_envs, self.n_learners)
        if isinstance(read, dict):
            return {name: values.reshape(*shape, *values.shape[1:]) for name, values in read.items()}
        return read.reshape(*shape, -1)

    def _infos(self, step: Step) -> dict[str, Any]:
        infos: dict[str, Any] = {
            "seconds": step.seconds, "lives_lost": step.lives_lost, "levels_completed": step.levels,
        }  # fmt: skip
        if step.ended.any():
            infos |= {"final_info": self._ends(step), "_final_info": step.ended}
        return infos

    def _ends(self, step: Step) -> dict[str, NDArray[Any]]:
        """How the games ended; only entries of ended games mean anything."""
        results, at = self._playing.batch.results, step.entry
        return {
            "outcome": step.outcome,
            "won": step.won,
            "levels_completed": np.where(step.ended, results.level[at] - 1 + step.won, 0),
            "lives": step.lives_left,
            "duration": np.where(step.ended, results.duration[at], 0.0),
            "epochs": np.where(step.ended, results.epochs[at], 0),
            "cards_played": np.where(step.ended, results.played[at], 0),
            "game": np.where(step.ended, step.game, 0),
        }


def batch_env(
    n_games: int,
    *,
    players: int | None = None,
    rules: Rules | None = None,
    partners: Any = None,
    seat: int = 0,
    clock: Any = None,
    reaction: Any = 0.0,
    sees_clock: bool = False,
    stars: Any = None,
    rewards: Rewards | None = None,
    observation: str = "flat",
    fields: Iterable[str] | None = None,
    discrete: Any = False,
    scale: WaitScale | None = None,
) -> TheMindBatch:
    """Many games of The Mind at once, as a Gymnasium VectorEnv whose sub-environments are whole tables.

    Observations are [n_games, learners, numbers], actions [n_games, learners, numbers] (discrete: [n_games, learners]),
    rewards, terminations and truncations [n_games]: a reward is the whole team's. Games that end are followed by new
    ones in the same step (`AutoresetMode.SAME_STEP`); a terminal state has no value, so there is no ``final_obs``.

    Infos: ``seconds``, ``lives_lost``, ``levels_completed`` of this step, and when games ended ``final_info``: a dict
    of arrays ``outcome`` (0 won, 1 lost, 2 stalled), ``won``, ``levels_completed``, ``lives``, ``duration``,
    ``epochs``, ``cards_played``, ``game`` (its number: with the seed, it names the deal), which hold where the array
    ``_final_info`` is True.

    Parameters
    ----------
    n_games : int
        How many are played at once; some thousands are fastest.
    partners : Player, policy, name, or sequence of one per other seat, optional
        One learner, in `seat`, among these; if nothing is said, every seat is a learner.
    seat, players, rules, clock, reaction, sees_clock, stars, rewards, observation, fields, discrete, scale
        As in `parallel_env` and `single_env`.

    Returns
    -------
    gymnasium.vector.VectorEnv

    Examples
    --------
    >>> import mindsim as ms
    >>> env = ms.env.batch_env(1000, players=3, fields=["gap", "since_top"])
    >>> observations, infos = env.reset(seed=7)
    >>> observations.shape, env.action_space.shape
    ((1000, 3, 2), (1000, 3, 3))
    """
    if isinstance(n_games, bool) or not isinstance(n_games, (int, np.integer)):
        raise TypeError(f"n_games must be an integer of at least 1, not {n_games!r}")
    if n_games < 1:
        raise ValueError(f"n_games must be an integer of at least 1, not {n_games}")
    whole = rules_of(players, rules)
    team = None if partners is None else team_with(partners, seat, whole)
    return TheMindBatch(
        int(n_games), players=players, rules=whole, team=team, clock=clock, reaction=reaction, sees_clock=sees_clock,
        stars=stars, rewards=rewards, observation=observation, fields=fields, discrete=discrete, scale=scale,
    )  # fmt: skip
