"""Learning when to play: learnable policies, searches, and learning by playing.

- `policies`: `LogLinear`, `MLP`, `Table` and, for stars, `Score`; delay curves.
- `log_sinh`: `LogSinh`, a schedule for piles that nobody can see; `side_by_side`: `SideBySide`, for two piles.
- `search`: `optimise`, with `objectives`, `space` (what may change), `evolve` (the searches), `seeds`.
- `loop`: `maximise`, the same search for anything that can be scored.
- `frontier`: win rate against time for families of policies.
- `qlearn`: independent Q-learners. `DeltaTempo` and `EwaTempo` adapt while they play.
- `conventions`: do players trained apart understand each other?
- `piles`: with two piles, is one finished before the other is begun?
- `exact`: the best possible schedule on a small deck.
- `shipped`: the trained players that come with the package.

Learnable policies hold their numbers as tuples; everything here works on whole games played by `mindsim.simulate`.
"""
from __future__ import annotations

from mindsim.learn.conventions import Conventions, MixedTables, conventions, together, train_apart
from mindsim.learn.frontier import Frontier, dominated, frontier
from mindsim.learn.log_sinh import LogSinh
from mindsim.learn.loop import Found, maximise
from mindsim.learn.objectives import BothPiles, MeanLevel, WinRate, WinRateWithin
from mindsim.learn.piles import InTurn, in_turn
from mindsim.learn.policies import FEATURES, MLP, LogLinear, Score, Table, delay_curve
from mindsim.learn.qlearn import Learned, Learner, practice, q_learn
from mindsim.learn.search import Tuned, figures_of, optimise
from mindsim.learn.shipped import load, manifest, save, trained_names
from mindsim.learn.side_by_side import SideBySide
from mindsim.policies.within import DeltaTempo, EwaTempo

__all__ = [
    "FEATURES", "MLP", "BothPiles", "Conventions", "DeltaTempo", "EwaTempo", "Found", "Frontier", "InTurn", "Learned",
    "Learner", "LogLinear", "LogSinh", "MeanLevel", "MixedTables", "Score", "SideBySide", "Table", "Tuned", "WinRate",
    "WinRateWithin", "conventions", "delay_curve", "dominated", "figures_of", "frontier", "in_turn", "load", "manifest",
    "maximise", "optimise", "practice", "q_learn", "save", "together", "train_apart",
    "trained_names",
]  # fmt: skip
