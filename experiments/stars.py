"""What is a star worth, and when should it be used? Measured in lives.

Teams that never use stars play with one to five lives: that is the ruler. The same teams with a rule for stars are laid
against it: how many lives more, from the start, would a team without stars need to win as often? Rules play with the
stars of the book, and with one star less or more at the start. Waits by the square of the gap, ordinary clocks.

    python experiments/stars.py --games 2000 --seed 1
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import common
import numpy as np

import mindsim as ms

LIVES = (1, 2, 3, 4, 5)
S = ms.stars
RULES: dict[str, Any] = {
    "at once": S.AtOnce(),
    "at 2 s": S.At(2.0),
    "at 10 s": S.At(10.0),
    "before the cap": S.SpendBeforeCap(),
    "risk above 0.4": S.InversionRisk(0.4, pace=0.5),
    "risk above 0.7": S.InversionRisk(0.7, pace=0.5),
    "rationed, 10 cards": S.Rationed(10),
    "rationed, 30 cards": S.Rationed(30),
    "kept for the last level": S.Reserve(S.AtOnce(), 9),
}
N_STARS = (0, 1, 2)


def team(stars: Any) -> ms.Player:
    """The players, but for their stars."""
    return ms.Player(ms.policies.GapPower(0.01, 2.0), stars=stars, clock=ms.clocks.ordinary())


def cells() -> list[Any]:
    """The ruler, then the rules."""
    found = []
    for players in (2, 3, 4):
        for lives in LIVES:
            rules = ms.Rules.the_mind(players, lives=lives)
            found.append(common.cell(rules, team(S.Never()), rule="never", lives_at_start=lives, stars_at_start=1))
        for name, stars in RULES.items():
            for n in N_STARS:
                rules = ms.Rules.the_mind(players, stars=n)
                found.append(common.cell(rules, team(stars), rule=name, lives_at_start=players, stars_at_start=n))
    return found


def in_lives(table: Any) -> Any:
    """How many lives more at the start a team that never uses stars would need; NaN beyond the ruler's five.

    The interval is that of the rule's win rate, read on the ruler.
    """
    found = table.copy()
    for players, rows in table.groupby("players", sort=False):
        ruler = rows[rows["rule"] == "never"]
        for end in ("", "_low", "_high"):
            read = np.interp(
                rows[f"win_rate{end}"], ruler["win_rate"], ruler["lives_at_start"], left=np.nan, right=np.nan
            )
            found.loc[rows.index, f"lives_worth{end}"] = read - players
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Play, write, draw."""
    args = common.arguments(__doc__, "stars", 2_000, argv)
    table = in_lives(common.figures(common.play(cells(), args), "stars_used"))
    common.write(args, table)
    figure, axes = common.panels(3)
    for ax, (players, rows) in zip(axes, table.groupby("players", sort=False)):
        named = rows[rows["rule"] != "never"].rename(columns={"stars_at_start": "stars at the start"})
        if len(named):
            ms.plots.heatmap(common.in_order(named, "rule"), "stars at the start", "rule", ax=ax)
        ruler = rows[(rows["rule"] == "never") & (rows["lives_at_start"] == players)]["win_rate"]
        ax.set(title=f"{players} players; never: {ruler.max():.2f}", ylabel="")
    common.picture(args, figure)
    for _, row in table[table["stars_at_start"] == 1].iterrows():
        print(f"{row['players']} players, {row['lives_at_start']} lives, {row['rule']}: {common.said(row)}, "
              f"{row['lives_worth']:+.2f} lives ({row['lives_worth_low']:+.2f} to {row['lives_worth_high']:+.2f}), "
              f"won games {row['duration_won']:.0f} s, {row['stars_used']:.1f} stars used")  # fmt: skip


if __name__ == "__main__":
    main()
