"""Conformance checks: does a policy, a clock, a star rule keep what the engine and its results rely on?

Each check poses made-up situations and raises `ConformanceError` with what went wrong. All built-ins pass; so should
anybody's own, before it is trusted with a million games.

>>> import mindsim as ms
>>> ms.testing.check_policy(lambda obs: 0.05 * obs.gap)
>>> ms.testing.check_clock(ms.clocks.Scalar(0.14))

What this file leaves to others: whether a policy plays well.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mindsim import rng
from mindsim.observation import Event
from mindsim.situations import Draws, Situations, situations

ROWS = 120
_ONE_AT_A_TIME = 12  # rows asked alone
_CLOSE = 1e-9  # NumPy's vector kernels differ in the last bit with a row's place in the array


class ConformanceError(AssertionError):
    """A part that breaks its contract: the message names the part, the promise, and how it was broken."""


def check_policy(policy: Any) -> None:
    """Check shape, values, row independence, repeatability and untouched inputs of a policy.

    Parameters
    ----------
    policy : object with ``wait(obs)``, or function
        What `Player` takes.

    Raises
    ------
    ConformanceError
        If a wait has the wrong shape or type, is NaN or negative; if a row's wait depends on other rows, on what was
        asked before or on anything outside the observation; or if the observation or the memory is changed in `wait`.
    """
    wait = policy.wait if hasattr(policy, "wait") else policy
    for name, obs in cases(_memory_of(policy)):
        if hasattr(policy, "watch"):
            _check_watch(policy, name, obs)
        _check_answers(f"{policy!r}, {name}: wait", wait, obs, rng.WAIT, _seconds)


def check_stars(stars: Any) -> None:
    """Check `raise_hand`, `consent` and, if there is one, `prefer` of a star rule, as `check_policy` does for waits.

    Raises
    ------
    ConformanceError
        If an answer has the wrong shape, type or values, or depends on more than its row.
    """
    for name, obs in cases(0, empty_hands=True):
        _check_answers(f"{stars!r}, {name}: raise_hand", stars.raise_hand, obs, rng.RAISE, _seconds)
        _check_answers(f"{stars!r}, {name}: consent", stars.consent, obs, rng.CONSENT, _truths)
        if hasattr(stars, "prefer"):
            _check_answers(f"{stars!r}, {name}: prefer", stars.prefer, obs, rng.PREFER, _tracks)


def check_stops(stops: Any) -> None:
    """Check `call` of a stop rule, as `check_policy` does for waits.

    Raises
    ------
    ConformanceError
        If an answer has the wrong shape, type or values, or depends on more than its row.
    """
    for name, obs in cases(0, empty_hands=True):
        _check_answers(f"{stops!r}, {name}: call", stops.call, obs, rng.CALL_STOP, _seconds)


def check_clock(clock: Any) -> None:
    """Check `rate`, `motor` and `lasts` of a clock.

    Raises
    ------
    ConformanceError
        If a rate is not above 0 and finite, a motor noise is not finite, either has the wrong shape or is not a
        function of its row's noise, or `lasts` is none of "epoch", "level", "game".
    """
    lasts: Any = getattr(clock, "lasts", "epoch")
    _require(lasts in ("epoch", "level", "game"), f"{clock!r}: lasts", f"is {lasts!r}, not 'epoch', 'level' or 'game'")
    moments = np.arange(ROWS)
    rate_noise = Draws(moments // 12, moments // 6, moments // 3, moments % 3, purpose=rng.RATE).lasting(lasts)
    _check_answers(f"{clock!r}: rate", clock.rate, rate_noise, rng.RATE, _rates)
    if getattr(clock, "motor", None) is not None:
        motor_noise = Draws(moments // 12, moments // 6, moments // 3, moments % 3, purpose=rng.MOTOR)
        _check_answers(f"{clock!r}: motor", clock.motor, motor_noise, rng.MOTOR, _finite)


def check_reaction(reaction: Any) -> None:
    """Check `draw` of a reaction distribution.

    Raises
    ------
    ConformanceError
        If a draw is not a finite number of seconds of at least 0, or not a function of its row's noise.
    """
    noise = Draws(np.arange(ROWS), purpose=rng.REACTION)
    _check_answers(f"{reaction!r}: draw", reaction.draw, noise, rng.REACTION, _reactions)


# --- situations ------------------------------------------------------------------------------------------------------
def cases(memory: int, empty_hands: bool = False) -> Iterator[tuple[str, Situations]]:
    """Random situations of 2 to 4 players on one track and on two, face up and face down, with what to call them."""
    for seed, (players, tracks, hidden) in enumerate([(2, 1, 0), (3, 1, 1), (4, 1, 0), (4, 2, 0), (3, 2, 1)]):
        name = f"{players} players, {tracks} track(s), face {'down' if hidden else 'up'}"
        yield name, random_situations(players, tracks, bool(hidden), memory, seed, empty_hands)


def random_situations(
    players: int, tracks: int, hidden: bool, memory: int, seed: int, empty_hands: bool
) -> Situations:
    """`ROWS` situations that a game could bring about, a third of them at a level's start."""
    r = np.random.default_rng(seed)
    ranks, start = 100 // tracks, r.random(ROWS) < 0.3
    top = np.where(start, 0, r.integers(0, ranks - 20, ROWS))
    sizes = r.integers(0, 5, (ROWS, players))
    own = sizes[:, 0] if empty_hands else np.maximum(sizes[:, 0], 1)
    hand = np.sort(np.where(np.arange(5) < own[:, None], _ranks_above(r, top, ranks), 999), axis=1)
    hand = np.where(hand == 999, 0, hand)
    card = hand[:, 0]
    others = sizes[:, 1:].sum(axis=1)
    elapsed = np.where(start, 0.0, r.exponential(20.0, ROWS))
    seen = ranks - top - own
    fields: dict[str, Any] = {
        "hand": hand, "hand_size": own, "hand_sizes": np.column_stack([own, sizes[:, 1:]]), "players": players,
        "ranks": ranks, "elapsed": elapsed,
        "since_top": elapsed * r.random(ROWS), "last_wait": elapsed * r.random(ROWS),
        "level": r.integers(1, 9, ROWS), "n_levels": 8, "level_cards": 5, "lives": r.integers(1, 6, ROWS),
        "stars": r.integers(0, 4, ROWS), "face_down": hidden, "track": r.integers(0, tracks, ROWS),
        "last_event": np.where(start, int(Event.LEVEL), r.integers(1, 5, ROWS)), "last_card": np.where(hidden, 0, top),
        "last_player": np.where(start, -1, r.integers(0, players, ROWS)), "last_plays": np.where(start, 0, 1),
        "unseen_all": tracks * np.maximum(seen, others), "stars_here": r.integers(0, 2, ROWS),
    }  # fmt: skip
    obs = situations(card=card, top=top, others_cards=others, memory=memory, seed=seed, **fields)
    if empty_hands:  # consents are told these too
        obs.__dict__.update(waited=obs.last_wait.copy(), raiser=r.integers(0, players, ROWS))
    return obs


def _ranks_above(r: np.random.Generator, top: Any, ranks: int) -> Any:
    """Five different ranks above each top, in no order."""
    return np.array([r.choice(np.arange(t + 1, ranks + 1), 5, replace=False) for t in top])


# --- asking ----------------------------------------------------------------------------------------------------------
Check = Callable[[str, Any, int], Any]


def _check_answers(what: str, ask: Callable[[Any], Any], rows: Any, purpose: int, valid: Check) -> None:
    """Ask the same question whole, again, permuted, halved and row by row: the answers must be the same."""
    everything = np.arange(rows.rows)
    answer = valid(what, _asked(what, ask, rows, everything, purpose), rows.rows)
    again = _asked(what, ask, rows, everything, purpose)
    _require(_same(answer, again), what, "gives another answer when asked the same again")
    order = np.random.default_rng(1).permutation(rows.rows)
    for name, chosen in {"reversed rows": everything[::-1], "permuted rows": order, "half the rows":
    everything[::2]}.items():
        part = _asked(what, ask, rows, chosen, purpose)
        _require(_same(answer[chosen], part), what, f"gives other answers for {name}: rows must be independent")
    for i in everything[:: max(1, rows.rows // _ONE_AT_A_TIME)]:
        alone = _asked(what, ask, rows, np.array([i]), purpose)
        _require(_same(answer[i : i + 1], alone), what, f"gives another answer for row {i} asked alone")
    valid(what, _asked(what, ask, rows, everything[:0], purpose), 0)


def _asked(what: str, ask: Callable[[Any], Any], rows: Any, chosen: Any, purpose: int) -> Any:
    """The answer for chosen rows, having checked that what was shown is untouched."""
    shown = rows.take(chosen)
    if isinstance(shown, Situations):
        shown = shown.asked_for(purpose)
        for extra in ("waited", "raiser"):
            if extra in rows.__dict__:
                shown.__dict__[extra] = rows.__dict__[extra][chosen]
    before = _copies(shown)
    answer = ask(shown)
    for name, values in before.items():
        _require(np.array_equal(values, shown.__dict__[name]), what, f"changes the observation's {name!r}")
    return answer


def _copies(shown: Any) -> dict[str, Any]:
    return {k: v.copy() for k, v in vars(shown).items() if isinstance(v, np.ndarray) and not k.startswith("_")}


def _check_watch(policy: Any, name: str, obs: Situations) -> None:
    """Watch the situations: rows must be noted independently, and nothing but the memory may change."""
    what = f"{policy!r}, {name}: watch"

    def noted(chosen: Any) -> Any:
        shown = obs.take(chosen).asked_for(rng.WATCH)
        before = _copies(shown)
        policy.watch(shown)
        changed = [k for k, v in before.items() if k != "memory" and not np.array_equal(v, shown.__dict__[k])]
        _require(not changed, what, f"changes the observation's {', '.join(changed)}")
        return shown.memory

    everything = np.arange(obs.rows)
    memory = noted(everything)
    _require(not np.isnan(memory).any(), what, "notes NaN")
    _require(_same(memory, noted(everything)), what, "notes something else when it watches the same again")
    _require(_same(memory[::-1], noted(everything[::-1])), what, "notes other things for reversed rows")
    obs.__dict__["memory"] = memory


def _memory_of(policy: Any) -> int:
    memory = getattr(policy, "memory", 0)
    fits = isinstance(memory, (int, np.integer)) and not isinstance(memory, bool) and memory >= 0
    _require(fits, f"{policy!r}: memory", f"must be a number of floats to keep, not {memory!r}")
    return int(memory)


# --- what answers may be ---------------------------------------------------------------------------------------------
def _array(what: str, answer: Any, rows: int, kind: str, words: str) -> Any:
    _require(isinstance(answer, np.ndarray), what, f"must be an array, not {type(answer).__name__}")
    _require(answer.shape == (rows,), what, f"must have shape ({rows},), one entry a row, not {answer.shape}")
    _require(answer.dtype.kind in kind, what, f"must hold {words}, not {answer.dtype}")
    return answer


def _seconds(what: str, answer: Any, rows: int) -> Any:
    answer = _array(what, answer, rows, "f", "float64")
    _require(not np.isnan(answer).any(), what, "is NaN in some rows")
    _require(bool((answer >= 0).all()), what, f"is negative in some rows (least: {answer.min(initial=0.0)})")
    return answer


def _truths(what: str, answer: Any, rows: int) -> Any:
    return _array(what, answer, rows, "b", "truth values")


def _tracks(what: str, answer: Any, rows: int) -> Any:
    answer = _array(what, answer, rows, "iu", "track numbers")
    _require(bool(np.isin(answer, (0, 1)).all()), what, "must be 0 or 1")
    return answer


def _finite(what: str, answer: Any, rows: int) -> Any:
    answer = _array(what, answer, rows, "f", "float64")
    _require(bool(np.isfinite(answer).all()), what, "must be finite")
    return answer


def _rates(what: str, answer: Any, rows: int) -> Any:
    answer = _finite(what, answer, rows)
    _require(bool((answer > 0).all()), what, f"must be above 0 (least: {answer.min(initial=1.0)})")
    return answer


def _reactions(what: str, answer: Any, rows: int) -> Any:
    answer = _finite(what, answer, rows)
    _require(bool((answer >= 0).all()), what, f"must be at least 0 (least: {answer.min(initial=0.0)})")
    return answer


def _same(a: Any, b: Any) -> bool:
    if np.shape(a) != np.shape(b):
        return False
    return np.allclose(np.asarray(a, float), np.asarray(b, float), rtol=_CLOSE, atol=_CLOSE, equal_nan=True)


def _require(holds: Any, what: str, broken: str) -> None:
    if not holds:
        raise ConformanceError(f"{what} {broken}")
