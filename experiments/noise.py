"""How steady must clocks be? Win rate over the Weber fraction and the floor of the clock.

Two players, the whole game, nobody raises a hand; waits in proportion to the gap (0.34 s a card, as people's) and to
its square (0.02 s), which take about the same time. Everybody at the table has the same clock.

    python experiments/noise.py --games 4000 --seed 1
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import common

import mindsim as ms

WEBER = (0.0, 0.03, 0.07, 0.14, 0.2, 0.3)
FLOOR = (0.0, 0.02, 0.05, 0.1, 0.2)
POLICIES = {"linear": ms.policies.GapLinear(0.34), "square": ms.policies.GapPower(0.02, 2.0)}


def cells() -> list[Any]:
    """A row for each policy, Weber fraction and floor."""
    rules = ms.Rules.the_mind(2)
    return [
        common.cell(rules, ms.Player(policy, clock=ms.clocks.Scalar(w, s)), waits=name, weber=w, floor=s)
        for name, policy in POLICIES.items() for w in WEBER for s in FLOOR
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    """Play, write, draw."""
    args = common.arguments(__doc__, "noise", 4_000, argv)
    table = common.figures(common.play(cells(), args))
    common.write(args, table)
    figure, axes = common.panels(2)
    for ax, (name, rows) in zip(axes, table.groupby("waits", sort=False)):
        ms.plots.heatmap(rows, "weber", "floor", ax=ax)
        ax.set(xlabel="Weber fraction", ylabel="floor (s)", title=f"{name} waits")
    common.picture(args, figure)
    for _, row in table[table["floor"].isin([0.0, 0.05])].iterrows():
        print(f"{row['waits']}, weber {row['weber']:g}, floor {row['floor']:g}: {common.said(row)}, "
              f"{row['pace']:.2f} s a card")  # fmt: skip


if __name__ == "__main__":
    main()
