"""When stops are called."""
from __future__ import annotations

import math

import pytest

import mindsim as ms
from mindsim.situations import situations

S = ms.stops
EVERY = [S.Never(), S.At(3.0), S.AfterSilence(2.0)]


def called(stops, **situation):
    return stops.call(situations(**situation)).tolist()


def test_by_hand():
    assert called(S.Never(), card=[5, 0]) == [math.inf, math.inf]
    assert called(S.At(3.0), card=5, elapsed=[0.0, 2.0, 9.0]) == [3.0, 1.0, 0.0]
    assert called(S.At(3.0), card=5, stops_here=1) == [math.inf]
    assert called(S.AfterSilence(2.0), card=[5, 50], elapsed=[0.0, 9.0]) == [2.0, 2.0]


@pytest.mark.parametrize("stops", EVERY, ids=repr)
def test_every_rule_conforms(stops):
    ms.testing.check_stops(stops)
    assert eval(repr(stops), vars(S)) == stops and hash(stops) == hash(eval(repr(stops), vars(S)))


def test_in_a_game_silence_is_broken_by_a_stop():
    rules = ms.Rules(2, [ms.Level(1)], lives=1, stars=0, max_stops=3)
    me = ms.Player(ms.policies.GapLinear(1.0), stops=S.AfterSilence(2.0))
    events = ms.simulate(rules, me, n_games=1, seed=0, deals=[[[9], [40]]], record=True).events
    assert events[events.event == "stop"].time.tolist() == [2.0, 4.0, 6.0]  # then the level's three are used up
    assert events[events.event == "play"].time.tolist() == [9.0, 9.0]


@pytest.mark.parametrize("make", [lambda: S.At(-1.0), lambda: S.AfterSilence(0.0)])
def test_bad_parameters_are_named(make):
    with pytest.raises(ValueError, match="seconds must be a number"):
        make()
