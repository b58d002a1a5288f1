"""Play games: `simulate` checks what it is given, and `Batch` is the only game loop.

A batch advances many games in lockstep, one epoch at a time. In every epoch each group of equal players is asked once
for all its rows (NumPy); then one compiled call lets the earliest moment of every game happen (`kernel`), and another
lays out the rows for the next epoch. A game that has ended makes room for the next one at once. All random numbers
are keyed by game, so none of this shows in the results.

What this file leaves to others: rules to `rulebook` and `kernel`, what players may see to `observation`, results to
`games`.
"""
from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from mindsim import deals as _deals
from mindsim import kernel, rng, state
from mindsim.ask import groups_of
from mindsim.games import Games, empty_results
from mindsim.jit import announce, settled
from mindsim.observation import View
from mindsim.player import Player, as_team
from mindsim.record import RECORDED, Recorder
from mindsim.rules import Rules

SLOTS = 16384  # games advanced together, if there are as many
LAST_GAME = 2**53  # whole numbers up to it are exact in every column type
_REWARD = {None: state.NO_REWARD, "life": state.A_LIFE, "star": state.A_STAR}
_NO_FLOATS, _NO_GAMES = np.zeros(0), np.zeros((0, 1, 1, 2), np.uint64)


@cache
def keep_memory() -> None:
    """Let the C library keep what large arrays give back, instead of fetching it from the system anew in every epoch.

    glibc does so once a block of nearly 32 MB has been given back (its threshold follows what it sees). Nothing is
    written to the block, so it takes no memory. Without it, page faults took 0.6 of 1.7 s of 40,000 games with stars.
    """
    np.empty(31 << 20, np.uint8)


def book_of(rules: Rules) -> state.Book:
    """The rules as the compiled code reads them."""
    levels = rules.levels
    return state.Book(
        cards=np.array([level.cards for level in levels], np.int64),
        reward=np.array([_REWARD[level.reward] for level in levels], np.int64),
        hidden=np.array([level.hidden(rules.tracks) for level in levels], np.bool_),
        limit=np.array([np.inf if level.time_limit is None else level.time_limit for level in levels]),
        lives=rules.lives,
        stars=rules.stars,
        max_lives=rules.max_lives,
        max_stars=rules.max_stars,
        ranks=rules.ranks,
        max_stops=rules.max_stops,
        max_epochs=rules.max_epochs,
        breaks=int(rules.blind_count == "breaks"),
        refocus=float(rules.refocus_seconds),
    )


def _pile_room(rules: Rules) -> int:
    """Room for a face-down pile. Two sizes only, since everything is compiled anew for each shape of record."""
    cards = max((level.cards for level in rules.levels if any(level.hidden(rules.tracks))), default=0)
    return 32 if min(cards * rules.players, rules.ranks) <= 32 else 127


class Batch:
    """Many games advanced together, one epoch at a time.

    Parameters
    ----------
    rules : Rules
    team : list of Player
        One per seat.
    seed : int
    games : range
        The numbers of the games to play.
    slots : int
        How many are advanced together.
    given : array
        Hands of given deals (see `deals.as_sets`), or an empty array.
    recorder : Recorder, optional
        Where events, and waits, are written.
    results : state.Results, optional
        Where results are written; by default there is room for all of `games`. Given fewer entries (at least two for
        each slot), those of ended games are used again in turn: for endless play.
    """

    def __init__(
        self,
        rules: Rules,
        team: list[Player],
        seed: int,
        games: range,
        slots: int = SLOTS,
        given: Any = _NO_GAMES,
        recorder: Recorder | None = None,
        results: state.Results | None = None,
    ) -> None:
        keep_memory()
        self.rules, self.team, self.games = rules, team, games
        self.book = book_of(rules)
        n = min(slots, len(games))
        dtype = state.game_dtype(rules.players, rules.tracks, _pile_room(rules))
        self.records = state.game_records(n, dtype)
        hides = bool(self.book.hidden.any())
        self.view = View(self.records, rules.players, rules.tracks, rules.ranks, self.book.cards, hides)
        self.live = np.arange(n, dtype=np.int32)
        self.groups = groups_of(team, self.view)
        self.table = state.Table(
            seed=rng.as_seed(seed), first=games.start, n_games=len(games), next=np.zeros(1, np.int64),
            begun=np.zeros(n, np.int32), n_begun=np.zeros(1, np.int64), given=given,
            deck=np.zeros(state.DECK_ROOM, np.uint8),
        )  # fmt: skip
        self.results = empty_results(len(games), rules.n_levels) if results is None else results
        self.recorder = Recorder(None) if recorder is None else recorder
        self.rows, self.seats, self.calls = self._room(n)
        for group in self.groups:
            group.sit_down(self.rows, self.seats, self.calls)
        self.longest_reaction = float(self.seats.reaction.max(initial=0.0))
        self.recorder.make_room(n)
        kernel.deal_first(
            self.records, self.live, self.rows, self.seats, self.table, self.book, self.recorder.log
        )
        self._advance = settled(kernel.advance, *self._moment())
        if len(self.calls.kind):
            self._choose_calls = settled(kernel.choose_calls, *self._callers(self.live.astype(np.int64)))

    def _room(self, n: int) -> tuple[state.Rows, state.Seats, state.Calls]:
        """Arrays for n games."""
        players, tracks = self.rules.players, self.rules.tracks
        places, seats = n * players * tracks, n * players
        begin, members = np.zeros(len(self.groups), np.int64), np.zeros(len(self.groups), np.uint64)
        for i, g in enumerate(self.groups):
            begin[i] = sum(len(other.seats) for other in self.groups[:i]) * n * tracks + i
            for k in (int(seat) * tracks + t for seat in g.seats for t in range(tracks)):
                members[i] |= np.uint64(1 << k)
        room, executed = places + len(self.groups), np.full(places, np.inf)
        rows = state.Rows(
            at=np.zeros(room, np.int32), gap=np.zeros(room, np.int64), head_start=np.zeros(room),
            intended=np.zeros(places), executed=executed, bits=executed.view(np.uint64), filled=begin.copy(),
            begin=begin, members=members,
        )  # fmt: skip
        raising = any(p.raises_hands for p in self.team) and (self.rules.stars > 0 or "star" in self._rewards())
        stopping = any(p.calls_stops for p in self.team) and self.rules.max_stops > 0
        reacting = any(p.reacts for p in self.team)
        rate = np.ones(seats)
        seat_rows = state.Seats(
            key=np.zeros(seats, np.uint64), rate=rate,
            feel=np.ones(seats) if any(p.sees_clock for p in self.team) else rate,
            reaction=np.zeros(seats) if reacting else _NO_FLOATS,
            hand_up=np.full(seats, np.inf) if raising else _NO_FLOATS,
            stop=np.full(seats, np.inf) if stopping else _NO_FLOATS,
        )  # fmt: skip
        calling = n if raising or stopping else 0
        calls = state.Calls(
            kind=np.zeros(calling, np.int8), who=np.zeros(calling, np.int64), when=np.zeros(calling),
            track=np.full((calling, players), -1, np.int8),
        )  # fmt: skip
        return rows, seat_rows, calls

    def _rewards(self) -> set[str | None]:
        return {level.reward for level in self.rules.levels}

    @property
    def playing(self) -> bool:
        """Whether any game is still going on."""
        return len(self.live) > 0

    def epoch(self) -> None:
        """Ask all players, let the earliest moment of every game happen, lay out the next epoch."""
        begun = self.table.begun[: int(self.table.n_begun[0])]
        for group in self.groups:
            group.watch(self.live, begun)
        starred, stoppable = self._where_calls_count()
        for group in self.groups:
            group.decide(self.live, starred, stoppable)
        if len(self.calls.kind):
            self._hear_calls(np.union1d(starred, stoppable) if len(stoppable) else starred)
        self.recorder.before(self)
        if any(group.draws_reactions for group in self.groups):
            self.longest_reaction = float(self.seats.reaction.max())
        left = self._advance(*self._moment())
        if left < len(self.live):
            self.live = self.live[:left]
        self.recorder.after(self)

    def _moment(self) -> tuple[Any, ...]:
        """All that `kernel.advance` reads and writes."""
        return (
            self.records, self.live, self.rows, self.seats, self.calls, self.longest_reaction, self.results, self.table,
            self.book, self.recorder.log,
        )  # fmt: skip

    def _where_calls_count(self) -> tuple[Any, Any]:
        """The live games in which the team has a star that somebody may ask for, and those with a stop left."""
        starred = np.empty(len(self.live) if len(self.seats.hand_up) else 0, np.int64)
        stoppable = np.empty(len(self.live) if len(self.seats.stop) else 0, np.int64)
        if len(starred):
            starred = starred[: kernel.with_star(self.records, self.live, starred)]
        if len(stoppable):
            stoppable = stoppable[: kernel.with_stop(self.records, self.live, self.rules.max_stops, stoppable)]
        return starred, stoppable

    def _hear_calls(self, which: Any) -> None:
        """Which stops and hands come before the next card, and whether all consent to a star.

        "Anyone refuses: nothing happens, intentions stand, and no hand counts any more in this epoch."
        """
        self.calls.kind[: len(self.live)] = state.CARD_FIRST
        hands = self._choose(which)
        if not hands:
            return
        up = np.flatnonzero(self.calls.kind[: len(self.live)] == state.STAR_FIRST)
        agreed = np.ones(len(up), np.bool_)
        for group in self.groups:
            group.consent(up, self.live, agreed)
        if self.rules.tracks > 1:
            self.calls.track[up] = -1
            for group in self.groups:
                group.prefer(up[agreed], self.live)
        refused = up[~agreed]
        if len(refused):
            self.seats.hand_up.reshape(-1, self.rules.players)[refused] = np.inf
            self._choose(refused)

    def _choose(self, which: Any) -> int:
        """What comes first in the live games `which`; how many hands do."""
        return int(self._choose_calls(*self._callers(which)))

    def _callers(self, which: Any) -> tuple[Any, ...]:
        """All that `kernel.choose_calls` reads and writes."""
        return self.records, self.live, which, self.rows, self.seats, self.calls, self.book


def _play(rules: Rules, team: list[Player], seed: int, games: range, slots: int, given: Any, record: Any) -> Games:
    """Play a range of games in this process."""
    recorder = Recorder.of(record, rules, games.start)
    done = announce(f"{rules.players} players, {rules.tracks} track{'s' if rules.tracks > 1 else ''}")
    batch = Batch(rules, team, seed, games, min(slots, RECORDED) if record else slots, given, recorder)
    while batch.playing:
        batch.epoch()
    done()
    return Games.of(rules, team, seed, games.start, batch.results, recorder)


def _chunks(games: range, size: int) -> Iterator[range]:
    for start in range(games.start, games.stop, size):
        yield range(start, min(start + size, games.stop))


def simulate(
    rules: Rules,
    players: Any,
    n_games: int,
    seed: int = 0,
    *,
    n_jobs: int = 1,
    record: bool | str = False,
    deals: Any = None,
    progress: bool = False,
    batch: int = SLOTS,
    first_game: int = 0,
) -> Games:
    """Play complete games and return their results.

    Parameters
    ----------
    rules : Rules
    players : Player, policy, function, name, or a sequence of one per seat
        A single one sits in every seat.
    n_games : int
        At least 1.
    seed : int
        0 .. 2**64 - 1. The same seed gives the same games, whatever the other arguments.
    n_jobs : int
        Processes, as in joblib (-1: all cores).
    record : {False, True, "waits"}
        True: keep every event (`Games.events`); "waits": also every intention (`Games.waits`).
    deals : nested sequences, optional
        The hands: ``deals[level][player]`` a list of printed cards, the same for every game, or one such list per game.
    progress : bool
        Show a progress bar.
    batch : int
        How many games are advanced together: a matter of speed and memory only.
    first_game : int
        Number of the first game: ``simulate(..., n_games=1, first_game=41)`` plays game 41 alone.

    Returns
    -------
    Games

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, a team has the wrong size, a deal a repeated or foreign card, or a policy,
        clock, star or stop answers with a wrong shape, NaN or a negative number.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(pace=0.05), n_games=100, seed=7)
    >>> int(games.won.sum())
    100
    """
    _check(rules, n_games, n_jobs, record, batch, first_game)
    team = as_team(players, rules.players)
    rng.as_seed(seed)
    given = _deals.as_sets(deals, rules, n_games)
    whole = range(first_game, first_game + n_games)
    jobs = _n_workers(n_jobs)
    if jobs == 1 and not progress:
        return _play(rules, team, int(seed), whole, batch, given, record)
    size = -(-n_games // jobs) if not progress else max(min(batch, -(-n_games // jobs)), -(-n_games // 200))
    parts = list(_chunks(whole, max(1, size)))
    tasks = ((rules, team, int(seed), p, batch, _part(given, p, first_game), record) for p in parts)
    return Games.joined(_run(tasks, parts, n_jobs, progress))


def _run(tasks: Any, parts: list[range], n_jobs: int, progress: bool) -> list[Games]:
    """Play the parts, in parallel, in order, and show how it goes."""
    from joblib import Parallel, delayed

    results = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_play)(*task) for task in tasks)
    if not progress:
        return list(results)
    from tqdm.auto import tqdm

    done = []
    with tqdm(total=sum(map(len, parts)), unit="game", unit_scale=True) as bar:
        for games in results:
            done.append(games)
            bar.update(games.n_games)
    return done


def _part(given: Any, part: range, first_game: int) -> Any:
    return given[part.start - first_game : part.stop - first_game] if len(given) > 1 else given


def _n_workers(n_jobs: int) -> int:
    if n_jobs == 1:
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def _check(rules: Any, n_games: Any, n_jobs: Any, record: Any, batch: Any, first_game: Any) -> None:
    """Refuse what makes no sense, with the argument, the value and what is allowed."""
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules value such as Rules.the_mind(3), not {rules!r}")
    for name, value, least in (("n_games", n_games, 1), ("batch", batch, 1), ("first_game", first_game, 0)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{name} must be an integer of at least {least}, not {value!r}")
        if value < least:
            raise ValueError(f"{name} must be an integer of at least {least}, not {value}")
    if first_game + n_games > LAST_GAME:
        raise ValueError(f"first_game + n_games must be at most 2^53, not {first_game + n_games}")
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int):
        raise TypeError(f"n_jobs must be a number of processes, or -1 for all cores, not {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of processes, or -1 for all cores, not 0")
    if not (isinstance(record, bool) or record == "waits"):
        raise ValueError(f'record must be False, True or "waits", not {record!r}')
