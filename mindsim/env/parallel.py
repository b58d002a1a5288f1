"""PettingZoo: every seat is a learner, and one step is one epoch (from one public event to the next).

What this file leaves to others: what actions and observations mean (`actions`, `observations`), rewards (`rewards`).
"""
from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from mindsim.env.actions import Decisions
from mindsim.env.game import RENDER_MODES, OneGame, checked_mode
from mindsim.env.rewards import Rewards
from mindsim.env.scale import WaitScale
from mindsim.env.setup import setup
from mindsim.rules import Rules

ByAgent = dict[str, Any]


class TheMindParallel(ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """The Mind for PettingZoo; made by `parallel_env`, which says what the arguments mean."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "the_mind_v0", "render_modes": list(RENDER_MODES), "render_fps": 2, "is_parallelizable": True,
    }  # fmt: skip

    def __init__(self, render_mode: str | None, max_cycles: int | None, **shared: Any) -> None:
        self.setup = setup(**shared)
        self.render_mode, self.max_cycles = checked_mode(render_mode), _checked_cycles(max_cycles)
        self.possible_agents = [f"player_{seat}" for seat in range(self.setup.rules.players)]
        self.agents: list[str] = []
        self._game = OneGame(self.setup)
        self._observation_spaces = {agent: _twin(self.setup.fields.space) for agent in self.possible_agents}
        self._action_spaces = {agent: _twin(self.setup.actions.space) for agent in self.possible_agents}
        numbers = len(self.setup.flat.names) * len(self.possible_agents)
        self.state_space = spaces.Box(0.0, 1.0, (numbers,), np.float32)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent sees."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent can do."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[ByAgent, ByAgent]:
        """Begin a game: game 0 of `seed`, or the next one; ``options={"game": n}`` begins game n."""
        self._game.begin(seed, options)
        self.agents = self.possible_agents[:]
        self._cycles = 0
        return self._observations(), self._infos(self._game.info())

    def step(self, actions: ByAgent) -> tuple[ByAgent, dict[str, float], dict[str, bool], dict[str, bool], ByAgent]:
        """Let one epoch pass.

        Raises
        ------
        TypeError, ValueError
            If an agent's action is missing or is none, with the agent's name.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        step = self._game.step(self._decisions(actions))
        self._cycles += 1
        over = self._game.over
        cut = not over and self.max_cycles is not None and self._cycles >= self.max_cycles
        reward = float(self.setup.rewards.of(step)[0])
        seen, infos, everybody = self._observations(), self._infos(self._game.info(step)), self.agents
        if over or cut:
            self.agents = []
        rewards, ended = dict.fromkeys(everybody, reward), dict.fromkeys(everybody, over)
        return seen, rewards, ended, dict.fromkeys(everybody, cut), infos

    def _decisions(self, actions: ByAgent) -> Decisions:
        """What all agents have decided, in order; an error names whose action is none."""
        if not isinstance(actions, dict):
            raise TypeError(f"actions must be a dict of agent -> action, not {actions!r}")
        missing = [agent for agent in self.agents if actions.get(agent) is None]
        strange = [agent for agent in actions if agent not in self.possible_agents]
        if missing or strange:
            said = f"missing: {', '.join(missing)}" if missing else f"unknown: {', '.join(map(str, strange))}"
            raise ValueError(f"actions must hold one action for each of {', '.join(self.agents)}; {said}")
        try:
            return self.setup.actions.read(np.stack([actions[agent] for agent in self.agents]), len(self.agents))
        except (TypeError, ValueError):
            for agent in self.agents:
                self._check(agent, actions[agent])
            raise

    def _check(self, agent: str, action: Any) -> None:
        try:
            self.setup.actions.read(action, 1)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{agent}: {error}") from error

    def _observations(self) -> ByAgent:
        read = self.setup.fields.read(self._game.seen)
        if isinstance(read, dict):
            return {
                agent: {name: values[i].copy() for name, values in read.items()} for i, agent in enumerate(self.agents)
            }
        return {agent: read[i].copy() for i, agent in enumerate(self.agents)}

    def _infos(self, info: dict[str, Any]) -> ByAgent:
        masks = self._game.masks()
        if masks is None:
            return {agent: info.copy() for agent in self.agents}
        return {agent: info | {"action_mask": masks[i].copy()} for i, agent in enumerate(self.agents)}

    def state(self) -> NDArray[np.float32]:
        """The whole table: the flat observations of all players, one after the other."""
        return self.setup.flat.read(self._game.seen).ravel()

    def render(self) -> str | NDArray[np.uint8] | None:
        """Show the table with all hands open."""
        return self._game.render(self.render_mode)

    def close(self) -> None:
        """There is nothing to release."""


def _twin(space: spaces.Space[Any]) -> spaces.Space[Any]:
    """An equal space with draws of its own."""
    return deepcopy(space)


def _checked_cycles(max_cycles: Any) -> int | None:
    if max_cycles is not None and (isinstance(max_cycles, bool) or not isinstance(max_cycles, int) or max_cycles < 1):
        raise ValueError(f"max_cycles must be a number of steps, at least 1, or None, not {max_cycles!r}")
    return max_cycles


def parallel_env(
    players: int | None = None,
    *,
    rules: Rules | None = None,
    clock: Any = None,
    reaction: Any = 0.0,
    sees_clock: bool = False,
    stars: Any = None,
    rewards: Rewards | None = None,
    observation: str = "flat",
    fields: Iterable[str] | None = None,
    discrete: Any = False,
    scale: WaitScale | None = None,
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> TheMindParallel:
    """The Mind as a PettingZoo ParallelEnv.

    Parameters
    ----------
    players : int, optional
        2, 3 or 4 for the published rules; 2 if nothing is said.
    rules : Rules, optional
        Any other rules.
    clock : clock, or list of one per learner, optional
        The learners' sense of time; exact if nothing is said.
    reaction : float or distribution, or list of one per learner
        Seconds of reaction time.
    sees_clock : bool
        Whether learners are told true times instead of felt ones.
    stars : stars, optional
        A fixed rule for all learners, such as ``ms.stars.Never()``; if nothing is said, hands and consent are actions.
    rewards : Rewards, optional
        What the team is rewarded for.
    observation : {"flat", "dict"}
        One array of numbers from 0 to 1, or a dict of fields as they are.
    fields : sequence of str, optional
        Which fields of `mindsim.observation` are shown; all that vary if nothing is said.
    discrete : bool, int or sequence of float
        False: actions are numbers from 0 to 1 (a Box). True, a number of bins, or their waits in seconds: whole
        numbers, with an ``action_mask`` in the infos.
    scale : WaitScale, optional
        Which seconds numbers from 0 to 1 stand for, in actions and in observed times.
    max_cycles : int, optional
        Steps after which a game that has not ended is cut off. Every game ends by itself.
    render_mode : {"human", "ansi", "rgb_array"}, optional

    Returns
    -------
    pettingzoo.ParallelEnv

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> import mindsim as ms
    >>> env = ms.env.parallel_env(players=3)
    >>> observations, infos = env.reset(seed=7)
    >>> actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    >>> observations, rewards, terminations, truncations, infos = env.step(actions)
    """
    return TheMindParallel(
        render_mode, max_cycles, players=players, rules=rules, clock=clock, reaction=reaction, sees_clock=sees_clock,
        stars=stars, rewards=rewards, observation=observation, fields=fields, discrete=discrete, scale=scale,
    )  # fmt: skip


def env(*args: Any, **kwargs: Any) -> AECEnv[str, Any, Any]:
    """The same as `parallel_env`, with agents that act in turn (PettingZoo's AEC); arguments as there.

    Examples
    --------
    >>> import mindsim as ms
    >>> env = ms.env.env(players=3)
    >>> env.reset(seed=7)
    >>> env.agent_selection
    'player_0'
    """
    return parallel_to_aec(parallel_env(*args, **kwargs))
