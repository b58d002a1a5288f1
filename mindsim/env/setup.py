"""The arguments that all environments share, checked and put together: who plays what, and in which form.

What this file leaves to others: playing (`table`), and what each interface adds (`parallel`, `single`, `batch`).
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mindsim import clocks as _clocks
from mindsim import players as _players
from mindsim import stars as _stars
from mindsim import stops as _stops
from mindsim.env.actions import Actions, Binned, Boxed, bins_of
from mindsim.env.observations import FlatFields, NamedFields
from mindsim.env.rewards import Rewards
from mindsim.env.scale import WaitScale
from mindsim.env.table import Puppet, Table
from mindsim.player import Player, as_player
from mindsim.rules import Rules


@dataclass(frozen=True)
class Setup:
    """What is played, by whom, and how learners act and see."""

    rules: Rules
    team: tuple[Player | None, ...]  # None: a learner
    bodies: tuple[Player, ...]  # one per learner: its clock, its reaction, and what it does not decide
    rewards: Rewards
    actions: Actions
    flat: FlatFields
    fields: FlatFields | NamedFields
    with_stars: bool
    with_stops: bool

    def table(self, seed: int, games: range, slots: int) -> Table:
        """These players at a table, at the start of their first games."""
        puppet = Puppet(slots, self.rules)
        learners = [self.seated(body, puppet) for body in self.bodies]
        return Table(self.rules, self.team, puppet, learners, seed, games, slots)

    def seated(self, body: Player, mind: Any) -> Player:
        """A learner's body with this mind: an object with ``wait``, ``raise_hand``, ``consent`` and ``call``."""
        return Player(
            mind,
            stars=mind if self.with_stars else body.stars,
            stops=mind if self.with_stops else body.stops,
            clock=body.clock,
            reaction=body.reaction,
            sees_clock=body.sees_clock,
        )


def setup(
    *,
    players: int | None,
    rules: Rules | None,
    team: Sequence[Player | None] | None = None,
    clock: Any = None,
    reaction: Any = 0.0,
    sees_clock: bool = False,
    stars: Any = None,
    rewards: Rewards | None = None,
    observation: str = "flat",
    fields: Iterable[str] | None = None,
    discrete: Any = False,
    scale: WaitScale | None = None,
) -> Setup:
    """Check the arguments of an environment and put them together; see `parallel_env` for what they mean."""
    rules = rules_of(players, rules)
    team = [None] * rules.players if team is None else team
    bodies = _bodies(sum(player is None for player in team), clock, reaction, sees_clock, stars)
    rewards, scale = Rewards() if rewards is None else rewards, WaitScale() if scale is None else scale
    for name, value, kind in (("rewards", rewards, Rewards), ("scale", scale, WaitScale)):
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be a {kind.__name__}, not {value!r}")
    if observation not in ("flat", "dict"):
        raise ValueError(f'observation must be "flat" or "dict", not {observation!r}')
    with_stars = stars is None and rules.max_stars > 0 and may_have_stars(rules)
    with_stops = rules.max_stops > 0
    flat = FlatFields(rules, scale, fields)
    actions: Actions = (
        Boxed(rules, scale, with_stars, with_stops)
        if discrete is False
        else Binned(rules, bins_of(discrete, scale), with_stars, with_stops)
    )
    return Setup(
        rules, tuple(team), bodies, rewards, actions, flat,
        flat if observation == "flat" else NamedFields(rules, fields), with_stars, with_stops,
    )  # fmt: skip


def rules_of(players: int | None, rules: Rules | None) -> Rules:
    """The rules given, or the published ones for so many players (2 if nothing is said).

    Raises
    ------
    TypeError, ValueError
        If `rules` is no Rules value, or is for another number of players.
    """
    if rules is None:
        return Rules.the_mind(2 if players is None else players)
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules value such as Rules.the_mind(3), not {rules!r}")
    if players is not None and players != rules.players:
        raise ValueError(f"players must be {rules.players}, as in rules, or be left out, not {players!r}")
    return rules


def may_have_stars(rules: Rules) -> bool:
    """Whether the team can ever have a star."""
    return rules.stars > 0 or any(level.reward == "star" for level in rules.levels)


def team_with(partners: Any, seat: int, rules: Rules) -> list[Player | None]:
    """One learner, in this seat, among partners: one for all other seats, or one each in order of seat.

    Raises
    ------
    TypeError, ValueError
        If the seat does not exist, or there are too many or too few partners.
    """
    if isinstance(seat, bool) or not isinstance(seat, int):
        raise TypeError(f"seat must be an integer from 0 to {rules.players - 1}, not {seat!r}")
    if not 0 <= seat < rules.players:
        raise ValueError(f"seat must be an integer from 0 to {rules.players - 1}, not {seat}")
    others = rules.players - 1
    if isinstance(partners, Sequence) and not isinstance(partners, str):
        if len(partners) != others:
            raise ValueError(f"partners must be one player or {others}, one per other seat, not {len(partners)}")
        team: list[Player | None] = [_partner(partner) for partner in partners]
    else:
        team = [_partner(partners)] * others
    return [*team[:seat], None, *team[seat:]]


def _partner(partner: Any) -> Player:
    """A player; a name may be that of a whole player or of a policy."""
    whole = isinstance(partner, str) and partner in _players.names()
    player: Player = _players.make(partner) if whole else as_player(partner)
    return player


def _bodies(n: int, clock: Any, reaction: Any, sees_clock: bool, stars: Any) -> tuple[Player, ...]:
    """One player per learner, whose policy is still missing."""
    clocks, reactions = _each("clock", _clocks.Exact() if clock is None else clock, n), _each("reaction", reaction, n)
    never = _stars.Never() if stars is None else stars
    return tuple(
        Player(_nothing, never, _stops.Never(), clock=c, reaction=r, sees_clock=sees_clock)
        for c, r in zip(clocks, reactions, strict=True)
    )


def _nothing(obs: Any) -> Any:
    raise NotImplementedError("a learner's policy is its environment's step")


def _each(name: str, value: Any, n: int) -> list[Any]:
    if isinstance(value, (list, tuple)):
        if len(value) != n:
            raise ValueError(f"{name} must be one for all learners or a list of {n}, one each, not {len(value)}")
        return list(value)
    return [value] * n
