"""What is played: a frozen `Rules` value of The Game, its expert setting, and the rating of a result.

This file knows neither strategies nor randomness. `kernel` is the rule book, compiled; it takes these rules as the
tuple of numbers that `Rules.book` returns.

Sources
-------
Steffen Benndorf, The Game (Nuernberger-Spielkarten-Verlag), rulebook; see ``docs/the_game.md``.
"""
from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

MAX_PLAYERS = 5
MAX_HAND = 16
MAX_DECK = 98
HAND = {1: 8, 2: 7, 3: 6, 4: 6, 5: 6}
RATINGS = ("perfect", "excellent", "good", "to improve")
EXCELLENT, GOOD = 10, 20  # the most cards left with these ratings

End = Literal["player_stuck", "nobody_can_play"]
ENDS = ("player_stuck", "nobody_can_play")


class Book(NamedTuple):
    """The rules as plain numbers, for compiled functions."""

    players: int
    hand: int
    minimum: int
    minimum_when_empty: int
    passes: int  # 1: who cannot play the minimum passes
    trick: int
    deck: int


def _whole(name: str, value: object, low: int, high: int) -> None:
    """Check that `value` is an integer in low..high."""
    allowed = f"an integer in {low}..{high}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be {allowed}, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be {allowed}, not {value}")


@dataclass(frozen=True)
class Rules:
    """The rules of one game, as a value.

    Four piles: two go up from 1, two go down from 100. Between them lie the cards 2..99, each once.

    Parameters
    ----------
    players : int
        Number of players, 1..5.
    hand : int, optional
        Cards in a full hand, 1..16. None: as published, 8 for one player, 7 for two, 6 for more.
    minimum : int
        Cards that a player must play in a turn while the draw pile holds cards.
    minimum_when_empty : int
        The same once the draw pile is empty. Nobody has to play more cards than it holds.
    end : {"player_stuck", "nobody_can_play"}
        The game ends as soon as the player on turn cannot play the minimum (rulebook; what it has put down that turn
        stays), or only when nobody can play a card: who cannot play the minimum plays what it can and passes.
    trick : int
        A card exactly this far back may be played on any pile; 0: never.
    deck : int
        Number of cards, 98 as published; fewer for small studies. The cards are 2 .. deck + 1, and the piles that
        go down start at deck + 2.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, the value and what is allowed.

    Examples
    --------
    >>> Rules(players=2).full_hand
    7
    >>> Rules.expert(players=4).minimum
    3
    """

    players: int
    hand: int | None = None
    minimum: int = 2
    minimum_when_empty: int = 1
    end: End = "player_stuck"
    trick: int = 10
    deck: int = MAX_DECK

    def __post_init__(self) -> None:
        _whole("players", self.players, 1, MAX_PLAYERS)
        _whole("deck", self.deck, 1, MAX_DECK)
        if self.hand is not None:
            _whole("hand", self.hand, 1, MAX_HAND)
        if self.full_hand * self.players > self.deck:
            raise ValueError(
                f"hand must leave enough cards for all: {self.players} players x {self.full_hand} cards are more than "
                f"the {self.deck} in the deck"
            )
        _whole("minimum", self.minimum, 1, self.full_hand)
        _whole("minimum_when_empty", self.minimum_when_empty, 1, self.full_hand)
        _whole("trick", self.trick, 0, self.deck)
        if self.end not in ENDS:
            raise ValueError(f"end must be one of {', '.join(map(repr, ENDS))}, not {self.end!r}")

    @classmethod
    def expert(cls, players: int, **changes: Any) -> Rules:
        """Return the rules for experts: at least three cards a turn."""
        return cls(players, **{"minimum": 3, **changes})

    @property
    def full_hand(self) -> int:
        """Cards in a full hand."""
        return HAND[self.players] if self.hand is None else self.hand

    @property
    def cards(self) -> range:
        """All cards."""
        return range(2, self.deck + 2)

    @property
    def book(self) -> Book:
        """The rules as plain numbers, for compiled functions."""
        return Book(
            self.players, self.full_hand, self.minimum, self.minimum_when_empty,
            int(self.end == "nobody_can_play"), self.trick, self.deck,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as a dict that JSON can hold; ``Rules(**d)`` gives them back."""
        return asdict(self)


def rating(cards_left: int) -> str:
    """Rate a result as the rulebook does, by the cards left in hands and draw pile.

    Parameters
    ----------
    cards_left : int
        0 or more.

    Returns
    -------
    str
        "perfect" (0), "excellent" (1-10), "good" (11-20) or "to improve" (more).

    Examples
    --------
    >>> rating(0), rating(10), rating(20), rating(21)
    ('perfect', 'excellent', 'good', 'to improve')
    """
    _whole("cards_left", cards_left, 0, MAX_DECK)
    return RATINGS[(cards_left > 0) + (cards_left > EXCELLENT) + (cards_left > GOOD)]
