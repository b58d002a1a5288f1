"""The compiled dispatcher: which built-in strategy a code means.

Compiled functions passed as arguments never reach Numba's cache on disk, so built-in strategies are chosen by a number
here. A new built-in one adds a line to `choose` (and, if it speaks, to `say`).
"""
from __future__ import annotations

from numba import njit

from mindsim.the_game.kernel import NOTHING, STOP, fill_view, hear
from mindsim.the_game.strategies.base import ENDGAME_NODES
from mindsim.the_game.strategies.endgame import UNDECIDED, endgame
from mindsim.the_game.strategies.linear import choose_linear, say_linear
from mindsim.the_game.strategies.lookahead import choose_look_ahead
from mindsim.the_game.strategies.sequences import choose_least_movement, choose_random, choose_reserve, say_reserve
from mindsim.the_game.strategies.tricks import choose_tricks, say_tricks


@njit(cache=True)
def choose_by_code(code, parameters, view):
    """The play that a strategy without the endgame search chooses."""
    if code == 0:
        return choose_random(parameters, view)
    if code == 1:
        return choose_least_movement(parameters, view)
    if code == 2:
        return choose_reserve(parameters, view)
    if code == 3:
        return choose_tricks(parameters, view)
    if code == 4:
        return choose_look_ahead(parameters, view)
    return choose_linear(parameters, view)


@njit(cache=True)
def choose(code, parameters, view):
    """The play that a built-in strategy chooses."""
    if parameters[ENDGAME_NODES] > 0 and view.deck_left == 0:
        play = endgame(parameters, view)
        if play != UNDECIDED:
            return play
    return choose_by_code(code, parameters, view)


@njit(cache=True)
def say(code, parameters, view, said):
    """What a built-in strategy says of the four piles."""
    if code == 2:
        say_reserve(parameters, view, said)
    elif code == 3:
        say_tricks(parameters, view, said)
    elif code == 5:
        say_linear(parameters, view, said)
    else:
        said[:] = NOTHING


@njit(nogil=True, cache=True)
def choose_all(code, parameters, states, rows, book, memory, hears, views, plays):
    """Ask a built-in strategy for a play in each of the games `rows`; `views` is one record to work with."""
    view = views[0]
    for k in range(len(rows)):
        s = states[rows[k]]
        fill_view(view, s, book, s.player, memory, hears)
        plays[k] = choose(code, parameters, view) if view.n_cards > 0 else STOP


@njit(nogil=True, cache=True)
def say_all(code, parameters, states, rows, players, book, memory, views, said, log):
    """Let a built-in strategy speak for player ``players[k]`` in game ``rows[k]``; what it says is checked."""
    view = views[0]
    for k in range(len(rows)):
        s = states[rows[k]]
        fill_view(view, s, book, players[k], memory, True)
        say(code, parameters, view, said)
        hear(s, players[k], said, log[min(rows[k], len(log) - 1)])
