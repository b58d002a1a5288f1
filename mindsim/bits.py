"""Counting bits of 64-bit words: one machine instruction each when compiled, plain Python when interpreted.

A hand is a set of ranks 1..127 held as two 64-bit words (rank r is bit ``r & 63`` of word ``r >> 6``), so that dealing
needs no sorting and the lowest card is one instruction away. Numba has no such intrinsics; these are they.
"""
from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

MAX_RANK = 127


def popcount(x):
    """How many bits of the word are set."""
    return int(x).bit_count()


def trailing_zeros(x):
    """The place of the lowest set bit; 64 if there is none."""
    x = int(x)
    return 64 if x == 0 else (x & -x).bit_length() - 1


def leading_zeros(x):
    """How many bits above the highest set bit, as a word; 64 if there is none."""
    return type(x)(64 - int(x).bit_length())


@intrinsic
def _popcount(typing, x):
    return types.int64(types.uint64), lambda context, b, sig, args: b.ctpop(args[0])


@intrinsic
def _trailing_zeros(typing, x):
    no = ir.Constant(ir.IntType(1), 0)
    return types.int64(types.uint64), lambda context, b, sig, args: b.cttz(args[0], no)


@intrinsic
def _leading_zeros(typing, x):
    no = ir.Constant(ir.IntType(1), 0)
    return types.uint64(types.uint64), lambda context, b, sig, args: b.ctlz(args[0], no)


@overload(popcount, inline="always")
def _(x):
    return lambda x: _popcount(x)


@overload(trailing_zeros, inline="always")
def _(x):
    return lambda x: _trailing_zeros(x)


@overload(leading_zeros, inline="always")
def _(x):
    return lambda x: _leading_zeros(x)
