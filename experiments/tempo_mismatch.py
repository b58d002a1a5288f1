"""How much does it cost two players to keep different tempos, and does listening to each other mend it?

Two players wait in proportion to the gap (or to its square), one quicker and one slower by a ratio of paces, with the
same geometric mean; ordinary clocks, no stars. Adaptation is that of `TempoMatching` (phase and period correction) and,
for the square, of `DeltaTempo`. Both players adapt alike.

    python experiments/tempo_mismatch.py --games 2000 --seed 1
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import common

import mindsim as ms

RATIOS = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0)
P = ms.policies
KINDS: dict[str, Callable[[float], Any]] = {
    "linear, fixed": lambda x: P.GapLinear(0.34 * x),
    "linear, phase 0.4": lambda x: P.TempoMatching(0.34 * x, 0.4, 0.0),
    "linear, period 0.2": lambda x: P.TempoMatching(0.34 * x, 0.0, 0.2),
    "linear, both": lambda x: P.TempoMatching(0.34 * x, 0.4, 0.2),
    "square, fixed": lambda x: P.GapPower(0.02 * x, 2.0),
    "square, adapting 0.1": lambda x: P.DeltaTempo(0.02 * x, 2.0, 0.1),
    "square, adapting 0.3": lambda x: P.DeltaTempo(0.02 * x, 2.0, 0.3),
}
CLOCKS = {"exact": ms.clocks.Exact(), "ordinary": ms.clocks.ordinary()}


def cells() -> list[Any]:
    """A row for each clock, kind and ratio."""
    rules = ms.Rules.the_mind(2)
    return [
        common.cell(
            rules, [ms.Player(make(r**0.5), clock=clock), ms.Player(make(r**-0.5), clock=clock)],
            clock=name, kind=kind, ratio=r,
        )
        for name, clock in CLOCKS.items() for kind, make in KINDS.items() for r in RATIOS
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    """Play, write, draw."""
    args = common.arguments(__doc__, "tempo_mismatch", 2_000, argv)
    table = common.figures(common.play(cells(), args))
    common.write(args, table)
    figure, axes = common.panels(2)
    for ax, (name, rows) in zip(axes, table.groupby("clock", sort=False)):
        common.lines(rows, "ratio", "kind", ax, label=f"ratio of the two paces ({name} clocks)")
    for ax in axes[:-1]:
        ax.get_legend().remove()
    common.picture(args, figure)
    for _, row in table[table["ratio"].isin([1.0, 2.0])].iterrows():
        print(f"{row['clock']}, {row['kind']}, ratio {row['ratio']:g}: {common.said(row)}, {row['pace']:.2f} s a card")


if __name__ == "__main__":
    main()
