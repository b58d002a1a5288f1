"""Who sits at the table: a `Player` is a policy with stars, stops, a clock and a reaction time; a team is one per seat.

What the parts do is in their own files; how they are asked, in `simulate`.
"""
from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mindsim import clocks as _clocks
from mindsim import policies as _policies
from mindsim import stars as _stars
from mindsim import stops as _stops


@dataclass(frozen=True)
class Player:
    """One player.

    Parameters
    ----------
    policy : object with ``wait(obs)``, function of an observation, or registered name
        How long to wait before playing the next card: float64[rows], felt seconds from now, at least 0; infinite: not
        before something changes.
    stars : object with ``raise_hand(obs)`` and ``consent(obs)``
        When to raise a hand for a star, and when to agree. Default: never raises, always consents.
    stops : object with ``call(obs)``
        When to call stop. Default: never.
    clock : object with ``rate(noise)``, optionally ``motor(noise)`` and ``lasts``
        The player's sense of time. Default: exact.
    reaction : float or object with ``draw(noise)``
        Seconds of reaction time: nothing sooner can be begun after another's act, nor held back. 0 switches it off.
    sees_clock : bool
        Times in observations are true ones, not felt: a program with a display.

    Raises
    ------
    TypeError, ValueError
        If a part lacks the method that it is asked by, or the reaction is negative or not finite.

    Examples
    --------
    >>> import mindsim as ms
    >>> me = ms.Player(ms.policies.GapLinear(pace=0.05), clock=ms.clocks.Scalar(weber=0.14), reaction=0.2)
    >>> me.stars
    Never()
    """

    policy: Any
    stars: Any = field(default_factory=_stars.Never)
    stops: Any = field(default_factory=_stops.Never)
    clock: Any = field(default_factory=_clocks.Exact)
    reaction: Any = 0.0
    sees_clock: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.policy, str):
            object.__setattr__(self, "policy", _policies.make(self.policy))
        if isinstance(self.policy, type) or not (callable(self.policy) or _can(self.policy, "wait")):
            raise TypeError(
                f"policy must have a method wait(obs), or be a function of an observation or a registered name, "
                f"not {self.policy!r}"
            )
        for name, methods in (("stars", ("raise_hand", "consent")), ("stops", ("call",)), ("clock", ("rate",))):
            part = getattr(self, name)
            missing = [m for m in methods if isinstance(part, type) or not _can(part, m)]
            if missing:
                raise TypeError(f"{name} must be an object with {' and '.join(methods)}, not {part!r}")
        if not isinstance(self.sees_clock, bool):
            raise TypeError(f"sees_clock must be True or False, not {self.sees_clock!r}")
        self._check_reaction()

    def _check_reaction(self) -> None:
        if _can(self.reaction, "draw") and not isinstance(self.reaction, type):
            return
        if isinstance(self.reaction, bool) or not isinstance(self.reaction, (int, float)):
            raise TypeError(
                f"reaction must be a number of seconds or an object with draw(noise), not {self.reaction!r}"
            )
        if not 0.0 <= self.reaction < float("inf"):
            raise ValueError(f"reaction must be a finite number of seconds, at least 0, not {self.reaction!r}")

    @property
    def wait(self) -> Any:
        """The policy's function of an observation."""
        return self.policy.wait if _can(self.policy, "wait") else self.policy

    @property
    def raises_hands(self) -> bool:
        """Whether the player may ever raise a hand."""
        return type(self.stars) is not _stars.Never

    @property
    def calls_stops(self) -> bool:
        """Whether the player may ever call stop."""
        return type(self.stops) is not _stops.Never

    @property
    def keeps_exact_time(self) -> bool:
        """Whether the clock need not be asked."""
        return type(self.clock) is _clocks.Exact

    @property
    def reacts(self) -> bool:
        """Whether there is a reaction time."""
        return _can(self.reaction, "draw") or self.reaction > 0


def _can(part: object, method: str) -> bool:
    return callable(getattr(part, method, None))


def as_player(player: Any) -> Player:
    """A `Player`, or one made of a bare policy, function or registered name."""
    return player if isinstance(player, Player) else Player(player)


def as_team(team: Any, players: int) -> list[Player]:
    """One `Player` per seat, from one for everybody or a sequence of one for each.

    Raises
    ------
    ValueError
        If the sequence has another length than the number of players.
    """
    if isinstance(team, Sequence) and not isinstance(team, str):
        if len(team) != players:
            raise ValueError(f"team must be one player for everybody or {players}, one per seat; got {len(team)}")
        return [as_player(member) for member in team]
    return [as_player(team)] * players


def same(a: Player, b: Player) -> bool:
    """Whether two players may be asked together: the same object, or equal values."""
    if a is b:
        return True
    parts = [(x.policy, x.stars, x.stops, x.clock, x.reaction) for x in (a, b)]
    return all(isinstance(p, Hashable) and _hashable(p) for both in parts for p in both) and a == b


def _hashable(part: object) -> bool:
    try:
        hash(part)
    except TypeError:
        return False
    return True
