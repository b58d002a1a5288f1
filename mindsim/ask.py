"""Asking players: each `Group` of equal players gets one call per question and epoch, for all its rows.

Here answers are checked and turned into true moments. Which moment wins is decided in `kernel`; the loop over epochs
is in `simulate`.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindsim import kernel, rng
from mindsim.fields import nearest_of_two, nearest_places, seat_rows
from mindsim.observation import CardRows, Noise, Observation, Request, View
from mindsim.player import Player, same
from mindsim.state import NONE, Calls, Rows, Seats

Floats = NDArray[np.float64]
# What may be called: the part of a player that is asked, the purposes of its draws and of an unsteady hand's.
_CALLS = {"raise_hand": ("stars", rng.RAISE, rng.MOTOR_HAND), "call": ("stops", rng.CALL_STOP, rng.MOTOR_STOP)}


def groups_of(team: list[Player], view: View) -> list[Group]:
    """Seats of equal players, together: each group is asked once."""
    groups: list[tuple[Player, list[int]]] = []
    for seat, player in enumerate(team):
        for other, seats in groups:
            if same(player, other):
                seats.append(seat)
                break
        else:
            groups.append((player, [seat]))
    return [Group(player, seats, i, view) for i, (player, seats) in enumerate(groups)]


class Group:
    """Equal players in some of the seats of every game of a batch."""

    def __init__(self, player: Player, seats: list[int], number: int, view: View) -> None:
        self.player, self.seats, self.number, self.view = player, np.array(seats, np.int64), number, view
        memory = int(getattr(player.policy, "memory", 0) or 0)
        self.memory = np.zeros((len(view.games), view.players, memory)) if memory else None
        listens = callable(getattr(player.policy, "watch", None))
        always = bool(getattr(player.policy, "watches_without_cards", True))
        self.watches, self.watches_with_cards = listens and always, listens and not always
        self.watched: CardRows | None = None  # the rows that were watched in this epoch, if they are those of cards
        self.lasts: Any = getattr(player.clock, "lasts", "epoch")
        self.motor = getattr(player.clock, "motor", None)
        self.draws_reactions = callable(getattr(player.reaction, "draw", None))

    def sit_down(self, rows: Rows, seats: Seats, calls: Calls) -> None:
        """Take the arrays that all groups share."""
        self.rows, self.all_seats, self.calls = rows, seats, calls
        if self.player.reacts and not self.draws_reactions:
            self._put(seats.reaction, len(self.view.games), self.player.reaction)

    # --- rows: one per (live game, seat of this group), game by game ------------------------------
    def _put(self, grid: NDArray[Any], n_live: int, values: Any) -> None:
        """Write values, one per row, to an array with one entry per (live game, player)."""
        part = grid[: n_live * self.view.players]
        if len(self.seats) == self.view.players:
            part[:] = values
        else:
            values = np.broadcast_to(values, n_live * len(self.seats)).reshape(n_live, len(self.seats))
            part.reshape(n_live, self.view.players)[:, self.seats] = values

    def _noise(self, live: Any, purpose: int) -> Noise:
        """Noise with one row per (game, player)."""
        key = self.all_seats.key[: len(live) * self.view.players]
        if len(self.seats) == self.view.players:
            return Noise(self.view, live, None, 1, purpose, key)
        at = (np.arange(len(live))[:, None] * self.view.players + self.seats).ravel().astype(np.int32)
        return Noise(self.view, live, at, 1, purpose, key[at])

    def _seat_rows(self, live: Any, which: NDArray[np.int64], purpose: int) -> tuple[Observation, NDArray[np.int32]]:
        """An observation with one row per (live game of `which`, player), on the track with the smaller gap.

        And where its rows are in arrays with one entry per (live game, player).
        """
        n = len(which) * len(self.seats)
        slot, place, at = np.empty(n, live.dtype), np.empty(n, np.uint8), np.empty(n, np.int32)
        seat_rows(self.view.games, live, which, self.seats, slot, place, at)
        return Observation(self.view, slot, place, purpose, self.memory), at

    @property
    def _mine(self) -> slice:
        """This group's rows of cards."""
        return slice(int(self.rows.begin[self.number]), int(self.rows.filled[self.number]))

    def _cards(self, live: Any, purpose: int) -> CardRows:
        """An observation with one row per card that may be played next."""
        rows, mine = self.rows, self._mine
        return CardRows(self.view, live, rows.at[mine], self.memory, rows.gap[mine], rows.head_start[mine], purpose)

    def _holders(self, live: Any) -> CardRows:
        """An observation to watch with one row per (game, player with a card), on the track with the smaller gap."""
        if self.view.tracks == 1:
            self.watched = self._cards(live, rng.WATCH)
            return self.watched
        rows, mine = self.rows, self._mine
        nearest = np.empty(mine.stop - mine.start, np.bool_)
        nearest_of_two(rows.at[mine], rows.gap[mine], nearest)
        gap, head_start = rows.gap[mine][nearest], rows.head_start[mine][nearest]
        return CardRows(self.view, live, rows.at[mine][nearest], self.memory, gap, head_start, rng.WATCH)

    def _nearest(self, slot: Any, players: Any) -> NDArray[np.uint8]:
        if self.view.tracks == 1:
            return players.astype(np.uint8)
        places = np.empty(len(slot), np.uint8)
        nearest_places(self.view.games, slot, players, places)
        return places

    # --- questions -------------------------------------------------------------------------------
    def watch(self, live: Any, begun: NDArray[np.int32]) -> None:
        """Let the policy note what happened; in the records `begun` it knows nothing yet."""
        if self.memory is not None:
            self.memory[begun] = 0.0
        if not (self.watches or self.watches_with_cards):
            return
        if self.watches:
            obs, _ = self._seat_rows(live, np.arange(len(live)), rng.WATCH)
        else:
            obs = self._holders(live)
        self.player.policy.watch(obs)
        if self.memory is not None and "memory" in obs.__dict__:
            self.memory[obs._slot, obs._player] = obs.memory

    def decide(self, live: Any, starred: NDArray[np.int64], stoppable: NDArray[np.int64]) -> None:
        """Ask for waits, hands and stops, and find out when they would happen.

        Hands count in the live games `starred` only, stops in `stoppable`, so nobody is asked about them elsewhere.
        """
        if not self.player.keeps_exact_time:
            self._draw_rates(live)
        if self.draws_reactions:
            self._draw_reactions(live)
        self._decide_cards(live)
        if len(starred) and self.player.raises_hands:
            self._decide_call(live, starred, self.player.stars, "raise_hand", self.all_seats.hand_up)
        if len(stoppable) and self.player.calls_stops:
            self._decide_call(live, stoppable, self.player.stops, "call", self.all_seats.stop)

    def _draw_rates(self, live: Any) -> None:
        noise = self._noise(live, rng.RATE).lasting(self.lasts)
        rate = _numbers(self.player.clock.rate(noise), noise.rows, "clock", self.player.clock, "rate")
        seats = self.all_seats
        if kernel.take_rates(rate, self.seats, self.view.players, seats.rate):
            bad = _first_bad(rate, 0)
            raise ValueError(f"clock {self.player.clock!r}: rates must be finite and above 0, not {bad}")
        if seats.feel is not seats.rate and not self.player.sees_clock:
            self._put(seats.feel, len(live), rate)

    def _draw_reactions(self, live: Any) -> None:
        reaction = self.player.reaction
        noise = self._noise(live, rng.REACTION)
        drawn = _numbers(reaction.draw(noise), noise.rows, "reaction", reaction, "draw")
        if not np.all((drawn >= 0.0) & (drawn < np.inf)):
            raise ValueError(f"reaction {reaction!r}: draws must be finite and at least 0, not {_first_bad(drawn)}")
        self._put(self.all_seats.reaction, len(live), drawn)

    def _decide_cards(self, live: Any) -> None:
        rows, mine = self.rows, self._mine
        if mine.stop == mine.start:
            return
        obs = self._cards(live, rng.WAIT) if self.watched is None else self.watched.asked_again()
        wait = _numbers(self.player.wait(obs), obs.rows, "policy", self.player.policy, "wait")
        tracks = self.view.tracks
        if self._execute(wait, live, rows.at[mine], tracks, rng.MOTOR, rows.intended, rows.executed):
            raise ValueError(_not_a_wait("policy", self.player.policy, "wait", wait))

    def _decide_call(self, live: Any, which: NDArray[np.int64], part: Any, method: str, out: Floats) -> None:
        """A hand or a stop, on the player's own clock."""
        kind, purpose, motor = _CALLS[method]
        obs, at = self._seat_rows(live, which, purpose)
        wait = _numbers(getattr(part, method)(obs), obs.rows, kind, part, method)
        if self._execute(wait, live, at, 1, motor, np.empty(len(out)), out):
            raise ValueError(_not_a_wait(kind, part, method, wait))

    def _execute(
        self, wait: Floats, live: Any, at: Any, tracks: int, purpose: int, intended: Floats, executed: Floats
    ) -> int:
        """Turn waits into true moments; returns how many are none."""
        rate = self.all_seats.rate
        if self.motor is None and not self.player.reacts:
            return int(kernel.carry_out(wait, at, tracks, rate, intended, executed))
        motor, least = np.zeros(len(wait)), np.zeros(len(wait))
        if self.motor is not None:
            keys = np.empty(len(at), np.uint64)
            kernel.keys_of_acts(at, tracks, self.all_seats.key, keys)
            noise = Noise(self.view, live, at, tracks, purpose, keys)
            motor = _numbers(self.motor(noise), noise.rows, "clock", self.player.clock, "motor")
            if not np.all(np.isfinite(motor)):
                raise ValueError(f"clock {self.player.clock!r}: motor noise must be finite")
        if self.player.reacts:
            kernel.reaction_floor(self.view.games, live, at, tracks, self.all_seats.reaction, least)
        return int(kernel.carry_out_late(wait, at, tracks, rate, least, motor, intended, executed))

    def consent(self, up: Any, live: Any, agreed: NDArray[np.bool_]) -> None:
        """Ask all but the raiser of the games `up`, in which a hand is up; `agreed` turns False where one refuses."""
        if not self.player.raises_hands:
            return  # Never consents
        games, player = np.repeat(np.arange(len(up)), len(self.seats)), np.tile(self.seats, len(up))
        who = self.calls.who[up].astype(np.int64)[games]
        asked = player != who
        games, player, who = games[asked], player[asked], who[asked]
        if not len(games):
            return
        a, players = up[games], self.view.players
        waited = self.calls.when[a] / self.all_seats.feel[a * players + player]
        obs = Request(self.view, live[a], self._nearest(live[a], player), self.memory, waited, (who - player) % players)
        answer = np.asarray(self.player.stars.consent(obs))
        if answer.shape != (obs.rows,) or answer.dtype != np.bool_:
            raise ValueError(
                f"stars {self.player.stars!r}: consent must return {obs.rows} bools, one per row, "
                f"not {answer.dtype} of shape {answer.shape}"
            )
        agreed[games[~answer]] = False

    def prefer(self, up: Any, live: Any) -> None:
        """Ask who holds cards of both tracks of which one a card is to be given up."""
        if not callable(getattr(self.player.stars, "prefer", None)) or not len(up):
            return
        a, player = np.repeat(up, len(self.seats)), np.tile(self.seats, len(up))
        held = self.view.games["low"][live[a]].reshape(len(a), self.view.players, self.view.tracks) != NONE
        asked = held[np.arange(len(a)), player].all(axis=1)
        a, player = a[asked], player[asked]
        obs = Observation(self.view, live[a], self._nearest(live[a], player), rng.PREFER, self.memory)
        track = np.asarray(self.player.stars.prefer(obs))
        if track.shape != (obs.rows,) or not np.isin(track, (0, 1)).all():
            raise ValueError(
                f"stars {self.player.stars!r}: prefer must return {obs.rows} tracks (0 or 1), one per row, "
                f"not {track!r}"
            )
        self.calls.track[a, player] = track


# --- answers ---------------------------------------------------------------------------------------------------------
def _numbers(answer: Any, rows: int, kind: str, part: Any, method: str) -> Floats:
    """An answer as float64[rows], or an error that names who gave it."""
    try:
        if np.iscomplexobj(answer):
            raise TypeError("complex numbers")
        numbers = np.asarray(answer, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{kind} {part!r}: {method} must return {rows} numbers, not {answer!r}") from error
    if numbers.shape != (rows,):
        raise ValueError(
            f"{kind} {part!r}: {method} must return {rows} numbers, one per row, "
            f"not an array of shape {np.shape(answer)}"
        )
    return np.ascontiguousarray(numbers)


def _first_bad(numbers: Floats, above: float = -1.0) -> float:
    return float(numbers[~((numbers > above) & (numbers < np.inf))][0])


def _not_a_wait(kind: str, part: Any, method: str, wait: Floats) -> str:
    i = int(np.flatnonzero(~(wait >= 0.0))[0])
    return (
        f"{kind} {part!r}: {method} must return seconds of at least 0 (inf: not before something changes), "
        f"but row {i} is {wait[i]}"
    )
