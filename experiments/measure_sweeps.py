"""What a sweep costs: two workers against one, how long workers take to start, and peak memory.

Run on a quiet machine: ``python experiments/measure_sweeps.py [games] [rounds]`` (default 500,000 games, 3 rounds). One
and two workers take turns, so that a machine that grows slower meanwhile is slower for both; the ratio of a round is
what to quote. Compilation does not count, and the start of workers is a figure of its own.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

import mindsim as ms


def cells() -> list:
    """One cell of two players, as people would play it."""
    policy, clock = ms.policies.GapPower(0.05, 1.5), ms.clocks.Scalar(weber=0.14, floor=0.05)
    return ms.grid(players=2, policy=policy, clock=clock, reaction=0.2)


def seconds(n_games: int, n_jobs: int) -> float:
    """Wall time of a sweep."""
    start = time.perf_counter()
    ms.sweep(cells(), n_games, seed=1, n_jobs=n_jobs)
    return time.perf_counter() - start


def start_of_workers() -> float:
    """Seconds until two new workers have played their first game, over what it takes them once they run."""
    get_reusable_executor().shutdown(wait=True)
    return seconds(100, 2) - seconds(100, 2)


def peak() -> int:
    """The peak of this process's memory so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    """Measure and print."""
    n_games = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    seconds(100, 1)  # compile
    print(f"two workers start in {start_of_workers():.2f} s")
    ratios = []
    for _ in range(rounds):
        one, two = seconds(n_games, 1), seconds(n_games, 2)
        ratios.append(one / two)
        print(
            f"{n_games:,} games: one worker {one:.1f} s ({n_games / one:,.0f} a second), two {two:.1f} s "
            f"({n_games / two:,.0f} a second): {one / two:.2f} times"
        )
    print(f"median of {rounds} rounds: {statistics.median(ratios):.2f} times")
    workers = max(Parallel(n_jobs=2)(delayed(peak)() for _ in range(16)))
    print(f"peak memory: this process {peak()} MiB, a worker {workers} MiB")


if __name__ == "__main__":
    main()
