"""mindsim: whole games of The Mind, tens of thousands a second, under clocks as imprecise as people's.

The main path: `simulate` plays games by `Rules` with a team of `Player` values and returns `Games`.

>>> import mindsim as ms
>>> me = ms.Player(ms.policies.GapPower(pace=0.02, exponent=2.0), clock=ms.clocks.Scalar(weber=0.14, floor=0.05))
>>> games = ms.simulate(ms.Rules.the_mind(players=3), me, n_games=200, seed=7)
>>> bool(games.won.mean() > 0.5)
True

Names are loaded when first used, so that ``import mindsim`` is quick; see ``docs/`` for everything else.
"""
from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_FROM = {
    "rules": ("Rules", "Level"),
    "player": ("Player",),
    "simulate": ("simulate",),
    "games": ("Games",),
    "sweep": ("sweep", "grid"),
    "store": ("load",),
    "stats": ("compare", "rank"),
    "crossplay": ("crossplay",),
    "probe": ("probe",),
}
_MODULES = (
    "clocks", "env", "learn", "players", "plots", "policies", "reactions", "replay", "report", "situations", "stars",
    "stats", "stops", "store", "testing", "the_game",
)  # fmt: skip
_WHERE = {name: module for module, names in _FROM.items() for name in names}

__all__ = ["__version__", *sorted({*_WHERE, *_MODULES})]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        value = getattr(import_module(f"mindsim.{_WHERE[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"mindsim.{name}")
    else:
        raise AttributeError(f"module 'mindsim' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """Keeps ``mindsim.simulate`` the function: importing the module of the same name must not replace it."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _WHERE and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


if TYPE_CHECKING:
    from mindsim import clocks as clocks
    from mindsim import policies as policies
    from mindsim import reactions as reactions
    from mindsim import situations as situations
    from mindsim import stars as stars
    from mindsim import stops as stops
    from mindsim.crossplay import crossplay as crossplay
    from mindsim.games import Games as Games
    from mindsim.player import Player as Player
    from mindsim.probe import probe as probe
    from mindsim.rules import Level as Level
    from mindsim.rules import Rules as Rules
    from mindsim.simulate import simulate as simulate
    from mindsim.stats import compare as compare
    from mindsim.stats import rank as rank
    from mindsim.store import load as load
    from mindsim.sweep import grid as grid
    from mindsim.sweep import sweep as sweep
