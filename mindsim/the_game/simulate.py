"""The game loop of The Game: many games advance together, one choice at a time.

In each round every game that is not over waits for one choice. Every distinct strategy is asked once for all its games;
the compiled rule book (`kernel`) checks and carries out the answers and goes on to the next choice. Before each choice
the players who use hints and are not on turn say, for each pile, one of four things.

Game i depends on the rules, the strategies, the seed and i only: not on the batch, the number of games or of jobs.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mindsim.jit import making_entry
from mindsim.rng import as_seed
from mindsim.the_game import kernel
from mindsim.the_game.games import Games
from mindsim.the_game.kernel import FINE, LOG_ROWS, LOG_ROWS_WITH_HINTS, STATE
from mindsim.the_game.rules import Rules
from mindsim.the_game.strategies.own import as_strategy, ask, ask_hints, name_of

BATCH, BATCH_RECORDED = 2048, 256


# --- compiled rounds -------------------------------------------------------------------------------------------------
@making_entry
def begin_all(states, book, seed, first, log):
    """Set up the games first, first + 1 ... and carry each on to its first choice."""
    for i in range(len(states)):
        line = log[min(i, len(log) - 1)]
        kernel.begin(states[i], book, seed, np.uint64(first + i), line)
        kernel.settle(states[i], book, line)


@making_entry
def accept_all(states, rows, book, plays, log):
    """Carry out one choice in each of the games `rows`; return the first that is refused as (place, reason)."""
    for k in range(len(rows)):
        line = log[min(rows[k], len(log) - 1)]
        refused = kernel.accept(states[rows[k]], book, plays[k], line)
        if refused != FINE:
            return k, refused
        kernel.settle(states[rows[k]], book, line)
    return -1, FINE


@making_entry
def hear_all(states, rows, players, said, log):
    """Show what players said; return the first that is refused, or -1."""
    for k in range(len(rows)):
        if kernel.hear(states[rows[k]], players[k], said[k], log[min(rows[k], len(log) - 1)]) != FINE:
            return k
    return -1


# --- one batch -------------------------------------------------------------------------------------------------------
class _Batch:
    """Games that advance together."""

    def __init__(self, rules: Rules, team: Sequence[Any], seed: np.uint64, first: int, n: int, record: bool) -> None:
        self.rules, self.team, self.first = rules, team, first
        self.states = np.zeros(n, STATE)
        self.talks = any(getattr(s, "hints", False) for s in team)
        rows = LOG_ROWS_WITH_HINTS if self.talks else LOG_ROWS
        self.log = np.zeros((n, rows, 6) if record else (1, 0, 6), np.int16)
        begin_all(self.states, rules.book, seed, first, self.log)

    def play(self) -> None:
        """Play all games to their end."""
        while True:
            live = np.flatnonzero(self.states["over"] == 0)
            if len(live) == 0:
                return
            if self.talks:
                self.talk(live)
            self.choose(live)

    def choose(self, live: np.ndarray) -> None:
        """Ask for one choice in every live game, and carry it out."""
        for strategy, seats in _seats(self.team):
            rows = live if len(seats) == len(self.team) else live[np.isin(self.states["player"][live], seats)]
            if len(rows) == 0:
                continue
            plays = ask(strategy, self.rules, self.states, rows)
            # The rows of another strategy may be on turn again after this; they wait for the next round.
            place, reason = accept_all(self.states, rows, self.rules.book, plays, self.log)
            if place >= 0:
                self.refuse(strategy, int(rows[place]), int(plays[place]), reason)
            live = np.setdiff1d(live, rows, assume_unique=True)

    def talk(self, live: np.ndarray) -> None:
        """Let everybody who uses hints, holds cards and is not on turn speak. Who does neither says nothing."""
        for seat, strategy in enumerate(self.team):
            if not getattr(strategy, "hints", False):
                continue
            rows = live[self.states["player"][live] != seat]
            silent = self.states["sizes"][rows, seat] == 0
            self.say(strategy, rows[~silent], seat)
            self.states["hints"][rows[silent], seat] = kernel.NOTHING

    def say(self, strategy: Any, rows: np.ndarray, seat: int) -> None:
        """Let one player speak in the games `rows`."""
        players = np.full(len(rows), seat)
        said = ask_hints(strategy, self.rules, self.states, rows, players)
        place = hear_all(self.states, rows, players, said, self.log)
        if place >= 0:
            raise ValueError(f"{name_of(strategy)}.hint must return hints 0..3, not {said[place].tolist()}")

    def refuse(self, strategy: Any, row: int, play: int, reason: int) -> None:
        """Say why a play is not allowed."""
        s = self.states[row]
        card, pile = play >> 2, play & 3
        why = {
            kernel.BEFORE_MINIMUM: f"it stopped while {s['needed']} more cards had to be played and could be",
            kernel.NOT_HELD: f"it played card {card}, which it does not hold",
            kernel.DOES_NOT_FIT: f"it played card {card} on pile {pile}, which shows {s['piles'][pile]}",
        }[reason]
        hand = s["cards"][s["player"], : s["sizes"][s["player"]]].tolist()
        raise ValueError(
            f"strategy {name_of(strategy)!r} made a play that is not allowed in game {self.first + row}, "
            f"turn {s['turns']}: {why} (its hand: {hand}, the piles: {s['piles'].tolist()})"
        )


def _seats(team: Sequence[Any]) -> list[tuple[Any, list[int]]]:
    """The distinct strategies of a team, each with its seats."""
    distinct: list[tuple[Any, list[int]]] = []
    for seat, strategy in enumerate(team):
        for known, seats in distinct:
            if known is strategy or (type(known) is type(strategy) and known == strategy):
                seats.append(seat)
                break
        else:
            distinct.append((strategy, [seat]))
    return distinct


def _play_batch(
    rules: Rules, team: Sequence[Any], seed: int, first: int, n: int, record: bool
) -> dict[str, np.ndarray]:
    """Play the games first .. first + n - 1 and return one entry per game of what is kept."""
    batch = _Batch(rules, team, np.uint64(seed), first, n, record)
    batch.play()
    s = batch.states
    kept = {
        "cards_left": rules.deck - s["n_out"].astype(np.int64),
        "turns": s["turns"].astype(np.int64),
        "tricks": s["tricks"].astype(np.int64),
    }
    if record:
        logged = s["logged"]
        kept["log"] = np.concatenate([batch.log[i, : logged[i]] for i in range(n)])
        kept["log_game"] = np.repeat(np.arange(first, first + n), logged)
    return kept


# --- the public function ---------------------------------------------------------------------------------------------
def simulate(
    rules: Rules,
    strategy: Any,
    n_games: int = 1000,
    *,
    seed: int = 0,
    first_game: int = 0,
    n_jobs: int = 1,
    record: bool = False,
    progress: bool = False,
) -> Games:
    """Play many games of The Game.

    Parameters
    ----------
    rules : Rules
        What is played.
    strategy : strategy, or sequence of one per seat
        A built-in strategy, an own one, or a function; one for everybody or one per player. Player 0 starts.
    n_games : int
        Number of games, at least 1.
    seed : int
        0 .. 2**64 - 1. Everybody who plays with the same seed meets the same deck in game i.
    first_game : int
        Number of the first game: any game can be played again alone.
    n_jobs : int
        Processes (as in joblib). Results do not depend on it.
    record : bool
        Keep every event: `Games.events`.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Games
        One entry per game.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, the value and what is allowed; also if a strategy makes a play that is not allowed.

    Examples
    --------
    >>> from mindsim import the_game as tg
    >>> games = tg.simulate(tg.Rules(players=2), tg.strategies.LeastMovement(), n_games=100, seed=7)
    >>> len(games.cards_left), games.won.dtype
    (100, dtype('bool'))
    """
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be mindsim.the_game.Rules, not {rules!r}")
    team = as_team(rules, strategy)
    _check_counts(n_games, first_game)
    seed = int(as_seed(seed))
    batch = BATCH_RECORDED if record else BATCH
    jobs = [
        (rules, team, seed, first, min(batch, first_game + n_games - first), record)
        for first in range(first_game, first_game + n_games, batch)
    ]
    parts = list(_run(jobs, n_jobs, progress))
    joined = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    return Games(rules=rules, team=tuple(team), seed=seed, first_game=first_game, **joined)


def _run(jobs: list[tuple[Any, ...]], n_jobs: int, progress: bool) -> Iterator[dict[str, np.ndarray]]:
    """Play all batches, in this process or several, in order."""
    if n_jobs == 1 or len(jobs) == 1:
        results: Iterator[dict[str, np.ndarray]] = (_play_batch(*job) for job in jobs)
    else:
        from joblib import Parallel, delayed

        results = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_play_batch)(*job) for job in jobs)
    if progress:
        from tqdm.auto import tqdm

        results = iter(tqdm(results, total=len(jobs), unit="batch"))
    return results


def as_team(rules: Rules, strategy: Any) -> list[Any]:
    """One strategy for each seat."""
    if not isinstance(strategy, (list, tuple)):
        return [as_strategy(strategy)] * rules.players
    if len(strategy) != rules.players:
        raise ValueError(f"strategy must be one, or one per seat: {rules.players} for these rules, not {len(strategy)}")
    return [as_strategy(s) for s in strategy]


def _check_counts(n_games: object, first_game: object) -> None:
    """Check the number of games and of the first game."""
    for name, value, low in (("n_games", n_games, 1), ("first_game", first_game, 0)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{name} must be an integer of at least {low}, not {value!r}")
        if value < low:
            raise ValueError(f"{name} must be an integer of at least {low}, not {value}")
