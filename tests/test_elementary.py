"""exp and log of compiled loops against NumPy's: how many units in the last place they are off."""
from __future__ import annotations

import numpy as np
import pytest

from mindsim import elementary
from mindsim.jit import entry


@entry
def _exp(x, out):
    for i in range(len(x)):
        out[i] = elementary.exp(x[i])


@entry
def _log(x, out):
    for i in range(len(x)):
        out[i] = elementary.log(x[i])


@entry
def _exp_single(x, out):
    for i in range(len(x)):
        out[i] = elementary.exp_single(x[i])


def of(function, x) -> np.ndarray:
    out = np.empty(len(x))
    function(np.asarray(x, float), out)
    return out


def off(found: np.ndarray, right: np.ndarray) -> float:
    """The largest distance, in units in the last place."""
    return float((np.abs(found - right) / np.spacing(np.abs(right))).max())


DRAWS = np.random.default_rng(1)


@pytest.mark.parametrize("spread", [0.01, 1.0, 100.0])
def test_exp(spread):
    x = np.clip(DRAWS.normal(0.0, spread, 5000), -700.0, 700.0)
    assert off(of(_exp, x), np.exp(x)) <= 2.0


@pytest.mark.parametrize("spread", [0.01, 1.0, 100.0])
def test_log(spread):
    x = np.exp(DRAWS.normal(0.0, spread, 5000))
    assert off(of(_log, x), np.log(x)) <= 4.0


def test_exp_stays_an_ordinary_number():
    assert of(_exp, [0.0, -1e9, 1e9]).tolist() == [1.0, *of(_exp, [-708.0, 709.0])]
    assert np.isfinite(of(_exp, [-np.inf, np.inf])).all()


def test_log_of_powers_of_two():
    n = np.arange(-1000, 1000)
    assert off(of(_log, 2.0**n) + 1.0, n * np.log(2.0) + 1.0) <= 1.0
    assert of(_log, [1.0]).tolist() == [0.0]


@pytest.mark.parametrize("spread", [0.01, 1.0, 30.0])
def test_exp_single(spread):
    x = np.clip(DRAWS.normal(0.0, spread, 5000), -86.0, 86.0).astype(np.float32)
    out = np.empty(len(x), np.float32)
    _exp_single(x, out)
    assert np.abs(out / np.exp(x.astype(float)) - 1.0).max() <= 4.0 * 2.0**-24


def test_exp_single_stays_an_ordinary_number():
    out = np.empty(5, np.float32)
    _exp_single(np.array([0.0, -1e9, 1e9, -np.inf, np.inf], np.float32), out)
    assert out[0] == 1.0 and np.isfinite(out).all() and (out > 0.0).all()
