"""The Game: the turn-based sibling of The Mind. Four piles, no clock, coordination by hints.

Examples
--------
>>> from mindsim import the_game as tg
>>> games = tg.simulate(tg.Rules(players=2), tg.strategies.LookAhead(), n_games=200, seed=7)
>>> games.to_frame().columns.tolist()
['game', 'won', 'cards_left', 'rating', 'turns', 'tricks']

Sweeps are those of The Mind: the same function, stores and tables, with cells from this package's own `grid`.

>>> table = tg.sweep(tg.grid(strategy=["random", "least_movement"], players=[2, 3]), n_games=50, seed=1)
>>> table["strategy"].tolist()
['random', 'least_movement', 'random', 'least_movement']
"""
from mindsim.sweep import sweep
from mindsim.the_game import strategies
from mindsim.the_game.cells import Cell, grid
from mindsim.the_game.games import Games, compare
from mindsim.the_game.kernel import HINTS, NO_BIG_JUMP, NOTHING, PLEASE_LEAVE, STOP, SUITS_ME
from mindsim.the_game.rules import Rules, rating
from mindsim.the_game.simulate import simulate
from mindsim.the_game.strategies import Observation, Own, play

__all__ = [
    "HINTS", "NOTHING", "NO_BIG_JUMP", "PLEASE_LEAVE", "STOP", "SUITS_ME", "Cell", "Games", "Observation", "Own",
    "Rules", "compare", "grid", "play", "rating", "simulate", "strategies", "sweep",
]
