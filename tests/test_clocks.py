"""Each clock's mean, spread, shape and memory against theory, with controls that must fail; and felt time."""
from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as theory

import mindsim as ms
from mindsim import reactions, rng
from mindsim.situations import Draws

C, P = ms.clocks, ms.policies
N = 20_000
EVERY = [
    C.Exact(), C.Scalar(0.14, 0.05), C.Scalar(0.1, lasts="level"), C.Lognormal(0.2), C.Gamma(0.3), C.Gamma(1.5),
    C.InverseGaussian(0.3), C.Additive(0.05), C.Tempo(0.26), C.Drift(0.2, 0.8), C.careful(), C.ordinary(), C.human(),
    C.Tempo(0.1) * C.Scalar(0.1, 0.05) * C.Additive(0.02), C.Exact() * C.Exact(),
]  # fmt: skip


def rates(clock, n=N, **moment):
    return clock.rate(Draws(game=np.arange(n), seed=4, **moment).lasting(clock.lasts))


def close(value, target, standard_error):
    return abs(value - target) < 4 * standard_error


# --- mean and spread -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("clock", [C.Scalar(0.14), C.Gamma(0.14), C.InverseGaussian(0.14)])
def test_scalar_clocks_have_mean_1_and_the_weber_fraction_as_spread(clock):
    drawn = rates(clock)
    assert close(drawn.mean(), 1.0, 0.14 / math.sqrt(N))
    assert close(drawn.std(), 0.14, 0.14 * math.sqrt(0.6 / N))


@pytest.mark.parametrize("clock", [C.Lognormal(0.3), C.Tempo(0.3), C.Drift(0.3, 0.7)])
def test_the_logarithm_of_these_rates_has_mean_0_and_spread_sigma(clock):
    drawn = np.log(rates(clock))
    assert close(drawn.mean(), 0.0, 0.3 / math.sqrt(N))
    assert close(drawn.std(), 0.3, 0.3 / math.sqrt(2 * N))


def test_motor_noise():
    for clock, sd in [(C.Additive(0.07), 0.07), (C.Scalar(0.1, floor=0.05), 0.05)]:
        drawn = clock.motor(Draws(game=np.arange(N), purpose=rng.MOTOR))
        assert close(drawn.mean(), 0.0, sd / math.sqrt(N)) and close(drawn.std(), sd, sd / math.sqrt(2 * N))
    for clock in (C.Exact(), C.Scalar(0.1), C.Additive(0.0), C.Lognormal(0.1), C.Tempo(0.1) * C.Scalar(0.1)):
        assert clock.motor is None  # known without asking


def test_an_executed_wait_has_the_generalised_scalar_spread():
    """sd^2 = floor^2 + (weber t)^2, in games, over waits of different length."""
    me = ms.Player(P.GapLinear(0.2), clock=C.Scalar(0.2, floor=0.5))
    waits = ms.simulate(ms.Rules(2, [ms.Level(1)], lives=1, stars=0), me, n_games=4000, seed=2, record="waits").waits
    waits = waits[(waits.epoch == 0) & (waits.intended > 3.0)]  # none is cut off at 0
    error = waits.executed - waits.intended
    for low, high in [(3, 6), (6, 10), (10, 20)]:
        chosen = waits.intended.between(low, high)
        expected = 0.5**2 + 0.2**2 * (waits.intended[chosen] ** 2).mean()
        assert error[chosen].var() == pytest.approx(expected, rel=4 * math.sqrt(2.5 / chosen.sum()))


# --- shape -----------------------------------------------------------------------------------------------------------
SHAPES = {
    C.Scalar(0.2): theory.norm(1.0, 0.2),
    C.Lognormal(0.4): theory.lognorm(0.4),
    C.Gamma(0.4): theory.gamma(1 / 0.4**2, scale=0.4**2),
    C.Gamma(1.3): theory.gamma(1 / 1.3**2, scale=1.3**2),
    C.InverseGaussian(0.4): theory.invgauss(0.4**2, scale=1 / 0.4**2),
    C.InverseGaussian(1.3): theory.invgauss(1.3**2, scale=1 / 1.3**2),
    C.Drift(0.4, 0.6): theory.lognorm(0.4),
}


@pytest.mark.parametrize("clock", SHAPES, ids=repr)
def test_shape(clock):
    assert theory.kstest(rates(clock), SHAPES[clock].cdf).pvalue > 1e-4


@pytest.mark.parametrize(("clock", "wrong"), [(C.Gamma(0.4), C.InverseGaussian(0.4)), (C.Scalar(0.2), C.Gamma(0.2)),
                                              (C.Lognormal(0.4), C.Gamma(0.4))], ids=repr)  # fmt: skip
def test_the_shape_test_can_fail(clock, wrong):
    """The control: another clock of the same mean and spread, or nearly, is told apart."""
    shape = SHAPES.get(wrong) or theory.gamma(1 / 0.2**2, scale=0.2**2)
    assert theory.kstest(rates(clock), shape.cdf).pvalue < 1e-6


# --- memory ----------------------------------------------------------------------------------------------------------
def autocorrelation(clock, lag, n=N):
    game, level = np.arange(n), 3
    now, before = (
        np.log(clock.rate(Draws(game, level, epoch, 1, seed=5).lasting(clock.lasts))) for epoch in (40, 40 - lag)
    )
    return float(np.corrcoef(now, before)[0, 1])


@pytest.mark.parametrize("rho", [0.5, 0.9])
@pytest.mark.parametrize("lag", [1, 2, 5])
def test_drift_is_autocorrelated_as_a_first_order_autoregression(rho, lag):
    error = (1 - rho ** (2 * lag)) / math.sqrt(N) + 2e-4
    assert close(autocorrelation(C.Drift(0.2, rho), lag), rho**lag, error)


def test_other_clocks_forget_at_once_or_never():
    for clock in (C.Lognormal(0.2), C.Gamma(0.2), C.InverseGaussian(0.2), C.Scalar(0.2), C.Drift(0.2, 0.0)):
        assert close(autocorrelation(clock, 1), 0.0, 1 / math.sqrt(N))
    for clock in (C.Tempo(0.2), C.Lognormal(0.2, lasts="level"), C.Gamma(0.2, lasts="game")):
        assert autocorrelation(clock, 7) > 1 - 1e-12


def test_lasting_rates_change_between_levels_games_and_players():
    moments = Draws(game=[0, 0, 0, 0, 1], level=[0, 0, 1, 0, 0], epoch=[0, 5, 9, 0, 0], player=[0, 0, 0, 1, 0])
    level = C.Lognormal(0.2, lasts="level").rate(moments.lasting("level"))
    game = C.Tempo(0.2).rate(moments.lasting("game"))
    assert level[0] == level[1] and len(set(level)) == 4
    assert game[0] == game[1] == game[2] and len(set(game)) == 3


def test_products_multiply_rates_and_draw_independently():
    tempo, noise = 0.26, 0.5
    both = C.Tempo(tempo) * C.Lognormal(noise)
    assert close(np.log(rates(both)).std(), math.hypot(tempo, noise), 0.56 / math.sqrt(2 * N))
    share = tempo**2 / (tempo**2 + noise**2)  # what stays from epoch to epoch
    assert close(autocorrelation(both, 1), share, 1 / math.sqrt(N))
    assert both.lasts == "epoch" and (C.Tempo(0.1) * C.Lognormal(0.1, lasts="level")).lasts == "level"
    assert (C.Tempo(0.1) * C.Scalar(0.1)) * C.Additive(0.2) == C.Tempo(0.1) * (C.Scalar(0.1) * C.Additive(0.2))
    hand = (C.Additive(0.3) * C.Additive(0.4)).motor(Draws(game=np.arange(N), purpose=rng.MOTOR))
    assert close(hand.std(), 0.5, 0.5 / math.sqrt(2 * N))


class Spy:
    """An exact clock that keeps the noise it was offered in a game's first epoch."""

    def __init__(self):
        self.drawn = None

    def rate(self, noise):
        if self.drawn is None:
            self.drawn = noise.normal()
        return noise.ones()


def test_made_up_noise_is_the_noise_of_games():
    spy = Spy()
    ms.simulate(ms.Rules.the_mind(2), ms.Player(P.GapLinear(0.1), clock=spy), n_games=20, seed=9)
    game, player = np.divmod(np.arange(40), 2)
    assert set(spy.drawn) == set(Draws(game=game, player=player, seed=9).normal())


# --- whole clocks, reactions -----------------------------------------------------------------------------------------
def test_whole_clocks_are_as_published():
    assert C.careful() == C.make("careful") == C.Scalar(weber=0.07)
    assert C.ordinary() == C.Scalar(weber=0.14, floor=0.05)
    assert C.human() == C.Tempo(0.26) * C.Lognormal(0.98)


def test_ex_gaussian_reactions():
    drawn = reactions.ExGaussian(0.18, 0.02, 0.05).draw(Draws(game=np.arange(N), purpose=rng.REACTION))
    assert close(drawn.mean(), 0.23, 0.054 / math.sqrt(N))
    assert 0.04 < drawn.std() < 0.06  # as within people
    assert theory.kstest(drawn, theory.exponnorm(0.05 / 0.02, 0.18, 0.02).cdf).pvalue > 1e-4
    assert theory.kstest(drawn, theory.norm(0.23, 0.054).cdf).pvalue < 1e-6
    assert reactions.Fixed(0.2).draw(Draws(game=[0, 1])).tolist() == [0.2, 0.2]


@pytest.mark.parametrize("clock", EVERY, ids=repr)
def test_every_clock_conforms(clock):
    ms.testing.check_clock(clock)
    assert eval(repr(clock), vars(C)) == clock and hash(clock) == hash(eval(repr(clock), vars(C)))


@pytest.mark.parametrize("reaction", [reactions.Fixed(0.2), reactions.ExGaussian()])
def test_every_reaction_conforms(reaction):
    ms.testing.check_reaction(reaction)


# --- felt time -------------------------------------------------------------------------------------------------------
class HalfSpeed:
    """Everybody's clock runs at half speed, for ever: all that is felt is as with exact clocks."""

    lasts = "game"

    def rate(self, noise):
        return 2.0 * noise.ones()


PARAMETERS = {"script": {"times": {c: 0.1 * c for c in range(1, 101)}}}


@pytest.mark.parametrize("name", P.names())
def test_no_policy_reads_a_better_clock_than_its_own(name):
    """If all clocks run at half speed, everything happens as before and takes twice as long."""
    stars, stops = ms.stars.At(2.0), ms.stops.AfterSilence(5.0)
    policy = P.make(name, **PARAMETERS.get(name, {}))
    rules = ms.Rules(2, ms.Rules.the_mind(2).levels[:6], lives=3, stars=2, max_stops=2)
    played = [
        ms.simulate(rules, ms.Player(policy, stars=stars, stops=stops, clock=clock), n_games=30, seed=6)
        for clock in (C.Exact(), HalfSpeed())
    ]
    assert np.array_equal(2.0 * played[0].duration, played[1].duration)
    for column in ("levels_completed", "mistakes", "stars_used", "epochs"):
        assert np.array_equal(getattr(played[0], column), getattr(played[1], column))


def test_a_program_with_a_display_does():
    """The control: `sees_clock` breaks the symmetry."""
    rules = ms.Rules(2, [ms.Level(4)], lives=1, stars=0)
    plain = ms.simulate(rules, P.Metronome(0.1), n_games=30, seed=6)
    sees = ms.simulate(rules, ms.Player(P.Metronome(0.1), clock=HalfSpeed(), sees_clock=True), n_games=30, seed=6)
    assert not np.allclose(2.0 * plain.duration, sees.duration)


# --- bad parameters --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: C.Scalar(-0.1), ValueError, "Scalar: weber must be a number of at least 0, not -0.1"),
        (lambda: C.Scalar(0.1, lasts="day"), ValueError, "lasts must be one of 'epoch', 'level', 'game', not 'day'"),
        (lambda: C.Gamma(0.0), ValueError, "Gamma: cv must be a number above 0"),
        (lambda: C.Drift(0.1, 0.99), ValueError, "rho must be a number from 0 to 0.95, not 0.99"),
        (lambda: C.Product(()), ValueError, "factors must be a tuple of at least one clock"),
        (lambda: C.Product((3,)), TypeError, "factors must be clocks"),
        (lambda: C.Scalar(0.1) * 3, TypeError, "unsupported operand"),
        (lambda: reactions.ExGaussian(mu=-1.0), ValueError, "mu must be"),
    ],
)
def test_bad_parameters_are_named(make, error, words):
    with pytest.raises(error) as raised:
        make()
    assert words in str(raised.value)
