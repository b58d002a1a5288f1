"""A guard against losing speed: the engine against a few lines of NumPy, in the same run and by ratio, not by seconds.

The yardstick does what no engine can do without in an epoch of lockstep games: a normal draw per player, waits, the
first of them, one table updated. How fast the machine is cancels out. The limits are one and a half times what an idle
machine shows and more, so that only a real loss trips them; figures to quote are those of `experiments/benchmark.py`.
"""
from __future__ import annotations

import time

import numpy as np
import pytest

import mindsim as ms

GAMES, PLAYERS, ROUNDS = 16384, 4, 4
CLOCK = ms.clocks.Scalar(weber=0.1)
RULES = ms.Rules.the_mind(PLAYERS)
PLAIN = ms.Player(ms.policies.GapLinear(0.05), clock=CLOCK)


def numpy_seconds_per_epoch(epochs: int = 60) -> float:
    """Processor time of one game's epoch in plain NumPy."""
    draws, games = np.random.default_rng(1), np.arange(GAMES)
    gap, since = np.ones((GAMES, PLAYERS)), np.zeros((GAMES, PLAYERS))
    start = time.process_time()
    for _ in range(epochs):
        due = np.maximum(0.05 * gap - since, 0.0) * (1.0 + 0.1 * draws.standard_normal((GAMES, PLAYERS)))
        first = due.argmin(axis=1)
        since += due[games, first][:, None]
        gap[games, first] += 1.0
    return (time.process_time() - start) / (epochs * GAMES)


def engine_seconds_per_epoch(player: ms.Player = PLAIN, rules: ms.Rules = RULES, **others: object) -> float:
    """Processor time of one game's epoch in the engine."""
    start = time.process_time()
    games = ms.simulate(rules, player, GAMES, seed=1, **others)
    return (time.process_time() - start) / int(games.epochs.sum())


def ratio(**setting: object) -> float:
    """How many times the yardstick's time the engine takes: the best of several rounds of either, in turn."""
    ms.simulate(setting.get("rules", RULES), setting.get("player", PLAIN), 10)  # compile first
    ours, yardstick = zip(*((engine_seconds_per_epoch(**setting), numpy_seconds_per_epoch()) for _ in range(ROUNDS)))
    return min(ours) / min(yardstick)


CASES = {
    "plain": ({}, LIMIT := 1.5),
    "record": ({"record": True}, 2 * LIMIT),
    "stars": ({"player": ms.Player(PLAIN.policy, stars=ms.stars.At(30.0), clock=CLOCK)}, 2 * LIMIT),
    "reaction": ({"player": ms.Player(PLAIN.policy, clock=CLOCK, reaction=0.2)}, 4 * LIMIT),
    "two tracks": ({"rules": ms.Rules.extreme(PLAYERS, face_down={})}, 2.5 * LIMIT),
}


@pytest.mark.parametrize("case", CASES)
def test_no_speed_is_lost(case):
    setting, limit = CASES[case]
    assert ratio(**setting) < limit


def test_a_slow_engine_is_seen():
    """In batches of 64 games the interpreter's share is what it would be in an engine without lockstep."""
    start = time.process_time()
    games = ms.simulate(RULES, PLAIN, 1000, seed=1, batch=64)
    slow = (time.process_time() - start) / int(games.epochs.sum())
    assert slow / min(numpy_seconds_per_epoch() for _ in range(ROUNDS)) > LIMIT
