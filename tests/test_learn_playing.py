"""Learning by playing, within a game, and apart from each other; the best schedules of small decks."""
from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import mindsim as ms
from mindsim.learn.conventions import together
from mindsim.learn.exact import best_schedule, one_card_each, refined, value_of
from mindsim.testing import check_policy

CLOCK = ms.clocks.Scalar(0.14, 0.05)
FOUR = dataclasses.replace(ms.Rules.the_mind(2), levels=ms.Rules.the_mind(2).levels[:4])


# --- Q-learning ------------------------------------------------------------------------------------------------------
def test_q_learners_improve_from_nothing() -> None:
    learned = ms.learn.q_learn(FOUR, rounds=6, games=800, choices=40, seed=1, judged=500)
    assert learned.curve["win_rate"].iloc[-1] > learned.curve["win_rate"].iloc[0] + 0.2
    assert learned.team[0] != learned.team[1]  # each has a table of its own
    waits = learned.team[0].policy.waits
    assert waits[1] < waits[12] < waits[40]


def test_q_learning_repeats_itself() -> None:
    def run():
        return ms.learn.q_learn(FOUR, rounds=2, games=100, choices=20, seed=3, judged=50)

    assert run().team == run().team
    assert run().curve.equals(run().curve)


def test_rewards_reach_the_right_entry() -> None:
    """Two cards, always 30 and 60: after practice each table values early play of 30 and late play of 60."""
    rules = ms.learn.practice(ms.Rules(2, [ms.Level(1)] * 2, lives=1, stars=0))
    learner = ms.learn.Learner(choices=2, pace=1.0, seed=0)
    ms.simulate(rules, ms.Player(learner), n_games=500, seed=0, deals=[[[30], [60]]] * 2, batch=50)
    assert learner.values[30, 0] > learner.values[30, 1]
    assert learner.values[60, 1] > learner.values[60, 0]
    assert set(np.flatnonzero(learner.visits.sum(axis=1))) == {30, 60}


def test_practice_never_ends_early() -> None:
    games = ms.simulate(ms.learn.practice(FOUR), ms.policies.Uniform(1.0), n_games=50, seed=1)
    assert (games.level_reached == 4).all()


# --- within a game ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("policy", [ms.learn.DeltaTempo(0.02), ms.learn.EwaTempo(0.02)])
def test_tempo_learners_conform(policy: object) -> None:
    check_policy(policy)


@pytest.mark.parametrize("kind", [ms.learn.DeltaTempo, ms.learn.EwaTempo])
def test_tempo_learners_meet(kind: type) -> None:
    """A slow and a quick player lose to each other; when both listen, they win more."""
    rules = ms.Rules.the_mind(2)

    def won(slow: object, quick: object) -> float:
        team = [ms.Player(slow, clock=CLOCK), ms.Player(quick, clock=CLOCK)]
        return float(ms.simulate(rules, team, n_games=500, seed=1).levels_completed.mean())

    deaf = won(ms.policies.GapPower(0.05, 2.0), ms.policies.GapPower(0.0125, 2.0))
    assert won(kind(0.05, 2.0), kind(0.0125, 2.0)) > deaf + 0.5


def test_a_tempo_learner_who_hears_nothing_keeps_its_tempo() -> None:
    games = [
        ms.simulate(ms.Rules.the_mind(2), ms.Player(p), n_games=30, seed=2).duration
        for p in (ms.learn.DeltaTempo(0.02, 2.0, rate=0.0), ms.policies.GapPower(0.02, 2.0))
    ]
    assert np.allclose(*games)


# --- conventions -----------------------------------------------------------------------------------------------------
def test_conventions_of_one_pace_have_no_gap_and_of_two_paces_have() -> None:
    one = ms.Rules(2, [ms.Level(4)], lives=1, stars=0)
    quick, slow = (ms.Player(ms.policies.GapPower(pace, 2.0), clock=CLOCK) for pace in (0.02, 0.2))
    same = together([quick, quick, quick], one, 300, seed=1)
    other = together([quick, slow, quick], one, 300, seed=1)
    assert same.figures["gap"] == pytest.approx(0.0, abs=0.02)
    assert other.figures["gap"] > 0.1
    assert other.matrix.shape == (3, 3)


def test_conventions_trains_one_player_for_each_seed() -> None:
    found = ms.learn.conventions(
        ms.policies.GapLinear(0.1), ms.Rules(2, [ms.Level(2)], lives=1, stars=0), CLOCK, seeds=(1, 2), budget=800,
        meetings=100, n_games=100, population=4, held_out=100, spread=1.0,
    )  # fmt: skip
    assert len(found.players) == 2 and found.players[0] != found.players[1]
    with pytest.raises(ValueError, match="at least two"):
        ms.learn.conventions(ms.policies.GapLinear(0.1), FOUR, CLOCK, seeds=(1,))


def test_varied_partners_sit_at_the_tables() -> None:
    bad = ms.Player(ms.policies.Uniform(5.0))
    mixed = ms.learn.MixedTables([bad])
    one = ms.Rules(2, [ms.Level(1)], lives=1, stars=0)
    games = mixed(one, ms.Player(ms.policies.GapLinear(0.1)), 400, seed=1)
    assert games.n_games == 400
    assert games.won[:200].all() and not games.won[200:].all()


# --- small decks -----------------------------------------------------------------------------------------------------
def test_value_of_a_schedule_is_what_the_engine_plays() -> None:
    best = best_schedule(5, 1.0, [0.0, 0.2, 0.5, 1.0, 2.0, 4.0])
    games = ms.simulate(one_card_each(5), ms.Player(best.policy, clock=CLOCK), n_games=20_000, seed=1)
    figures = games.summary(confidence=0.999)
    for figure, value in (("win rate", best.win_rate), ("duration of won games", best.seconds)):
        assert figures.loc[figure, "low"] - 1e-3 <= value <= figures.loc[figure, "high"] + 1e-3


def test_no_schedule_beats_the_best() -> None:
    waits = [0.0, 0.3, 0.8, 1.6]
    best = best_schedule(4, 1.0, waits)
    random = np.random.default_rng(0)
    for _ in range(200):
        schedule = [0.0, *sorted(random.choice(waits, 3).tolist())]
        win, seconds = value_of(schedule, CLOCK)
        assert win <= best.win_rate + 1e-12 or seconds > 1.0
    fine = refined(best, 1.0)
    assert fine.win_rate > best.win_rate and fine.seconds <= 1.0


def test_search_comes_close_to_the_optimum() -> None:
    """The gap to the exact optimum on a deck of five is under a percentage point after a few thousand games."""
    optimum = refined(best_schedule(5, 0.5, [0.0, 0.1, 0.3, 0.8, 1.5, 3.0]), 0.5)
    table = ms.learn.Table((1, 2, 3, 4), (1,), (-1.5,), ((0.5, 0.5, 0.5),))
    tuned = ms.learn.optimise(
        table, one_card_each(5), CLOCK, ms.learn.WinRateWithin(0.5, penalty=0.3, levels=0.0), budget=60_000,
        n_games=1_000, held_out=2_000,
    )  # fmt: skip
    waits = ms.probe(tuned.player.policy, card=range(1, 6), others=1, hand_size=1, ranks=5).table["wait"].tolist()
    assert value_of(waits, CLOCK)[0] > optimum.win_rate - 0.01


@pytest.mark.parametrize(
    ("deck", "waits", "seconds", "message"),
    [
        (13, [0.0, 1.0], 1.0, "deck must be 2 to 12"),
        (4, [0.5, 1.0], 1.0, "waits must rise from 0"),
        (4, [0.0, 1.0], 0.0001, "seconds must allow for some schedule"),
    ],
)
def test_bad_small_decks(deck: int, waits: list[float], seconds: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_schedule(deck, seconds, waits)
