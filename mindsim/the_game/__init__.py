"""The Game: the turn-based sibling of The Mind. Four piles, no clock, coordination by hints.

Examples
--------
>>> from mindsim import the_game as tg
>>> games = tg.simulate(tg.Rules(players=2), tg.strategies.LookAhead(), n_games=200, seed=7)
>>> games.to_frame().columns.tolist()
['game', 'won', 'cards_left', 'rating', 'turns', 'tricks']
"""
from mindsim.the_game import strategies
from mindsim.the_game.games import Games, compare
from mindsim.the_game.kernel import HINTS, NO_BIG_JUMP, NOTHING, PLEASE_LEAVE, STOP, SUITS_ME
from mindsim.the_game.rules import Rules, rating
from mindsim.the_game.simulate import simulate
from mindsim.the_game.strategies import Observation, Own, play
from mindsim.the_game.sweep import sweep

__all__ = [
    "HINTS", "NOTHING", "NO_BIG_JUMP", "PLEASE_LEAVE", "STOP", "SUITS_ME", "Games", "Observation", "Own", "Rules",
    "compare", "play", "rating", "simulate", "strategies", "sweep",
]
