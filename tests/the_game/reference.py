"""The Game in plain Python: sets, lists and dicts, slow and obvious. The compiled engine must agree with it.

Only the random numbers are shared as a scheme (see the head of ``mindsim/the_game/kernel.py``); the arithmetic is
written anew with Python's integers.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
GAME, EPOCH, PLAYER = 0xA24BAED4963EE407, 0xD1342543DE82EF95, 0x9FB21C651E98DF25
PURPOSE, CALL = 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3
SHUFFLE, CHOICE = 32, 33


def mix(z: int) -> int:
    z &= MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def game_key(seed: int, game: int) -> int:
    return mix(mix(seed + GOLDEN) + GAME * game + GOLDEN)


def shuffled(key: int, deck: int) -> list[int]:
    cards = list(range(2, deck + 2))
    start = mix(key + PURPOSE * SHUFFLE)
    for i in range(deck):
        j = i + ((mix(start + GOLDEN * (i + 1)) >> 32) * (deck - i) >> 32)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


@dataclass
class Knowledge:
    """What one player may know."""

    hand: list[int]
    piles: list[int]
    needed: int
    uniform: Callable[[], float]
    trick: int
    hints: list[list[int]]


def fits(card: int, top: int, pile: int, trick: int) -> bool:
    if pile < 2:
        return card > top or (trick > 0 and card == top - trick)
    return card < top or (trick > 0 and card == top + trick)


def legal_plays(hand: list[int], piles: list[int], trick: int) -> list[tuple[int, int]]:
    return [(c, p) for c in sorted(hand) for p in range(4) if fits(c, piles[p], p, trick)]


@dataclass
class Game:
    players: int
    hand: int
    minimum: int
    minimum_when_empty: int
    end: str
    trick: int
    deck: int
    seed: int
    game: int
    events: list[tuple] = field(default_factory=list)

    def play(self, choose: Callable, speak: Callable | None = None) -> int:
        """Play a game and return the cards left."""
        self.key = game_key(self.seed, self.game)
        self.pile_of_cards = shuffled(self.key, self.deck)
        self.piles = [1, 1, self.deck + 2, self.deck + 2]
        self.hands: list[set[int]] = [set() for _ in range(self.players)]
        self.hints = [[0] * 4 for _ in range(self.players)]
        self.turn, self.put_down = 0, 0
        for p in range(self.players):
            for _ in range(self.hand):
                self.draw(p, "deal")
        player = self.players - 1
        while True:
            if self.put_down == self.deck:
                break
            if self.end == "nobody_can_play" and not any(self.legal(p) for p in range(self.players)):
                break
            player = self.next_with_cards(player)
            self.turn += 1
            if not self.take_turn(player, choose, speak):
                break
            while len(self.hands[player]) < self.hand and self.pile_of_cards:
                self.draw(player, "draw")
        left = sum(map(len, self.hands)) + len(self.pile_of_cards)
        self.note("end", -1, -1, 0, left)
        return left

    def take_turn(self, player: int, choose: Callable, speak: Callable | None) -> bool:
        """Play one turn; False if the game ends in it."""
        minimum = self.minimum if self.pile_of_cards else self.minimum_when_empty
        needed = min(minimum, len(self.hands[player]))
        while self.legal(player):
            if speak is not None:
                self.talk(player, speak)
            choice = choose(self.knowledge(player, max(needed, 0)))
            if choice is None:
                assert needed <= 0
                return True
            card, pile = choice
            assert choice in self.legal(player)
            self.note("play", player, pile, card, card - self.piles[pile] if pile < 2 else self.piles[pile] - card)
            self.hands[player].remove(card)
            self.piles[pile] = card
            self.put_down += 1
            needed -= 1
        if needed > 0 and self.end == "nobody_can_play":
            self.note("pass", player, -1, 0, needed)
            return True
        return needed <= 0

    def talk(self, player: int, speak: Callable) -> None:
        for other in range(self.players):
            if other == player:
                continue
            if not self.hands[other]:
                self.hints[other] = [0] * 4
                continue
            for pile, said in enumerate(speak(self.knowledge(other, 0))):
                if said != self.hints[other][pile]:
                    self.hints[other][pile] = said
                    self.note("hint", other, pile, 0, said)

    def knowledge(self, player: int, needed: int) -> Knowledge:
        key = mix(self.key + EPOCH * self.put_down + PLAYER * (player + 1))
        calls = [0]

        def uniform() -> float:
            calls[0] += 1
            return ((mix(key + PURPOSE * CHOICE + CALL * calls[0]) >> 11) + 0.5) * 2.0**-53

        order = [(player + k) % self.players for k in range(1, self.players)]
        heard = [list(self.hints[p]) for p in order]
        return Knowledge(sorted(self.hands[player]), list(self.piles), needed, uniform, self.trick, heard)

    def legal(self, player: int) -> list[tuple[int, int]]:
        return legal_plays(sorted(self.hands[player]), self.piles, self.trick)

    def next_with_cards(self, player: int) -> int:
        player = (player + 1) % self.players
        while not self.hands[player]:
            player = (player + 1) % self.players
        return player

    def draw(self, player: int, event: str) -> None:
        card = self.pile_of_cards.pop(0)
        self.hands[player].add(card)
        self.note(event, player, -1, card, 0)

    def note(self, event: str, player: int, pile: int, card: int, value: int) -> None:
        self.events.append((self.turn, event, player, pile, card, value))
