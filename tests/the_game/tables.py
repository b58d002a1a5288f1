"""Positions set up by hand, and strategies that tests share."""
from __future__ import annotations

import numpy as np

from mindsim.the_game import Rules, kernel
from mindsim.the_game.kernel import STATE

from .reference import legal_plays

NO_LOG = np.zeros((0, 6), np.int16)


def table(rules, hands, piles=None, draw_pile=(), player=0):
    """One game in the middle: these hands, piles and draw pile; all other cards are out; `player` begins its turn."""
    states = np.zeros(1, STATE)
    s = states[0]
    s["key"] = 12345
    s["piles"] = (1, 1, rules.deck + 2, rules.deck + 2) if piles is None else piles
    for p, hand in enumerate(hands):
        s["cards"][p, : len(hand)] = sorted(hand)
        s["sizes"][p] = len(hand)
    held = [c for hand in hands for c in hand] + list(draw_pile)
    out = [c for c in rules.cards if c not in held]
    in_order = [c for hand in hands for c in hand] + out + list(draw_pile)
    s["deck"][: rules.deck] = in_order
    s["drawn"] = rules.deck - len(draw_pile)
    for card in out:
        s["out"][card >> 6] |= np.uint64(1 << (card & 63))
    s["n_out"] = len(out)
    s["player"], s["turn_over"], s["turns"] = (player - 1) % rules.players, 1, 0
    kernel.settle(states[0], rules.book, NO_LOG)
    return states


def do(states, rules, *plays):
    """Carry out plays (card, pile) or STOP, each followed by what the rules do next; return the last refusal code."""
    code = kernel.FINE
    for play in plays:
        number = play if isinstance(play, int) else 4 * play[0] + play[1]
        code = kernel.accept(states[0], rules.book, number, NO_LOG)
        if code != kernel.FINE:
            return code
        kernel.settle(states[0], rules.book, NO_LOG)
    return code


def hand(states, player):
    """The hand of a player."""
    s = states[0]
    return s["cards"][player, : s["sizes"][player]].tolist()


class Chaotic:
    """Plays and stops at random, as often as it may, and says what its hand and the pile add up to."""

    name = "chaotic"
    hints = True
    memory = False

    def choose(self, obs):
        u = obs.uniform()
        plays = np.zeros(obs.rows, np.int64)
        for row in range(obs.rows):
            options = [4 * obs.hand[row, i] + p for i, p in np.argwhere(obs.legal[row])]
            if obs.needed[row] <= 0:
                options.append(0)
            plays[row] = options[int(u[row] * len(options))]
        return plays

    def hint(self, obs):
        return (obs.hand.sum(axis=1)[:, None] + obs.piles) % 4


def chaotic_choice(know):
    """The same in plain Python."""
    options = legal_plays(know.hand, know.piles, know.trick) + ([None] if know.needed <= 0 else [])
    return options[int(know.uniform() * len(options))]


def chaotic_words(know):
    """The same in plain Python."""
    return [(sum(know.hand) + top) % 4 for top in know.piles]


def random_rules(rng):
    """Rules of all kinds."""
    players = int(rng.integers(1, 6))
    hand_size = int(rng.integers(1, 9))
    deck = int(rng.integers(players * hand_size, 99))
    return Rules(
        players, hand=hand_size, minimum=int(rng.integers(1, min(3, hand_size) + 1)),
        minimum_when_empty=int(rng.integers(1, min(2, hand_size) + 1)), trick=int(rng.choice([0, 1, 3, 10, 10])),
        end=("player_stuck", "nobody_can_play")[int(rng.integers(2))], deck=deck,
    )
