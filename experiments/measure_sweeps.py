"""What a sweep costs: games per second with one and two workers, and peak memory against the number of games.

Run on a quiet machine: ``python experiments/measure_sweeps.py [games]`` (default 500,000). Memory is that of this
process, which plays and writes when there is one worker.
"""

from __future__ import annotations

import resource
import sys
import time

import mindsim as ms


def cells() -> list:
    """One cell of two players, as people would play it."""
    policy, clock = ms.policies.GapPower(0.05, 1.5), ms.clocks.Scalar(weber=0.14, floor=0.05)
    return ms.grid(players=2, policy=policy, clock=clock, reaction=0.2)


def measure(n_games: int, n_jobs: int) -> tuple[float, int]:
    """Seconds, and the peak of memory so far in MiB; compilation and the start of workers do not count."""
    ms.sweep(cells() + ms.grid(players=2, policy=["gap_linear", "metronome", "eager"]), 50, n_jobs=n_jobs)
    start = time.perf_counter()
    ms.sweep(cells(), n_games, seed=1, n_jobs=n_jobs)
    return time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    """Measure and print."""
    n_games = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    seconds = {}
    for n_jobs in (1, 2):
        seconds[n_jobs], peak = measure(n_games, n_jobs)
        rate = n_games / seconds[n_jobs]
        print(f"{n_jobs} workers: {n_games:,} games in {seconds[n_jobs]:.1f} s, {rate:,.0f} a second; peak {peak} MiB")
    print(f"two workers are {seconds[1] / seconds[2]:.2f} times as fast as one")


if __name__ == "__main__":
    main()
