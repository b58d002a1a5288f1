"""A replay as one page of HTML: the story as JSON inside a fixed page (`page.html`).

The page loads nothing, and says so to the browser by its content security policy.
"""
from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from mindsim.replay.story import Story, story_of

if TYPE_CHECKING:
    from mindsim.games import Games

HEIGHT = 820  # pixels, in a notebook
_UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}  # what could end a script, or begin markup


@dataclass(frozen=True)
class Replay:
    """A game that shows itself: in a notebook, or written to a file.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(0.05), n_games=3, seed=1)
    >>> games.replay(2)
    <Replay: game 2 of seed 1, won, 12 levels>
    """

    story: Story

    def to_html(self) -> str:
        """The whole page."""
        page = files("mindsim.replay").joinpath("page.html").read_text(encoding="utf-8")
        story = self.story
        title = f"Game {story.game} of seed {story.seed}: {story.outcome}"
        data = json.dumps(story.as_dict(), allow_nan=False, separators=(",", ":")).translate(_UNSAFE)
        return page.replace("{{title}}", escape(title)).replace("{{data}}", data)

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.to_html(), encoding="utf-8")

    def __repr__(self) -> str:
        story = self.story
        return f"<Replay: game {story.game} of seed {story.seed}, {story.outcome}, {len(story.levels)} levels>"

    def _repr_html_(self) -> str:
        """In a frame of its own, so that several replays, and the notebook, do not disturb each other."""
        return (
            f'<iframe title="Replay of game {self.story.game}" sandbox="allow-scripts" '
            f'style="width:100%;height:{HEIGHT}px;border:0" srcdoc="{escape(self.to_html())}"></iframe>'
        )


def replay(games: Games, game: int) -> Replay:
    """A game to be seen again, step by step.

    Parameters
    ----------
    games : Games
    game : int
        The game's number. If its events were not kept, it is played again, alone, from its seed.

    Returns
    -------
    Replay
        Shows itself in a notebook; `Replay.save` writes a page that needs nothing but a browser.

    Raises
    ------
    TypeError, ValueError
        If there is no such game, or it cannot be played again (hands given by ``deals=`` are not kept).

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(0.05), n_games=3, seed=1, record="waits")
    >>> replay(games, 0).story.levels[0].steps[0].text
    'Level 1 begins'
    """
    return Replay(story_of(games, game))


def to_html(games: Games, game: int) -> str:
    """The page of a replay, as text.

    Parameters
    ----------
    games : Games
    game : int
        The game's number.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(0.05), n_games=1, seed=1)
    >>> to_html(games, 0)[:15]
    '<!doctype html>'
    """
    return replay(games, game).to_html()
