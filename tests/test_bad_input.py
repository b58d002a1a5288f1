"""Every mistake a person can make at the public boundary: the error names argument, value and what is allowed."""
from __future__ import annotations

import numpy as np
import pytest

import mindsim as ms

RULES = ms.Rules(2, [ms.Level(2)], lives=1, stars=1, max_stops=1)
GAP = ms.policies.GapLinear(0.1)


def simulate(team=GAP, n_games=5, rules=RULES, **keywords):
    return ms.simulate(rules, team, n_games, **keywords)


@pytest.mark.parametrize("make", [ms.Rules.the_mind, ms.Rules.blind, ms.Rules.campaign, ms.Rules.extreme])
@pytest.mark.parametrize("players", [1, 5])
def test_players_of_the_published_rules(make, players):
    with pytest.raises(ValueError, match=rf"players must be 2, 3 or 4.*not {players}"):
        make(players)


@pytest.mark.parametrize("team, size", [([GAP], 1), ([GAP] * 3, 3), ([], 0), ((GAP,) * 4, 4)])
def test_a_team_of_the_wrong_size(team, size):
    with pytest.raises(ValueError, match=rf"team must be one player for everybody or 2, one per seat; got {size}"):
        simulate(team)


@pytest.mark.parametrize("team", [3, None, [GAP, 0.5], ms.policies.GapLinear])
def test_who_is_no_player(team):
    with pytest.raises(TypeError, match="policy must have a method wait"):
        simulate(team)


def test_an_unknown_policy_name_with_the_nearest_names():
    with pytest.raises(ValueError, match=r"unknown policy 'gap_linea'.*nearest: gap_linear"):
        ms.policies.make("gap_linea", pace=0.1)
    with pytest.raises(ValueError, match=r"unknown policy 'metronom'.*metronome"):
        simulate("metronom")


@pytest.mark.parametrize("keywords, error, message", [
    ({"levels": [ms.Level(51)]}, ValueError, "level 1 deals 51 cards to each of 2 players.*more than the deck of 100"),
    ({"levels": [ms.Level(2), ms.Level(3)], "deck": 5}, ValueError, "level 2 deals 3 cards.*deck of 5"),
    ({"levels": []}, ValueError, "levels must hold at least one Level"),
    ({"levels": [8]}, TypeError, "levels must be a sequence of Level, but entry 1 is 8"),
    ({"players": 0}, ValueError, r"players must be an integer in 1\.\.16, not 0"),
    ({"players": 2.5}, TypeError, r"players must be an integer in 1\.\.16, not 2.5"),
    ({"lives": 0}, ValueError, "lives must be an integer in 1.*not 0"),
    ({"stars": -1}, ValueError, "stars must be an integer in 0.*not -1"),
    ({"deck": 99, "tracks": 2}, ValueError, "deck must be shared equally by 2 tracks, which 99 cards are not"),
    ({"tracks": 3}, ValueError, r"tracks must be an integer in 1\.\.2, not 3"),
    ({"refocus_seconds": float("nan")}, ValueError, "refocus_seconds must be a finite number of seconds.*nan"),
    ({"refocus_seconds": -1.0}, ValueError, "refocus_seconds.*at least 0, not -1.0"),
    ({"blind_count": "both"}, ValueError, "blind_count must be \"as_face_up\" or \"breaks\", not 'both'"),
    ({"max_epochs": 0}, ValueError, "max_epochs.*at least 1|max_epochs.*in 1.*not 0"),
    ({"max_stops": -1}, ValueError, "max_stops must be an integer in 0..1000000000, not -1"),
])  # fmt: skip
def test_rules(keywords, error, message):
    with pytest.raises(error, match=message):
        ms.Rules(**({"players": 2, "levels": [ms.Level(2)], "lives": 1, "stars": 0} | keywords))


@pytest.mark.parametrize("keywords, error, message", [
    ({"cards": 0}, ValueError, "Level.cards must be an integer of at least 1, not 0"),
    ({"cards": 2, "reward": "lives"}, ValueError, "Level.reward must be \"life\", \"star\" or None, not 'lives'"),
    ({"cards": 2, "face_down": "white"}, ValueError, "Level.face_down must be"),
    ({"cards": 2, "time_limit": -1.0}, ValueError, "Level.time_limit must be.*at least 0, not -1.0"),
])  # fmt: skip
def test_levels(keywords, error, message):
    with pytest.raises(error, match=message):
        ms.Level(**keywords)


# --- simulate ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("keywords, error, message", [
    ({"n_games": 0}, ValueError, "n_games must be an integer of at least 1, not 0"),
    ({"n_games": -3}, ValueError, "n_games must be an integer of at least 1, not -3"),
    ({"n_games": 10.0}, TypeError, "n_games must be an integer of at least 1, not 10.0"),
    ({"n_games": True}, TypeError, "n_games must be an integer"),
    ({"seed": 1.5}, TypeError, "seed must be an integer.*not 1.5"),
    ({"seed": "seven"}, TypeError, "seed must be an integer.*not 'seven'"),
    ({"seed": None}, TypeError, "seed must be an integer.*not None"),
    ({"seed": -1}, ValueError, "seed must be in 0.*not -1"),
    ({"first_game": -1}, ValueError, "first_game must be an integer of at least 0, not -1"),
    ({"batch": 0}, ValueError, "batch must be an integer of at least 1, not 0"),
    ({"n_jobs": 0}, ValueError, "n_jobs must be.*not 0"),
    ({"n_jobs": "two"}, TypeError, "n_jobs must be.*not 'two'"),
    ({"record": "events"}, ValueError, "record must be False, True or \"waits\", not 'events'"),
    ({"rules": "the_mind"}, TypeError, "rules must be a Rules value.*not 'the_mind'"),
])  # fmt: skip
def test_arguments(keywords, error, message):
    with pytest.raises(error, match=message):
        simulate(**keywords)


@pytest.mark.parametrize("deals, error, message", [
    ([[[1, 2], [3, 3]]], ValueError, r"deals\[0\].*3 is dealt twice"),
    ([[[1, 2], [2, 4]]], ValueError, r"deals\[0\].*2 is dealt twice"),
    ([[[1, 2], [3, 101]]], ValueError, r"deals\[0\]\[1\].*card must be a whole number in 1\.\.100, not 101"),
    ([[[0, 2], [3, 4]]], ValueError, r"card must be a whole number in 1\.\.100, not 0"),
    ([[[1.5, 2], [3, 4]]], ValueError, "not 1.5"),
    ([[[("white", 1), 2], [3, 4]]], ValueError, "card must be"),
    ([[[1, 2], [3]]], ValueError, r"deals\[0\]\[1\] must hold 2 cards at level 1, not 1"),
    ([[[1, 2]]], ValueError, r"deals\[0\] must hold 2 hands, not 1"),
    ([[[1, 2], [3, 4]], [[1, 2], [3, 4]]], ValueError, "deals must hold the hands of 1 levels, not of 2"),
    ([[[[1, 2], [3, 4]]]] * 3, ValueError, "3 deals for 5 games"),
    ("12", TypeError, "deals must be a list, not '12'"),
    ([], ValueError, "deals must hold"),
])  # fmt: skip
def test_deals(deals, error, message):
    with pytest.raises(error, match=message):
        simulate(deals=deals)


def test_a_card_of_no_colour():
    rules = ms.Rules(2, [ms.Level(1)], lives=1, stars=0, tracks=2)
    for card in (("blue", 3), ("red", 51), 7):
        with pytest.raises(ValueError, match=r'card must be \("white", n\) or \("red", n\) with n in 1\.\.50'):
            simulate(rules=rules, deals=[[[card], [("white", 1)]]])


# --- what players answer ----------------------------------------------------------------------------------------------
def stubborn_policy(obs):
    return -1.0 * obs.gap


class Stubborn:
    """A policy whose answers are wrong in a way of choice."""

    def __init__(self, answer):
        self.answer = answer

    def __repr__(self):
        return "Stubborn()"

    def wait(self, obs):
        return self.answer(obs)


@pytest.mark.parametrize("answer, error, message", [
    (lambda obs: np.full(obs.rows, np.nan), ValueError, "nan"),
    (lambda obs: np.where(obs.gap == obs.gap.max(), np.nan, 1.0), ValueError, "nan"),
    (lambda obs: -0.5 - obs.gap, ValueError, r"at least 0.*row 0 is -"),
    (lambda obs: np.full(obs.rows, -np.inf), ValueError, "at least 0.*-inf"),
    (lambda obs: np.ones(obs.rows + 1), ValueError, "shape"),
    (lambda obs: np.ones((obs.rows, 1)), ValueError, "shape"),
    (lambda obs: 1.0, (ValueError, TypeError), "shape|array|rows"),
    (lambda obs: None, (ValueError, TypeError), "None|NoneType|array"),
    (lambda obs: np.array(["soon"] * obs.rows), (ValueError, TypeError), "number|float|dtype"),
    (lambda obs: np.ones(obs.rows, complex), (ValueError, TypeError), "number|float|complex"),
])  # fmt: skip
def test_a_wait_that_is_none(answer, error, message):
    """NaN, negative, of the wrong shape or no number: the message names the policy."""
    with pytest.raises(error, match=rf"(?is)Stubborn.*({message})|({message}).*Stubborn"):
        simulate(Stubborn(answer))


def test_a_function_is_named():
    with pytest.raises(ValueError, match="stubborn_policy"):
        simulate(stubborn_policy)


def test_one_bad_player_among_good_ones_is_named():
    with pytest.raises(ValueError, match="Stubborn"):
        simulate([GAP, Stubborn(lambda obs: np.full(obs.rows, np.nan))])


def test_integer_waits_are_numbers():
    """Not an error: whole seconds."""
    assert simulate(lambda obs: obs.gap).n_games == 5


class BadStars(Stubborn):
    def raise_hand(self, obs):
        return self.answer(obs)

    def consent(self, obs):
        return np.ones(obs.rows, bool)


class BadConsent(Stubborn):
    def raise_hand(self, obs):
        return np.zeros(obs.rows)

    def consent(self, obs):
        return self.answer(obs)


class BadPrefer(Stubborn):
    def raise_hand(self, obs):
        return np.zeros(obs.rows)

    def consent(self, obs):
        return np.ones(obs.rows, bool)

    def prefer(self, obs):
        return self.answer(obs)


class BadStops(Stubborn):
    def call(self, obs):
        return self.answer(obs)


class BadClock(Stubborn):
    def rate(self, noise):
        return self.answer(noise)


class BadHand(Stubborn):
    def rate(self, noise):
        return noise.ones()

    def motor(self, noise):
        return self.answer(noise)


class BadReaction(Stubborn):
    def draw(self, noise):
        return self.answer(noise)


NAN = lambda obs: np.full(obs.rows, np.nan)  # noqa: E731
SHORT = lambda obs: np.ones(obs.rows - 1)  # noqa: E731
NEGATIVE = lambda obs: np.full(obs.rows, -1.0)  # noqa: E731


@pytest.mark.parametrize("part, cls, answers", [
    ("stars", BadStars, [NAN, SHORT, NEGATIVE]),
    ("stars", BadConsent, [SHORT]),
    ("stops", BadStops, [NAN, SHORT, NEGATIVE]),
    ("clock", BadClock, [NAN, SHORT, NEGATIVE, lambda noise: noise.zeros()]),
    ("clock", BadHand, [NAN, SHORT]),
    ("reaction", BadReaction, [NAN, SHORT, NEGATIVE]),
])  # fmt: skip
def test_other_parts_are_named_too(part, cls, answers):
    for answer in answers:
        with pytest.raises((ValueError, TypeError), match="Stubborn|" + cls.__name__):
            simulate(ms.Player(GAP, **{part: cls(answer)}))


def test_one_number_is_no_answer_even_for_one_row():
    with pytest.raises(ValueError, match=r"must return 1 numbers, one per row, not an array of shape \(\)"):
        ms.simulate(ms.Rules(2, [ms.Level(1)], lives=1, stars=0), [lambda obs: 1.0, GAP], n_games=1)


def test_games_have_numbers_that_every_table_can_hold():
    with pytest.raises(ValueError, match=r"first_game \+ n_games must be at most 2\^53, not 9223372036854775908"):
        simulate(first_game=2**63, n_games=100)
    with pytest.raises(ValueError, match=r"max_stops must be an integer in 0\.\.1000000000"):
        ms.Rules(2, [ms.Level(1)], lives=1, stars=0, max_stops=2**63)


def test_a_preferred_track_that_is_none():
    rules = ms.Rules(2, [ms.Level(2)], lives=1, stars=1, tracks=2)
    deals = [[[("white", 1), ("red", 1)], [("white", 2), ("red", 2)]]]
    with pytest.raises((ValueError, TypeError), match=r"Stubborn|BadPrefer"):
        simulate(ms.Player(GAP, stars=BadPrefer(lambda obs: np.full(obs.rows, 7))), rules=rules, deals=deals)


@pytest.mark.parametrize("keywords, error, message", [
    ({"reaction": -0.1}, ValueError, "reaction must be a finite number of seconds, at least 0, not -0.1"),
    ({"reaction": float("nan")}, ValueError, "reaction.*nan"),
    ({"reaction": "quick"}, TypeError, "reaction must be.*not 'quick'"),
    ({"clock": 0.1}, TypeError, "clock must be an object with rate, not 0.1"),
    ({"stars": ms.stars.Never}, TypeError, "stars must be an object with raise_hand and consent"),
    ({"stops": "never"}, TypeError, "stops must be an object with call, not 'never'"),
    ({"sees_clock": 1}, TypeError, "sees_clock must be True or False, not 1"),
])  # fmt: skip
def test_players(keywords, error, message):
    with pytest.raises(error, match=message):
        ms.Player(GAP, **keywords)


@pytest.mark.parametrize("make, message", [
    (lambda: ms.policies.GapLinear(0.0), "GapLinear: pace must be a number above 0, not 0.0"),
    (lambda: ms.policies.GapLinear(float("nan")), "pace.*nan"),
    (lambda: ms.policies.GapPower(0.1, -1.0), "exponent must be.*not -1.0"),
    (lambda: ms.policies.Metronome(-1), "Metronome: pace must be.*not -1"),
    (lambda: ms.policies.Uniform(float("inf")), "seconds must be.*inf"),
    (lambda: ms.policies.Script({0: 1.0}), "card must be.*not 0"),
    (lambda: ms.policies.Script({1: -1.0}), "at least 0, not -1.0"),
    (lambda: ms.clocks.Scalar(-0.1), "weber must be.*not -0.1"),
    (lambda: ms.clocks.Scalar(0.1, lasts="day"), "lasts must be one of 'epoch', 'level', 'game', not 'day'"),
    (lambda: ms.clocks.Gamma(0.0), "cv must be.*not 0.0"),
    (lambda: ms.stars.At(-1.0), "seconds must be.*not -1.0"),
    (lambda: ms.stops.At(float("nan")), "seconds must be.*nan"),
])  # fmt: skip
def test_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# --- not an error: waiting for ever -----------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", [RULES, ms.Rules.the_mind(3), ms.Rules.blind(2), ms.Rules.extreme(4)], ids=repr)
def test_a_policy_that_waits_for_ever_ends_stalled(rules):
    """Nothing will ever happen: a loss with a name of its own. It never hangs."""
    games = simulate(lambda obs: np.full(obs.rows, np.inf), rules=rules, n_games=50)
    frame = games.to_frame()
    assert set(frame["outcome"]) == {"stalled"}
    assert not games.won.any()
    assert (games.epochs == 1).all() and (games.duration == 0).all() and (games.level_reached == 1).all()


def test_no_clock_makes_an_infinite_wait_finite():
    clock = ms.clocks.Scalar(0.5, 0.3) * ms.clocks.Lognormal(2.0)
    games = simulate(ms.Player(lambda obs: np.full(obs.rows, np.inf), clock=clock, reaction=0.2))
    assert set(games.to_frame()["outcome"]) == {"stalled"}


def test_stops_without_end_do_not_hang():
    """Stops are counted, and so are epochs."""
    class Always:
        def call(self, obs):
            return np.zeros(obs.rows)

    rules = ms.Rules(2, [ms.Level(1)], lives=1, stars=0, max_stops=10**6, max_epochs=50)
    games = simulate(ms.Player(GAP, stops=Always()), rules=rules, record=True)
    assert set(games.to_frame()["outcome"]) == {"stalled"}
    assert (games.epochs == 50).all()
    assert (games.events["event"] == "stop").sum() == 5 * 50


def test_one_player_alone_has_nobody_to_react_to():
    """A table of one has no second card in an epoch: nothing may be looked up for it."""
    alone = ms.Player(ms.policies.GapLinear(0.5), reaction=0.3)
    games = ms.simulate(ms.Rules(1, [ms.Level(4)], 1, 0), alone, n_games=5, seed=1)
    assert games.won.all() and (games.duration == 0).all() and (games.epochs == 4).all()
