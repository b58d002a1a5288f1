"""Numbers from 0 to 1 for seconds: the logarithmic scale on which learners choose waits and are told times.

``seconds = shortest * (longest / shortest) ** x`` for 0 < x < 1; x = 0 is now, x = 1 is "not before something changes".
People's sense of time is about as fine in proportion everywhere, so equal steps of x are equally hard to keep.

What this file leaves to others: which action means what (`actions`), which field is a time (`observations`).
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindsim.registry import POSITIVE, check

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WaitScale:
    """Seconds on a logarithmic scale from 0 to 1.

    Parameters
    ----------
    shortest, longest : float
        Seconds at the scale's two ends (both above 0, `longest` the greater). At 0 itself the wait is 0 s, at 1
        infinite.

    Raises
    ------
    TypeError, ValueError
        If they are not as said.

    Examples
    --------
    >>> from mindsim.env import WaitScale
    >>> [round(float(s), 3) for s in WaitScale(0.01, 100.0).seconds([0.0, 0.25, 0.5, 1.0])]
    [0.0, 0.1, 1.0, inf]
    """

    shortest: float = 0.01
    longest: float = 60.0

    def __post_init__(self) -> None:
        check(self, shortest=POSITIVE, longest=POSITIVE)
        if not self.shortest < self.longest:
            raise ValueError(f"WaitScale: longest must be above shortest={self.shortest!r}, not {self.longest!r}")

    @property
    def _steepness(self) -> float:
        return math.log(self.longest / self.shortest)

    def seconds(self, x: Any) -> Floats:
        """The waits that numbers from 0 to 1 stand for."""
        x = np.asarray(x, np.float64)
        wait: Floats = np.exp(x * self._steepness)
        wait *= self.shortest
        wait[x <= 0.0] = 0.0
        wait[x >= 1.0] = np.inf
        return wait

    def place(self, seconds: Any) -> Floats:
        """Where times lie on the scale: 0 up to `shortest`, 1 from `longest` on."""
        spans = np.maximum(np.asarray(seconds, np.float64), self.shortest)
        spans = np.log(np.minimum(spans, self.longest) / self.shortest)
        spans /= self._steepness
        return np.minimum(spans, 1.0)

    def bins(self, n: int) -> Floats:
        """The waits of n bins: now, n - 2 equal steps from `shortest` to `longest`, and never."""
        return np.concatenate(([0.0], np.geomspace(self.shortest, self.longest, n - 2), [np.inf]))
