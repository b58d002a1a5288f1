"""Each star rule against a calculation by hand, and in games."""
from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import mindsim as ms
from mindsim.situations import situations

S, P = ms.stars, ms.policies
EVERY = [
    S.Never(), S.At(3.0), S.At(3.0, consent=False), S.AtOnce(), S.InversionRisk(), S.Rationed(), S.SpendBeforeCap(),
    S.Earliest((S.AtOnce(), S.At(2.0, consent=False))), S.Reserve(S.AtOnce(), keep=1),
]  # fmt: skip


def raised(rule, /, **situation):
    return rule.raise_hand(situations(**situation)).tolist()


def consents(rule, /, **situation):
    return rule.consent(situations(**situation)).tolist()


def test_never_and_at():
    assert raised(S.Never(), card=[5, 0]) == [math.inf, math.inf] and consents(S.Never(), card=5) == [True]
    assert raised(S.At(3.0), card=5, elapsed=[0.0, 2.0, 9.0]) == [3.0, 1.0, 0.0]
    assert raised(S.At(3.0), card=5, stars_here=1) == [math.inf]
    assert consents(S.At(3.0), card=5) == [True] and consents(S.At(3.0, consent=False), card=5) == [False]


def test_at_once_needs_two_who_hold_cards():
    assert raised(S.AtOnce(), card=[5, 0, 5], others_cards=[2, 2, 0], hand_size=[1, 0, 1]) == [0.0, math.inf, math.inf]


def test_inversion_risk_is_the_summed_chance_of_confusion():
    rule = S.InversionRisk(threshold=0.4, pace=0.1, weber=0.2, floor=0.05)

    def sd(gap):
        return math.hypot(0.05, 0.2 * 0.1 * gap)

    def expected(gap):
        return sum(norm.sf(0.1 * abs(gap - g) / math.hypot(sd(gap), sd(g))) for g in range(1, 128) if g != gap)

    seen = {"card": [11, 40], "top": 10, "others_cards": 6, "unseen": 60, "unseen_all": 60}
    by_hand = [1 - math.exp(-6 / 60 * expected(gap)) for gap in (1, 30)]
    assert rule.chance(situations(**seen)).tolist() == pytest.approx(by_hand)
    assert by_hand[0] < 0.4 < by_hand[1] and raised(rule, **seen) == [math.inf, 0.0]


def test_rationed_spends_when_few_cards_are_left_for_each_star():
    """Level 3 of 5 with hands of 3: 3 + 2 now, and hands of 4 and 5 for two players to come."""
    seen = {"card": 20, "hand_size": 3, "others_cards": 2, "level": 3, "level_cards": 3, "n_levels": 5}
    left = 3 + 2 + 2 * (4 + 5)
    assert S.Rationed().cards_left(situations(**seen)).tolist() == [left]
    assert raised(S.Rationed(cards=left), stars=1, **seen) == [0.0]
    assert raised(S.Rationed(cards=left - 1), stars=1, **seen) == [math.inf]
    assert raised(S.Rationed(cards=12), stars=2, **seen) == [0.0]
    assert raised(S.Rationed(cards=6), **{**seen, "level": 5, "stars": 1}) == [0.0]  # the last level: few are left


def test_spend_before_cap():
    seen = {"card": 20, "level": [4, 5, 5, 8], "stars": [3, 3, 2, 3]}
    assert raised(S.SpendBeforeCap(), **seen) == [math.inf, 0.0, math.inf, 0.0]
    assert raised(S.SpendBeforeCap(levels=(4,), cap=2), **seen) == [0.0, math.inf, math.inf, math.inf]


def test_earliest_hand_counts_and_all_must_consent():
    both = S.Earliest((S.At(5.0), S.At(2.0, consent=False)))
    assert raised(both, card=5) == [2.0] and consents(both, card=5) == [False]
    assert consents(S.Earliest((S.At(5.0), S.AtOnce())), card=5) == [True]


def test_reserve_refuses():
    rule = S.Reserve(S.AtOnce(), keep=1)
    seen = {"card": [12, 12, 12, 11], "top": 10, "stars": [1, 2, 1, 2], "level": [3, 3, 12, 3], "n_levels": 12}
    assert consents(rule, **seen) == [False, True, True, False]  # last star; spare; last level; certain next card
    assert raised(rule, **seen) == [math.inf, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("stars", EVERY, ids=repr)
def test_every_rule_conforms(stars):
    ms.testing.check_stars(stars)
    assert eval(repr(stars), vars(S)) == stars and hash(stars) == hash(eval(repr(stars), vars(S)))


def test_in_games_rules_spend_what_they_say():
    rules = ms.Rules.the_mind(2)

    def play(stars):
        return ms.simulate(rules, ms.Player(P.GapLinear(0.1), stars=stars), n_games=40, seed=1)

    assert play(S.Never()).stars_used.sum() == 0
    assert np.all(play(S.AtOnce()).stars_used == 4)  # one at the start and those after levels 2, 5 and 8
    assert np.all(play(S.Reserve(S.AtOnce(), keep=3)).stars_used >= 1)  # in the last level
    capped = play(S.SpendBeforeCap())  # stars 1, 2 after level 2, 3 after level 5; spends in level 8
    assert np.all(capped.stars_used == 1) and np.all(capped.stars == 3)
    refused = ms.simulate(
        rules, [ms.Player(P.GapLinear(0.1), stars=S.AtOnce()), ms.Player(P.GapLinear(0.1), stars=S.At(1e9, False))],
        n_games=40, seed=1,
    )  # fmt: skip
    assert refused.stars_used.sum() == 0


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: S.At(-1.0), ValueError, "At: seconds must be a number of at least 0, not -1.0"),
        (lambda: S.At(1.0, consent=1), TypeError, "At: consent must be True or False, not 1"),
        (lambda: S.InversionRisk(threshold=2.0), ValueError, "threshold must be a number from 0 to 1, not 2.0"),
        (lambda: S.Rationed(0), ValueError, "Rationed: cards must be a whole number"),
        (lambda: S.SpendBeforeCap(levels="258"), TypeError, "levels must be a tuple of level numbers"),
        (lambda: S.Earliest(()), ValueError, "rules must be a tuple of at least one"),
        (lambda: S.Reserve(P.GapLinear(0.1)), TypeError, "Reserve: rule must be stars"),
    ],
)
def test_bad_parameters_are_named(make, error, words):
    with pytest.raises(error) as raised_error:
        make()
    assert words in str(raised_error.value)
