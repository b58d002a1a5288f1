"""A trained function back among the players: `as_policy`.

The function is asked with the same numbers as in its environment, and its actions mean the same. What this file leaves
to others: both meanings (`observations`, `actions`).
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindsim import rng
from mindsim.env.actions import Decisions
from mindsim.env.setup import Setup
from mindsim.observation import Observation
from mindsim.player import Player

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Learned:
    """Policy, stars and stops of a trained function, asked anew for every decision.

    Parameters
    ----------
    act : function of observations
        [rows, numbers] (or a dict of such arrays) -> [rows, numbers] (discrete: [rows]).
    setup : Setup
        What the numbers mean.
    name : str
    """

    act: Callable[[Any], Any]
    setup: Setup
    name: str

    def _decide(self, obs: Observation) -> Decisions:
        try:
            seen = self.setup.fields.read(by_track(obs, self.setup.rules.tracks))
            return self.setup.actions.read(self.act(seen), obs.rows)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.name}: {error}") from error

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait before playing each row's card."""
        waits = self._decide(obs).waits
        own = obs.track if waits.shape[1] > 1 else 0
        return waits[np.arange(obs.rows), own]

    def raise_hand(self, obs: Observation) -> Floats:
        """Seconds until the hand goes up."""
        return _there(self._decide(obs).hands)

    def consent(self, obs: Observation) -> NDArray[np.bool_]:
        """Agree with the raised hand? As decided at the epoch's start."""
        return _there(self._decide(obs).consents)

    def call(self, obs: Observation) -> Floats:
        """Seconds until stop is called."""
        return _there(self._decide(obs).stops)

    def __repr__(self) -> str:
        return self.name


def _there(part: NDArray[Any] | None) -> NDArray[Any]:
    if part is None:
        raise TypeError("this learner was trained without such an action")
    return part


def by_track(obs: Observation, tracks: int) -> Sequence[Observation]:
    """The same players' rows on each track.

    Raises
    ------
    ValueError
        If the game has another number of tracks than the environment.
    """
    here = obs._view.tracks if hasattr(obs, "_view") else 1  # situations made up by hand have one
    if here != tracks:
        raise ValueError(f"the game has {here} track{'s' if here > 1 else ''}, but the environment {tracks}")
    if tracks == 1:
        return [obs]
    first = (obs._place // tracks * tracks).astype(np.uint8)
    return [Observation(obs._view, obs._slot, first + np.uint8(t), rng.WATCH) for t in range(tracks)]


def as_policy(model: Any, env: Any, *, name: str | None = None, **body: Any) -> Player:
    """A trained function as a `Player`, for `simulate`, `crossplay` and all else that takes players.

    Parameters
    ----------
    model : function, or object with ``predict(observations, deterministic=True)``
        Observations -> actions, in the form of `env`, for any number of rows: [rows, numbers] -> [rows, numbers]. An
        object with ``predict`` is asked as Stable-Baselines3's models are: its answer is (actions, state). Rows must be
        treated independently and alike at every call, or games cannot be repeated.
    env : environment of this package
        What the function was trained in: says what its numbers mean, and gives the player its clock and reaction.
    name : str, optional
        What the player is called in tables; the function's name if nothing is said.
    **body
        ``clock``, ``reaction``, ``sees_clock``: another body than in training.

    Returns
    -------
    Player

    Examples
    --------
    >>> import mindsim as ms
    >>> import numpy as np
    >>> env = ms.env.batch_env(100, players=2, fields=["gap"], stars=ms.stars.Never())
    >>> player = ms.env.as_policy(lambda gap: 0.2 + 0.8 * gap**0.5, env, name="root")
    >>> ms.simulate(ms.Rules.the_mind(2), player, n_games=10, seed=1).n_games
    10
    """
    setup = getattr(getattr(env, "unwrapped", env), "setup", None)
    if not isinstance(setup, Setup):
        raise TypeError(f"env must be an environment of mindsim.env, not {env!r}")
    if callable(getattr(model, "predict", None)):
        act: Callable[[Any], Any] = lambda seen: model.predict(seen, deterministic=True)[0]  # noqa: E731
    elif callable(model):
        act = model
    else:
        raise TypeError(f"model must be a function of observations or have a method predict, not {model!r}")
    given = {part: getattr(setup.bodies[0], part) for part in ("clock", "reaction", "sees_clock")}
    strange = [part for part in body if part not in given]
    if strange:
        raise TypeError(f"as_policy takes model, env, name, clock, reaction and sees_clock, not {strange[0]!r}")
    said = name if name is not None else getattr(model, "__name__", type(model).__name__)
    fixed = Player(setup.bodies[0].policy, setup.bodies[0].stars, setup.bodies[0].stops, **(given | body))
    return setup.seated(fixed, Learned(act, setup, said))
