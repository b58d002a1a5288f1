"""What does tempo matching bring to partners whose paces are 1.5x apart, and what does it cost those who agree?

    python experiments/tempo_matching.py [N_GAMES]

Two players, the published rules, `TempoMatching` with phase and period correction of 0.2, against the same without
(which is `GapLinear`), on the same deals. Then the mean pace that each partner keeps, level by level.
"""
from __future__ import annotations

import sys

import mindsim as ms
from mindsim import stats

CLOCKS = {"exact": ms.clocks.Exact(), "careful": ms.clocks.careful(), "ordinary": ms.clocks.ordinary()}
RULES = ms.Rules.the_mind(2)
APART, ALIKE = (0.3, 0.45), (0.36, 0.36)


def play(
    paces: tuple[float, float], correction: float, clock: object, n_games: int, record: bool | str = False
) -> ms.Games:
    """Two partners who start at these paces."""
    policies = [ms.policies.TempoMatching(pace, correction, correction) for pace in paces]
    team = [ms.Player(policy, clock=clock) for policy in policies]
    return ms.simulate(RULES, team, n_games=n_games, seed=5, record=record)


def share(games: ms.Games) -> str:
    """Win rate with its interval."""
    return f"{stats.share(int(games.won.sum()), games.n_games):.3f}"


def main(n_games: int = 4000) -> None:
    for name, clock in CLOCKS.items():
        fixed, matching = (play(APART, correction, clock, n_games) for correction in (0.0, 0.2))
        more = stats.mean_difference(matching.levels_completed, fixed.levels_completed)
        print(f"\n{name} clocks, 1.5x apart: fixed {share(fixed)}, matching {share(matching)}, levels more {more:.2f}")
        fixed, matching = (play(ALIKE, correction, clock, n_games) for correction in (0.0, 0.2))
        print(f"  alike: fixed {share(fixed)}, matching {share(matching)}")
        waits = play(APART, 0.2, clock, min(n_games, 600), record="waits").waits
        began = waits[(waits.since_top == 0) & (waits.others_cards > 0)]
        pace = (began.intended / began.gap).groupby([began.level, began.player]).mean().unstack()
        for player, paces in pace.items():
            print(f"  pace of player {player} by level: {' '.join(f'{p:.3f}' for p in paces)}")


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:2]))
