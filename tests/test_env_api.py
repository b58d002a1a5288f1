"""The environments keep what PettingZoo and Gymnasium ask for: their own tests, with every warning an error."""
from __future__ import annotations

import subprocess
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.test.state_test import state_test

import mindsim as ms

pytestmark = pytest.mark.filterwarnings("error")

FORMS: dict[str, dict[str, Any]] = {
    "box": {"players": 3},
    "discrete": {"players": 3, "discrete": True},
    "two tracks": {"rules": ms.Rules.extreme(2)},
    "two tracks, discrete": {"rules": ms.Rules.extreme(2), "discrete": 5},
    "clock, reaction": {"players": 3, "clock": ms.clocks.Scalar(0.14), "reaction": 0.2},
}
by_form = pytest.mark.parametrize("form", FORMS)


@by_form
def test_parallel_api(form: str) -> None:
    parallel_api_test(ms.env.parallel_env(**FORMS[form]), num_cycles=200)


@by_form
def test_turn_by_turn_api(form: str) -> None:
    api_test(ms.env.env(**FORMS[form]), num_cycles=100)


@by_form
def test_seeds(form: str) -> None:
    seed_test(partial(ms.env.env, **FORMS[form]), num_cycles=100)
    parallel_seed_test(partial(ms.env.parallel_env, **FORMS[form]), num_cycles=100)


def test_max_cycles() -> None:
    lasting = {"rules": ms.Rules.the_mind(3, lives=5)}  # cannot be lost in 4 epochs
    max_cycles_test(
        SimpleNamespace(env=partial(ms.env.env, **lasting), parallel_env=partial(ms.env.parallel_env, **lasting))
    )


def test_render() -> None:
    for form in ("box", "two tracks, discrete"):
        render_test(partial(ms.env.env, **FORMS[form]))


def test_state() -> None:
    for form in ("box", "two tracks"):
        state_test(ms.env.env(**FORMS[form]), ms.env.parallel_env(**FORMS[form]))


@pytest.mark.parametrize("observation", ["flat", "dict"])
@pytest.mark.parametrize("discrete", [False, True])
def test_gymnasium_check(observation: str, discrete: bool) -> None:
    for rules in (ms.Rules.the_mind(3), ms.Rules.extreme(2)):
        env = gymnasium.make("mindsim/TheMindPartner-v0", rules=rules, observation=observation, discrete=discrete)
        check_env(env.unwrapped)


def test_registered() -> None:
    assert pettingzoo.make("parallel", "mindsim/the_mind-v0", players=3).possible_agents[-1] == "player_2"
    assert pettingzoo.make("aec", "mindsim/the_mind-v0").metadata["name"] == "the_mind_v0"
    assert gymnasium.make("mindsim/TheMindPartner-v0", players=3, seat=2).unwrapped.setup.team[2] is None


def test_dict_observations_lie_in_their_spaces() -> None:
    env = ms.env.parallel_env(rules=ms.Rules.extreme(2), observation="dict")
    seen, _ = env.reset(seed=3)
    for agent in env.possible_agents:
        env.action_space(agent).seed(3)
    while env.agents:
        assert all(env.observation_space(agent).contains(seen[agent]) for agent in env.possible_agents)
        seen = env.step({agent: env.action_space(agent).sample() for agent in env.agents})[0]


def episode(make: Any, seed: int) -> list[Any]:
    """Everything that an episode of drawn actions gives back."""
    env = make()
    told = [env.reset(seed=seed)]
    for i, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + i)
    while env.agents:
        told.append(env.step({agent: env.action_space(agent).sample() for agent in env.agents}))
    return told


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else bool(a == b)


@by_form
def test_whole_episodes_repeat(form: str) -> None:
    make = partial(ms.env.parallel_env, **FORMS[form])
    episodes = [episode(make, seed) for seed in range(5)]
    assert all(equal(told, episode(make, seed)) for seed, told in enumerate(episodes))
    assert not any(equal(episodes[0], other) for other in episodes[1:])


def test_every_reset_is_the_next_game() -> None:
    env = ms.env.single_env(players=3)
    first = [env.reset(seed=5)[1]["game"], *(env.reset()[1]["game"] for _ in range(3))]
    again, _ = env.reset(seed=5, options={"game": 3, "unknown": object()})
    assert first == [0, 1, 2, 3]
    env.reset(seed=5)
    for _ in range(3):
        seen, _ = env.reset()
    assert np.array_equal(seen, again)
    with pytest.raises(ValueError, match="number of a game"):
        env.reset(options={"game": -1})


def test_without_the_extra_the_error_names_it() -> None:
    code = (
        "import sys; sys.modules['pettingzoo'] = None\nimport mindsim\n"
        "try:\n    mindsim.env\nexcept ImportError as error:\n    print(error)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "mindsim[rl]" in told.stdout


def test_text_and_picture() -> None:
    env = ms.env.parallel_env(rules=ms.Rules.extreme(2), render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert "white pile: -" in text and "red pile: -" in text and "lives 2" in text
    env.render_mode = "rgb_array"
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.shape[2] == 3 and len(np.unique(picture.reshape(-1, 3), axis=0)) > 3
    with pytest.raises(ValueError, match="render_mode"):
        ms.env.parallel_env(render_mode="film")
