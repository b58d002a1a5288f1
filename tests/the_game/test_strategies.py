"""Strategies: what they know, what they were published to do, and that others can join."""
from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest

from mindsim import the_game as tg
from mindsim.the_game import Rules
from mindsim.the_game.kernel import STATE, STOP, VIEW
from mindsim.the_game.strategies import endgame, linear, lookahead, sequences
from mindsim.the_game.strategies.own import ask, ask_hints, observe

from .reference import legal_plays
from .tables import Chaotic, table

S = tg.strategies
ENGINE_GAMES = 24
EVERY = [S.make(name) for name in S.names() if not name.startswith("test_")]


def label(strategy):
    return S.describe(strategy)["name"]


# --- hidden information ----------------------------------------------------------------------------------------------
def middles(rules, n=ENGINE_GAMES):
    """Positions in the middle of games, with unseen cards in plenty, and hints of all kinds."""
    rng = np.random.default_rng(1)
    states = []
    for _ in range(n):
        cards = rng.permutation(np.arange(2, 100))
        size = rules.full_hand
        hands = [sorted(cards[p * size : (p + 1) * size].tolist()) for p in range(rules.players)]
        rest = cards[rules.players * size :]
        n_draw = int(rng.integers(0, 40))
        up, down = sorted(rng.integers(2, 60, 2).tolist()), sorted(rng.integers(40, 99, 2).tolist())
        s = table(rules, hands, [*up, *down], draw_pile=rest[:n_draw].tolist())[0]
        s["hints"][1 : rules.players] = rng.integers(0, 4, (rules.players - 1, 4))
        states.append(s)
    states = np.array(states, STATE)
    return states[(states["over"] == 0) & (states["player"] == 0)]


def reshuffle_what_player_0_cannot_see(states, rules):
    """Deal the others' hands and the draw pile anew from the same unseen cards."""
    rng = np.random.default_rng(2)
    changed = states.copy()
    for s in changed:
        sizes, drawn = s["sizes"], int(s["drawn"])
        others = [c for p in range(1, rules.players) for c in s["cards"][p, : sizes[p]]]
        unseen = rng.permutation([*others, *s["deck"][drawn : rules.deck]]).tolist()
        for p in range(1, rules.players):
            s["cards"][p, : sizes[p]] = sorted(unseen[: sizes[p]])
            del unseen[: sizes[p]]
        s["deck"][drawn : rules.deck] = unseen
        s["deck"][:drawn] = rng.permutation(s["deck"][:drawn])
    return changed


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("strategy", [*EVERY, Chaotic()], ids=label)
def test_nobody_sees_what_is_hidden(strategy, players):
    rules = Rules(players)
    states = middles(rules)
    changed = reshuffle_what_player_0_cannot_see(states, rules)
    assert (states["cards"][:, 1] != changed["cards"][:, 1]).any()
    rows = np.arange(len(states))
    assert ask(strategy, rules, states, rows).tolist() == ask(strategy, rules, changed, rows).tolist()
    me = np.zeros(len(rows), int)
    said = [ask_hints(strategy, rules, s, rows, me).tolist() for s in (states, changed)]
    assert said[0] == said[1]


def test_a_strategy_that_could_see_would_be_caught():
    """The test above is able to fail: the states do differ in what player 0 may not see."""
    rules = Rules(2)
    states = middles(rules)
    changed = reshuffle_what_player_0_cannot_see(states, rules)
    me, other = np.zeros(len(states), int), np.ones(len(states), int)
    rows = np.arange(len(states))
    views = [observe(Chaotic(), rules, s, rows, me).hand for s in (states, changed)]
    assert (views[0] == views[1]).all()
    views = [observe(Chaotic(), rules, s, rows, other).hand for s in (states, changed)]
    assert (views[0] != views[1]).any()


def test_memory_and_hints_only_for_who_declares_them():
    rules = Rules(2)
    s = table(rules, [[10, 20], [30, 40]], draw_pile=[50])
    s[0]["hints"][1] = (1, 2, 3, 0)
    me, rows = np.zeros(1, int), np.zeros(1, int)
    without = observe(S.Own(len), rules, s, rows, me)
    assert not without.unseen.any()
    assert not without.hints.any()
    with_both = observe(S.Own(len, memory=True, hints=True), rules, s, rows, me)
    assert np.flatnonzero(with_both.unseen[0]).tolist() == [30, 40, 50]
    assert with_both.hints[0, 1].tolist() == [1, 2, 3, 0]
    assert with_both.hand_sizes[0].tolist() == [2, 2]


def test_the_view_has_no_other_hands():
    """By construction: what a strategy gets has room for one hand only."""
    assert set(VIEW.names) == {
        "cards", "n_cards", "piles", "unseen", "memory", "sizes", "hints", "players", "deck_left", "needed", "played",
        "minimum_when_empty", "full_hand", "trick", "passes", "deck", "key", "draws",
    }


# --- what each one does ----------------------------------------------------------------------------------------------
def choice(strategy, *args, hints=None, rules=None, **kwargs):
    """What player 0 plays in a position set up by hand, as (card, pile) or STOP."""
    rules = Rules(2) if rules is None else rules
    s = table(rules, *args, **kwargs)
    if hints is not None:
        s[0]["hints"][1] = hints
    play = int(ask(strategy, rules, s, np.zeros(1, int))[0])
    return STOP if play == STOP else (play >> 2, play & 3)


def test_random_sequences_are_uniform():
    """Each sequence of two plays equally often: chi-square over the first plays, weighted by their continuations."""
    hand, piles, n = [20, 35, 50, 96], [25, 60, 45, 97], 4000
    rules = Rules(2)
    states = np.repeat(table(rules, [hand, [3, 4]], piles, draw_pile=[90]), n)
    states["key"] = np.random.default_rng(3).integers(0, 2**63, n)
    plays = ask(S.Random(), rules, states, np.arange(n))
    ways = {}
    for card, pile in legal_plays(hand, piles, 10):
        after = [card if p == pile else top for p, top in enumerate(piles)]
        ways[4 * card + pile] = len(legal_plays([c for c in hand if c != card], after, 10))
    total = sum(ways.values())
    found = {play: int((plays == play).sum()) for play in ways}
    assert sum(found.values()) == n
    chi2 = sum((found[p] - n * w / total) ** 2 / (n * w / total) for p, w in ways.items() if w)
    assert chi2 < len(ways) + 4 * np.sqrt(2 * len(ways))


def test_reserve_leaves_the_partners_trick():
    setting = [[31, 33, 45, 96], [20, 3]], [30, 30, 97, 97]
    assert choice(S.Reserve(), *setting, draw_pile=[90]) in {(31, 0), (31, 1), (96, 2), (96, 3)}
    asked = choice(S.Reserve(), *setting, draw_pile=[90], hints=(0, 0, 2, 2))
    assert asked in {(31, 0), (31, 1)}
    s = table(Rules(2), *setting, draw_pile=[90])
    said = ask_hints(S.Reserve(), Rules(2), s, np.zeros(1, int), np.ones(1, int))
    assert said[0].tolist() == [2, 2, 0, 0]  # player 1 holds 20, ten back


def test_tricks_and_small_gaps():
    strategy = S.TricksAndSmallGaps()
    rest = {"draw_pile": [90]}
    assert choice(strategy, [[20, 32], [3]], [30, 31, 90, 90], **rest) == (20, 0)  # a trick first
    assert choice(strategy, [[33, 43, 60], [3]], [30, 1, 99, 99], **rest) == (43, 0)  # the partner ten further on
    assert choice(strategy, [[67, 57, 40], [3]], [1, 1, 70, 99], **rest) == (57, 2)
    s = table(Rules(2), [[40, 41, 50], [32, 3]], [30, 1, 60, 99], **rest)
    said = ask_hints(strategy, Rules(2), s, np.zeros(1, int), np.ones(1, int))
    assert said[0].tolist() == [2, 0, 0, 0] or said[0].tolist() == [0, 2, 0, 0]
    assert choice(strategy, [[36, 70], [32]], [30, 1, 75, 99], hints=(0, 0, 2, 0), **rest) == (36, 0)
    assert choice(strategy, [[36, 72], [32]], [30, 1, 75, 99], hints=(0, 0, 2, 0), **rest) == (72, 2)  # own gap of 3


def test_look_ahead_plays_chains_from_the_far_end():
    rest = {"draw_pile": [90]}
    assert choice(S.LookAhead(), [[32, 42, 52, 80], [3]], [30, 1, 99, 99], **rest) == (52, 0)
    assert choice(S.LookAhead(), [[28, 38, 48, 80], [3]], [1, 1, 50, 60], **rest) == (28, 2)
    assert choice(S.LookAhead(), [[30, 40, 80], [3]], [35, 1, 99, 99], **rest) == (40, 0)  # rests behind the top


@pytest.mark.parametrize("name", ["linear", "linear_memory_hints"])
def test_linear_takes_a_trick(name):
    assert choice(S.make(name), [[40, 52, 77], [3, 4]], [50, 20, 60, 81], draw_pile=list(range(85, 95))) == (40, 0)


def play_all_out(hand, piles, trick=10):
    """The most cards of one hand that can be played, by trying every order and pile."""
    best = 0
    for card, pile in legal_plays(hand, piles, trick):
        after = [card if p == pile else top for p, top in enumerate(piles)]
        best = max(best, 1 + play_all_out([c for c in hand if c != card], after, trick))
    return best


def test_endgame_alone_is_exact():
    rng = np.random.default_rng(4)
    rules = Rules(1)
    for _ in range(40):
        cards = rng.permutation(np.arange(20, 80))[:5].tolist()
        piles = [*rng.integers(20, 60, 2).tolist(), *rng.integers(40, 80, 2).tolist()]
        if set(piles) & set(cards) or not legal_plays(cards, piles, 10):
            continue
        best = play_all_out(cards, piles)
        play = choice(S.Endgame("random", 10**6), [cards], piles, rules=rules)
        card, pile = play
        after = [card if p == pile else top for p, top in enumerate(piles)]
        assert 1 + play_all_out([c for c in cards if c != card], after) == best


def two_hands(me, other, piles, mine, needed):
    """The fewest cards left with two known hands, in plain Python. `mine`: whether `me` is on turn."""
    left = len(me) + len(other)
    if left == 0:
        return 0
    own, theirs = (me, other) if mine else (other, me)
    best = left
    for card, pile in legal_plays(own, piles, 10):
        after = [card if p == pile else top for p, top in enumerate(piles)]
        rest = tuple(c for c in own if c != card)
        pair = (rest, theirs) if mine else (theirs, rest)
        best = min(best, two_hands(*pair, after, mine, 0))
    if needed == 0 and theirs:
        best = min(best, two_hands(me, other, piles, not mine, 1))
    return best


def test_endgame_of_two_is_exact():
    rng = np.random.default_rng(5)
    strategy, checked = S.Endgame("random", 10**6), 0
    for _ in range(150):
        cards = rng.permutation(np.arange(30, 60))[:5].tolist()
        piles = [*rng.integers(42, 57, 2).tolist(), *rng.integers(33, 48, 2).tolist()]
        if set(piles) & set(cards) or not legal_plays(cards[:3], piles, 10):
            continue
        me, other = tuple(cards[:3]), tuple(cards[3:])
        best = two_hands(me, other, piles, True, 1)
        card, pile = choice(strategy, [me, other], piles)
        after = [card if p == pile else top for p, top in enumerate(piles)]
        assert two_hands(tuple(c for c in me if c != card), other, after, True, 0) == best
        checked += best > 0
    assert checked > 5


def test_endgame_never_hurts_alone():
    rules = Rules(1)
    plain = tg.simulate(rules, S.LookAhead(), 500, seed=3)
    exact = tg.simulate(rules, S.Endgame(S.LookAhead()), 500, seed=3)
    assert (exact.cards_left <= plain.cards_left).all()


def test_endgame_wins_games_for_two():
    a, b = (tg.simulate(Rules(2), s, 400, seed=3) for s in (S.LookAhead(), S.Endgame(S.LookAhead())))
    assert b.won.sum() > 1.5 * a.won.sum()


def test_recursive_functions_have_one_signature():
    """With more than one, their cached code would crash in the next process (numba issue 6061)."""
    for function in (sequences.cheapest, lookahead.best_turn, linear.best_sequence, endgame.search):
        if hasattr(function, "nopython_signatures"):
            assert len(function.nopython_signatures) <= 1


# --- published figures -----------------------------------------------------------------------------------------------
def cards_left_and_unfinished(strategy, n_games):
    """Games, and the cards left if those of a last, unfinished turn count as left."""
    games = tg.simulate(Rules(2), strategy, n_games, seed=1, record=True)
    plays = games.events[games.events["event"] == "play"]
    played = plays.groupby(["game", "turn"]).size()
    last = np.array([played.get((game, turn), 0) for game, turn in enumerate(games.turns)])
    return games, games.cards_left + np.where((last < 2) & ~games.won, last, 0)


def test_published_figures():
    """Random: about 84 of 98 left and no wins. Least movement, two players: about 5.8% wins, 12.6 left.

    By the rulebook the cards of a last, unfinished turn stay; a program that puts down whole turns only has them left.
    """
    random, left = cards_left_and_unfinished(S.Random(), 3000)
    assert random.won.sum() == 0
    assert round(left.mean()) == 84
    assert abs(random.cards_left.mean() - 83.09) < 0.3
    least, left = cards_left_and_unfinished(S.LeastMovement(), 4000)
    row = least.summary().iloc[0]
    assert row["win_rate_low"] - 0.005 < 0.058 < row["win_rate_high"] + 0.005
    assert least.cards_left.mean() - 0.4 < 12.6 < left.mean() + 0.4


def test_better_strategies_are_better():
    ascending = ("least_movement", "linear", "endgame")
    won = {s: tg.simulate(Rules(2), S.make(s), 500, seed=2).won.mean() for s in ascending}
    assert won["least_movement"] + 0.05 < won["linear"] < won["endgame"]


# --- names and own ones ----------------------------------------------------------------------------------------------
def test_names_and_settings_survive_a_round_trip():
    for strategy in EVERY:
        assert S.make(**S.describe(strategy)) == strategy
    published = {"random", "least_movement", "tricks_and_small_gaps", "reserve", "look_ahead"}
    assert published | {"linear", "endgame"} <= set(S.names())


def test_an_own_strategy_joins_by_name():
    @S.register("test_nearest")
    @dataclass(frozen=True)
    class Nearest:
        go_on: int = 1

        def choose(self, obs):
            return obs.smallest(obs.movement, go_on=self.go_on)

    games = tg.simulate(Rules(2), S.make("test_nearest", go_on=2), 300, seed=1)
    assert games.cards_left.mean() < 15
    assert S.make(**S.describe(Nearest(2))) == Nearest(2)


def test_ties_do_not_depend_on_the_order_of_calls():
    s = table(Rules(2), [[10, 20, 30, 40, 50], [3]], [25, 25, 35, 35], draw_pile=[90])
    rows = np.zeros(3, int)
    plays = ask(S.LeastMovement(), Rules(2), s, rows)
    assert len(set(plays.tolist())) == 1


@pytest.mark.parametrize(("make", "message"), [
    (lambda: S.make("lookahead"), "unknown strategy 'lookahead'; did you mean 'look_ahead'"),
    (lambda: S.make("look_ahead", depth=2), "no such setting"),
    (lambda: S.LookAhead(reach=500), r"reach must be an integer in -100\.\.98, not 500"),
    (lambda: S.Reserve(penalty=-1), "penalty must be"),
    (lambda: S.Linear(weights=(1.0,)), "weights must be"),
    (lambda: S.Endgame(nodes=0), "nodes must be"),
    (lambda: S.register("random")(Chaotic), "is taken by Random"),
])
def test_bad_settings(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_wrong_types():
    with pytest.raises(TypeError, match="must be a strategy"):
        S.Endgame(base=3)
    with pytest.raises(TypeError, match="function must be a function"):
        S.Own(3)
    with pytest.raises(TypeError, match="reach must be an integer"):
        S.LookAhead(reach=1.5)


def test_orders_of_a_hand_used_by_the_checks():
    """The helper agrees with permutations on a small case."""
    hand, piles = [40, 50, 60], [55, 70, 45, 42]
    most = 0
    for order in permutations(hand):
        for where in np.ndindex(4, 4, 4):
            tops, n = list(piles), 0
            for card, pile in zip(order, where):
                if (card, pile) not in legal_plays([card], tops, 10):
                    break
                tops[pile], n = card, n + 1
            most = max(most, n)
    assert play_all_out(hand, piles) == most
