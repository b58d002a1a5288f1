"""Grids and sweeps: the same results whoever plays, however often it is interrupted."""

from __future__ import annotations

import hashlib
import importlib
import json
import linecache
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from test_store import digest
from toycell import Toy, toys

import mindsim as ms
from mindsim.cells import Cell
from mindsim.store import status

sweeping = importlib.import_module("mindsim.sweep")  # the module; ms.sweep is the function
TESTS = Path(__file__).parent
LINEAR, SQUARED = ms.policies.GapLinear(0.05), ms.policies.GapPower(0.02, 2.0)
CLOCK = ms.clocks.Scalar(weber=0.14)


# --- grid ------------------------------------------------------------------------------------------------------------
def test_lists_are_swept_and_scalars_fixed():
    cells = ms.grid(players=[2, 3], policy=[LINEAR, SQUARED], clock=CLOCK, lives=1)
    assert [(c.rules.players, c.team[0].policy) for c in cells] == [
        (2, LINEAR),
        (2, SQUARED),
        (3, LINEAR),
        (3, SQUARED),
    ]
    assert all(c.rules.lives == 1 and c.team[0].clock == CLOCK and len(c.team) == c.rules.players for c in cells)
    assert cells[0].columns["policy.pace"] == 0.05 and cells[1].columns["policy.exponent"] == 2.0


def test_numbers_are_swept_from_ranges_and_arrays():
    cells = ms.grid(players=2, policy=LINEAR, reaction=np.linspace(0, 0.2, 3), lives=range(1, 3))
    assert [(c.team[0].reaction, c.rules.lives) for c in cells][:3] == [(0.0, 1), (0.0, 2), (0.1, 1)]


def test_tuples_are_mixed_teams():
    (cell,) = ms.grid(players=2, policy=(LINEAR, SQUARED), reaction=(0.1, 0.2))
    assert [(p.policy, p.reaction) for p in cell.team] == [(LINEAR, 0.1), (SQUARED, 0.2)]
    assert cell.columns["policy"] == "GapLinear(pace=0.05) + GapPower(pace=0.02, exponent=2.0)"
    a, b = ms.Player(LINEAR), ms.Player(SQUARED, reaction=0.2)
    assert [c.team for c in ms.grid(players=2, team=[a, (a, b)])] == [(a, a), (a, b)]


def test_names_and_rule_sets():
    cells = ms.grid(rules=["the_mind", "blind"], players=2, policy="gap_linear")
    assert cells[1].rules == ms.Rules.blind(2) and cells[0].team[0].policy == ms.policies.GapLinear()
    own = ms.Rules(players=2, levels=[ms.Level(cards=8)], lives=1, stars=0)
    assert ms.grid(rules=own, policy=LINEAR, n_stars=2)[0].rules.stars == 2


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"policy": []}, ValueError, "policy must have at least one value"),
        ({"policy": LINEAR, "players": []}, ValueError, "players must have at least one value"),
        ({"policy": LINEAR, "players": None}, ValueError, "players must be given"),
        ({"policy": (LINEAR, LINEAR, LINEAR)}, ValueError, "3 values do not fit 2 players"),
        ({"policy": LINEAR, "polcy": 1}, TypeError, "did you mean 'policy'"),
        ({"policy": LINEAR, "life": 1}, TypeError, "did you mean 'lives'"),
        ({"policy": "gap_linaer"}, ValueError, "gap_linear"),
        ({"policy": LINEAR, "rules": "the_mnd"}, ValueError, "did you mean 'the_mind'"),
        ({"policy": LINEAR, "rules": ms.Rules.the_mind(3)}, ValueError, "players=2 does not go with"),
        ({}, TypeError, "needs policy= or team="),
        ({"team": ms.Player(LINEAR), "clock": CLOCK}, TypeError, "either team= or clock="),
        ({"policy": [LINEAR, ms.policies.GapLinear(0.05)]}, ValueError, "the same cell twice"),
        ({"policy": LINEAR, "players": 5}, ValueError, "players must be 2, 3 or 4"),
    ],
)
def test_bad_grids(arguments, error, says):
    with pytest.raises(error, match=re.escape(says)):
        ms.grid(**{"players": 2, **arguments})


def test_the_first_pieces_are_of_different_shapes(monkeypatch):
    """So that two workers that begin together do not both compile the same engine."""
    cells, order = [Toy(p, players=players) for players in (2, 3) for p in (0.3, 0.5)], []
    play = sweeping.play_part
    monkeypatch.setattr(sweeping, "play_part", lambda cell, *rest: order.append(cell) or play(cell, *rest))
    ms.sweep(cells, 50, n_jobs=1)
    assert order == [cells[0], cells[2], cells[1], cells[3]]


# --- a sweep of real games -------------------------------------------------------------------------------------------
def real_cells():
    return ms.grid(players=2, policy=[LINEAR, SQUARED], clock=CLOCK, reaction=0.2)


def test_a_sweep_is_what_simulate_plays(monkeypatch):
    monkeypatch.setattr(sweeping, "GAMES_PER_PART", 70)
    table = ms.sweep(real_cells(), 200, seed=5)
    games = ms.simulate(ms.Rules.the_mind(2), ms.Player(SQUARED, clock=CLOCK, reaction=0.2), 200, seed=5)
    kept = table.games(1)
    for name in ("won", "duration", "levels_completed", "level_reached", "cards_played", "mistakes", "epochs"):
        assert np.array_equal(kept[name], getattr(games, name)), name
    summary = games.summary()["estimate"]
    assert table["pace"].iloc[1] == pytest.approx(summary["pace"])
    assert table["mistakes_per_100"].iloc[1] == pytest.approx(summary["mistakes"])
    assert table["win_rate"].iloc[1] == summary["win rate"]


def test_a_bare_cell_and_a_plain_function():
    def half_a_second(obs):
        return np.full(obs.rows, 0.5)

    cell = Cell(ms.Rules.the_mind(2), (ms.Player(half_a_second),) * 2, {"policy": "mine"})
    assert ms.sweep(cell, 50)["policy"].tolist() == ["mine"]
    with pytest.raises(TypeError, match=r"cannot be imported.*Without store= it can be played"):
        ms.sweep(cell, 50, store="unused")
    assert not Path("unused").exists()


POLICY_FILE = """
from dataclasses import dataclass
import numpy as np

@dataclass(frozen=True)
class Mine:
    def wait(self, obs):
        return obs.remaining({0} * obs.gap)
"""


def test_an_edited_policy_is_another_setting(tmp_path, monkeypatch):
    """A store would otherwise give back the games of the old version."""
    monkeypatch.syspath_prepend(tmp_path)
    settings = []
    for pace in ("0.1", "0.2"):
        (tmp_path / "my_policy_file.py").write_text(POLICY_FILE.replace("{0}", pace))
        sys.modules.pop("my_policy_file", None)
        importlib.invalidate_caches()
        linecache.clearcache()
        mine = importlib.import_module("my_policy_file").Mine()
        settings.append(ms.grid(players=2, policy=mine)[0].setting())
    assert settings[0]["team"] == settings[1]["team"] and settings[0]["sources"] != settings[1]["sources"]


# --- the same results everywhere -------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """A serial sweep of cells in several pieces: the bytes that all others must give."""
    path = tmp_path_factory.mktemp("serial") / "store"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeping, "GAMES_PER_PART", 64)
        ms.sweep([*toys(3), *real_cells()], 200, seed=3, store=path)
    return path


@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 3), ("loky", 2), ("sequential", 1)])
def test_backends_give_the_same_bytes(serial, tmp_path, monkeypatch, backend, n_jobs):
    monkeypatch.setattr(sweeping, "GAMES_PER_PART", 64)
    with parallel_config(backend=backend, n_jobs=n_jobs):
        ms.sweep([*toys(3), *real_cells()], 200, seed=3, store=tmp_path / "s")
    assert digest(tmp_path / "s") == digest(serial)


def test_n_jobs_gives_the_same_bytes(serial, tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "GAMES_PER_PART", 64)
    ms.sweep([*toys(3), *real_cells()], 200, seed=3, n_jobs=2, store=tmp_path / "s")
    assert digest(tmp_path / "s") == digest(serial)


SCRIPT = """
import json, os, random, signal, sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
import mindsim as ms, mindsim.sweep
from mindsim.store import Store
from toycell import toys
sys.modules["mindsim.sweep"].GAMES_PER_PART = 50

def play(store):
    ms.sweep(toys(4, seconds=0.004), 1000, seed=8, store=store)

def kept(store):
    return sum(c.games for c in Store(store).status()) if (store / "manifest.json").exists() else 0

def files(store):
    return sorted(str(p) for p in store.rglob("*"))

def killed(store, changes):
    "Play in a process of its own, and kill it when the store has changed so many times."
    child = os.fork()
    if child == 0:
        play(store)
        os._exit(0)
    before = files(store)
    while changes and os.waitpid(child, os.WNOHANG) == (0, 0):
        now = files(store)
        before, changes = now, changes - (now != before)
        time.sleep(0.0005 * random.random())
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return kept(store)
"""


def script(tmp_path, end):
    """The path of a script with this end."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.replace("{tests!r}", repr(str(TESTS))) + end)
    return path


def start(path, *arguments):
    return subprocess.Popen([sys.executable, str(path), *map(str, arguments)], stdout=subprocess.PIPE, text=True)


KILL = """
store = Path(sys.argv[1])
print(json.dumps([killed(store, random.randint(1, 12)) for _ in range(10)]), flush=True)
play(store)
play(Path(sys.argv[2]))
"""


def test_killed_ten_times_and_taken_up_again(tmp_path):
    """SIGKILL at ten random moments, then to the end: the bytes of an undisturbed run."""
    process = start(script(tmp_path, KILL), tmp_path / "broken", tmp_path / "whole")
    kept = json.loads(process.communicate()[0])
    assert process.returncode == 0 and kept == sorted(kept) and kept[0] < kept[-1] < 4_000, kept
    assert digest(tmp_path / "broken") == digest(tmp_path / "whole")


def test_two_processes_at_once(tmp_path):
    """One plays; the other is told so, or comes late and finds all done."""
    path, store = script(tmp_path, "play(Path(sys.argv[1]))\nprint('finished')\n"), tmp_path / "s"
    said = sorted(process.communicate()[0] for process in [start(path, store), start(path, store)])
    assert said[-1] == "finished\n" and "4 of 4 cells whole" in status(store)


def test_dask_workers_of_which_one_dies(serial, tmp_path, monkeypatch):
    """A cluster of two worker processes; one is killed in mid-sweep, the bytes are those of the serial run."""
    from distributed import Client, LocalCluster

    monkeypatch.setattr(sweeping, "GAMES_PER_PART", 50)
    cells = toys(4, seconds=0.05)
    ms.sweep(toys(4), 1000, seed=8, store=tmp_path / "serial")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
        parallel_config(backend="dask"),
    ):
        client.run(lambda path: sys.path.insert(0, path), str(TESTS))
        victim = next(iter(client.run(os.getpid).values()))
        killed = []
        real = sweeping.Run.take

        def take(run, played):
            real(run, played)
            if not killed:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        monkeypatch.setattr(sweeping.Run, "take", take)
        ms.sweep(cells, 1000, seed=8, store=tmp_path / "dask")
        assert killed
    assert digest(tmp_path / "dask") == digest(tmp_path / "serial")


# --- errors ----------------------------------------------------------------------------------------------------------
def test_an_error_names_its_cell_and_loses_nothing(tmp_path):
    cells = [*toys(2), Toy(name="breaks", fails_at=70)]
    with pytest.raises(ZeroDivisionError) as caught:
        ms.sweep(cells, 100, store=tmp_path / "s")
    assert any("policy=breaks" in note and "games 0..99" in note for note in caught.value.__notes__)
    assert len(ms.load(tmp_path / "s")) == 2


def test_errors_are_recorded_and_tried_again(tmp_path):
    cells = [Toy(name="breaks", fails_at=70), *toys(2)]
    table = ms.sweep(cells, 100, store=tmp_path / "s", on_error="record")
    assert table["error"].iloc[0] == "ZeroDivisionError: a policy of the toy broke" and np.isnan(table["win_rate"][0])
    assert table["n_games"].iloc[1] == 100 and ms.rank(table).table["rank"].tolist() == [1, 1]
    mended = ms.sweep([Toy(name="breaks"), *toys(2)], 100, store=tmp_path / "s")
    assert "error" not in mended.columns and len(mended) == 3
    clean = tmp_path / "clean"
    ms.sweep([Toy(name="breaks"), *toys(2)], 100, store=clean)
    assert digest(tmp_path / "s") == digest(clean)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"cells": []}, ValueError, "at least one cell"),
        ({"cells": [1]}, TypeError, "it holds 1"),
        ({"cells": [Toy(), Toy()]}, ValueError, "the same cell twice"),
        ({"n_games": 0}, ValueError, "n_games must be an integer of at least 1, not 0"),
        ({"n_games": 1.5}, TypeError, "n_games must be an integer"),
        ({"seed": "a"}, TypeError, "seed must be an integer"),
        ({"seed": -1}, ValueError, "seed must be an integer of at least 0"),
        ({"on_error": "ignore"}, ValueError, 'on_error must be "raise" or "record"'),
        ({"until": 2}, ValueError, "until must be None or the half-width"),
    ],
)
def test_bad_sweeps(change, error, says):
    with pytest.raises(error, match=re.escape(says)):
        ms.sweep(**{"cells": toys(1), "n_games": 10, **change})


# --- until -----------------------------------------------------------------------------------------------------------
def test_until_plays_as_many_games_as_needed_and_no_more():
    table = ms.sweep([Toy(0.5, "even"), Toy(0.95, "sure"), Toy(0.45, "capped")], 9_000, seed=1, until=0.012)
    half = ((table["win_rate_high"] - table["win_rate_low"]) / 2).tolist()
    assert half[0] <= 0.012 and half[1] <= 0.012
    even, sure, _ = table["n_games"].tolist()
    assert sure < even < 9_000 and even in sweeping.looks(9_000, 0.012)
    capped = ms.sweep(Toy(0.5), 2_000, until=0.005)
    assert capped["n_games"].tolist() == [2_000]


def test_until_does_not_depend_on_workers_or_interruptions(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "GAMES_PER_PART", 300)
    ms.sweep(toys(3), 9_000, seed=1, until=0.012, store=tmp_path / "one")
    with parallel_config(backend="threading", n_jobs=3):
        ms.sweep(toys(3), 9_000, seed=1, until=0.012, store=tmp_path / "two")
    broken = [*toys(2), Toy(0.5, "toy2", fails_at=2_100)]
    with pytest.raises(ZeroDivisionError):
        ms.sweep(broken, 9_000, seed=1, until=0.012, store=tmp_path / "three")
    ms.sweep(toys(3), 9_000, seed=1, until=0.012, store=tmp_path / "three")
    assert digest(tmp_path / "one") == digest(tmp_path / "two") == digest(tmp_path / "three")


@pytest.mark.parametrize("p", [0.02, 0.1, 0.5, 0.85, 0.98])
@pytest.mark.parametrize("until", [0.005, 0.02])
def test_the_stopping_rule_keeps_its_coverage(p, until):
    """Looking again and again at a width, not at a result, costs next to nothing: within 1% of 95%."""
    rng, repeats = np.random.default_rng(14), 20_000
    stops = sweeping.looks(60_000, until)
    wins = rng.binomial(np.diff([0, *stops]), p, size=(repeats, len(stops))).cumsum(axis=1)
    low, high = ms.stats.wilson(wins, np.array(stops))
    narrow = (high - low) / 2 <= until
    at = np.where(narrow.any(axis=1), narrow.argmax(axis=1), len(stops) - 1)
    low, high = (x[np.arange(repeats), at] for x in (low, high))
    assert abs(np.mean((low <= p) & (p <= high)) - 0.95) < 0.01


# --- progress, memory, ranking ---------------------------------------------------------------------------------------
def test_progress_shows_games_and_speed(capsys):
    ms.sweep(toys(2), 300, progress=True)
    shown = capsys.readouterr().err
    assert "600/600" in shown and "game/s" in shown


def test_memory_does_not_grow_with_the_number_of_games():
    """Ten times the games: the same peak, to within one piece."""
    import tracemalloc

    peaks = []
    for n_games in (100_000, 1_000_000):
        tracemalloc.start()
        table = ms.sweep(Toy(), n_games)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert table["n_games"].tolist() == [n_games]
    assert peaks[1] < peaks[0] + 4e6, peaks


def test_rank_finds_the_best_and_says_what_is_open():
    close = [Toy(0.60, "a"), Toy(0.601, "b"), Toy(0.3, "c")]
    ranking = ms.rank(ms.sweep([*close, Toy(0.5, "a", players=3), Toy(0.9, "b", players=3)], 3_000, seed=2))
    stands = ranking.table.set_index(["players", "policy"])["stands"].to_dict()
    assert stands[2, "c"] == "worse" and stands[3, "b"] == "best" and "not told from the best" in stands.values()
    assert len(ranking.pairs) == 4 and len(ranking.unresolved) == 1
    assert ranking.unresolved["more_games"].iloc[0] > 10_000
    assert "3 of 4 differences are resolved" in str(ranking) and "<table" in ranking._repr_html_()
    with pytest.raises(ValueError, match="of must be a column"):
        ms.rank(ranking.table, of="nothing")


def test_rank_needs_the_games():
    import pandas as pd

    with pytest.raises((ValueError, AttributeError)):
        ms.rank(pd.DataFrame({"policy": ["a", "b"], "n_games": [1, 1], "win_rate": [0.1, 0.2]}))


def test_manifests_hold_every_setting(serial):
    manifest = json.loads((serial / "manifest.json").read_text())
    team = manifest["cells"][-1]["setting"]["team"]
    assert ms.registry.from_json(team[0]) == ms.Player(SQUARED, clock=CLOCK, reaction=0.2)


def test_the_engine_version_goes_with_the_games():
    """If this digest changes, the same seed gives other games: raise `ENGINE` in mindsim/sweep.py, then the digest.

    No libm function is called here, so that the games are the same on every machine.
    """
    digest_of_games = hashlib.sha256()
    for rules in (ms.Rules.the_mind(2), ms.Rules.extreme(2)):
        games = ms.simulate(rules, ms.Player(LINEAR, clock=CLOCK, reaction=0.1), 300, seed=7)
        for values in (games.outcome == "won", games.level_reached, games.causes, games.duration):
            digest_of_games.update(np.ascontiguousarray(values).astype("<f8").tobytes())
    assert (sweeping.ENGINE, digest_of_games.hexdigest()[:16]) == (1, "ad2013b9cad9f9ad")
