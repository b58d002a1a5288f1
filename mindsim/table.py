"""`SweepTable`: a DataFrame with a row per cell that still knows where the games are.

Filtering and sorting keep the connection, so ``table[table.players == 3].games(0)`` reads the games of the first cell
of three players. What this file leaves to others: how games are kept (`store`), how cells are played (`sweep`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from mindsim.store import Store


class SweepTable(pd.DataFrame):
    """One row per cell: what was varied, then the results with their 95% intervals (``_low``, ``_high``).

    A plain DataFrame in every other way. `games` and `groups` give the single games of a row.

    All cells of a sweep are dealt the same cards. That makes differences between rows sharper than the intervals of
    the rows suggest (use `mindsim.compare` and `mindsim.rank`), and it means that the errors of all rows are
    correlated: a lucky seed is lucky for all of them.
    """

    _metadata = ["store"]  # noqa: RUF012  pandas copies what is named here to derived frames
    store: Store | None = None

    @property
    def _constructor(self) -> type[SweepTable]:
        return SweepTable

    def cell(self, row: int) -> tuple[Store, str]:
        """The store and the id of the cell in a row (counted from 0, as in ``iloc``).

        Raises
        ------
        ValueError
            If the games are not at hand: the table was read from a CSV, or has lost its column ``cell``.
        """
        if self.store is None or "cell" not in self.columns:
            raise ValueError("this table does not know where its games are; use the table that sweep() or load() gave")
        return self.store, str(self["cell"].iloc[row])

    def games(self, row: int, columns: Sequence[str] | None = None) -> dict[str, np.ndarray]:
        """The games of the cell in a row: one array per column, one entry per game.

        Parameters
        ----------
        row : int
            Counted from 0, as in ``iloc``.
        columns : list of str, optional
            Only these.
        """
        store, cell = self.cell(row)
        return store.games(cell, columns)

    def groups(self, row: int, columns: Sequence[str] | None = None) -> Iterator[dict[str, np.ndarray]]:
        """The same, a piece at a time, for cells that do not fit in memory."""
        store, cell = self.cell(row)
        return store.groups(cell, columns)


def table_of(store: Store, errors: Mapping[str, str] | None = None) -> SweepTable:
    """The table of a store: a row per whole cell, and one per cell in `errors` (id: what went wrong)."""
    errors = errors or {}
    rows: list[dict[str, Any]] = []
    for entry in store.cells:
        cell = entry["id"]
        if store.is_whole(cell):
            rows.append({"cell": cell, **entry["columns"], **_numbers(store.summary_of(cell))})
        elif cell in errors:
            rows.append({"cell": cell, **entry["columns"], "error": errors[cell]})
    table = SweepTable(rows)
    varied = [k for entry in store.cells for k in entry["columns"]]
    first = [c for c in dict.fromkeys(["cell", *varied]) if c in table.columns]
    table = table[first + [c for c in table.columns if c not in first]]
    table.store = store
    return table


def _numbers(summary: Mapping[str, Any]) -> dict[str, Any]:
    """None stands for NaN in JSON."""
    return {k: float("nan") if v is None else v for k, v in summary.items()}
