"""Learning when to play: learnable policies, searches, and learning by playing.

- `policies`: `LogLinear`, `MLP`, `Table` and, for stars, `Score`; delay curves.
- `search`: `optimise`, with `objectives`, `space` (what may change), `evolve` (the searches), `seeds`.
- `loop`: `maximise`, the same search for anything that can be scored.
- `frontier`: win rate against time for families of policies.
- `qlearn`: independent Q-learners. `DeltaTempo` and `EwaTempo` adapt while they play.
- `conventions`: do players trained apart understand each other?
- `exact`: the best possible schedule on a small deck.
- `shipped`: the trained players that come with the package.

Learnable policies hold their numbers as tuples; everything here works on whole games played by `mindsim.simulate`.
"""
from __future__ import annotations

from mindsim.learn.conventions import Conventions, MixedTables, conventions, together
from mindsim.learn.frontier import Frontier, dominated, frontier
from mindsim.learn.loop import Found, maximise
from mindsim.learn.objectives import MeanLevel, WinRate, WinRateWithin
from mindsim.learn.policies import FEATURES, MLP, LogLinear, Score, Table, delay_curve
from mindsim.learn.qlearn import Learned, Learner, practice, q_learn
from mindsim.learn.search import Tuned, figures_of, optimise
from mindsim.learn.shipped import load, manifest, save, trained_names
from mindsim.policies.within import DeltaTempo, EwaTempo

__all__ = [
    "FEATURES", "MLP", "Conventions", "DeltaTempo", "EwaTempo", "Found", "Frontier", "Learned", "Learner", "LogLinear",
    "MeanLevel", "MixedTables", "Score", "Table", "Tuned", "WinRate", "WinRateWithin", "conventions", "delay_curve",
    "dominated", "figures_of", "frontier", "load", "manifest", "maximise", "optimise", "practice", "q_learn", "save",
    "together", "trained_names",
]  # fmt: skip
