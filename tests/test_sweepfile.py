"""Sweep files: what they may say, and a sentence with the line for what they may not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mindsim as ms
from mindsim import sweepfile

GOOD = """
n_games = 60
seed = 3

[[grid]]
players = [2, 3]
policy = ["gap_linear", {name = "gap_power", pace = [0.02, 0.05], exponent = 2.0}]
clock = {name = "scalar", weber = 0.14, floor = 0.05}
reaction = 0.2          # seconds

[[grid]]
rules = ["blind", {players = 2, levels = [{cards = 8}], lives = 1, stars = 0}]
players = 2
policy = [["gap_linear", {name = "gap_linear", pace = [0.1, 0.2]}]]
"""


def written(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


def test_a_file_is_the_same_as_a_call(tmp_path):
    cells = sweepfile.read(written(tmp_path, GOOD)).cells()
    linear, power = ms.policies.GapLinear, ms.policies.GapPower
    policies = [linear(), power(0.02, 2.0), power(0.05, 2.0)]
    called = ms.grid(players=[2, 3], policy=policies, clock=ms.clocks.Scalar(0.14, 0.05), reaction=0.2)
    own = ms.Rules(players=2, levels=[ms.Level(cards=8)], lives=1, stars=0)
    teams = [(linear(), linear(0.1)), (linear(), linear(0.2))]
    called += ms.grid(rules=["blind", own], players=2, policy=teams)
    assert cells == called


def test_teams_by_name_and_objects_in_parameters(tmp_path):
    text = """
n_games = 1
[grid]
players = 2
team = ["ordinary", ["careful", {name = "ordinary", pace = 0.1}]]
"""
    cells = sweepfile.read(written(tmp_path, text)).cells()
    assert cells[1].team == (ms.players.make("careful"), ms.players.make("ordinary", pace=0.1))
    text = """
n_games = 1
[grid]
players = 2
policy = "gap_linear"
[grid.clock]
name = "product"
factors = [[{kind = "clock", name = "tempo", sigma = 0.3}, {kind = "clock", name = "exact"}]]
"""
    (cell,) = sweepfile.read(written(tmp_path, text)).cells()
    assert cell.team[0].clock == ms.clocks.make("product", factors=(ms.clocks.Tempo(0.3), ms.clocks.Exact()))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("seed = 3", "sede = 3"), "line 3: unknown key 'sede' in the file; did you mean 'seed'?"),
        (("n_games = 60", ""), "the file lacks the key 'n_games'"),
        (("n_games = 60", "n_games = 0"), "line 2: n_games = 0 is not allowed"),
        (("n_games = 60", 'n_games = "many"'), "line 2: n_games = 'many' is not allowed"),
        (("reaction = 0.2", "recation = 0.2"), "line 9: unknown key 'recation' in [grid] 1; did you mean 'reaction'?"),
        (("players = 2\n", "plyers = 2\n"), "line 13: unknown key 'plyers' in [grid] 2; did you mean 'players'?"),
        (('"gap_power"', '"gap_pwoer"'), "line 7, grid 1: unknown policy 'gap_pwoer'"),
        (("weber = 0.14", "wber = 0.14"), "line 8, grid 1: "),
        (("players = 2\n", "players = 3\n"), "grid 2: "),
        (("pace = [0.02, 0.05]", "pace = []"), "grid 1: a parameter must have at least one value"),
        (("weber = 0.14", "weber = -1"), "grid 1: Scalar: weber must be"),
        (("[[grid]]\nplayers = [2, 3]", "[[gird]]\nplayers = [2, 3]"), "line 5: unknown key 'gird'"),
        (("seed = 3", "seed = = 3"), "is no TOML: "),
        (("{cards = 8}", "{crads = 8}"), "level: unknown key 'crads'; did you mean 'cards'?"),
        (("{cards = 8}", "{}"), "level: cards must be given"),
        (("[{cards = 8}]", "3"), "rules: levels must be a list of tables such as {cards = 3}, not 3"),
        ((", stars = 0}", "}"), "rules: stars must be given"),
        (("lives = 1", "lifes = 1"), "rules: unknown key 'lifes'; did you mean 'lives'?"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, change, says):
    assert change[0] in GOOD
    with pytest.raises(ValueError, match=re.escape(says)):
        sweepfile.read(written(tmp_path, GOOD.replace(*change, 1)))


def test_run_plays_into_the_store_and_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = sweepfile.run(written(tmp_path, GOOD), progress=False)
    assert table["n_games"].tolist() == [60] * 10 and (tmp_path / "results" / "mine" / "summary.csv").exists()
    again = sweepfile.run(tmp_path / "mine.toml", progress=False)
    assert again.equals(table) and ms.load(tmp_path / "results" / "mine").equals(table)
    elsewhere = sweepfile.run(tmp_path / "mine.toml", store=tmp_path / "other", n_games=20, progress=False)
    assert elsewhere["n_games"].tolist() == [20] * 10


def test_a_cluster_that_is_not_there(tmp_path, monkeypatch):
    import distributed

    def nobody(address, timeout):
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", nobody)
    with pytest.raises(OSError, match="no dask scheduler answers at 'tcp://localhost:1'"):
        sweepfile.run(written(tmp_path, GOOD), store=tmp_path / "s", dask="tcp://localhost:1")


def test_a_cluster_plays_the_same_games(tmp_path):
    from distributed import LocalCluster
    from test_store import digest

    path = written(tmp_path, GOOD)
    sweepfile.run(path, store=tmp_path / "here", progress=False)
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        sweepfile.run(path, store=tmp_path / "there", dask=cluster.scheduler_address, progress=False)
    assert digest(tmp_path / "here") == digest(tmp_path / "there")


def test_the_baseline_is_such_a_file():
    file = sweepfile.read(Path(__file__).parents[1] / "experiments" / "baseline.toml")
    cells = file.cells()
    assert {c.rules.players for c in cells} == {2, 3, 4} and len(cells) > 50 and file.store == "results/baseline"


# --- The Game --------------------------------------------------------------------------------------------------------
OTHER = """
n_games = 20
[[grid]]
game = "the_game"
players = [1, 2]
strategy = ["random", {name = "endgame", base = {name = "look_ahead", reach = 3}, nodes = [20, 50]}]
end = "nobody_can_play"
[[grid]]
game = "the_game"
players = 2
strategy = [["random", "reserve"]]
minimum = 3
[[grid]]
players = 2
policy = "gap_linear"
"""


def test_a_file_of_the_game_is_the_same_as_a_call(tmp_path):
    from mindsim import the_game as tg

    cells = sweepfile.read(written(tmp_path, OTHER)).cells()
    ends = [tg.strategies.Endgame(tg.strategies.LookAhead(reach=3), nodes) for nodes in (20, 50)]
    called = tg.grid(strategy=["random", *ends], players=[1, 2], end="nobody_can_play")
    called += tg.grid(strategy=("random", "reserve"), players=2, minimum=3)
    assert cells == [*called, *ms.grid(players=2, policy="gap_linear")]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('"the_game"', '"the_gaem"'), "line 4: game = 'the_gaem' is not allowed: input should be 'the_mind' or 'the"),
        (("minimum = 3", "minimun = 3"), "line 12: unknown key 'minimun' in [grid] 2; did you mean 'minimum'?"),
        (('strategy = [["random", "reserve"]]', ""), "[grid] 2 lacks the key 'strategy'"),
        (('"reserve"', '"resreve"'), "line 11, grid 2: unknown strategy 'resreve'; did you mean 'reserve'"),
        (("nodes = [20, 50]", "nodes = 0"), "grid 1: nodes must be"),
        (("players = [1, 2]", "players = [1, 7]"), "grid 1: players must be an integer in 1..5, not 7"),
        (('policy = "gap_linear"', 'strategy = "random"'), "line 15: unknown key 'strategy' in [grid] 3"),
    ],
)
def test_mistakes_about_the_game_are_named_with_their_line(tmp_path, change, says):
    assert change[0] in OTHER
    with pytest.raises(ValueError, match=re.escape(says)):
        sweepfile.read(written(tmp_path, OTHER.replace(*change, 1)))


def test_both_games_from_one_file_by_the_command_line(tmp_path):
    from typer.testing import CliRunner

    from mindsim.cli import app

    args = ["sweep", str(written(tmp_path, OTHER)), "--store", str(tmp_path / "s")]
    result = CliRunner().invoke(app, args, env={"COLUMNS": "200"})  # wide enough for whole headings
    assert result.exit_code == 0, result.output
    assert "cards left [95%]" in result.output
    assert ms.load(tmp_path / "s")["n_games"].tolist() == [20] * 8


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--player", "human", "--policy", "metronome"], "--player brings its own policy"),
        (["--player", "human", "--set-clock", "weber=0.1"], "--player brings its own policy"),
        (["--level-cards", "5", "--rules", "blind"], "leave --rules blind out"),
    ],
)
def test_options_that_would_be_ignored_are_refused(options, says):
    from typer.testing import CliRunner

    from mindsim.cli import app

    result = CliRunner().invoke(app, ["run", "--games", "5", *options])
    assert result.exit_code != 0 and says in str(result.exception) + result.output
