"""Every experiment runs at its smallest size, and a part of every committed result comes out the same again."""
from __future__ import annotations

import importlib
import io
import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
EXPERIMENTS, RESULTS = ROOT / "experiments", ROOT / "results"

# The fewest games at which a script still does all that it does.
SWEEPS = ("tempo_mismatch", "noise", "frontier", "stars", "reaction", "variants", "people", "crossplay")
SMALL: dict[str, list[str]] = {
    **{name: ["--games", "200", "--first", "4"] for name in SWEEPS},
    "learned_conventions": ["--games", "200", "--runs", "2", "--budget", "500"],
    "learned_frontier": ["--games", "200", "--budget", "500"],
    "learned_hidden": ["--games", "100", "--budget", "500", "--choosing", "1", "--paces", "1"],
    "learned_ladder": ["--games", "200", "--runs", "2", "--budget", "500"],
    "learned_qlearning": ["--games", "200", "--rounds", "1", "--practice", "200"],
    "learned_small_deck": ["--games", "200", "--budget", "500"],
    "learned_train": ["--games", "200", "--budget", "2000", "--candidate-games", "50"],
    "learned_transfer": ["--games", "200"],
    "the_game": ["--games", "20", "--store", "kept"],
    "probability_twin": ["5", "3"],
    "star_rules": ["200"],
    "tempo_matching": ["200"],
    "train_numpy": ["2", "1"],
}
WRITES_NOTHING = ("probability_twin", "star_rules", "tempo_matching", "train_numpy")


@pytest.fixture(autouse=True)
def _there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Scripts import each other, and write under the current directory."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)


def script(name: str) -> Any:
    """An experiment as a module."""
    return importlib.import_module(name)


def test_every_script_is_run_by_make_results() -> None:
    plan = script("make_results")
    every = {path.stem for path in EXPERIMENTS.glob("*.py")}
    assert set(plan.plan("short", 1)) | set(plan.ELSEWHERE) == every
    assert set(plan.plan("short", 1)) == set(plan.plan("full", 1)) == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_a_script_runs(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = [] if name in WRITES_NOTHING else ["--out", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", [str(EXPERIMENTS / f"{name}.py"), *SMALL[name], *out])
    runpy.run_path(sys.argv[0], run_name="__main__")
    assert capsys.readouterr().out.strip()
    if out:
        assert list((tmp_path / "out").glob("*.csv"))
        assert json.loads((tmp_path / "out" / "manifest.json").read_text())
        assert str(tmp_path) not in (tmp_path / "out" / "manifest.json").read_text()


def test_weights_of_the_game_are_tuned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The search changes what is free and nothing else, and writes down how; worse weights are not kept."""
    tune, before = script("the_game_tune"), script("the_game_tune").shipped()
    into = tmp_path / "weights.json"
    argv = ["linear_hints", "--weights", "hints", "--look", "1", "--generations", "2", "--population", "4"]
    amounts = ["--games", "10", "--held-out", "20", "--into", str(into), "--store", str(tmp_path / "search")]
    into.write_text(json.dumps(before))
    tune.main([*argv, *amounts])
    assert "held-out games won before" in capsys.readouterr().out
    assert (tmp_path / "search" / "result.json").exists()
    after = json.loads(into.read_text())
    assert {name for name in after if after[name] != before[name]} <= {"linear_hints"}
    task = tune.Task("linear_hints", (2,), 0, 1, "hints", 4.0)
    tune.keep(task, task.start + 1.0, {"search": "by hand"}, into)
    mine, old = json.loads(into.read_text())["linear_hints"], before["linear_hints"]
    changed = [i for i, (a, b) in enumerate(zip(mine["weights"], old["weights"], strict=True)) if a != b]
    assert changed == list(range(tune.HEARD, tune.N))
    assert mine["found_by"][-1] == {"search": "by hand"}
    assert mine["near"] > old["near"]


# --- committed results ------------------------------------------------------------------------------------------------
ABOUT = RESULTS / "the_game/manifest.json"
ROWS = {"stars": 5}  # the ruler has five rows


def lines(path: Path) -> pd.DataFrame:
    """A table as it is written, without reading numbers."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@pytest.mark.parametrize("name", SWEEPS)
def test_a_part_of_a_committed_result_comes_out_the_same(name: str, tmp_path: Path) -> None:
    about = json.loads((RESULTS / name / "manifest.json").read_text())
    first = ROWS.get(name, 2)
    argv = ["--games", str(about["games"]), "--seed", str(about["seed"]), "--first", str(first), "--out", str(tmp_path)]
    script(name).main(argv)
    again, committed = lines(tmp_path / "table.csv"), lines(RESULTS / name / "table.csv")
    if name == "crossplay":  # the cells of the first two agents are not the first of all
        committed = committed.set_index(["newcomer", "host"])
        again = again.set_index(["newcomer", "host"])
        assert len(again) >= 3
        pd.testing.assert_frame_equal(again, committed.loc[again.index])
        return
    assert len(again) == first
    pd.testing.assert_frame_equal(again, committed.head(first))


def test_results_are_small_and_whole() -> None:
    for name in SWEEPS:
        assert {"manifest.json", "table.csv", "figure.png"} <= set(os.listdir(RESULTS / name))
        assert (RESULTS / name / "figure.png").stat().st_size <= 100_000
        about = json.loads((RESULTS / name / "manifest.json").read_text())
        assert "--first" not in about["command"], f"{name}: only a part of the table was played"


def test_the_part_of_learned_results_that_is_quick() -> None:
    import mindsim as ms

    small_deck, common = script("learned_small_deck"), script("learned_common")
    best = small_deck.best_schedule(small_deck.DECK, 0.15, small_deck.WAITS, common.CLOCK)
    committed = lines(RESULTS / "learned/small_deck/table.csv").iloc[0]
    games = json.loads((RESULTS / "learned/small_deck/manifest.json").read_text())["arguments"]
    played = ms.simulate(
        small_deck.one_card_each(small_deck.DECK), ms.Player(best.policy, clock=common.CLOCK), games["games"],
        seed=games["seed"],
    )  # fmt: skip
    found = [f"{x:.6g}" for x in (best.win_rate, best.seconds, played.won.mean())]
    assert found == committed[["win_rate", "seconds", "engine_win_rate"]].tolist()


def test_the_first_round_of_the_committed_learning_curve() -> None:
    import dataclasses

    import mindsim as ms

    about = json.loads((RESULTS / "learned/qlearning/manifest.json").read_text())["arguments"]
    full = ms.Rules.the_mind(2)
    four = dataclasses.replace(full, levels=full.levels[:4])
    learned = ms.learn.q_learn(four, 1, about["practice"], clock=ms.clocks.Exact(), seed=about["seed"])
    committed = lines(RESULTS / "learned/qlearning/curve.csv").iloc[0]
    first = learned.curve.iloc[0]
    assert [f"{first[c]:.6g}" for c in ("wins", "seconds", "levels_completed")] == committed[
        ["wins", "seconds", "levels_completed"]
    ].tolist()


def the_game_script() -> dict[str, Any]:
    """The names of the script; the tests of The Game are a package of the same name."""
    return runpy.run_path(str(EXPERIMENTS / "the_game.py"))


def test_the_first_rows_of_the_committed_table_of_the_game() -> None:
    from mindsim import the_game as tg

    committed = lines(RESULTS / "the_game/table.csv").head(2)
    cells = tg.grid(strategy="random", players=[1, 2])
    table = tg.sweep(cells, int(committed["n_games"].iloc[0]), json.loads(ABOUT.read_text())["seed"])
    columns = [c for c in committed.columns if c not in ("memory", "hints")]
    again = the_game_script()["published"](table.assign(memory=False, hints=False))
    text = again.to_csv(index=False, float_format="%.6g")
    assert pd.read_csv(io.StringIO(text), dtype=str)[columns].equals(committed[columns])


def test_every_row_of_the_committed_table_of_the_game_is_of_one_plan() -> None:
    about, table = json.loads(ABOUT.read_text()), lines(RESULTS / "the_game/table.csv")
    plan, games = the_game_script()["PLAN"], about["games"]
    assert about["command"] == f"python experiments/the_game.py --games {games} --seed {about['seed']}"
    assert len(table) == 10 * len(plan)
    played = dict(zip(table["strategy"], table["n_games"].astype(int), strict=True))
    assert list(played.values()) == [int(games * share) for _, share in plan]
    assert [cell["n_games"] for cell in about["cells"]] == list(played.values())
    assert (RESULTS / "the_game/figure.png").stat().st_size <= 100_000


def test_the_committed_table_of_the_game_reaches_what_was_published() -> None:
    """Two players, rulebook ending: the published figures lie inside the intervals, the best ones are surpassed."""
    table = pd.read_csv(RESULTS / "the_game/table.csv")
    two = table[(table["players"] == 2) & (table["end"] == "player_stuck")].set_index("strategy")
    least = two.loc["least_movement"]
    assert least["win_rate_low"] - 0.0005 < 0.058 < least["win_rate_high"] + 0.0005  # published with one decimal
    assert abs(least["cards_left"] - 12.6) < 0.25  # those of an unfinished turn are no longer left: see docs
    assert two.loc["random", "win_rate"] == 0
    assert not two.loc["linear", ["memory", "hints"]].any()
    assert two.loc["linear", "win_rate_low"] > 0.187  # the best published without hints or memory
    assert two.loc["linear", "win_rate"] > 0.19
    assert two.loc["linear_hints", "win_rate_low"] > 0.24  # the best published with hints
    assert two.loc["endgame(linear_memory_hints)", "win_rate_low"] > 0.35
