"""One learner among ordinary people, trained by PPO.

    pip install stable-baselines3
    python experiments/train_sb3.py [STEPS]

Needs stable-baselines3 (and torch), which mindsim does not install. The learner sees and acts in numbers from 0 to 1,
as PPO likes it. Afterwards it is a player like any other.
"""
from __future__ import annotations

import sys

import gymnasium
from stable_baselines3 import PPO

import mindsim as ms


def main(steps: int = 200_000) -> None:
    """Train, then play a team of one learner and one person."""
    people = ms.players.make("ordinary")
    env = gymnasium.make("mindsim/TheMindPartner-v0", partners=people, players=2, clock=ms.clocks.ordinary())
    model = PPO("MlpPolicy", env, n_steps=2048, batch_size=256, gamma=1.0, verbose=1).learn(steps)
    learned = ms.env.as_policy(model, env, name="PPO")
    print(ms.simulate(ms.Rules.the_mind(2), [learned, people], n_games=1000, seed=1).summary())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
