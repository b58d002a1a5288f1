"""Run every experiment, one after another, and regenerate results/.

    python experiments/make_results.py --jobs 2               # minutes: each at most about two on two cores
    python experiments/make_results.py --jobs 2 --size full   # hours: searches at the budgets of the committed results
    python experiments/make_results.py --only noise stars     # some of them

Scripts whose full run takes longer have a short form, which writes beside, into results/short/, and leaves the full
figures alone. Not run from here, each for its reason: see `ELSEWHERE`.
"""
from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
WITH_JOBS = "--jobs"

# Scripts with one form.
SWEEPS = ("tempo_mismatch", "noise", "frontier", "stars", "reaction", "variants", "people", "crossplay")
ONE_FORM = (*SWEEPS, "learned_qlearning", "learned_small_deck")

# Scripts that print and write nothing, and their arguments.
PRINTING = {
    "probability_twin": ("2000",), "star_rules": ("2000",), "tempo_matching": ("2000",), "train_numpy": ("2", "8"),
}  # fmt: skip

# Scripts with a short form (the full one has no arguments but --jobs).
SHORT = {
    "learned_conventions": ("--games", "1000", "--runs", "3", "--budget", "6000"),
    "learned_frontier": ("--games", "2000", "--budget", "8000"),
    "learned_hidden": ("--games", "1000", "--budget", "8000", "--choosing", "50"),
    "learned_ladder": ("--games", "1000", "--runs", "3", "--budget", "20000"),
    "learned_train": ("--games", "5000", "--budget", "100000"),
    "learned_transfer": ("--games", "2000"),
    "the_game": ("--games", "1000"),
}

ELSEWHERE = {
    "benchmark": "`make benchmark`",
    "benchmark_env": "a measurement of speed, like `make benchmark`",
    "measure_sweeps": "a measurement of speed and memory, like `make benchmark`",
    "benchmark_policies": "a measurement of speed, like `make benchmark`",
    "the_game_tune": "changes the weights that come with the package",
    "train_sb3": "needs packages that mindsim does not install",
    "common": "what the others share",
    "learned_common": "what those on learning share",
    "learned_fast": "what those on learning share",
    "make_results": "this file",
}


def plan(size: str, jobs: int) -> dict[str, list[str]]:
    """What to run: script -> arguments."""
    found = {name: [WITH_JOBS, str(jobs)] for name in ONE_FORM}
    found |= {name: list(arguments) for name, arguments in PRINTING.items()}
    for name, arguments in SHORT.items():
        chosen = [*arguments, "--out", f"results/short/{name}"] if size == "short" else []
        found[name] = [*chosen, WITH_JOBS, str(jobs)]
    return found


def run(name: str, arguments: list[str]) -> None:
    """Run one script, in a process of its own, and say how long it took."""
    began = time.perf_counter()
    print(f"\n--- {name} {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, str(HERE / f"{name}.py"), *arguments], check=True)
    print(f"--- {name}: {time.perf_counter() - began:.0f} s", flush=True)


def main() -> None:
    """Read the command, and run one after another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1, help="processes for each script")
    parser.add_argument("--size", choices=("short", "full"), default="short")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these scripts")
    args = parser.parse_args()
    scripts = plan(args.size, args.jobs)
    for name in args.only or scripts:
        if name not in scripts:
            parser.error(f"--only must name scripts of the plan, not {name!r}; it has {', '.join(scripts)}")
    for name in args.only or scripts:
        run(name, scripts[name])


if __name__ == "__main__":
    main()
