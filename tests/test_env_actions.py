"""Actions, observations and arguments of the environments: what they mean, and what is refused."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindsim as ms
from mindsim.env import Rewards, WaitScale
from mindsim.observation import FIELDS


# --- the wait scale --------------------------------------------------------------------------------------------------
def test_scale() -> None:
    scale = WaitScale(0.01, 100.0)
    assert scale.seconds([0.0, 0.5, 1.0]) == pytest.approx([0.0, 1.0, np.inf])
    x = np.linspace(0.001, 0.999, 50)
    assert scale.place(scale.seconds(x)) == pytest.approx(x)
    assert list(scale.place([0.0, 0.001, 0.01, 100.0, 1e9])) == [0.0, 0.0, 0.0, 1.0, 1.0]
    assert np.all(np.diff(scale.bins(12)) > 0)
    for wrong in ((0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (float("nan"), 1.0), (1.0, float("inf"))):
        with pytest.raises(ValueError, match=r"shortest|longest"):
            WaitScale(*wrong)


# --- bad actions -----------------------------------------------------------------------------------------------------
BAD_NUMBERS = {"nan": np.nan, "above 1": 1.5, "below 0": -0.1, "inf": np.inf}


@pytest.mark.parametrize("bad", BAD_NUMBERS)
def test_numbers_out_of_range_are_refused(bad: str) -> None:
    env = ms.env.parallel_env(players=3)
    env.reset(seed=0)
    actions = {agent: np.full(3, 0.5) for agent in env.agents}
    actions["player_1"] = np.array([0.5, BAD_NUMBERS[bad], 0.5])
    with pytest.raises(ValueError, match=r"player_1: action must be numbers from 0 to 1, not"):
        env.step(actions)
    many = ms.env.batch_env(4, players=3)
    many.reset(seed=0)
    wrong = np.full((4, 3, 3), 0.5)
    wrong[2, 1, 0] = BAD_NUMBERS[bad]
    with pytest.raises(ValueError, match=r"action must be numbers from 0 to 1, not"):
        many.step(wrong)


def test_wrong_forms_are_refused() -> None:
    env = ms.env.parallel_env(players=3)
    env.reset(seed=0)
    good = {agent: np.full(3, 0.5) for agent in env.agents}
    for wrong, error, says in (
        (good | {"player_0": np.ones(2)}, ValueError, r"player_0: action must hold 3 numbers.*wait, hand, consent"),
        (good | {"player_0": "soon"}, TypeError, "player_0: action must be numbers"),
        (good | {"player_0": None}, ValueError, "missing: player_0"),
        ({"player_0": np.full(3, 0.5)}, ValueError, "missing: player_1, player_2"),
        (good | {"nobody": np.full(3, 0.5)}, ValueError, "unknown: nobody"),
        ([0.5] * 3, TypeError, "dict of agent"),
    ):
        with pytest.raises(error, match=says):
            env.step(wrong)
    env.step(good)  # nothing that was refused has been half done


def test_bins_out_of_range_are_refused() -> None:
    env = ms.env.single_env(players=3, discrete=True)
    env.reset(seed=0)
    for wrong, error in ((36, ValueError), (-1, ValueError), (0.5, TypeError), (np.nan, TypeError), (None, TypeError)):
        with pytest.raises(error, match=r"whole numbers from 0 to 35"):
            env.step(wrong)
    with pytest.raises(ValueError, match="one whole number for each of 1 learners"):
        env.step(np.array([1, 2]))


def test_a_hand_without_a_star_does_nothing() -> None:
    rules = ms.Rules(players=2, levels=[ms.Level(3, "star"), ms.Level(3)], lives=1, stars=0)
    env = ms.env.parallel_env(rules=rules)
    env.reset(seed=0)
    info = env.step(dict.fromkeys(env.agents, np.array([0.5, 0.0, 1.0])))[4]["player_0"]
    assert info["event"] in ("play", "mistake") and info["stars"] == 0


def test_stepping_out_of_order() -> None:
    env = ms.env.single_env(players=2)
    for call in (lambda: env.step(env.action_space.sample()), env._game.masks):
        with pytest.raises(RuntimeError, match=r"call reset\(\)"):
            call()
    env.reset(seed=0)
    while not env.step(env.action_space.sample())[2]:
        pass
    with pytest.raises(RuntimeError, match="the game has ended"):
        env.step(env.action_space.sample())
    table = ms.env.parallel_env(players=2)
    assert table.step({}) == ({}, {}, {}, {}, {})


# --- what actions do -------------------------------------------------------------------------------------------------
def test_waits_are_seconds() -> None:
    env = ms.env.parallel_env(players=3, scale=WaitScale(0.1, 10.0))
    env.reset(seed=0)
    waits = dict(zip(env.agents, (0.5, 0.75, 1.0), strict=True))
    info = env.step({agent: np.array([x, 1.0, 1.0]) for agent, x in waits.items()})[4]["player_0"]
    assert info["seconds"] == pytest.approx(1.0) and info["player"] == 0 and info["plays"] == 1


def test_hands_and_consent() -> None:
    for consent, event in ((1.0, "star"), (0.0, "play")):
        env = ms.env.parallel_env(rules=ms.Rules(3, [ms.Level(1)], 5, 1))
        env.reset(seed=0)
        actions = {agent: np.array([0.6, 1.0, 1.0]) for agent in env.agents}
        actions["player_1"] = np.array([0.6, 0.0, 0.0])  # the raiser's own consent is not asked
        actions["player_2"] = np.array([0.6, 1.0, consent])
        info = env.step(actions)[4]["player_2"]
        assert (info["event"] == "star") == (event == "star")
        assert info["stars"] == (0 if event == "star" else 1)


def test_stops_are_actions_where_the_rules_allow_them() -> None:
    rules = ms.Rules(players=2, levels=[ms.Level(2)], lives=1, stars=0, max_stops=1)
    env = ms.env.parallel_env(rules=rules)
    env.reset(seed=0)
    assert env.action_space("player_0").shape == (2,)
    info = env.step({"player_0": np.array([0.9, 0.2]), "player_1": np.array([0.9, 1.0])})[4]["player_0"]
    assert info["event"] == "stop" and info["player"] == 0
    many = ms.env.parallel_env(rules=rules, discrete=4)
    many.reset(seed=0)
    assert many.action_space("player_0").n == 8
    _, _, _, _, infos = many.step({"player_0": 4 + 3, "player_1": 3})
    assert infos["player_0"]["event"] == "stop" and infos["player_0"]["action_mask"][4:].sum() == 0


def test_all_waiting_for_ever_stalls_and_costs_the_lives_left() -> None:
    env = ms.env.parallel_env(players=2, rewards=Rewards(life=-2.0))
    env.reset(seed=0)
    _, rewards, ended, _, infos = env.step(dict.fromkeys(env.agents, np.ones(3)))
    assert all(ended.values()) and infos["player_0"]["outcome"] == "stalled" and rewards["player_0"] == -4.0


# --- masks -----------------------------------------------------------------------------------------------------------
def test_masks() -> None:
    env = ms.env.batch_env(200, rules=ms.Rules.extreme(2), discrete=[0.0, 1.0, 2.0])
    env.reset(seed=1)
    drawn = np.random.default_rng(0)
    seen_empty = seen_alone = 0
    for _ in range(25):
        masks = env.action_masks()
        assert masks is not None and masks.shape == (200, 2, 3 * 4 * 4) and masks.any(axis=2).all()
        shaped = masks.reshape(200, 2, 3, 4, 4)
        white, red = env._seen
        holds = np.stack([white.card > 0, red.card > 0], axis=1).reshape(200, 2, 2)
        empty = ~holds[:, :, 0]
        assert not shaped[empty][:, :, :3].any()  # no wait on a track without a card
        alone = white.alone.reshape(200, 2) & holds[:, :, 0]
        assert not shaped[alone][:, :, 3].any()  # who alone holds cards does not wait for ever
        assert not shaped[(white.stars == 0).reshape(200, 2)][:, 1:].any()
        seen_empty, seen_alone = seen_empty + int(empty.sum()), seen_alone + int(alone.sum())
        env.step((drawn.random(masks.shape) * masks).argmax(axis=2))
    assert seen_empty and seen_alone


def test_a_hand_can_only_be_raised_while_there_is_a_star() -> None:
    env = ms.env.single_env(rules=ms.Rules.the_mind(2, stars=0), discrete=3)
    _, info = env.reset(seed=0)
    assert list(info["action_mask"]) == [1] * 3 + [0] * 6
    assert list(ms.env.single_env(players=2, discrete=3).reset(seed=0)[1]["action_mask"]) == [1] * 9
    assert ms.env.single_env(players=2, discrete=3, stars=ms.stars.Never()).action_space.n == 3


# --- observations ----------------------------------------------------------------------------------------------------
def test_flat_and_dict_say_the_same() -> None:
    rules = ms.Rules.extreme(2)
    flat, named = (ms.env.batch_env(50, rules=rules, observation=form) for form in ("flat", "dict"))
    actions = np.random.default_rng(0).random((8, *flat.action_space.shape))
    flat.reset(seed=2), named.reset(seed=2)
    names = flat.setup.flat.names
    for action in actions:
        numbers, fields = flat.step(action)[0], named.step(action)[0]
        column = dict(zip(names, np.moveaxis(numbers, -1, 0), strict=True))
        assert column["white card"] * 50 == pytest.approx(fields["card"][..., 0], abs=1e-4)
        assert column["red gap"] * 50 == pytest.approx(fields["gap"][..., 1], abs=1e-4)
        assert column["red hand[1]"] * 50 == pytest.approx(fields["hand"][..., 1, 1], abs=1e-4)
        assert column["lives"] * 5 == pytest.approx(fields["lives"][..., 0], abs=1e-5)
        assert column["elapsed"] == pytest.approx(WaitScale().place(fields["elapsed"][..., 0]), abs=1e-5)
        assert np.array_equal(column["last_event=star"], fields["last_event"][..., 0] == 3)
        assert np.array_equal(column["last_player=1"], fields["last_player"][..., 0] == 1)
    assert set(fields) == set(FIELDS) - {"other_card", "other_gap", "other_hand_size", "track"}


def test_fields_can_be_chosen() -> None:
    env = ms.env.batch_env(5, players=3, fields=["since_top", "gap", "players"])
    assert env.setup.flat.names == ["gap", "since_top", "players"]  # in the order of FIELDS, by track first
    assert env.reset(seed=0)[0].shape == (5, 3, 3)
    with pytest.raises(ValueError, match=r"fields .*'gaps'; nearest: gap"):
        ms.env.batch_env(5, fields=["gaps"])
    with pytest.raises(ValueError, match="at least one"):
        ms.env.batch_env(5, fields=[])


# --- arguments -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "arguments", "error", "says"),
    [
        ("parallel_env", {"players": 5}, ValueError, "players must be 2, 3 or 4"),
        ("parallel_env", {"players": 2, "rules": ms.Rules.the_mind(3)}, ValueError, "players must be 3"),
        ("parallel_env", {"rules": "mind"}, TypeError, "rules must be"),
        ("parallel_env", {"discrete": 2}, ValueError, "discrete must be"),
        ("parallel_env", {"discrete": [2.0, 1.0]}, ValueError, "rising waits"),
        ("parallel_env", {"discrete": "many"}, TypeError, "discrete must be"),
        ("parallel_env", {"observation": "picture"}, ValueError, "observation must be"),
        ("parallel_env", {"rewards": 1.0}, TypeError, "rewards must be a Rewards"),
        ("parallel_env", {"scale": (0, 1)}, TypeError, "scale must be a WaitScale"),
        ("parallel_env", {"max_cycles": 0}, ValueError, "max_cycles"),
        ("parallel_env", {"clock": [ms.clocks.Exact()] * 3}, ValueError, "clock must be one for all learners"),
        ("parallel_env", {"reaction": -1.0}, ValueError, "reaction"),
        ("single_env", {"seat": 2}, ValueError, "seat must be an integer from 0 to 1, not 2"),
        ("single_env", {"seat": "first"}, TypeError, "seat"),
        ("single_env", {"partners": ["exact"] * 2}, ValueError, "partners must be one player or 1"),
        ("single_env", {"partners": "nobody"}, ValueError, "nobody"),
        ("batch_env", {"n_games": 0}, ValueError, "n_games"),
        ("batch_env", {"n_games": 1.5}, TypeError, "n_games"),
    ],
)
def test_bad_arguments(make: str, arguments: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        getattr(ms.env, make)(**arguments)
    with pytest.raises(ValueError, match="Rewards: win"):
        Rewards(win=float("nan"))
