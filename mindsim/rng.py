"""Keyed random numbers: every draw is a function of what it is for.

A draw is ``mix(key + channel)``: `mix` is the output function of SplitMix64, `key` names the game, the moment and the
player, and `channel` the purpose and the number of the call. No state is kept between draws, so nothing that a
program does elsewhere (batches, workers, the order of calls) can change them. See ``docs/randomness.md``.

Normal deviates come from the inverse of the normal distribution, by table and a cubic: no branches, no libm, hence
the same bits on every machine. The table (``normal_table.npy``) is data, written once by ``tools/normal_table.py``.

What this file leaves to others: which keys a game uses is said here (`game_key`, the purposes), but who draws when is
the business of `kernel`, `observation` and `clocks`.

Sources
-------
Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators, OOPSLA; the constants are "variant 13" of
Stafford, as in Vigna's public-domain ``splitmix64.c``, whose first outputs the tests hold against `stream`.
"""
from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numba import njit

from mindsim.bits import leading_zeros
from mindsim.jit import entry

U64 = np.uint64

# SplitMix64
GOLDEN = U64(0x9E3779B97F4A7C15)
_M1, _M2 = U64(0xBF58476D1CE4E5B9), U64(0x94D049BB133111EB)
_30, _27, _31, _11, _12, _32 = U64(30), U64(27), U64(31), U64(11), U64(12), U64(32)
_ONE = U64(1)

# One odd constant for each part of a key. They are fractional parts of square roots, with no other property.
GAME = U64(0xA24BAED4963EE407)
EPOCH = U64(0xD1342543DE82EF95)
PLAYER = U64(0x9FB21C651E98DF25)
TRACK = U64(0xC2B2AE3D27D4EB4F)
PURPOSE = U64(0xE7037ED1A0B428DB)
CALL = U64(0x8EBC6AF09C88C6E3)
LEVEL = U64(0x589965CC75374CC3)

# What a draw is for.
DEAL, TIE, RATE, MOTOR, REACTION = 1, 2, 3, 4, 5
WAIT, WATCH, RAISE, CONSENT, PREFER, CALL_STOP, PERSONAL = 6, 7, 8, 9, 10, 11, 12
MOTOR_HAND, MOTOR_STOP = 13, 14
THE_GAME = 32  # and upwards: the turn-based sibling

_MASK = (1 << 64) - 1


@njit(inline="always")
def mix(z):
    """The output function of SplitMix64: 64 bits in, 64 well-mixed bits out."""
    z = (z ^ (z >> _30)) * _M1
    z = (z ^ (z >> _27)) * _M2
    return z ^ (z >> _31)


@njit(inline="always")
def stream(key, i):
    """Draw i (from 0) of the SplitMix64 generator whose state starts at `key`."""
    return mix(key + GOLDEN * (U64(i) + _ONE))


@njit(inline="always")
def game_key(seed, game):
    """The key of one game: all that is drawn in it starts from here."""
    return mix(mix(seed + GOLDEN) + GAME * game + GOLDEN)


@njit(inline="always")
def below(bits, n):
    """An integer in 0..n-1 from the upper 32 bits (multiply and shift; bias under n / 2**32)."""
    return ((bits >> _32) * n) >> _32


@njit(inline="always")
def to_uniform(bits):
    """A float64 strictly between 0 and 1: the middles of 2**52 equal pieces, each exact."""
    return (np.float64(np.int64(bits >> _12)) + 0.5) * (1.0 / 4503599627370496.0)


# --- normal deviates -------------------------------------------------------------------------------------------------
# The lowest bit gives the sign; the rest, as a number u in (0, 1), the tail area u / 2. Every octave of u (counted by
# leading zeros) is cut in 64 pieces, and a cubic fits -ndtri(u / 2) on each to 1e-9. The 53 octaves reach 8.2 sd.
PIECE_BITS = 6
_TABLE = np.load(Path(__file__).with_name("normal_table.npy"))
_PIECE, _TO_INDEX, _FLOOR_BIT = U64(PIECE_BITS), U64(64 - PIECE_BITS), U64(2048)


@njit(inline="always", error_model="numpy")
def to_normal(bits):
    """A standard normal deviate from 64 random bits."""
    sign = 1.0 - 2.0 * np.float64(np.int64(bits & _ONE))
    b = bits | _FLOOR_BIT  # at most 52 leading zeros: the table ends there
    octave = leading_zeros(b)
    mantissa = b << octave << _ONE
    i = np.int64((octave << _PIECE) | (mantissa >> _TO_INDEX))
    t = np.float64(np.int64((mantissa << _PIECE) >> _11)) * (1.0 / 9007199254740992.0)
    z = _TABLE[i, 0] + t * (_TABLE[i, 1] + t * (_TABLE[i, 2] + t * _TABLE[i, 3]))
    return z * sign


@entry
def fill_uniform(keys, channel, out):
    """``out[i]``: the uniform draw of ``keys[i]`` on `channel`."""
    for i in range(len(out)):
        out[i] = to_uniform(mix(keys[i] + channel))


@entry
def fill_normal(keys, channel, out):
    """``out[i]``: the standard normal draw of ``keys[i]`` on `channel`."""
    for i in range(len(out)):
        out[i] = to_normal(mix(keys[i] + channel))


@entry
def fill_rate(keys, channel, spread, lowest, out):
    """``out[i] = max(1 + spread * z, lowest)`` in one pass: the rate of a scalar clock."""
    for i in range(len(out)):
        out[i] = max(1.0 + spread * to_normal(mix(keys[i] + channel)), lowest)


@cache
def channel(purpose: int, call: int = 0) -> np.uint64:
    """What is added to a key: the purpose of a draw and the number of the call, as one 64-bit word."""
    return U64((purpose * int(PURPOSE) + call * int(CALL)) & _MASK)


def as_seed(seed: object) -> np.uint64:
    """Check a seed and return it as a 64-bit word.

    Raises
    ------
    TypeError
        If `seed` is not an integer.
    ValueError
        If it is not in 0 .. 2**64 - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed must be an integer in 0 .. 2**64 - 1, not {seed!r}")
    if not 0 <= int(seed) <= _MASK:
        raise ValueError(f"seed must be in 0 .. 2**64 - 1, not {seed}")
    return U64(int(seed))
