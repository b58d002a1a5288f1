"""The story of one game: its cards, its steps and its plans, from the events that were recorded.

A *step* is a moment that somebody watching would name: a level begins, a card is put down (with the mistake it may be),
a star, a stop, a pile is read, a level or the game ends. Every card keeps the steps at which something happened to it,
so what is where after any step can be looked up. Pictures and pages are drawn from this alone (`picture`, `page`).
"""
from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mindsim.rules import COLOURS, Rules, rank_to_value

if TYPE_CHECKING:
    import pandas as pd

    from mindsim.games import Games

CAUSES = {
    "policy": "a wrong card was planned first",
    "clock": "a right card was planned first",
    "reaction": "it was already in flight",
    "tie": "a fair draw among equal moments",
    "blind": "found when the pile was read",
}


@dataclass
class Card:
    """A card and what became of it.

    ``fate`` holds (step, what) in order; what is ``played``, ``down`` (put down unseen), ``early`` (it lies on the
    pile, but was put down too early), ``aside`` (set aside by a mistake) or ``star`` (by a star). Before: in hand.
    """

    player: int
    track: int
    name: str
    fate: list[tuple[int, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The card in a sentence."""
        colour = {"w": "white ", "r": "red "}.get(self.name[0], "")
        return colour + self.name.lstrip("wr")


@dataclass
class Step:
    """A moment, and the team's lives and stars after it. ``kind``: level, play, star, stop, read, done or end."""

    time: float
    kind: str
    text: str
    lives: int
    stars: int
    player: int = -1
    cause: str = ""


@dataclass
class Plan:
    """An intention: made at `step`, when `card` would have been put down. Moments are level time; None: never."""

    step: int
    player: int
    card: str
    begun: float
    intended: float | None
    executed: float | None
    done: bool


@dataclass
class Level:
    """A level as it was played."""

    number: int
    face_down: tuple[bool, ...]
    cards: list[Card] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)

    @property
    def time(self) -> float:
        """Level time at its end, in seconds."""
        return self.steps[-1].time


@dataclass
class Story:
    """One game: who played what by which rules, level by level."""

    game: int
    seed: int
    team: list[str]
    outcome: str
    has_waits: bool
    levels: list[Level]

    def as_dict(self) -> dict[str, Any]:
        """Plain lists and dictionaries, for JSON."""
        return asdict(self)

    def level(self, number: int) -> Level:
        """A level by its number.

        Raises
        ------
        ValueError
            If the game did not come so far.
        """
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"level must be a number in 1..{len(self.levels)}, not {number!r}")
        if not 1 <= number <= len(self.levels):
            raise ValueError(f"level must be in 1..{len(self.levels)}, the levels that were played, not {number}")
        return self.levels[number - 1]


def story_of(games: Games, game: int) -> Story:
    """The story of one game, by its number; played again, alone, if its events were not kept.

    Raises
    ------
    TypeError, ValueError
        If there is no such game, or it cannot be played again from its seed.
    """
    source = _with_events(games, _checked(games, game))
    events = source.events[source.events["game"] == game]
    waits = None if source._waits is None else source.waits[source.waits["game"] == game]
    levels = []
    for number in range(1, int(events["level"].max()) + 1):
        level = Level(number, games.rules.levels[number - 1].hidden(games.rules.tracks))
        _Teller(level).tell(events[events["level"] == number])
        if waits is not None:
            level.plans = _plans(waits[waits["level"] == number], level, games.rules)
        levels.append(level)
    outcome = str(games.outcome[game - games.first_game])
    return Story(int(game), int(games.seed), [_name(p) for p in games.team], outcome, waits is not None, levels)


def _checked(games: Games, game: object) -> int:
    first, last = games.first_game, games.first_game + games.n_games - 1
    if isinstance(game, bool) or not isinstance(game, (int, np.integer)):
        raise TypeError(f"game must be the number of a game, {first}..{last}, not {game!r}")
    if not first <= game <= last:
        raise ValueError(f"game must be the number of a game, {first}..{last}, not {game}")
    return int(game)


def _with_events(games: Games, game: int) -> Games:
    """Games in which this one was recorded: these, or the same game played again alone."""
    if games._log is not None:
        return games
    from mindsim.simulate import simulate

    again = simulate(games.rules, games.team, 1, games.seed, first_game=game, record="waits")
    i = game - games.first_game
    kept = (games.outcome[i], games.level_reached[i], games.lives[i], games.epochs[i])
    new = (again.outcome[0], again.level_reached[0], again.lives[0], again.epochs[0])
    if kept != new or not np.isclose(games.duration[i], again.duration[0]):
        raise ValueError(
            f"game {game} cannot be played again from seed {games.seed}: it comes out differently, as it does if its "
            "hands were given (deals=) or a policy draws numbers of its own; record it: simulate(..., record=True)"
        )
    return again


def _name(player: Any) -> str:
    """A player in one line: its policy, and whatever is not as usual."""
    parts = {"": player.policy, "clock ": player.clock, "stars ": player.stars, "stops ": player.stops}
    named = {word: _plain(part) for word, part in parts.items()}
    shown = [word + text for word, text in named.items() if not word or text not in ("Exact()", "Never()")]
    return ", ".join(shown + ([f"reaction {_plain(player.reaction)}"] if player.reacts else []))


def _plain(part: Any) -> str:
    """A part of a player as it was written; without an address in memory."""
    if hasattr(part, "__name__"):
        return str(part.__name__)
    return type(part).__name__ if " at 0x" in repr(part) else repr(part)


def _card_name(colour: str, value: int) -> str:
    """A card in a few letters: ``8`` with one track, ``w8`` or ``r33`` with two."""
    return f"{colour[:1]}{value}"


class _Teller:
    """Turns the events of a level into cards and steps, row by row."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.where: dict[str, Card] = {}
        self.unread = any(level.face_down)

    def tell(self, rows: pd.DataFrame) -> None:
        """Fill the level."""
        for row in rows.itertuples(index=False):
            getattr(self, f"_{row.event}")(row)
        last = self.level.steps[-1]
        if last.kind not in ("done", "end"):
            self._complete(last)

    def _add(self, row: Any, kind: str, text: str, cause: str = "") -> None:
        team = (int(row.lives), int(row.stars))
        self.level.steps.append(Step(float(row.time), kind, text, *team, int(row.player), cause))

    def _card(self, row: Any) -> Card:
        return self.where[_card_name(row.colour, row.card)]

    def _mark(self, card: Card, what: str) -> None:
        """Something happens to a card in the last step."""
        now = len(self.level.steps) - 1
        if card.fate and card.fate[-1][0] == now:
            card.fate.pop()
        card.fate.append((now, what))

    def _deal(self, row: Any) -> None:
        name = _card_name(row.colour, row.card)
        self.where[name] = Card(int(row.player), int(row.colour == COLOURS[1]), name)
        self.level.cards.append(self.where[name])

    def _level(self, row: Any) -> None:
        hidden = [c for c, h in zip(("white", "red"), self.level.face_down, strict=False) if h]
        how = "" if not hidden else ", face down" if all(self.level.face_down) else f", {hidden[0]} face down"
        self._add(row, "level", f"Level {self.level.number} begins{how}")

    def _play(self, row: Any) -> None:
        card = self._card(row)
        down = self.level.face_down[card.track]
        self._add(row, "play", f"player {row.player} plays {card.text}" + (", face down" if down else ""))
        self._mark(card, "down" if down else "played")

    def _mistake(self, row: Any) -> None:
        card, last = self._card(row), self.level.steps[-1]
        if row.cause == "blind":
            self._read(row)
            self._add(row, "read", f"player {row.player}'s {card.text} was put down too early", "blind")
        else:
            last.text += ", too early"
        last = self.level.steps[-1]
        last.lives, last.cause = int(row.lives), str(row.cause)
        last.text += f": a life is lost ({CAUSES[last.cause]})"
        self._mark(card, "early")

    def _read(self, row: Any) -> None:
        """The face-down piles are turned up."""
        if not self.unread:
            return
        self.unread = False
        before = self.level.steps[-1]
        self.level.steps.append(
            Step(float(row.time), "read", "the pile is turned up and read", before.lives, before.stars)
        )
        for card in self.level.cards:
            if card.fate and card.fate[-1][1] == "down":
                self._mark(card, "played")

    def _discard(self, row: Any) -> None:
        card, last = self._card(row), self.level.steps[-1]
        joined = ", " if "set aside" in last.text else "; set aside: "
        last.text += f"{joined}{card.text} (player {row.player})"
        self._mark(card, "star" if row.cause == "star" else "aside")

    def _star(self, row: Any) -> None:
        self._add(row, "star", f"player {row.player} raises a hand, all consent: a star is used")

    def _stop(self, row: Any) -> None:
        self._add(row, "stop", f"player {row.player} calls stop")

    def _reward(self, row: Any) -> None:
        self._complete(row)
        last = self.level.steps[-1]
        last.text += f"; the team gains a {row.cause}"
        last.lives, last.stars = int(row.lives), int(row.stars)

    def _complete(self, row: Any) -> None:
        self._read(row)
        last = self.level.steps[-1]
        text = f"Level {self.level.number} is completed"
        self.level.steps.append(Step(float(row.time), "done", text, last.lives, last.stars))

    def _end(self, row: Any) -> None:
        if row.cause == "won":
            if self.level.steps[-1].kind != "done":
                self._complete(row)
            self.level.steps[-1].text += ": the game is won"
            return
        text = {"lost": "The last life is lost: the game is over", "stalled": "The game has stalled: it counts as lost"}
        self._add(row, "end", text[row.cause])


def _plans(waits: pd.DataFrame, level: Level, rules: Rules) -> list[Plan]:
    """The intentions of a level, each with the step at which it was made."""
    plans, step = [], 0
    for _, rows in waits.groupby("epoch", sort=True):
        plans += [_plan(row, step, rules) for row in rows.itertuples(index=False)]
        step = _after(level, step, int(rows["carried_out"].sum()))
    return plans


def _after(level: Level, step: int, plays: int) -> int:
    """The step that ends an epoch begun at `step`: its last card, or else the star or stop."""
    wanted = ["play"] * plays or ["star", "stop"]
    for i in range(step + 1, len(level.steps)):
        if level.steps[i].kind in wanted:
            plays -= 1
            if plays <= 0:
                return i
    return step


def _plan(row: Any, step: int, rules: Rules) -> Plan:
    track = int(row.colour == COLOURS[1])
    name = _card_name(row.colour, rank_to_value(track, row.card, rules.ranks))
    intended, executed = (float(row.time + w) if np.isfinite(w) else None for w in (row.intended, row.executed))
    return Plan(step, int(row.player), name, float(row.time), intended, executed, bool(row.carried_out))
