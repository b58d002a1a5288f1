"""Do policies that reckon with chances beat their gap twins, given the same time?

    python experiments/probability_twin.py [N_GAMES [STEPS]]

Every policy's pace is set so that all take the same seconds a card put down (over all games, ordinary clocks); then all
play the same deals. Printed: win rate and levels completed with 95% intervals, and the paired difference to the gap
twin of the same exponent.
"""
from __future__ import annotations

import sys
from collections.abc import Callable

import mindsim as ms

P = ms.policies
Shape = Callable[[float], object]
TWINS: dict[float, dict[str, Shape]] = {
    e: {
        f"GapPower, exponent {e:g}": lambda p, e=e: P.GapPower(p, e),
        f"Density, exponent {e:g}": lambda p, e=e: P.Density(p, e),
        f"ExpectedLower, exponent {e:g}": lambda p, e=e: P.ExpectedLower(p, e),
        **({"ChanceLower": P.ChanceLower} if e == 1.0 else {}),
    }
    for e in (1.0, 1.6, 2.0)
}
SETTINGS = {
    "The Mind, 2 players": (ms.Rules.the_mind(2), 1.0),
    "The Mind, 4 players": (ms.Rules.the_mind(4), 1.0),
    "one level of 3 + 3 cards, one life": (ms.Rules(2, [ms.Level(3)], lives=1, stars=0), 3.0),
}


def play(rules: ms.Rules, policy: object, n_games: int, seed: int) -> ms.Games:
    """Everybody with this policy and an ordinary clock."""
    return ms.simulate(rules, ms.Player(policy, clock=ms.clocks.ordinary()), n_games=n_games, seed=seed)


def seconds_a_card(games: ms.Games) -> float:
    """Pace over all games."""
    return float(games.duration.sum() / games.cards_played.sum())


def tuned(rules: ms.Rules, shape: Shape, target: float, n_games: int, steps: int) -> object:
    """The policy of this shape that takes `target` seconds a card (bisection on the logarithm of its pace)."""
    low, high = 1e-5, 1e3
    for _ in range(steps):
        middle = (low * high) ** 0.5
        slow = seconds_a_card(play(rules, shape(middle), n_games, seed=1)) > target
        low, high = (low, middle) if slow else (middle, high)
    return shape(low)


def main(n_games: int = 10_000, steps: int = 18) -> None:
    for name, (rules, target) in SETTINGS.items():
        print(f"\n{name}: {target:g} s a card put down")
        for shapes in TWINS.values():
            twin = None
            for label, shape in shapes.items():
                games = play(rules, tuned(rules, shape, target, min(n_games, 1500), steps), n_games, seed=7)
                won = ms.stats.share(int(games.won.sum()), games.n_games)
                line = f"  {label:28s} {seconds_a_card(games):5.2f} s/card   won {won:.3f}"
                if twin is not None:
                    line += f"   more than its twin by {ms.stats.mean_difference(games.won, twin.won):.3f}"
                twin = games if twin is None else twin
                print(line, flush=True)


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:3]))
