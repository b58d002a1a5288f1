"""A small set of games with the engine interpreted, and with bounds checked: the same games, and no read out of range.

Numba leaves arrays unchecked when it compiles, so a read out of range would return garbage. Each mode needs a process
of its own.
"""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
INTERPRETED = {"NUMBA_DISABLE_JIT": "1"}


def run(code: str, **environment: str) -> str:
    """Run some Python in a fresh process and return what it prints."""
    path = os.pathsep.join([str(TESTS.parent), str(TESTS), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path, **environment}, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


AGAINST_THE_REFERENCE = """
import test_reference as t
for number in {numbers}:
    t.test_random_games(number)
print("same")
"""

EVENTS = """
import hashlib
import mindsim as ms
from mindsim.rules import Rules
digest = hashlib.sha256()
for rules in (Rules.the_mind(2), Rules.campaign(2), Rules.extreme(3)):
    me = ms.Player(ms.policies.GapLinear(0.1), clock=ms.clocks.Scalar(0.2, 0.1), reaction=0.2, stars=ms.stars.At(3.0))
    games = ms.simulate(rules, me, 3, seed=5, record=True)
    digest.update(games.events.to_csv(float_format="%.17g").encode())
    digest.update(games.to_frame().to_csv(float_format="%.17g").encode())
print(digest.hexdigest())
"""


POLICIES = """
import test_compiled_policies as t
for policy, twin in t.PAIRS:
    for rules in {rules}:
        t.agree(policy, twin, t.RULES[rules], 1)
print("same")
"""


def test_interpreted_games_are_those_of_the_rules():
    """Plain Python finds what compiled code would overlook: reads out of range, overflow, wrong types."""
    assert run(AGAINST_THE_REFERENCE.format(numbers=list(range(60))), **INTERPRETED) == "same\n"


def test_interpreted_policies_are_those_in_plain_numpy():
    assert run(POLICIES.format(rules=["two tracks", "face down"]), **INTERPRETED) == "same\n"


def test_interpreted_compiled_and_cached_games_are_the_same():
    """The second compiled run is sure to take its code from the cache."""
    first, cached = run(EVENTS), run(EVENTS)
    assert run(EVENTS, **INTERPRETED) == first == cached


@pytest.fixture(scope="module")
def own_cache(request) -> str:
    """A place for code compiled with bounds checks; it is kept, so that only the first run compiles."""
    return str(request.config.cache.mkdir("numba-boundscheck"))


def test_bounds_checked(own_cache):
    numbers = [2, 6, 37, 11, 16]  # two players with one track, four with two
    code = AGAINST_THE_REFERENCE.format(numbers=numbers)
    assert run(code, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=own_cache).strip().endswith("same")


def test_bounds_checks_are_on(own_cache):
    """Negative control: in that mode a read out of range is an error."""
    code = """
import numpy as np
from numba import njit

@njit
def beyond(x):
    return x[len(x)]

try:
    beyond(np.zeros(3))
except IndexError:
    print("caught")
"""
    assert run(code, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=own_cache).strip() == "caught"
