"""What the team is rewarded for: a `Rewards` value, and the sum for one step of many games.

Rewards are the team's: every learner gets the same number. What happened is found out by `table`.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mindsim.registry import ANY, check
from mindsim.state import STALLED, WON

if TYPE_CHECKING:
    from mindsim.env.table import Step


@dataclass(frozen=True)
class Rewards:
    """The team's rewards; a step's reward is their sum.

    Parameters
    ----------
    level : float
        For each level completed.
    life : float
        For each life lost (a negative number punishes). A stalled game is a lost one: it costs the lives that were
        left.
    win : float
        For winning the game, on top of its last level.
    second : float
        For each true second that passes, refocusing included (a negative number is a price on time). Slower play buys
        accuracy, so without a price a learner will wait as long as it can.

    Examples
    --------
    >>> from mindsim.env import Rewards
    >>> Rewards(level=1.0, life=0.0, win=0.0, second=0.0)      # the return is the number of levels completed
    Rewards(level=1.0, life=0.0, win=0.0, second=0.0)
    """

    level: float = 1.0
    life: float = -1.0
    win: float = 10.0
    second: float = -0.01

    def __post_init__(self) -> None:
        check(self, level=ANY, life=ANY, win=ANY, second=ANY)

    def of(self, step: Step) -> NDArray[np.float64]:
        """The reward of each game for one step."""
        lives = step.lives_lost + np.where(step.outcome == STALLED, step.lives_left, 0)
        reward: NDArray[np.float64] = (
            self.level * step.levels + self.life * lives + self.win * (step.outcome == WON) + self.second * step.seconds
        )
        return reward
