"""Everybody with everybody: how much of a player's success depends on playing with its like.

Two players: every pair in both seatings. Three or four: one newcomer among players who are all alike, in each seat in
turn. The diagonal is self-play. All cells play the same deals, so differences between cells are paired.

The difference between self-play and cross-play gets its interval from a bootstrap that resamples deals (the cards could
have been others) and agents (so could the players): without the second, the interval would speak of these agents only.

What this file leaves to others: games to `simulate`, the picture to `plots`.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mindsim import rng, stats
from mindsim.player import Player, as_player, same
from mindsim.rules import Rules
from mindsim.simulate import simulate

if TYPE_CHECKING:
    import pandas as pd

METRICS = ("won", "levels_completed")
_CHUNK = 100  # bootstrap samples at a time, so that memory stays small


def crossplay(
    agents: Sequence[Any] | Mapping[str, Any],
    players: int = 2,
    *,
    n_games: int = 1000,
    seed: int = 0,
    rules: Rules | None = None,
    n_jobs: int = 1,
    progress: bool = False,
) -> Crossplay:
    """Let everybody play with everybody on the same deals.

    Parameters
    ----------
    agents : sequence of Players or policies, or dict of name -> Player or policy
        At least two, all different. Without names they are called by their policies.
    players : int
        Seats at the table: the newcomer and ``players - 1`` hosts who are all alike.
    n_games : int
        Deals for each cell; each is played once for every seating.
    seed : int
        As for `simulate`.
    rules : Rules, optional
        Other rules than ``Rules.the_mind(players)``; their number of players counts.
    n_jobs : int
        Processes, over cells.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Crossplay
        ``table``, ``matrix(metric)``, ``gaps(metric)``, ``plot(metric)``.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two agents, two are the same, or an argument is one that `simulate` refuses.

    Examples
    --------
    >>> import mindsim as ms
    >>> agents = {"quick": ms.policies.GapLinear(0.1), "slow": ms.policies.GapLinear(0.2)}
    >>> result = ms.crossplay(agents, n_games=50, seed=1)
    >>> result.matrix("won").loc["quick", "quick"]
    np.float64(1.0)
    """
    named = _named(agents)
    rules = Rules.the_mind(players) if rules is None else rules
    rng.as_seed(seed)
    cells = list(_cells(len(named), rules.players))
    who = list(named.values())
    tasks = ((rules, [who[a] for a in team], n_games, seed) for _, _, team in cells)
    scores = np.zeros((len(METRICS), len(named), len(named), n_games))
    seconds, cards, seatings = (np.zeros((len(named), len(named))) for _ in range(3))
    for (newcomer, host, _), (columns, time, put_down) in zip(cells, _played(tasks, len(cells), n_jobs, progress)):
        scores[:, newcomer, host] += columns
        for total, more in ((seconds, time), (cards, put_down), (seatings, 1)):
            total[newcomer, host] += more
    if rules.players == 2:  # a pair is the same pair seen from either side
        scores, seconds, cards, seatings = (_both_ways(x) for x in (scores, seconds, cards, seatings))
    return Crossplay(tuple(named), rules, seed, scores / seatings[:, :, None], seconds / np.maximum(cards, 1), seatings)


def _both_ways(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add what [a, b] and [b, a] have, off the diagonal; the matrix is on the first two axes, or after the metrics."""
    first = 1 if x.ndim == 4 else 0
    k = x.shape[first]
    off = (1.0 - np.eye(k)).reshape((1,) * first + (k, k) + (1,) * (x.ndim - first - 2))
    return x + off * np.swapaxes(x, first, first + 1)


def _cells(k: int, seats: int) -> Iterable[tuple[int, int, list[int]]]:
    """Every (newcomer, host, team by seat): self-play once, else the newcomer in every seat in turn.

    For two players the newcomer sits in seat 0 only: with the pair's other cell that makes both seatings.
    """
    for newcomer in range(k):
        for host in range(k):
            places = range(1) if newcomer == host or seats == 2 else range(seats)
            for seat in places:
                yield newcomer, host, [newcomer if s == seat else host for s in range(seats)]


def _play(rules: Rules, team: list[Player], n_games: int, seed: int) -> tuple[NDArray[np.float64], float, float]:
    """One cell and seating: the metrics by game, all seconds, all cards put down."""
    games = simulate(rules, team, n_games=n_games, seed=seed)
    columns = np.array([getattr(games, metric) for metric in METRICS], float)
    return columns, float(games.duration.sum()), float(games.cards_played.sum())


def _played(tasks: Any, n_tasks: int, n_jobs: int, progress: bool) -> Iterable[Any]:
    from joblib import Parallel, delayed

    results = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_play)(*task) for task in tasks)
    if not progress:
        return results
    from tqdm.auto import tqdm

    return tqdm(results, total=n_tasks, unit="cell")


def _named(agents: Any) -> dict[str, Player]:
    """Agents by name; those without one are called by their policy, numbered where that is not enough."""
    if isinstance(agents, Mapping):
        named = {str(name): as_player(agent) for name, agent in agents.items()}
    elif isinstance(agents, Sequence) and not isinstance(agents, str):
        named = {}
        for player in map(as_player, agents):
            name = getattr(player.policy, "__name__", repr(player.policy))
            number = sum(known.split(" #")[0] == name for known in named)
            named[f"{name} #{number + 1}" if number else name] = player
    else:
        raise TypeError(f"agents must be a sequence of players or policies, or a dict of them by name, not {agents!r}")
    if len(named) < 2:
        raise ValueError(f"agents must be at least two players or policies, not {len(named)}")
    every = list(named.items())
    for i, (name, player) in enumerate(every):
        for other, earlier in every[:i]:
            if same(player, earlier):
                raise ValueError(f"agents must all differ, but {other!r} and {name!r} are the same")
    return named


@dataclass(frozen=True, eq=False)
class Crossplay:
    """What `crossplay` found.

    Attributes
    ----------
    names : tuple of str
    rules : Rules
    seed : int
    scores : float64[metric, newcomer, host, game]
        Won (0 or 1) and levels completed, by deal, mean of all seatings.
    pace : float64[newcomer, host]
        Seconds a card put down, over all games.
    seatings : float64[newcomer, host]
        How often each deal was played.
    """

    names: tuple[str, ...]
    rules: Rules
    seed: int
    scores: NDArray[np.float64]
    pace: NDArray[np.float64]
    seatings: NDArray[np.float64]

    @property
    def n_games(self) -> int:
        """Deals a cell."""
        return int(self.scores.shape[-1])

    def _of(self, metric: str) -> NDArray[np.float64]:
        if metric not in METRICS:
            raise ValueError(f"metric must be one of {', '.join(METRICS)}, not {metric!r}")
        scores: NDArray[np.float64] = self.scores[METRICS.index(metric)]
        return scores

    def matrix(self, metric: str = "won") -> pd.DataFrame:
        """The mean of a metric, newcomers in rows, hosts in columns.

        Parameters
        ----------
        metric : {"won", "levels_completed"}
        """
        import pandas as pd

        index = pd.Index(self.names, name="newcomer")
        return pd.DataFrame(self._of(metric).mean(axis=2), index, pd.Index(self.names, name="host"))

    @property
    def table(self) -> pd.DataFrame:
        """One row a cell, tidy: win rate (Wilson, counting each deal once), levels completed (t over deals), pace.

        Counting each deal once makes the interval of a cell with several seatings wider than need be, never narrower.
        """
        import pandas as pd

        return pd.DataFrame([self._row(i, j) for i in range(len(self.names)) for j in range(len(self.names))])

    def _row(self, i: int, j: int) -> dict[str, Any]:
        won, levels = self.scores[:, i, j]
        low, high = stats.wilson(won.sum(), self.n_games)
        mean = stats.mean_interval(levels)
        return {
            "newcomer": self.names[i], "host": self.names[j], "self_play": i == j, "n_games": self.n_games,
            "seatings": int(self.seatings[i, j]), "win_rate": won.mean(), "win_rate_low": low, "win_rate_high": high,
            "levels_completed": mean.value, "levels_completed_low": mean.low, "levels_completed_high": mean.high,
            "pace": self.pace[i, j],
        }  # fmt: skip

    def gaps(self, metric: str = "won", n_bootstrap: int = 2000, confidence: float = 0.95) -> pd.DataFrame:
        """Self-play minus cross-play: for each agent as newcomer, and over all.

        Parameters
        ----------
        metric : {"won", "levels_completed"}
        n_bootstrap : int
            Resamples. The row ``(all)`` resamples deals and agents; an agent's own row deals, and the agents it meets.
        confidence : float

        Returns
        -------
        pandas.DataFrame
            Index: agent, then ``(all)``; columns ``self_play, cross_play, difference, low, high``.
        """
        import pandas as pd

        stats.intervals.check_confidence(confidence)
        scores = self._of(metric)
        means = scores.mean(axis=2)
        drawn = np.concatenate([_resampled(scores, n, self.seed, first) for first, n in _chunks(n_bootstrap)])
        rows = [_gap_of(means, i) for i in range(len(means))] + [_gap_of_all(means)]
        tail = (1.0 - confidence) / 2.0
        low, high = np.nanquantile(drawn, [tail, 1.0 - tail], axis=0)
        table = pd.DataFrame(rows, pd.Index([*self.names, "(all)"], name="agent"), ["self_play", "cross_play"])
        return table.assign(difference=table.self_play - table.cross_play, low=low, high=high)

    def plot(self, metric: str = "won", **options: Any) -> Any:
        """The matrix as a heat map (`plots.crossplay`)."""
        from mindsim import plots

        return plots.crossplay(self.matrix(metric), **options)


# --- the bootstrap ---------------------------------------------------------------------------------------------------
def _gap_of(means: NDArray[np.float64], i: int) -> tuple[float, float]:
    return float(means[i, i]), float(np.delete(means[i], i).mean())


def _gap_of_all(means: NDArray[np.float64]) -> tuple[float, float]:
    k = len(means)
    return float(np.trace(means) / k), float((means.sum() - np.trace(means)) / (k * (k - 1)))


def _chunks(n: int) -> Iterable[tuple[int, int]]:
    for first in range(0, n, _CHUNK):
        yield first, min(_CHUNK, n - first)


def _resampled(scores: NDArray[np.float64], n: int, seed: int, first: int) -> NDArray[np.float64]:
    """n bootstrap values of every agent's gap and of the overall gap: float64[n, agents + 1]."""
    r = np.random.default_rng([seed, first])
    k, games = len(scores), scores.shape[2]
    weights = r.multinomial(games, np.full(games, 1.0 / games), size=n) / games
    means = np.moveaxis(scores @ weights.T, 2, 0)
    others = r.multinomial(k, np.full(k, 1.0 / k), size=n).astype(float)  # how often each agent was drawn
    return np.column_stack([*(_one_gap(means, others, i) for i in range(k)), _whole_gap(means, others)])


def _one_gap(means: Any, drawn: Any, i: int) -> Any:
    """Agent i's self-play less its mean with the agents drawn, itself left out; NaN where none other was drawn."""
    weights = drawn.copy()
    weights[:, i] = 0.0
    total = weights.sum(axis=1)
    cross = np.divide((means[:, i] * weights).sum(axis=1), total, out=np.full(len(total), np.nan), where=total > 0)
    return means[:, i, i] - cross


def _whole_gap(means: Any, drawn: Any) -> Any:
    """Mean self-play of the agents drawn less the mean of all pairs of different agents among them."""
    own = np.einsum("bii,bi->b", means, drawn) / drawn.sum(axis=1)
    pairs = drawn[:, :, None] * drawn[:, None, :] * (1.0 - np.eye(drawn.shape[1]))
    total = pairs.sum(axis=(1, 2))
    cross = np.divide((means * pairs).sum(axis=(1, 2)), total, out=np.full(len(total), np.nan), where=total > 0)
    return own - cross
