"""The trained players that come with the package: their files, their names, and the figures they claim."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

import mindsim as ms
from mindsim import registry
from mindsim.learn import seeds, shipped
from mindsim.testing import check_policy

NAMES = shipped.trained_names()
ALLOWED = {"learned_2p": 300.0, "learned_3p": 273.0, "learned_4p": 225.0}


def rules_of(name: str) -> ms.Rules:
    kind, players = shipped.manifest(name)["trained"]["rules"].removeprefix("Rules.").rstrip(")").split("(")
    return getattr(ms.Rules, kind)(int(players))


def test_all_three_tables_have_a_player() -> None:
    assert set(ALLOWED) <= set(NAMES)
    assert all(name.startswith("learned_") for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_made_by_name(name: str) -> None:
    player = ms.players.make(name)
    assert name in ms.players.names()
    assert registry.from_json(json.loads(json.dumps(registry.to_json(player)))) == player
    assert player == shipped.load(shipped.FOLDER / f"{name}.json")
    check_policy(player.policy)


@pytest.mark.parametrize("name", NAMES)
def test_recorded_figure_is_reproduced(name: str) -> None:
    """20,000 games on another seed: the recorded win rate lies within their interval, and so does the time."""
    recorded = shipped.manifest(name)["held_out"]
    games = ms.simulate(rules_of(name), ms.players.make(name), n_games=20_000, seed=20_000)
    figures = games.summary(confidence=0.999)
    for figure, key in (("win rate", "win_rate"), ("duration of won games", "seconds")):
        assert figures.loc[figure, "low"] <= recorded[key] <= figures.loc[figure, "high"]


@pytest.mark.parametrize("name", NAMES)
def test_recorded_games_are_held_out(name: str) -> None:
    recorded = shipped.manifest(name)["held_out"]
    assert recorded["n_games"] >= 20_000
    assert seeds.stream_of(recorded["seed"]) == seeds.HELD_OUT


@pytest.mark.parametrize(("name", "seconds"), ALLOWED.items())
def test_the_aim_is_reached_in_the_time_allowed(name: str, seconds: float) -> None:
    recorded = shipped.manifest(name)["held_out"]
    assert recorded["n_games"] >= 100_000
    assert recorded["low"] > 0.995
    assert recorded["seconds"] <= seconds


def test_saved_and_loaded(tmp_path: Path) -> None:
    player = ms.Player(ms.learn.LogLinear(), stars=ms.learn.Score())
    shipped.save(tmp_path / "mine.json", player, {"seed": 1}, {"win_rate": 0.5})
    assert shipped.load(tmp_path / "mine.json") == player
    (tmp_path / "bad.json").write_text('{"player": 3}')
    with pytest.raises(ValueError, match="holds no player"):
        shipped.load(tmp_path / "bad.json")
    with pytest.raises(ValueError, match="no trained player 'learned_9p'"):
        shipped.manifest("learned_9p")
