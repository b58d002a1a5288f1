"""`as_policy`: a trained function among the players; and a plain learner that gets better."""
from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindsim as ms

EXAMPLE = runpy.run_path(str(Path(__file__).parents[1] / "experiments" / "train_numpy.py"))


class Model:
    """As Stable-Baselines3's models are asked."""

    def predict(self, seen: Any, deterministic: bool = False) -> tuple[Any, None]:
        assert deterministic
        return np.full((len(seen), 3), 0.5, np.float32), None


def test_models_are_asked_to_predict() -> None:
    env = ms.env.single_env(players=2, clock=ms.clocks.Scalar(0.1), reaction=0.2)
    player = ms.env.as_policy(Model(), env)
    assert repr(player.policy) == "Model" and player.clock == ms.clocks.Scalar(0.1) and player.reaction == 0.2
    assert ms.env.as_policy(Model(), env, clock=ms.clocks.Exact(), name="me").clock == ms.clocks.Exact()
    games = ms.simulate(ms.Rules.the_mind(2), player, n_games=5, seed=1)
    assert (games.duration > 0).all()


def test_discrete_models_on_two_tracks() -> None:
    rules = ms.Rules.extreme(2)
    env = ms.env.batch_env(50, rules=rules, discrete=[0.0, 0.5, 1.0, 2.0])

    def act(seen: Any) -> Any:
        white, red = (np.minimum(seen[..., i] * 16, 3).astype(int) for i in (2, names.index("red gap")))
        return white * 5 + red

    names = env.setup.flat.names
    games = ms.simulate(rules, ms.env.as_policy(act, env), n_games=50, seed=6)
    seen, _ = env.reset(seed=6)
    running = np.ones(50, bool)
    while running.any():
        seen, _, ended, _, infos = env.step(act(seen))
        for i in np.flatnonzero(ended & running):
            assert infos["final_info"]["levels_completed"][i] == games.levels_completed[i]
            assert infos["final_info"]["duration"][i] == games.duration[i]
        running &= ~ended


def test_dict_models_and_stops() -> None:
    rules = ms.Rules(players=2, levels=[ms.Level(2), ms.Level(3)], lives=2, stars=0, max_stops=2)
    env = ms.env.parallel_env(rules=rules, observation="dict", fields=["gap", "stops_here"])
    seen = []

    def act(fields: dict[str, Any]) -> Any:
        seen.append(fields)
        return np.stack([np.minimum(0.01 * fields["gap"][:, 0] + 0.2, 1.0), np.full(len(fields["gap"]), 0.1)], axis=1)

    games = ms.simulate(rules, ms.env.as_policy(act, env), n_games=3, seed=1, record=True)
    assert (games.events.event == "stop").sum() >= 6
    assert set(seen[0]) == {"gap", "stops_here"} and seen[0]["gap"].dtype == np.int64


def test_adapted_functions_keep_the_contract_of_policies() -> None:
    env = ms.env.batch_env(2, players=2, fields=["gap", "others_cards", "since_top"], stars=ms.stars.Never())
    player = ms.env.as_policy(lambda seen: np.clip(seen[:, :1] + 0.2 - 0.1 * seen[:, 2:3], 0.0, 1.0), env)
    ms.testing.check_policy(player.policy)


def test_errors_name_the_model() -> None:
    env = ms.env.batch_env(2, players=2)
    rules = ms.Rules.the_mind(2)
    for act, says in (
        (lambda seen: np.full((len(seen), 3), np.nan), "broken: action must be numbers from 0 to 1, not nan"),
        (lambda seen: np.zeros(len(seen)), "broken: action must hold 3 numbers"),
    ):
        with pytest.raises(ValueError, match=says):
            ms.simulate(rules, ms.env.as_policy(act, env, name="broken"), n_games=1)
    for other, says in (
        (ms.Rules.the_mind(3), "hand has 10 numbers in this game, but 12 in the environment"),
        (ms.Rules.extreme(2), "the game has 2 tracks, but the environment 1"),
    ):
        with pytest.raises(ValueError, match=f"broken: {says}"):
            ms.simulate(other, ms.env.as_policy(lambda seen: seen[:, :3], env, name="broken"), n_games=1)
    with pytest.raises(TypeError, match="model must be a function"):
        ms.env.as_policy(3, env)
    with pytest.raises(TypeError, match="env must be an environment"):
        ms.env.as_policy(len, "the_mind-v0")
    with pytest.raises(TypeError, match="not 'colour'"):
        ms.env.as_policy(len, env, colour="red")


def test_learned_players_meet_others_in_crossplay() -> None:
    env = EXAMPLE["environment"](2)
    learned = ms.env.as_policy(lambda seen: EXAMPLE["act"]([0.24, 0.15, 1.0, 0.0], seen), env, name="learned")
    table = ms.crossplay([learned, ms.policies.GapLinear(0.2)], players=2, n_games=50).table
    assert list(table.newcomer.unique()) == ["learned", "GapLinear(pace=0.2)"]


def test_a_plain_learner_improves_over_random() -> None:
    """A small budget of the example: the same weights at every run, and far more levels than at random."""
    env = EXAMPLE["environment"](2)
    weights = EXAMPLE["train"](env, rounds=3)
    learned = ms.env.as_policy(lambda seen: EXAMPLE["act"](weights, seen), env)
    rules, body = ms.Rules.the_mind(2), {"clock": EXAMPLE["CLOCK"], "reaction": 0.2}
    random = ms.Player(ms.policies.Uniform(10.0), **body)
    levels = [ms.simulate(rules, team, n_games=500, seed=1).levels_completed.mean() for team in (learned, random)]
    assert levels[0] > levels[1] + 4
    assert np.array_equal(weights, EXAMPLE["train"](env, rounds=3))
