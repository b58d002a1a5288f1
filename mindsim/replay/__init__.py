"""Replays: a game seen again, as a picture of its levels or as a page with play, pause and step.

`timeline` draws lanes per player over time; `to_html` writes a page that needs nothing but a browser; `replay` gives an
object that shows itself in a notebook. Games whose events were not kept are played again, alone, from their seed.

What is where after each step is worked out in `story`; `picture` and `page` only draw it.
"""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mindsim.replay.page import Replay, replay, to_html
from mindsim.replay.picture import PICTURES, save_picture, timeline
from mindsim.replay.story import Card, Level, Plan, Step, Story, story_of

if TYPE_CHECKING:
    from mindsim.games import Games

__all__ = ["Card", "Level", "Plan", "Replay", "Step", "Story", "replay", "story_of", "timeline", "to_html", "write"]


def write(games: Games, game: int, out: str | Path, level: int | None = None) -> None:
    """Write a game to a file: a page or, by the end of the name, a picture.

    Parameters
    ----------
    games : Games
    game : int
        The game's number.
    out : path
        Ends in .html, .png, .svg or .pdf.
    level : int, optional
        In a picture: this level only.

    Raises
    ------
    ValueError
        If the name ends otherwise.
    """
    out = Path(out)
    if out.suffix == ".html":
        replay(games, game).save(out)
    elif out.suffix in PICTURES:
        save_picture(games, game, out, level)
    else:
        raise ValueError(f"out must end in .html, {', '.join(PICTURES)}, not {out.name!r}")
