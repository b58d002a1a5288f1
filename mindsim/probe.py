"""Look at a policy without playing: its waits over a grid of situations, as a table and a picture.

What this file leaves to others: situations to `situations`, the picture to `plots`.
"""
from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mindsim.observation import FIELDS
from mindsim.player import Player, as_player
from mindsim.registry import to_json
from mindsim.situations import situations

if TYPE_CHECKING:
    import pandas as pd

_MOST = 1_000_000


class Probe:
    """What `probe` found.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per policy and situation: ``policy``, what varies, ``card, top, gap, others_cards``, and the waits in
        seconds: ``wait`` (the median over draws), ``wait_low``, ``wait_high`` (the middle 90%, for policies that draw).
    varied : list of str
        Which features of the situation vary.
    """

    def __init__(self, table: pd.DataFrame, varied: list[str]) -> None:
        self.table, self.varied = table, varied

    def plot(self, **options: Any) -> Any:
        """The waits against the gap, a curve for each policy and setting (`plots.delay_curves`)."""
        from mindsim import plots

        return plots.delay_curves(self.table, **options)

    def __repr__(self) -> str:
        return f"<Probe: {len(self.table)} situations, varying {', '.join(self.varied) or 'nothing'}>\n{self.table}"

    def _repr_html_(self) -> str:
        html: str = self.table.to_html(float_format="{:.4g}".format)
        return html


def probe(
    policies: Any,
    *,
    card: Any = tuple(range(1, 101)),
    top: Any = 0,
    others: Any = 3,
    hand_size: Any = 3,
    players: int = 2,
    draws: int = 1,
    seed: int = 0,
    **fields: Any,
) -> Probe:
    """The waits of a policy, or of several, over a grid of made-up situations.

    Parameters
    ----------
    policies : policy, Player, registered name, or a sequence of them
        Waits are as intended: a Player's clock is left out.
    card, top, others, hand_size : int or sequence of int
        Own lowest rank, the pile's top, cards in other hands, own cards. Every combination is asked, except those in
        which the card does not lie above the pile.
    players : int
        Players at the table.
    draws : int
        How often each situation is posed, with fresh draws: for policies that draw.
    seed : int
        Starts the draws.
    **fields
        Any other field of an observation (`observation.FIELDS`), a number or a sequence of numbers: ``elapsed``,
        ``since_top``, ``stars``, ``face_down`` ...

    Returns
    -------
    Probe
        ``table`` and ``plot()``.

    Raises
    ------
    TypeError, ValueError
        If a field is unknown, no situation is left, or there are too many.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.probe(ms.policies.GapLinear(0.5), card=[10, 20], top=[0, 12]).table[["card", "top", "wait"]]
       card  top  wait
    0    10    0   5.0
    1    20    0  10.0
    2    20   12   4.0
    """
    import pandas as pd

    axes = {"card": card, "top": top, "others_cards": others, "hand_size": hand_size, **fields}
    unknown = sorted(fields.keys() - FIELDS.keys())
    if unknown:
        raise TypeError(f"unknown field {unknown[0]!r}; the fields are {', '.join(FIELDS)}")
    grid = _grid({name: list(values) if np.ndim(values) else [values] for name, values in axes.items()})
    chosen = policies if isinstance(policies, Sequence) and not isinstance(policies, str) else [policies]
    varied = [name for name in axes if grid[name].nunique() > 1]
    tables = [_asked(as_player(p), grid, players, draws, seed) for p in chosen]
    return Probe(pd.concat(tables, ignore_index=True), varied)


def _grid(axes: dict[str, list[Any]]) -> pd.DataFrame:
    """Every combination in which the card lies above the pile."""
    import pandas as pd

    size = int(np.prod([len(values) for values in axes.values()]))
    if size > _MOST:
        raise ValueError(f"the grid has {size} situations; at most {_MOST} are allowed")
    grid = pd.DataFrame(list(itertools.product(*axes.values())), columns=list(axes))
    grid = grid[grid["card"] > grid["top"]].reset_index(drop=True)
    if grid.empty:
        raise ValueError(f"card must lie above top somewhere; got card {axes['card']!r} and top {axes['top']!r}")
    return grid


def _asked(player: Player, grid: pd.DataFrame, players: int, draws: int, seed: int) -> pd.DataFrame:
    """The grid with one policy's waits."""
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 1:
        raise ValueError(f"draws must be a whole number of at least 1, not {draws!r}")
    repeated = {name: np.tile(values.to_numpy(), draws) for name, values in grid.items()}
    memory = int(getattr(player.policy, "memory", 0) or 0)
    obs = situations(**repeated, players=players, memory=memory, seed=seed)  # type: ignore[arg-type]
    waits = np.asarray(player.wait(obs), float).reshape(draws, len(grid))
    low, middle, high = np.quantile(waits, [0.05, 0.5, 0.95], axis=0, method="inverted_cdf")
    table = grid.assign(gap=grid["card"] - grid["top"], wait=middle, wait_low=low, wait_high=high)
    table.insert(0, "policy", _label(player.policy))
    return table


def _label(policy: Any) -> str:
    """A registered policy's own description, a function's name."""
    try:
        to_json(policy)
    except TypeError:
        return getattr(policy, "__name__", type(policy).__name__)
    return getattr(policy, "__name__", repr(policy))
