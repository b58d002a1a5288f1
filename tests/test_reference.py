"""The engine against the reference game: hundreds of random whole games over all rule sets, event by event.

Every setting is drawn from its number: rules, who sits where, how players decide, clocks and reactions. Players decide
by sums over all that they see, with weights of their own, so that one wrong observation changes the game; sums use
only + - x /, so that times agree to the last bit. What the engine shows each player is also compared field by field.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest
import rowwise
from reference import INF, Game, Seat, play
from rowwise import FIELDS, TWO_TRACKS, Log

import mindsim as ms

N_SETTINGS, N_GAMES = 240, 3  # whole games compared: their product
COLUMNS = ("levels_completed", "level_reached", "lives", "stars", "stars_used", "mistakes", "cards_lost",
           "cards_played", "duration", "epochs")  # fmt: skip


# --- random players ---------------------------------------------------------------------------------------------------
@dataclass
class Habits:
    """How one player decides: the same for the reference game and, through `rowwise`, for the engine."""

    pace: float
    grid: float  # decisions are rounded down to multiples of it, for ties; 0: not
    weights: dict[str, float]
    noise: float
    patience: int  # in one of so many situations it waits for ever
    star: int
    stop: int
    agrees: int
    log: Log = field(default_factory=Log)

    def score(self, row: Any) -> float:
        """A sum over everything that can be seen."""
        total = 0.0
        for name, weight in self.weights.items():
            value = getattr(row, name, 0)
            if isinstance(value, tuple):
                for i, one in enumerate(value):
                    total += weight * (i + 1) * one
            else:
                total += weight * value
        for i, one in enumerate(row.memory):
            total += 0.001 * (i + 1) * one
        return total

    def coarse(self, seconds: float) -> float:
        seconds = max(seconds, 0.0)
        return math.floor(seconds / self.grid) * self.grid if self.grid else seconds

    def wait(self, row: Any) -> float:
        if self.patience and (row.card + row.level + row.last_event + row.last_plays) % self.patience == 0:
            return INF
        chance = self.noise * (row.uniform() + 0.1 * row.normal() + 0.05 * row.personal(1) + row.uniform())
        return self.coarse(self.pace * row.gap - row.since_top + self.score(row) + chance)

    def raise_hand(self, row: Any) -> float:
        if (row.card + row.others_cards + row.stars_here + row.last_player) % self.star:
            return INF
        return self.coarse(self.pace * (2 + row.hand_size) + self.score(row) + self.noise * row.uniform())

    def consent(self, row: Any) -> bool:
        mood = math.floor(8 * row.waited + 4 * row.uniform())
        return (row.card + row.lives + 3 * row.raiser + mood) % self.agrees > 0

    def prefer(self, row: Any) -> int:
        return (row.card + row.other_card + row.hand_size + math.floor(2 * row.uniform())) % 2

    def call(self, row: Any) -> float:
        if (row.card + row.gap + row.stops_here + row.last_event) % self.stop:
            return INF
        return self.coarse(self.pace * (1 + row.hand_size) + self.score(row) + self.noise * row.normal())

    def watch(self, row: Any) -> None:
        row.memory[0] = 0.5 * row.memory[0] + row.last_card + 0.1 * row.normal()
        row.memory[1] += self.score(row) + row.last_wait


@dataclass
class Sort:
    """One sort of player, made for both games; it may sit in several seats."""

    engine: ms.Player
    seat: Seat
    log: Log


def random_sort(r: Random, tracks: int, pace: float, grid: float) -> Sort:
    clock, in_reference = random_clock(r)
    reaction = r.choice([0, 0, 0.1, 0.3, 1.0, rowwise.Slow(0.05, 0.5)])
    sees_clock = r.random() < 0.2
    in_reference |= {
        "reaction": reaction.draw if isinstance(reaction, rowwise.Slow) else lambda draws: float(reaction),
        "sees_clock": sees_clock,
    }
    policy, stars, stops, log, functions = r.choice([random_habits] * 5 + [built_in])(r, tracks, pace, grid)
    player = ms.Player(policy, stars=stars, stops=stops, clock=clock, reaction=reaction, sees_clock=sees_clock)
    return Sort(player, Seat(**functions, **in_reference), log)


def random_habits(r: Random, tracks: int, pace: float, grid: float) -> tuple:
    names = [n for n in FIELDS + TWO_TRACKS if n != "alone"]
    size = r.choice([0.0001, 0.001, 0.01])
    habits = Habits(
        pace=pace * r.choice([1.0, 1.0, 1.0, 0.5 + r.random()]),
        grid=grid,
        weights={name: size * r.uniform(-1, 1) for name in names},
        noise=r.choice([0.0, 0.05, 0.5]),
        patience=r.choice([0, 0, 0, 0, 7]),
        star=r.choice([2, 3, 5]), stop=r.choice([2, 3, 5]), agrees=r.choice([2, 4, 9]),
    )  # fmt: skip
    habits_of = {"wait": habits.wait}
    watching = r.random() < 0.6
    if watching:
        habits_of |= {"watch": habits.watch, "memory": 2}
    policy = rowwise.Policy(habits.wait, tracks, habits.log, 2 if watching else 0, habits.watch if watching else None)
    stars: Any = ms.stars.Never()
    if r.random() < 0.7:
        prefer = habits.prefer if tracks == 2 and r.random() < 0.5 else None
        habits_of |= {"raise_hand": habits.raise_hand, "consent": habits.consent, "prefer": prefer}
        stars = rowwise.Stars(habits.raise_hand, habits.consent, tracks, habits.log, prefer)
    stops: Any = ms.stops.Never()
    if r.random() < 0.6:
        habits_of |= {"call": habits.call}
        stops = rowwise.Stops(habits.call, tracks, habits.log)
    return policy, stars, stops, habits.log, habits_of


def built_in(r: Random, tracks: int, pace: float, grid: float) -> tuple:
    """The package's own policies, and what their docstrings say in one line of Python."""
    policy, wait = r.choice([
        (ms.policies.GapLinear(pace), lambda row: 0.0 if row.alone else max(pace * row.gap - row.since_top, 0.0)),
        (ms.policies.Metronome(pace), lambda row: 0.0 if row.alone else max(pace * row.card - row.elapsed, 0.0)),
        (ms.policies.Uniform(10 * pace), lambda row: 0.0 if row.alone else (10 * pace) * row.uniform()),
    ])
    when, agrees = r.choice([0.5, 2.0]), r.random() < 0.7
    return (
        policy, ms.stars.At(when, consent=agrees), ms.stops.At(2 * when), Log(),
        {"wait": wait,
         "raise_hand": lambda row: INF if row.stars_here else max(when - row.elapsed, 0.0),
         "consent": lambda row: agrees,
         "call": lambda row: INF if row.stops_here else max(2 * when - row.elapsed, 0.0)},
    )  # fmt: skip


def random_clock(r: Random) -> tuple[Any, dict]:
    lasts, spread, floor = r.choice(["epoch", "level", "game"]), r.choice([0.05, 0.2, 0.6]), r.choice([0.0, 0.1])
    return r.choice([
        (ms.clocks.Exact(), {}),
        (ms.clocks.Scalar(spread, floor, lasts),
         {"rate": lambda draws: max(1.0 + spread * draws.normal(), 0.01), "lasts": lasts}
         | ({"motor": lambda draws: floor * draws.normal()} if floor else {})),
        (rowwise.Wobble(spread, lasts), {"rate": rowwise.Wobble(spread).rate, "lasts": lasts}),
        (ms.clocks.Additive(0.125), {"motor": lambda draws: 0.125 * draws.normal()}),
        random_product(r),
    ])


def random_product(r: Random) -> tuple[Any, dict]:
    """Rates multiply and hands add up; each factor draws its own noise, for as long as it lasts."""
    first, second = (r.choice(["epoch", "level", "game"]) for _ in range(2))
    product = ms.clocks.Scalar(0.2, 0.05, first) * rowwise.Wobble(0.4, second) * ms.clocks.Additive(0.1)

    def rate(draws: Any) -> float:
        scalar = max(1.0 + 0.2 * draws.part(0).lasting(first).normal(), 0.01)
        return scalar * (1.0 + 0.4 * (draws.part(1).lasting(second).uniform() - 0.5))

    def motor(draws: Any) -> float:
        return 0.05 * draws.part(0).normal() + 0.1 * draws.part(2).normal()

    return product, {"rate": rate, "motor": motor}


# --- random rules -----------------------------------------------------------------------------------------------------
TABLES = [(1, 1), (2, 1), (3, 1), (5, 1), (6, 1), (2, 2), (3, 2), (4, 2)]  # players and tracks of free rules


def random_level(r: Random, cards: int, tracks: int) -> ms.Level:
    return ms.Level(
        cards,
        r.choice([None, "life", "star"]),
        tuple(r.random() < 0.5 for _ in range(tracks)),
        r.choice([None, None, None, 0.0, 1.0, 2.5, 10.0]),
    )


def random_rules(r: Random) -> ms.Rules:
    kind = r.choice(["the_mind", "blind", "campaign", "extreme"] + ["free"] * 8)
    if kind != "free":
        players = r.choice([2, 3, 4])
        return getattr(ms.Rules, kind)(players, lives=r.choice([players, 1, 2, 12]), stars=r.choice([0, 1, 3]))
    players, tracks = r.choice(TABLES)
    cards = 4 if players < 4 else 2
    least = -(-players * cards // tracks) * tracks
    deck = r.choice([least, least + tracks, least + 7 * tracks, 100, 127 * tracks])
    levels = [random_level(r, r.randint(1, cards), tracks) for _ in range(r.randint(1, 4))]
    if any(any(level.hidden(tracks)) for level in levels):
        # every size of face-down piles is compiled anew: let the largest always be the same
        levels[r.randrange(len(levels))] = replace(random_level(r, cards, tracks), face_down=(True,) * tracks)
    return ms.Rules(
        players, levels, lives=r.choice([1, 2, 3, 4, 20]), stars=r.randint(0, 3), max_lives=r.randint(1, 5),
        max_stars=r.randint(0, 3), deck=deck, tracks=tracks, refocus_seconds=r.choice([0.0, 1.5, 0.1]),
        max_stops=r.choice([0, 1, 3]), blind_count=r.choice(["as_face_up", "breaks"]),
        max_epochs=r.choice([10_000, 10_000, 10_000, r.randint(1, 12)]),
    )  # fmt: skip


@dataclass
class Setting:
    rules: ms.Rules
    sorts: list[Sort]
    seats: list[int]  # which sort sits where
    seed: int

    def simulate(self, **keywords: Any) -> Any:
        team = [self.sorts[i].engine for i in self.seats]
        return ms.simulate(self.rules, team, seed=self.seed, record=True, **keywords)

    def reference(self, game: int) -> Game:
        return play(self.rules, [self.sorts[i].seat for i in self.seats], self.seed, game)


def setting(number: int) -> Setting:
    r = Random(number)
    rules = random_rules(r)
    pace, grid = r.choice([0.0625, 0.125, 0.5, 0.3 * r.random()]), r.choice([0.0, 0.0, 0.125, 0.25, 0.5])
    sorts = [random_sort(r, rules.tracks, pace, grid) for _ in range(r.randint(1, rules.players))]
    seats = [r.randrange(len(sorts)) for _ in range(rules.players)]
    return Setting(rules, sorts, seats, r.getrandbits(64))


# --- comparing --------------------------------------------------------------------------------------------------------
def events_of(games: Any, game: int) -> list[tuple]:
    table = games.events
    table = table[table["game"] == game]
    columns = [table[name].tolist() for name in
               ("game", "level", "time", "event", "player", "colour", "card", "lives", "stars", "cause")]
    return list(zip(*columns))


def assert_same_events(got: list[tuple], want: list[tuple]) -> None:
    for place, (g, w) in enumerate(zip(got, want)):
        assert g == w, f"event {place}: the engine says {g}, the rules {w}, after {want[max(0, place - 6) : place]}"
    assert len(got) == len(want)


def assert_same_row(games: Any, i: int, reference: Game) -> None:
    row = games.to_frame().iloc[i]
    assert {name: row[name] for name in COLUMNS} == {name: getattr(reference, name) for name in COLUMNS}
    assert row["outcome"] == reference.outcome
    assert row["won"] == (reference.outcome == "won")


def possible(rules: ms.Rules, kind: str, fields: dict) -> bool:
    """Players may be asked for a star or stop that they cannot have: the answer does not count."""
    return {"raise_hand": fields["stars"] > 0, "call": fields["stops_here"] < rules.max_stops}.get(kind, True)


def assert_same_sight(one: Setting, reference: Game) -> None:
    """Every row of every kind that the engine showed to a sort of player is the one that the rules give."""
    for number, sort in enumerate(one.sorts):
        for kind in ("watch", "wait", "raise_hand", "consent", "prefer", "call"):
            got = sort.log.of(kind)
            got = [fields for fields in got if possible(one.rules, kind, fields)]
            want = [fields for k, _, player, _, fields in reference.asked
                    if k == kind and one.seats[player] == number] if got else []
            for place, (g, w) in enumerate(zip(got, want)):
                wrong = {name: (g[name], w[name]) for name in w if g[name] != w[name]}
                assert not wrong, f"{kind} row {place}: (engine, rules) {wrong}, in {w}"
            assert len(got) == len(want), kind


@pytest.mark.parametrize("number", range(N_SETTINGS))
def test_random_games(number):
    one = setting(number)
    games = one.simulate(n_games=N_GAMES)
    references = [one.reference(game) for game in range(N_GAMES)]
    for i, reference in enumerate(references):
        assert_same_events(events_of(games, i), reference.events)
        assert_same_row(games, i, reference)
    for sort in one.sorts:
        sort.log.clear()
    alone = one.simulate(n_games=1, first_game=N_GAMES - 1)
    assert_same_events(events_of(alone, N_GAMES - 1), references[-1].events)
    assert_same_sight(one, references[-1])


def test_the_random_games_are_worth_comparing():
    """All kinds of events, ends, causes and rules come up often enough in the settings above."""
    seen: dict[str, int] = {}
    for number in range(0, N_SETTINGS, 2):
        one = setting(number)
        game = one.reference(0)
        kinds = {e[3] for e in game.events} | {e[9] for e in game.events}
        kinds |= {f"{one.rules.players} players", f"{one.rules.tracks} tracks", one.rules.blind_count}
        kinds |= {"two cards in an epoch"} if any(k[4]["last_plays"] > 1 for k in game.asked) else set()
        kinds |= {"refused"} if any(k[0] == "consent" for k in game.asked) and not game.stars_used else set()
        for kind in kinds:
            seen[kind] = seen.get(kind, 0) + 1
    wanted = ("play", "mistake", "discard", "star", "stop", "reward", "won", "lost", "stalled", "policy", "clock",
              "reaction", "tie", "blind", "life", "two cards in an epoch", "refused", "breaks", "as_face_up",
              *(f"{p} players" for p in range(1, 7)), "1 tracks", "2 tracks")  # fmt: skip
    rare = {kind: seen.get(kind, 0) for kind in wanted if seen.get(kind, 0) < 4}
    assert not rare, (rare, seen)


# --- moments that agree to the last bits ------------------------------------------------------------------------------
@pytest.mark.parametrize("swapped", [False, True])
def test_a_card_just_in_time_lands_whoever_else_is_due_a_moment_later(swapped):
    """0.3 is the time limit; the other card is due one unit in the last place after it."""
    team = [ms.policies.Script({2: 0.1 * 3}), ms.policies.Script({1: 0.3})]
    deal = [[2], [1]]
    assert 0.3 < 0.1 * 3
    if swapped:
        team, deal = team[::-1], deal[::-1]
    rules = ms.Rules(2, [ms.Level(1, time_limit=0.3)], lives=3, stars=0)
    assert ms.simulate(rules, team, 1, deals=[[deal]]).cards_played.tolist() == [1]


@pytest.mark.parametrize("seats", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_a_card_due_at_the_end_of_the_reaction_is_in_flight_whoever_else_is_due_then(seats):
    """10 lands at 0.5 s, 30 is due at 1 s, which is within 0.5 s of it; 20 only just is not."""
    script = ms.policies.Script({20: 1.0000000000000004, 30: 1.0, 10: 0.5})
    hands = [[20], [30], [10]]
    rules = ms.Rules(3, [ms.Level(1)], lives=3, stars=0)
    deal = [hands[seat] for seat in seats]
    games = ms.simulate(rules, ms.Player(script, reaction=0.5), 1, deals=[[deal]], record=True)
    mistakes = games.events.query("event == 'mistake'")
    assert mistakes[["card", "cause"]].to_numpy().tolist() == [[30, "reaction"]]
