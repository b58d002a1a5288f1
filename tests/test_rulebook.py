"""The rulebooks' worked examples and the rules of play, event by event, each with the rule in words.

Every example is played twice, by the engine through the public functions and by the reference game, so that the example
checks both. Scripts play each card at a moment given in level time; fractions of a second are powers of two, so that
times are exact.

Source: the rulebooks of The Mind and The Mind Extreme as summarised in ``docs/rules.md``; the rules of time stand there
too.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from reference import Seat, play

import mindsim as ms
from mindsim.rules import Rules, card_to_rank, rank_to_value

INF = float("inf")


# --- playing one example ----------------------------------------------------------------------------------------------
class Example:
    """Rules, hands and who does what when; `told` plays it."""

    def __init__(self, rules: Rules, *deals: list, times: dict, hands: dict | None = None, refuse: tuple = (),
                 stops: dict | None = None, reaction: float = 0.0) -> None:
        self.rules, self.deals, self.times = rules, list(deals), times
        self.hands, self.refuse, self.stops, self.reaction = hands or {}, refuse, stops or {}, reaction

    def told_by_engine(self) -> list[tuple]:
        team = [
            ms.Player(
                ms.policies.Script(self.times),
                stars=ms.stars.At(self.hands.get(p, 1e9), consent=p not in self.refuse),
                stops=ms.stops.At(self.stops.get(p, 1e9)),
                reaction=self.reaction,
            )
            for p in range(self.rules.players)
        ]
        self.games = ms.simulate(self.rules, team, n_games=1, seed=4, record=True, deals=self.deals)
        table = self.games.events
        columns = [table[c].tolist() for c in
                   ("level", "time", "event", "player", "colour", "card", "lives", "stars", "cause")]
        return [as_told(*row) for row in zip(*columns)]

    def told_by_reference(self) -> list[tuple]:
        moments = {card_to_rank(card, self.rules): time for card, time in self.times.items()}
        seats = [
            Seat(
                wait=lambda row: max(moments.get((row.track, row.card), INF) - row.elapsed, 0.0),
                raise_hand=lambda row, p=p: INF if row.stars_here else max(self.hands.get(p, INF) - row.elapsed, 0.0),
                consent=lambda row, p=p: p not in self.refuse,
                call=lambda row, p=p: INF if row.stops_here else max(self.stops.get(p, INF) - row.elapsed, 0.0),
                reaction=lambda draws: self.reaction,
            )
            for p in range(self.rules.players)
        ]
        deals = [[[card_to_rank(card, self.rules) for card in hand] for hand in level] for level in self.deals]
        self.games = play(self.rules, seats, 4, deals=deals)
        return [as_told(*event[1:]) for event in self.games.events]


def as_told(level, time, event, player, colour, card, lives, stars, cause) -> tuple:
    """One event without what it does not have: (event, player, card, cause, time, lives, stars)."""
    if event in ("deal", "level", "reward", "end"):
        assert player == (-1 if event != "deal" else player)
    shown = (colour, card) if colour else card
    parts = [event] + ([player] if player >= 0 else []) + ([shown] if card else []) + ([cause] if cause else [])
    return (*parts, f"{time:g}s {lives}L {stars}S")


@pytest.fixture(params=["engine", "reference"])
def told(request):
    """A function that plays an example and tells its events, the cards dealt left out."""

    def tell(example: Example) -> list[tuple]:
        events = example.told_by_engine() if request.param == "engine" else example.told_by_reference()
        return [event for event in events if event[0] not in ("deal", "level")]

    return tell


def level(cards: int, **keywords: Any) -> ms.Level:
    return ms.Level(cards, **keywords)


def one_level(players: int, cards: int, *, lives: int = 3, stars: int = 0, **keywords: Any) -> Rules:
    rules = {k: keywords.pop(k) for k in list(keywords) if k not in ("reward", "face_down", "time_limit")}
    return Rules(players, [ms.Level(cards, **keywords)], lives, stars, **rules)


# --- the worked examples ----------------------------------------------------------------------------------------------
THREE = replace(Rules.the_mind(3), levels=Rules.the_mind(3).levels[1:2])  # level 2 alone: a star as reward


def test_three_players_in_order():
    """3 players, level 2: A 12 58, B 31 77, C 32 93: played 12 31 32 58 77 93. The whole record, with the deal."""
    example = Example(THREE, [[12, 58], [31, 77], [32, 93]], times={c: c / 4 for c in (12, 58, 31, 77, 32, 93)})
    want = [
        ("deal", 0, 12, "0s 3L 1S"), ("deal", 0, 58, "0s 3L 1S"),
        ("deal", 1, 31, "0s 3L 1S"), ("deal", 1, 77, "0s 3L 1S"),
        ("deal", 2, 32, "0s 3L 1S"), ("deal", 2, 93, "0s 3L 1S"),
        ("level", "0s 3L 1S"),
        ("play", 0, 12, "3s 3L 1S"), ("play", 1, 31, "7.75s 3L 1S"), ("play", 2, 32, "8s 3L 1S"),
        ("play", 0, 58, "14.5s 3L 1S"), ("play", 1, 77, "19.25s 3L 1S"), ("play", 2, 93, "23.25s 3L 1S"),
        ("reward", "star", "23.25s 3L 2S"), ("end", "won", "23.25s 3L 2S"),
    ]  # fmt: skip
    assert example.told_by_engine() == want
    assert example.games.duration[0] == 23.25 and example.games.epochs[0] == 6
    assert example.told_by_reference() == want


def test_one_card_too_early(told):
    """A 18 70, B 24 81, C 29 96. C plays 29 first: one life, 18 and 24 set aside, 29 stays, then 70 81 96."""
    example = Example(THREE, [[18, 70], [24, 81], [29, 96]],
                      times={29: 1.0, 18: 2.0, 24: 3.0, 70: 4.0, 81: 5.0, 96: 6.0})
    assert told(example) == [
        ("play", 2, 29, "1s 3L 1S"), ("mistake", 2, 29, "policy", "1s 2L 1S"),
        ("discard", 0, 18, "mistake", "1s 2L 1S"), ("discard", 1, 24, "mistake", "1s 2L 1S"),
        ("play", 0, 70, "4s 2L 1S"), ("play", 1, 81, "5s 2L 1S"), ("play", 2, 96, "6s 2L 1S"),
        ("reward", "star", "6s 2L 2S"), ("end", "won", "6s 2L 2S"),
    ]  # fmt: skip


def test_a_star(told):
    """A 42 88, B 44 75, C 46 91. A star: 42 44 46 set aside, no life lost, then 75 88 91."""
    example = Example(THREE, [[42, 88], [44, 75], [46, 91]],
                      times={42: 9.0, 44: 9.5, 46: 9.75, 75: 10.0, 88: 11.0, 91: 12.0}, hands={1: 8.0})
    assert told(example) == [
        ("star", 1, "8s 3L 0S"),
        ("discard", 0, 42, "star", "8s 3L 0S"), ("discard", 1, 44, "star", "8s 3L 0S"),
        ("discard", 2, 46, "star", "8s 3L 0S"),
        ("play", 1, 75, "10s 3L 0S"), ("play", 0, 88, "11s 3L 0S"), ("play", 2, 91, "12s 3L 0S"),
        ("reward", "star", "12s 3L 1S"), ("end", "won", "12s 3L 1S"),
    ]  # fmt: skip


def white(*cards):
    return [("white", c) for c in cards]


EXTREME = replace(Rules.extreme(4), levels=[level(2, face_down=(False, False))])
BLIND_WHITE = replace(EXTREME, levels=[level(2, face_down=(True, False))])


def test_extreme_only_the_colour_in_error(told):
    """Extreme, 4 players: white 34 played while 26 and 30 are held: one life, both set aside. Red is not touched."""
    hands = [[("white", 34), ("red", 50)], [("white", 26), ("red", 45)], [("white", 30), ("red", 2)],
             [("red", 1), ("white", 40)]]  # fmt: skip
    times = {("white", 34): 1, ("white", 26): 9, ("white", 30): 9, ("white", 40): 2,
             ("red", 50): 3, ("red", 45): 4, ("red", 2): 5, ("red", 1): 6}  # fmt: skip
    assert told(Example(EXTREME, hands, times=times)) == [
        ("play", 0, ("white", 34), "1s 4L 1S"), ("mistake", 0, ("white", 34), "policy", "1s 3L 1S"),
        ("discard", 1, ("white", 26), "mistake", "1s 3L 1S"), ("discard", 2, ("white", 30), "mistake", "1s 3L 1S"),
        ("play", 3, ("white", 40), "2s 3L 1S"), ("play", 0, ("red", 50), "3s 3L 1S"),
        ("play", 1, ("red", 45), "4s 3L 1S"), ("play", 2, ("red", 2), "5s 3L 1S"), ("play", 3, ("red", 1), "6s 3L 1S"),
        ("end", "won", "6s 3L 1S"),
    ]  # fmt: skip


def test_extreme_red_counts_down(told):
    """Red is built from 50 to 1: red 33 played while red 40 is held is a mistake, while white 40 is none."""
    hands = [[("red", 33), ("white", 9)], [("red", 40), ("white", 40)], [("red", 20), ("red", 10)],
             [("red", 5), ("red", 4)]]  # fmt: skip
    times = {("red", 33): 1, ("red", 20): 2, ("red", 10): 3, ("red", 5): 4, ("red", 4): 5, ("white", 9): 6,
             ("white", 40): 7}  # fmt: skip
    assert [e for e in told(Example(EXTREME, hands, times=times)) if e[0] in ("mistake", "discard", "end")] == [
        ("mistake", 0, ("red", 33), "policy", "1s 3L 1S"), ("discard", 1, ("red", 40), "mistake", "1s 3L 1S"),
        ("end", "won", "7s 3L 1S"),
    ]  # fmt: skip


def test_extreme_star_takes_the_preferred_colour(told):
    """A star takes from each player its lowest white or its highest red; by default the one it would play sooner."""
    hands = [[("white", 5), ("red", 50)], [("white", 6), ("red", 49)], [("white", 7), ("white", 8)],
             [("red", 48), ("red", 47)]]  # fmt: skip
    times = {("white", 5): 4, ("red", 50): 5, ("white", 6): 7, ("red", 49): 6, ("white", 7): 8, ("white", 8): 8.5,
             ("red", 48): 9, ("red", 47): 10}  # fmt: skip
    assert told(Example(EXTREME, hands, times=times, hands={3: 1.0})) == [
        ("star", 3, "1s 4L 0S"), ("discard", 0, ("white", 5), "star", "1s 4L 0S"),
        ("discard", 1, ("red", 49), "star", "1s 4L 0S"), ("discard", 2, ("white", 7), "star", "1s 4L 0S"),
        ("discard", 3, ("red", 48), "star", "1s 4L 0S"),
        ("play", 0, ("red", 50), "5s 4L 0S"), ("play", 1, ("white", 6), "7s 4L 0S"),
        ("play", 2, ("white", 8), "8.5s 4L 0S"), ("play", 3, ("red", 47), "10s 4L 0S"), ("end", "won", "10s 4L 0S"),
    ]  # fmt: skip


# --- face down --------------------------------------------------------------------------------------------------------
def test_face_down_white(told):
    """Read at level end: 7 14 28 20 25 23 37 48 costs one life; 20 25 23 were put down after 28 and are taken out."""
    hands = [white(7, 28), white(14, 25), white(20, 23), white(37, 48)]
    order = white(7, 14, 28, 20, 25, 23, 37, 48)
    example = Example(BLIND_WHITE, hands, times={card: i + 1 for i, card in enumerate(order)})
    assert told(example) == [
        ("play", 0, ("white", 7), "1s 4L 1S"), ("play", 1, ("white", 14), "2s 4L 1S"),
        ("play", 0, ("white", 28), "3s 4L 1S"), ("play", 2, ("white", 20), "4s 4L 1S"),
        ("play", 1, ("white", 25), "5s 4L 1S"), ("play", 2, ("white", 23), "6s 4L 1S"),
        ("play", 3, ("white", 37), "7s 4L 1S"), ("play", 3, ("white", 48), "8s 4L 1S"),
        ("mistake", 0, ("white", 28), "blind", "8s 3L 1S"),
        ("discard", 2, ("white", 20), "mistake", "8s 3L 1S"), ("discard", 1, ("white", 25), "mistake", "8s 3L 1S"),
        ("discard", 2, ("white", 23), "mistake", "8s 3L 1S"),
        ("end", "won", "8s 3L 1S"),
    ]  # fmt: skip


def face_down(order, **keywords) -> Example:
    """One card for each of eight players, put down in this order; high cards make up the number."""
    order = [*order, *range(90, 98 - len(order))]
    rules = one_level(len(order), 1, face_down=True, **{"lives": 4, **keywords})
    return Example(rules, [[card] for card in order], times={card: i + 1 for i, card in enumerate(order)})


@pytest.mark.parametrize("order, early, taken_out, breaks", [
    ([7, 14, 28, 20, 25, 23, 37, 48], [28], [20, 25, 23], [28, 25]),
    ([2, 13, 11, 28, 44, 42, 37], [13, 44], [11, 42, 37], [13, 44, 42]),
    ([2, 13, 28, 11, 20], [13, 28], [11, 20], [28]),
    ([3, 2, 1], [3], [2, 1], [3, 2]),
    ([1, 2, 3], [], [], []),
])
def test_two_ways_of_counting(told, order, early, taken_out, breaks):
    """As face up: a card over lower cards still to come is one mistake and those are taken out. Breaks: one mistake
    wherever a card is lower than the one before, and nothing is taken out."""
    events = told(face_down(order))
    assert [e[2] for e in events if e[0] == "mistake"] == early
    assert [e[2] for e in events if e[0] == "discard"] == taken_out
    assert [e[1] for e in events if e[0] == "discard"] == [order.index(c) for c in taken_out]
    assert events[-1] == ("end", "won", f"8s {4 - len(early)}L 0S")
    events = told(face_down(order, blind_count="breaks"))
    assert [e[2] for e in events if e[0] == "mistake"] == breaks
    assert not [e for e in events if e[0] == "discard"]
    assert events[-1] == ("end", "won", f"8s {4 - len(breaks)}L 0S")


@pytest.mark.parametrize("count, lives, last", [
    ("as_face_up", 1, [("mistake", 1, 13, "blind", "8s 0L 0S"), ("discard", 2, 11, "mistake", "8s 0L 0S")]),
    ("as_face_up", 2, [("mistake", 4, 44, "blind", "8s 0L 0S"), ("discard", 5, 42, "mistake", "8s 0L 0S"),
                       ("discard", 6, 37, "mistake", "8s 0L 0S")]),
    ("breaks", 2, [("mistake", 4, 44, "blind", "8s 0L 0S")]),
])  # fmt: skip
def test_reading_stops_at_the_last_life(told, count, lives, last):
    """The level is then not completed and the game is lost; what the last mistake takes out is still recorded."""
    example = face_down([2, 13, 11, 28, 44, 42, 37], blind_count=count, lives=lives, reward="life")
    events = told(example)
    assert events[-1 - len(last) :] == [*last, ("end", "lost", "8s 0L 0S")]
    levels = example.games.levels_completed
    assert (levels if isinstance(levels, int) else levels[0]) == 0


def test_white_is_read_before_red(told):
    """With both colours face down the white pile is turned up first."""
    rules = one_level(4, 1, tracks=2, face_down=(True, True), lives=2)
    hands = [[("red", 9)], [("red", 20)], [("white", 9)], [("white", 3)]]
    events = told(Example(rules, hands, times={hand[0]: i for i, hand in enumerate(hands)}))
    assert events[4:] == [
        ("mistake", 2, ("white", 9), "blind", "3s 1L 0S"), ("discard", 3, ("white", 3), "mistake", "3s 1L 0S"),
        ("mistake", 0, ("red", 9), "blind", "3s 0L 0S"), ("discard", 1, ("red", 20), "mistake", "3s 0L 0S"),
        ("end", "lost", "3s 0L 0S"),
    ]  # fmt: skip


def test_a_star_face_down_shows_its_cards(told):
    """Lowest cards are set aside face up and are no part of the pile that is read."""
    rules = one_level(2, 2, face_down=True, stars=1)
    example = Example(rules, [[30, 40], [10, 20]], times={30: 1, 10: 9, 20: 3, 40: 4}, hands={0: 2})
    assert told(example) == [
        ("play", 0, 30, "1s 3L 1S"), ("star", 0, "2s 3L 0S"),
        ("discard", 0, 40, "star", "2s 3L 0S"), ("discard", 1, 10, "star", "2s 3L 0S"),
        ("play", 1, 20, "3s 3L 0S"),
        ("mistake", 0, 30, "blind", "3s 2L 0S"), ("discard", 1, 20, "mistake", "3s 2L 0S"), ("end", "won", "3s 2L 0S"),
    ]  # fmt: skip


# --- lives, stars and rewards -----------------------------------------------------------------------------------------
def test_one_life_whatever_the_number_of_cards(told):
    """A mistake costs one life however many cards it strands."""
    example = Example(one_level(3, 2), [[1, 2], [3, 4], [50, 60]], times={50: 1, 60: 2})
    assert told(example) == [
        ("play", 2, 50, "1s 3L 0S"), ("mistake", 2, 50, "policy", "1s 2L 0S"),
        ("discard", 0, 1, "mistake", "1s 2L 0S"), ("discard", 0, 2, "mistake", "1s 2L 0S"),
        ("discard", 1, 3, "mistake", "1s 2L 0S"), ("discard", 1, 4, "mistake", "1s 2L 0S"),
        ("play", 2, 60, "2s 2L 0S"), ("end", "won", "2s 2L 0S"),
    ]  # fmt: skip


def test_the_last_life(told):
    """Last life lost: its set-aside cards are recorded, the game is lost at once, and nothing after it counts."""
    example = Example(one_level(3, 1, lives=1, reward="life"), [[10], [20], [21]], times={20: 1, 21: 1.125, 10: 2},
                      reaction=0.25)
    assert told(example) == [
        ("play", 1, 20, "1s 1L 0S"), ("mistake", 1, 20, "policy", "1s 0L 0S"),
        ("discard", 0, 10, "mistake", "1s 0L 0S"), ("end", "lost", "1s 0L 0S"),
    ]  # fmt: skip


def test_lives_are_checked_before_rewards(told):
    """A mistake that empties the hands completes the level only while a life is left."""
    for lives, end in ((1, [("end", "lost", "1s 0L 0S")]),
                       (2, [("reward", "life", "1s 2L 0S"), ("end", "won", "1s 2L 0S")])):  # fmt: skip
        example = Example(one_level(2, 1, lives=lives, reward="life"), [[10], [20]], times={20: 1, 10: 2})
        events = told(example)
        assert events[3:] == end


REWARDS = {2: "star", 3: "life", 5: "star", 6: "life", 8: "star", 9: "life"}


@pytest.mark.parametrize("players, n_levels, lives, stars, rewards", [
    (2, 12, 5, 3, {2: "star", 3: "life", 5: "star", 6: "life", 9: "life"}),
    (3, 10, 5, 3, {2: "star", 3: "life", 5: "star", 6: "life"}),
    (4, 8, 5, 3, {2: "star", 3: "life", 5: "star"}),
])  # fmt: skip
def test_rewards_and_caps(players, n_levels, lives, stars, rewards):
    """Stars after 2, 5, 8, lives after 3, 6, 9, up to five lives and three stars; what cannot be given is lost."""
    rules = Rules.the_mind(players)
    assert {i: x.reward for i, x in enumerate(rules.levels, 1) if x.reward} == {
        i: reward for i, reward in REWARDS.items() if i <= n_levels
    }
    games = ms.simulate(rules, ms.policies.GapLinear(0.1), n_games=1, record=True)
    events = games.events
    got = events[events["event"] == "reward"]
    assert dict(zip(got["level"].tolist(), got["cause"].tolist())) == rewards
    assert (games.won[0], games.lives[0], games.stars[0], games.levels_completed[0], games.level_reached[0]) == (
        True, lives, stars, n_levels, n_levels)  # fmt: skip


def test_the_blind_challenge_goes_on_with_what_is_left():
    """After a win the blind challenge starts again at level 1 with the lives and stars left."""
    rules = Rules.campaign(4)
    games = ms.simulate(rules, ms.policies.GapLinear(0.1), n_games=2, record=True)
    events = games.events[games.events["event"] == "level"]
    assert events["level"].tolist() == [*range(1, 17)] * 2
    assert events["lives"].tolist()[:9] == [4, 4, 4, 5, 5, 5, 5, 5, 5]
    assert events["stars"].tolist()[:9] == [1, 1, 2, 2, 2, 3, 3, 3, 3]
    dealt = games.events[(games.events["event"] == "deal") & (games.events["game"] == 0)]
    assert dealt.groupby("level").size().tolist() == [4 * n for n in range(1, 9)] * 2
    assert games.won.all()


@pytest.mark.parametrize("rules", [Rules.the_mind(2), Rules.the_mind(4), Rules.blind(3), Rules.campaign(2),
                                   Rules.extreme(2), Rules.extreme(3), Rules.extreme(4)], ids=repr)
@pytest.mark.parametrize("policy", [ms.policies.GapLinear(0.05), ms.policies.GapPower(0.02, 1.6),
                                    ms.policies.Metronome(0.125)], ids=repr)
def test_exact_clocks_win_every_level(rules, policy):
    """With exact clocks waits that agree make no mistake, face up, face down and on two tracks.

    Face down and on two tracks an event need not raise the top that a player knows; counting from the last rise
    (`since_top`) is what keeps the players together. On two tracks cards of equal rank tie without harm.
    """
    games = ms.simulate(rules, policy, n_games=40, seed=3)
    assert games.won.all() and games.mistakes.sum() == 0


# --- stars ------------------------------------------------------------------------------------------------------------
def test_a_star_needs_everybody(told):
    """Anyone refuses: nothing happens, and intentions stand. A asks again in every epoch, and is refused again."""
    rules = one_level(3, 1, stars=1)
    example = Example(rules, [[40], [20], [30]], times={20: 2, 30: 3, 40: 4}, hands={0: 1.0}, refuse=(2,))
    assert told(example) == [("play", 1, 20, "2s 3L 1S"), ("play", 2, 30, "3s 3L 1S"), ("play", 0, 40, "4s 3L 1S"),
                             ("end", "won", "4s 3L 1S")]  # fmt: skip


def test_who_has_no_card_discards_none(told):
    """Any player may raise a hand, with cards or without, and who has no card discards none."""
    rules = one_level(3, 1, stars=2)
    example = Example(rules, [[10], [20], [30]], times={10: 1, 20: 8, 30: 9}, hands={0: 4.0})
    assert told(example) == [
        ("play", 0, 10, "1s 3L 2S"), ("star", 0, "4s 3L 1S"), ("discard", 1, 20, "star", "4s 3L 1S"),
        ("discard", 2, 30, "star", "4s 3L 1S"), ("end", "won", "4s 3L 1S"),
    ]  # fmt: skip


def test_no_star_no_hand(told):
    """A star is possible while the team has one."""
    rules = Rules(2, [level(1), level(1)], lives=1, stars=1)
    example = Example(rules, [[10], [20]], [[30], [40]], times={10: 2, 20: 3, 30: 2, 40: 3}, hands={0: 1.0})
    assert told(example) == [
        ("star", 0, "1s 1L 0S"), ("discard", 0, 10, "star", "1s 1L 0S"), ("discard", 1, 20, "star", "1s 1L 0S"),
        ("play", 0, 30, "2s 1L 0S"), ("play", 1, 40, "3s 1L 0S"), ("end", "won", "3s 1L 0S"),
    ]  # fmt: skip


@pytest.mark.parametrize("card, star", [(0.875, False), (1.0, True), (1.125, True)])
def test_hand_before_card_on_an_exact_tie(told, card, star):
    """The earliest hand before the next card counts; on an exact tie hand before card."""
    rules = one_level(2, 1, stars=1)
    events = told(Example(rules, [[10], [20]], times={10: card, 20: 5}, hands={1: 1.0}))
    assert (events[0][0] == "star") == star


def test_a_card_in_flight_comes_before_a_star(told):
    """A star happens at the call only if no card is due within its owner's reaction after it; else the card does."""
    rules = one_level(2, 1, stars=1)
    example = Example(rules, [[10], [20]], times={10: 1.25, 20: 5}, hands={1: 1.0}, reaction=0.25)
    assert told(example) == [
        ("play", 0, 10, "1.25s 3L 1S"),
        ("star", 1, "1.5s 3L 0S"),  # the hand goes up again, a reaction after the card
        ("discard", 1, 20, "star", "1.5s 3L 0S"), ("end", "won", "1.5s 3L 0S"),
    ]  # fmt: skip
    late = Example(rules, [[10], [20]], times={10: 1.3125, 20: 5}, hands={1: 1.0}, reaction=0.25)
    assert told(late)[0] == ("star", 1, "1s 3L 0S")


# --- stops ------------------------------------------------------------------------------------------------------------
def test_a_stop_moves_no_card(told):
    """Any player may call stop, as often as the rules allow; everyone refocuses and a new epoch begins."""
    rules = one_level(2, 1, max_stops=1, refocus_seconds=10.0)
    example = Example(rules, [[10], [20]], times={10: 2, 20: 3}, stops={0: 1.0})
    assert told(example) == [("stop", 0, "1s 3L 0S"), ("play", 0, 10, "2s 3L 0S"), ("play", 1, 20, "3s 3L 0S"),
                             ("end", "won", "3s 3L 0S")]  # fmt: skip
    duration = example.games.duration
    assert (duration if isinstance(duration, float) else duration[0]) == 3.0 + 10.0 + 10.0  # level start, stop


def test_stops_are_off_by_default(told):
    example = Example(one_level(2, 1), [[10], [20]], times={10: 2, 20: 3}, stops={0: 1.0})
    assert [e[0] for e in told(example)] == ["play", "play", "end"]


def test_stop_before_hand_before_card(told):
    """Exact ties: stop before hand before card."""
    rules = one_level(2, 1, max_stops=1, stars=1)
    example = Example(rules, [[10], [20]], times={10: 1, 20: 3}, stops={0: 1.0}, hands={1: 1.0})
    assert [e[0] for e in told(example)] == ["stop", "star", "discard", "discard", "end"]


# --- cards in flight --------------------------------------------------------------------------------------------------
def test_a_card_in_flight_lands_too(told):
    """A card due no later than its owner's reaction after the first landing lands too, at its own time: a mistake by
    `reaction`."""
    example = Example(one_level(3, 1), [[10], [30], [20]], times={10: 1, 30: 1.25, 20: 2}, reaction=0.25)
    assert told(example) == [
        ("play", 0, 10, "1s 3L 0S"), ("play", 1, 30, "1.25s 3L 0S"), ("mistake", 1, 30, "reaction", "1.25s 2L 0S"),
        ("discard", 2, 20, "mistake", "1.25s 2L 0S"), ("end", "won", "1.25s 2L 0S"),
    ]  # fmt: skip


def test_a_card_set_aside_meanwhile_does_not_land(told):
    example = Example(one_level(3, 1), [[30], [20], [40]], times={30: 1, 20: 1.125, 40: 1.25}, reaction=0.25)
    assert told(example) == [
        ("play", 0, 30, "1s 3L 0S"), ("mistake", 0, 30, "policy", "1s 2L 0S"),
        ("discard", 1, 20, "mistake", "1s 2L 0S"), ("play", 2, 40, "1.25s 2L 0S"), ("end", "won", "1.25s 2L 0S"),
    ]  # fmt: skip


def test_the_window_is_not_chained(told):
    """Counted from the first landing. What is due later is decided again, and no sooner than a reaction after the last
    landing."""
    example = Example(one_level(3, 1), [[10], [20], [30]], times={10: 1, 20: 1.125, 30: 1.3125}, reaction=0.25)
    assert told(example)[:3] == [("play", 0, 10, "1s 3L 0S"), ("play", 1, 20, "1.125s 3L 0S"),
                                 ("play", 2, 30, "1.375s 3L 0S")]  # fmt: skip


def test_own_acts_need_no_reaction(told):
    """r is the reaction time if the epoch began with another player's act, else 0: A's second card is not held up."""
    example = Example(one_level(2, 2), [[10, 11], [30, 40]], times={10: 1, 11: 1.125, 30: 5, 40: 6}, reaction=0.25)
    assert told(example)[:2] == [("play", 0, 10, "1s 3L 0S"), ("play", 0, 11, "1.125s 3L 0S")]


def test_reaction_zero_switches_flight_off(told):
    """Two cards due at the same moment: only one lands in the epoch, the other decides again (and may then be late)."""
    example = Example(one_level(2, 1), [[10], [10 + 1]], times={10: 1, 11: 1})
    events = told(example)
    assert [e[0] for e in events] in (["play", "play", "end"], ["play", "mistake", "discard", "end"])
    if events[1][0] == "mistake":
        assert events[1][3] == "tie"


# --- ends -------------------------------------------------------------------------------------------------------------
def test_nothing_will_ever_happen(told):
    """All waits infinite: the game ends stalled; no time passes."""
    assert told(Example(one_level(2, 1), [[10], [20]], times={10: 1})) == [
        ("play", 0, 10, "1s 3L 0S"), ("end", "stalled", "1s 3L 0S")]  # fmt: skip


@pytest.mark.parametrize("limit, end", [(2.0, ("end", "won", "2s 3L 0S")), (1.75, ("end", "stalled", "1.75s 3L 0S"))])
def test_time_limit(told, limit, end):
    """An event at the limit still counts; when nothing happens before it, the level's time runs out."""
    assert told(Example(one_level(2, 1, time_limit=limit), [[10], [20]], times={10: 1, 20: 2}))[-1] == end


def test_a_flight_that_ends_after_the_limit_does_not_land(told):
    rules = one_level(2, 1, time_limit=1.0)
    assert told(Example(rules, [[10], [20]], times={10: 1, 20: 1.125}, reaction=0.25)) == [
        ("play", 0, 10, "1s 3L 0S"), ("end", "stalled", "1s 3L 0S")]  # fmt: skip


def test_max_epochs(told):
    """A level that is not completed after so many epochs ends the game stalled."""
    example = Example(one_level(2, 2, max_epochs=3), [[10, 20], [30, 40]], times={10: 1, 20: 2, 30: 3, 40: 4})
    assert told(example)[-2:] == [("play", 1, 30, "3s 3L 0S"), ("end", "stalled", "3s 3L 0S")]
    example = Example(one_level(2, 2, max_epochs=4), [[10, 20], [30, 40]], times={10: 1, 20: 2, 30: 3, 40: 4})
    assert told(example)[-1] == ("end", "won", "4s 3L 0S")


def test_duration_counts_refocusing(told):
    """Refocusing (level start, star, stop, each epoch with mistakes) adds to the duration, not to level time."""
    rules = Rules(3, [level(2), level(1)], lives=3, stars=1, max_stops=1, refocus_seconds=100.0)
    example = Example(
        rules, [[10, 60], [20, 70], [30, 80]], [[1], [2], [3]],
        times={20: 3, 10: 4, 60: 6, 70: 7, 80: 8, 30: 5, 1: 1, 2: 2, 3: 3}, hands={1: 4.5}, stops={0: 4.75},
    )  # fmt: skip
    events = told(example)
    assert [e[0] for e in events if e[0] in ("mistake", "star", "stop")] == ["mistake", "star", "stop"]
    duration = example.games.duration
    # two level starts, a mistake, a star and a stop; level times 8 and 3
    assert (duration if isinstance(duration, float) else duration[0]) == 500.0 + 8.0 + 3.0


# --- causes and cards as printed --------------------------------------------------------------------------------------
def test_cause_clock():
    """`clock` if the smallest intended wait belonged to a right card: the hand of the other player was quicker."""
    rules = one_level(2, 1)
    slow = type("Slow", (), {"rate": lambda self, noise: 4.0 * noise.ones()})()
    script = ms.policies.Script({10: 1.0, 20: 2.0})
    team = [ms.Player(script, clock=slow), ms.Player(script)]
    games = ms.simulate(rules, team, n_games=1, record=True, deals=[[[10], [20]]])
    assert games.events["cause"].tolist()[-3:] == ["clock", "mistake", "won"]


def test_printed_values_exist_at_the_edges():
    rules = Rules.extreme(2)
    assert card_to_rank(("white", 8), rules) == (0, 8)
    assert card_to_rank(("red", 33), rules) == (1, 18)
    assert rank_to_value(1, 18, 50) == 33
