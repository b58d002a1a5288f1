"""How much harder are the variants? Blind, the campaign, and Extreme, beside the game as published.

Several waits at two, three and four players; ordinary clocks, no stars. In Extreme, finishing one pile before starting
the other is against the rules' spirit: `serial` is the share of levels, among those in which cards were put down on
both piles, in which that happened (over the first games only, which are recorded), `serial_by_chance` what a random
order of colours would give.

    python experiments/variants.py --games 1500 --seed 1
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import common
import numpy as np
from scipy.special import comb

import mindsim as ms

RULES = {
    "the mind": ms.Rules.the_mind, "blind": ms.Rules.blind, "campaign": ms.Rules.campaign, "extreme": ms.Rules.extreme,
}  # fmt: skip
P = ms.policies
WAITS: dict[str, Any] = {
    "linear": P.GapLinear(0.34),
    "power 2": P.GapPower(0.02, 2.0),
    "density": P.Density(1.0, 2.0),
    "sinh of the level": P.SinhLevel(0.14, 0.05, 60.0),
    "metronome": P.Metronome(0.34),
}
RECORDED = 200


def player(waits: str) -> ms.Player:
    """Everybody at the table."""
    return ms.Player(WAITS[waits], clock=ms.clocks.ordinary())


def cells() -> list[Any]:
    """A row for each variant, number of players and wait."""
    return [
        common.cell(make(players), player(waits), variant=name, waits=waits)
        for name, make in RULES.items() for players in (2, 3, 4) for waits in WAITS
    ]  # fmt: skip


def serial_levels(events: Any) -> tuple[int, int, float]:
    """Levels with one pile finished before the other was begun, levels with cards on both piles, and chance.

    Chance is the share expected if the cards put down came in any order of colours alike: with one card on each pile
    a level is always serial, with w and r cards in 2 of (w + r over w) orders.
    """
    plays = events[events["event"] == "play"].reset_index(drop=True)
    place = plays.assign(place=plays.index).groupby(["game", "level", "colour"], observed=True)["place"]
    ends = place.agg(["min", "max", "size"]).unstack().dropna()
    one_after_the_other = (ends["max"]["white"] < ends["min"]["red"]) | (ends["max"]["red"] < ends["min"]["white"])
    chance = 2.0 / comb(ends["size"].sum(axis=1), ends["size"]["white"])
    return int(one_after_the_other.sum()), len(ends), float(chance.mean())


def with_serial(table: Any, args: Any) -> Any:
    """The table, and for Extreme the serial levels with their interval."""
    names = ["serial_levels", "levels_with_both", "serial_by_chance", "serial", "serial_low", "serial_high"]
    found = table.assign(**dict.fromkeys(names, np.nan))
    for i, row in table[table["variant"] == "extreme"].iterrows():
        rules = ms.Rules.extreme(int(row["players"]))
        games = ms.simulate(rules, player(row["waits"]), min(args.games, RECORDED), args.seed, record=True)
        serial, levels, chance = serial_levels(games.events)
        found.loc[i, names] = [serial, levels, chance, *ms.stats.share(serial, levels)]
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Play, write, draw."""
    args = common.arguments(__doc__, "variants", 1_500, argv)
    table = with_serial(common.figures(common.play(cells(), args)), args)
    common.write(args, table)
    figure, axes = common.panels(4, 4.2)
    for ax, (variant, rows) in zip(axes, table.groupby("variant", sort=False)):
        ms.plots.win_rate(rows, by="waits", ax=ax).set_title(variant)
        ax.get_legend().remove()
    shown = axes[0].get_legend_handles_labels()
    axes[-1].legend(*shown, frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    common.picture(args, figure)
    for _, row in table.iterrows():
        serial = f", {row['serial']:.3f} serial (chance {row['serial_by_chance']:.3f})" if row["serial"] >= 0 else ""
        print(f"{row['variant']}, {row['players']} players, {row['waits']}: {common.said(row)}, levels "
              f"{row['levels_completed']:.2f}, {row['pace']:.2f} s a card{serial}")  # fmt: skip


if __name__ == "__main__":
    main()
