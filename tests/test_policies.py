"""Each policy's rule against a calculation by hand, and what all policies must keep."""
from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

import mindsim as ms
from mindsim.policies.confidence import tolerable
from mindsim.situations import situations

P = ms.policies
PARAMETERS = {"script": {"times": {c: 0.1 * c for c in range(1, 101)}}}
EVERY = [P.make(name, **PARAMETERS.get(name, {})) for name in P.names()]
EXACT = [P.GapLinear(0.1), P.GapPower(0.01, 2.0), P.GapExponential(0.05, 0.05), P.SinhGap(), P.Metronome(0.1),
         P.SinhLevel(), P.Confidence(0.1, 1.0), P.TempoMatching(0.1)]  # fmt: skip


def waits(policy, **situation):
    return policy.wait(situations(memory=getattr(policy, "memory", 0), **situation)).tolist()


# --- by hand ---------------------------------------------------------------------------------------------------------
def test_linear_waits_pace_times_gap_since_the_top_rose():
    assert waits(P.GapLinear(0.5), card=[30, 30, 30], top=[10, 10, 10], since_top=[0.0, 4.0, 12.0]) == [10.0, 6.0, 0.0]


def test_power():
    assert waits(P.GapPower(0.5, 2.0), card=[13, 14], top=10) == pytest.approx([0.5 * 9, 0.5 * 16])


def test_exponential():
    assert waits(P.GapExponential(0.3, 0.1), card=15, top=10) == pytest.approx([0.3 * (math.exp(0.5) - 1) / 0.1])
    nearly_linear = waits(P.GapExponential(0.3, 1e-9), card=15, top=10)
    assert nearly_linear == pytest.approx([1.5])


@pytest.mark.parametrize(("card", "seconds"), [(1, 0.0), (100, 60.0), (50, None)])
def test_stabilised_schedule_by_level(card, seconds):
    weber, floor, last = 0.14, 0.05, 60.0
    by_hand = floor / weber * math.sinh(math.asinh(weber * last / floor) * (card - 1) / 99)
    assert waits(P.SinhLevel(weber, floor, last), card=card) == pytest.approx([by_hand])
    assert seconds is None or by_hand == pytest.approx(seconds)
    assert waits(P.SinhLevel(weber, floor, last), card=card, elapsed=1.5) == pytest.approx([max(by_hand - 1.5, 0)])


def test_stabilised_schedule_by_gap_counts_from_the_top_and_knows_the_tracks_length():
    policy, u = P.SinhGap(0.1, 0.02, 30.0), math.asinh(0.1 * 30.0 / 0.02)
    assert waits(policy, card=25, top=10) == pytest.approx([0.2 * math.sinh(u * 14 / 99)])
    assert waits(policy, card=25, top=10, ranks=50) == pytest.approx([0.2 * math.sinh(u * 14 / 49)])
    assert waits(policy, card=11, top=10) == [0.0]


def test_every_step_of_the_stabilised_schedule_is_equally_hard():
    t = np.array(waits(P.SinhLevel(0.14, 0.05, 60.0), card=np.arange(1, 101)))
    middle = (t[1:] + t[:-1]) / 2
    steps_in_sd = np.diff(t) / np.sqrt(0.05**2 + (0.14 * middle) ** 2)
    assert steps_in_sd.max() / steps_in_sd.min() < 1.01
    linear = np.diff(0.6 * np.arange(1, 101)) / np.sqrt(0.05**2 + (0.14 * 0.6 * np.arange(1.5, 100)) ** 2)
    assert linear.max() / linear.min() > 5  # the control: a linear schedule's are not


def test_metronome():
    assert waits(P.Metronome(0.5), card=[30, 30, 30], top=20, elapsed=[0.0, 14.0, 15.5]) == [15.0, 1.0, 0.0]


def test_script_plays_exactly_when_told():
    script = P.Script({12: 3.0, 30: 7.0})
    assert waits(script, card=[12, 30, 31], elapsed=[1.0, 8.0, 0.0]) == [2.0, 0.0, math.inf]
    assert waits(script, card=12, others_cards=0) == [3.0]  # even alone
    two = P.Script({("white", 8): 1.0, ("red", 33): 2.0})
    assert waits(two, card=[8, 18, 33], track=[0, 1, 1], ranks=50) == [1.0, 2.0, math.inf]
    assert waits(P.Script({12: 3.0}), card=12) == waits(P.Script({("white", 12): 3.0}), card=12)


def test_uniform_draws_anew_up_to_its_longest_wait():
    drawn = np.array(waits(P.Uniform(4.0), card=np.full(4000, 50)))
    assert drawn.min() > 0 and drawn.max() < 4.0
    assert abs(drawn.mean() - 2.0) < 4 * 4.0 / math.sqrt(12 * 4000)


def test_eager_and_slots():
    assert waits(P.Eager(0.3), card=[5, 50]) == [0.3, 0.3]
    assert waits(P.Slots(10, 2.0), card=[1, 10, 11, 100]) == [0.0, 0.0, 2.0, 18.0]
    assert waits(P.Slots(10, 2.0), card=11, elapsed=1.5) == [0.5]


def chance_by_counting(above, below, cards):
    """Of all hands that others may hold, the share without a lower card; and the mean number of lower cards."""
    ranks = range(above + below)
    lower = [sum(r < below for r in hand) for hand in combinations(ranks, cards)]
    return np.mean([n == 0 for n in lower]), np.mean(lower)


@pytest.mark.parametrize(("above", "below", "cards"), [(6, 3, 2), (4, 5, 3), (9, 1, 4), (7, 0, 2), (2, 5, 3)])
def test_chances_are_exact(above, below, cards):
    none, lower = chance_by_counting(above, below, cards)
    seen = {"card": below + 1, "others_cards": cards, "unseen": above + below, "unseen_below": below,
            "unseen_all": above + below}  # fmt: skip
    surprise = waits(P.ChanceLower(1.0), **seen)[0]
    if none > 0:
        assert math.exp(-surprise) == pytest.approx(none, abs=1e-12)
    else:
        assert -2 * math.log(chance_by_counting(cards, below, cards)[0]) < surprise < math.inf
    assert waits(P.ExpectedLower(1.0, 1.0), **seen) == pytest.approx([lower])


@pytest.mark.parametrize("policy", [P.ChanceLower(1.0), P.ExpectedLower(1.0), P.Density(1.0)], ids=repr)
def test_face_down_a_higher_card_never_comes_sooner(policy):
    """Even the highest, below which more ranks lie than a full hand leaves unseen."""
    got = waits(policy, card=np.arange(1, 101), face_down=True, others_cards=12, level_cards=12)
    assert all(a < b for a, b in pairwise(got)) and got[0] >= 0.0


def test_expected_lower():
    seen = {"card": 20, "top": 10, "others_cards": 3, "unseen": 60, "unseen_below": 7, "unseen_all": 60}
    assert waits(P.ExpectedLower(2.0, 1.0), **seen) == pytest.approx([2.0 * 3 * 7 / 60])
    assert waits(P.ExpectedLower(2.0, 2.0), **seen) == pytest.approx([2.0 * (3 * 7 / 60) ** 2])


def test_chance_lower():
    seen = {"card": 14, "top": 10, "others_cards": 2, "unseen": 9, "unseen_below": 3, "unseen_all": 9}
    assert waits(P.ChanceLower(2.0), **seen) == pytest.approx([-2.0 * math.log(math.comb(6, 2) / math.comb(9, 2))])
    certain = {"card": [14, 15], "top": 10, "others_cards": 3, "unseen": 5, "unseen_below": [3, 4], "unseen_all": 5}
    last_chance = -math.log(math.comb(3, 3) / math.comb(5, 3))
    got = waits(P.ChanceLower(1.0), **certain)
    assert last_chance < got[0] < got[1] < math.inf


def test_density_shares_one_schedule_among_hands_of_any_size():
    seen = {"card": 30, "top": 10, "hand_size": [1, 5], "others_cards": [5, 1], "ranks": 100}
    assert waits(P.Density(3.0, 1.0), **seen) == pytest.approx([3.0 * 20 * 6 / 90] * 2)
    assert waits(P.Density(3.0, 2.0), **seen) == pytest.approx([3.0 * (20 * 6 / 90) ** 2] * 2)


@pytest.mark.parametrize("threshold", [0.5, 0.9, 0.99])
def test_confidence_tolerates_the_most_that_leaves_the_chance(threshold):
    table = tolerable(threshold)
    for above, cards in [(50, 3), (20, 5), (80, 1), (7, 2)]:
        fits = [r for r in range(200) if math.comb(above, cards) / math.comb(above + r, cards) >= threshold]
        assert table[above, cards] == max(fits)


def test_confidence_waits_for_silence_to_rule_out_the_rest():
    tolerated = max(r for r in range(200) if math.comb(70, 3) / math.comb(70 + r, 3) >= 0.9)
    seen = {"card": 20, "top": 0, "others_cards": 3, "unseen": 89, "unseen_below": 19, "unseen_all": 89}
    assert waits(P.Confidence(0.5, 0.9), **seen) == pytest.approx([0.5 * 20 * (19 - tolerated) / 19])
    assert waits(P.Confidence(0.5, 1.0), **seen) == [10.0]  # its gap twin
    assert waits(P.Confidence(0.5, 0.9), since_top=2.0, **seen) == pytest.approx([0.5 * 20 * (19 - tolerated) / 19 - 2])


def test_human_spread_within_and_between():
    drawn = np.log(waits(P.Human(0.34, 1.15, 0.98, 0.26), card=np.full(20_000, 30)))
    assert drawn.mean() == pytest.approx(math.log(0.34 * 30**1.15), abs=4 * 1.02 / math.sqrt(20_000))
    assert drawn.std() == pytest.approx(math.hypot(0.98, 0.26), abs=0.03)
    obs = situations(card=np.full(2000, 30))
    twice = np.log(P.Human(within=0.5, between=1.0).wait(obs)), np.log(P.Human(within=0.5, between=1.0).wait(obs))
    assert np.corrcoef(*twice)[0, 1] == pytest.approx(1.0 / 1.25, abs=0.05)  # what stays with the player


# --- tempo matching --------------------------------------------------------------------------------------------------
def heard(policy, memory=None, **what):
    """The memory after one play by the next player clockwise, 10 above the pile, 4 s after it rose."""
    first = situations(card=50, elapsed=0.0, memory=policy.memory)
    policy.watch(first)
    play = {"card": 50, "top": 10, "elapsed": 4.0, "last_wait": 4.0, "last_card": 10, "last_player": 1, "last_plays": 1}
    obs = situations(memory=policy.memory, last_event=1, **{**play, **what})
    obs.memory[:] = first.memory if memory is None else memory
    policy.watch(obs)
    return obs


def test_tempo_matching_corrects_period_and_phase():
    policy = P.TempoMatching(pace=0.2, phase=0.3, period=0.25)  # hears a pace of 0.4, twice its own
    obs = heard(policy)
    assert policy.wait(obs).tolist() == pytest.approx([0.2 * 40 * (1 + 0.25 + 0.3)])
    after_own_play = heard(policy, memory=obs.memory, last_player=0, last_card=20, elapsed=8.0)
    assert policy.wait(after_own_play).tolist() == pytest.approx([0.2 * 40 * 1.25])  # the phase is made up for once


@pytest.mark.parametrize("what", [{"last_card": 0}, {"last_plays": 2}, {"card": 0, "top": 0}, {"last_player": 0}])
def test_tempo_matching_learns_nothing_from_what_tells_nothing(what):
    assert heard(P.TempoMatching(0.2), **what).memory[0, 4:6].tolist() == [0.0, 0.0]  # period and phase


def test_tempo_matching_averages_its_partners():
    policy = P.TempoMatching(pace=0.2, phase=0.0, period=1.0)
    obs = heard(policy)  # the next player's pace: twice
    assert policy.wait(obs).tolist() == pytest.approx([0.2 * 40 * 2.0])
    obs = heard(policy, memory=obs.memory, last_player=2, last_card=20, last_wait=2.0, elapsed=6.0)  # the other's: 1
    assert policy.wait(obs).tolist() == pytest.approx([0.2 * 40 * 1.5])


# --- all of them -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("policy", EVERY, ids=lambda p: type(p).__name__)
def test_every_policy_conforms(policy):
    ms.testing.check_policy(policy)


@pytest.mark.parametrize("policy", [p for p in EVERY if not isinstance(p, P.Script)], ids=lambda p: type(p).__name__)
def test_every_policy_plays_at_once_when_alone(policy):
    assert waits(policy, card=[5, 90], others_cards=0, hand_size=2) == [0.0, 0.0]


@pytest.mark.parametrize("policy", EVERY, ids=lambda p: type(p).__name__)
def test_every_policy_is_a_frozen_hashable_printable_value(policy):
    again = type(policy)(**{f: getattr(policy, f) for f in policy.__dataclass_fields__})
    assert policy == again and hash(policy) == hash(again)
    assert eval(repr(policy), vars(ms.policies)) == policy
    with pytest.raises(AttributeError):
        policy.pace = 3.0


@pytest.mark.parametrize("policy", EXACT, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("rules", [ms.Rules.campaign(2), ms.Rules.extreme(2)], ids=["campaign", "extreme"])
def test_one_schedule_on_exact_clocks_never_errs(rules, policy):
    """Face up, face down and on two tracks: an event that did not raise this pile's top does not restart a wait."""
    games = ms.simulate(rules, policy, n_games=40, seed=3)
    assert games.won.all() and games.mistakes.sum() == 0


@pytest.mark.parametrize(
    "policy", [P.Density(1.0), P.ExpectedLower(3.0), P.ChanceLower(3.0), P.Human(within=0.3), P.Slots()], ids=repr
)
@pytest.mark.parametrize("rules", [ms.Rules.campaign(2), ms.Rules.extreme(2)], ids=["campaign", "extreme"])
def test_the_others_are_sensible_there_too(rules, policy):
    better = ms.simulate(rules, policy, n_games=150, seed=3).levels_completed
    blindly = ms.simulate(rules, P.Uniform(5.0), n_games=150, seed=3).levels_completed
    assert (better - blindly).mean() > 4 * (better - blindly).std() / math.sqrt(150)


# --- bad parameters --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: P.GapLinear(0), ValueError, "GapLinear: pace must be a number above 0, not 0"),
        (lambda: P.GapLinear("fast"), TypeError, "GapLinear: pace must be a number above 0, not 'fast'"),
        (lambda: P.GapLinear(float("nan")), ValueError, "not nan"),
        (lambda: P.GapPower(0.1, -1.0), ValueError, "exponent must be a number of at least 0, not -1.0"),
        (lambda: P.Metronome(True), TypeError, "not True"),
        (lambda: P.Confidence(0.1, 1.5), ValueError, "threshold must be a number from 0 to 1, not 1.5"),
        (lambda: P.Slots(2.5), TypeError, "width must be a whole number from 1 to 127, not 2.5"),
        (lambda: P.Slots(0), ValueError, "width must be a whole number"),
        (lambda: P.Script({0: 1.0}), ValueError, "a card must be a printed value 1..127 or a pair"),
        (lambda: P.Script({("blue", 3): 1.0}), ValueError, "not ('blue', 3)"),
        (lambda: P.Script({3: -1.0}), ValueError, "the moment of card 3 must be at least 0, not -1.0"),
        (lambda: P.Script({3: "soon"}), TypeError, "a number of seconds"),
        (lambda: P.Script({3: 1.0, ("white", 3): 2.0}), ValueError, "two moments"),
        (lambda: P.GapLiner, AttributeError, "mindsim.policies has no 'GapLiner'"),
    ],
)  # fmt: skip
def test_bad_parameters_are_named(make, error, words):
    with pytest.raises(error) as raised:
        make()
    assert words in str(raised.value)
