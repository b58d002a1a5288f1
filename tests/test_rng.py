"""Keyed random numbers: published vectors, the shape of the draws, fair deals, and no ties between keys.

All seeds are fixed, so these tests give the same answer in every run; their thresholds (p > 1e-4 each) are there for
whoever changes the generator.
"""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from reference import Draws, game_key, mix, shuffled_hands
from scipy import special, stats

from mindsim import rng
from mindsim.rules import Level, Rules

U64 = np.uint64
SMALLEST_P = 1e-4
# SplitMix64 from seed 1234567: the first outputs of Vigna's splitmix64.c, as published by many libraries
PUBLISHED = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


def keys(n: int, seed: int = 11) -> np.ndarray:
    return np.array([game_key(seed, game) for game in range(n)], dtype=U64)


def normals(n: int, seed: int = 11) -> np.ndarray:
    out = np.empty(n)
    rng.fill_normal(keys(n, seed), rng.channel(rng.WAIT, 1), out)
    return out


def uniforms(n: int, purpose: int = rng.WAIT, call: int = 1, seed: int = 11) -> np.ndarray:
    out = np.empty(n)
    rng.fill_uniform(keys(n, seed), rng.channel(purpose, call), out)
    return out


def test_stream_gives_the_published_vectors():
    assert [int(rng.stream(U64(1234567), U64(i))) for i in range(5)] == PUBLISHED


def test_published_vectors_can_fail():
    """A negative control: the next seed gives other numbers."""
    assert [int(rng.stream(U64(1234568), U64(i))) for i in range(5)] != PUBLISHED


def test_mix_is_a_permutation_that_keeps_no_pattern():
    """Each input bit flips about half of the output bits (avalanche), and no two inputs meet."""
    inputs = [game_key(3, i) for i in range(500)]
    flips = np.array([[(mix(z) ^ mix(z ^ (1 << bit))).bit_count() for bit in range(64)] for z in inputs])
    assert abs(flips.mean(axis=0) - 32).max() < 5 * 4 / np.sqrt(len(inputs))
    assert len({mix(z) for z in range(100_000)}) == 100_000


def test_python_and_compiled_draws_are_the_same():
    """The reference game computes its draws itself."""
    for game in (0, 1, 2**40):
        key = game_key(2**64 - 1, game)
        assert int(rng.game_key(U64(2**64 - 1), U64(game))) == key
        draws = Draws(key, rng.CONSENT)
        out = np.empty(1)
        rng.fill_uniform(np.array([key], dtype=U64), rng.channel(rng.CONSENT, 1), out)
        assert out[0] == draws.uniform()
        rng.fill_normal(np.array([key], dtype=U64), rng.channel(rng.CONSENT, 2), out)
        assert out[0] == draws.normal()


def test_uniform_lies_strictly_inside_and_is_uniform():
    u = uniforms(200_000)
    assert u.min() > 0 and u.max() < 1
    assert stats.kstest(u, "uniform").pvalue > SMALLEST_P
    assert abs(u.mean() - 0.5) < 4 / np.sqrt(12 * len(u))


@pytest.mark.parametrize("word, value", [(0, 0.0), (2**63, 0.5), (2**64 - 1, 1.0)])
def test_extreme_words_stay_inside(word, value):
    """The grid is 2**-52; what may not come out is 0 or 1 itself."""
    assert 0 < rng.to_uniform(U64(word)) < 1
    assert rng.to_uniform(U64(word)) == pytest.approx(value, abs=2.0**-52)
    assert np.isfinite(rng.to_normal(U64(word)))


def test_normal_deviates_are_the_inverse_of_the_normal_distribution():
    """The lowest bit is the sign and the rest the tail area: the cubics are right to 2e-9 over the whole range."""
    ordinary = keys(50_000)
    tails = np.array([game_key(5, i) >> shift for shift in range(50) for i in range(200)], dtype=U64)
    for words in (ordinary, tails):
        got = np.array([rng.to_normal(w) for w in words])
        area = (words | U64(2048)).astype(np.float64) * 2.0**-64
        want = -special.ndtri(area / 2) * np.where(words & U64(1), -1, 1)
        assert np.abs(got - want).max() < 2e-9
        assert np.abs(got).max() < 8.3


def test_normal_deviates_have_the_right_shape():
    z = normals(400_000)
    n = len(z)
    assert stats.kstest(z, "norm").pvalue > SMALLEST_P
    # mean, variance, skewness and kurtosis with their standard errors
    assert abs(z.mean()) < 4 / np.sqrt(n)
    assert abs(z.var() - 1) < 4 * np.sqrt(2 / n)
    assert abs(stats.skew(z)) < 4 * np.sqrt(6 / n)
    assert abs(stats.kurtosis(z)) < 4 * np.sqrt(24 / n)
    for threshold in (2.0, 3.0, 4.0):
        share = 2 * special.ndtr(-threshold)
        assert abs((np.abs(z) > threshold).mean() - share) < 4 * np.sqrt(share / n)


def test_rate_of_a_scalar_clock_is_one_plus_weber_times_the_normal():
    """One fused pass gives the same as two steps, kept above its lowest value."""
    out = np.empty(20_000)
    rng.fill_rate(keys(len(out)), rng.channel(rng.WAIT, 1), 0.5, 0.01, out)
    assert np.array_equal(out, np.maximum(1.0 + 0.5 * normals(len(out)), 0.01))
    assert (out == 0.01).any()


def test_purposes_calls_games_players_epochs_and_tracks_do_not_share_draws():
    """The correlation of any two streams is that of chance, and neighbouring games do not resemble each other."""
    n = 100_000
    base = uniforms(n)
    others = {
        "purpose": uniforms(n, purpose=rng.WATCH),
        "call": uniforms(n, call=2),
        "seed": uniforms(n, seed=12),
        "next game": np.roll(base, 1),
    }
    for name, constant in {"player": rng.PLAYER, "epoch": rng.EPOCH, "track": rng.TRACK, "level": rng.LEVEL}.items():
        out = np.empty(n)
        rng.fill_uniform(keys(n) + constant, rng.channel(rng.WAIT, 1), out)
        others[name] = out
    for (first, x), (second, y) in itertools.combinations([("base", base), *others.items()], 2):
        assert abs(np.corrcoef(x, y)[0, 1]) < 4.5 / np.sqrt(n), (first, second)
    for name, y in others.items():
        table = np.histogram2d(base, y, bins=8, range=[[0, 1], [0, 1]])[0]
        assert stats.chisquare(table.ravel()).pvalue > SMALLEST_P, name


def test_no_two_moments_share_a_key():
    """Keys of 4 players x 100 epochs x 2 tracks x 16 purposes x 3 calls in each of 3 games are all different."""
    words = {
        (game_key(0, game) + int(rng.EPOCH) * epoch + int(rng.PLAYER) * (player + 1) + int(rng.TRACK) * track
         + int(rng.channel(purpose, call))) % 2**64
        for game in range(3) for epoch in range(100) for player in range(4) for track in range(2)
        for purpose in range(1, 17) for call in range(1, 4)
    }
    assert len(words) == 3 * 100 * 4 * 2 * 16 * 3


def test_deals_are_fair():
    """Every card is as likely for every seat, and first and second cards are independent (chi-square)."""
    rules = Rules(players=2, levels=[Level(2)], lives=1, stars=0, deck=10)
    counts = np.zeros((2, 10))
    pairs = np.zeros((10, 10))
    n = 40_000
    for game in range(n):
        hands = shuffled_hands(game_key(1, game), 1, rules)
        for seat in range(2):
            counts[seat, [rank - 1 for rank in hands[seat][0]]] += 1
        pairs[min(hands[0][0]) - 1, min(hands[1][0]) - 1] += 1
    # each seat holds two of ten cards: the counts of one seat vary a little less than Poisson counts
    expected = n * 2 / 10
    for seat in range(2):
        statistic = ((counts[seat] - expected) ** 2 / (expected * 0.8)).sum() * 0.9
        assert special.chdtrc(9, statistic) > SMALLEST_P
    # the lowest cards a and b of the two hands: C(10-a, 1) C(..) orders, counted one by one
    want = np.zeros((10, 10))
    for cards in itertools.permutations(range(10), 4):
        want[min(cards[:2]), min(cards[2:])] += 1
    want *= n / want.sum()
    possible = want > 0
    assert (pairs[~possible] == 0).all()
    assert stats.chisquare(pairs[possible], want[possible]).pvalue > SMALLEST_P


def test_deals_of_levels_and_games_are_independent():
    rules = Rules(players=2, levels=[Level(1), Level(1)], lives=1, stars=0)
    n = 40_000
    first, second = np.empty(n), np.empty(n)
    for game in range(n):
        key = game_key(2, game)
        first[game] = min(shuffled_hands(key, 1, rules)[0][0])
        second[game] = min(shuffled_hands(key, 2, rules)[0][0])
    for x, y in ((first, second), (first[1:], first[:-1])):
        table = np.histogram2d(x, y, bins=10, range=[[1, 101], [1, 101]])[0]
        assert stats.chisquare(table.ravel()).pvalue > SMALLEST_P


def test_fair_draws_are_fair():
    """The draw among equals: no seat is preferred, whatever their number."""
    for m in (2, 3, 7):
        words = keys(70_000, seed=m)
        chosen = np.array([int(rng.below(w, U64(m))) for w in words])
        assert stats.chisquare(np.bincount(chosen, minlength=m)).pvalue > SMALLEST_P


@pytest.mark.parametrize("seed, error", [
    (1.0, TypeError), ("7", TypeError), (None, TypeError), (True, TypeError), (-1, ValueError), (2**64, ValueError),
])
def test_a_seed_must_be_a_word(seed, error):
    with pytest.raises(error, match="seed must be"):
        rng.as_seed(seed)


def test_any_word_is_a_seed():
    assert [int(rng.as_seed(s)) for s in (0, 2**64 - 1, np.int64(5))] == [0, 2**64 - 1, 5]
