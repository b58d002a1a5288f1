"""How many decisions a second do the environments carry out, on one core?

    python experiments/benchmark_env.py [N_GAMES] [ROUNDS]

A decision is one of a player who holds a card (`batch_env`: also counted by rows, empty hands included). Time is
processor time, the best of all rounds, so that other work on the machine disturbs little; the engine alone, playing a
built-in policy of the same form, is measured in turn with `batch_env` and gives the scale.
"""
from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import mindsim as ms

STEPS = 20
FEW = ["gap", "since_top", "others_cards"]
FORMS: dict[str, dict[str, Any]] = {
    "all fields, stars": {},
    "all fields, no stars": {"stars": ms.stars.Never()},
    "three fields, stars": {"fields": FEW},
    "three fields, no stars": {"fields": FEW, "stars": ms.stars.Never()},
    "all fields, discrete": {"discrete": True},
}


def batch_rates(env: Any, drawn: np.random.Generator) -> tuple[float, float]:
    """Decisions, and rows, a second over some steps of drawn actions."""
    spent, decided = 0.0, 0
    for _ in range(STEPS):
        action = drawn.random(env.action_space.shape, np.float32)
        if env.setup.actions.space.shape == ():
            action = (action * env.setup.actions.space.n).astype(np.int64)
        decided += int(env.holding.sum())
        begin = time.process_time()
        env.step(action)
        spent += time.process_time() - begin
    return decided / spent, STEPS * env.num_envs * env.n_learners / spent


def engine_rate(n_games: int, players: int) -> float:
    """Rows a second of `simulate`, everybody waiting at random."""
    begin = time.process_time()
    games = ms.simulate(ms.Rules.the_mind(players), ms.policies.Uniform(10.0), n_games=n_games, seed=1)
    return int(games.epochs.sum()) * players / (time.process_time() - begin)


def steps_a_second(env: Any, parallel: bool, n: int = 600) -> float:
    """Steps a second of one game at a time, resets included."""
    env.reset(seed=0)
    begin = time.process_time()
    for _ in range(n):
        if parallel:
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
            if not env.agents:
                env.reset()
        elif env.step(env.action_space.sample())[2]:
            env.reset()
    return n / (time.process_time() - begin)


def main(n_games: int = 4096, rounds: int = 8) -> None:
    """Print a table."""
    for players in (2, 4):
        print(f"{players} players, {n_games} games at once; millions a second")
        engine = max(engine_rate(n_games, players) for _ in range(rounds))
        for name, form in FORMS.items():
            env, drawn = ms.env.batch_env(n_games, players=players, **form), np.random.default_rng(0)
            env.reset(seed=1)
            batch_rates(env, drawn)
            measured = [(*batch_rates(env, drawn), engine_rate(n_games, players)) for _ in range(rounds)]
            decisions, rows, again = (max(column) for column in zip(*measured, strict=True))
            engine = max(engine, again)
            print(f"  batch_env, {name:24s} decisions {decisions / 1e6:5.2f}  rows {rows / 1e6:5.2f}")
        print(f"  {'engine alone, by rows':35s} {engine / 1e6:5.2f}")
        one, among = ms.env.parallel_env(players=players), ms.env.single_env(players=players)
        for name, rate in (
            ("parallel_env", max(steps_a_second(one, True) for _ in range(rounds))),
            ("single_env", max(steps_a_second(among, False) for _ in range(rounds))),
        ):
            print(f"  {name}: {rate:.0f} steps a second")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
