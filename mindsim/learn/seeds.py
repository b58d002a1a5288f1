"""Three streams of seeds that never meet: for training, for choosing among candidates, and for the final figure.

A stream's seeds carry its number in their two lowest bits, so no seed of one can be a seed of another, whatever the
run's own seed and however many generations there are. Two runs with one seed train on the same deals.
"""
from __future__ import annotations

import numpy as np

from mindsim import rng

TRAINING, CHOOSING, HELD_OUT = 0, 1, 2


def stream_of(seed: int) -> int:
    """Which stream a seed belongs to (3: none)."""
    return seed & 3


def seed_for(stream: int, run: int, k: int = 0) -> int:
    """The k-th seed of a stream, for the run that was started with `run`.

    Raises
    ------
    ValueError
        If `stream` is none of the three.

    Examples
    --------
    >>> from mindsim.learn.seeds import HELD_OUT, TRAINING, seed_for, stream_of
    >>> [stream_of(seed_for(s, run=7, k=0)) for s in (TRAINING, HELD_OUT)]
    [0, 2]
    """
    if stream not in (TRAINING, CHOOSING, HELD_OUT):
        raise ValueError(f"stream must be TRAINING, CHOOSING or HELD_OUT (0, 1, 2), not {stream!r}")
    drawn = int(rng.game_key(rng.as_seed(run), np.uint64(k)))
    return (drawn & ~3) | stream
