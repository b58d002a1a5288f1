"""What policies bring in games: tempo ratios, tempo matching, and chances against gaps. Figures as in the docs."""
from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import mindsim as ms
from mindsim import stats
from mindsim.observation import FIELDS

P = ms.policies
ORDINARY = ms.clocks.ordinary()


def share(games):
    return stats.share(int(games.won.sum()), games.n_games)


# --- tempo ratio -----------------------------------------------------------------------------------------------------
def test_a_tempo_ratio_costs_the_same_either_way_and_more_the_wider_it_is():
    """Two exact clocks, one level of 3 + 3 cards: certain success at ratio 1, falling on both sides alike."""
    rules = ms.Rules(2, [ms.Level(3)], lives=1, stars=0)

    def won(ratio):
        return ms.simulate(rules, [P.GapLinear(0.2), P.GapLinear(0.2 * ratio)], n_games=4000, seed=8).won

    ratios = [1.0, 1.1, 1.25, 1.5, 2.0]
    slower, faster = [won(r) for r in ratios], [won(1 / r) for r in ratios]
    assert slower[0].all() and faster[0].all()
    for way in (slower, faster):
        for near, far in pairwise(way):
            assert stats.mean_difference(near, far).low > 0.02  # paired: the same deals
    for a, b in zip(slower[1:], faster[1:]):
        difference = stats.mean_difference(a, b, confidence=0.9999)
        assert difference.low < 0 < difference.high and difference.half_width < 0.05


# --- tempo matching --------------------------------------------------------------------------------------------------
def partners(phase, period, clock=ORDINARY, n_games=1500, **options):
    """Two partners whose paces are 1.5x apart at the start."""
    team = [ms.Player(P.TempoMatching(pace, phase, period), clock=clock) for pace in (0.3, 0.45)]
    return ms.simulate(ms.Rules.the_mind(2), team, n_games=n_games, seed=5, **options)


def test_not_adapting_is_the_gap_linear_policy():
    fixed = [ms.Player(P.GapLinear(pace), clock=ORDINARY) for pace in (0.3, 0.45)]
    games = ms.simulate(ms.Rules.the_mind(2), fixed, n_games=200, seed=5)
    assert np.allclose(games.duration, partners(0.0, 0.0, n_games=200).duration)


@pytest.mark.parametrize("clock", [ms.clocks.Exact(), ms.clocks.careful(), ORDINARY], ids=repr)
def test_matching_beats_not_adapting(clock):
    matching, fixed = partners(0.2, 0.2, clock), partners(0.0, 0.0, clock)
    assert stats.mean_difference(matching.levels_completed, fixed.levels_completed).low > 3.0
    assert stats.mean_difference(matching.won, fixed.won).low > 0.3


class Watched:
    """A policy that listens, and how far its memory of its own tempo went from the start."""

    watches_without_cards = False

    def __init__(self, policy, column):
        self.policy, self.column, self.memory, self.furthest = policy, column, policy.memory, 0.0

    def watch(self, obs):
        self.policy.watch(obs)

    def wait(self, obs):
        self.furthest = max(self.furthest, np.abs(obs.memory[:, self.column]).max())
        return self.policy.wait(obs)


LISTENERS = {
    "TempoMatching": (P.TempoMatching(0.3), 4, 1e-9),
    "DeltaTempo": (ms.learn.DeltaTempo(0.05, 1.3), 4, 1e-9),
    "EwaTempo": (ms.learn.EwaTempo(0.05, 1.3), 4, 2e-3),  # the nine tempi are not quite as far above 1 as below
}
TABLES = {
    "two players": (ms.Rules.the_mind(2), {}),
    "stars": (replace(ms.Rules.the_mind(2), stars=3), {"stars": ms.stars.At(2.0)}),
    "stops": (replace(ms.Rules.the_mind(2), max_stops=3), {"stops": ms.stops.AfterSilence(0.3)}),
    "two piles": (ms.Rules.extreme(2, face_down={}), {}),
    "six players": (ms.Rules(6, [ms.Level(2)] * 8, lives=9, stars=0), {}),
}


@pytest.mark.parametrize("listener", LISTENERS.values(), ids=LISTENERS)
@pytest.mark.parametrize(("rules", "more"), TABLES.values(), ids=TABLES)
def test_equal_players_with_exact_clocks_hear_nothing_to_correct(listener, rules, more):
    """Whatever comes between a pile's rise and the next: stars, stops, plays on the other pile, many partners."""
    policy, column, close = listener
    watched = Watched(policy, column)
    games = ms.simulate(rules, ms.Player(watched, **more), n_games=200, seed=1, record=True)
    assert watched.furthest < close
    assert {name.removesuffix("s") for name in more} <= set(games.events["event"])  # stars, stops: they did come


def pace_ratio(waits, level):
    """The slower partner's mean pace over the quicker's, in one level, from waits that began with the pile's rise."""
    began = waits[(waits.level == level) & (waits.since_top == 0) & (waits.others_cards > 0)]
    pace = (began.intended / began.gap).groupby(began.player).mean()
    return pace[1] / pace[0]


def test_partners_converge():
    waits = partners(0.2, 0.2, ms.clocks.careful(), n_games=400, record="waits").waits
    ratios = [pace_ratio(waits, level) for level in (1, 4, 8, 12)]
    assert ratios[0] == pytest.approx(1.5) and ratios[1] < 1.15
    assert ratios[2:] == pytest.approx([1.0, 1.0], abs=0.04)
    still = partners(0.0, 0.0, ms.clocks.careful(), n_games=400, record="waits").waits
    assert pace_ratio(still, 3) == pytest.approx(1.5)  # the control


# --- chances against gaps --------------------------------------------------------------------------------------------
# Paces at which all take the same time, from experiments/probability_twin.py.
TWINS = {2: (P.GapPower(0.01091, 2.0), P.Density(0.8447, 2.0), P.ExpectedLower(4.20, 2.0))}


def test_public_density_beats_its_gap_twin_and_private_chances_do_not():
    """At about 1 s a card put down, ordinary clocks, the same deals: 0.90 against 0.73 and 0.09 (2 players)."""
    rules = ms.Rules.the_mind(2)
    gap, density, private = (
        ms.simulate(rules, ms.Player(policy, clock=ORDINARY), n_games=2000, seed=7) for policy in TWINS[2]
    )
    for games in (gap, density, private):
        pace = stats.pace(games.duration, games.cards_played)
        assert pace.value == pytest.approx(1.0, abs=0.03)
    assert stats.mean_difference(density.won, gap.won).low > 0.10
    assert stats.mean_difference(gap.won, private.won).low > 0.55


def test_private_chances_fail_because_hands_of_different_size_keep_different_schedules():
    """Even exact clocks do not help, unless all hold as many cards as each other."""
    rules = ms.Rules(2, [ms.Level(1)], lives=1, stars=0)
    assert share(ms.simulate(rules, P.ExpectedLower(3.0), n_games=500, seed=2)).value == 1.0
    assert share(ms.simulate(ms.Rules.the_mind(2), P.ExpectedLower(3.0), n_games=500, seed=2)).high < 0.5
    assert share(ms.simulate(ms.Rules.the_mind(2), P.Density(1.0), n_games=500, seed=2)).value == 1.0


# --- stars and human-like players ------------------------------------------------------------------------------------
def test_stars_help_who_errs():
    def play(stars):
        me = ms.Player(P.GapLinear(0.34), stars=stars, clock=ORDINARY)
        return ms.simulate(ms.Rules.the_mind(2), me, n_games=4000, seed=4).levels_completed

    assert stats.mean_difference(play(ms.stars.AtOnce()), play(ms.stars.Never())).low > 0.1


def test_human_players_are_not_expert():
    games = ms.simulate(ms.Rules(2, [ms.Level(3)], lives=1, stars=0), ms.players.make("human"), n_games=2000, seed=4)
    assert 0.05 < share(games).value < 0.5


# --- chances on two piles that nobody sees ---------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["expected_lower", "chance_lower", "density"])
def test_exact_clocks_make_no_mistake_on_two_piles_face_down(name):
    """Even where one pile has reached its last rank, so that nothing of it is unseen."""
    rules = ms.Rules.extreme(2, lives=2, face_down=dict.fromkeys(range(1, 13), "both"))
    assert ms.simulate(rules, name, n_games=4_000, seed=1).mistakes.sum() == 0


# --- what policies are shown -----------------------------------------------------------------------------------------
def test_fields_may_be_kept_and_changed():
    """They stay as they were shown, and what a policy writes into them changes nothing."""
    kept = []

    def keeps(obs):
        kept.append([(getattr(obs, name), getattr(obs, name).copy()) for name in FIELDS])
        return 0.05 * obs.gap - obs.since_top

    def scribbles(obs):
        wait = 0.05 * obs.gap - obs.since_top
        for name in FIELDS:
            getattr(obs, name)[...] = 1
        return wait

    rules = ms.Rules.extreme(2)
    games = ms.simulate(rules, keeps, n_games=20, seed=1)
    assert all(np.array_equal(now, then) for fields in kept for now, then in fields)
    assert ms.simulate(rules, scribbles, n_games=20, seed=1).duration.tolist() == games.duration.tolist()
