"""The conformance checks fail on parts that are deliberately bad."""
from __future__ import annotations

import numpy as np
import pytest

import mindsim as ms
from mindsim.observation import FIELDS
from mindsim.testing import ConformanceError, cases, check_clock, check_policy, check_reaction, check_stars, check_stops


# --- seven bad policies, and some more -------------------------------------------------------------------------------
def one_number_for_all(obs):
    return 1.0


def too_short(obs):
    return obs.gap[:-1] * 0.1


def not_a_number(obs):
    return np.where(obs.gap > 30, np.nan, 1.0)


def negative(obs):
    return 0.1 * obs.gap - obs.since_top


def looks_at_other_rows(obs):
    return 0.1 * (obs.gap - obs.gap.min(initial=200)) + 0.01


def by_place(obs):
    return 0.1 * np.arange(obs.rows, dtype=float)


def global_dice(obs):
    return np.random.random(obs.rows)  # noqa: NPY002


def meddles(obs):
    obs.gap.flags.writeable = True
    obs.gap[:] = 1
    return 0.1 * obs.gap


def whole_numbers(obs):
    return obs.gap


class Remembers:
    """Keeps a count of its own beside the games' memory."""

    def __init__(self):
        self.asked = 0

    def wait(self, obs):
        self.asked += 1
        return 0.1 * obs.gap + self.asked


class NotesWhileWaiting:
    memory = 1

    def wait(self, obs):
        obs.memory[:, 0] += 1.0
        return 0.1 * obs.gap


class NotesOthersRows:
    memory = 1

    def watch(self, obs):
        obs.memory[:, 0] = np.arange(obs.rows)

    def wait(self, obs):
        return 0.1 * obs.gap


class OddMemory:
    memory = "lots"

    def wait(self, obs):
        return 0.1 * obs.gap


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (one_number_for_all, "must be an array, not float"),
        (too_short, "must have shape"),
        (not_a_number, "is NaN in some rows"),
        (negative, "is negative in some rows"),
        (looks_at_other_rows, "another answer|other answers"),
        (by_place, "other answers for reversed rows: rows must be independent"),
        (global_dice, "another answer when asked the same again"),
        (meddles, "changes the observation's 'gap'"),
        (whole_numbers, "must hold float64, not int64"),
        (Remembers(), "another answer when asked the same again"),
        (NotesWhileWaiting(), "changes the observation's 'memory'"),
        (NotesOthersRows(), "notes other things for reversed rows"),
        (OddMemory(), "must be a number of floats to keep, not 'lots'"),
    ],
)
def test_bad_policies_fail(policy, words):
    with pytest.raises(ConformanceError, match=words):
        check_policy(policy)


def test_a_plain_function_passes():
    check_policy(lambda obs: obs.remaining(0.02 * obs.gap**2.0))


# --- the other parts -------------------------------------------------------------------------------------------------
class Clock:
    def __init__(self, rate=None, motor=None, lasts="epoch"):
        self.rate = rate or (lambda noise: noise.ones())
        self.motor, self.lasts = motor, lasts


@pytest.mark.parametrize(
    ("clock", "words"),
    [
        (Clock(rate=lambda noise: 1.0 + noise.normal()), "must be above 0"),
        (Clock(rate=lambda noise: np.full(noise.rows, np.inf)), "must be finite"),
        (Clock(rate=lambda noise: 1.0), "must be an array"),
        (Clock(rate=lambda noise: np.ones(3)), "must have shape"),
        (Clock(rate=lambda noise: np.random.random(noise.rows) + 1), "another answer"),  # noqa: NPY002
        (Clock(motor=lambda noise: np.arange(noise.rows) * 1.0), "rows must be independent"),
        (Clock(lasts="for ever"), "is 'for ever', not 'epoch', 'level' or 'game'"),
    ],
)
def test_bad_clocks_fail(clock, words):
    with pytest.raises(ConformanceError, match=words):
        check_clock(clock)


class Stars:
    def __init__(self, raise_hand=None, consent=None, prefer=None):
        self.raise_hand = raise_hand or (lambda obs: np.full(obs.rows, np.inf))
        self.consent = consent or (lambda obs: np.ones(obs.rows, bool))
        if prefer is not None:
            self.prefer = prefer


@pytest.mark.parametrize(
    ("stars", "words"),
    [
        (Stars(raise_hand=lambda obs: -1.0 * obs.gap), "raise_hand is negative"),
        (Stars(consent=lambda obs: np.ones(obs.rows)), "consent must hold truth values"),
        (Stars(consent=lambda obs: obs.raiser > obs.waited.min(initial=99)), "other answers|another answer"),
        (Stars(prefer=lambda obs: obs.track + 5), "prefer must be 0 or 1"),
    ],
)
def test_bad_stars_fail(stars, words):
    with pytest.raises(ConformanceError, match=words):
        check_stars(stars)


def test_bad_stops_and_reactions_fail():
    class Stops:
        def call(self, obs):
            return obs.gap * np.nan

    class Reaction:
        def draw(self, noise):
            return noise.normal()

    with pytest.raises(ConformanceError, match="call is NaN"):
        check_stops(Stops())
    with pytest.raises(ConformanceError, match="draw must be at least 0"):
        check_reaction(Reaction())


def test_made_up_situations_have_the_fields_and_types_of_real_ones():
    seen = {}

    def spy(obs):
        for field in FIELDS:
            seen.setdefault(field, getattr(obs, field))
        return 0.1 * obs.gap

    ms.simulate(ms.Rules.the_mind(2), spy, n_games=5, seed=1)
    for _, obs in cases(memory=0):
        for field in FIELDS:
            made_up = getattr(obs, field)
            assert made_up.dtype == seen[field].dtype and made_up.ndim == seen[field].ndim, field
