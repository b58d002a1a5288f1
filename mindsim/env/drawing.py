"""A table as text and as a picture, with all hands open: for people who watch a game being played.

The picture is made of rectangles. Its top line has a red square per life and a yellow one per star, and a bar for the
level. Below, each track has a band: a grey line from the lowest rank to the pile's top, and a line per player with a
tick at each card held. What this file leaves to others: replays and plots of whole games.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindsim import rng
from mindsim.observation import Observation, View
from mindsim.rules import COLOURS, Rules, rank_to_value

Picture = NDArray[np.uint8]
_EDGE, _LINE, _TICK = 8, 14, 4  # pixels: margin, height of a line, width of a rank
_PAPER, _GREY, _RED, _YELLOW, _BLUE = (250, 250, 245), (150, 150, 150), (200, 40, 40), (230, 180, 30), (40, 90, 170)
_PLAYERS = ((31, 119, 180), (255, 127, 14), (44, 160, 44), (148, 103, 189), (140, 86, 75), (227, 119, 194))


class Position(NamedTuple):
    """How a game stands."""

    rules: Rules
    level: int
    lives: int
    stars: int
    elapsed: float
    hands: list[list[list[int]]]  # [track][player] ranks
    tops: list[int]  # highest rank on each pile (face down: that anybody knows)
    face_down: list[bool]
    on_pile: list[int]  # cards on a face-down pile

    @classmethod
    def of(cls, view: View, rules: Rules) -> Position:
        """How the first game of a batch stands."""
        record = view.games[0]
        hands, tops = [], []
        for t in range(rules.tracks):
            places = np.arange(t, rules.players * rules.tracks, rules.tracks, dtype=np.uint8)
            seen = Observation(view, np.zeros(rules.players, np.int32), places, rng.WATCH)
            hands.append([[int(rank) for rank in hand if rank] for hand in seen.hand])
            tops.append(int(seen.top.max()))
        return cls(
            rules, int(record["level"]) + 1, int(record["lives"]), int(record["stars"]), float(record["elapsed"]),
            hands, tops, [bool(hidden) for hidden in record["hidden"]], [int(n) for n in record["on_pile"]],
        )  # fmt: skip


def text(position: Position) -> str:
    """A few lines of plain text."""
    rules = position.rules
    lines = [
        f"level {position.level} of {rules.n_levels}   lives {max(position.lives, 0)}   stars {position.stars}   "
        f"{position.elapsed:.2f} s"
    ]
    for t in range(rules.tracks):
        name = f"{COLOURS[t]} " if rules.tracks == 2 else ""
        if position.face_down[t]:
            lines.append(f"{name}pile: {position.on_pile[t]} face down")
        else:
            top = position.tops[t]
            lines.append(f"{name}pile: {rank_to_value(t, top, rules.ranks) if top else '-'}")
        for p, hand in enumerate(position.hands[t]):
            cards = " ".join(str(rank_to_value(t, rank, rules.ranks)) for rank in hand)
            lines.append(f"  player {p}: {cards or '-'}")
    return "\n".join(lines)


def picture(position: Position) -> Picture:
    """An image, uint8[height, width, 3]."""
    rules = position.rules
    band = _LINE * (rules.players + 1) + _EDGE
    width = max(_TICK * (rules.ranks + 1), _LINE * (rules.max_lives + rules.max_stars + 2)) + 2 * _EDGE
    image = np.full((2 * _LINE + _EDGE + band * rules.tracks, width, 3), _PAPER, np.uint8)
    _status(image, position)
    for t in range(rules.tracks):
        y = 2 * _LINE + _EDGE + band * t
        pile = _BLUE if position.face_down[t] else _GREY
        _block(image, y + 4, _EDGE, 6, _TICK * position.tops[t], pile)
        for p, hand in enumerate(position.hands[t]):
            for rank in hand:
                x, colour = _EDGE + _TICK * (rank - 1), _PLAYERS[p % len(_PLAYERS)]
                _block(image, y + _LINE * (p + 1) + 1, x, _LINE - 2, _TICK - 1, colour)
    return image


def _status(image: Picture, position: Position) -> None:
    """Lives, stars and the level."""
    x = _EDGE
    for n, colour in ((position.lives, _RED), (position.stars, _YELLOW)):
        for _ in range(max(n, 0)):
            _block(image, 4, x, _LINE - 4, _LINE - 4, colour)
            x += _LINE
        x += _LINE
    whole = image.shape[1] - 2 * _EDGE
    _block(image, _LINE + 4, _EDGE, 6, whole, (225, 225, 220))
    _block(image, _LINE + 4, _EDGE, 6, whole * position.level // position.rules.n_levels, _BLUE)


def _block(image: Picture, y: int, x: int, height: int, width: int, colour: tuple[int, int, int]) -> None:
    image[y : y + height, x : x + width] = colour
