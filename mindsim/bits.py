"""Counting bits of words, one machine instruction each when compiled, plain Python when interpreted; and `fetch`.

`fetch` and `fetch_entry` ask for memory that will be wanted soon; interpreted, they do nothing.

A hand is a set of ranks 1..127 held as two 64-bit words (rank r is bit ``r & 63`` of word ``r >> 6``), so that dealing
needs no sorting and the lowest card is one instruction away. Numba has no such functions; these are they.

They are intrinsics, which leave no symbol behind, and not overloads: code that is linked from Numba's cache finds
functions by a name that ends in a per-process number, so that two overloads of one name can be taken for each other.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

MAX_RANK = 127
CACHE_LINE, FETCHED = 64, 256  # bytes; a wrong guess costs time only


def _popcount(x: Any) -> int:
    return int(x).bit_count()


def _trailing_zeros(x: Any) -> int:
    x = int(x)
    return 64 if x == 0 else (x & -x).bit_length() - 1


def _leading_zeros(x: Any) -> np.uint64:
    return np.uint64(64 - int(x).bit_length())


def _prefetch(context: Any, builder: Any, where: Any, size: int) -> Any:
    """LLVM's prefetch (to write, to keep, data) for the cache lines of `size` bytes, from the line where they begin."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
    start = builder.bitcast(where, byte)
    for offset in range(0, size, CACHE_LINE):
        place = builder.gep(start, [ir.Constant(ir.IntType(64), offset)])
        builder.call(prefetch, [place, number(1), number(3), number(1)])
    return context.get_dummy_value()


def _prefetch_record(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _prefetch(context, builder, arguments[0], min(signature.args[0].size, FETCHED))


def _prefetch_entry(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, index = signature.args
    array = context.make_array(kind)(context, builder, arguments[0])
    places = cgutils.unpack_tuple(builder, arguments[1], count=len(index))
    return _prefetch(context, builder, cgutils.get_item_pointer(context, builder, kind, array, places), 1)


if config.DISABLE_JIT:
    popcount, trailing_zeros, leading_zeros = _popcount, _trailing_zeros, _leading_zeros

    def fetch(record: Any) -> None:
        """Nothing: there is no cache to speak of."""

    def fetch_entry(array: Any, index: Any) -> None:
        """Nothing."""

else:
    _NO = ir.Constant(ir.IntType(1), 0)  # defined for 0 as well

    @intrinsic
    def popcount(typing: Any, x: Any) -> Any:
        """How many bits of the word are set."""
        return types.int64(types.uint64), lambda context, builder, sig, args: builder.ctpop(args[0])

    @intrinsic
    def trailing_zeros(typing: Any, x: Any) -> Any:
        """The place of the lowest set bit; 64 if there is none."""
        return types.int64(types.uint64), lambda context, builder, sig, args: builder.cttz(args[0], _NO)

    @intrinsic
    def leading_zeros(typing: Any, x: Any) -> Any:
        """How many bits lie above the highest set bit, as a word; 64 if there is none."""
        return types.uint64(types.uint64), lambda context, builder, sig, args: builder.ctlz(args[0], _NO)

    @intrinsic
    def fetch(typing: Any, record: Any) -> Any:
        """Begin to bring a record into the processor's cache: it will be wanted soon."""
        return types.void(record), _prefetch_record

    @intrinsic
    def fetch_entry(typing: Any, array: Any, index: Any) -> Any:
        """The same for the entry of an array at a tuple of unsigned indices, which must exist."""
        return types.void(array, index), _prefetch_entry
