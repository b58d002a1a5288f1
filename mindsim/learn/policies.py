"""Learnable policies under the roof of `mindsim.learn`, and their delay curves.

The classes live beside the other policies (`mindsim.policies.learnable`), so that their names are known wherever a
setting is read from a file; see there for what they compute.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mindsim.policies.features import FEATURES
from mindsim.policies.learnable import MLP, LogLinear, Score, Table

if TYPE_CHECKING:
    from mindsim.probe import Probe

__all__ = ["FEATURES", "MLP", "LogLinear", "Score", "Table", "delay_curve"]


def delay_curve(policy: Any, cards_each: Sequence[int] = (1, 6, 12), players: int = 2, lives: int = 3) -> Probe:
    """The waits of a policy at a level's start against its lowest card, a curve for each hand size.

    Parameters
    ----------
    policy : policy
    cards_each : sequence of int
        Cards in every hand.
    players, lives : int

    Returns
    -------
    Probe
        It prints as a table, and ``plot()`` draws it.

    Examples
    --------
    >>> import mindsim as ms
    >>> curve = ms.learn.delay_curve(ms.policies.LogLinear(), cards_each=(1, 12))
    >>> bool((curve.table["wait"].diff().drop(100) >= 0)[:99].all())
    True
    """
    import pandas as pd

    from mindsim.probe import Probe, probe

    tables = []
    for n in cards_each:
        one = probe(
            policy, card=range(1, 101), others=n * (players - 1), hand_size=n, players=players, lives=lives, level=n,
            n_levels=12, level_cards=n,
        )  # fmt: skip
        tables.append(one.table.assign(hand_size=n, others_cards=n * (players - 1)))
    return Probe(pd.concat(tables, ignore_index=True), ["card", "hand_size", "others_cards"])
