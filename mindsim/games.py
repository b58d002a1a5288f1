"""Results of `simulate`: `Games` has one entry per game, and sums them up with intervals.

Which intervals, is said in `stats`; pictures are in `plots`, single games in `replay`.
"""
from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mindsim import stats
from mindsim.record import CAUSES, OUTCOMES, EventLog, Recorder
from mindsim.rules import Rules
from mindsim.state import N_CAUSES, WON, Results

if TYPE_CHECKING:
    import pandas as pd

    from mindsim.player import Player
    from mindsim.replay import Replay

WITHIN = (60, 120, 180, 300, 600)  # seconds: the summary's points of the curve "share won within t"


def empty_results(n_games: int, n_levels: int) -> Results:
    """Room for the results of n games; outcomes are -1 until they are known."""
    return Results(
        outcome=np.full(n_games, -1, np.int8), level=np.zeros(n_games, np.int16), lives=np.zeros(n_games, np.int16),
        stars=np.zeros(n_games, np.int16), stars_used=np.zeros(n_games, np.int16), lost=np.zeros(n_games, np.int32),
        played=np.zeros(n_games, np.int32), epochs=np.zeros(n_games, np.int32), duration=np.zeros(n_games),
        level_time=np.zeros((n_games, n_levels)), level_stars=np.zeros((n_games, n_levels), np.uint8),
        level_mistakes=np.zeros((n_games, n_levels, N_CAUSES), np.uint8),
    )  # fmt: skip


class Games:
    """Complete games, one entry of each array per game.

    Attributes
    ----------
    won : bool
    outcome : {"won", "lost", "stalled"}
    levels_completed : int, 0..n_levels
    level_reached : int
        The level being played when the game ended; the last one if won.
    lives, stars : int
        Left at the end.
    stars_used, mistakes : int
    cards_played : int
        Cards put down and not taken out again.
    cards_lost : int
        Cards set aside by mistakes.
    duration : float, seconds
        All levels, with refocusing.
    epochs : int
    causes : int, shape (n_games, 5)
        Lives lost by cause, in the order of `CAUSES`.
    level_time, level_stars, level_mistakes : shape (n_games, n_levels) and (n_games, n_levels, 5)
        The same by level.
    game : int
        Numbers of the games: with the seed, they name the deal.
    events, waits : pandas.DataFrame
        With ``record=True`` and ``record="waits"``; see ``docs/results.md``.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.the_mind(2), ms.policies.Uniform(1.0), n_games=50, seed=1)
    >>> games.to_frame().shape
    (50, 18)
    """

    CAUSES = CAUSES

    def __init__(
        self,
        rules: Rules,
        team: Sequence[Player],
        seed: int,
        first_game: int,
        results: Results,
        events: EventLog | None = None,
        waits: pd.DataFrame | None = None,
    ) -> None:
        if np.any(results.outcome < 0):
            raise RuntimeError("some games have no outcome: an error inside the engine was lost; please report it")
        self.rules, self.team, self.seed, self.first_game = rules, tuple(team), seed, first_game
        self._results, self._log, self._waits = results, events, waits

    @classmethod
    def of(cls, rules: Rules, team: Sequence[Player], seed: int, first: int, results: Results, kept: Recorder) -> Games:
        """The results of one batch."""
        return cls(rules, team, seed, first, results, kept.events(), kept.waits())

    @classmethod
    def joined(cls, parts: Sequence[Games]) -> Games:
        """Games of the same setting, in order, as one."""
        one = parts[0]
        if len(parts) == 1:
            return one
        import pandas as pd

        results = Results(*(np.concatenate(columns) for columns in zip(*(p._results for p in parts), strict=True)))
        pieces = [piece for part in parts if part._log for piece in part._log.pieces]
        log = EventLog(one.rules, pieces) if pieces else None
        waits = None if one._waits is None else pd.concat([p._waits for p in parts], ignore_index=True)
        return cls(one.rules, one.team, one.seed, one.first_game, results, log, waits)

    # --- columns ---------------------------------------------------------------------------------
    @property
    def n_games(self) -> int:
        """How many games there are."""
        return len(self._results.outcome)

    def __len__(self) -> int:
        return self.n_games

    @property
    def game(self) -> NDArray[np.int64]:
        return np.arange(self.first_game, self.first_game + self.n_games)

    @property
    def won(self) -> NDArray[np.bool_]:
        return self._results.outcome == WON

    @cached_property
    def outcome(self) -> NDArray[np.str_]:
        return np.array(OUTCOMES)[self._results.outcome]

    @property
    def level_reached(self) -> NDArray[np.int64]:
        return self._results.level.astype(np.int64)

    @property
    def levels_completed(self) -> NDArray[np.int64]:
        return self.level_reached - 1 + self.won

    @property
    def lives(self) -> NDArray[np.int64]:
        return self._results.lives.astype(np.int64)

    @property
    def stars(self) -> NDArray[np.int64]:
        return self._results.stars.astype(np.int64)

    @property
    def stars_used(self) -> NDArray[np.int64]:
        return self._results.stars_used.astype(np.int64)

    @cached_property
    def causes(self) -> NDArray[np.int64]:
        return self._results.level_mistakes.sum(axis=1, dtype=np.int64)

    @cached_property
    def mistakes(self) -> NDArray[np.int64]:
        return self.causes.sum(axis=1)

    @property
    def cards_lost(self) -> NDArray[np.int64]:
        return self._results.lost.astype(np.int64)

    @property
    def cards_played(self) -> NDArray[np.int64]:
        return self._results.played.astype(np.int64)

    @property
    def duration(self) -> NDArray[np.float64]:
        return self._results.duration

    @property
    def epochs(self) -> NDArray[np.int64]:
        return self._results.epochs.astype(np.int64)

    @property
    def level_time(self) -> NDArray[np.float64]:
        return self._results.level_time

    @property
    def level_stars(self) -> NDArray[np.int64]:
        return self._results.level_stars.astype(np.int64)

    @property
    def level_mistakes(self) -> NDArray[np.int64]:
        return self._results.level_mistakes.astype(np.int64)

    @cached_property
    def events(self) -> pd.DataFrame:
        """One row per thing that happened, game by game; made from the engine's log when first asked for.

        Raises
        ------
        ValueError
            If the games were not played with ``record=True``.
        """
        if self._log is None:
            raise ValueError("events were not kept: play with simulate(..., record=True)")
        return self._log.frame()

    @property
    def waits(self) -> pd.DataFrame:
        """One row per epoch, player and track with a card: what was known, intended, and whether it was carried out.

        Cards are ranks here, as policies see them.

        Raises
        ------
        ValueError
            If the games were not played with ``record="waits"``.
        """
        if self._waits is None:
            raise ValueError('waits were not kept: play with simulate(..., record="waits")')
        return self._waits

    # --- tables ----------------------------------------------------------------------------------
    def to_frame(self) -> pd.DataFrame:
        """One row per game, indexed by its number."""
        import pandas as pd

        columns = {
            "won": self.won, "outcome": pd.Categorical.from_codes(self._results.outcome, OUTCOMES),  # type: ignore[call-overload]
            "levels_completed": self.levels_completed, "level_reached": self.level_reached, "lives": self.lives,
            "stars": self.stars, "stars_used": self.stars_used, "mistakes": self.mistakes,
            "cards_lost": self.cards_lost, "cards_played": self.cards_played, "duration": self.duration,
            "epochs": self.epochs,
        }  # fmt: skip
        columns |= {f"mistakes_{cause}": self.causes[:, i] for i, cause in enumerate(CAUSES)}
        columns["stalled"] = self._results.outcome == OUTCOMES.index("stalled")
        return pd.DataFrame(columns, index=pd.Index(self.game, name="game"))

    def summary(self, confidence: float = 0.95, within: Sequence[float] = WITHIN) -> pd.DataFrame:
        """What can be published of these games: one row per figure, with its interval.

        Win rate, stalled games and the share of all games won within t seconds with Wilson intervals; means over games
        with t intervals; pace, mistakes per 100 cards and their causes as ratios of sums, clustered by game.

        Parameters
        ----------
        confidence : float
        within : sequence of float
            Seconds, the points of the curve.

        Returns
        -------
        pandas.DataFrame
            Index: figure; columns ``estimate, low, high, unit, interval``.
        """
        import pandas as pd

        n, won, table = self.n_games, self.won, []

        def row(figure: str, estimate: Any, unit: str, interval: str) -> None:
            table.append((figure, *(float(x) for x in estimate), unit, interval))

        row("win rate", stats.share(int(won.sum()), n, confidence), "share of games", "Wilson")
        row("stalled", stats.share(int((self.outcome == "stalled").sum()), n, confidence), "share of games", "Wilson")
        row("levels completed", stats.mean_interval(self.levels_completed, confidence), "levels", "t")
        row("level reached", stats.mean_interval(self.level_reached, confidence), "level", "t")
        curve = stats.share_within(won, self.duration, list(within), confidence)
        for i, seconds in enumerate(within):
            row(f"won within {seconds:g} s", [part[i] for part in curve], "share of games", "Wilson")
        row("duration", stats.mean_interval(self.duration, confidence), "s", "t")
        row("duration of won games", stats.mean_interval(self.duration[won], confidence), "s", "t")
        row("pace", stats.pace(self.duration, self.cards_played, confidence), "s per card put down", "by game")
        per_100 = stats.mistakes_per_100_cards
        row("mistakes", per_100(self.mistakes, self.cards_played, confidence), "per 100 cards", "by game")
        for i, cause in enumerate(CAUSES):
            estimate = per_100(self.causes[:, i], self.cards_played, confidence)
            row(f"mistakes: {cause}", estimate, "per 100 cards", "by game")
        row("stars used", stats.mean_interval(self.stars_used, confidence), "per game", "t")
        columns = ["figure", "estimate", "low", "high", "unit", "interval"]
        return pd.DataFrame(table, columns=columns).set_index("figure")

    def levels(self, confidence: float = 0.95) -> pd.DataFrame:
        """Level by level: reached, passed, pass rate with interval, lives lost by cause, stars used, time.

        Pass rates, lives, stars and times are over the games that reached the level: survivors only.

        Returns
        -------
        pandas.DataFrame
            Index ``level``; the columns of `stats.survival`, then ``lives_lost`` and one column per cause (mean per
            game that reached the level), ``stars_used`` (likewise) and ``time`` with ``time_low``, ``time_high`` (mean
            seconds, t interval).
        """
        n_levels = self.rules.n_levels
        table = stats.survival(self.levels_completed, self.level_reached, n_levels, confidence)
        reached = table["reached"].to_numpy().clip(1)
        lost = self._results.level_mistakes.sum(axis=0, dtype=np.int64)
        table["lives_lost"] = lost.sum(axis=1) / reached
        for i, cause in enumerate(CAUSES):
            table[f"lives_lost_{cause}"] = lost[:, i] / reached
        table["stars_used"] = self._results.level_stars.sum(axis=0, dtype=np.int64) / reached
        times = [
            stats.mean_interval(self.level_time[self.level_reached >= level, level - 1], confidence)
            for level in range(1, n_levels + 1)
        ]
        table["time"], table["time_low"], table["time_high"] = (np.array(part) for part in zip(*times, strict=True))
        return table

    # --- one game --------------------------------------------------------------------------------
    def timeline(self, game: int, level: int | None = None) -> Any:
        """A picture of a game, or one of its levels, as lanes per player over time: see `replay.timeline`."""
        from mindsim import replay

        return replay.timeline(self, game, level)

    def replay(self, game: int) -> Replay:
        """A game to be seen again, step by step; it shows itself in a notebook: see `replay.replay`."""
        from mindsim import replay

        return replay.replay(self, game)

    def __repr__(self) -> str:
        wins = int(self.won.sum())
        return (
            f"<Games: {self.n_games} of {self.rules.players} players, seed {self.seed}; won {wins / self.n_games:.4f}, "
            f"mean of levels completed {self.levels_completed.mean():.2f} of {self.rules.n_levels}>"
        )

    def _repr_html_(self) -> str:
        html: str = self.summary().to_html(float_format="{:.4g}".format)
        return f"<p>{self!r}</p>".replace("<Games", "&lt;Games").replace("><", "&gt;<") + html
