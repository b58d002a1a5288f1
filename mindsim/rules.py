"""What game is played: frozen `Rules` and `Level` values, the published sets, and cards as people print them.

This file knows no time, no players' minds and no randomness. The engine (`rulebook`, `kernel`) knows ranks only;
printed values (white 8, red 33) are turned into ranks and back here.

Sources
-------
The rulebooks of The Mind and The Mind Extreme (Wolfgang Warsch, Nuernberger-Spielkarten-Verlag); see ``docs/rules.md``.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

MAX_RANK = 127  # a hand is two 64-bit words
MAX_PLAYERS = 16
COLOURS = ("white", "red")

Reward = Literal["life", "star"] | None
FaceDown = bool | tuple[bool, bool]
BlindCount = Literal["as_face_up", "breaks"]
Card = int | tuple[str, int]

_N_LEVELS = {2: 12, 3: 10, 4: 8}
_REWARDS: dict[int, Reward] = {2: "star", 3: "life", 5: "star", 6: "life", 8: "star", 9: "life"}
_EXTREME_FACE_DOWN = {3: "white", 6: "both", 10: "both"}
_COLOUR_SETS = {"white": (True, False), "red": (False, True), "both": (True, True)}


def _whole(name: str, value: object, low: int, high: int | None = None) -> None:
    """Check that `value` is an integer in low..high."""
    allowed = f"an integer of at least {low}" if high is None else f"an integer in {low}..{high}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be {allowed}, not {value!r}")
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name} must be {allowed}, not {value}")


def _seconds(name: str, value: object, low: float) -> None:
    """Check that `value` is a finite number of seconds, at least `low`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number of seconds, not {value!r}")
    if not low <= value < float("inf"):
        raise ValueError(f"{name} must be a finite number of seconds, at least {low:g}, not {value!r}")


@dataclass(frozen=True)
class Level:
    """One level of a game.

    Parameters
    ----------
    cards : int
        Cards dealt to each player, at least 1.
    reward : {"life", "star", None}
        What the team gets when the level is completed (up to the caps of the rules).
    face_down : bool or pair of bool
        Whether cards are put down unseen and read only when all hands are empty. With two tracks a pair
        (white, red); a single bool stands for both.
    time_limit : float, optional
        Seconds of level time after which the game ends ``stalled``. None: no limit.

    Examples
    --------
    >>> Level(cards=3, reward="life")
    Level(cards=3, reward='life', face_down=False, time_limit=None)
    """

    cards: int
    reward: Reward = None
    face_down: FaceDown = False
    time_limit: float | None = None

    def __post_init__(self) -> None:
        _whole("Level.cards", self.cards, 1)
        if self.reward not in ("life", "star", None):
            raise ValueError(f'Level.reward must be "life", "star" or None, not {self.reward!r}')
        if isinstance(self.face_down, list):
            object.__setattr__(self, "face_down", tuple(self.face_down))
        pair = self.face_down if isinstance(self.face_down, tuple) else (self.face_down,)
        if len(pair) not in (1, 2) or not all(isinstance(x, bool) for x in pair):
            raise ValueError(
                f"Level.face_down must be True, False or, with two tracks, a pair (white, red), not {self.face_down!r}"
            )
        if self.time_limit is not None:
            _seconds("Level.time_limit", self.time_limit, 0.0)

    def hidden(self, tracks: int) -> tuple[bool, ...]:
        """For each track, whether it is built face down."""
        return self.face_down if isinstance(self.face_down, tuple) else (self.face_down,) * tracks


@dataclass(frozen=True)
class Rules:
    """The rules of one game, as a value.

    Parameters
    ----------
    players : int
        Number of players, 1..16.
    levels : sequence of Level
        The levels in order; at least one.
    lives, stars : int
        What the team starts with: at least one life, no star or more.
    max_lives, max_stars : int
        Rewards do not raise lives and stars above these caps (published: 5 and 3); the surplus is lost.
    deck : int
        Cards in all, shared equally by the tracks (at most 127 a track).
    tracks : {1, 2}
        One ordered pile, or two (white ascending, red descending).
    refocus_seconds : float
        Added to a game's duration at each level start, star, stop and epoch with mistakes. Not level time.
    max_stops : int
        How often in a level the team may call stop; 0: never.
    blind_count : {"as_face_up", "breaks"}
        How a face-down pile is read; see ``docs/rules.md``.
    max_epochs : int
        A level that is not completed after this many epochs ends the game ``stalled``.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, the value and what is allowed.

    Examples
    --------
    >>> Rules(players=2, levels=[Level(cards=8)], lives=1, stars=0).n_levels
    1
    >>> Rules.the_mind(players=4).lives
    4
    """

    players: int
    levels: tuple[Level, ...]
    lives: int
    stars: int
    max_lives: int = 5
    max_stars: int = 3
    deck: int = 100
    tracks: int = 1
    refocus_seconds: float = 0.0
    max_stops: int = 0
    blind_count: BlindCount = "as_face_up"
    max_epochs: int = 10_000

    def __post_init__(self) -> None:
        _whole("players", self.players, 1, MAX_PLAYERS)
        _whole("tracks", self.tracks, 1, 2)
        _whole("lives", self.lives, 1, 100)
        _whole("stars", self.stars, 0, 100)
        _whole("max_lives", self.max_lives, 1, 100)
        _whole("max_stars", self.max_stars, 0, 100)
        _whole("max_stops", self.max_stops, 0, 1_000_000_000)
        _whole("max_epochs", self.max_epochs, 1, 1_000_000_000)
        _seconds("refocus_seconds", self.refocus_seconds, 0.0)
        if self.blind_count not in ("as_face_up", "breaks"):
            raise ValueError(f'blind_count must be "as_face_up" or "breaks", not {self.blind_count!r}')
        self._check_deck()
        self._check_levels()

    def _check_deck(self) -> None:
        _whole("deck", self.deck, 1, MAX_RANK * self.tracks)
        if self.deck % self.tracks:
            raise ValueError(f"deck must be shared equally by {self.tracks} tracks, which {self.deck} cards are not")

    def _check_levels(self) -> None:
        if isinstance(self.levels, (str, Level)) or not isinstance(self.levels, Iterable):
            raise TypeError(f"levels must be a sequence of Level, not {self.levels!r}")
        object.__setattr__(self, "levels", tuple(self.levels))
        if not self.levels:
            raise ValueError("levels must hold at least one Level, not none")
        if len(self.levels) > 1000:
            raise ValueError(f"levels must hold at most 1000 Levels, not {len(self.levels)}")
        for number, level in enumerate(self.levels, start=1):
            if not isinstance(level, Level):
                raise TypeError(f"levels must be a sequence of Level, but entry {number} is {level!r}")
            if level.cards * self.players > self.deck:
                raise ValueError(
                    f"level {number} deals {level.cards} cards to each of {self.players} players, "
                    f"more than the deck of {self.deck} holds"
                )
            if isinstance(level.face_down, tuple) and len(level.face_down) != self.tracks:
                raise ValueError(
                    f"level {number}: face_down must be one bool or {self.tracks} of them, not {level.face_down!r}"
                )

    @property
    def n_levels(self) -> int:
        """How many levels there are."""
        return len(self.levels)

    @property
    def ranks(self) -> int:
        """Cards on each track."""
        return self.deck // self.tracks

    @classmethod
    def the_mind(cls, players: int, *, lives: int | None = None, stars: int = 1) -> Rules:
        """The Mind as published: 12, 10 or 8 levels for 2, 3 or 4 players, as many lives as players, one star.

        Parameters
        ----------
        players : {2, 3, 4}
        lives, stars : int, optional
            Other starting values than the published ones.

        Examples
        --------
        >>> [len(Rules.the_mind(p).levels) for p in (2, 3, 4)]
        [12, 10, 8]
        """
        return cls(players, _published(players), players if lives is None else lives, stars)

    @classmethod
    def blind(cls, players: int, *, lives: int | None = None, stars: int = 1) -> Rules:
        """The blind challenge: the levels of `the_mind`, all face down.

        Examples
        --------
        >>> Rules.blind(4, lives=3, stars=2).levels[0].face_down
        True
        """
        return cls(players, _published(players, _all_hidden), players if lives is None else lives, stars)

    @classmethod
    def campaign(cls, players: int, *, lives: int | None = None, stars: int = 1) -> Rules:
        """The levels of `the_mind` face up, then once more face down with the lives and stars that are left.

        Examples
        --------
        >>> Rules.campaign(4).n_levels
        16
        """
        levels = _published(players) + _published(players, _all_hidden)
        return cls(players, levels, players if lives is None else lives, stars)

    @classmethod
    def extreme(
        cls,
        players: int,
        *,
        lives: int | None = None,
        stars: int = 1,
        face_down: Mapping[int, str] | None = None,
    ) -> Rules:
        """The Mind Extreme: white 1..50 up and red 50..1 down, dealt from one shuffled deck of 100.

        Parameters
        ----------
        players : {2, 3, 4}
        face_down : mapping from level number to {"white", "red", "both"}, optional
            Which colours are built face down. Default: level 3 white, levels 6 and 10 both. The printed level cards
            hide more, but the sources do not say where.

        Examples
        --------
        >>> Rules.extreme(4).levels[2].face_down
        (True, False)
        """
        hidden = dict(_EXTREME_FACE_DOWN) if face_down is None else dict(face_down)
        _check_players(players)
        for number, colour in hidden.items():
            _whole("face_down: a level number", number, 1)
            if colour not in _COLOUR_SETS:
                raise ValueError(f'face_down: level {number} must be "white", "red" or "both", not {colour!r}')
            if face_down is not None and number > _N_LEVELS[players]:
                raise ValueError(f"face_down: there is no level {number}; {players} players play {_N_LEVELS[players]}")

        def of(level: int) -> FaceDown:
            return _COLOUR_SETS[hidden[level]] if level in hidden else (False, False)

        return cls(players, _published(players, of), players if lives is None else lives, stars, tracks=2)


def _all_hidden(level: int) -> FaceDown:
    return True


def _check_players(players: object) -> None:
    if isinstance(players, bool) or not isinstance(players, int):
        raise TypeError(f"players must be 2, 3 or 4 for the published levels, not {players!r}")
    if players not in _N_LEVELS:
        raise ValueError(
            f"players must be 2, 3 or 4 for the published levels, not {players}; "
            "for other numbers give Rules(players=..., levels=...) the levels yourself"
        )


def _published(players: int, face_down: Any = lambda level: False) -> tuple[Level, ...]:
    """The published levels for 2, 3 or 4 players: level l deals l cards."""
    _check_players(players)
    numbers = range(1, _N_LEVELS[players] + 1)
    return tuple(Level(n, _REWARDS.get(n), face_down(n)) for n in numbers)


def card_to_rank(card: object, rules: Rules) -> tuple[int, int]:
    """Turn a printed card into (track, rank).

    With one track a card is its number; with two it is ("white", 8) or ("red", 33), and red 50 has rank 1.

    Raises
    ------
    TypeError, ValueError
        If there is no such card.

    Examples
    --------
    >>> card_to_rank(("red", 33), Rules.extreme(2))
    (1, 18)
    """
    if rules.tracks == 1:
        allowed = f"a whole number in 1..{rules.ranks}"
        track, value = 0, card
    else:
        allowed = f'("white", n) or ("red", n) with n in 1..{rules.ranks}'
        if not isinstance(card, (tuple, list)) or len(card) != 2 or card[0] not in COLOURS:
            raise ValueError(f"a card must be {allowed}, not {card!r}")
        track, value = COLOURS.index(card[0]), card[1]
    try:
        whole = not isinstance(value, bool) and int(value) == value  # type: ignore[call-overload]
    except (TypeError, ValueError):
        whole = False
    if not whole or not 1 <= int(value) <= rules.ranks:  # type: ignore[call-overload]
        raise ValueError(f"a card must be {allowed}, not {card!r}")
    number = int(value)  # type: ignore[call-overload]
    return track, (number if track == 0 else rules.ranks + 1 - number)


def rank_to_value(track: int, rank: int, ranks: int) -> int:
    """The printed value of a card: white counts up, red down.

    Examples
    --------
    >>> rank_to_value(1, 18, 50)
    33
    """
    return rank if track == 0 else ranks + 1 - rank
