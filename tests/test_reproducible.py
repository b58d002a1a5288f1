"""The same games however they are played: batch size, processes, prefix, grouping of seats, one game alone."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import mindsim as ms

N = 60
LEVELS = [ms.Level(2, "star"), ms.Level(3, "life", face_down=True), ms.Level(4)]
RULES = ms.Rules(4, LEVELS, lives=5, stars=1, max_stops=2)


@dataclass(frozen=True)
class Restless:
    """A policy of our own that draws, remembers and watches: everything that could leak from one row to another."""

    pace: float
    memory = 2

    def watch(self, obs):
        obs.memory[:, 0] += obs.last_card
        obs.memory[:, 1] = obs.uniform()

    def wait(self, obs):
        noted = 0.001 * obs.memory[:, 0] + 0.1 * obs.memory[:, 1]
        return obs.remaining(self.pace * obs.gap + 0.2 * obs.uniform() + noted + 0.05 * obs.personal(0) ** 2)


class RestlessToo(Restless):
    """The same decisions from objects that equal nobody: such players are asked one by one."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


def player(policy=Restless, pace=0.1, **keywords) -> ms.Player:
    clock = ms.clocks.Scalar(0.14, 0.05) * ms.clocks.Tempo(0.1)
    kept = {"stars": ms.stars.At(2.0), "stops": ms.stops.At(3.0), "reaction": 0.2, "clock": clock}
    return ms.Player(policy(pace), **(kept | keywords))


def team() -> list[ms.Player]:
    mine, yours = player(), ms.Player(ms.policies.GapPower(0.05, 1.5), clock=ms.clocks.Gamma(0.2), reaction=0.1)
    return [mine, yours, mine, yours]


def play(players=None, n_games=N, **keywords):
    return ms.simulate(RULES, team() if players is None else players, n_games=n_games, seed=99, record=True, **keywords)


@pytest.fixture(scope="module")
def games():
    games = play()
    assert 0 < games.won.sum() < N  # worth comparing
    assert set(games.events["event"]) >= {"star", "stop", "mistake", "reward"}
    return games


def assert_same(got, want, first: int = 0, last: int = N) -> None:
    """Every column and every event of games first..last-1 of `want` are those of `got`."""
    expected = want.to_frame().iloc[first:last].reset_index(drop=True)
    pd.testing.assert_frame_equal(got.to_frame().reset_index(drop=True), expected, check_exact=True)
    events = want.events[want.events["game"].between(first, last - 1)].reset_index(drop=True)
    pd.testing.assert_frame_equal(got.events.reset_index(drop=True), events, check_exact=True)


@pytest.mark.parametrize("batch", [1, 7, 59, 60, 10_000])
def test_batch_size(games, batch):
    assert_same(play(batch=batch), games)


def test_processes(games):
    assert_same(play(n_jobs=2), games)


def test_processes_and_progress(games, capsys):
    assert_same(play(n_jobs=2, batch=16, progress=True), games)


@pytest.mark.parametrize("n_games", [1, 13])
def test_a_prefix(games, n_games):
    """A thousand games are the first thousand of ten thousand."""
    assert_same(play(n_games=n_games), games, 0, n_games)


@pytest.mark.parametrize("game", [0, 17, N - 1])
def test_one_game_alone(games, game):
    assert_same(play(n_games=1, first_game=game), games, game, game + 1)


def test_a_stretch_of_games(games):
    assert_same(play(n_games=20, first_game=30, batch=3), games, 30, 50)


@pytest.mark.parametrize("players", [
    lambda mine, yours: [mine, yours, player(), yours],  # equal, not identical
    lambda mine, yours: [player(RestlessToo), yours, player(RestlessToo), yours],  # equal to nobody
    lambda mine, yours: [player(RestlessToo), yours, mine, team()[1]],
])  # fmt: skip
def test_grouping_of_seats(games, players):
    """Who is asked together with whom does not show."""
    mine, yours = team()[:2]
    assert_same(play(players(mine, yours)), games)


def test_one_for_all_and_one_a_seat():
    me = player()
    assert_same(play([me] * 4), play(me))
    assert_same(play([player(RestlessToo) for _ in range(4)]), play(me))


def test_deals_depend_on_seed_game_and_level_only(games):
    """Every team meets the same cards: paired comparison for free."""
    other = play(ms.policies.GapLinear(0.1))

    def dealt(events):
        events = events[events["event"] == "deal"]
        return {key: tuple(cards) for key, cards in events.groupby(["game", "level"])["card"]}

    mine, theirs = dealt(games.events), dealt(other.events)
    common = mine.keys() & theirs.keys()
    assert len(common) > N
    assert all(mine[key] == theirs[key] for key in common)


def test_another_seed_gives_other_games(games):
    other = ms.simulate(RULES, team(), n_games=N, seed=100)
    assert not np.array_equal(other.duration, games.duration)


def test_record_does_not_change_the_games(games):
    for record in (False, "waits"):
        other = ms.simulate(RULES, team(), n_games=N, seed=99, record=record)
        pd.testing.assert_frame_equal(other.to_frame(), games.to_frame(), check_exact=True)


def test_given_deals_are_the_dealt_ones(games):
    """The hands of one game, given back as `deals=`, play that game again."""
    game = 17
    events = games.events[(games.events["game"] == game) & (games.events["event"] == "deal")]
    reached = int(games.level_reached[game])
    deals = [[[] for _ in range(4)] for _ in RULES.levels]
    for level, number, card in zip(events["level"], events["player"], events["card"]):
        deals[level - 1][number].append(card)
    for level in range(reached, RULES.n_levels):  # not reached: any hands do
        cards = RULES.levels[level].cards
        deals[level] = [list(range(1 + p * cards, 1 + (p + 1) * cards)) for p in range(4)]
    assert_same(play(n_games=1, first_game=game, deals=deals), games, game, game + 1)


def test_one_deal_for_each_game():
    rules = ms.Rules(2, [ms.Level(1)], lives=1, stars=0)
    deals = [[[[i + 1], [i + 2]]] for i in range(20)]
    games = ms.simulate(rules, ms.policies.GapLinear(0.1), n_games=20, deals=deals, record=True, batch=3)
    first = games.events[games.events["event"] == "play"].groupby("game").head(1)
    assert first["card"].tolist() == list(range(1, 21))


def test_the_order_of_calls_leaves_no_trace(games):
    """No state is kept between simulations, nor taken from NumPy's."""
    np.random.seed(1)  # noqa: NPY002
    ms.simulate(ms.Rules.the_mind(2), ms.policies.Uniform(1.0), 5, seed=1)
    assert_same(play(), games)
