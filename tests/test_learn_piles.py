"""Two piles: counting levels in which one is finished before the other is begun, and keeping searches from it."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mindsim as ms
from mindsim.learn import in_turn

CLOCK = ms.clocks.Scalar(0.14, 0.05)
RULES = ms.Rules(2, [ms.Level(3)] * 2, lives=3, stars=0, deck=40, tracks=2)


@dataclass(frozen=True)
class Lagging:
    """In order on each pile, the red one `lag` seconds after the white one."""

    lag: float = field(default=0.0, metadata={"learn": 20.0})

    def wait(self, obs: Any) -> np.ndarray:
        """Seconds to wait."""
        return np.maximum(obs.card + max(self.lag, 0.0) * obs.track - obs.elapsed, 0.0)


def by_hand(*levels: str, completed: int) -> Any:
    """One game, from the colours of each level's plays."""
    rows = [
        (7, number, event, {"W": "white", "R": "red", "": ""}[colour])
        for number, colours in enumerate(levels, start=1)
        for event, colour in [("level", ""), *(("play", c) for c in colours)]
    ]
    events = pd.DataFrame(rows, columns=["game", "level", "event", "colour"])
    rules = SimpleNamespace(tracks=2, n_levels=5)
    return SimpleNamespace(rules=rules, n_games=1, first_game=7, levels_completed=np.array([completed]), events=events)


def test_counted_by_hand() -> None:
    found = in_turn(by_hand("WWRR", "WRWR", "RW", "WWW", "WR", completed=4))
    assert found.levels == 3  # the fourth has one pile, the fifth was not completed
    assert found.in_turn == 2
    assert found.by_chance == pytest.approx(1 / 3 + 1 / 3 + 1)
    assert found.changes == 1 + 3 + 1
    assert found.changes_by_chance == pytest.approx(2 + 2 + 1)
    assert (found.share, found.share_by_chance) == (pytest.approx(2 / 3), pytest.approx(5 / 9))
    assert (found + found).levels == 6 and (found + found).share == found.share


def test_random_orders_are_as_by_chance() -> None:
    """Cards in the order of their ranks come in any order of colours alike, where ranks are many."""
    rules = dataclasses.replace(RULES, deck=250)
    games = ms.simulate(rules, Lagging(), n_games=4_000, seed=1, first_game=500, record=True)
    found = in_turn(games)
    assert games.won.all() and found.levels > 6_000
    assert found.share == pytest.approx(found.share_by_chance, abs=0.02)
    assert found.changes == pytest.approx(found.changes_by_chance, rel=0.02)


def test_one_pile_after_the_other_is_seen_and_costs() -> None:
    games = ms.simulate(RULES, Lagging(100.0), n_games=200, seed=1, record=True)
    found = in_turn(games)
    assert games.won.all() and found.share == 1.0
    score = ms.learn.BothPiles(ms.learn.WinRate(), penalty=0.5).score(games)
    assert score == pytest.approx(1.0 - 0.5 * (1.0 - found.share_by_chance))


def test_a_search_is_kept_from_finishing_one_pile_first() -> None:
    """Every lag wins under exact clocks; the penalty alone brings the search back from a lag of 40 s."""
    start, options = ms.Player(Lagging(40.0)), {"budget": 2_400, "n_games": 60, "held_out": 200, "seed": 2}
    free = ms.learn.optimise(start, RULES, ms.clocks.Exact(), ms.learn.WinRate(), **options)
    kept = ms.learn.optimise(start, RULES, ms.clocks.Exact(), ms.learn.BothPiles(ms.learn.WinRate()), **options)
    assert free.player.policy.lag == 40.0
    assert kept.player.policy.lag < 10.0
    assert kept.figures["score"] > 0.95


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="two tracks, not 1"):
        in_turn(ms.simulate(ms.Rules.the_mind(2), ms.policies.Uniform(1.0), n_games=2, seed=1, record=True))
    with pytest.raises(ValueError, match="record=True"):
        in_turn(ms.simulate(RULES, ms.policies.Uniform(1.0), n_games=2, seed=1))
    with pytest.raises(ValueError, match="penalty"):
        ms.learn.BothPiles(ms.learn.WinRate(), penalty=-1.0)
    with pytest.raises(TypeError, match="goal must be an objective"):
        ms.learn.BothPiles(3)
