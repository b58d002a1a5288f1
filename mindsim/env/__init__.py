"""Reinforcement-learning environments: PettingZoo, Gymnasium, and thousands of games at once as arrays.

>>> import mindsim as ms
>>> env = ms.env.parallel_env(players=3)
>>> observations, infos = env.reset(seed=7)

They are thin adapters over the one engine: the same seed and the same waits give the same game as `simulate`. See
``docs/environments.md``. Needs pettingzoo and gymnasium: the extra ``mindsim[rl]``.

Importing this package registers ``mindsim/the_mind-v0`` with PettingZoo and ``mindsim/TheMindPartner-v0`` with
Gymnasium.
"""
from __future__ import annotations

try:
    import gymnasium
    import pettingzoo
except ImportError as _missing:
    raise ImportError(
        f"mindsim.env needs pettingzoo and gymnasium ({_missing}): install the extra 'rl', "
        "as in pip install 'mindsim[rl]'"
    ) from _missing

from mindsim.env.adapter import as_policy
from mindsim.env.batch import batch_env
from mindsim.env.parallel import env, parallel_env
from mindsim.env.rewards import Rewards
from mindsim.env.scale import WaitScale
from mindsim.env.single import single_env

__all__ = ["Rewards", "WaitScale", "as_policy", "batch_env", "env", "parallel_env", "single_env"]


def _register() -> None:
    """Enter the environments in the registries, once (PettingZoo has one from version 1.25 on)."""
    if "mindsim/TheMindPartner-v0" not in gymnasium.registry:
        gymnasium.register(id="mindsim/TheMindPartner-v0", entry_point="mindsim.env:single_env")
    for kind, maker in (("parallel", "parallel_env"), ("aec", "env")):
        if "mindsim/the_mind-v0" not in getattr(pettingzoo, f"{kind}_registry", {"mindsim/the_mind-v0": None}):
            pettingzoo.register(kind, "mindsim/the_mind-v0", entry_point=f"mindsim.env:{maker}")


_register()
