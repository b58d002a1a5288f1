"""Searches: known optima, disjoint seeds, resumption, and what is refused."""
from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import mindsim as ms
from mindsim.learn import seeds
from mindsim.learn.evolve import METHODS, minimise, searcher
from mindsim.learn.space import Space

CLOCK = ms.clocks.Scalar(0.14, 0.05)
SMALL = ms.Rules(2, [ms.Level(2)], lives=1, stars=0)


# --- searches --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", METHODS)
def test_known_optimum(method: str) -> None:
    centre, stretch = np.array([1.0, -2.0, 3.0]), np.array([1.0, 10.0, 0.3])
    found = minimise(lambda x: float((stretch * (x - centre) ** 2).sum()), np.zeros(3), 80, method, seed=3)
    assert np.allclose(found, centre, atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_known_optimum_under_noise(method: str) -> None:
    """A win rate estimated from few games is noisy: the optimum must be found all the same."""
    noise = np.random.default_rng(0)
    found = minimise(lambda x: float(((x - 2.0) ** 2).sum() + 0.1 * noise.normal()), np.zeros(2), 100, method, seed=1)
    assert np.allclose(found, 2.0, atol=0.5)


def test_one_coordinate() -> None:
    assert minimise(lambda x: float((x[0] - 3.0) ** 2), [0.0], 60)[0] == pytest.approx(3.0, abs=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_searches_own_their_random_numbers(method: str) -> None:
    """What others do with the global generator must not matter."""

    def path() -> list[float]:
        search = searcher(method, np.zeros(2), seed=5)
        np.random.seed(int(time.time()))  # noqa: NPY002
        found = []
        for _ in range(4):
            asked = search.ask()
            search.tell(asked, [float((x**2).sum()) for x in asked])
            found += [float(x[0]) for x in asked]
        return found

    assert path() == path()


def test_unknown_method() -> None:
    with pytest.raises(ValueError, match="method must be"):
        searcher("annealing", np.zeros(2), seed=0)


# --- seeds -----------------------------------------------------------------------------------------------------------
def test_training_and_held_out_seeds_never_meet() -> None:
    """The stream is written into the seed: no run's training seed can be any run's held-out seed."""
    for run in (0, 1, 12345, 2**63):
        for k in range(200):
            for stream in (seeds.TRAINING, seeds.CHOOSING, seeds.HELD_OUT):
                assert seeds.stream_of(seeds.seed_for(stream, run, k)) == stream


def test_every_game_of_a_search_is_of_its_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training games are played on training seeds, one a generation; the figure on a held-out seed."""
    from mindsim.learn import search

    trained, judged = [], []

    def play(rules, player, n_games, seed):
        trained.append(seed)
        return ms.simulate(rules, player, n_games, seed)

    def judge(rules, player, n_games, seed):
        judged.append(seed)
        return ms.simulate(rules, player, n_games, seed)

    monkeypatch.setattr(search, "simulate", judge)
    tuned = ms.learn.optimise(
        ms.policies.GapPower(0.05, 1.0), SMALL, CLOCK, budget=1_800, n_games=50, held_out=100, population=6, play=play
    )
    assert len(set(trained)) == len(tuned.trace) == 6
    assert {seeds.stream_of(s) for s in trained} == {seeds.TRAINING}
    assert {seeds.stream_of(s) for s in judged[:-1]} == {seeds.CHOOSING}
    assert seeds.stream_of(judged[-1]) == seeds.HELD_OUT == seeds.stream_of(tuned.figures["seed"])


# --- spaces ----------------------------------------------------------------------------------------------------------
def test_space_there_and_back() -> None:
    player = ms.Player(
        ms.learn.MLP.fresh(("one", "lives"), units=2, seed=1), stars=ms.learn.Score(("one", "level"), (-1.0, 0.5))
    )
    space = Space(player)
    assert len(space) == 2 * 2 + 3 * 3 + 2
    again = space.player(space.start)
    assert np.allclose(again.policy.hidden, player.policy.hidden)
    assert again.stars.weights == pytest.approx(player.stars.weights)
    assert space.player(space.start + 1.0).stars.weights[0] == pytest.approx(-0.5)


def test_space_of_an_ordinary_policy_keeps_numbers_positive() -> None:
    space = Space(ms.Player(ms.policies.GapPower(0.02, 2.0)))
    assert space.player(space.start - 40.0).policy.pace > 0
    assert len(Space(ms.Player(ms.policies.GapPower(0.02, 2.0)), free=["policy.pace"])) == 1


def test_space_says_what_is_wrong() -> None:
    with pytest.raises(ValueError, match=r"free must name fields among policy.exponent, policy.pace"):
        Space(ms.Player(ms.policies.GapPower(0.02, 2.0)), free=["policy.speed"])
    with pytest.raises(ValueError, match="nothing to learn"):
        Space(ms.Player(lambda obs: obs.remaining(obs.gap * 1.0)))


# --- objectives ------------------------------------------------------------------------------------------------------
def test_objectives() -> None:
    games = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(0.5), n_games=50, seed=1)
    seconds = float(games.duration.mean())
    assert ms.learn.WinRate().score(games) == 1.0
    assert ms.learn.MeanLevel().score(games) == 12.0
    assert ms.learn.WinRateWithin(2 * seconds, levels=0.0).score(games) == 1.0
    assert ms.learn.WinRateWithin(seconds / 2, penalty=0.3, levels=0.0).score(games) == pytest.approx(0.7)
    with pytest.raises(ValueError, match="seconds must be a number above 0"):
        ms.learn.WinRateWithin(0.0)


# --- optimise --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", METHODS)
def test_learns_to_be_slow_enough(method: str) -> None:
    """From a hurried start, a search for the win rate in a generous time finds slower and steeper waits."""
    start = ms.policies.GapPower(0.002, 1.0)
    tuned = ms.learn.optimise(
        start, SMALL, CLOCK, ms.learn.WinRateWithin(60.0), 12_000, n_games=100, held_out=1_000, method=method
    )
    hurried = ms.simulate(SMALL, ms.Player(start, clock=CLOCK), 1_000, seed=1).won.mean()
    assert tuned.figures["win_rate"] > hurried + 0.2
    assert tuned.figures["low"] < tuned.figures["win_rate"] <= tuned.figures["high"]


def test_workers_do_not_matter() -> None:
    def run(n_jobs: int):
        return ms.learn.optimise(
            ms.policies.GapLinear(0.02), SMALL, CLOCK, budget=800, n_games=50, held_out=100, population=4, n_jobs=n_jobs
        )

    assert run(1).player == run(2).player


_RUN = """
import sys, mindsim as ms
one = ms.Rules(2, [ms.Level(2)], lives=1, stars=0)
ms.learn.optimise(ms.policies.GapPower(0.05, 1.0), one, ms.clocks.Scalar(0.14, 0.05), budget=18_000, n_games=150,
                  held_out=300, population=6, seed=4, store=sys.argv[1])
"""


def _started(store: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", _RUN, str(store)], env=dict(os.environ))


def test_killed_and_resumed_ends_the_same(tmp_path: Path) -> None:
    """kill -9 at some generation: the run goes on there, and every file it ends with is the same."""
    assert _started(tmp_path / "whole").wait() == 0
    killed = tmp_path / "killed"
    process = _started(killed)
    while not (killed / "state.pickle").exists():
        time.sleep(0.005)
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (killed / "result.json").exists(), "killed too late to show anything"
    assert _started(killed).wait() == 0
    for name in ("manifest.json", "trace.csv", "result.json"):
        assert (killed / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_store_of_another_search_is_refused(tmp_path: Path) -> None:
    def run(n_games: int) -> None:
        ms.learn.optimise(
            ms.policies.GapLinear(0.02), SMALL, CLOCK, budget=400, n_games=n_games, held_out=50, population=4,
            store=tmp_path,
        )  # fmt: skip

    run(50)
    with pytest.raises(ValueError, match="holds another search: generations differs"):
        run(25)


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("budget", 0, "budget must be an integer of at least 1, not 0"),
        ("n_games", 1.5, "n_games must be an integer of at least 1, not 1.5"),
        ("method", "pso", 'method must be "cma" or "differential_evolution", not \'pso\''),
    ],
)
def test_bad_arguments(argument: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ms.learn.optimise(ms.policies.GapLinear(0.02), SMALL, CLOCK, **{argument: value})


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("objective", 5, "objective must have a method score"),
        ("free", "policy.pace", r"free must be a list of names such as \['policy.pace'\]"),
    ],
)
def test_wrong_kinds_of_argument(argument: str, value: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ms.learn.optimise(ms.policies.GapLinear(0.02), SMALL, CLOCK, **{argument: value})  # type: ignore[arg-type]


# --- frontier --------------------------------------------------------------------------------------------------------
def test_frontier() -> None:
    families = {"linear": ms.policies.GapLinear(0.2), "power": ms.policies.GapPower(0.05, 1.5)}
    found = ms.learn.frontier(
        families, SMALL, CLOCK, [10.0, 40.0], budget=6_000, n_games=100, held_out=500, population=6
    )
    assert found.table[["family", "allowed"]].values.tolist() == [
        ["linear", 10.0], ["linear", 40.0], ["power", 10.0], ["power", 40.0],
    ]  # fmt: skip
    assert (found.table["seconds"] < 1.3 * found.table["allowed"]).all()
    assert found.players["power", 40.0].policy.exponent > 0
    assert set(ms.learn.dominated(found.table, "power", by="linear")) == {
        "allowed", "win_rate_mine", "win_rate_theirs", "below",
    }  # fmt: skip
    assert found.plot().get_xscale() == "log"
