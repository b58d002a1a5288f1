"""Searches written down as files."""
from __future__ import annotations

from pathlib import Path

import pytest

import mindsim as ms
from mindsim.learn.cli import read, run

EXPERIMENTS = Path(__file__).parent.parent / "experiments"


@pytest.mark.parametrize("file", sorted(EXPERIMENTS.glob("learn_*.toml")), ids=lambda p: p.stem)
def test_shipped_files_are_understood(file: Path) -> None:
    said = read(file)
    assert said["rules"] == ms.Rules.the_mind(2)
    assert said["objective"].seconds == 300.0


def test_an_objective_may_build_on_another(tmp_path: Path) -> None:
    (tmp_path / "extreme.toml").write_text(
        'policy = "gap_linear"\nrules = "extreme"\n'
        'objective = {name = "both_piles", penalty = 2.0, goal = {name = "win_rate_within", seconds = 300.0}}\n'
    )
    assert read(tmp_path / "extreme.toml")["objective"] == ms.learn.BothPiles(ms.learn.WinRateWithin(300.0), 2.0)


def test_a_small_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "small.toml"
    file.write_text(
        'policy = {name = "gap_power", pace = 0.05, exponent = 1.5}\nplayers = 2\nbudget = 120\nn_games = 10\n'
        'held_out = 20\npopulation = 4\nclock = "exact"\nobjective = "mean_level"\n'
    )
    tuned = run(file, out=tmp_path / "store")
    assert tuned.figures["n_games"] == 20
    assert (tmp_path / "store" / "result.json").exists()
    assert "held out, 20 games" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("budget = ", "is no TOML"),
        ('policy = "gap_linear"\nspeed = 3', "unknown key 'speed'"),
        ('policy = "gap_linear"\nplayer = "exact"', "say either player or policy"),
        ('policy = "gap_linear"\nrules = "the_minds"', "rules must be one of"),
        ('policy = "gap_linear"\nobjective = "fun"', "objective must be one of"),
        ('policy = "gap_linear"\nobjective = {name = "win_rate", seconds = 3}', "objective 'win_rate'"),
        ('policy = "gap_linear"\nobjective = {name = "both_piles", goal = "fun"}', "objective must be one of"),
        ("policy = 3", "policy must be a name, or a table"),
        ('policy = "gap_linea"', "nearest: gap_linear"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "bad.toml")
