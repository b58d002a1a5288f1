"""Looking at a policy without playing."""
from __future__ import annotations

import numpy as np
import pytest

import mindsim as ms

P = ms.policies


def test_waits_over_a_grid():
    table = ms.probe(P.GapLinear(0.5), card=[10, 20], top=[0, 12], others=[1, 3]).table
    assert len(table) == 6  # card 10 does not lie above 12
    assert np.array_equal(table.wait, 0.5 * table.gap) and set(table.others_cards) == {1, 3}


def test_several_policies_and_names():
    found = ms.probe(["metronome", ms.Player(P.Metronome(0.1), clock=ms.clocks.Scalar(0.5)), lambda obs: 1.0 * obs.gap],
                     card=[10, 20])  # fmt: skip
    assert found.table.wait.tolist() == pytest.approx([3.4, 6.8, 1.0, 2.0, 10.0, 20.0])  # a clock is left out
    assert found.varied == ["card"] and "<lambda>" in set(found.table.policy) and "metronome" not in found.varied


def test_draws_give_the_median_and_the_middle_of_the_spread():
    row = ms.probe(P.Uniform(10.0), card=50, draws=4000).table.iloc[0]
    assert row.wait == pytest.approx(5.0, abs=0.4)
    assert row.wait_low == pytest.approx(0.5, abs=0.2) and row.wait_high == pytest.approx(9.5, abs=0.2)


def test_any_field_may_vary():
    table = ms.probe(P.Metronome(0.1), card=50, elapsed=[0.0, 2.0, 9.0]).table
    assert table.wait.tolist() == pytest.approx([5.0, 3.0, 0.0]) and table.elapsed.tolist() == [0.0, 2.0, 9.0]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"elapse": 3.0}, TypeError, "unknown field 'elapse'"),
        ({"card": 5, "top": 9}, ValueError, "card must lie above top somewhere"),
        ({"card": range(1, 101), "top": range(100), "elapsed": range(201)}, ValueError, "at most 1000000"),
        ({"draws": 0}, ValueError, "draws must be a whole number of at least 1, not 0"),
    ],
)
def test_bad_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        ms.probe(P.GapLinear(0.1), **arguments)
