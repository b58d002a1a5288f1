"""The environments play the games of `simulate`: same seed, same waits, same game; and they never stall or leak."""
from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import mindsim as ms
from mindsim.env import Rewards

TWO_TRACKS = ms.Rules.extreme(2)
BODY: dict[str, Any] = {"clock": ms.clocks.Scalar(0.14, floor=0.05), "reaction": 0.2}


class Replay:
    """Policy and stars of one seat that repeat what was decided, epoch by epoch."""

    def __init__(self, decided: list[Any], seat: int) -> None:
        self.decided, self.seat, self.epoch = decided, seat, -1

    def watch(self, obs: Any) -> None:
        self.epoch += 1

    @property
    def now(self) -> Any:
        return self.decided[self.epoch]

    def wait(self, obs: Any) -> Any:
        return self.now.waits[self.seat, obs.track]

    def raise_hand(self, obs: Any) -> Any:
        return self.now.hands[self.seat : self.seat + 1]

    def consent(self, obs: Any) -> Any:
        return self.now.consents[self.seat : self.seat + 1]


def replayed(decided: list[Any], rules: ms.Rules, seed: int, game: int) -> ms.Games:
    """The game that `simulate` plays with these decisions."""
    team = []
    for seat in range(rules.players):
        mind = Replay(decided, seat)
        team.append(ms.Player(mind, stars=mind, **BODY))
    return ms.simulate(rules, team, n_games=1, seed=seed, first_game=game, record=True)


@pytest.mark.parametrize("rules", [ms.Rules.the_mind(3), TWO_TRACKS], ids=["one track", "two tracks"])
def test_the_same_waits_give_the_same_game(rules: ms.Rules) -> None:
    env = ms.env.parallel_env(rules=rules, rewards=Rewards(level=1.0, life=0.0, win=0.0, second=0.0), **BODY)
    draws = np.random.default_rng(1)
    starred = 0
    for game in range(30):
        _, infos = env.reset(seed=11, options={"game": game})
        decided, total, happened = [], 0.0, []
        while env.agents:
            actions = {agent: draws.random(env.action_space(agent).shape) ** 0.3 for agent in env.agents}
            decided.append(env.setup.actions.read(np.stack(list(actions.values())), rules.players))
            _, rewards, _, _, infos = env.step(actions)
            total += rewards["player_0"]
            happened.append(infos["player_0"])
        played, last = replayed(decided, rules, 11, game), infos["player_0"]
        assert played.outcome[0] == last["outcome"] and played.epochs[0] == len(decided)
        assert played.duration[0] == last["duration"] and played.lives[0] == last["lives"]
        assert played.levels_completed[0] == total and played.mistakes[0] == sum(i["lives_lost"] for i in happened)
        plays = played.events[played.events.event == "play"]
        alone = [info for info in happened if info["plays"] == 1 and info["event"] == "play" and info["card"]]
        assert {(i["player"], i["card"]) for i in alone} <= set(zip(plays.player, plays.card, strict=True))
        starred += int(played.stars_used[0])
    assert starred > 0


def test_one_learner_among_partners() -> None:
    partner = ms.players.make("ordinary")
    env = ms.env.single_env([partner, partner], seat=1, players=3, stars=ms.stars.Never(), **BODY)
    root = ms.env.as_policy(lambda seen: 0.3 + 0.5 * seen[:, 2:3], env)
    games = ms.simulate(ms.Rules.the_mind(3), [partner, root, partner], n_games=20, seed=3)
    for game in range(20):
        seen, _ = env.reset(seed=3) if game == 0 else env.reset()
        ended = False
        while not ended:
            seen, _, ended, _, info = env.step(0.3 + 0.5 * seen[2:3])
        assert info["outcome"] == games.outcome[game] and info["duration"] == pytest.approx(games.duration[game])


def by_gap(seen: Any) -> Any:
    """Waits by the gap, hands and consent by the time: any function will do."""
    gap, since = seen[..., 0], seen[..., 1]
    hand = np.where(gap > 0.35, 0.5 + 0.3 * since, 1.0)
    return np.stack([np.minimum(0.3 + 0.6 * gap, 1.0), hand, 1.0 - gap], axis=-1)


@pytest.mark.parametrize("partners", [None, "ordinary"])
def test_batches_play_the_games_of_simulate(partners: Any) -> None:
    """8 places, 400 games: some last long while their neighbours play many short ones."""
    env = ms.env.batch_env(8, players=3, fields=["gap", "since_top"], partners=partners, **BODY)
    player = ms.env.as_policy(by_gap, env)
    team = player if partners is None else [player, *[ms.players.make(partners)] * 2]
    games = ms.simulate(ms.Rules.the_mind(3), team, n_games=1000, seed=5)
    seen, _ = env.reset(seed=5)
    done = 0
    while done < 400:
        seen, _, ended, cut, infos = env.step(by_gap(seen))
        assert not cut.any()
        for i in np.flatnonzero(ended):
            final = {name: values[i] for name, values in infos["final_info"].items()}
            game = final["game"]
            assert final["won"] == games.won[game] and final["epochs"] == games.epochs[game]
            assert final["levels_completed"] == games.levels_completed[game] and final["lives"] == games.lives[game]
            assert final["duration"] == pytest.approx(games.duration[game])
            done += 1
    assert games.stars_used.sum() > 0 and np.ptp(games.epochs) > 20


def test_a_long_game_beside_many_short_ones() -> None:
    """Results are used in turn: two games that end together must not share an entry, however far apart they began."""
    env = ms.env.batch_env(8, players=2, fields=["gap"], stars=ms.stars.Never(), rewards=Rewards(1, 0, 0, 0))
    seen, _ = env.reset(seed=1)
    total, apart, ended = 0.0, 0, np.zeros(8, bool)
    while not ended[0]:  # the first place waits in order, the others the other way round
        x = 0.3 + 0.6 * seen
        x[1:] = 1.2 - x[1:]
        apart = max(apart, int(np.ptp(env._table.records["game"])))
        seen, rewards, ended, _, infos = env.step(x)
        assert len(env._table.batch.results.outcome) >= apart + 8
        total += rewards[0]
        lost = ended.copy()
        lost[0] = False
        assert not lost.any() or (infos["final_info"]["outcome"][lost] == 1).all()
    assert infos["final_info"]["won"][0] and infos["final_info"]["levels_completed"][0] == total == 12
    assert apart > 100 and len(env._table.batch.results.outcome) < 10 * apart


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        (Rewards(1, 0, 0, 0), lambda games: games.levels_completed),
        (Rewards(0, -1, 0, 0), lambda games: -games.mistakes),
        (Rewards(0, 0, 7, 0), lambda games: 7 * games.won),
        (Rewards(0, 0, 0, -1), lambda games: 0.5 - games.duration),  # but for the first refocusing
    ],
    ids=["levels", "lives", "win", "seconds"],
)
@pytest.mark.parametrize("face_down", [False, True])
def test_returns(rewards: Rewards, expected: Any, face_down: bool) -> None:
    levels = [ms.Level(2, "life", face_down), ms.Level(3, "star"), ms.Level(4, None, face_down)]
    rules = ms.Rules(3, levels, lives=3, stars=1, refocus_seconds=0.5)
    env = ms.env.batch_env(300, rules=rules, fields=["gap", "since_top"], rewards=rewards, **BODY)
    games = ms.simulate(rules, ms.env.as_policy(by_gap, env), n_games=300, seed=2)
    seen, _ = env.reset(seed=2)
    returns, running = np.zeros(300), np.ones(300, bool)
    while running.any():
        seen, reward, ended, _, _ = env.step(by_gap(seen))
        returns += np.where(running, reward, 0.0)
        running &= ~ended
    assert returns == pytest.approx(expected(games))
    assert 0 < games.won.sum() < 300


@pytest.mark.parametrize("discrete", [False, True], ids=["box", "discrete"])
def test_ten_thousand_random_games_end_and_leave_nothing_behind(discrete: bool) -> None:
    env = ms.env.batch_env(500, players=3, discrete=discrete)
    env.reset(seed=9)
    draws = np.random.default_rng(9)
    outcomes, games, longest, used = np.zeros(3, np.int64), [], 0, []
    tracemalloc.start()
    while outcomes.sum() < 10_000:
        if discrete:
            masks = env.action_masks()
            action = (draws.random(masks.shape, np.float32) * masks).argmax(axis=2)
        else:
            action = draws.random(env.action_space.shape, np.float32)
        _, rewards, ended, _, infos = env.step(action)
        assert np.isfinite(rewards).all()
        if ended.any():
            final = infos["final_info"]
            outcomes += np.bincount(final["outcome"][ended], minlength=3)
            games += final["game"][ended].tolist()
            longest = max(longest, int(final["epochs"].max()))
            used.append((int(outcomes.sum()), tracemalloc.get_traced_memory()[0]))
    tracemalloc.stop()
    assert len(set(games)) == len(games) and max(games) < len(games) + 10 * 500  # each once, none left behind
    assert longest < 200 and (discrete or outcomes[2] == 0)  # without bins, nobody waits for ever by chance
    early, late = next(memory for n, memory in used if n > 4_000), used[-1][1]
    assert late - early < 1_500_000


def test_batch_seeds_and_next_step() -> None:
    first, second = ms.env.batch_env(50, players=2), ms.env.batch_env(50, players=2)
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        first.step(np.zeros((50, 2, 3)))
    actions = np.random.default_rng(0).random((60, 50, 2, 3))
    told = []
    for env in (first, second):
        seen = [env.reset(seed=4)[0]]
        for action in actions:
            seen.append(env.step(action)[0])
        seen.append(env.reset()[0])
        told.append(np.array(seen))
    assert np.array_equal(told[0], told[1])
    assert not np.array_equal(told[0][0], told[0][-1])
    assert first.observation_space.contains(told[0][30]) and first.action_space.shape == (50, 2, 3)
