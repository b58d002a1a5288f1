"""What does accuracy cost in time? Win rate against seconds a card, by the shape of the wait.

Waits linear in the gap, in its powers, and in the variance-stabilised sinh form, by the density of cards, and those of
the trained players with all waits lengthened or shortened by a factor; ordinary clocks, no reaction time. Trained
players are shown with their stars and without; nobody else raises a hand. (They were trained for one amount of time,
and a hurried one is not what a search for quick players finds: for that see `learned_frontier`.) Lines join the factors
in their order.

    python experiments/frontier.py --games 2000 --seed 1
"""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import common

import mindsim as ms

FACTORS = (0.1, 0.2, 0.4, 0.7, 1.0, 1.6, 3.0)
SECONDS = {2: 300.0, 3: 273.0, 4: 225.0}  # what linear waits of people's pace take when they win
CLOCK = ms.clocks.ordinary()
P = ms.policies
SHAPES: dict[str, Callable[[float], Any]] = {
    "linear": lambda x: P.GapLinear(0.34 * x),
    "power 1.5": lambda x: P.GapPower(0.1 * x, 1.5),
    "power 2": lambda x: P.GapPower(0.025 * x, 2.0),
    "sinh": lambda x: P.SinhGap(0.14, 0.05, 3000.0 * x**3),
    "density, power 2": lambda x: P.Density(1.2 * x, 2.0),
}


def lengthened(player: ms.Player, factor: float) -> ms.Player:
    """A trained player with all its waits multiplied."""
    scale = player.policy.scale
    policy = dataclasses.replace(player.policy, scale=(scale[0] + math.log(factor), *scale[1:]))
    return dataclasses.replace(player, policy=policy, clock=CLOCK)


def trained(players: int) -> Iterator[tuple[str, Callable[[float], ms.Player]]]:
    """The trained player for so many seats, if there is one: with its stars, and without."""
    name = f"learned_{players}p"
    if name in ms.players.names():
        player = ms.players.make(name)
        alone = dataclasses.replace(player, stars=ms.stars.Never())
        yield "learned, no stars", lambda x: lengthened(alone, x)
        yield "learned, with stars", lambda x: lengthened(player, x)


def cells() -> list[Any]:
    """A row for each number of players, shape and factor."""
    found = []
    for players in SECONDS:
        shapes = {name: lambda x, make=make: ms.Player(make(x), clock=CLOCK) for name, make in SHAPES.items()}
        for name, make in (shapes | dict(trained(players))).items():
            found += [common.cell(ms.Rules.the_mind(players), make(x), shape=name, factor=x) for x in FACTORS]
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Play, write, draw."""
    args = common.arguments(__doc__, "frontier", 2_000, argv)
    table = common.figures(common.play(cells(), args))
    common.write(args, table)
    figure, axes = common.panels(3)
    for ax, (players, rows) in zip(axes, table.groupby("players", sort=False)):
        common.lines(rows, "pace", "shape", ax, label="seconds per card put down (all games)")
        ax.set(title=f"{players} players", xscale="log")
        ax.set_xticks([0.2, 0.5, 1, 2, 5], ["0.2", "0.5", "1", "2", "5"])
        ax.minorticks_off()
        in_time = rows[rows["duration_won"] <= SECONDS[players]]
        for shape, mine in in_time.groupby("shape", sort=False):
            best = mine.loc[mine["win_rate"].idxmax()]
            print(f"{players} players, {shape}: {common.said(best)}, won games {best['duration_won']:.0f} s of at most "
                  f"{SECONDS[players]:.0f} s")  # fmt: skip
    for ax in axes[:-1]:
        if (legend := ax.get_legend()) is not None:
            legend.remove()
    common.picture(args, figure)


if __name__ == "__main__":
    main()
