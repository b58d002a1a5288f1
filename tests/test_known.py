"""Games whose chances are known exactly: the engine must meet them within four standard errors on 200,000 games.

Deck 1..100, one level, one life, no stars, uniform deals, unless said otherwise; pace does not matter. All digits of
the figures are right: they were computed in two independent ways. Where a short formula exists, a test recomputes the
figure. The negative controls show that the same check fails with a wrong rule or a wrong figure.
"""
from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

import mindsim as ms

N = 200_000
LINEAR = ms.policies.GapLinear(0.25)


def rules(players: int, cards: int, **keywords) -> ms.Rules:
    return ms.Rules(players, [ms.Level(cards)], **({"lives": 1, "stars": 0} | keywords))


def simulate(rules: ms.Rules, team, **keywords):
    return ms.simulate(rules, team, n_games=N, seed=20, **keywords)


def distance(hits: np.ndarray, chance: float) -> float:
    """By how many standard errors of the chance the share of hits is off."""
    return abs(float(np.mean(hits)) - chance) / math.sqrt(chance * (1 - chance) / len(hits))


def agrees(hits: np.ndarray, chance: float) -> bool:
    return distance(hits, chance) < 4


# --- the table of known chances ---------------------------------------------------------------------------------------
MISTAKES = {
    "scalar 0.1": (rules(2, 1), ms.Player(LINEAR, clock=ms.clocks.Scalar(0.1)), 0.048395),
    "lognormal 0.2": (rules(2, 1), ms.Player(LINEAR, clock=ms.clocks.Lognormal(0.2)), 0.092501),
    "tempo ratio 1.25": (rules(2, 1), [LINEAR, ms.policies.GapLinear(0.3125)], 0.096970),
}
FOUR = [[[10], [20], [40], [80]]]
FRESH = ms.Player(LINEAR, clock=ms.clocks.Lognormal(0.2))
STEADY = ms.Player(ms.policies.Metronome(0.25), clock=ms.clocks.Lognormal(0.2, lasts="level"))
IN_ORDER = {
    "uniform": (rules(2, 2), ms.policies.Uniform(1.0), None, 1 / 6),
    "blind to the card": (rules(2, 2), lambda obs: 3.0 + obs.normal() ** 2, None, 1 / 6),
    "all ties": (rules(4, 1), lambda obs: np.ones(obs.rows), None, 1 / 24),
    "all ties, cards in order of seat": (rules(4, 1), lambda obs: np.ones(obs.rows), FOUR, 1 / 24),
    "10 20 40 80, a rate an epoch": (rules(4, 1), FRESH, FOUR, 0.992768),
    "10 20 40 80, a rate a level": (rules(4, 1), STEADY, FOUR, 0.978661),
    "2 x 2 of 10, sigma 0.2": (rules(2, 2, deck=10), FRESH, None, 0.894413),
    "2 x 2 of 10, sigma 0.5": (
        rules(2, 2, deck=10), ms.Player(LINEAR, clock=ms.clocks.Lognormal(0.5)), None, 0.640325,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_chance_of_a_mistake(case):
    rules, team, chance = MISTAKES[case]
    games = simulate(rules, team)
    assert agrees(games.mistakes > 0, chance), (case, np.mean(games.mistakes > 0), chance)
    assert np.array_equal(games.won, games.mistakes == 0)


@pytest.mark.parametrize("case", IN_ORDER)
def test_chance_that_all_is_in_order(case):
    rules, team, deals, chance = IN_ORDER[case]
    games = simulate(rules, team, deals=deals)
    assert agrees(games.won, chance), (case, np.mean(games.won), chance)


def test_the_last_digits_matter():
    """Negative control: the check tells 0.048395 from the figure of a clock a tenth better or worse."""
    games = simulate(*MISTAKES["scalar 0.1"][:2])
    for weber in (0.09, 0.11):
        assert not agrees(games.mistakes > 0, scalar_chance(weber))


# --- the figures themselves -------------------------------------------------------------------------------------------
def pair_chance(wrong) -> float:
    """The mean of wrong(a, b) over all pairs a < b of 1..100."""
    return float(np.mean([wrong(a, b) for a, b in itertools.combinations(range(1, 101), 2)]))


def scalar_chance(weber: float) -> float:
    return pair_chance(lambda a, b: ndtr(-(b - a) / (weber * math.hypot(a, b))))


def test_figures_of_two_cards():
    """b is played before a when b r' < a r: normal or lognormal rates, or exact ones in the ratio of 1.25."""
    assert scalar_chance(0.1) == pytest.approx(MISTAKES["scalar 0.1"][2], abs=5e-7)
    lognormal = pair_chance(lambda a, b: ndtr(-math.log(b / a) / (0.2 * math.sqrt(2))))
    assert lognormal == pytest.approx(MISTAKES["lognormal 0.2"][2], abs=5e-7)
    # the slower player holds a or b with equal chance
    ratio = pair_chance(lambda a, b: ((4 * b < 5 * a) + 0.5 * (4 * b == 5 * a)) / 2)
    assert ratio == pytest.approx(MISTAKES["tempo ratio 1.25"][2], abs=5e-7)


def test_figure_of_four_cards_at_a_rate_an_epoch():
    """Every epoch the lowest card must come first among those left: gaps 10 20 40 80, then 10 30 70, then 20 60."""
    z = np.linspace(-9, 9, 20_001)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    def lowest_first(gaps) -> float:
        others = np.prod([ndtr((math.log(g / gaps[0])) / 0.2 - z) for g in gaps[1:]], axis=0)
        return float(np.trapezoid(density * others, z))

    chance = lowest_first((10, 20, 40, 80)) * lowest_first((10, 30, 70)) * lowest_first((20, 60))
    assert chance == pytest.approx(IN_ORDER["10 20 40 80, a rate an epoch"][3], abs=5e-7)


# --- lives: a known chance with several of them -----------------------------------------------------------------------
def win_chance(cards: int, lives: int, price) -> Fraction:
    """One card a player, all orders equally likely: the k-th lowest first strands k-1 cards, which costs price(k-1)."""
    if lives <= 0:
        return Fraction(0)
    if cards == 0:
        return Fraction(1)
    return sum((win_chance(cards - k, lives - price(k - 1), price) for k in range(1, cards + 1)), Fraction(0)) / cards


def one_life(stranded: int) -> int:
    return min(stranded, 1)


def a_life_per_card(stranded: int) -> int:
    return stranded


@pytest.mark.parametrize("lives", [1, 2, 3])
def test_one_life_whatever_the_number_of_cards(lives):
    """Six players with one card each, blind to it: the game is won as often as one life a mistake says."""
    games = simulate(rules(6, 1, lives=lives), ms.policies.Uniform(1.0))
    right, wrong = (float(win_chance(6, lives, price)) for price in (one_life, a_life_per_card))
    assert agrees(games.won, right)
    assert np.array_equal(games.won, games.mistakes < lives)
    if lives > 1:
        assert distance(games.won, wrong) > 100


def test_a_life_per_card_fails():
    """Negative control: the same games scored by the wrong rule do not meet the known chance."""
    games = simulate(rules(6, 1, lives=100), ms.policies.Uniform(1.0))
    chance = float(win_chance(6, 2, one_life))
    assert agrees(games.mistakes < 2, chance)
    assert not agrees(games.cards_lost < 2, chance)
    assert agrees(games.cards_lost < 2, float(win_chance(6, 2, a_life_per_card)))


def test_ties_by_seat_would_fail():
    """Negative control: with the cards in order of seat, ties decided by seat would always be in order."""
    rules_, team, deals, chance = IN_ORDER["all ties, cards in order of seat"]
    assert not agrees(np.ones(N), chance)
    games = ms.simulate(rules_, team, n_games=24_000, seed=1, deals=deals, record=True)
    first = games.events[games.events["event"] == "play"].groupby("game").head(1)["player"]
    assert (np.abs(np.bincount(first, minlength=4) / 24_000 - 0.25) < 4 * math.sqrt(0.1875 / 24_000)).all()
