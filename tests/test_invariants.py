"""What must hold in every game, whoever plays: Hypothesis looks for a game in which it does not.

Games are those of ``test_reference.py`` (random rules, players, clocks), with other numbers. The last part changes
what a player cannot see and finds everything that the player is shown unchanged.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import rowwise
from hypothesis import given, settings
from hypothesis import strategies as st
from rowwise import Log
from test_reference import events_of, setting

import mindsim as ms

GAMES = 2
numbers = st.integers(10**6, 10**9)  # of settings; those below are used by test_reference


def played(number: int):
    one = setting(number)
    return one.rules, one.simulate(n_games=GAMES)


def levels(events: list[tuple]) -> list[list[tuple]]:
    """The events of one game, level by level."""
    found: dict[int, list[tuple]] = {}
    for event in events:
        found.setdefault(event[1], []).append(event)
    return [found[level] for level in sorted(found)]


def of(events: list[tuple], *kinds: str) -> list[tuple]:
    return [event for event in events if event[3] in kinds]


def card(event: tuple) -> tuple:
    return event[5], event[6]


# --- cards ------------------------------------------------------------------------------------------------------------
@given(numbers)
@settings(max_examples=40)
def test_every_card_ends_once(number):
    """Every dealt card of a completed level ends exactly once as played or set aside; none comes from nowhere."""
    rules, games = played(number)
    for game in range(GAMES):
        parts = levels(events_of(games, game))
        for i, events in enumerate(parts):
            dealt = [(card(e), e[4]) for e in of(events, "deal")]
            down = Counter((card(e), e[4]) for e in of(events, "play"))
            aside = Counter((card(e), e[4]) for e in of(events, "discard"))
            hidden = rules.levels[i].hidden(rules.tracks)
            assert len({c for c, _ in dealt}) == len(dealt) == rules.players * rules.levels[i].cards
            assert max([*down.values(), *aside.values(), 1]) == 1
            for played_and_taken_out, _ in down.keys() & aside.keys():
                assert hidden[0 if played_and_taken_out[0] != "red" else 1]
            gone = down.keys() | aside.keys()
            assert gone <= set(dealt)  # and by its owner
            if i < len(parts) - 1 or games.won[game]:
                assert gone == set(dealt)


@given(numbers)
@settings(max_examples=40)
def test_columns_are_those_of_the_events(number):
    rules, games = played(number)
    for game in range(GAMES):
        events = events_of(games, game)
        taken_out = sum(1 for level in levels(events)
                        for c in {card(e) for e in of(level, "play")} & {card(e) for e in of(level, "discard")})
        assert games.cards_played[game] == len(of(events, "play")) - taken_out
        assert games.cards_lost[game] == sum(1 for e in of(events, "discard") if e[9] == "mistake")
        assert games.mistakes[game] == len(of(events, "mistake"))
        assert games.stars_used[game] == len(of(events, "star"))
        assert (games.lives[game], games.stars[game]) == events[-1][7:9]
        assert games.outcome[game] == events[-1][9] and events[-1][3] == "end"
        assert len(of(events, "end")) == 1
        assert games.level_reached[game] == events[-1][1] == len(levels(events))
        assert games.levels_completed[game] == games.level_reached[game] - (not games.won[game])
        ends = [level[-1][2] for level in levels(events)]
        calls = len(of(events, "star", "stop"))
        # a star may empty the hands, and the pile that is then turned up lose the game
        least = sum(ends) + (len(ends) + max(calls - (games.outcome[game] == "lost"), 0)) * rules.refocus_seconds
        most = sum(ends) + (len(ends) + calls + len(of(events, "mistake"))) * rules.refocus_seconds
        assert least - 1e-9 <= games.duration[game] <= most + 1e-9


@given(numbers)
@settings(max_examples=40)
def test_face_up_piles_ascend(number):
    """A face-up pile ascends (red: descends), whatever happens."""
    rules, games = played(number)
    for game in range(GAMES):
        for i, events in enumerate(levels(events_of(games, game))):
            for track, hidden in enumerate(rules.levels[i].hidden(rules.tracks)):
                if not hidden:
                    pile = [e[6] for e in of(events, "play") if (e[5] == "red") == (track == 1)]
                    assert pile == sorted(pile, reverse=track == 1)


@given(numbers)
@settings(max_examples=40)
def test_players_put_down_their_lowest_card(number):
    _, games = played(number)
    for game in range(GAMES):
        for events in levels(events_of(games, game)):
            hands: dict[tuple, list[int]] = {}
            for e in of(events, "deal"):
                hands.setdefault((e[4], e[5]), []).append(e[6] if e[5] != "red" else -e[6])
            for e in of(events, "play", "discard"):
                rank, hand = e[6] if e[5] != "red" else -e[6], hands[e[4], e[5]]
                if rank in hand:
                    assert rank == min(hand)
                    hand.remove(rank)


# --- lives, stars, time -----------------------------------------------------------------------------------------------
@given(numbers)
@settings(max_examples=40)
def test_lives_and_stars_change_only_by_rule(number):
    """A mistake costs a life, a star a star, a reward adds one up to its cap; nothing else changes either."""
    rules, games = played(number)
    change = {"mistake": (-1, 0), "star": (0, -1), "life": (1, 0), "star reward": (0, 1)}
    for game in range(GAMES):
        lives, stars = rules.lives, rules.stars
        for event in events_of(games, game):
            kind = {"life": "life", "star": "star reward"}[event[9]] if event[3] == "reward" else event[3]
            more_lives, more_stars = change.get(kind, (0, 0))
            lives, stars = lives + more_lives, stars + more_stars
            assert (lives, stars) == event[7:9], event
            assert 0 <= lives <= max(rules.max_lives, rules.lives)
            assert 0 <= stars <= max(rules.max_stars, rules.stars)
            assert kind != "life" or lives <= rules.max_lives
            assert kind != "star reward" or stars <= rules.max_stars
            assert lives > 0 or event[3] in ("mistake", "discard", "end")
        assert (lives == 0) == (games.outcome[game] == "lost")


@given(numbers)
@settings(max_examples=40)
def test_time_goes_forward(number):
    rules, games = played(number)
    for game in range(GAMES):
        for i, events in enumerate(levels(events_of(games, game))):
            times = [e[2] for e in events]
            assert times == sorted(times) and times[0] == 0 and np.isfinite(times).all()
            limit = rules.levels[i].time_limit
            assert limit is None or times[-1] <= limit
            assert len(of(events, "stop")) <= rules.max_stops


@given(numbers)
@settings(max_examples=40)
def test_discards_follow_their_cause(number):
    """Face up, a mistake sets aside exactly the lower cards of its track still held; a star one card a player."""
    rules, games = played(number)
    for game in range(GAMES):
        for i, events in enumerate(levels(events_of(games, game))):
            held = {(e[4], *card(e)) for e in of(events, "deal")}
            hidden = rules.levels[i].hidden(rules.tracks)
            for place, e in enumerate(events):
                if e[3] in ("play", "discard"):
                    held.discard((e[4], *card(e)))
                if e[3] not in ("mistake", "star"):
                    continue
                after = []
                for later in events[place + 1 :]:
                    if later[3] != "discard":
                        break
                    after.append((later[4], *card(later)))
                if e[3] == "star":
                    assert sorted(p for p, *_ in after) == sorted({p for p, *_ in held})
                elif e[9] != "blind":
                    assert not hidden[e[5] == "red"]
                    lower = {h for h in held if h[1] == e[5] and (h[2] > e[6] if e[5] == "red" else h[2] < e[6])}
                    assert set(after) == lower and lower
                else:
                    assert hidden[e[5] == "red"] and not held


# --- what a player cannot see -----------------------------------------------------------------------------------------
class Blind:
    """Decisions that depend on everything but cards, so that cards nobody sees cannot change the course.

    Draws for stars and stops are personal ones, one for each epoch: what `uniform` draws there depends on the track of
    the own card that is nearest.
    """

    def __init__(self, pace: float) -> None:
        self.pace = pace

    def chance(self, row, k: int) -> float:
        """A number of 0 to 1 for the epoch, a fold of a normal draw."""
        return abs(row.personal(int(10 * row.memory[0]) + k)) % 1.0

    def wait(self, row) -> float:
        return self.pace * (1 + row.hand_size) * (1 + row.uniform() + 0.1 * row.last_event) + 0.01 * row.track

    def raise_hand(self, row) -> float:
        return 2.0 * self.pace * (1.5 + row.others_cards) * self.chance(row, 1)

    def consent(self, row) -> bool:
        return self.chance(row, 2) < 0.9

    def prefer(self, row) -> int:
        return int(self.chance(row, 3) < 0.5)

    def call(self, row) -> float:
        return 8.0 * self.pace * self.chance(row, 4)

    def watch(self, row) -> None:
        row.memory[0] += 1


def watched_game(rules: ms.Rules, hands: list, seed: int, watched: int) -> tuple[list, list[tuple]]:
    """All that one seat is shown in a game of such players, and the events."""
    log = Log()
    team = []
    for seat in range(rules.players):
        habits, mine = Blind(0.5), log if seat == watched else None
        prefer = habits.prefer if rules.tracks == 2 else None
        team.append(ms.Player(
            rowwise.Policy(habits.wait, rules.tracks, mine, 1, habits.watch),
            stars=rowwise.Stars(habits.raise_hand, habits.consent, rules.tracks, mine, prefer),
            stops=rowwise.Stops(habits.call, rules.tracks, mine),
            clock=ms.clocks.Scalar(0.1), reaction=0.05,
        ))  # fmt: skip
    games = ms.simulate(rules, team, 1, seed, deals=[hands], record=True)
    return list(log), events_of(games, 0)


def all_cards(tracks: int) -> list:
    return list(range(1, 51)) if tracks == 1 else [(c, v) for c in ("white", "red") for v in range(1, 26)]


def rank(card_: Any) -> int:
    return card_ if isinstance(card_, int) else card_[1] if card_[0] == "white" else 26 - card_[1]


def colour(card_: Any) -> str:
    return "" if isinstance(card_, int) else card_[0]


def exchanged(r: Random, hands: list, watched: int, known: set, above: dict[str, int]) -> list:
    """The hands with all cards that the watched player cannot know dealt anew, each by one of its colour that it cannot
    know either and that lies above what has been shown."""
    tracks = 2 if isinstance(hands[0][0], tuple) else 1
    known = known | set(hands[watched])
    free = [c for c in all_cards(tracks) if c not in known and rank(c) > above.get(colour(c), 0)]
    r.shuffle(free)
    return [[c if c in known else free.pop(next(i for i, f in enumerate(free) if colour(f) == colour(c))) for c in hand]
            for hand in hands]  # fmt: skip


def random_table(seed: int, players: int, tracks: int) -> tuple[Random, list, int]:
    r = Random(seed)
    cards = r.sample(all_cards(tracks), 3 * players)
    return r, [cards[3 * p : 3 * p + 3] for p in range(players)], r.randrange(players)


def table_rules(players: int, tracks: int, face_down: bool) -> ms.Rules:
    level = ms.Level(3, face_down=(face_down,) * tracks)
    return ms.Rules(players, [level], lives=50, stars=2, tracks=tracks, deck=50, max_stops=1)


TABLES = st.sampled_from([(2, 1), (3, 1), (4, 2)])


@given(st.integers(0, 2**32), TABLES, st.integers(1, 8))
@settings(max_examples=40)
def test_unseen_cards_change_no_observation(seed, table, epochs):
    """Play some epochs; deal all cards not shown by then anew; play again: the player is shown the same, row by row."""
    players, tracks = table
    r, hands, watched = random_table(seed, players, tracks)
    rules = replace(table_rules(players, tracks, face_down=False), max_epochs=epochs)
    shown, events = watched_game(rules, hands, seed, watched)
    public = {e[6] if tracks == 1 else card(e) for e in of(events, "play", "discard")}
    above = {colour(c): max(rank(d) for d in public if colour(d) == colour(c)) for c in public}
    others = exchanged(r, hands, watched, public, above)
    assert watched_game(rules, others, seed, watched)[0] == shown


@given(st.integers(0, 2**32), TABLES)
@settings(max_examples=40)
def test_hidden_cards_change_no_observation(seed, table):
    """Face down also cards that others have put down may be exchanged; until a star, nothing is seen of it."""
    players, tracks = table
    r, hands, watched = random_table(seed, players, tracks)
    rules = table_rules(players, tracks, face_down=True)
    games = [watched_game(rules, h, seed, watched)[0] for h in (hands, exchanged(r, hands, watched, set(), {}))]
    until_star = [[row for row in shown if row[1]["stars_here"] == 0] for shown in games]
    assert until_star[0] == until_star[1]


def test_the_check_of_sight_can_fail():
    """Negative control: an own card, or a card that was shown, does change what is seen."""
    rules = ms.Rules(2, [ms.Level(3)], lives=50, stars=0, deck=50)
    shown, _ = watched_game(rules, [[10, 20, 30], [1, 2, 40]], 5, 0)
    assert watched_game(rules, [[10, 20, 31], [1, 2, 40]], 5, 0)[0] != shown
    assert watched_game(rules, [[10, 20, 30], [1, 3, 40]], 5, 0)[0] != shown
