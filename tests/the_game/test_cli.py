"""The command line of The Game, and sweeps."""
from __future__ import annotations

import pandas as pd
import pytest
from typer.testing import CliRunner

from mindsim import plots
from mindsim import the_game as tg
from mindsim.the_game.cli import app

RUN = CliRunner()


def test_run_prints_a_summary_and_writes_games(tmp_path):
    result = RUN.invoke(app, ["run", "random", "--games", "20", "--out", str(tmp_path / "games.csv")])
    assert result.exit_code == 0, result.output
    assert "won_low" in result.output
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
    plots.the_game(table, tmp_path / "table.png")
    assert (tmp_path / "table.png").stat().st_size > 10_000


@pytest.mark.parametrize(("args", "message"), [
    (["run", "randm"], "unknown strategy"),
    (["run", '{"reach": 2}'], "needs the key"),
    (["run", "{oops"], "neither a name nor a JSON"),
    (["run", "random", "--players", "9"], "players must be"),
    (["sweep", "--strategy", "random", "--end", "never"], "end must be one of"),
])
def test_bad_commands_say_what_is_wrong(args, message):
    result = RUN.invoke(app, args)
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())


def test_strategies_are_listed():
    assert RUN.invoke(app, ["strategies"]).output.split() == tg.strategies.names()


def test_an_empty_sweep_is_refused():
    with pytest.raises(ValueError, match="at least one entry"):
        tg.sweep([])
