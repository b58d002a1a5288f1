"""Compiled passes of policies against the same rules in plain NumPy, in play and in made-up situations.

The NumPy twins below are the readable definitions: what a policy computes, field by field, without a thought for speed.
A twin plays the same games as its policy, so both must come out the same: one and two tracks, face down, with stars.
"""
from __future__ import annotations

import numpy as np
import pytest

import mindsim as ms
from mindsim.fields import GLANCE, STANDING
from mindsim.observation import Event
from mindsim.policies.features import NAMES, Weights
from mindsim.policies.tempo import TempoMatching
from mindsim.situations import Situations, depth_of
from mindsim.testing import cases

SHARED = tuple(name for name in NAMES if name not in ("depth", "expected"))
RULES = {
    "one track": ms.Rules.the_mind(4), "two tracks": ms.Rules.extreme(3), "face down": ms.Rules.blind(2),
    "campaign": ms.Rules.campaign(2),
    "six players": ms.Rules(6, [ms.Level(2, reward="star"), ms.Level(3)], lives=4, stars=1),
}  # fmt: skip


def weights(n: int, seed: int) -> tuple[float, ...]:
    return tuple(np.random.default_rng(seed).normal(0.0, 0.2, n).tolist())


# --- features ---------------------------------------------------------------------------------------------------------
def features(obs) -> np.ndarray:
    """`features.FEATURES` as they are said, float64[rows, features]."""
    own, held = obs.hand_sizes[:, 0], obs.hand_sizes.sum(axis=1)
    players, dealt, down = obs.hand_sizes.shape[1], obs.players * obs.level_cards, obs.face_down
    tracks = np.where(obs.unseen_all == obs.unseen, 1, 2) if isinstance(obs, Situations) else obs._view.tracks
    cards = np.maximum(np.where(down, dealt, held), 1)
    room = np.maximum(np.where(down, tracks * obs.ranks, obs.unseen_all + own), 1)
    lives, level = (obs.lives - 3) / 2, 2 * obs.level / obs.n_levels - 1
    n = np.maximum(held, 1)
    two_hands = np.maximum(1 - (obs.hand_sizes**2).sum(axis=1) / n**2, 0.02) / (1 - 1 / players)
    share = np.log(np.maximum(own * players, 0.05) / n)
    depth = depth_of(obs)
    return np.column_stack([
        np.ones(obs.rows), np.log(10 * cards / room), lives, obs.lives == 1, obs.lives == 2, obs.lives >= 5, level,
        lives * level, obs.level == obs.n_levels, np.where(down, 0, np.log(two_hands)), np.log(cards / players),
        np.where(down, 0, share), obs.stars / 3, held == dealt, np.log(1 + depth), np.log(1 + depth * cards / room),
    ])  # fmt: skip


def schedule(obs, scale, exponent, shift) -> np.ndarray:
    """The schedule that `LogLinear` and `MLP` share."""
    seen = features(obs)
    x, shift = np.expm1(seen[:, NAMES.index("expected")]), np.exp(np.clip(shift, -6, 4))
    log_wait = scale + np.exp(np.clip(exponent, -3, 2.5)) * np.log((x + shift) / (1 + shift))
    return ahead(obs, np.where(x > 0, np.exp(np.minimum(log_wait, 11.0)), 0.0))


def ahead(obs, wait) -> np.ndarray:
    return np.where(obs.face_down, obs.unless_alone(wait - obs.elapsed), obs.remaining(wait))


class LogLinear:
    def __init__(self, policy):
        self.policy = policy

    def wait(self, obs):
        seen = features(obs)[:, [NAMES.index(name) for name in self.policy.features]]
        sums = (seen[:, : len(w)] @ np.array(w) for w in (self.policy.scale, self.policy.exponent, self.policy.shift))
        return schedule(obs, *sums)


class MLP:
    def __init__(self, policy):
        self.policy = policy

    def wait(self, obs):
        seen, out = features(obs)[:, [NAMES.index(name) for name in self.policy.features]], np.array(self.policy.out)
        return schedule(obs, *(out[:, 0] + np.tanh(seen @ np.array(self.policy.hidden).T) @ out[:, 1:].T).T)


class Table:
    def __init__(self, policy):
        self.policy = policy

    def wait(self, obs):
        p, depth = self.policy, depth_of(obs)
        rises = np.logaddexp(0.0, np.array(p.rises))
        knots = np.array(p.first)[:, None] + np.column_stack([np.zeros(len(p.others)), np.cumsum(rises, axis=1)])
        others = np.where(obs.face_down, (obs.players - 1) * obs.level_cards, obs.others_cards)
        x, y = np.log(np.maximum(depth, 1)), np.log(np.maximum(others, 1))
        rows = np.array([np.interp(x, np.log(p.depths), row) for row in knots])
        log_wait = np.array([np.interp(y[i], np.log(p.others), rows[:, i]) for i in range(obs.rows)])
        return ahead(obs, np.where(depth > 0, np.exp(log_wait), 0.0))


# --- tempo ------------------------------------------------------------------------------------------------------------
class Ears:
    """What policies that listen note, row by row: the level; each pile's top and the seconds since it rose."""

    LEVEL, TOPS, SINCE, OWN = 0, slice(1, 3), slice(3, 5), 5

    def rise(self, obs, i):
        """How far and after how long a partner's card made a pile rise; None if nothing is told."""
        own, card, track = obs.memory[i], obs.last_card[i], obs.last_track[i]
        if own[self.LEVEL] != obs.level[i]:
            own[self.LEVEL], own[self.TOPS], own[self.SINCE] = obs.level[i], 0.0, 0.0
            self.forget(own)
            return None
        own[self.SINCE] += obs.last_wait[i]
        if card == 0:
            return None
        gap, seconds = card - own[self.TOPS][track], own[self.SINCE][track]
        own[self.TOPS][track], own[self.SINCE][track] = card, 0.0
        if obs.last_player[i] <= 0:
            self.forget(own)
            return None
        return (gap, seconds) if obs.card[i] > 0 and obs.last_plays[i] == 1 and gap > 0 else None

    def forget(self, own):
        pass


class Tempo(Ears):
    """What `DeltaTempo` and `EwaTempo` share."""

    def __init__(self, policy):
        self.policy, self.memory = policy, self.OWN + len(TEMPI)

    def watch(self, obs):
        for i in range(obs.rows):
            told = self.rise(obs, i)
            if told and obs.last_event[i] == Event.PLAY and told[0] > 1 and told[1] > 0.05:
                heard = np.log(told[1] / (self.policy.pace * told[0] ** self.policy.exponent))
                obs.memory[i, self.OWN :] = self.learn(obs.memory[i, self.OWN :], heard)

    def wait(self, obs):
        tempo = np.exp(self.log_tempo(obs.memory[:, self.OWN :]))
        return obs.remaining(tempo * self.policy.pace * obs.gap.astype(float) ** self.policy.exponent)


TEMPI = np.log([0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0])


class DeltaTempo(Tempo):
    def learn(self, known, heard):
        error = np.clip(heard - known, -self.policy.most, self.policy.most)
        return known + self.policy.rate * error

    def log_tempo(self, known):
        return known[:, 0]


class EwaTempo(Tempo):
    def learn(self, known, heard):
        return self.policy.keep * known - np.abs(TEMPI - heard)

    def log_tempo(self, known):
        attraction = self.policy.sharpness * (known - self.policy.anchor * np.abs(TEMPI))
        weight = np.exp(attraction - attraction.max(axis=1, keepdims=True, initial=-np.inf))
        return (weight * TEMPI).sum(axis=1) / weight.sum(axis=1)


class Matching(Ears):
    """`TempoMatching`: the period and the phase, then an estimate of each of three partners."""

    PERIOD, PHASE, HEARD = 5, 6, slice(7, 10)
    memory = 10

    def __init__(self, policy):
        self.policy = policy

    def forget(self, own):
        own[self.PHASE] = 0.0

    def watch(self, obs):
        for i in range(obs.rows):
            told = self.rise(obs, i)
            if told:
                self.listen(obs.memory[i], (obs.last_player[i] - 1) % 3, told[1] / told[0] / self.policy.pace)

    def listen(self, own, partner, heard):
        pace, known = 1 + own[self.PERIOD], own[self.HEARD]
        heard = np.clip(heard, pace / 4, pace * 4)
        own[self.PHASE] = self.policy.phase * (heard - pace)
        known[partner] = heard if known[partner] == 0 else known[partner] + 0.5 * (heard - known[partner])
        own[self.PERIOD] += self.policy.period * (known[known > 0].mean() - pace)

    def wait(self, obs):
        pace = self.policy.pace * (1 + obs.memory[:, self.PERIOD] + obs.memory[:, self.PHASE])
        return obs.remaining(pace * obs.gap)


P, L = ms.policies, ms.learn
PAIRS = [
    (L.LogLinear(), LogLinear),
    (L.LogLinear(SHARED, weights(14, 1), weights(6, 2), weights(3, 3)), LogLinear),
    (L.MLP(), MLP),
    (L.MLP.fresh(SHARED, units=5, seed=4), MLP),
    (L.MLP(("one", "lives"), ((0.3, -0.4), (0.1, 1.0)), ((0.2, 1.0, -1.0), (0.6, 0.1, 0.2), (-1.0, 0.5, 0.0))), MLP),
    (L.Table((1, 5, 99), (1, 4, 12), (-1.5, -1.6, -2.0), ((2.0, 3.0), (1.0, 4.0), (0.0, 2.0))), Table),
    (L.DeltaTempo(0.05, 1.3), DeltaTempo), (L.EwaTempo(0.05, 1.3), EwaTempo), (TempoMatching(0.3), Matching),
]  # fmt: skip
CLOSE = {L.EwaTempo: 1e-6}  # how nearly waits agree; `EwaTempo` weighs in single precision
NAMED = [f"{type(policy).__name__} {i}" for i, (policy, _) in enumerate(PAIRS)]


def agree(policy, twin, rules, n_games):
    """A policy and its twin play the same games, by the same waits."""
    def play(policy):
        half = ms.Player(policy, clock=ms.clocks.Scalar(0.2), stars=ms.stars.At(4.0))
        other = ms.Player(P.GapPower(0.1, 1.3), clock=ms.clocks.Scalar(0.2))
        team = [half, *[other] * (rules.players - 2), half]
        return ms.simulate(rules, team, n_games=n_games, seed=4, record="waits")

    compiled, plain = play(policy), play(twin(policy))
    assert compiled.events["card"].equals(plain.events["card"])
    ours, theirs = compiled.waits["intended"].to_numpy(), plain.waits["intended"].to_numpy()
    close = CLOSE.get(type(policy), 1e-9)
    np.testing.assert_allclose(ours, theirs, rtol=close, atol=close)


@pytest.mark.parametrize(("policy", "twin"), PAIRS, ids=NAMED)
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_the_same_games_as_the_plain_twin(policy, twin, rules):
    agree(policy, twin, rules, 30)


@pytest.mark.parametrize(("policy", "twin"), PAIRS, ids=NAMED)
def test_the_same_waits_as_the_plain_twin(policy, twin):
    """In made-up situations, after having watched them twice."""
    plain = twin(policy)
    for name, obs in cases(getattr(policy, "memory", 0)):
        same = obs.take(np.arange(obs.rows))
        same.__dict__["memory"] = np.zeros((obs.rows, getattr(plain, "memory", 0)))
        if isinstance(plain, Ears):
            same.memory[:, Ears.LEVEL] = np.where(obs.elapsed > 0.0, obs.level, -1)
        for _ in range(2 * hasattr(policy, "watch")):
            policy.watch(obs)
            plain.watch(same)
            if isinstance(plain, Ears):  # where no time has passed, the level begins once more
                same.memory[:, Ears.LEVEL] = np.where(obs.elapsed > 0.0, obs.level, -1)
        close = CLOSE.get(type(policy), 1e-9)
        np.testing.assert_allclose(policy.wait(obs), plain.wait(same), rtol=close, atol=close, err_msg=name)


EVERY_FEATURE = Weights(NAMES, *map(tuple, np.eye(len(NAMES)).tolist()))


def test_features_mean_what_they_say():
    for name, obs in cases(0, empty_hands=True):
        np.testing.assert_allclose(EVERY_FEATURE.sums(obs).T, features(obs), rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_what_policies_glance_at_agrees_with_the_fields(rules):
    """In play: the compiled pass over the records against the same numbers from the public fields."""
    rows = dict.fromkeys(("all", "deep", "shown"), 0)

    class Spy:
        def wait(self, obs):
            both = obs.unseen_all != obs.unseen  # made-up situations tell by this whether there are two tracks
            fits = both | (obs._view.tracks == 1)
            assert obs.glance[:, fits].tolist() == Situations.glance.fget(obs)[:, fits].tolist()
            assert obs.standing.tolist() == Situations.standing.fget(obs).tolist()
            assert (len(obs.glance), len(obs.standing)) == (len(GLANCE), len(STANDING))
            rows["all"] += obs.rows
            rows["shown"] += int((depth_of(obs) < obs.unseen_below).sum())
            return obs.remaining(0.05 * obs.gap**1.3)

    ms.simulate(rules, ms.Player(Spy(), stars=ms.stars.At(4.0), clock=ms.clocks.Scalar(0.2)), n_games=60, seed=2)
    assert rows["all"] > 1000
    assert rows["shown"] > 0 or rules is RULES["face down"]


# --- watching with cards only -----------------------------------------------------------------------------------------
class Diary:
    """Notes of every watch: who is asked, on which track, and what was noted before."""

    memory = 1

    def __init__(self):
        self.seen = []

    def watch(self, obs):
        self.seen.append([getattr(obs, name).tolist() for name in ("card", "gap", "track", "elapsed", "last_card")])
        obs.memory[:, 0] += obs.card

    def wait(self, obs):
        return obs.remaining(0.1 * obs.gap + 0.001 * obs.memory[:, 0])


class CardDiary(Diary):
    watches_without_cards = False


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("seats", [1, 2])
def test_who_holds_cards_watches_the_same(rules, seats):
    """Those with cards are shown the same, in the same order, and memory is theirs, whoever else is asked."""
    games, shown = {}, {}
    for diary in (Diary(), CardDiary()):
        team = [diary] * seats + [P.GapPower(0.1, 1.3)] * (rules.players - seats)
        games[type(diary)] = ms.simulate(rules, team, n_games=20, seed=5, batch=7).to_frame()
        shown[type(diary)] = [np.array(fields) for fields in diary.seen]
    with_cards = [fields[:, fields[0] > 0] for fields in shown[Diary]]
    assert [f.tolist() for f in with_cards if f.size] == [f.tolist() for f in shown[CardDiary] if f.size]
