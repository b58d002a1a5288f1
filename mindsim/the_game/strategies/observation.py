"""What an own strategy in NumPy may know: one row for each game that waits for a choice.

All of it is copied out of the `VIEW` records that `kernel.fill_view` fills: own hand, piles, counts, hints and (with
memory) the unseen cards. Nothing else exists here to look at.
"""
from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindsim.rng import channel, fill_uniform
from mindsim.the_game.kernel import ILLEGAL, PURPOSE_CHOICE, STOP, VIEW

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def play(card: Ints | int, pile: Ints | int) -> Ints | int:
    """Return a play as the one number that the engine takes: this card on this pile.

    Examples
    --------
    >>> play(17, 2)
    70
    """
    return 4 * card + pile


class Observation:
    """One row per game in which the player has to choose. Arrays are int64 unless stated.

    Attributes
    ----------
    rows : int
        Number of rows.
    hand : array [rows, full hand]
        Own cards, ascending, 0 beyond `hand_size`.
    hand_size : array [rows]
        Number of own cards.
    piles : array [rows, 4]
        Tops of the piles; 0 and 1 go up, 2 and 3 down.
    hand_sizes : array [rows, players]
        Cards in all hands, self first, then clockwise.
    hints : array [rows, players, 4]
        What the others say of each pile: 0 nothing, 1 suits me, 2 please leave, 3 please no big jump. Same order; row 0
        (self) is empty. All 0 unless the strategy has ``hints = True``.
    deck_left : array [rows]
        Cards in the draw pile.
    needed, played : array [rows]
        Cards that this turn still asks for, and cards played in it.
    """

    def __init__(self, views: np.ndarray, full_hand: int, players: int, trick: int, deck: int) -> None:
        if views.dtype != VIEW:
            raise TypeError(f"views must be records of kernel.VIEW, not {views.dtype}")
        self.rows, self.trick, self.deck, self.players = len(views), trick, deck, players
        self.hand: Ints = views["cards"][:, :full_hand].copy()
        self.hand_size: Ints = views["n_cards"].copy()
        self.piles: Ints = views["piles"].copy()
        self.hand_sizes: Ints = views["sizes"][:, :players].copy()
        self.hints: Ints = views["hints"][:, :players].copy()
        self.deck_left: Ints = views["deck_left"].copy()
        self.needed: Ints = views["needed"].copy()
        self.played: Ints = views["played"].copy()
        self._unseen, self._keys, self._draws = views["unseen"].copy(), views["key"].copy(), 0

    @cached_property
    def movement(self) -> Ints:
        """How far each own card would move each pile, [rows, full hand, 4]: -10 for a trick, 1000 where illegal."""
        gap = (self.hand[:, :, None] - self.piles[:, None, :]) * np.array([1, 1, -1, -1])
        legal = (gap > 0) | ((gap == -self.trick) & (self.trick > 0))
        return np.where(legal & (self.hand > 0)[:, :, None], gap, ILLEGAL)

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Which own cards fit on which piles, bool [rows, full hand, 4]."""
        fits: NDArray[np.bool_] = self.movement != ILLEGAL
        return fits

    @cached_property
    def unseen(self) -> NDArray[np.bool_]:
        """Which cards are neither put down nor in the own hand, bool [rows, deck + 2] by card.

        All False without memory.
        """
        octets = self._unseen.astype("<u8").view(np.uint8).reshape(self.rows, 16)
        bits = np.unpackbits(octets, axis=1, bitorder="little")
        return bits[:, : self.deck + 2].astype(bool)

    def uniform(self) -> Floats:
        """Return a random number between 0 and 1 for each row; each call gives new ones."""
        self._draws += 1
        out = np.empty(self.rows)
        fill_uniform(self._keys, channel(int(PURPOSE_CHOICE), self._draws), out)
        return out

    def smallest(self, cost: NDArray[np.generic], go_on: float = -np.inf) -> Ints:
        """Return for each row the legal play of the smallest cost.

        Once the minimum is played, `STOP` unless that cost is at most `go_on`.

        Parameters
        ----------
        cost : array [rows, full hand, 4]
            The cost of each own card on each pile. Illegal plays are left out; of equal costs the first is taken.
        go_on : float
            Play on after the minimum while the smallest cost is at most this.
        """
        costs = np.where(self.legal, cost, np.inf).reshape(self.rows, -1)
        best = costs.argmin(axis=1)
        plays = 4 * np.take_along_axis(self.hand, (best // 4)[:, None], axis=1)[:, 0] + best % 4
        stop = (self.needed <= 0) & (costs.min(axis=1) > go_on)
        return np.where(stop, STOP, plays)
