"""What `simulate` returns: one entry per game, as arrays and as pandas frames; the event log, and a replay in words."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mindsim import stats
from mindsim.the_game.kernel import EVENTS, HINTS, LOG_COLUMNS
from mindsim.the_game.rules import RATINGS, Rules
from mindsim.the_game.strategies.base import describe
from mindsim.the_game.summary import MEANS, Summary, rating_numbers

if TYPE_CHECKING:
    import pandas as pd

PILE_NAMES = ("up A", "up B", "down A", "down B")


@dataclass(frozen=True, eq=False)
class Games:
    """Results of many games, one entry per game.

    Attributes
    ----------
    rules : Rules
        What was played.
    team : tuple
        The strategy of each seat.
    seed, first_game : int
        With these, the rules and the team, any game can be played again.
    cards_left : array of int
        Cards left in hands and draw pile: the score, 0 is best.
    turns : array of int
        Turns begun, the last one included, in which a player may have got stuck.
    tricks : array of int
        Cards played backwards.
    """

    rules: Rules
    team: tuple[Any, ...]
    seed: int
    first_game: int
    cards_left: NDArray[np.int64]
    turns: NDArray[np.int64]
    tricks: NDArray[np.int64]
    log: NDArray[np.int16] | None = None
    log_game: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.cards_left)

    def __repr__(self) -> str:
        """Return one line with the main figures."""
        return (
            f"<Games of The Game: {len(self)} games, {self.rules.players} players, won {self.won.mean():.4f}, "
            f"mean cards left {self.cards_left.mean():.2f}>"
        )

    @property
    def won(self) -> NDArray[np.bool_]:
        """Whether all cards were put down."""
        out: NDArray[np.bool_] = self.cards_left == 0
        return out

    @cached_property
    def rating(self) -> NDArray[np.str_]:
        """The rulebook's word for each result: perfect, excellent, good, to improve."""
        words: NDArray[np.str_] = np.array(RATINGS)[rating_numbers(self.cards_left)]
        return words

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with one row per game: game, won, cards_left, rating, turns, tricks."""
        import pandas as pd

        return pd.DataFrame({
            "game": np.arange(self.first_game, self.first_game + len(self)),
            "won": self.won,
            "cards_left": self.cards_left,
            "rating": self.rating,
            "turns": self.turns,
            "tricks": self.tricks,
        })

    def summary(self, confidence: float = 0.95) -> pd.DataFrame:
        """Return one row: games, share won, means of cards left, turns and tricks, and the share of each rating.

        Parameters
        ----------
        confidence : float
            Of the intervals (``_low``, ``_high``): Wilson for the share of games won, Student's t for means.
        """
        import pandas as pd

        summary = Summary(confidence)
        summary.add({name: getattr(self, name) for name in MEANS})
        named = {"players": self.rules.players, "end": self.rules.end, "strategy": self.team_name}
        return pd.DataFrame([named | summary.result()])

    @property
    def team_name(self) -> str:
        """The names of the strategies, once if all are the same."""
        return team_name(self.team)

    @property
    def events(self) -> pd.DataFrame:
        """One row for each thing that happened (needs ``record=True``).

        Columns: game, turn, event, player (-1: nobody), pile (-1: none), card (0: none), value. Events: `deal`, `hint`
        (value: what is said now), `play` (value: how far the pile moved), `draw`, `pass` (value: cards still needed),
        `end` (value: cards left).
        """
        import pandas as pd

        if self.log is None:
            raise ValueError("events were not kept: simulate with record=True")
        frame = pd.DataFrame(self.log.astype(np.int64), columns=list(LOG_COLUMNS))
        frame.insert(0, "game", self.log_game)
        frame["event"] = np.array(EVENTS, dtype=object)[self.log[:, 1]]
        frame["event"] = frame["event"].astype("category")
        return frame

    def replay(self, game: int) -> str:
        """Tell one recorded game in words, turn by turn.

        Parameters
        ----------
        game : int
            Its number.
        """
        events = self.events
        events = events[events["game"] == game]
        if events.empty:
            last = self.first_game + len(self) - 1
            raise ValueError(f"game must be one of those played, {self.first_game}..{last}, not {game!r}")
        return "\n".join(_tell(events, self.rules))


def strategy_name(strategy: Any) -> str:
    """Name a strategy with what is inside it, and its settings where they are not the usual ones.

    Examples
    --------
    >>> from mindsim.the_game.strategies import Endgame, LookAhead
    >>> strategy_name(Endgame(LookAhead(reach=3)))
    'endgame(look_ahead(reach=3))'
    """
    words = []
    for f in fields(strategy) if is_dataclass(strategy) and not hasattr(strategy, "function") else ():
        value = getattr(strategy, f.name)
        if is_dataclass(value):
            words.append(strategy_name(value))
        elif str(value) != str(f.default):
            words.append(f"{f.name}={f'{len(value)} numbers' if isinstance(value, tuple) else value}")
    name = str(describe(strategy)["name"])
    return f"{name}({', '.join(words)})" if words else name


def team_name(team: Sequence[Any]) -> str:
    """The names of the strategies, once if all are the same."""
    names = [strategy_name(s) for s in team]
    return names[0] if len(set(names)) == 1 else " + ".join(names)


def _tell(events: pd.DataFrame, rules: Rules) -> list[str]:
    """Say what happened, a line a turn and hint."""
    dealt = events[events["event"] == "deal"].groupby("player")["card"].apply(sorted)
    lines = [f"player {player} is dealt {' '.join(map(str, cards))}" for player, cards in dealt.items()]
    piles = [1, 1, rules.deck + 2, rules.deck + 2]
    for turn, rows in events[events["turn"] > 0].groupby("turn"):
        lines += _tell_turn(f"turn {turn}", rows.to_dict("records"), piles)
    lines.append(f"end: {events['value'].iloc[-1]} cards left")
    return lines


def _tell_turn(title: str, rows: list[dict[Any, Any]], piles: list[int]) -> list[str]:
    """Say what happened in one turn, and move the piles."""
    lines, said, player = [], [], None
    for row in rows:
        if row["event"] == "hint":
            lines.append(f"  player {row['player']} on {PILE_NAMES[row['pile']]}: {HINTS[row['value']]}")
        elif row["event"] in ("play", "pass"):
            player = row["player"]
            if row["event"] == "play":
                piles[row["pile"]] = row["card"]
                said.append(f"{row['card']} on {PILE_NAMES[row['pile']]}")
    if player is not None:
        lines.append(f"{title}: player {player} plays {', '.join(said) or 'nothing'}; piles {piles}")
    return lines


def compare(a: Games, b: Games, confidence: float = 0.95) -> dict[str, float]:
    """Compare two teams on the same deals, game by game.

    Parameters
    ----------
    a, b : Games
        Played by the same number of players with the same hands, deck, seed and games.
    confidence : float
        Of the intervals.

    Returns
    -------
    dict
        `won_difference` (a minus b) with its interval and McNemar's exact `p`; `cards_left_difference` with the
        interval of a paired t.
    """
    deals = [(g.rules.players, g.rules.full_hand, g.rules.deck, g.seed, g.first_game, len(g)) for g in (a, b)]
    if deals[0] != deals[1]:
        raise ValueError(
            "a and b must be games on the same deals: (players, hand, deck, seed, first_game, n_games) are "
            f"{deals[0]} and {deals[1]}"
        )
    test = stats.mcnemar(a.won, b.won)
    share = stats.share_difference(test.only_a, test.only_b, len(a), confidence)
    left = stats.mean_difference(a.cards_left, b.cards_left, confidence)
    return {
        "won_difference": share.value, "won_low": share.low, "won_high": share.high, "p": test.p,
        "cards_left_difference": left.value, "cards_left_low": left.low, "cards_left_high": left.high,
    }
