"""Statistics: arrays in, numbers out. Nothing here simulates, and nothing here knows how a game is played.

- `intervals`: shares (Wilson), means (t, bootstrap), ratios of sums clustered by game.
- `curves`: share won within t, pace, mistakes per 100 cards, survival by level.
- `paired`: two teams on the same deals, and Holm's rule for more than two.
- `compare`: these put together, `compare` for two teams' games and `rank` for a sweep's table.
- `summary`: the results of a cell from pieces of its games.

scipy and statsmodels do the arithmetic and are imported when a function that needs them is called.
"""

from __future__ import annotations

from mindsim.stats.compare import Comparison, Ranking, compare, rank, varied_columns
from mindsim.stats.curves import mistakes_per_100_cards, pace, share_within, survival
from mindsim.stats.intervals import Estimate, bootstrap_interval, mean_interval, ratio_interval, share, wilson
from mindsim.stats.paired import (
    games_to_resolve,
    holm,
    is_equivalent,
    mcnemar,
    mean_difference,
    paired_bootstrap,
    paired_gain,
    share_difference,
)

__all__ = [
    "Comparison",
    "Estimate",
    "Ranking",
    "bootstrap_interval",
    "compare",
    "games_to_resolve",
    "holm",
    "is_equivalent",
    "mcnemar",
    "mean_difference",
    "mean_interval",
    "mistakes_per_100_cards",
    "pace",
    "paired_bootstrap",
    "paired_gain",
    "rank",
    "ratio_interval",
    "share",
    "share_difference",
    "share_within",
    "survival",
    "varied_columns",
    "wilson",
]
