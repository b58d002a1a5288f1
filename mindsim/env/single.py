"""Gymnasium: one learner among fixed partners, one step per epoch.

What this file leaves to others: what actions and observations mean (`actions`, `observations`), rewards (`rewards`).
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from mindsim.env.game import RENDER_MODES, OneGame, checked_mode
from mindsim.env.rewards import Rewards
from mindsim.env.scale import WaitScale
from mindsim.env.setup import rules_of, setup, team_with
from mindsim.rules import Rules


class TheMindPartner(gymnasium.Env[Any, Any]):
    """The Mind for Gymnasium; made by `single_env`, which says what the arguments mean."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(self, render_mode: str | None, **shared: Any) -> None:
        self.setup = setup(**shared)
        self.render_mode = checked_mode(render_mode)
        self.observation_space, self.action_space = self.setup.fields.space, self.setup.actions.space
        self._game = OneGame(self.setup)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a game: game 0 of `seed`, or the next one; ``options={"game": n}`` begins game n."""
        super().reset(seed=seed)
        self._game.begin(seed, options)
        return self._observation(), self._told(self._game.info())

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Let one epoch pass.

        Raises
        ------
        TypeError, ValueError
            If the action is none.
        RuntimeError
            If the game has ended, or none has begun.
        """
        decisions = self.setup.actions.read(action, 1)
        if self._game.over:
            raise RuntimeError("the game has ended: call reset() before the next step()")
        step = self._game.step(decisions)
        reward = float(self.setup.rewards.of(step)[0])
        return self._observation(), reward, self._game.over, False, self._told(self._game.info(step))

    def action_masks(self) -> NDArray[np.int8] | None:
        """Which actions make sense (1) now; None unless actions are discrete."""
        masks = self._game.masks()
        return None if masks is None else masks[0]

    def _observation(self) -> Any:
        read = self.setup.fields.read(self._game.seen)
        return {name: values[0] for name, values in read.items()} if isinstance(read, dict) else read[0]

    def _told(self, info: dict[str, Any]) -> dict[str, Any]:
        mask = self.action_masks()
        return info if mask is None else info | {"action_mask": mask}

    def render(self) -> Any:
        """Show the table with all hands open."""
        return self._game.render(self.render_mode)


def single_env(
    partners: Any = "ordinary",
    *,
    seat: int = 0,
    players: int | None = None,
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
    render_mode: str | None = None,
) -> TheMindPartner:
    """The Mind as a Gymnasium Env: one learner among fixed partners.

    Parameters
    ----------
    partners : Player, policy, name, or sequence of one per other seat
        Whom the learner plays with. A name is that of a player (``ms.players.names()``) or of a policy.
    seat : int
        Where the learner sits.
    players, rules, clock, reaction, sees_clock, stars, rewards, observation, fields, discrete, scale, render_mode
        As in `parallel_env`.

    Returns
    -------
    gymnasium.Env

    Examples
    --------
    >>> import mindsim as ms
    >>> env = ms.env.single_env(ms.policies.GapLinear(pace=0.1), players=2)
    >>> observation, info = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> info["event"] in ("play", "mistake", "star")
    True
    """
    whole = rules_of(players, rules)
    return TheMindPartner(
        render_mode, players=players, rules=whole, team=team_with(partners, seat, whole), clock=clock,
        reaction=reaction, sees_clock=sees_clock, stars=stars, rewards=rewards, observation=observation, fields=fields,
        discrete=discrete, scale=scale,
    )  # fmt: skip
