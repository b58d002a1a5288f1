"""What a learner's action means: `Boxed` numbers from 0 to 1, or `Binned` ones with a mask.

Both turn arrays of actions into `Decisions`: seconds to wait on each track, until a hand goes up, until stop is called,
and consent. A hand while the team has no star, a stop beyond the allowance and a wait on a track without a card do
nothing, as at a table; numbers out of range are refused.

What this file leaves to others: how seconds lie on the scale (`scale`), how decisions reach the engine (`table`).
"""
from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from mindsim.env.scale import WaitScale
from mindsim.rules import Rules

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
N_BINS = 12


class Decisions(NamedTuple):
    """One row per learner; what is None is not the learner's to decide."""

    waits: Floats  # [rows, tracks] seconds
    hands: Floats | None  # seconds until a hand goes up
    consents: Bools | None
    stops: Floats | None  # seconds until stop is called


class Situation(NamedTuple):
    """What a mask depends on, one row per learner."""

    holds: Bools  # [rows, tracks]
    alone: Bools  # nobody else holds a card
    has_star: Bools
    may_stop: Bools


class Actions(Protocol):
    """What `Boxed` and `Binned` have in common."""

    space: spaces.Space[Any]

    def read(self, actions: Any, rows: int) -> Decisions:
        """Turn actions, one per row, into decisions."""
        ...

    def mask(self, now: Situation) -> NDArray[np.int8] | None:
        """Which actions make sense; None if there is no mask."""
        ...


class Boxed:
    """Numbers from 0 to 1: a wait per track, then (with stars) a hand and consent, then (with stops) a stop.

    Waits, hand and stop are on the wait scale: 0 is now, 1 never. Consent is yes from 0.5 on, given beforehand for any
    hand that another raises in the epoch.
    """

    def __init__(self, rules: Rules, scale: WaitScale, with_stars: bool, with_stops: bool) -> None:
        self.scale, self.tracks, self.with_stars, self.with_stops = scale, rules.tracks, with_stars, with_stops
        colours = [""] if rules.tracks == 1 else ["white ", "red "]
        self.names = [f"{colour}wait" for colour in colours]
        self.names += ["hand", "consent"] if with_stars else []
        self.names += ["stop"] if with_stops else []
        self.space: spaces.Space[Any] = spaces.Box(0.0, 1.0, (len(self.names),), np.float32)

    def read(self, actions: Any, rows: int) -> Decisions:
        """Turn actions, one per row, into decisions.

        Raises
        ------
        TypeError, ValueError
            If they are no numbers, have another shape, or are not all from 0 to 1.
        """
        x = _as_floats(actions)
        if x.size != rows * len(self.names) or x.shape[-1:] != (len(self.names),):
            raise ValueError(
                f"action must hold {len(self.names)} numbers for each learner ({', '.join(self.names)}), "
                f"{rows * len(self.names)} in all, not an array of shape {x.shape}"
            )
        if not (x.min(initial=0.5) >= 0.0 and x.max(initial=0.5) <= 1.0):  # NaN fails both
            raise ValueError(f"action must be numbers from 0 to 1, not {_first_outside(x)}")
        x = x.reshape(rows, len(self.names))
        timed = self.scale.seconds(x)
        star = self.tracks + 2 * self.with_stars
        return Decisions(
            waits=timed[:, : self.tracks],
            hands=timed[:, self.tracks] if self.with_stars else None,
            consents=x[:, self.tracks + 1] >= 0.5 if self.with_stars else None,
            stops=timed[:, star] if self.with_stops else None,
        )

    def mask(self, now: Situation) -> None:
        """A Box has no mask."""


class Binned:
    """One whole number: a signal and a wait bin per track, the last track's bin counting fastest.

    Signals are ``wait`` (no hand; consents when another raises one), with stars ``refuse`` (no hand, no consent) and
    ``hand`` (raises one at once), with stops ``stop`` (calls it at once).
    """

    def __init__(self, rules: Rules, bins: Floats, with_stars: bool, with_stops: bool) -> None:
        self.bins, self.tracks = bins, rules.tracks
        self.signals = ["wait", *(["refuse", "hand"] if with_stars else []), *(["stop"] if with_stops else [])]
        self.shape = (len(self.signals), *[len(bins)] * rules.tracks)
        parts = np.unravel_index(np.arange(np.prod(self.shape)), self.shape)
        signal = np.array(self.signals)[parts[0]]
        self.space: spaces.Space[Any] = spaces.Discrete(len(signal))
        self._table = Decisions(
            waits=np.stack([bins[part] for part in parts[1:]], axis=1),
            hands=np.where(signal == "hand", 0.0, np.inf) if with_stars else None,
            consents=signal != "refuse" if with_stars else None,
            stops=np.where(signal == "stop", 0.0, np.inf) if with_stops else None,
        )

    def read(self, actions: Any, rows: int) -> Decisions:
        """Turn actions, one per row, into decisions.

        Raises
        ------
        TypeError, ValueError
            If they are no whole numbers, too many or too few, or out of range.
        """
        n = len(self._table.waits)
        chosen = np.asarray(actions)
        if not np.issubdtype(chosen.dtype, np.integer):
            raise TypeError(f"action must be whole numbers from 0 to {n - 1}, not {actions!r}")
        if chosen.size != rows:
            raise ValueError(f"action must hold one whole number for each of {rows} learners, not shape {chosen.shape}")
        chosen = chosen.reshape(rows)
        if chosen.min(initial=0) < 0 or chosen.max(initial=0) >= n:
            raise ValueError(f"action must be whole numbers from 0 to {n - 1}, not {_first_beyond(chosen, n)}")
        waits, hands, consents, stops = self._table
        return Decisions(
            waits=waits[chosen],
            hands=None if hands is None else hands[chosen],
            consents=None if consents is None else consents[chosen],
            stops=None if stops is None else stops[chosen],
        )

    def mask(self, now: Situation) -> NDArray[np.int8]:
        """[rows, actions]: 1 where an action makes sense, by what the learner knows.

        On a track without a card the only bin is the last one (never); who alone holds cards may choose any but that.
        Hands need a star, stops a rest of the level's allowance. The first signal is always open.
        """
        rows = len(now.alone)
        allowed = np.ones((rows, *self.shape), np.int8)
        for i, signal in enumerate(self.signals):
            if signal in ("refuse", "hand"):
                allowed[~now.has_star, i] = 0
            if signal == "stop":
                allowed[~now.may_stop, i] = 0
        for t in range(self.tracks):
            of_track = np.moveaxis(allowed, 2 + t, 1)
            of_track[~now.holds[:, t], :-1] = 0
            of_track[now.holds[:, t] & now.alone, -1] = 0
        return allowed.reshape(rows, -1)


def _as_floats(actions: Any) -> Floats:
    try:
        return np.asarray(actions, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"action must be numbers from 0 to 1, not {actions!r}") from error


def _first_outside(x: Floats) -> float:
    return float(x[~((x >= 0.0) & (x <= 1.0))][0])


def _first_beyond(chosen: NDArray[Any], n: int) -> int:
    return int(chosen[(chosen < 0) | (chosen >= n)][0])


def bins_of(discrete: Any, scale: WaitScale) -> Floats:
    """The waits, in seconds, of the bins that ``discrete=`` asks for: True, a number of bins, or the waits.

    Raises
    ------
    TypeError, ValueError
        If it is none of these, or the waits do not rise.
    """
    allowed = "discrete must be False, True, a number of bins from 3 to 1000, or rising waits in seconds"
    if discrete is True:
        return scale.bins(N_BINS)
    if isinstance(discrete, (int, np.integer)):
        if not 3 <= discrete <= 1000:
            raise ValueError(f"{allowed}, not {discrete}")
        return scale.bins(int(discrete))
    try:
        waits = np.array(discrete, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{allowed}, not {discrete!r}") from error
    if waits.ndim != 1 or not 1 <= len(waits) <= 1000:
        raise ValueError(f"{allowed}, not {discrete!r}")
    if waits[-1] < np.inf:
        waits = np.append(waits, np.inf)  # "never" is always the last bin
    if not (waits[0] >= 0.0 and np.all(np.diff(waits) > 0.0)):
        raise ValueError(f"{allowed}, not {discrete!r}")
    return waits
