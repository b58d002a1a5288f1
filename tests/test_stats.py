"""Statistics against known answers, other implementations, and their promised coverage in simulation."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from mindsim import stats

NOMINAL, WITHIN = 0.95, 0.01


def covered(truth: float, low: np.ndarray, high: np.ndarray) -> float:
    return float(np.mean((np.asarray(low) <= truth) & (truth <= np.asarray(high))))


# --- one quantity ----------------------------------------------------------------------------------------------------
def test_wilson_known_value():
    low, high = stats.wilson(8, 10)
    assert (low, high) == pytest.approx((0.49016, 0.94332), abs=1e-5)


def test_wilson_takes_arrays_and_knows_nothing_of_no_games():
    low, high = stats.wilson([0, 5, 0], [10, 10, 0])
    assert low[0] == 0 and 0.2 < high[0] < 0.4 and np.isnan(low[2]) and np.isnan(high[2])
    assert stats.share(5, 10).value == 0.5


def test_wilson_ends_where_shares_end():
    low, high = stats.wilson([0, 100_000, 7], [100_000, 100_000, 7])
    assert low[0] == 0.0 and high[1] == 1.0 and high[2] == 1.0


def test_wilson_refuses_more_successes_than_tries():
    with pytest.raises(ValueError, match="between 0 and n"):
        stats.wilson(11, 10)
    with pytest.raises(ValueError, match="confidence"):
        stats.wilson(1, 10, confidence=95)


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.9])
def test_wilson_coverage(p):
    k = np.random.default_rng(1).binomial(1000, p, size=40_000)
    assert abs(covered(p, *stats.wilson(k, 1000)) - NOMINAL) < WITHIN


def test_the_textbook_interval_would_fail_the_coverage_test():
    k = np.random.default_rng(1).binomial(100, 0.02, size=40_000) / 100
    reach = 1.96 * np.sqrt(k * (1 - k) / 100)
    assert abs(covered(0.02, k - reach, k + reach) - NOMINAL) > 5 * WITHIN


def test_mean_interval_is_that_of_scipy():
    from scipy.stats import ttest_1samp

    x = np.random.default_rng(2).gamma(2.0, size=50) + 1e6
    known = ttest_1samp(x, 0).confidence_interval(0.95)
    assert tuple(stats.mean_interval(x)) == pytest.approx((x.mean(), known.low, known.high), rel=1e-12)


def test_mean_interval_of_one_or_no_game():
    assert stats.mean_interval([3.0]).value == 3.0 and math.isnan(stats.mean_interval([3.0]).low)
    assert math.isnan(stats.mean_interval([]).value)


def test_mean_coverage_on_skewed_durations():
    rng = np.random.default_rng(3)
    found = [stats.mean_interval(rng.lognormal(0, 0.5, 200)) for _ in range(8_000)]
    assert abs(covered(math.exp(0.125), [f.low for f in found], [f.high for f in found]) - NOMINAL) < WITHIN


def test_bootstrap_repeats_and_covers():
    rng = np.random.default_rng(4)
    x = rng.normal(5, 2, 300)
    assert stats.bootstrap_interval(x, seed=1) == stats.bootstrap_interval(x, seed=1)
    assert stats.bootstrap_interval(x, seed=1) != stats.bootstrap_interval(x, seed=2)
    found = [stats.bootstrap_interval(rng.normal(5, 2, 300), resamples=800) for _ in range(4_000)]
    assert abs(covered(5, [f.low for f in found], [f.high for f in found]) - NOMINAL) < WITHIN


def test_ratio_is_the_weighted_regression_of_statsmodels():
    import statsmodels.api as sm

    rng = np.random.default_rng(5)
    cards = rng.integers(1, 60, 400).astype(float)
    seconds = cards * rng.lognormal(0, 0.4, 400)
    fit = sm.WLS(seconds / cards, np.ones(400), weights=cards).fit(cov_type="HC1", use_t=True)
    low, high = fit.conf_int()[0]
    assert tuple(stats.ratio_interval(seconds, cards)) == pytest.approx((fit.params[0], low, high), rel=1e-9)


def clustered_games(rng, n):
    """Cards and mistakes of n games whose luck differs: mistakes cluster by game. 5 mistakes per 100 cards."""
    cards = rng.integers(20, 101, n)
    return rng.binomial(cards, rng.beta(2, 38, n)), cards


def test_clustered_ratio_coverage_and_that_ignoring_the_clusters_fails():
    rng = np.random.default_rng(6)
    samples = [clustered_games(rng, 400) for _ in range(8_000)]
    found = [stats.ratio_interval(m, c) for m, c in samples]
    assert abs(covered(0.05, [f.low for f in found], [f.high for f in found]) - NOMINAL) < WITHIN
    naive = [stats.wilson(m.sum(), c.sum()) for m, c in samples[:500]]
    assert covered(0.05, [n[0] for n in naive], [n[1] for n in naive]) < 0.85


def test_ratio_without_cards_is_unknown():
    assert math.isnan(stats.ratio_interval([0, 0], [0, 0]).value)
    with pytest.raises(ValueError, match="one entry per game"):
        stats.ratio_interval([1, 2], [1])


def test_moments_give_the_same_as_arrays():
    from mindsim.stats.intervals import interval_from_moments, ratio_from_moments

    rng = np.random.default_rng(7)
    x, y = rng.gamma(3, 100, 1000), rng.integers(1, 80, 1000).astype(float)
    assert interval_from_moments(1000, x.sum(), (x * x).sum()) == pytest.approx(stats.mean_interval(x))
    sums = (x.sum(), y.sum(), (x * x).sum(), (x * y).sum(), (y * y).sum())
    assert ratio_from_moments(1000, *sums) == pytest.approx(stats.ratio_interval(x, y))


# --- curves and tables -----------------------------------------------------------------------------------------------
def test_share_within_counts_lost_games_too():
    curve = stats.share_within([1, 1, 0, 1], [10.0, 30.0, 5.0, 20.0], [5, 10, 29.9, 30])
    assert curve.value.tolist() == [0, 0.25, 0.5, 0.75]
    assert (curve.low <= curve.value).all() and (curve.value <= curve.high).all()


def test_pace_and_mistakes():
    assert stats.pace([100.0, 90.0], [50, 50]).value == pytest.approx(1.9)
    assert stats.mistakes_per_100_cards([1, 0, 2, 0], [50, 60, 30, 60]).value == pytest.approx(1.5)


def test_survival_counts_survivors():
    table = stats.survival([2, 1, 0, 2, 3], [3, 2, 1, 3, 3], 3)
    assert table["reached"].tolist() == [5, 4, 3] and table["passed"].tolist() == [4, 3, 1]
    assert table["pass_rate"].tolist() == pytest.approx([0.8, 0.75, 1 / 3])
    assert table["share_passed"].tolist() == pytest.approx([0.8, 0.6, 0.2])
    assert table.index.name == "level"


def test_survival_of_a_level_nobody_reached_is_unknown():
    table = stats.survival([0, 0], [1, 1], 2)
    assert table["reached"].tolist() == [2, 0] and np.isnan(table.loc[2, "pass_rate"])


# --- two teams -------------------------------------------------------------------------------------------------------
def test_mcnemar_is_the_exact_binomial():
    from scipy.stats import binomtest

    a, b = np.array([1] * 12 + [0] * 3 + [1] * 20, bool), np.array([0] * 12 + [1] * 3 + [1] * 20, bool)
    found = stats.mcnemar(a, b)
    assert (found.only_a, found.only_b) == (12, 3) and found.p == pytest.approx(binomtest(12, 15).pvalue)
    assert stats.mcnemar(a, a).p == 1.0


def correlated_wins(rng, n, repeats):
    """Two teams on common deals: 60% and 55% wins, strongly tied to the deal."""
    luck = rng.random((repeats, n))
    swap = rng.random((repeats, n)) < 0.3
    return luck < 0.6, np.where(swap, rng.random((repeats, n)), luck) < 0.55


def test_share_difference_coverage_pairs_needed():
    a, b = correlated_wins(np.random.default_rng(8), 500, 20_000)
    only_a, only_b = (a & ~b).sum(1), (b & ~a).sum(1)
    found = [stats.share_difference(x, y, 500) for x, y in zip(only_a[:8000], only_b[:8000], strict=True)]
    assert abs(covered(0.05, [f.low for f in found], [f.high for f in found]) - NOMINAL) < WITHIN


def test_share_difference_has_a_width_when_no_game_differs():
    found = stats.share_difference(0, 0, 10)
    assert found.value == 0 and found.low < -0.1 and found.high > 0.1
    assert not stats.is_equivalent(found, 0.01)
    assert stats.is_equivalent(stats.share_difference(0, 0, 10_000), 0.01)


def test_paired_bootstrap_is_that_of_scipy():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(9)
    a = rng.integers(0, 13, 400)
    b = np.clip(a + rng.integers(-2, 3, 400), 0, 12)
    known = bootstrap((a - b,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(1))
    found = stats.paired_bootstrap(a, b, resamples=20_000)
    assert found.low == pytest.approx(known.confidence_interval.low, abs=0.006)
    assert found.high == pytest.approx(known.confidence_interval.high, abs=0.006)
    assert found == stats.paired_bootstrap(a, b, resamples=20_000)


def test_paired_bootstrap_coverage():
    rng = np.random.default_rng(10)
    found = []
    for _ in range(6_000):
        deal = rng.integers(0, 9, 300)
        found.append(
            stats.paired_bootstrap(deal + rng.integers(0, 5, 300), deal + rng.integers(0, 4, 300), resamples=2_000)
        )
    assert abs(covered(0.5, [f.low for f in found], [f.high for f in found]) - NOMINAL) < WITHIN


def test_paired_gain_is_the_ratio_of_games_needed():
    rng = np.random.default_rng(11)
    deal = rng.normal(size=100_000)
    a, b = deal + 0.5 * rng.normal(size=deal.size), deal + 0.5 * rng.normal(size=deal.size)
    assert stats.paired_gain(a, b) == pytest.approx(2.5 / 0.5, rel=0.03)
    assert stats.paired_gain(a, rng.permutation(b)) == pytest.approx(1.0, rel=0.03)
    assert stats.paired_gain(a, a) == math.inf and math.isnan(stats.paired_gain([1, 1], [1, 1]))


def test_games_to_resolve_gives_the_power_promised():
    n = int(stats.games_to_resolve(0.2, 1.0))
    x = np.random.default_rng(12).normal(0.2, 1.0, (20_000, n))
    z = x.mean(1) / (x.std(1, ddof=1) / math.sqrt(n))
    assert np.mean(np.abs(z) > 1.96) == pytest.approx(0.8, abs=0.02)
    assert stats.games_to_resolve(0.0, 1.0) == math.inf


def test_holm_is_the_step_down_rule():
    assert stats.holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert stats.holm([]).size == 0
    p = np.random.default_rng(13).random(10)
    steps = np.maximum.accumulate(np.sort(p) * np.arange(10, 0, -1)).clip(max=1)
    assert np.sort(stats.holm(p)) == pytest.approx(steps)


def test_pairs_must_match():
    with pytest.raises(ValueError, match="same games"):
        stats.mcnemar([1, 0], [1])
    with pytest.raises(ValueError, match="margin"):
        stats.is_equivalent(stats.Estimate(0, 0, 0), 0)


def test_tables_are_pandas():
    assert isinstance(stats.survival([1], [1], 1), pd.DataFrame)


# --- compare ---------------------------------------------------------------------------------------------------------
def played(won, levels=None, seed=1, rules="rules", duration=None):
    """What `compare` needs of games."""
    won = np.asarray(won, dtype=bool)
    levels = won.astype(int) * 12 if levels is None else np.asarray(levels)
    duration = np.full(won.size, 100.0) if duration is None else duration
    return SimpleNamespace(
        won=won, levels_completed=levels, duration=duration, cards_played=levels * 10 + 1, mistakes=1 - won,
        n_games=won.size, seed=seed, rules=rules, first_game=0,
    )  # fmt: skip


def test_compare_finds_the_better_team_and_the_gain_of_common_deals():
    a, b = (played(w[0]) for w in correlated_wins(np.random.default_rng(15), 4_000, 1))
    report = stats.compare(a, b, names=("new", "old"))
    assert report.verdict == "new wins more often" and report.p < 0.001 and report.gain_wins > 1.5
    assert report.win_difference.value == pytest.approx(a.won.mean() - b.won.mean())
    assert report.levels_difference.value == pytest.approx(12 * report.win_difference.value)
    assert (report.only_first, report.only_second) == ((a.won & ~b.won).sum(), (b.won & ~a.won).sum())
    assert "exact McNemar" in str(report) and "<table" in report._repr_html_() and "old" in report._repr_html_()


def test_compare_tells_small_from_unresolved_and_equivalent():
    won = np.arange(10_000) % 10 < 7
    nearly = won.copy()
    nearly[:30] = True
    assert stats.compare(played(nearly), played(won)).verdict == (
        "first wins more often, but by less than the margin of 0.01"
    )
    assert stats.compare(played(won), played(won)).verdict.startswith("equivalent: ")
    few = stats.compare(played([1, 0, 1, 0, 1]), played([0, 0, 1, 0, 1]))
    assert few.verdict.startswith("not resolved; about ") and not few.equivalent
    same = stats.compare(played([1, 0, 1]), played([1, 1, 0]))
    assert "no number of games is expected to tell them apart" in same.verdict


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seed": 2}, "different seeds, 1 and 2"),
        ({"rules": "other"}, "different rules"),
        ({"won": [1, 0]}, "numbers of games"),
    ],
)
def test_compare_refuses_what_is_not_paired(change, says):
    with pytest.raises(ValueError, match=says):
        stats.compare(played([1, 0, 1]), played(**{"won": [1, 0, 1], **change}))
    with pytest.raises(ValueError, match="margin must be above 0"):
        stats.compare(played([1, 0, 1]), played([1, 0, 1]), margin=-1)
