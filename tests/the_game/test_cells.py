"""Sweeps of The Game: the cells, and that they go through the store, the table and the report of The Mind."""
from __future__ import annotations

import importlib
import json
import re

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from test_report import COUNT, browse
from test_store import digest

import mindsim as ms
from mindsim import plots, registry, report
from mindsim import the_game as tg
from mindsim.store import Store, StoreError, status
from mindsim.the_game import cells as cells_module

S = tg.strategies
sweeping = importlib.import_module("mindsim.sweep")


def some(**others):
    return tg.grid(**{"strategy": ["random", "least_movement", "reserve"], "players": [2, 3], **others})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A finished store under both endings."""
    folder = tmp_path_factory.mktemp("the_game") / "made"
    tg.sweep(some(end=list(tg.rules.ENDS)), 60, seed=1, store=folder)
    return folder


def nearest(obs):
    """An own strategy that can be imported."""
    return obs.smallest(obs.movement)


# --- grid ------------------------------------------------------------------------------------------------------------
def test_lists_are_swept_and_scalars_fixed():
    cells = some(end=["player_stuck", "nobody_can_play"], minimum=[2, 3], hand=6)
    assert len(cells) == 24
    assert cells[0].label == "players=2, end=player_stuck, hand=6, minimum=2, strategy=random"
    assert {c.rules.minimum for c in cells} == {2, 3}
    assert {c.rules.full_hand for c in cells} == {6}


def test_tuples_are_mixed_teams():
    (cell,) = tg.grid(strategy=("random", S.LookAhead()), players=2)
    assert cell.team == (S.Random(), S.LookAhead())
    assert cell.columns["strategy"] == "random + look_ahead"


def test_numbers_inside_a_strategy_have_columns():
    (cell,) = tg.grid(strategy=S.Endgame(S.LookAhead(reach=3), nodes=50), players=2)
    assert cell.columns["strategy"] == "endgame(look_ahead(reach=3), nodes=50)"
    assert cell.columns["strategy.base.reach"] == 3
    assert cell.columns["strategy.nodes"] == 50
    assert "strategy." not in cell.label


@pytest.mark.parametrize(("arguments", "error", "says"), [
    ({"strategy": []}, ValueError, "strategy must have at least one value"),
    ({"strategy": "randm"}, ValueError, "unknown strategy 'randm'; did you mean 'random'"),
    ({"strategy": ("random", "random", "random")}, ValueError, "3 values do not fit 2 players"),
    ({"strategy": ["random", S.Random()]}, ValueError, "the same cell twice"),
    ({"players": 6}, ValueError, "players must be an integer in 1..5, not 6"),
    ({"end": "never"}, ValueError, "end must be one of"),
    ({"minimun": 3}, TypeError, "no argument 'minimun'; did you mean 'minimum'"),
])
def test_bad_grids(arguments, error, says):
    with pytest.raises(error, match=re.escape(says)):
        tg.grid(**{"strategy": "random", "players": 2, **arguments})


def test_cells_of_the_wrong_kind():
    with pytest.raises(TypeError, match=r"rules must be mindsim\.the_game\.Rules"):
        tg.Cell(ms.Rules.the_mind(2), S.Random())
    with pytest.raises(ValueError, match="one per seat: 3 for these rules, not 2"):
        tg.Cell(tg.Rules(3), [S.Random()] * 2)
    with pytest.raises(ValueError, match="at least one cell"):
        tg.sweep([], 10)


# --- the same sweep --------------------------------------------------------------------------------------------------
def test_it_is_the_sweep_of_the_mind():
    assert tg.sweep is ms.sweep


def test_a_sweep_is_what_simulate_plays(monkeypatch):
    monkeypatch.setattr(sweeping, "GAMES_PER_PART", 7)
    table = tg.sweep(tg.Cell(tg.Rules(3), S.Reserve()), 40, seed=3)
    games = tg.simulate(tg.Rules(3), S.Reserve(), 40, seed=3)
    kept = table.games(0)
    for name in ("won", "cards_left", "turns", "tricks"):
        assert kept[name].tolist() == getattr(games, name).tolist()
    columns = games.summary().columns
    assert table[columns].iloc[0].to_dict() == games.summary().iloc[0].to_dict()


def test_both_games_in_one_sweep(tmp_path):
    mind = ms.grid(players=2, policy="gap_linear")
    table = ms.sweep([*mind, *some(players=2)], 30, store=tmp_path / "s")
    assert table["n_games"].tolist() == [30] * 4
    assert ms.load(tmp_path / "s").equals(table)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_n_jobs_gives_the_same_bytes(tmp_path, monkeypatch, n_jobs):
    monkeypatch.setattr(sweeping, "GAMES_PER_PART", 10)
    tg.sweep(some(), 30, seed=2, store=tmp_path / "one", n_jobs=1)
    tg.sweep(some(), 30, seed=2, store=tmp_path / "more", n_jobs=n_jobs)
    assert digest(tmp_path / "one") == digest(tmp_path / "more")


def test_an_interrupted_sweep_goes_on_to_the_same_bytes(tmp_path, monkeypatch):
    """Interrupted in mid-cell: what was played is kept, is not played again, and the end is that of a quiet run."""
    monkeypatch.setattr(sweeping, "GAMES_PER_PART", 10)
    tg.sweep(some(), 50, seed=2, store=tmp_path / "whole")
    played, real = [], tg.Cell.play

    def play(cell, seed, games):
        if len(played) == 13:
            raise KeyboardInterrupt
        played.append((cell.label, games))
        return real(cell, seed, games)

    monkeypatch.setattr(tg.Cell, "play", play)
    with pytest.raises(KeyboardInterrupt):
        tg.sweep(some(), 50, seed=2, store=tmp_path / "broken")
    assert "1 of 6 cells whole, 130 games kept" in status(tmp_path / "broken")
    assert len(ms.load(tmp_path / "broken")) == 1
    before, played[:] = list(played), []
    monkeypatch.setattr(tg.Cell, "play", lambda cell, seed, games: played.append(1) or real(cell, seed, games))
    tg.sweep(some(), 50, seed=2, store=tmp_path / "broken")
    assert len(before) + len(played) == 30
    assert digest(tmp_path / "broken") == digest(tmp_path / "whole")


def test_until_and_errors_are_those_of_the_mind(tmp_path):
    def breaks(obs):
        raise ZeroDivisionError("it broke")

    cells = [tg.Cell(tg.Rules(2), breaks), *some(players=2, strategy="random")]
    table = tg.sweep(cells, 3000, on_error="record", until=0.01)
    assert table["error"].iloc[0] == "ZeroDivisionError: it broke"
    assert table["n_games"].iloc[1] == 1000


# --- the store -------------------------------------------------------------------------------------------------------
def test_load_and_status(made):
    table = ms.load(made)
    assert "12 of 12 cells whole, 720 games kept; engine 1, seed 1; nobody is writing" in status(made)
    assert table["strategy"].nunique() == 3
    assert table.games(0, ["cards_left"])["cards_left"].mean() == table["cards_left"].iloc[0]


@pytest.mark.parametrize(("change", "says"), [
    ({"seed": 2}, "seed is 1, not 2"),
    ({"n_games": 61}, "n_games is 60, not 61"),
    ({"cells": some()}, "a cell that is not asked for now"),
    ({"cells": ms.grid(players=2, policy="gap_linear")}, "its version of the_game is 1, not None"),
])
def test_a_store_of_another_sweep_is_refused(made, change, says):
    before = digest(made)
    asked = {"cells": some(end=list(tg.rules.ENDS)), "n_games": 60, "seed": 1, **change}
    with pytest.raises(StoreError, match=f"made was made by another sweep: .*{says}"):
        tg.sweep(asked.pop("cells"), asked.pop("n_games"), store=made, **asked)
    assert digest(made) == before


def test_a_store_of_the_mind_is_refused(tmp_path):
    ms.sweep(ms.grid(players=2, policy="gap_linear"), 60, seed=1, store=tmp_path / "mind")
    with pytest.raises(StoreError, match="its version of the_game is None, not 1"):
        tg.sweep(some(), 60, seed=1, store=tmp_path / "mind")


def test_a_store_of_another_engine_is_refused(made, monkeypatch):
    monkeypatch.setattr(cells_module, "ENGINE", 99)
    with pytest.raises(StoreError, match="its version of the_game is 1, not 99"):
        tg.sweep(some(end=list(tg.rules.ENDS)), 60, seed=1, store=made)


def test_the_engine_version_goes_with_the_games():
    """Other games at the same seed need a higher `ENGINE`; then change these numbers too."""
    found = []
    for strategy in ("random", "least_movement", "tricks_and_small_gaps", "reserve", "look_ahead"):
        games = tg.simulate(tg.Rules(3), S.make(strategy), 20, seed=1)
        found.append((int(games.cards_left.sum()), int(games.turns.sum()), int(games.tricks.sum())))
    pinned = [(1679, 154, 6), (372, 862, 252), (227, 805, 238), (149, 967, 349), (162, 823, 309)]
    assert (cells_module.ENGINE, found) == (1, pinned)


def test_a_setting_has_every_number_and_can_be_read_back(made):
    cells = tg.grid(strategy=[S.Endgame("linear_hints"), S.LookAhead(reach=3)], players=2)
    weights = cells[0].setting()["team"][0]["params"]["base"]["params"]["weights"]
    assert weights == S.linear.shipped()["linear_hints"]["weights"]  # another set of weights is another cell
    for cell in cells:
        setting = json.loads(json.dumps(cell.setting()))
        team = [registry.from_json(s) for s in setting["team"]]
        again = tg.simulate(tg.Rules(**setting["rules"]), team, 5, seed=1)
        assert again.cards_left.tolist() == cell.play(1, range(5))["cards_left"].tolist()


def test_own_strategies(tmp_path):
    table = tg.sweep(tg.grid(strategy=S.Own(nearest), players=2), 20, store=tmp_path / "s")
    assert table["strategy"].tolist() == ["nearest"]
    (entry,) = Store(tmp_path / "s").cells
    assert list(entry["setting"]["sources"]) == [f"{__name__}:nearest"]
    unnamed = tg.grid(strategy=lambda obs: obs.smallest(obs.movement), players=2)
    assert tg.sweep(unnamed, 20)["n_games"].tolist() == [20]
    with pytest.raises(TypeError, match="Without store= it can be played all the same"):
        tg.sweep(unnamed, 20, store=tmp_path / "t")


# --- table, ranking, report ------------------------------------------------------------------------------------------
def test_rank_by_strategy(made):
    ranking = ms.rank(ms.load(made), of="strategy")
    assert len(ranking.pairs) == 12
    assert (ranking.table["stands"] == "best").sum() == 4
    assert "pace" not in ranking.table.columns


def test_the_figure_of_a_table(made):
    figure = plots.the_game(ms.load(made))
    left, right = figure.axes
    assert (left.get_title(), right.get_title()) == ("end: player_stuck", "end: nobody_can_play")
    assert left.get_legend() is None
    assert [t.get_text() for t in right.get_legend().get_texts()] == ["random", "least_movement", "reserve"]


def test_the_report_has_what_this_game_has(made, tmp_path):
    text = report.write(made, tmp_path / "page.html").read_text()
    for part in ("Win rate by strategy and number of players", "Cards left by strategy and number of players",
                 "end: nobody_can_play", "Ranking by win rate: strategy", "cards left (mean)", "All cells", "Manifest",
                 "&quot;game&quot;: &quot;the_game&quot;", "correlated"):
        assert part in text, part
    shown = text.split("</style>")[1].split("<h2>Manifest")[0]
    for part in ("pace", "slower", "levels", "lives"):
        assert part not in shown, part
    assert text == report.write(made, tmp_path / "again.html").read_text()


def test_a_browser_shows_the_report_without_errors(made, tmp_path):
    text = report.write(made, tmp_path / "page.html").read_text()
    copy = tmp_path / "copy.html"
    copy.write_text(text.replace("</body>", COUNT))
    done = browse(copy, "--dump-dom")
    assert text.count("<figure>") == 4
    assert 'data-shown="4/4"' in done.stdout
    assert "CONSOLE" not in done.stderr, done.stderr


def test_figures_as_files(made, tmp_path):
    written = report.figures(ms.load(made), tmp_path)
    assert [p.name for p in written] == [
        "01_win_rate.png", "02_cards_left.png", "03_win_rate.png", "04_cards_left.png",
    ]


def test_a_summary_does_not_depend_on_the_pieces():
    games = tg.simulate(tg.Rules(2), S.LookAhead(), 300, seed=1)
    whole = {name: getattr(games, name) for name in ("cards_left", "turns", "tricks")}
    (one,), many = [whole], [{k: v[i : i + 7] for k, v in whole.items()} for i in range(0, 300, 7)]
    cell = tg.Cell(tg.Rules(2), S.LookAhead())
    assert cell.summarise([one]) == cell.summarise(many)
    assert cell.summarise([one])["cards_left"] == pytest.approx(np.mean(games.cards_left))
