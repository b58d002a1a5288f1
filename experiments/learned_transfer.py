"""The shipped players on other clocks, with reaction times, and beside a partner at another pace."""
from __future__ import annotations

import dataclasses
import math

import learned_common as common
import pandas as pd

import mindsim as ms

PACES = (0.5, 0.7, 1.0, 1.4, 2.0)


def at_pace(player: ms.Player, factor: float) -> ms.Player:
    """The same player with all its waits lengthened by a factor, and a clock no worse for that."""
    scale = player.policy.scale
    return dataclasses.replace(
        player, policy=dataclasses.replace(player.policy, scale=(scale[0] + math.log(factor), *scale[1:]))
    )


def cases(player: ms.Player, players: int) -> dict[str, object]:
    """Every table to play at."""
    human = ms.players.make("ordinary")
    found: dict[str, object] = {
        f"weber {w:g}": dataclasses.replace(player, clock=ms.clocks.Scalar(w, 0.05)) for w in (0.07, 0.14, 0.25)
    }
    found["reaction 0.23 s (ex-Gaussian)"] = dataclasses.replace(player, clock=human.clock, reaction=human.reaction)
    lasting = ms.clocks.Lognormal(0.14, lasts="level")
    found["lognormal 0.14, lasting a level"] = dataclasses.replace(player, clock=lasting)
    found["tempo differs by 0.26, lasting"] = dataclasses.replace(player, clock=ms.clocks.Tempo(0.26) * common.CLOCK)
    for pace in PACES:
        found[f"one partner at {pace:g} x its pace"] = [at_pace(player, pace), *[player] * (players - 1)]
    found["a partner that waits 0.02 gap^2"] = [
        ms.Player(ms.policies.GapPower(0.02, 2.0), clock=common.CLOCK), *[player] * (players - 1)
    ]  # fmt: skip
    return found


def main() -> None:
    """Play every case at every number of players."""
    args = common.arguments(__doc__, "transfer", games=10_000)
    rows = []
    for players in (2, 3, 4):
        learned = ms.players.make(f"learned_{players}p")
        for name, team in cases(learned, players).items():
            games = ms.simulate(ms.Rules.the_mind(players), team, args.games, seed=args.seed, n_jobs=args.jobs)
            rows.append({"players": players, "case": name, **ms.learn.figures_of(games)})
    common.write(args, pd.DataFrame(rows).drop(columns="seed"))


if __name__ == "__main__":
    main()
