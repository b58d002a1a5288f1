"""Learnable policies and stars: conformance, JSON, monotone waits, face down and two tracks."""
from __future__ import annotations

import json

import numpy as np
import pytest

import mindsim as ms
from mindsim import registry
from mindsim.observation import Event
from mindsim.policies.features import DEPTH, FEATURES, NAMES, Weights
from mindsim.situations import situations
from mindsim.testing import check_policy

SHARED = tuple(name for name in NAMES if name not in ("depth", "expected"))


def some_weights(n: int, seed: int) -> tuple[float, ...]:
    return tuple(np.random.default_rng(seed).normal(0.0, 0.2, n).tolist())


POLICIES = [
    ms.learn.LogLinear(),
    ms.learn.LogLinear(SHARED, some_weights(14, 1), some_weights(6, 2), some_weights(3, 3)),
    ms.learn.MLP.fresh(SHARED, units=5, seed=4),
    ms.learn.MLP(("one", "lives"), ((0.3, -0.4), (0.1, 1.0)), ((0.2, 1.0, -1.0), (0.6, 0.1, 0.2), (-1.0, 0.5, 0.0))),
    ms.learn.Table((1, 5, 99), (1, 4, 12), (-1.5, -1.6, -2.0), ((2.0, 3.0), (1.0, 4.0), (0.0, 2.0))),
    ms.learn.LogSinh(SHARED, (4.0, *some_weights(13, 6)), (-1.0, *some_weights(3, 7))),
    ms.learn.SideBySide(SHARED, (0.4, 0.2), (0.7, 0.1), (-1.2,), (4.0, 0.2), (-1.0,), (-0.5, 0.3)),
    ms.policies.ByGap((0.0, 0.3, 1.0, 4.0)),
]
SCORE = ms.learn.Score(NAMES, some_weights(len(NAMES), 5))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: type(p).__name__)
def test_conformance(policy: object) -> None:
    check_policy(policy)


THINGS = [*POLICIES, SCORE, ms.Player(POLICIES[1], stars=SCORE)]


@pytest.mark.parametrize("thing", THINGS, ids=lambda p: type(p).__name__)
def test_json_there_and_back(thing: object) -> None:
    assert registry.from_json(json.loads(json.dumps(registry.to_json(thing)))) == thing


def test_registered_names() -> None:
    assert {"learn_table", "learn_log_linear", "learn_mlp"} <= set(ms.policies.names())
    assert "learn_score" in ms.stars.names()


@pytest.mark.parametrize("policy", POLICIES[:7], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("face_down", [False, True])
def test_waits_never_fall_with_the_gap(policy: object, face_down: bool) -> None:
    for others in (1, 5, 20):
        obs = situations(
            card=np.arange(11, 100), top=10, others_cards=others, hand_size=1, lives=2, level=4, level_cards=4,
            n_levels=12, elapsed=1.0, face_down=face_down, memory=getattr(policy, "memory", 0),
        )  # fmt: skip
        waits = policy.wait(obs)
        assert (np.diff(waits) >= 0.0).all()
        assert waits[-1] > waits[0]


def test_log_sinh_is_the_stabilised_schedule_whose_length_follows_the_situation() -> None:
    """Face down, at a bend of floor / weber seconds; doubled where a weight of log 2 stands."""
    cards = np.arange(1, 101)
    two, one = (
        situations(card=cards, top=0, others_cards=4, hand_size=4, lives=lives, level_cards=4, face_down=True)
        for lives in (2, 1)
    )
    policy = ms.learn.LogSinh(("one", "last_life"), (np.log(60.0), np.log(2.0)), (np.log(0.05 / 0.14),))
    schedules = [ms.policies.SinhLevel(0.14, 0.05, seconds).wait(two) for seconds in (60.0, 120.0)]
    for obs, wanted in zip((two, one), schedules, strict=True):  # its hundredth step is the sinh's 99th, and a bit
        assert np.allclose(policy.wait(obs), wanted, rtol=0.12, atol=0.05)


@pytest.mark.parametrize("face_down", [False, True])
def test_side_by_side_is_made_of_both_schedules(face_down: bool) -> None:
    """With all weight on the own depth: a `LogLinear` face up; and a `LogSinh` face down whatever the weight."""
    policy = ms.learn.SideBySide(("one", "lives"), (0.4, 0.2), (0.6,), (-1.0,), (4.0, 0.1), (-1.0,), (50.0,))
    parts = (
        ms.learn.LogLinear(policy.features, policy.scale, policy.exponent, policy.shift),
        ms.learn.LogSinh(policy.features, policy.length, policy.bend),
    )
    obs = situations(
        card=np.arange(11, 50), top=0 if face_down else 10, others_cards=6, hand_size=3, level_cards=6, elapsed=1.0,
        face_down=face_down, memory=3,
    )  # fmt: skip
    assert np.allclose(policy.wait(obs), parts[face_down].wait(obs))


def test_side_by_side_remembers_what_lies_on_both_piles() -> None:
    """A card 20 above its own pile, but next after the front, is due at once if only the front counts."""
    policy = ms.learn.SideBySide(own=(-50.0,))
    obs = situations(
        card=[31, 31, 31], top=10, others_cards=6, hand_size=3, memory=3, level=4, last_track=1, last_card=[30, 30, 0],
        last_event=Event.PLAY,
    )  # fmt: skip
    obs.memory[:] = [[10.0, 0.0, 4.0], [10.0, 44.0, 3.0], [10.0, 0.0, 4.0]]  # the second still knows the level before
    policy.watch(obs)
    assert obs.memory.tolist() == [[10.0, 30.0, 4.0], [0.0, 0.0, 4.0], [10.0, 0.0, 4.0]]
    waits = policy.wait(obs)
    assert waits[0] < 0.1 < waits[1] == waits[2]


def test_side_by_side_knows_both_tops_throughout_a_game() -> None:
    """What it remembers is what lies there, whenever both piles are face up."""
    seen = []

    class Noting(ms.learn.SideBySide):
        def wait(self, obs: object) -> np.ndarray:
            here = ~obs.face_down & (obs.other_card > 0)
            seen.append(obs.memory[here, 1 - obs.track[here]] - (obs.other_card - obs.other_gap)[here])
            return super().wait(obs)

    rules = ms.Rules(2, [ms.Level(4)] * 4, lives=5, stars=2, tracks=2)
    player = ms.Player(Noting(), stars=ms.stars.AtOnce(), clock=ms.clocks.Scalar(0.3, 0.05))
    events = ms.simulate(rules, player, n_games=50, seed=1, record=True).events["event"]
    assert {"mistake", "star"} <= set(events)
    assert np.concatenate(seen).size > 1_000 and not np.concatenate(seen).any()


def test_the_front_keeps_two_piles_together() -> None:
    """In the order of ranks levels are built one pile at a time as by chance, by each pile's gap more often."""
    rules, shares = ms.Rules(2, [ms.Level(2)], lives=1, stars=0, tracks=2), []
    for own in (-50.0, 50.0):
        policy = ms.learn.SideBySide(exponent=(1.0,), shift=(-3.0,), own=(own,))
        found = ms.learn.in_turn(ms.simulate(rules, policy, n_games=3_000, seed=1, record=True))
        shares.append(found.share - found.share_by_chance)
    assert shares[0] < 0.02 < 0.05 < shares[1]


def test_a_certain_card_is_played_at_once() -> None:
    obs = situations(card=[11, 12, 40], top=10, others_cards=[5, 5, 0], hand_size=1)
    waits = ms.learn.LogLinear().wait(obs)
    assert waits[0] == 0.0 and waits[1] > 0.0
    assert waits[2] == 0.0  # nobody else holds a card


def test_depth_knows_what_a_star_has_shown() -> None:
    """Two players showed 12 and 31: cards up to 31 can only be the first's, and nothing lies between for it."""
    obs = situations(
        card=[20, 35], top=0, others_cards=3, hand_size=3, floors=[[12, 31], [31, 12]], unseen_below=[18, 32],
    )  # fmt: skip
    depth = obs.glance[DEPTH]
    assert depth.tolist() == [0.0, 3.0]  # 32, 33, 34 may lie below 35


def test_depth_in_play_never_counts_a_rank_that_is_impossible() -> None:
    """In every situation of recorded games no other player's lower card lies outside the depth that is claimed."""
    seen = []

    class Spy:
        def wait(self, obs):
            depth = obs.glance[DEPTH].astype(float)
            seen.append((depth, obs.gap.copy(), obs.stars_here.copy(), obs.others_cards.copy()))
            return obs.remaining(np.where(depth > 0, 0.01 * depth**2, 0.0))

    me = ms.Player(Spy(), stars=ms.stars.AtOnce())
    games = ms.simulate(ms.Rules.the_mind(3), me, n_games=100, seed=2)
    assert games.mistakes.mean() < 0.1  # exact clocks: nearly every card comes right
    depth, gap, stars, _ = (np.concatenate(part) for part in zip(*seen))
    assert (depth <= gap - 1).all()
    assert (depth[stars > 0] < gap[stars > 0] - 1).any()


TABLE_OF_GAPS = ms.learn.Table((1, 5, 99), (1,), (-1.5,), ((2.0, 3.0),))


@pytest.mark.parametrize("policy", [POLICIES[0], POLICIES[2], TABLE_OF_GAPS], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("rules", [ms.Rules.blind(2), ms.Rules.extreme(2), ms.Rules.campaign(2)])
def test_exact_clocks_win_everywhere(policy: object, rules: ms.Rules) -> None:
    """Waits by one schedule under exact clocks are right face up, face down and on two tracks.

    (A table over others' cards is no such schedule: players with other hand sizes read other rows.)
    """
    games = ms.simulate(rules, policy, n_games=30, seed=1)
    assert games.mistakes.sum() <= 0.02 * games.cards_played.sum()


def test_score_raises_only_where_it_can_help() -> None:
    eager = ms.learn.Score(("one",), (1.0,))
    obs = situations(card=[11, 20, 20, 0], top=[10, 10, 10, 10], others_cards=[5, 5, 0, 5], stars=1)
    assert eager.raise_hand(obs).tolist() == [np.inf, 0.0, np.inf, np.inf]
    assert eager.consent(obs).all()


def test_features_are_documented_and_finite() -> None:
    obs = situations(card=[0, 1, 60], top=0, others_cards=[3, 0, 9], level=3, n_levels=8)
    seen = Weights(NAMES, *map(tuple, np.eye(len(NAMES)).tolist())).sums(obs).T
    assert seen.shape == (3, len(FEATURES)) and np.isfinite(seen).all()
    assert (seen[:, NAMES.index("level")] == -0.25).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ms.learn.LogLinear(("speed",), (1.0,)), "features must be among one, density"),
        (lambda: ms.learn.LogLinear(("one",), (1.0, 2.0)), "scale must have at most 1 weights, not 2"),
        (lambda: ms.learn.LogLinear(("one", "depth"), (1.0, 2.0)), "must not depend on the own card, as 'depth' does"),
        (lambda: ms.learn.LogLinear(("one",), (float("nan"),)), "scale must be finite"),
        (lambda: ms.learn.LogSinh(("one",), (1.0, 2.0)), "length must have at most 1 weights, not 2"),
        (lambda: ms.learn.LogSinh(("one", "expected"), (1.0,)), "must not depend on the own card, as 'expected' does"),
        (lambda: ms.learn.SideBySide(("one",), own=(1.0, 2.0)), "own must have at most 1 weights, not 2"),
        (lambda: ms.learn.SideBySide(("one",), length=(1.0, 2.0)), "length must have at most 1 weights, not 2"),
        (lambda: ms.learn.MLP(("one",), ((1.0, 2.0),)), "hidden must have 1 rows of 1 numbers"),
        (lambda: ms.learn.Table((5, 1), (1,), (0.0,), ((1.0,),)), "depths must rise"),
        (lambda: ms.learn.Score(("one", "level"), (1.0,)), "weights must have 2 numbers, not 1"),
        (lambda: ms.policies.ByGap((-1.0,)), "at least 0"),
    ],
)
def test_bad_weights(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("weights", ["x", 1.0, (None,)])
def test_weights_of_the_wrong_kind(weights: object) -> None:
    for make in (ms.learn.LogSinh, ms.learn.SideBySide):
        with pytest.raises(TypeError, match=f"{make.__name__}: length must be a tuple of numbers"):
            make(length=weights)


def test_delay_curve() -> None:
    table = ms.learn.delay_curve(ms.learn.LogLinear(), cards_each=(1, 12)).table
    crowded, sparse = (table[table["hand_size"] == n]["wait"].to_numpy() for n in (12, 1))
    assert (crowded >= sparse).all()  # at the same gap more lower cards are to be expected
