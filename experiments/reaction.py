"""What do reaction times do? Cards already in flight when another lands, by reaction time and pace.

Two, three and four players wait by the square of the gap at several paces; ordinary clocks, no stars. A movement about
to be made cannot be called back within the reaction time, and nobody answers an event sooner.

    python experiments/reaction.py --games 2000 --seed 1
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import common

import mindsim as ms

SECONDS = (0.0, 0.1, 0.23, 0.35, 0.5)
PACES = (0.005, 0.01, 0.02, 0.04)


def cells() -> list[Any]:
    """A row for each number of players, pace and reaction time."""
    return [
        common.cell(
            ms.Rules.the_mind(players),
            ms.Player(ms.policies.GapPower(pace, 2.0), clock=ms.clocks.ordinary(), reaction=seconds),
            pace_factor=pace, reaction=seconds,
        )
        for players in (2, 3, 4) for pace in PACES for seconds in SECONDS
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    """Play, write, draw."""
    args = common.arguments(__doc__, "reaction", 2_000, argv)
    table = common.figures(common.play(cells(), args))
    share = table["mistakes_reaction"] / table[[f"mistakes_{cause}" for cause in common.CAUSES]].sum(axis=1)
    table = table.assign(in_flight=share)
    common.write(args, table)
    figure, axes = common.panels(3)
    for ax, (players, rows) in zip(axes, table.groupby("players", sort=False)):
        named = rows.assign(waits=[f"{pace:g} s x gap²" for pace in rows["pace_factor"]])
        common.lines(named, "reaction", "waits", ax, label="reaction time (s)").set_title(f"{players} players")
    common.picture(args, figure)
    for _, row in table[table["reaction"].isin([0.0, 0.23])].iterrows():
        print(f"{row['players']:.0f} players, {row['pace_factor']:g} s x gap^2, reaction {row['reaction']:g} s: "
              f"{common.said(row)}, {row['pace']:.2f} s a card, {row['in_flight']:.2f} lost in flight")  # fmt: skip


if __name__ == "__main__":
    main()
