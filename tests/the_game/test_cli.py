"""The command line of The Game, and sweeps."""
from __future__ import annotations

import pandas as pd
import pytest
from typer.testing import CliRunner

from mindsim import the_game as tg
from mindsim.cli import app as main_app
from mindsim.the_game.cli import app

RUN = CliRunner()


def test_run_prints_a_summary_and_writes_games(tmp_path):
    result = RUN.invoke(app, ["run", "random", "--games", "20", "--out", str(tmp_path / "games.csv")])
    assert result.exit_code == 0, result.output
    assert "win_rate_low" in result.output
    assert pd.read_csv(tmp_path / "games.csv")["game"].tolist() == list(range(20))


def test_run_takes_settings_and_tells_a_game():
    strategy = '{"name": "endgame", "base": {"name": "look_ahead", "reach": 3}, "nodes": 50}'
    result = RUN.invoke(app, ["run", strategy, "--players", "3", "--expert", "--replay", "4"])
    assert result.exit_code == 0, result.output
    assert "player 2 is dealt" in result.output


def test_sweep_has_a_row_for_each_cell(tmp_path):
    out = tmp_path / "table.csv"
    args = ["sweep", "--strategy", "random", "--strategy", "reserve", "--players", "2", "--players", "3"]
    result = RUN.invoke(app, [*args, "--games", "30", "--out", str(out)])
    assert result.exit_code == 0, result.output
    table = pd.read_csv(out)
    assert len(table) == 8
    assert table.columns[:3].tolist() == ["players", "end", "strategy"]


def test_a_sweep_with_a_store_goes_on_and_is_told_of_by_status_and_report(tmp_path):
    store = tmp_path / "kept"
    args = ["sweep", "--strategy", "random", "--players", "1", "--games", "30", "--store", str(store)]
    first = RUN.invoke(app, args)
    assert first.exit_code == 0, first.output
    whole = {p: p.stat().st_mtime_ns for p in (store / "cells").iterdir()}
    more = RUN.invoke(app, [*args, "--players", "2", "--jobs", "1"])
    assert more.exit_code == 0, more.output
    assert len(whole) == 2
    assert all(p.stat().st_mtime_ns == at for p, at in whole.items())  # nothing was played twice
    assert "4 of 4 cells whole, 120 games kept" in RUN.invoke(main_app, ["status", str(store)]).output
    assert RUN.invoke(main_app, ["report", str(store)]).exit_code == 0
    assert "strategy" in (tmp_path / "kept.html").read_text()


@pytest.mark.parametrize(("args", "message"), [
    (["run", "randm"], "unknown strategy"),
    (["run", '{"reach": 2}'], "needs the key"),
    (["run", "{oops"], "neither a name nor a JSON"),
    (["run", "random", "--players", "9"], "players must be"),
    (["sweep", "--strategy", "random", "--end", "never"], "end must be one of"),
    (["sweep", "--strategy", "random", "--games", "0"], "n_games must be an integer of at least 1, not 0"),
    (["sweep", "--strategy", "random", "--store", __file__], "is a file; store must be a directory"),
])
def test_bad_commands_say_what_is_wrong(args, message):
    result = RUN.invoke(app, args)
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())


def test_strategies_are_listed():
    assert RUN.invoke(app, ["strategies"]).output.split() == tg.strategies.names()
