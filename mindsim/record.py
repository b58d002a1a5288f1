"""Writing down what happened: events, and every intention if wished, as data frames.

The compiled code writes codes and ranks into a log; here they become words and printed cards, when somebody asks.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mindsim import state
from mindsim.observation import Observation
from mindsim.rules import COLOURS, Rules, rank_to_value

if TYPE_CHECKING:
    import pandas as pd

    from mindsim.simulate import Batch

OUTCOMES = ("won", "lost", "stalled")
CAUSES = ("policy", "clock", "reaction", "tie", "blind")
EVENTS = {
    state.SEE_LEVEL: "level", state.SEE_PLAY: "play", state.SEE_MISTAKE: "mistake", state.SEE_STAR: "star",
    state.SEE_STOP: "stop", state.LOG_DISCARD: "discard", state.LOG_REWARD: "reward", state.LOG_END: "end",
    state.LOG_DEAL: "deal",
}  # fmt: skip
_CAUSE_WORDS = {
    state.SEE_MISTAKE: CAUSES,
    state.LOG_DISCARD: ("", "mistake", "star"),
    state.LOG_REWARD: ("", "life", "star"),
    state.LOG_END: OUTCOMES,
}


RECORDED = 4096  # games advanced together while events are written
EPOCHS_OF_LOG = 8  # the log has room for all that may happen in so many epochs; usually much less does


class EventLog:
    """Events as the compiled code wrote them, in pieces of (number of the first game, games, codes, level times)."""

    def __init__(self, rules: Rules, pieces: list[tuple[int, Any, Any, Any]]) -> None:
        self.rules, self.pieces = rules, pieces

    def frame(self) -> pd.DataFrame:
        """Everything that happened, one row each, game by game."""
        game = np.concatenate([first + game.astype(np.int64) for first, game, _, _ in self.pieces])
        what, when = (np.concatenate(parts) for parts in list(zip(*self.pieces, strict=True))[2:])
        order = np.argsort(game, kind="stable")
        return _event_frame(game[order], what[order], when[order], self.rules)


class Recorder:
    """Keeps the log of a batch, and the intentions of every epoch if `waits`."""

    def __init__(self, rules: Rules | None, first: int = 0, *, waits: bool = False) -> None:
        self._rules, self._waits, self._first = rules, waits, first
        self._full: list[tuple[int, Any, Any, Any]] = []
        self._epochs: list[dict[str, Any]] = []
        self._bound = 0
        self.log = _log(first, 0)

    @classmethod
    def of(cls, record: bool | str, rules: Rules, first: int) -> Recorder:
        """A recorder for ``simulate(record=...)``."""
        return cls(rules if record else None, first, waits=record == "waits")

    def make_room(self, n_games: int) -> None:
        """Room for all that may happen to n games in one epoch."""
        if self._rules is None:
            return
        cards = max(level.cards for level in self._rules.levels) * self._rules.players
        self._bound = 4 * cards + 4 * self._rules.players * self._rules.tracks + 8
        self._room = EPOCHS_OF_LOG * n_games * self._bound
        self.log = _log(self._first, self._room)

    def before(self, batch: Batch) -> None:
        """Called when all have decided and nothing has happened yet."""
        if self._rules is None:
            return
        if int(self.log.n[0]) + len(batch.live) * self._bound > len(self.log.when):
            self._turn_over()
        if self._waits:
            self._epochs.append(_intentions(batch))
            self._logged = int(self.log.n[0])

    def after(self, batch: Batch) -> None:
        """Called when the epoch has happened: which intentions were carried out?"""
        if not self._waits:
            return
        new = slice(self._logged, int(self.log.n[0]))
        played = self.log.what[new, 1] == state.SEE_PLAY
        plays, game = self.log.what[new][played].astype(np.int64), self.log.game[new][played].astype(np.int64)
        tracks = batch.rules.tracks
        places = batch.rules.players * tracks
        done = (game + self._first) * places + plays[:, 2] * tracks + plays[:, 3]
        epoch = self._epochs[-1]
        mine = epoch["game"] * places + epoch["player"] * tracks + epoch["track"]
        epoch["carried_out"] = np.isin(mine, done)

    def events(self) -> EventLog | None:
        """Everything that happened; None if nothing was recorded."""
        if self._rules is None:
            return None
        self._turn_over()
        return EventLog(self._rules, self._full)

    def _turn_over(self) -> None:
        """Keep what is in the log, and begin another; memory that was never written to costs nothing."""
        n = int(self.log.n[0])
        self._full.append((self._first, self.log.game[:n], self.log.what[:n], self.log.when[:n]))
        self.log = _log(self._first, self._room)

    def waits(self) -> pd.DataFrame | None:
        """Every intention, one row for each epoch, player and track with a card; None if they were not recorded."""
        if not self._waits or self._rules is None:
            return None
        import pandas as pd

        columns = {name: np.concatenate([epoch[name] for epoch in self._epochs]) for name in self._epochs[0]}
        frame = pd.DataFrame(columns)
        colours = np.array(["", ""] if self._rules.tracks == 1 else COLOURS, object)
        colour = pd.Series(pd.Categorical(colours[frame.pop("track").to_numpy()], ["", *COLOURS]))
        frame.insert(5, "colour", colour)
        return frame.sort_values(["game", "epoch", "player", "colour"], kind="stable", ignore_index=True)


def _log(first: int, room: int) -> state.Log:
    game, what, when = np.empty(room, np.int32), np.empty((room, 8), np.int16), np.empty(room)
    return state.Log(first, game, what, when, np.zeros(1, np.int64))


def _intentions(batch: Batch) -> dict[str, Any]:
    """All rows of an epoch: what their players knew, intended, and when it would have happened."""
    rows = batch.rows
    at = np.concatenate([rows.at[begin:end] for begin, end in zip(rows.begin, rows.filled, strict=True)])
    places = batch.rules.players * batch.rules.tracks
    slot = batch.live[at // places]
    obs = Observation(batch.view, slot, (at % places).astype(np.uint8), 0)
    records = batch.records
    return {
        "game": records["game"][slot],
        "level": obs.level,
        "epoch": records["epoch"][slot].astype(np.int64),
        "time": records["elapsed"][slot],
        "player": obs._player,
        "track": obs.track,
        "card": obs.card,
        "top": obs.top,
        "gap": obs.gap,
        "others_cards": obs.others_cards,
        "elapsed": obs.elapsed,
        "since_top": obs.since_top,
        "intended": rows.intended[at],
        "executed": rows.executed[at],
        "carried_out": np.zeros(len(at), bool),
    }


def _event_frame(game: Any, what: Any, when: Any, rules: Rules) -> pd.DataFrame:
    """Codes become words, ranks become printed cards."""
    import pandas as pd

    what = what.astype(np.int64)
    event, track, rank = what[:, 1], what[:, 3], what[:, 4]
    red = (track == 1) & (rules.tracks > 1)
    card = np.where(rank == 0, 0, np.where(red, rank_to_value(1, rank, rules.ranks), rank))
    colour = np.where(rank == 0, 0, np.where(red, 2, 1)) if rules.tracks > 1 else np.zeros(len(rank), np.int64)
    causes = ["", *sorted({word for words in _CAUSE_WORDS.values() for word in words if word})]
    cause = np.zeros(len(event), np.int64)
    for code, words in _CAUSE_WORDS.items():
        here = event == code
        cause[here] = np.array([causes.index(word) for word in words])[what[here, 7]]
    names = [EVENTS[code] for code in sorted(EVENTS)]
    return pd.DataFrame(
        {
            "game": game,
            "level": what[:, 0],
            "time": when,
            "event": pd.Categorical.from_codes(event, names),  # type: ignore[call-overload]
            "player": what[:, 2],
            "colour": pd.Categorical.from_codes(colour, ["", *COLOURS]),  # type: ignore[call-overload]
            "card": card,
            "lives": what[:, 5],
            "stars": what[:, 6],
            "cause": pd.Categorical.from_codes(cause, causes),  # type: ignore[call-overload]
        }
    )
