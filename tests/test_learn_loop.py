"""`maximise`: the search of `optimise` for anything that can be scored: optimum, seeds, resumption, refusals."""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindsim import learn
from mindsim.learn import seeds
from mindsim.learn.evolve import METHODS


@dataclass
class Parabola:
    """Best at `centre`; the score of a candidate has a noise that its seed decides, so deals are common to all."""

    centre: float = 2.0
    noise: float = 0.0
    fails_after: int = 10**9
    seen: list[tuple[int, int]] = field(default_factory=list)

    @property
    def start(self) -> np.ndarray:
        return np.zeros(3)

    def setting(self) -> dict[str, Any]:
        return {"centre": self.centre, "noise": self.noise}

    def score(self, x: np.ndarray, n_games: int, seed: int) -> float:
        if len(self.seen) >= self.fails_after:
            raise KeyboardInterrupt
        self.seen.append((n_games, seed))
        luck = np.random.default_rng(seed % 2**32).normal(size=3)
        return -float(((x - self.centre) ** 2).sum()) + self.noise * float((luck * x).sum()) / n_games**0.5


@pytest.mark.parametrize("method", METHODS)
def test_known_optimum(method: str) -> None:
    found = learn.maximise(Parabola(), 20_000, n_games=10, method=method, held_out=100, seed=3)
    assert np.allclose(found.x, 2.0, atol=0.02)
    assert found.score > -0.01
    assert found.start_score == -12.0
    assert found.trace["value"].iloc[-1] > found.trace["value"].iloc[0]


def test_known_optimum_under_noise() -> None:
    found = learn.maximise(Parabola(noise=3.0), 40_000, n_games=25, held_out=10_000)
    assert np.allclose(found.x, 2.0, atol=0.3)


def test_every_score_is_of_its_stream() -> None:
    """Candidates of a generation share a seed; choosing and the figure have seeds that training never meets."""
    problem = Parabola()
    found = learn.maximise(problem, 600, n_games=10, population=6, held_out=100)
    trained = [s for n, s in problem.seen if n == 10]
    chosen = [s for n, s in problem.seen if n == 50]
    judged = [s for n, s in problem.seen if n == 100]
    assert [trained.count(s) for s in dict.fromkeys(trained)] == [6] * 10 == [6] * len(found.trace)
    assert {seeds.stream_of(s) for s in trained} == {seeds.TRAINING}
    assert {seeds.stream_of(s) for s in chosen} == {seeds.CHOOSING}
    assert len(set(chosen)) == 1
    assert judged == [found.held_out_seed] * 2
    assert seeds.stream_of(found.held_out_seed) == seeds.HELD_OUT


def test_a_start_that_is_best_is_kept() -> None:
    found = learn.maximise(Parabola(centre=0.0), 60, n_games=10, population=6, held_out=10)
    assert found.x.tolist() == [0.0, 0.0, 0.0]


def test_interrupted_and_resumed_ends_the_same(tmp_path: Path) -> None:
    def run(problem: Parabola, store: Path) -> Any:
        return learn.maximise(problem, 3_000, n_games=25, population=6, held_out=100, store=store, seed=4)

    whole, second = Parabola(noise=3.0), Parabola(noise=3.0)
    expected = run(whole, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(Parabola(noise=3.0, fails_after=45), tmp_path / "broken")
    assert not (tmp_path / "broken" / "result.json").exists()
    assert run(second, tmp_path / "broken").x.tolist() == expected.x.tolist()
    assert len(second.seen) == len(whole.seen) - 42  # seven generations of six were not played again
    for name in ("manifest.json", "trace.csv", "result.json"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_store_of_another_problem_is_refused(tmp_path: Path) -> None:
    learn.maximise(Parabola(), 100, n_games=10, held_out=10, store=tmp_path)
    with pytest.raises(ValueError, match="holds another search: problem differs"):
        learn.maximise(Parabola(centre=1.0), 100, n_games=10, held_out=10, store=tmp_path)


@pytest.mark.parametrize("name", ["manifest.json", "state.pickle"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    learn.maximise(Parabola(), 100, n_games=10, held_out=10, store=tmp_path)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=f"{name} is damaged or no file of a search"):
        learn.maximise(Parabola(), 100, n_games=10, held_out=10, store=tmp_path)


def test_workers_do_not_matter() -> None:
    one, two = (learn.maximise(Parabola(noise=1.0), 500, n_games=10, held_out=10, n_jobs=n) for n in (1, 2))
    assert one.x.tolist() == two.x.tolist()


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("budget", 0, "budget must be an integer of at least 1, not 0"),
        ("held_out", 2.5, "held_out must be an integer of at least 1, not 2.5"),
        ("population", True, "population must be an integer of at least 4, not True"),
        ("population", 3, "population must be an integer of at least 4, not 3"),
        ("seed", -1, "seed must be an integer of at least 0, not -1"),
        ("seed", 1.5, "seed must be an integer of at least 0, not 1.5"),
        ("step", 0, "step must be a finite number above 0, not 0"),
        ("step", float("nan"), "step must be a finite number above 0, not nan"),
        ("step", "a", "step must be a finite number above 0, not 'a'"),
        ("method", "pso", 'method must be "cma" or "differential_evolution", not \'pso\''),
    ],
)
def test_bad_arguments(argument: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        learn.maximise(Parabola(), **{"budget": 100, argument: value})  # type: ignore[arg-type]
