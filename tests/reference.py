"""The Mind in plain Python: lists, sets and dicts, one rule after the other, as slow as it likes to be.

The engine is held against this game event by event (``test_reference.py``). It was written from the rules in
``docs/rules.md``, not from the engine, and shares nothing with it but the values `Rules` and `Level` and the table of
normal deviates (`mindsim.rng.to_normal`, which has tests of its own).

A player is a `Seat`: plain functions that get one row, a namespace of Python numbers, and return one number.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from mindsim import rng
from mindsim.rules import Rules, rank_to_value

INF = float("inf")
LEVEL, PLAY, MISTAKE, STAR, STOP = range(5)
NOBODY = -1

# --- random numbers, in Python integers -------------------------------------------------------------------------------
_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_GAME, _EPOCH, _PLAYER, _TRACK = (int(c) for c in (rng.GAME, rng.EPOCH, rng.PLAYER, rng.TRACK))
_PURPOSE, _CALL, _LEVEL = (int(c) for c in (rng.PURPOSE, rng.CALL, rng.LEVEL))


def mix(z: int) -> int:
    """The output function of SplitMix64."""
    z &= _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def game_key(seed: int, game: int) -> int:
    return mix(mix(seed + _GOLDEN) + _GAME * game + _GOLDEN)


def below(bits: int, n: int) -> int:
    return ((bits >> 32) * n) >> 32


class Draws:
    """The draws of one purpose at one key: each call of `uniform` or `normal` is a new one.

    For the factors of a product of clocks: `part` i draws apart, and `lasting` changes for how long a draw stays.
    """

    def __init__(self, key: int, purpose: int, keys: dict[str, int] | None = None, part: int = 0) -> None:
        self.key, self.purpose, self.keys, self._part, self.calls = key, purpose, keys or {}, part, 0

    def part(self, i: int) -> Draws:
        return Draws(self.key, self.purpose, self.keys, i + 1)

    def lasting(self, lasts: str) -> Draws:
        return Draws(self.keys[lasts], self.purpose, self.keys, self._part)

    def _word(self) -> int:
        self.calls += 1
        return mix(self.key + _PURPOSE * self.purpose + _CALL * (4096 * self._part + self.calls))

    def uniform(self) -> float:
        return ((self._word() >> 12) + 0.5) * 2.0**-52

    def normal(self) -> float:
        return float(rng.to_normal(np.uint64(self._word())))


def shuffled_hands(key: int, level: int, rules: Rules) -> list[list[set[int]]]:
    """``hands[player][track]``, from a fresh shuffle of the whole deck."""
    start = mix(key + _PURPOSE * rng.DEAL + _LEVEL * level)
    deck = list(range(rules.deck))
    n = rules.levels[level - 1].cards
    for i in range(rules.players * n):
        j = i + below(mix(start + _GOLDEN * (i + 1)), rules.deck - i)
        deck[i], deck[j] = deck[j], deck[i]
    hands: list[list[set[int]]] = []
    for player in range(rules.players):
        mine = deck[player * n : (player + 1) * n]
        hands.append([{c % rules.ranks + 1 for c in mine if c // rules.ranks == t} for t in range(rules.tracks)])
    return hands


# --- players ----------------------------------------------------------------------------------------------------------
def never(row: Any) -> float:
    return INF


@dataclass(frozen=True)
class Seat:
    """One player: functions of a row. `rate`, `motor` and `reaction` get `Draws`; `rate` one that lasts `lasts`."""

    wait: Callable[[Any], float]
    raise_hand: Callable[[Any], float] = never
    consent: Callable[[Any], bool] = lambda row: True
    prefer: Callable[[Any], int] | None = None
    call: Callable[[Any], float] = never
    watch: Callable[[Any], None] | None = None
    memory: int = 0
    rate: Callable[[Draws], float] = lambda draws: 1.0
    motor: Callable[[Draws], float] = lambda draws: 0.0
    lasts: str = "epoch"
    reaction: Callable[[Draws], float] = lambda draws: 0.0
    sees_clock: bool = False


def play(rules: Rules, seats: list[Seat], seed: int, game: int = 0, deals: Any = None) -> Game:
    """Play one game to its end. `deals[level][player]` is a list of (track, rank)."""
    the_game = Game(rules, seats, seed, game, deals)
    the_game.play()
    return the_game


class Game:
    """One game; `events` and `asked` (every row that a player was shown) grow as it goes."""

    def __init__(self, rules: Rules, seats: list[Seat], seed: int, game: int, deals: Any) -> None:
        assert len(seats) == rules.players
        self.rules, self.seats, self.game, self.deals = rules, seats, game, deals
        self.key = game_key(seed, game)
        self.players, self.tracks = range(rules.players), range(rules.tracks)
        self.lives, self.stars = rules.lives, rules.stars
        self.outcome, self.levels_completed, self.level_reached = "", 0, 0
        self.stars_used = self.mistakes = self.cards_lost = self.cards_played = self.epochs = 0
        self.duration = 0.0
        self.events: list[tuple] = []
        self.asked: list[tuple[str, int, int, int, dict]] = []
        self.intentions: list[dict] = []
        self.memory = [[0.0] * seat.memory for seat in seats]
        # what everybody saw last; kept over a level's start
        self.last_event, self.last_player, self.last_track, self.last_card, self.last_plays = LEVEL, NOBODY, 0, 0, 0
        self.last_wait = [0.0 for _ in self.players]

    # --- the course of a game -----------------------------------------------------------------------------------------
    def play(self) -> None:
        for number in range(1, self.rules.n_levels + 1):
            self.start_level(number)
            end = self.play_level()
            if end:
                self.end(end)
                return
            self.levels_completed = number
            self.reward()
        self.end("won")

    def start_level(self, number: int) -> None:
        """A fresh shuffle of the whole deck; level time 0, every pile's top is rank 0."""
        self.level_reached, self.level = number, self.rules.levels[number - 1]
        self.hidden = self.level.hidden(self.rules.tracks)
        self.hands = self.deal(number)
        self.elapsed = 0.0
        self.felt = [0.0 for _ in self.players]
        self.piles: list[list[tuple[int, int]]] = [[] for _ in self.tracks]  # (rank, player) in the order played
        self.aside: list[set[int]] = [set() for _ in self.tracks]
        self.known_top = [[0 for _ in self.tracks] for _ in self.players]
        self.since_top = [[0.0 for _ in self.tracks] for _ in self.players]
        self.floors = [[0 for _ in self.tracks] for _ in self.players]
        self.stars_here = self.stops_here = self.epochs_here = 0
        self.began_with = NOBODY  # whose act began this epoch: a level's start is nobody's
        for player in self.players:
            for track in self.tracks:
                for rank in sorted(self.hands[player][track]):
                    self.note("deal", player, track, rank)
        self.note("level")
        self.refocus()

    def deal(self, number: int) -> list[list[set[int]]]:
        if self.deals is None:
            return shuffled_hands(self.key, number, self.rules)
        return [[{r for t, r in cards if t == track} for track in self.tracks] for cards in self.deals[number - 1]]

    def play_level(self) -> str:
        """Epoch after epoch until the hands are empty; returns how the game ended, or "" if the level is completed."""
        while self.cards_left():
            if self.epochs_here == self.rules.max_epochs:
                return "stalled"
            end = self.epoch()
            if end:
                return end
        return ""

    def cards_left(self) -> int:
        return sum(self.hand_size(player) for player in self.players)

    def hand_size(self, player: int) -> int:
        return sum(len(cards) for cards in self.hands[player])

    def reward(self) -> None:
        """The reward of a completed level, up to the caps; the surplus is lost."""
        if self.level.reward == "life" and self.lives < self.rules.max_lives:
            self.lives += 1
            self.note("reward", cause="life")
        if self.level.reward == "star" and self.stars < self.rules.max_stars:
            self.stars += 1
            self.note("reward", cause="star")

    def end(self, outcome: str) -> None:
        self.outcome = outcome
        self.note("end", cause=outcome)

    def refocus(self) -> None:
        self.duration += self.rules.refocus_seconds

    def note(self, event: str, player: int = NOBODY, track: int = 0, rank: int = 0, cause: str = "",
             after: float = 0.0) -> None:
        """Write down what happened `after` seconds of this epoch."""
        value = rank_to_value(track, rank, self.rules.ranks) if rank else 0
        colour = ("white", "red")[track] if rank and self.rules.tracks == 2 else ""
        self.events.append((self.game, self.level_reached, self.elapsed + after, event, player, colour, value,
                            self.lives, self.stars, cause))

    # --- one epoch ----------------------------------------------------------------------------------------------------
    def epoch(self) -> str:
        self.now = self.key + _EPOCH * self.epochs  # where this epoch's draws begin
        self.fair_draws = 0
        self.reaction = [self.seats[p].reaction(self.draws(rng.REACTION, p)) for p in self.players]
        self.rate = [self.seats[p].rate(self.rate_draws(p)) for p in self.players]
        self.watch()
        self.epochs += 1
        self.epochs_here += 1
        self.intend()
        self.mistakes_now, self.called_now = 0, False
        end = self.what_happens()
        if end:
            return end
        if not self.cards_left() and self.read_face_down():
            return "lost"
        if self.called_now or self.mistakes_now:
            self.refocus()  # once an epoch, also if a star empties the hands and the pile then shows mistakes
        return ""

    def draws(self, purpose: int, player: int, track: int = 0) -> Draws:
        return Draws(self.now + _PLAYER * (player + 1) + _TRACK * track, purpose)

    def rate_draws(self, player: int) -> Draws:
        """A rate lasts an epoch, a level or a game."""
        starts = {"epoch": self.now, "level": self.key + _LEVEL * self.level_reached, "game": self.key}
        keys = {lasts: start + _PLAYER * (player + 1) for lasts, start in starts.items()}
        return Draws(keys[self.seats[player].lasts], rng.RATE, keys)

    def watch(self) -> None:
        for p in self.players:
            watch = self.seats[p].watch
            if watch:
                row = self.player_row("watch", p, rng.WATCH)
                watch(row)
                self.memory[p] = list(row.memory)

    def intend(self) -> None:
        """Decisions are made at once and unseen; clocks then say when each would be carried out."""
        self.wanted: dict[tuple[int, int], float] = {}
        self.due: dict[tuple[int, int], float] = {}
        self.hands_due: dict[int, float] = {}
        self.stops_due: dict[int, float] = {}
        for p in self.players:
            seat = self.seats[p]
            for t in self.tracks:
                if self.hands[p][t]:
                    self.wanted[p, t] = seat.wait(self.card_row("wait", p, t))
                    self.due[p, t] = self.executed(p, self.wanted[p, t], seat.motor(self.draws(rng.MOTOR, p, t)))
            if self.stars:
                seconds = seat.raise_hand(self.player_row("raise_hand", p, rng.RAISE))
                self.hands_due[p] = self.executed(p, seconds, seat.motor(self.draws(rng.MOTOR_HAND, p)))
            if self.stops_here < self.rules.max_stops:
                seconds = seat.call(self.player_row("call", p, rng.CALL_STOP))
                self.stops_due[p] = self.executed(p, seconds, seat.motor(self.draws(rng.MOTOR_STOP, p)))

    def executed(self, player: int, wait: float, motor: float) -> float:
        """It acts after max(wait x rate, r) + motor true seconds, never below 0."""
        others_act = self.began_with not in (NOBODY, player)
        floor = self.reaction[player] if others_act else 0.0
        return max(max(wait * self.rate[player], floor) + motor, 0.0)

    def in_time(self, moment: float) -> bool:
        limit = self.level.time_limit
        return moment < INF and (limit is None or self.elapsed + moment <= limit)

    def what_happens(self) -> str:
        """Stop before hand before card; a card about to be played comes before both."""
        stop = min(self.stops_due.values(), default=INF)
        hand = min(self.hands_due.values(), default=INF)
        card = min(self.due.values())
        stop_counts = self.in_time(stop) and not self.card_comes_first(stop)
        hand_counts = self.in_time(hand) and not self.card_comes_first(hand)
        if stop_counts and stop <= hand:
            return self.stop(stop)
        if hand_counts:
            raiser = self.fair([p for p in self.hands_due if self.hands_due[p] == hand])
            if self.all_consent(raiser, hand):
                return self.star(raiser, hand)
        if stop_counts:
            return self.stop(stop)
        if self.in_time(card):
            return self.cards_land()
        return self.nothing_happens()

    def card_comes_first(self, call: float) -> bool:
        """Whether a card is due before the call, or within its owner's reaction after it."""
        for (player, _), moment in self.due.items():
            if moment < call or (self.reaction[player] > 0 and moment <= call + self.reaction[player]):
                return True
        return False

    def fair(self, equals: list) -> Any:
        """One of several equals, listed in order of seat, by a draw from the game's tie stream."""
        if len(equals) == 1:
            return equals[0]
        bits = mix(self.now + _PURPOSE * rng.TIE + _CALL * self.fair_draws)
        self.fair_draws += 1
        return equals[below(bits, len(equals))]

    def time_passes(self, seconds: float, rises: dict[tuple[int, int], float]) -> None:
        """`rises`: when, in this epoch, the top that a player knows of a track last rose."""
        for p in self.players:
            rate = 1.0 if self.seats[p].sees_clock else self.rate[p]
            self.felt[p] += seconds / rate
            self.last_wait[p] = seconds / rate
            for t in self.tracks:
                if (p, t) in rises:
                    self.since_top[p][t] = (seconds - rises[p, t]) / rate
                else:
                    self.since_top[p][t] += seconds / rate
        self.elapsed += seconds
        self.duration += seconds

    def seen(self, event: int, player: int, track: int = 0, card: int = 0, plays: int = 0) -> None:
        self.last_event, self.last_player, self.last_track = event, player, track
        self.last_card, self.last_plays = card, plays
        self.began_with = player

    # --- nothing, stops and stars -------------------------------------------------------------------------------------
    def nothing_happens(self) -> str:
        if self.level.time_limit is not None:
            self.duration += self.level.time_limit - self.elapsed
            self.elapsed = self.level.time_limit
        return "stalled"

    def stop(self, moment: float) -> str:
        """No card moves; everyone refocuses; a new epoch begins."""
        caller = self.fair([p for p in self.stops_due if self.stops_due[p] == moment])
        self.stops_here += 1
        self.note("stop", caller, after=moment)
        self.seen(STOP, caller)
        self.time_passes(moment, {})
        self.called_now = True
        return ""

    def all_consent(self, raiser: int, moment: float) -> bool:
        """Every other player is asked, and all have to agree."""
        answers = []
        for p in self.players:
            if p != raiser:
                row = self.player_row("consent", p, rng.CONSENT, raiser=self.clockwise(p, raiser),
                                      waited=moment / (1.0 if self.seats[p].sees_clock else self.rate[p]))
                answers.append(bool(self.seats[p].consent(row)))
        return all(answers)

    def star(self, raiser: int, moment: float) -> str:
        """One star is spent, every player with cards sets its lowest card aside face up, no life is lost."""
        tracks = {p: self.preferred_track(p) for p in self.players if self.hand_size(p)}
        self.stars -= 1
        self.stars_used += 1
        self.stars_here += 1
        self.note("star", raiser, after=moment)
        for p, t in tracks.items():
            self.set_aside(p, t, min(self.hands[p][t]), "star", moment)
        self.seen(STAR, raiser)
        self.time_passes(moment, {})
        self.called_now = True
        return ""

    def preferred_track(self, player: int) -> int:
        held = [t for t in self.tracks if self.hands[player][t]]
        if len(held) == 1:
            return held[0]
        prefer = self.seats[player].prefer
        if prefer:
            return int(prefer(self.player_row("prefer", player, rng.PREFER)))
        return 0 if self.wanted[player, 0] <= self.wanted[player, 1] else 1

    def set_aside(self, player: int, track: int, rank: int, cause: str, moment: float) -> None:
        """Face up: everybody sees the card."""
        self.hands[player][track].remove(rank)
        self.aside[track].add(rank)
        self.floors[player][track] = max(self.floors[player][track], rank)
        self.note("discard", player, track, rank, cause, after=moment)

    # --- cards --------------------------------------------------------------------------------------------------------
    def cards_land(self) -> str:
        """The earliest card lands, then those in flight, in time order, unless set aside meanwhile."""
        first = min(self.due.values())
        equals = [pt for pt in self.due if self.due[pt] == first]
        lander = self.fair(equals)
        cause = "tie" if len(equals) > 1 else self.clock_or_policy()
        flying = {
            (p, t): (moment, min(self.hands[p][t]))
            for (p, t), moment in self.due.items()
            if (p, t) != lander and self.reaction[p] > 0 and moment <= first + self.reaction[p]
            and self.in_time(moment)
        }
        moment, plays, rises = first, 0, {}
        while True:
            plays += 1
            self.put_down(lander, moment, cause, plays, rises)
            if not self.lives:
                self.time_passes(moment, rises)
                return "lost"
            flying = {(p, t): f for (p, t), f in flying.items() if f[1] in self.hands[p][t]}
            if not flying:
                break
            moment = min(m for m, _ in flying.values())
            lander = self.fair([pt for pt in flying if flying[pt][0] == moment])
            del flying[lander]
            cause = "reaction"
        self.time_passes(moment, rises)
        return ""

    def clock_or_policy(self) -> str:
        """`clock` if the smallest intended wait of the epoch belonged to right cards only."""
        smallest = min(self.wanted.values())
        right = [self.nobody_holds_less(t, min(self.hands[p][t]))
                 for (p, t), wait in self.wanted.items() if wait == smallest]
        return "clock" if all(right) else "policy"

    def nobody_holds_less(self, track: int, rank: int) -> bool:
        return not self.lower_cards(track, rank)

    def lower_cards(self, track: int, rank: int) -> list[tuple[int, int]]:
        return [(p, r) for p in self.players for r in sorted(self.hands[p][track]) if r < rank]

    def put_down(self, lander: tuple[int, int], moment: float, cause: str, plays: int, rises: dict) -> None:
        player, track = lander
        rank = min(self.hands[player][track])
        self.hands[player][track].remove(rank)
        self.piles[track].append((rank, player))
        self.cards_played += 1
        self.note("play", player, track, rank, after=moment)
        if self.hidden[track]:
            self.known_top[player][track] = rank
            rises[player, track] = moment
            self.seen(PLAY, player, track, 0, plays)
            return
        self.floors[player][track] = rank
        for p in self.players:
            self.known_top[p][track] = rank
            rises[p, track] = moment
        lower = self.lower_cards(track, rank)
        self.seen(MISTAKE if lower else PLAY, player, track, rank, plays)
        if lower:
            self.lose_a_life(player, track, rank, cause, moment)
            for p, r in lower:
                self.set_aside(p, track, r, "mistake", moment)
            self.cards_lost += len(lower)

    def lose_a_life(self, player: int, track: int, rank: int, cause: str, moment: float) -> None:
        """One life is lost, whatever the number of cards."""
        self.lives -= 1
        self.mistakes += 1
        self.mistakes_now += 1
        self.note("mistake", player, track, rank, cause, after=moment)

    # --- face down ----------------------------------------------------------------------------------------------------
    def read_face_down(self) -> bool:
        """Turn up the hidden piles, white first, and read them; returns whether the last life was lost."""
        read = {"as_face_up": self.read_as_face_up, "breaks": self.read_breaks}[self.rules.blind_count]
        return any(self.hidden[track] and read(track) for track in self.tracks)

    def read_as_face_up(self, track: int) -> bool:
        """Each card put down over lower cards still to come is one mistake; those are taken out, reading goes on."""
        to_read = list(self.piles[track])
        while to_read:
            rank, player = to_read.pop(0)
            lower = [(r, p) for r, p in to_read if r < rank]
            if lower:
                self.lose_a_life(player, track, rank, "blind", 0.0)
                for r, p in lower:
                    self.note("discard", p, track, r, "mistake")
                    to_read.remove((r, p))
                self.cards_lost += len(lower)
                self.cards_played -= len(lower)
                if not self.lives:
                    return True
        return False

    def read_breaks(self, track: int) -> bool:
        """One mistake wherever a card is lower than the one before it."""
        pile = self.piles[track]
        for (before, player), (rank, _) in pairwise(pile):
            if rank < before:
                self.lose_a_life(player, track, before, "blind", 0.0)
                if not self.lives:
                    return True
        return False

    # --- what one player may know -------------------------------------------------------------------------------------
    def clockwise(self, player: int, other: int) -> int:
        """How many seats clockwise `other` sits: 0 self, 1 next ..."""
        return NOBODY if other == NOBODY else (other - player) % self.rules.players

    def unseen(self, player: int, track: int, above: int, under: float = INF) -> int:
        seen = self.hands[player][track] | self.aside[track]
        return sum(1 for rank in range(1, self.rules.ranks + 1) if above < rank < under and rank not in seen)

    def card_row(self, kind: str, player: int, track: int) -> SimpleNamespace:
        return self.row(kind, player, track, self.draws(rng.WAIT, player, track))

    def player_row(self, kind: str, player: int, purpose: int, **more: Any) -> SimpleNamespace:
        """`card`, `gap` and `track` are those of the track with the smaller gap; 0 with an empty hand."""
        gaps = [(min(cards) - self.known_top[player][t], t) for t, cards in enumerate(self.hands[player]) if cards]
        track = min(gaps)[1] if gaps else 0
        return self.row(kind, player, track, self.draws(purpose, player, track), **more)

    def row(self, kind: str, player: int, track: int, draws: Draws, **more: Any) -> SimpleNamespace:
        shown = self.fields(player, track) | more
        self.asked.append((kind, self.epochs_here, player, track, shown))
        personal = self.key + _PLAYER * (player + 1) + _PURPOSE * rng.PERSONAL
        return SimpleNamespace(
            **shown, uniform=draws.uniform, normal=draws.normal, memory=list(self.memory[player]),
            personal=lambda k: float(rng.to_normal(np.uint64(mix(personal + _CALL * k)))),
        )

    def fields(self, player: int, track: int) -> dict[str, Any]:
        around = [(player + i) % self.rules.players for i in self.players]
        hand, top = sorted(self.hands[player][track]), self.known_top[player][track]
        card = hand[0] if hand else 0
        sizes = tuple(self.hand_size(p) for p in around)
        shown = {
            "card": card, "top": top, "gap": card - top if hand else 0, "since_top": self.since_top[player][track],
            "hand": tuple(hand), "hand_size": len(hand), "others_cards": sum(sizes[1:]), "hand_sizes": sizes,
            "floors": tuple(self.floors[p][track] for p in around),
            "unseen": self.unseen(player, track, top), "unseen_below": self.unseen(player, track, top, card),
            "unseen_all": sum(self.unseen(player, t, self.known_top[player][t]) for t in self.tracks),
            "level": self.level_reached, "n_levels": self.rules.n_levels, "level_cards": self.level.cards,
            "ranks": self.rules.ranks, "lives": self.lives, "stars": self.stars, "players": self.rules.players,
            "track": track, "face_down": self.hidden[track], "elapsed": self.felt[player],
            "last_wait": self.last_wait[player], "last_event": self.last_event, "last_card": self.last_card,
            "last_track": self.last_track, "last_player": self.clockwise(player, self.last_player),
            "last_plays": self.last_plays, "stars_here": self.stars_here, "stops_here": self.stops_here,
            "alone": sum(sizes[1:]) == 0,
        }
        if self.rules.tracks == 2:
            other = sorted(self.hands[player][1 - track])
            shown["other_card"] = other[0] if other else 0
            shown["other_gap"] = other[0] - self.known_top[player][1 - track] if other else 0
            shown["other_hand_size"] = len(other)
        return shown
