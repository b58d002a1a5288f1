"""The trained players that come with the package: their files, their names, and the figures they claim."""
from __future__ import annotations

import importlib
import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mindsim as ms
from mindsim import registry
from mindsim.learn import seeds, shipped
from mindsim.testing import check_policy

NAMES = shipped.trained_names()
ROOT = Path(__file__).parent.parent
HIDDEN = ("blind", "extreme")
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


@pytest.mark.parametrize("kind", HIDDEN)
def test_blind_and_extreme_beat_every_hand_made_wait(kind: str) -> None:
    """On the same deals, by more than the interval allows, in the time allowed; file and table agree."""
    table = pd.read_csv(ROOT / "results" / "learned" / kind / "table.csv").set_index("policy")
    others = table.drop("learned")
    assert len(others) >= 14 and (table["n_games"] >= 100_000).all()
    assert (others["ahead_low"] > 0.0).all()
    recorded = shipped.manifest(f"learned_{kind}_2p")["held_out"]
    assert recorded["wins"] == table.loc["learned", "wins"]
    assert recorded["seconds"] <= 300.0


def test_the_extreme_player_builds_both_piles() -> None:
    """It finishes one pile first about as often as random orders of the same plays would, and so does it here."""
    recorded = shipped.manifest("learned_extreme_2p")["held_out"]
    assert recorded["levels_with_both"] > 50_000
    assert recorded["in_turn"] - recorded["in_turn_by_chance"] < 0.01
    table = pd.read_csv(ROOT / "results" / "learned" / "extreme" / "table.csv").set_index("policy")
    excess = table["in_turn"] - table["in_turn_by_chance"]
    assert excess["learned"] < excess["density"] < excess["power"]
    games = ms.simulate(ms.Rules.extreme(2), ms.players.make("learned_extreme_2p"), 2_000, seed=20_001, record=True)
    found = ms.learn.in_turn(games)
    low, high = ms.stats.share(found.in_turn, found.levels, confidence=0.999)[1:]
    assert low <= recorded["in_turn"] <= high


@pytest.mark.parametrize("kind", HIDDEN)
def test_the_script_says_what_the_file_says(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Objective, seed, generations and games of the search: the file's are those that the script runs with."""
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    script = importlib.import_module("learned_hidden")
    about = script.trained(kind, Namespace(players=2, seed=1, budget=0))
    assert shipped.manifest(f"learned_{kind}_2p")["trained"] == about


def test_saved_and_loaded(tmp_path: Path) -> None:
    player = ms.Player(ms.learn.LogLinear(), stars=ms.learn.Score())
    shipped.save(tmp_path / "mine.json", player, {"seed": 1}, {"win_rate": 0.5})
    assert shipped.load(tmp_path / "mine.json") == player
    (tmp_path / "bad.json").write_text('{"player": 3}')
    with pytest.raises(ValueError, match="holds no player"):
        shipped.load(tmp_path / "bad.json")
    with pytest.raises(ValueError, match="no trained player 'learned_9p'"):
        shipped.manifest("learned_9p")


@pytest.mark.parametrize("seconds", [9.0, 15.0, 100.0])
def test_waits_are_lengthened_until_they_use_the_time(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Won games of the made-up play last 10 s times the factor by which waits were changed."""
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    common = importlib.import_module("learned_common")
    start = common.template()

    def play(player: ms.Player) -> Namespace:
        by = player.policy.scale[0] - start.policy.scale[0]
        return Namespace(won=np.array([True]), duration=np.array([10.0 * np.exp(by)]))

    last = play(common.use_the_time(start, play, seconds)).duration[0] / seconds
    assert 0.975 <= last <= 0.9851
