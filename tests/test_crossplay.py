"""Everybody with everybody: the cells, the seats, the intervals."""
from __future__ import annotations

import numpy as np
import pytest

import mindsim as ms
from mindsim.crossplay import _gap_of_all, _resampled

P = ms.policies
AGENTS = {"quick": P.GapLinear(0.1), "slow": P.GapLinear(0.12), "square": P.GapPower(0.01, 2.0)}
RULES = ms.Rules(2, [ms.Level(3)], lives=1, stars=0)


def played(*seats, rules=RULES, n=200):
    return ms.simulate(rules, list(seats), n_games=n, seed=5).won.astype(float)


@pytest.fixture(scope="module")
def two():
    return ms.crossplay(AGENTS, rules=RULES, n_games=200, seed=5)


def test_a_cell_is_both_seatings_of_the_same_deals(two):
    quick, slow = AGENTS["quick"], AGENTS["slow"]
    by_hand = (played(quick, slow) + played(slow, quick)) / 2
    assert np.array_equal(two.scores[0, 0, 1], by_hand) and np.array_equal(two.scores[0, 1, 0], by_hand)
    assert two.matrix("won").loc["quick", "slow"] == by_hand.mean()
    assert np.array_equal(two.scores[0, 2, 2], played(AGENTS["square"], AGENTS["square"]))


def test_the_matrix_is_symmetric_and_exact_self_play_wins(two):
    for metric in ("won", "levels_completed"):
        matrix = two.matrix(metric).to_numpy()
        assert np.array_equal(matrix, matrix.T) and np.all(np.diag(matrix) == 1.0)


def test_the_table_is_tidy(two):
    table = two.table
    assert len(table) == 9 and table.groupby(["newcomer", "host"]).size().eq(1).all()
    assert (table.win_rate_low <= table.win_rate + 1e-12).all() and (table.win_rate <= table.win_rate_high).all()
    assert table.seatings.tolist() == [1 if own else 2 for own in table.self_play] and (table.pace > 0).all()


def test_self_play_minus_cross_play(two):
    gaps, matrix = two.gaps(n_bootstrap=400), two.matrix("won")
    assert gaps.loc["quick", "difference"] == pytest.approx(1.0 - matrix.loc["quick", ["slow", "square"]].mean())
    off = matrix.to_numpy()[~np.eye(3, dtype=bool)].mean()
    assert gaps.loc["(all)", "difference"] == pytest.approx(1.0 - off)
    assert (gaps.low <= gaps.difference).all() and (gaps.difference <= gaps.high).all()
    assert (gaps.low >= 0).all() and gaps.equals(two.gaps(n_bootstrap=400))  # repeatable


def test_the_interval_holds_the_spread_between_deals_and_between_agents():
    """Scores of k agents and n deals from a known model: the bootstrap's spread is that of new samples of both."""
    k, n, r = 8, 150, np.random.default_rng(0)

    def sample():
        agent, deal = r.normal(0, 0.2, k), r.normal(0, 1.0, n)
        own, cross = np.eye(k)[:, :, None], (1 - np.eye(k))[:, :, None]
        return own * (agent[:, None, None] + 0.5 * deal) + cross * (-deal + r.normal(0, 1, (k, k, n)))

    def gap():
        own, cross = _gap_of_all(sample().mean(axis=2))
        return own - cross

    true = np.std([gap() for _ in range(300)])
    drawn = [np.nanstd(_resampled(sample(), 100, seed, 0)[:, -1]) for seed in range(30)]
    assert np.mean(drawn) == pytest.approx(true, rel=0.15)


def test_with_three_players_a_newcomer_sits_in_every_seat():
    rules = ms.Rules(3, [ms.Level(2)], lives=1, stars=0)
    found = ms.crossplay(AGENTS, players=3, rules=rules, n_games=60, seed=5)
    quick, slow = AGENTS["quick"], AGENTS["slow"]
    seatings = [quick, slow, slow], [slow, quick, slow], [slow, slow, quick]
    by_hand = sum(played(*team, rules=rules, n=60) for team in seatings)
    assert np.allclose(found.scores[0, 0, 1], by_hand / 3) and found.seatings[0, 1] == 3 and found.seatings[0, 0] == 1


def test_names_without_a_dict():
    quick = ms.Player(P.GapLinear(0.1))
    found = ms.crossplay([quick, ms.Player(P.GapLinear(0.1), reaction=0.2), "metronome"], rules=RULES, n_games=5)
    assert found.names == ("GapLinear(pace=0.1)", "GapLinear(pace=0.1) #2", "Metronome(pace=0.34)")


@pytest.mark.parametrize(
    ("agents", "error", "words"),
    [
        ([P.GapLinear(0.1)], ValueError, "at least two players or policies, not 1"),
        ([P.GapLinear(0.1), P.GapLinear(0.1)], ValueError, "agents must all differ"),
        ("gap_linear", TypeError, "agents must be a sequence"),
        ([P.GapLinear(0.1), 3], TypeError, "policy must have a method wait"),
    ],
)
def test_bad_agents(agents, error, words):
    with pytest.raises(error, match=words):
        ms.crossplay(agents, n_games=5)


def test_bad_metric(two):
    with pytest.raises(ValueError, match="metric must be one of won, levels_completed, not 'wins'"):
        two.matrix("wins")
