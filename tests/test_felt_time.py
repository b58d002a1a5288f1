"""Felt time: how a metronome's error grows, and what stops do about it.

Ada has a metronome and an unsteady clock; her card c is due at t = pace c. Bob's clock is exact, and he cuts her
interval into n equal pieces, by cards or by stops. In piece i her clock runs at rate R_i, so she feels t / n true
seconds as (t / n) / R_i; in the last piece she waits what she believes is left, W = t - sum over i < n of
(t / n) / R_i, which takes R_n W. She plays at

    T = (n - 1) t / n + R_n W.

Rates that last the level: R_i = R, hence T = R t exactly, whatever the pieces: one long interval, sd(T) = t sd(R).
Rates that last an epoch, lognormal with m = E R = E 1/R and v = var R = var 1/R:

    var T = (t / n)^2 (v (n - 1) v + v (n - (n - 1) m)^2 + (n - 1) v m^2),

that is about n v (t / n)^2: in a given interval t the error falls as 1 / sqrt(n), and over n pieces of the same
length it grows as sqrt(n), a random walk. So counted stops help a metronome whose clock is drawn anew, and bring
nothing to one whose rate lasts.
"""
from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr

import mindsim as ms

N = 40_000
SIGMA = 0.1
M = math.exp(SIGMA**2 / 2)
V = (math.exp(SIGMA**2) - 1) * math.exp(SIGMA**2)
ADA = 80  # her card


def sd_of_one_interval(t: float) -> float:
    return t * math.sqrt(V)


def sd_of_pieces(t: float, n: int) -> float:
    return t / n * math.sqrt(V * (n - 1) * V + V * (n - (n - 1) * M) ** 2 + (n - 1) * V * M**2)


def ada(lasts: str, t: float) -> ms.Player:
    return ms.Player(ms.policies.Metronome(t / ADA), clock=ms.clocks.Lognormal(SIGMA, lasts=lasts))


def times_of_ada(team, cards: list[int], **keywords) -> np.ndarray:
    """When Ada's card is played, in every game. Bob holds `cards` and a card that comes last."""
    rules = ms.Rules(2, [ms.Level(len(cards) + 1)], lives=100, stars=0, **keywords)
    # Ada's further cards come after hers
    deals = [[[ADA, *range(ADA + 1, ADA + 1 + len(cards))], [*cards, 100]]]
    games = ms.simulate(rules, team, N, seed=8, deals=deals, record=True)
    table = games.events
    return table[(table["event"] == "play") & (table["card"] == ADA)]["time"].to_numpy()


def cut_by_cards(lasts: str, t: float, n: int) -> np.ndarray:
    """Bob plays n - 1 cards, one each t / n."""
    cards = list(range(1, n))
    bob = ms.policies.Script({card: card * t / n for card in cards})
    return times_of_ada([ada(lasts, t), bob], cards)


def cut_by_stops(lasts: str, t: float, n: int) -> np.ndarray:
    """Bob calls stop n - 1 times, one each t / n."""
    bob = ms.Player(ms.policies.Script({}), stops=ms.stops.AfterSilence(t / n))
    return times_of_ada([ada(lasts, t), bob], [], max_stops=n - 1)


def assert_sd(times: np.ndarray, sd: float) -> None:
    """Within four standard errors (of a nearly normal sample)."""
    assert len(times) == N
    assert abs(times.std() - sd) < 4 * sd / math.sqrt(2 * N) * 1.05, (times.std(), sd)


@pytest.mark.parametrize("cut", [cut_by_cards, cut_by_stops])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_rate_that_lasts_the_level_errs_as_one_long_interval(cut, n):
    """Cards of others and stops leave the error as it is: stops bring nothing."""
    t = 16.0
    times = cut("level", t, n)
    assert_sd(times, sd_of_one_interval(t))
    # the very same moments as without any cut, to rounding: the rate is the same
    np.testing.assert_allclose(times, cut("level", t, 1), rtol=1e-12)


@pytest.mark.parametrize("cut", [cut_by_cards, cut_by_stops])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_rate_an_epoch_is_averaged_out(cut, n):
    """A given interval cut in n pieces errs by about 1 / sqrt(n) of it, by cards and by stops alike."""
    t = 16.0
    times = cut("epoch", t, n)
    assert_sd(times, sd_of_pieces(t, n))
    mean = (n - 1) * t / n + M * (t - (n - 1) * M * t / n)
    assert abs(times.mean() - mean) < 4 * times.std() / math.sqrt(N)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_rate_an_epoch_accumulates_as_a_random_walk(n):
    """Over n pieces of 4 seconds each the error grows as sqrt(n), where one long interval's grows as n."""
    times = cut_by_cards("epoch", 4.0 * n, n)
    assert_sd(times, sd_of_pieces(4.0 * n, n))
    assert sd_of_pieces(4.0 * n, n) == pytest.approx(4.0 * math.sqrt(n * V), rel=0.02)
    assert sd_of_one_interval(4.0 * n) == pytest.approx(4.0 * n * math.sqrt(V))


def test_the_two_figures_differ_enough_to_be_told_apart():
    """Negative control: the check refuses the other figure."""
    times = cut_by_stops("epoch", 16.0, 4)
    with pytest.raises(AssertionError):
        assert_sd(times, sd_of_one_interval(16.0))
    with pytest.raises(AssertionError):
        assert_sd(times, sd_of_pieces(16.0, 3))


def test_stops_win_games_only_for_a_rate_an_epoch():
    """40 against 50 on two metronomes: with a lasting rate the same games are lost with and without stops."""
    def lost(lasts: str, max_stops: int) -> np.ndarray:
        rules = ms.Rules(3, [ms.Level(1)], lives=1, stars=0, max_stops=max_stops)
        pair = ms.Player(ms.policies.Metronome(0.1), clock=ms.clocks.Lognormal(0.15, lasts=lasts))
        caller = ms.Player(ms.policies.Metronome(0.1), stops=ms.stops.AfterSilence(1.0))
        return ~ms.simulate(rules, [pair, pair, caller], N, seed=3, deals=[[[40], [50], [100]]]).won

    chance = ndtr(-math.log(50 / 40) / (0.15 * math.sqrt(2)))
    for lasts in ("level", "epoch"):
        assert abs(lost(lasts, 0).mean() - chance) < 4 * math.sqrt(chance * (1 - chance) / N)
    assert np.array_equal(lost("level", 0), lost("level", 3))
    assert lost("epoch", 3).mean() < chance / 3


def test_what_a_player_feels():
    """An epoch of d true seconds is felt as d / rate; who sees a clock reads true seconds."""
    seen: dict[str, list[float]] = {"felt": [], "true": []}

    class Half:
        def rate(self, noise):
            return 0.5 * noise.ones()

    def noting(name):
        def wait(obs):
            seen[name].extend(zip(obs.elapsed.tolist(), obs.since_top.tolist(), obs.last_wait.tolist()))
            return np.full(obs.rows, 100.0)

        return wait

    rules = ms.Rules(3, [ms.Level(2)], lives=1, stars=0, max_stops=1)
    script = ms.Player(ms.policies.Script({1: 1.0, 2: 3.0}), stops=ms.stops.At(1.5))
    for name, sees_clock in (("felt", False), ("true", True)):
        other = ms.Player(noting(name), clock=Half(), sees_clock=sees_clock)
        ms.simulate(rules, [script, other, ms.policies.Script({})], 1, deals=[[[1, 2], [50, 60], [90, 91]]])
    assert seen["felt"][:4] == [(0.0, 0.0, 0.0), (2.0, 0.0, 2.0), (3.0, 1.0, 1.0), (6.0, 0.0, 3.0)]
    assert seen["true"][:4] == [(0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (1.5, 0.5, 0.5), (3.0, 0.0, 1.5)]
