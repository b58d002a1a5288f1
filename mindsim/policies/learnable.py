"""Policies and star rules with weights to be learned: `Table`, `LogLinear`, `MLP`, and `Score` for stars.

All are frozen values whose weights are tuples: they can be compared, written to JSON and read back, and sit wherever a
policy sits. Waits never fall with the depth of the card (see `features`), a card that is certain to be next is played
at once, and so does a player when nobody else holds a card. Fields of weights carry ``learn`` in their
metadata: that is how `mindsim.learn` finds what it may change.

The schedule that `LogLinear` and `MLP` share is, with x the number of cards expected within the depth,

    wait = scale x ((x + shift) / (1 + shift)) ^ exponent     seconds after the pile last rose,

so `scale` is the wait when one card is expected below the own one. For small shifts it is a power of the gap, for large
ones an exponential; weber clocks confuse two waits by their ratio, so the exponent buys safety, the shift spends it.

What this file leaves to others: finding good weights, to `mindsim.learn`.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindsim import registry
from mindsim.elementary import exp, log
from mindsim.jit import entry, inlined
from mindsim.observation import Observation
from mindsim.policies.features import CARDS, DEPTH, OTHERS, ROOM, Weights, columns
from mindsim.registry import policies

__all__ = ["MLP", "ByGap", "LogLinear", "Score", "Table"]

Floats = NDArray[np.float64]
_LONGEST = 11.0  # log seconds: about 17 hours, beyond any game's time
_GAPS = np.arange(128.0)


def require_shared(owner: str, features: tuple[str, ...]) -> None:
    """Features of the own card would let waits fall with the gap."""
    columns(features)
    private = sorted({"depth", "expected"} & set(features))
    if private:
        raise ValueError(f"{owner}: features must not depend on the own card, as {private[0]!r} does")


def as_numbers(owner: str, name: str, values: Any) -> tuple[float, ...]:
    """Values as a tuple of finite floats, or an error that names whose they are."""
    if not isinstance(values, (tuple, list)) or not all(isinstance(v, (int, float, np.number)) for v in values):
        raise TypeError(f"{owner}: {name} must be a tuple of numbers, not {values!r}")
    if not np.all(np.isfinite(values)):
        raise ValueError(f"{owner}: {name} must be finite, not {values!r}")
    return tuple(float(v) for v in values)


def as_weights(owner: str, name: str, values: Any, features: tuple[str, ...]) -> tuple[float, ...]:
    """Values as weights of the first of the features, or an error that names whose they are."""
    weights = as_numbers(owner, name, values)
    if len(weights) > len(features):
        raise ValueError(f"{owner}: {name} must have at most {len(features)} weights, not {len(weights)}")
    return weights


def _table(owner: str, name: str, rows: Any, shape: tuple[int, int]) -> tuple[tuple[float, ...], ...]:
    table = tuple(as_numbers(owner, name, row) for row in rows)
    if len(table) != shape[0] or any(len(row) != shape[1] for row in table):
        raise ValueError(f"{owner}: {name} must have {shape[0]} rows of {shape[1]} numbers, not {rows!r}")
    return table


@inlined
def _left(depth, cards, room, scale, power, extra, passed):
    """What is left of a wait by the shared schedule; no branches, so that several rows are gone through at once."""
    x = depth * (cards / np.float64(room))
    log_wait = scale + power * log((x + extra) / (1.0 + extra))
    wait = exp(log_wait if log_wait < _LONGEST else _LONGEST) - passed
    return wait if (depth > 0) & (wait > 0.0) else 0.0


@entry
def _left_per_row(glance, three, passed, left):
    """The logarithms of the schedule's three numbers are given for each row ..."""
    depth, cards, room = glance[DEPTH], glance[CARDS], glance[ROOM]
    scale, exponent, shift = three[0], three[1], three[2]
    for i in range(len(left)):
        extra, power = exp(_clipped(shift[i], -6.0, 4.0)), exp(_clipped(exponent[i], -3.0, 2.5))
        left[i] = _left(depth[i], cards[i], room[i], scale[i], power, extra, passed[i])


@entry
def _left_for_all(glance, scale, power, extra, passed, left):
    """... or the three numbers are the same in all."""
    depth, cards, room = glance[DEPTH], glance[CARDS], glance[ROOM]
    for i in range(len(left)):
        left[i] = _left(depth[i], cards[i], room[i], scale, power, extra, passed[i])


def _schedule(obs: Observation, three: Floats) -> Floats:
    """Seconds still to wait: since the pile last rose, face down since the level began."""
    left = np.empty(obs.rows)
    if three.shape[1] == 1 < obs.rows:
        scale, exponent, shift = three[:, 0].tolist()
        power, extra = math.exp(min(max(exponent, -3.0), 2.5)), math.exp(min(max(shift, -6.0), 4.0))
        _left_for_all(obs.glance, scale, power, extra, obs.passed, left)
    else:
        _left_per_row(obs.glance, three, obs.passed, left)
    return left


@inlined
def _clipped(x, least, most):
    x = x if x > least else least
    return x if x < most else most


@entry
def _tanh(x):
    for k in range(x.shape[0]):
        row = x[k]
        for i in range(len(row)):
            row[i] = 1.0 - 2.0 / (exp(2.0 * row[i]) + 1.0)


@entry
def _next_layer(units, out, three):
    """three[k] = out[k, 0] + sum of out[k, j + 1] x unit j."""
    three[:] = 0.0
    for k in range(len(three)):
        total = three[k]
        for j in range(len(units)):
            unit, weight = units[j], out[k, j + 1]
            for i in range(len(total)):
                total[i] += weight * unit[i]
        for i in range(len(total)):
            total[i] += out[k, 0]


@entry
def _by_table(glance, waits, passed, left):
    """What is left of waits in a table by others' cards and depth."""
    depth, others = glance[DEPTH], glance[OTHERS]
    for i in range(len(left)):
        wait = waits[min(others[i], 127), depth[i]] - passed[i]
        left[i] = wait if wait > 0.0 else 0.0


@policies.register("learn_log_linear", timing="gap")
@dataclass(frozen=True)
class LogLinear:
    """Scale, exponent and shift of the schedule are exponentials of sums of features.

    Parameters
    ----------
    features : tuple of str
        Names from `features.FEATURES`, but those that depend on the own card (``depth, expected``).
    scale, exponent, shift : tuple of float
        A weight for each feature; shorter tuples leave out the last features. ``log scale = sum of weight x feature``,
        scale in seconds; likewise exponent and shift.

    Examples
    --------
    >>> import mindsim as ms
    >>> policy = ms.policies.LogLinear(("one", "last_life"), scale=(0.4, 1.0), exponent=(0.7,), shift=(-1.0,))
    >>> games = ms.simulate(ms.Rules.the_mind(2), policy, n_games=20, seed=1)
    """

    features: tuple[str, ...] = ("one",)
    scale: tuple[float, ...] = field(default=(0.4,), metadata={"learn": 0.3})
    exponent: tuple[float, ...] = field(default=(0.7,), metadata={"learn": 0.15})
    shift: tuple[float, ...] = field(default=(-1.2,), metadata={"learn": 0.3})

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        require_shared("LogLinear", self.features)
        for name in ("scale", "exponent", "shift"):
            object.__setattr__(self, name, as_weights("LogLinear", name, getattr(self, name), self.features))

    @cached_property
    def _weights(self) -> Weights:
        return Weights(self.features, self.scale, self.exponent, self.shift)

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        return _schedule(obs, self._weights.sums(obs))


@policies.register("learn_mlp", timing="gap")
@dataclass(frozen=True)
class MLP:
    """Scale, exponent and shift of the schedule come from a network with one hidden layer (tanh).

    Parameters
    ----------
    features : tuple of str
        Its inputs, names from `features.FEATURES` that do not depend on the own card.
    hidden : tuple of tuples of float
        For each hidden unit a weight for each feature.
    out : tuple of tuples of float
        For log scale, log exponent and log shift: the bias, then a weight for each hidden unit.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.MLP.fresh(("one", "lives", "level"), units=2, seed=1).out[0]
    (0.4, 0.0, 0.0)
    """

    features: tuple[str, ...] = ("one",)
    hidden: tuple[tuple[float, ...], ...] = field(default=((0.0,),), metadata={"learn": 0.3})
    out: tuple[tuple[float, ...], ...] = field(
        default=((0.4, 0.0), (0.7, 0.0), (-1.2, 0.0)), metadata={"learn": 0.2}
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        require_shared("MLP", self.features)
        units = len(self.hidden)
        object.__setattr__(self, "hidden", _table("MLP", "hidden", self.hidden, (units, len(self.features))))
        object.__setattr__(self, "out", _table("MLP", "out", self.out, (3, units + 1)))

    @classmethod
    def fresh(cls, features: tuple[str, ...], units: int = 6, seed: int = 0) -> MLP:
        """A network whose hidden units draw their weights and whose outputs are constant: where a search begins."""
        draws = np.random.default_rng(seed).normal(0.0, 0.7, (units, len(features)))
        rest = (0.0,) * units
        return cls(features, tuple(map(tuple, draws.tolist())), ((0.4, *rest), (0.7, *rest), (-1.2, *rest)))

    @cached_property
    def _layers(self) -> tuple[Weights, Floats]:
        return Weights(self.features, *self.hidden), np.array(self.out)

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        first, out = self._layers
        units = first.sums(obs)
        three = np.empty((3, units.shape[1]))
        _tanh(units)
        _next_layer(units, out, three)
        return _schedule(obs, three)


@policies.register("learn_table", timing="gap")
@dataclass(frozen=True)
class Table:
    """The logarithm of the wait over bins of depth and of others' cards, interpolated between them.

    Parameters
    ----------
    depths : tuple of float
        Depths of the columns, rising, at least 1.
    others : tuple of float
        Numbers of others' cards of the rows, rising, at least 1.
    first : tuple of float
        Log seconds at the first depth, for each row.
    rises : tuple of tuples of float
        For each row, how much the log wait rises to each following depth: ``log(1 + exp(r))``, so never less than 0.

    Examples
    --------
    >>> import mindsim as ms
    >>> table = ms.policies.Table(depths=(1, 10), others=(1, 8), first=(-1.0, -1.5), rises=((3.0,), (4.0,)))
    >>> ms.probe(table, card=[2, 11], others=1).table["wait"].round(2).tolist()
    [0.37, 7.76]
    """

    depths: tuple[float, ...] = (1.0, 10.0, 99.0)
    others: tuple[float, ...] = (1.0,)
    first: tuple[float, ...] = field(default=(-3.9,), metadata={"learn": 0.3})
    rises: tuple[tuple[float, ...], ...] = field(default=((4.6, 4.6),), metadata={"learn": 0.3})

    def __post_init__(self) -> None:
        for name in ("depths", "others", "first"):
            object.__setattr__(self, name, as_numbers("Table", name, getattr(self, name)))
        for name in ("depths", "others"):
            values = getattr(self, name)
            if not values or values[0] < 1.0 or np.any(np.diff(values) <= 0.0):
                raise ValueError(f"Table: {name} must rise from at least 1, not {values!r}")
        if len(self.first) != len(self.others):
            raise ValueError(f"Table: first must have {len(self.others)} numbers, not {len(self.first)}")
        shape = (len(self.others), len(self.depths) - 1)
        object.__setattr__(self, "rises", _table("Table", "rises", self.rises, shape))

    @cached_property
    def _dense(self) -> Floats:
        """Waits for every number of others' cards and every depth; none at depth 0."""
        knots = np.array(self.first)[:, None] + np.cumsum(
            np.column_stack([np.zeros(len(self.others)), np.logaddexp(0.0, np.array(self.rises))]), axis=1
        )
        x, y = np.log(np.maximum(_GAPS, 1.0)), np.log(np.maximum(_GAPS, 1.0))
        rows = np.array([np.interp(x, np.log(self.depths), row) for row in knots])
        log_waits = np.array([np.interp(y, np.log(self.others), column) for column in rows.T]).T
        return np.where(_GAPS > 0.0, np.exp(np.minimum(log_waits, _LONGEST)), 0.0)

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        left = np.empty(obs.rows)
        _by_table(obs.glance, self._dense, obs.passed, left)
        return left


@policies.register("learn_by_gap", timing="gap")
@dataclass(frozen=True)
class ByGap:
    """A wait for each gap, in any order: what a learner that starts from nothing may come to.

    Parameters
    ----------
    waits : tuple of float
        Seconds for gaps 0, 1, 2 ...; the last one also for all wider gaps.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.probe(ms.policies.ByGap((0.0, 0.1, 0.5)), card=[1, 2, 9]).table["wait"].tolist()
    [0.1, 0.5, 0.5]
    """

    waits: tuple[float, ...] = (0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "waits", as_numbers("ByGap", "waits", self.waits))
        if not self.waits or min(self.waits) < 0.0:
            raise ValueError(f"ByGap: waits must be at least one number of at least 0, not {self.waits!r}")

    def wait(self, obs: Observation) -> Floats:
        """Seconds to wait, one for each row."""
        return obs.remaining(np.array(self.waits).take(obs.gap, mode="clip"))


@registry.stars.register("learn_score")
@dataclass(frozen=True)
class Score:
    """Raise a hand at once where a weighted sum of features is above 0; always consent.

    No hand goes up while the own card is certain to be next or nobody else holds a card.

    Parameters
    ----------
    features : tuple of str
        Names from `features.FEATURES`.
    weights : tuple of float
        One for each.

    Examples
    --------
    >>> import mindsim as ms
    >>> ms.policies.Score(("one", "last_level"), (-1.0, 2.0))
    Score(features=('one', 'last_level'), weights=(-1.0, 2.0))
    """

    features: tuple[str, ...] = ("one",)
    weights: tuple[float, ...] = field(default=(-1.0,), metadata={"learn": 0.5})

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        columns(self.features)
        object.__setattr__(self, "weights", as_numbers("Score", "weights", self.weights))
        if len(self.weights) != len(self.features):
            raise ValueError(f"Score: weights must have {len(self.features)} numbers, not {len(self.weights)}")

    @cached_property
    def _sum(self) -> Weights:
        return Weights(self.features, self.weights)

    def raise_hand(self, obs: Observation) -> Floats:
        """Seconds until the hand goes up."""
        up = (self._sum.sums(obs)[0] > 0.0) & (obs.glance[DEPTH] > 0) & (obs.others_cards > 0) & (obs.stars > 0)
        return np.where(up, 0.0, np.inf)

    def consent(self, obs: Observation) -> NDArray[np.bool_]:
        """Agree with the raised hand?"""
        return np.ones(obs.rows, dtype=bool)
