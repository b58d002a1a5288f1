"""Asking players: each `Group` of equal players gets one call per question and epoch, for all its rows.

Here answers are checked and turned into true moments. Which moment wins is decided in `kernel`; the loop over epochs
is in `simulate`.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindsim import kernel, rng
from mindsim.observation import CardRows, Noise, Observation, Request, View, nearest_places
from mindsim.player import Player, same
from mindsim.state import NONE, Calls, Rows, Seats

Floats = NDArray[np.float64]


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
        self.first = 0  # of its region in Seats; set by the batch
        memory = int(getattr(player.policy, "memory", 0) or 0)
        self.memory = np.zeros((len(view.games), view.players, memory)) if memory else None
        self.watches = callable(getattr(player.policy, "watch", None))
        self.lasts = getattr(player.clock, "lasts", "epoch")
        self.motor = getattr(player.clock, "motor", None)

    def sit_down(self, rows: Rows, seats: Seats) -> None:
        """Take the group's regions of the arrays, and what does not change in them."""
        self.rows, self.all_seats = rows, seats
        n = len(self.seats) * len(self.view.games)
        self._players = np.tile(self.seats, len(self.view.games))
        self._places = (self._players * self.view.tracks).astype(np.uint8)
        if self.player.reacts and not callable(getattr(self.player.reaction, "draw", None)):
            seats.reaction[self.first : self.first + n] = self.player.reaction

    # --- rows ------------------------------------------------------------------------------------
    def _region(self, n_live: int) -> slice:
        return slice(self.first, self.first + n_live * len(self.seats))

    def _noise(self, n_live: int, purpose: int) -> Noise:
        """Noise with one row per (game, player)."""
        region = self._region(n_live)
        seats = self.all_seats
        places = self._places[: n_live * len(self.seats)]
        return Noise(self.view.games, seats.slot[region], places, self.view.tracks, purpose, seats.key[region])

    def _seat_rows(self, n_live: int, purpose: int) -> Observation:
        """An observation with one row per (game, player), on the track with the smaller gap."""
        slot = self.all_seats.slot[self._region(n_live)]
        return Observation(self.view, slot, self._nearest(slot, self._players[: len(slot)]), purpose, self.memory)

    def _nearest(self, slot: Any, players: Any) -> NDArray[np.uint8]:
        if self.view.tracks == 1:
            return players.astype(np.uint8)  # type: ignore[no-any-return]
        places = np.empty(len(slot), np.uint8)
        nearest_places(self.view.games, slot, players, places)
        return places

    # --- questions -------------------------------------------------------------------------------
    def watch(self, n_live: int) -> None:
        """Let the policy note what happened."""
        if self.memory is None and not self.watches:
            return
        slot = self.all_seats.slot[self._region(n_live)]
        if self.memory is not None:
            self.memory[slot[self.view.games["epoch"][slot] == 0]] = 0.0  # a new game
        if self.watches:
            obs = self._seat_rows(n_live, rng.WATCH)
            self.player.policy.watch(obs)
            if self.memory is not None and "memory" in obs.__dict__:
                self.memory[slot, self._players[: len(slot)]] = obs.memory

    def decide(self, n_live: int) -> None:
        """Ask for waits, hands and stops, and find out when they would happen."""
        self._draw_rates(n_live)
        if self.player.reacts:
            self._draw_reactions(n_live)
        self._decide_cards()
        obs = None
        if len(self.all_seats.hand_up) and self.player.raises_hands:
            obs = self._seat_rows(n_live, rng.RAISE)
            self._decide_call(n_live, obs, self.player.stars, "raise_hand", self.all_seats.hand_up, rng.MOTOR_HAND)
        if len(self.all_seats.stop) and self.player.calls_stops:
            obs = self._seat_rows(n_live, rng.CALL_STOP) if obs is None else obs._again(rng.CALL_STOP)
            self._decide_call(n_live, obs, self.player.stops, "call", self.all_seats.stop, rng.MOTOR_STOP)

    def _draw_rates(self, n_live: int) -> None:
        if self.player.keeps_exact_time:
            return
        region = self._region(n_live)
        noise = self._noise(n_live, rng.RATE).lasting(self.lasts)
        rate = _numbers(self.player.clock.rate(noise), noise.rows, "clock", self.player.clock, "rate")
        if len(rate) and not (rate.min() > 0.0 and rate.max() < np.inf):
            raise ValueError(f"clock {self.player.clock!r}: rates must be finite and above 0, not {_first_bad(rate, 0)}")
        self.all_seats.rate[region] = rate
        if self.all_seats.feel is not self.all_seats.rate and not self.player.sees_clock:
            self.all_seats.feel[region] = rate

    def _draw_reactions(self, n_live: int) -> None:
        reaction = self.player.reaction
        if callable(getattr(reaction, "draw", None)):
            noise = self._noise(n_live, rng.REACTION)
            drawn = _numbers(reaction.draw(noise), noise.rows, "reaction", reaction, "draw")
            if not np.all((drawn >= 0.0) & (drawn < np.inf)):
                raise ValueError(f"reaction {reaction!r}: draws must be finite and at least 0, not {_first_bad(drawn)}")
            self.all_seats.reaction[self._region(n_live)] = drawn

    def _decide_cards(self) -> None:
        rows, begin = self.rows, self.first * self.view.tracks
        mine = slice(begin, int(rows.filled[self.number]))
        if mine.stop == mine.start:
            return
        gap = rows.gap[mine]
        gap.flags.writeable = False
        obs = CardRows(self.view, rows.slot[mine], rows.place[mine], self.memory, gap, rows.head_start[mine])
        wait = _numbers(self.player.wait(obs), obs.rows, "policy", self.player.policy, "wait")
        bad = self._execute(
            wait, rows.slot[mine], rows.place[mine], rows.seat[mine], rng.MOTOR, rows.intended[mine], rows.executed[mine]
        )
        if bad:
            raise ValueError(_not_a_wait("policy", self.player.policy, "wait", wait))

    def _decide_call(self, n_live: int, obs: Observation, part: Any, method: str, out: Floats, purpose: int) -> None:
        """A hand or a stop, on the player's own clock."""
        kind = "stars" if method == "raise_hand" else "stops"
        wait = _numbers(getattr(part, method)(obs), obs.rows, kind, part, method)
        region = self._region(n_live)
        seat = np.arange(region.start, region.stop, dtype=np.int32)
        places = self._places[: len(wait)]
        bad = self._execute(wait, self.all_seats.slot[region], places, seat, purpose, np.empty(len(wait)), out[region])
        if bad:
            raise ValueError(_not_a_wait(kind, part, method, wait))

    def _execute(
        self, wait: Floats, slot: Any, place: Any, seat: Any, purpose: int, intended: Floats, executed: Floats
    ) -> int:
        """Turn waits into true moments; returns how many are none."""
        rate = self.all_seats.rate
        if self.motor is None and not self.player.reacts:
            return int(kernel.carry_out(wait, seat, rate, intended, executed))
        motor, least = np.zeros(len(wait)), np.zeros(len(wait))
        if self.motor is not None:
            noise = Noise(self.view.games, slot, place, self.view.tracks, purpose)
            motor = _numbers(self.motor(noise), noise.rows, "clock", self.player.clock, "motor")
            if not np.all(np.isfinite(motor)):
                raise ValueError(f"clock {self.player.clock!r}: motor noise must be finite")
        if self.player.reacts:
            kernel.reaction_floor(self.view.games, slot, place, seat, self.all_seats.reaction, least)
        return int(kernel.carry_out_late(wait, seat, rate, least, motor, intended, executed))

    def consent(self, up: Any, live: Any, calls: Calls, agreed: NDArray[np.bool_]) -> None:
        """Ask all but the raiser of the games `up`, in which a hand is up; `agreed` turns False where one refuses."""
        if not self.player.raises_hands:
            return  # Never consents
        games, player = np.repeat(np.arange(len(up)), len(self.seats)), np.tile(self.seats, len(up))
        who = calls.who[up].astype(np.int64)[games]
        asked = player != who
        games, player, who = games[asked], player[asked], who[asked]
        if not len(games):
            return
        a = up[games]
        seats = self.all_seats
        slot = live[a]
        waited = calls.when[a] / seats.feel[seats.base[player] + seats.stride[player] * a]
        raiser = (who - player) % self.view.players
        obs = Request(self.view, slot, self._nearest(slot, player), self.memory, waited, raiser)
        answer = np.asarray(self.player.stars.consent(obs))
        if answer.shape != (obs.rows,) or answer.dtype != np.bool_:
            raise ValueError(
                f"stars {self.player.stars!r}: consent must return {obs.rows} bools, one per row, "
                f"not {answer.dtype} of shape {answer.shape}"
            )
        agreed[games[~answer]] = False

    def prefer(self, up: Any, live: Any, calls: Calls) -> None:
        """Ask of which track a card is to be given up, if the player has a preference."""
        if not callable(getattr(self.player.stars, "prefer", None)) or not len(up):
            return
        a, player = np.repeat(up, len(self.seats)), np.tile(self.seats, len(up))
        held = self.view.games["low"][live[a]].reshape(len(a), self.view.players, self.view.tracks) != NONE
        held = held[np.arange(len(a)), player]
        asked = held.any(axis=1)
        a, player, held = a[asked], player[asked], held[asked]
        obs = Observation(self.view, live[a], self._nearest(live[a], player), rng.PREFER, self.memory)
        track = np.asarray(self.player.stars.prefer(obs))
        fine = track.shape == (obs.rows,) and np.issubdtype(track.dtype, np.integer)
        if not fine or not np.isin(track, (0, 1)).all() or not held[np.arange(len(a)), track].all():
            raise ValueError(
                f"stars {self.player.stars!r}: prefer must return {obs.rows} tracks (0 or 1), one per row, "
                f"on which the player holds a card"
            )
        calls.track[a, player] = track


# --- answers ---------------------------------------------------------------------------------------------------------
def _numbers(answer: Any, rows: int, kind: str, part: Any, method: str) -> Floats:
    """An answer as float64[rows], or an error that names who gave it."""
    try:
        numbers = np.ascontiguousarray(answer, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{kind} {part!r}: {method} must return {rows} numbers, not {answer!r}") from error
    if numbers.shape != (rows,):
        raise ValueError(
            f"{kind} {part!r}: {method} must return {rows} numbers, one per row, not an array of shape {np.shape(answer)}"
        )
    return numbers


def _first_bad(numbers: Floats, above: float = -1.0) -> float:
    return float(numbers[~((numbers > above) & (numbers < np.inf))][0])


def _not_a_wait(kind: str, part: Any, method: str, wait: Floats) -> str:
    i = int(np.flatnonzero(~(wait >= 0.0))[0])
    return (
        f"{kind} {part!r}: {method} must return seconds of at least 0 (inf: not before something changes), "
        f"but row {i} is {wait[i]}"
    )
