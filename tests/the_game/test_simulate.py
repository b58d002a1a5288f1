"""Many games at once: invariants, the same game whatever the batch, results as frames, and bad input."""
from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from numba import njit

from mindsim import the_game as tg

from .reference import shuffled
from .tables import Chaotic

ENGINE = import_module("mindsim.the_game.simulate")
S = tg.strategies
QUICK = [
    S.Random(), S.Reserve(), S.TricksAndSmallGaps(), S.LookAhead(), S.LinearMemoryHints(), S.Endgame("look_ahead", 200),
]


def label(strategy):
    return S.describe(strategy)["name"]


@pytest.mark.parametrize("strategy", [*QUICK, Chaotic()], ids=label)
@pytest.mark.parametrize("rules", [tg.Rules(1), tg.Rules(3), tg.Rules(5, end="nobody_can_play")])
def test_cards_are_conserved_and_piles_move_legally(strategy, rules):
    games = tg.simulate(rules, strategy, 6, seed=2, record=True)
    for (_, rows), left in zip(games.events.groupby("game"), games.cards_left):
        hands, piles, drawn = [set() for _ in range(rules.players)], [1, 1, 100, 100], []
        for row in rows.itertuples():
            if row.event in ("deal", "draw"):
                hands[row.player].add(row.card)
                drawn.append(row.card)
                assert len(hands[row.player]) <= rules.full_hand
            elif row.event == "play":
                moved = row.card - piles[row.pile] if row.pile < 2 else piles[row.pile] - row.card
                assert moved > 0 or moved == -10
                assert moved == row.value
                hands[row.player].remove(row.card)
                piles[row.pile] = row.card
        assert len(set(drawn)) == len(drawn)
        played = rows[rows["event"] == "play"]["card"]
        assert played.is_unique
        assert len(played) + sum(map(len, hands)) + 98 - len(drawn) == 98
        assert left == 98 - len(played)


@pytest.mark.parametrize("strategy", [*QUICK, Chaotic()], ids=label)
def test_a_game_depends_on_seed_and_number_only(strategy, monkeypatch):
    rules = tg.Rules(2)
    whole = tg.simulate(rules, strategy, 40, seed=3)
    part = tg.simulate(rules, strategy, 15, seed=3, first_game=10)
    assert part.cards_left.tolist() == whole.cards_left[10:25].tolist()
    monkeypatch.setattr(ENGINE, "BATCH", 7)
    assert tg.simulate(rules, strategy, 40, seed=3).to_frame().equals(whole.to_frame())


def test_jobs_change_nothing(monkeypatch):
    monkeypatch.setattr(ENGINE, "BATCH", 50)
    one = tg.simulate(tg.Rules(2), S.Random(), 150, seed=4)
    two = tg.simulate(tg.Rules(2), S.Random(), 150, seed=4, n_jobs=2)
    assert one.to_frame().equals(two.to_frame())


def test_all_strategies_meet_the_same_deck():
    first = [tg.simulate(tg.Rules(2), s, 3, seed=5, record=True).events for s in QUICK[:2]]
    dealt = [e[e["event"] == "deal"]["card"].tolist() for e in first]
    assert dealt[0] == dealt[1]


def test_decks_are_fair():
    """Every card is equally likely in every place: chi-square over first cards of the reference shuffle's twin."""
    events = tg.simulate(tg.Rules(1, hand=1, minimum=1), S.Random(), 9800, seed=6, record=True).events
    first = events[events["event"] == "deal"]["card"].to_numpy()
    counts = np.bincount(first, minlength=100)[2:]
    assert ((counts - 100) ** 2 / 100).sum() < 97 + 4 * np.sqrt(2 * 97)
    assert len(shuffled(1, 98)) == 98


def test_teams_of_different_strategies():
    rules = tg.Rules(3)
    team = [S.Random(), S.LookAhead(), lambda obs: obs.smallest(obs.movement)]
    events = tg.simulate(rules, team, 20, seed=1, record=True).events
    plays = events[events["event"] == "play"]
    moved = plays.groupby("player")["value"].mean()
    assert moved[0] > 3 * moved[1]


def test_results():
    games = tg.simulate(tg.Rules(2), S.Endgame(S.LinearMemoryHints()), 60, seed=1, record=True)
    frame = games.to_frame()
    assert frame["game"].tolist() == list(range(60))
    assert (frame["won"] == (frame["cards_left"] == 0)).all()
    assert frame["won"].any()
    assert set(frame.loc[frame["won"], "rating"]) == {"perfect"}
    end = games.events[games.events["event"] == "end"]
    assert end["value"].tolist() == games.cards_left.tolist()
    assert "games of The Game" not in repr(games)
    assert "60 games, 2 players" in repr(games)


def test_replay_in_words():
    games = tg.simulate(tg.Rules(2), S.Reserve(), 2, seed=1, record=True)
    story = games.replay(1).splitlines()
    assert story[0].startswith("player 0 is dealt ")
    assert any(line.startswith("turn 1: player 0 plays ") for line in story)
    assert story[-1] == f"end: {games.cards_left[1]} cards left"
    with pytest.raises(ValueError, match=r"game must be one of those played, 0\.\.1, not 7"):
        games.replay(7)


def test_summary_has_intervals():
    row = tg.simulate(tg.Rules(2), S.LeastMovement(), 400, seed=1).summary().iloc[0]
    assert row["n_games"] == 400
    assert 0 < row["win_rate_low"] < row["win_rate"] < row["win_rate_high"] < 0.2
    assert row["won"] == 400 * row["win_rate"]
    assert row["cards_left_low"] < row["cards_left"] < row["cards_left_high"]
    assert row[["perfect", "excellent", "good", "to improve"]].sum() == pytest.approx(1)


def test_paired_comparison():
    rules = tg.Rules(2)
    a, b = (tg.simulate(rules, s, 300, seed=1) for s in (S.LookAhead(), S.Random()))
    result = tg.compare(a, b)
    assert result["won_difference"] > 0
    assert result["cards_left_difference"] < -50
    assert result["cards_left_low"] < result["cards_left_difference"] < result["cards_left_high"]
    with pytest.raises(ValueError, match="the same deals"):
        tg.compare(a, tg.simulate(rules, S.Random(), 300, seed=2))


def test_events_need_recording():
    with pytest.raises(ValueError, match="record=True"):
        _ = tg.simulate(tg.Rules(2), S.Random(), 2).events


@pytest.mark.parametrize(("change", "error", "message"), [
    ({"rules": 2}, TypeError, r"rules must be mindsim\.the_game\.Rules, not 2"),
    ({"n_games": 0}, ValueError, "n_games must be an integer of at least 1, not 0"),
    ({"n_games": 2.5}, TypeError, "n_games must be an integer of at least 1, not 2.5"),
    ({"seed": "a"}, TypeError, "seed must be an integer"),
    ({"seed": -1}, ValueError, "seed must be in"),
    ({"first_game": -1}, ValueError, "first_game must be an integer of at least 0, not -1"),
    ({"strategy": [S.Random()]}, ValueError, "one per seat: 2 for these rules, not 1"),
    ({"strategy": S.Random}, TypeError, r"not the class Random: write Random\(\)"),
    ({"strategy": 3}, TypeError, "strategy must be a strategy"),
    ({"strategy": lambda obs: np.zeros(obs.rows, int)}, ValueError, "stopped while 2 more cards"),
    ({"strategy": lambda obs: np.full(obs.rows, 4 * 50 + 1)}, ValueError, "card 50, which it does not hold"),
    ({"strategy": lambda obs: 4 * obs.hand[:, 0] + np.where(obs.played, 2, 0)}, ValueError, "allowed in game 0"),
    ({"strategy": lambda obs: obs.hand[:, 0] * 4.0}, TypeError, "must return integers, not float64"),
    ({"strategy": lambda obs: np.zeros((obs.rows, 2), int)}, ValueError, r"must return an array of shape \(3,\)"),
    ({"strategy": S.Own(lambda obs: obs.smallest(obs.movement), hints=True,
                        says=lambda obs: np.full((obs.rows, 4), 50))}, ValueError, r"hints 0\.\.3, not \[50"),
])
def test_bad_input(change, error, message):
    setting = {"rules": tg.Rules(2), "strategy": S.Random(), "n_games": 3} | change
    rules, strategy = setting.pop("rules"), setting.pop("strategy")
    if "does not hold" in message:
        setting["n_games"] = 40
    with pytest.raises(error, match=message):
        tg.simulate(rules, strategy, **setting)


def test_an_own_strategy_compiled():
    @njit
    def first_fit(view):
        for i in range(view.n_cards):
            for pile in range(4):
                gap = view.cards[i] - view.piles[pile] if pile < 2 else view.piles[pile] - view.cards[i]
                if gap > 0 and view.needed > 0:
                    return 4 * view.cards[i] + pile
        return 0

    def first_fit_too(obs):
        plays = 4 * obs.hand[:, :, None] + np.arange(4)
        order = np.where(obs.legal & (obs.movement > 0), plays, 10**6).reshape(obs.rows, -1)
        best = order.min(axis=1)
        return np.where((obs.needed > 0) & (best < 10**6), best, 0)

    rules = tg.Rules(3, trick=0)
    a, b = (tg.simulate(rules, f, 50, seed=1) for f in (first_fit, first_fit_too))
    assert a.to_frame().equals(b.to_frame())
