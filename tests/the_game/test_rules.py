"""The rule book, one scenario at a time; and rules that make no sense."""
from __future__ import annotations

import numpy as np
import pytest

from mindsim import the_game as tg
from mindsim.the_game import Rules, kernel
from mindsim.the_game.kernel import BEFORE_MINIMUM, DOES_NOT_FIT, FINE, NOT_HELD, STOP

from .tables import do, hand, table

UP, UP2, DOWN, DOWN2 = range(4)


def test_published_setting():
    for players, cards in {1: 8, 2: 7, 3: 6, 4: 6, 5: 6}.items():
        rules = Rules(players)
        assert rules.full_hand == cards
        assert list(rules.cards) == list(range(2, 100))
    assert Rules.expert(3).minimum == 3


def test_deal_and_start():
    games = tg.simulate(Rules(3), tg.strategies.Random(), 20, seed=1, record=True)
    dealt = games.events[games.events["event"] == "deal"]
    assert (dealt.groupby(["game", "player"]).size() == 6).all()
    first = games.events[games.events["event"] == "play"].groupby("game").first()
    assert (first["player"] == 0).all()


def test_up_piles_rise_and_down_piles_fall():
    s = table(Rules(2), [[40, 50, 60], [3, 4]], [45, 45, 55, 55], draw_pile=[90])
    assert do(s, Rules(2), (40, UP)) == DOES_NOT_FIT
    assert do(s, Rules(2), (60, DOWN)) == DOES_NOT_FIT
    assert do(s, Rules(2), (50, UP), (40, DOWN2)) == FINE
    assert s[0]["piles"].tolist() == [50, 45, 55, 40]


@pytest.mark.parametrize(("card", "pile"), [(35, UP), (65, DOWN)])
def test_trick_exactly_ten_back(card, pile):
    rules = Rules(2)
    s = table(rules, [[card, 34, 66, 46], [3]], [45, 45, 55, 55], draw_pile=[90])
    assert do(s, rules, (card, pile)) == FINE
    assert s[0]["piles"][pile] == card
    assert s[0]["tricks"] == 1


@pytest.mark.parametrize(("card", "pile"), [(34, UP), (36, UP), (64, DOWN), (66, DOWN), (45 + 10, DOWN)])
def test_no_other_step_back(card, pile):
    rules = Rules(2)
    s = table(rules, [[card, 47], [3]], [45, 45, 54, 54], draw_pile=[90])
    fits = card == 64  # 54 + 10 is the trick here, nothing else is
    assert (do(s, rules, (card, pile)) == FINE) == fits


def test_trick_of_another_size_or_none():
    for trick, fits in ((10, False), (5, True), (0, False)):
        rules = Rules(2, trick=trick)
        s = table(rules, [[40, 47], [3]], [45, 45, 20, 20], draw_pile=[90])
        assert (do(s, rules, (40, UP)) == FINE) == fits


def test_at_least_two_cards_while_the_draw_pile_lasts():
    rules = Rules(2)
    s = table(rules, [[10, 20, 30], [3, 4]], draw_pile=[90, 91])
    assert do(s, rules, STOP) == BEFORE_MINIMUM
    assert do(s, rules, (10, UP), STOP) == BEFORE_MINIMUM
    assert do(s, rules, (20, UP)) == FINE
    assert do(s, rules, STOP) == FINE
    assert s[0]["player"] == 1


def test_one_card_is_enough_with_an_empty_draw_pile():
    rules = Rules(2)
    s = table(rules, [[10, 20, 30], [3, 4]])
    assert do(s, rules, (10, UP), STOP) == FINE
    assert s[0]["player"] == 1
    rules = Rules(2, minimum_when_empty=2)
    s = table(rules, [[10, 20, 30], [3, 4]])
    assert do(s, rules, (10, UP), STOP) == BEFORE_MINIMUM


def test_nobody_must_play_more_than_it_holds():
    rules = Rules(2, minimum_when_empty=2)
    s = table(rules, [[10], [3, 4]])
    assert do(s, rules, (10, UP)) == FINE
    assert s[0]["player"] == 1


def test_experts_play_three():
    rules = Rules.expert(2)
    s = table(rules, [[10, 20, 30, 40], [3, 4]], draw_pile=[90])
    assert do(s, rules, (10, UP), (20, UP), STOP) == BEFORE_MINIMUM
    assert do(s, rules, (30, UP), STOP) == FINE


def test_as_many_as_wished():
    rules = Rules(2)
    s = table(rules, [[10, 20, 30, 40, 50], [3, 4]], draw_pile=[90])
    assert do(s, rules, (10, UP), (20, UP), (30, UP), (40, UP), STOP) == FINE
    assert hand(s, 0) == [50, 90]


def test_refill_to_a_full_hand_or_as_far_as_the_draw_pile_goes():
    rules = Rules(2)
    mine = [10, 20, 30, 40, 50, 60, 70]
    s = table(rules, [mine, [3, 4]], draw_pile=[90, 91, 92, 93])
    do(s, rules, (10, UP), (20, UP), (30, UP), STOP)
    assert hand(s, 0) == [40, 50, 60, 70, 90, 91, 92]
    s = table(rules, [mine, [3, 4]], draw_pile=[90])
    do(s, rules, (10, UP), (20, UP), (30, UP), STOP)
    assert hand(s, 0) == [40, 50, 60, 70, 90]


def test_no_refill_within_a_turn():
    rules = Rules(2)
    s = table(rules, [[10, 20, 30], [3, 4]], draw_pile=[90])
    do(s, rules, (10, UP))
    assert hand(s, 0) == [20, 30]


def test_a_player_without_cards_is_skipped():
    rules = Rules(3)
    s = table(rules, [[10, 20], [], [3, 4]])
    do(s, rules, (10, UP), STOP)
    assert s[0]["player"] == 2
    do(s, rules, (3, UP2), STOP)
    assert s[0]["player"] == 0


def test_end_as_soon_as_the_player_on_turn_is_stuck():
    rules = Rules(2)
    s = table(rules, [[48, 50], [3, 4]], [45, 49, 44, 44], draw_pile=[90])
    do(s, rules, (50, UP))
    assert s[0]["over"] == 1  # 48 fits nowhere any more; but 50 stays
    assert s[0]["piles"][UP] == 50
    assert hand(s, 0) == [48]


def test_end_only_when_nobody_can_play():
    rules = Rules(2, end="nobody_can_play")
    s = table(rules, [[48, 50], [3, 4]], [45, 49, 44, 44], draw_pile=[46])
    do(s, rules, (50, UP))
    assert s[0]["over"] == 0  # it passes, draws up, and the other goes on
    assert hand(s, 0) == [46, 48]
    assert s[0]["player"] == 1
    do(s, rules, (4, DOWN), (3, DOWN))
    assert s[0]["over"] == 1  # 46 and 48 lie below 49, above 3 and 44: nobody can play


def test_stuck_at_the_start_of_a_turn():
    stuck = [[48], [3, 4]], [49, 49, 44, 44]
    assert table(Rules(2), *stuck)[0]["over"] == 1
    s = table(Rules(2, end="nobody_can_play"), *stuck)
    assert (s[0]["over"], s[0]["player"]) == (0, 1)


def test_win_is_the_last_card():
    rules = Rules(2)
    s = table(rules, [[10], [20]])
    do(s, rules, (10, UP), (20, UP))
    assert s[0]["over"] == 1
    assert s[0]["n_out"] == 98


def test_no_illegal_play_is_accepted_and_nothing_changes():
    rules = Rules(2)
    s = table(rules, [[40, 50], [3, 60]], [45, 45, 55, 55], draw_pile=[90])
    before = s.copy()
    assert do(s, rules, (60, UP)) == NOT_HELD  # the other's card
    assert do(s, rules, (90, UP)) == NOT_HELD  # the draw pile's
    assert do(s, rules, (46, UP)) == NOT_HELD  # put down long ago
    assert do(s, rules, (40, UP)) == DOES_NOT_FIT
    assert do(s, rules, -7) == NOT_HELD
    assert s.tobytes() == before.tobytes()


def test_hints_outside_the_channel_are_refused():
    rules = Rules(2)
    s = table(rules, [[40, 50], [3, 60]], [45, 45, 55, 55], draw_pile=[90])
    log = np.zeros((0, 6), np.int16)
    assert kernel.hear(s[0], 1, np.array([0, 1, 2, 3]), log) == FINE
    for bad in (-1, 4, 17):
        assert kernel.hear(s[0], 1, np.array([0, 0, bad, 0]), log) == kernel.NO_SUCH_HINT
    assert s[0]["hints"][1].tolist() == [0, 1, 2, 3]


def test_rating():
    assert [tg.rating(n) for n in (0, 1, 10, 11, 20, 21, 98)] == [
        "perfect", "excellent", "excellent", "good", "good", "to improve", "to improve",
    ]


@pytest.mark.parametrize(("setting", "message"), [
    ({"players": 0}, "players must be an integer in 1..5, not 0"),
    ({"players": 6}, "players must be an integer in 1..5, not 6"),
    ({"players": 2, "hand": 17}, "hand must be an integer in 1..16"),
    ({"players": 2, "minimum": 0}, "minimum must be an integer in 1..7, not 0"),
    ({"players": 2, "minimum": 8}, "minimum must be an integer in 1..7, not 8"),
    ({"players": 2, "minimum_when_empty": 9}, "minimum_when_empty"),
    ({"players": 2, "trick": -1}, "trick must be"),
    ({"players": 2, "deck": 13}, "more than the 13 in the deck"),
    ({"players": 2, "end": "never"}, "end must be one of 'player_stuck', 'nobody_can_play', not 'never'"),
])
def test_rules_that_make_no_sense(setting, message):
    with pytest.raises(ValueError, match=message):
        Rules(**setting)


def test_rules_of_the_wrong_type():
    with pytest.raises(TypeError, match="players must be an integer"):
        Rules(players=2.0)
    with pytest.raises(TypeError, match="minimum must be an integer"):
        Rules(players=2, minimum=True)


def test_rules_survive_a_round_trip():
    rules = Rules.expert(4, end="nobody_can_play")
    assert Rules(**rules.to_dict()) == rules
