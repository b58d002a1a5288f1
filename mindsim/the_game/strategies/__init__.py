"""Strategies for The Game: the built-in ones, the registry, and what is needed to write one's own."""
from mindsim.the_game.strategies.base import describe, make, names, register
from mindsim.the_game.strategies.endgame import Endgame
from mindsim.the_game.strategies.linear import FEATURES, Linear, LinearHints, LinearMemory, LinearMemoryHints
from mindsim.the_game.strategies.lookahead import LookAhead
from mindsim.the_game.strategies.observation import Observation, play
from mindsim.the_game.strategies.own import Own
from mindsim.the_game.strategies.sequences import LeastMovement, Random, Reserve
from mindsim.the_game.strategies.tricks import TricksAndSmallGaps

__all__ = [
    "FEATURES", "Endgame", "LeastMovement", "Linear", "LinearHints", "LinearMemory", "LinearMemoryHints", "LookAhead",
    "Observation", "Own", "Random", "Reserve", "TricksAndSmallGaps", "describe", "make", "names", "play", "register",
]
