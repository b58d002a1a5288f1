"""A learner in plain NumPy: the cross-entropy method on four weights, thousands of games at once.

    python experiments/train_numpy.py [PLAYERS] [ROUNDS]

Each of many candidates plays a block of the games of one `batch_env`; the best ones' mean and spread draw the next
candidates. A candidate's action is a weighted sum of what it sees, so that the whole learner is a few lines. Then the
result plays ordinary people, as any other player would.
"""
from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mindsim as ms

FIELDS = ["gap", "others_cards"]
CLOCK = ms.clocks.ordinary()
N_WEIGHTS = 4
CANDIDATES, GAMES_EACH, ELITE = 64, 24, 12


def act(weights: Any, seen: Any) -> NDArray[np.float64]:
    """Waits, on the environment's scale from 0 to 1, by the gap and by how many cards the others hold."""
    gap, others = seen[..., 0:1], seen[..., 1:2]
    w = np.moveaxis(np.asarray(weights), -1, 0)
    waits = w[0] + w[1] * gap + w[2] * np.sqrt(gap) + w[3] * others
    return np.where(others > 0.0, np.clip(waits, 0.0, 0.999), 0.0)  # alone: at once


def returns_of(env: Any, weights: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """The mean return of each candidate over the first game of each of its places."""
    each = np.repeat(weights, env.num_envs // len(weights), axis=0)[:, None, None, :]
    seen, _ = env.reset(seed=seed)
    total, running = np.zeros(env.num_envs), np.ones(env.num_envs, bool)
    while running.any():
        seen, reward, ended, _, _ = env.step(act(each, seen))
        total += np.where(running, reward, 0.0)
        running &= ~ended
    mean: NDArray[np.float64] = total.reshape(len(weights), -1).mean(axis=1)
    return mean


def environment(players: int) -> Any:
    """Everybody learns; stars are left to the rule that never raises a hand."""
    return ms.env.batch_env(
        CANDIDATES * GAMES_EACH, players=players, fields=FIELDS, clock=CLOCK, reaction=0.2, stars=ms.stars.Never()
    )


def train(env: Any, rounds: int, seed: int = 0, report: Any = None) -> NDArray[np.float64]:
    """The mean of the last elite's weights, and on the way a word about each round."""
    draws = np.random.default_rng(seed)
    mean, spread = np.array([0.5, 0.0, 0.0, 0.0]), np.full(N_WEIGHTS, 0.5)
    for number in range(rounds):
        candidates = mean + spread * draws.standard_normal((CANDIDATES, N_WEIGHTS))
        returns = returns_of(env, candidates, seed=number)
        elite = candidates[np.argsort(returns)[-ELITE:]]
        mean, spread = elite.mean(axis=0), elite.std(axis=0) + 0.02
        if report is not None:
            report(f"round {number + 1}: best return {returns.max():.2f}, mean {returns.mean():.2f}")
    return mean


def main(players: int = 2, rounds: int = 15) -> None:
    """Train, and compare with playing at random and with ordinary people."""
    env = environment(players)
    weights = train(env, rounds, report=print)
    learned = ms.env.as_policy(lambda seen: act(weights, seen), env, name="learned")
    rules, body = ms.Rules.the_mind(players), {"clock": CLOCK, "reaction": 0.2}
    random = ms.Player(ms.policies.Uniform(10.0), **body)
    print(f"weights: {np.round(weights, 3).tolist()}")
    for name, team in {"random": random, "learned": learned, "ordinary": ms.players.make("ordinary")}.items():
        games = ms.simulate(rules, team, n_games=2000, seed=1)
        print(f"{name}: levels completed {games.levels_completed.mean():.2f}, won {games.won.mean():.3f}")
    matrix = ms.crossplay({"learned": learned, "ordinary": ms.players.make("ordinary")}, players=players, n_games=1000)
    print(matrix.table.to_string())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
