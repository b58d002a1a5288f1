"""What would people win at the whole game, and what should they change?

People's waits as fitted (0.34 s a card of gap, spread 0.98 from wait to wait and 0.26 between people; reaction 0.23 s)
play the game as published. Then one thing is changed at a time: steadier decisions, one tempo for all, counting, wider
waits for wider gaps, more time, stars. Differences are paired: all play the same deals.

    python experiments/people.py --games 2000 --seed 1
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import common

import mindsim as ms

H = ms.policies.Human
REACTION = ms.players.make("human").reaction


def person(policy: Any, stars: Any = None, reaction: Any = REACTION) -> ms.Player:
    """A person, but for what is changed."""
    return ms.Player(policy, stars=stars or ms.stars.Never(), reaction=reaction)


PEOPLE: dict[str, ms.Player] = {
    "people as fitted": person(H()),
    "stars at once": person(H(), ms.stars.AtOnce()),
    "one tempo for all": person(H(between=0.0)),
    "twice the time": person(H(pace=0.68)),
    "four times the time": person(H(pace=1.36)),
    "no reaction time": person(H(), reaction=0.0),
    "waits by gap^1.5": person(H(pace=0.1, exponent=1.5)),
    "waits by gap^2": person(H(pace=0.025, exponent=2.0)),
    "half the spread": person(H(within=0.49)),
    "a quarter of the spread": person(H(within=0.245)),
    "a quarter of the spread, one tempo": person(H(within=0.245, between=0.0)),
    "the same, by gap^2": person(H(0.025, 2.0, 0.245, 0.0)),
    "the same, by gap^2, stars at once": person(H(0.025, 2.0, 0.245, 0.0), ms.stars.AtOnce()),
    "clock noise only (ordinary)": ms.players.make("ordinary"),
    "counting (careful)": ms.players.make("careful"),
}


def cells() -> list[Any]:
    """A row for each number of players and each change."""
    return [
        common.cell(ms.Rules.the_mind(players), who, people=name)
        for players in (2, 3, 4) for name, who in PEOPLE.items()
    ]  # fmt: skip


def gains(table: Any) -> Any:
    """Levels completed more than by people as fitted, on the same deals, with intervals."""
    rows = []
    for _, same in table.reset_index(drop=True).groupby("players", sort=False):
        base = table.games(int(same.index[0]), ["levels_completed"])["levels_completed"]
        for i in same.index:
            mine = table.games(int(i), ["levels_completed"])["levels_completed"]
            rows.append(ms.stats.mean_difference(mine, base))
    columns = zip(("levels_gained", "levels_gained_low", "levels_gained_high"), zip(*rows))
    return table.assign(**{name: list(values) for name, values in columns})


def main(argv: Sequence[str] | None = None) -> None:
    """Play, write, draw."""
    args = common.arguments(__doc__, "people", 2_000, argv)
    table = common.figures(gains(common.play(cells(), args)), "levels_gained")
    common.write(args, table)
    figure, axes = common.panels(2, 5.6, 5.0)
    for ax, value in zip(axes, ("levels_completed", "win_rate")):
        ms.plots.heatmap(common.in_order(table, "people"), "players", "people", value, ax=ax)
        ax.set_ylabel("")
    axes[-1].set_yticks([])
    common.picture(args, figure)
    for _, row in table.iterrows():
        print(f"{row['players']} players, {row['people']}: {common.said(row)}, levels {row['levels_completed']:.2f}, "
              f"gained {row['levels_gained']:+.2f} ({row['levels_gained_low']:+.2f} to {row['levels_gained_high']:+.2f}"
              f"), {row['pace']:.2f} s a card")  # fmt: skip


if __name__ == "__main__":
    main()
