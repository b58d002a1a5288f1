"""Names for policies, stars, stops, clocks, reactions and players, and their form in JSON.

A registered class has a name, so that a setting can be typed on a command line, written to a file and read back. This
file keeps the names, finds other people's by entry point or by a ``module:Class`` path, turns objects to JSON and
back, and checks parameters. It imports nothing of mindsim: what is registered registers itself.

JSON form: ``{"name": "gap_power", "kind": "policy", "params": {"pace": 0.05, "exponent": 1.6}}``. A dataclass without a
name is written as ``{"class": "module:Class", "params": ...}``, a function as ``{"function": "module:name"}``. Reading
a file imports the modules it names, so read only files that you trust; it creates nothing but dataclasses.
"""
from __future__ import annotations

import dataclasses
import difflib
import importlib
import importlib.metadata
import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Entry(NamedTuple):
    """One registered thing: its name, what makes it (a class or a function), one line on it, and its traits."""

    name: str
    maker: Callable[..., Any]
    summary: str
    traits: dict[str, Any]


class Registry:
    """The names of one kind of thing.

    Parameters
    ----------
    kind : str
        What the things are, in the singular ("policy"): used in messages and in JSON.
    group : str, optional
        The entry-point group in which other packages offer theirs.
    """

    def __init__(self, kind: str, group: str | None = None) -> None:
        self.kind = kind
        self.group = group
        self._entries: dict[str, Entry] = {}
        self._names: dict[Callable[..., Any], str] = {}
        self._offers: dict[str, importlib.metadata.EntryPoint] | None = None

    def register(self, name: str, **traits: Any) -> Callable[[T], T]:
        """Give a class, or a function that returns an object, a name: a decorator.

        Parameters
        ----------
        name : str
            Lower-case words joined by underscores.
        **traits
            What `names` can filter by, e.g. ``timing="gap"``, ``stochastic=True``.

        Raises
        ------
        ValueError
            If the name is taken by something else, or is no plain name.
        """
        if not isinstance(name, str) or not name.replace("_", "").isalnum() or name != name.lower():
            raise ValueError(f"name of a {self.kind} must be lower-case words joined by underscores, not {name!r}")

        def add(maker: T) -> T:
            known = self._entries.get(name)
            if known is not None and not _same_source(known.maker, maker):
                raise ValueError(f"{self.kind} name {name!r} is taken by {_path(known.maker)}")
            self._entries[name] = Entry(name, maker, summary(maker), self._traits(maker, traits))  # type: ignore[arg-type]
            self._names[maker] = name  # type: ignore[index]
            return maker

        return add

    def _traits(self, maker: object, given: dict[str, Any]) -> dict[str, Any]:
        if self.kind != "policy":
            return given
        return {"memory": bool(getattr(maker, "memory", 0)), "stochastic": False, "timing": "other", **given}

    def names(self, **traits: Any) -> list[str]:
        """All names in order, or those of the things whose traits are as given.

        Raises
        ------
        ValueError
            If nothing of this kind has a trait of that name.
        """
        entries = self.entries()
        known = sorted({trait for e in entries for trait in e.traits})
        for trait in traits:
            if trait not in known:
                raise ValueError(f"{self.kind} has no trait {trait!r}; the traits are {', '.join(known) or 'none'}")
        return [e.name for e in entries if all(e.traits.get(k) == v for k, v in traits.items())]

    def entries(self) -> list[Entry]:
        """All entries, ordered by name, other packages' included."""
        for name in self._entry_points():
            self._load_entry_point(name)
        return [self._entries[name] for name in sorted(self._entries)]

    def get(self, name: str) -> Callable[..., Any]:
        """The class or function of that name, or at that ``module:Class`` path.

        Raises
        ------
        ValueError
            If there is none: the message has the nearest names.
        """
        if not isinstance(name, str):
            raise TypeError(f"{self.kind} must be a name, not {name!r}")
        if ":" in name:
            return find(name)
        if name not in self._entries and name in self._entry_points():
            self._load_entry_point(name)
        if name not in self._entries:
            raise ValueError(f"unknown {self.kind} {name!r}; {_nearest(name, self.names())}")
        return self._entries[name].maker

    def make(self, name: str, /, **params: Any) -> Any:
        """The object of that name with these parameters.

        Raises
        ------
        ValueError
            If the name is unknown, a parameter is unknown or missing, or its value is not allowed.
        """
        maker = self.get(name)
        try:
            inspect.signature(maker).bind(**params)
        except TypeError as error:
            takes = ", ".join(str(p) for p in _parameters(maker)) or "no parameters"
            raise ValueError(f"{self.kind} {name!r}: {error}; it takes {takes}") from error
        return maker(**params)

    def name_of(self, maker: object) -> str | None:
        """The name of a registered class or function, None if it has none."""
        return self._names.get(maker)  # type: ignore[call-overload]

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._entry_points()

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def _entry_points(self) -> dict[str, importlib.metadata.EntryPoint]:
        if self.group is None:
            return {}
        if self._offers is None:
            self._offers = {e.name: e for e in importlib.metadata.entry_points(group=self.group)}
        return self._offers

    def _load_entry_point(self, name: str) -> None:
        if name not in self._entries:
            offer = self._entry_points()[name]
            maker = offer.load()
            if name not in self._entries:  # loading the module may have registered it
                self.register(name)(maker)

    def refresh(self) -> None:
        """Look for entry points again: packages installed since the last look are found."""
        importlib.invalidate_caches()
        self._offers = None


policies = Registry("policy", "mindsim.policies")
stars = Registry("stars", "mindsim.stars")
stops = Registry("stops", "mindsim.stops")
clocks = Registry("clock", "mindsim.clocks")
reactions = Registry("reaction", "mindsim.reactions")
players = Registry("player", "mindsim.players")

KINDS: dict[str, Registry] = {r.kind: r for r in (policies, stars, stops, clocks, reactions, players)}


# --- words about makers ----------------------------------------------------------------------------------------------
def summary(maker: object) -> str:
    """The first line of its docstring."""
    return (inspect.getdoc(maker) or "").strip().split("\n")[0]


def _parameters(maker: Callable[..., Any]) -> Iterable[inspect.Parameter]:
    return inspect.signature(maker).parameters.values()


def _path(maker: Any) -> str:
    return f"{getattr(maker, '__module__', '?')}:{getattr(maker, '__qualname__', maker)}"


def _same_source(a: object, b: object) -> bool:
    """A module that is loaded again defines its classes again: that is no clash."""
    return _path(a) == _path(b)


def _nearest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return f"nearest: {', '.join(near)}" if near else f"known: {', '.join(names) or 'none'}"


def find(path: str) -> Any:
    """What stands at ``module:name``.

    Raises
    ------
    ValueError
        If the module cannot be imported or has no such name.
    """
    module, _, name = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"nothing found at {path!r} (want module:name): {error}") from error
    return found


# --- JSON ------------------------------------------------------------------------------------------------------------
def to_json(thing: Any) -> Any:
    """`thing` as numbers, strings, lists and dicts that `json.dumps` takes and `from_json` reads back.

    Parameters
    ----------
    thing : object
        A Player, a policy, stars, stops, a clock, a reaction, a list of them, a number or a string.

    Raises
    ------
    TypeError
        If it, or something in it, is neither a dataclass nor a function that can be imported.

    Examples
    --------
    >>> import mindsim as ms
    >>> from mindsim import registry
    >>> registry.to_json(ms.policies.GapLinear(0.05))
    {'name': 'gap_linear', 'kind': 'policy', 'params': {'pace': 0.05}}
    """
    if thing is None or isinstance(thing, (bool, str)):
        return thing
    if hasattr(thing, "item") and not hasattr(thing, "__len__"):  # a NumPy number
        return to_json(thing.item())
    if isinstance(thing, (int, float)):
        return thing if math.isfinite(thing) else {"float": repr(thing)}
    if isinstance(thing, (list, tuple)):
        return [to_json(x) for x in thing]
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {**_identity(type(thing)), "params": {k: to_json(v) for k, v in _given(thing).items()}}
    if inspect.isfunction(thing):
        return {"function": _importable(thing)}
    kind = type(thing).__name__
    raise TypeError(f"{thing!r} cannot be written to JSON: a {kind} is neither a dataclass nor a function")


def _given(thing: Any) -> dict[str, Any]:
    """The arguments that make this dataclass again."""
    fields = [f for f in dataclasses.fields(thing) if f.init]
    return {f.metadata.get("parameter", f.name): getattr(thing, f.name) for f in fields}


def from_json(data: Any) -> Any:
    """What `to_json` wrote, as it was (lists become tuples, so that settings stay hashable).

    Raises
    ------
    ValueError
        If `data` has another form, or names something unknown.

    Examples
    --------
    >>> from mindsim import registry
    >>> registry.from_json({"name": "gap_linear", "kind": "policy", "params": {"pace": 0.05}})
    GapLinear(pace=0.05)
    """
    if data is None or isinstance(data, (bool, str, int, float)):
        return data
    if isinstance(data, (list, tuple)):
        return tuple(from_json(x) for x in data)
    if not isinstance(data, dict):
        raise ValueError(f"not the JSON form of a setting: {data!r}")
    if "float" in data:
        return float(data["float"])
    if "function" in data:
        return find(data["function"])
    return _made_from(data)


def _made_from(data: dict[str, Any]) -> Any:
    params = {name: from_json(value) for name, value in data.get("params", {}).items()}
    if "name" in data:
        kind = data.get("kind")
        if kind not in KINDS:
            raise ValueError(f"unknown kind {kind!r} in {data!r}; the kinds are {', '.join(KINDS)}")
        return KINDS[kind].make(data["name"], **params)
    if "class" not in data:
        raise ValueError(f"not the JSON form of a setting (no 'name' and no 'class'): {data!r}")
    cls = find(data["class"])
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise ValueError(f"{data['class']!r} is not a dataclass: it cannot be made from a file")
    return cls(**params)


def _identity(cls: type) -> dict[str, str]:
    for registry in KINDS.values():
        name = registry.name_of(cls)
        if name is not None:
            return {"name": name, "kind": registry.kind}
    return {"class": _importable(cls)}


def _importable(thing: Any) -> str:
    path = _path(thing)
    try:
        found = find(path)
    except ValueError:
        found = None
    if found is not thing:
        raise TypeError(f"{thing!r} cannot be written to JSON: it cannot be imported as {path!r}")
    return path


# --- parameters ------------------------------------------------------------------------------------------------------
class Range(NamedTuple):
    """Which numbers a parameter may take."""

    low: float
    high: float
    low_allowed: bool
    words: str

    def holds(self, x: float) -> bool:
        """Is `x` allowed?"""
        return (x >= self.low if self.low_allowed else x > self.low) and x <= self.high


_LARGEST = 1.7976931348623157e308
POSITIVE = Range(0.0, _LARGEST, False, "a number above 0")
NOT_NEGATIVE = Range(0.0, _LARGEST, True, "a number of at least 0")
SHARE = Range(0.0, 1.0, True, "a number from 0 to 1")
ANY = Range(-_LARGEST, _LARGEST, True, "a finite number")


def check(thing: Any, **ranges: Range) -> None:
    """Check number-valued fields of a dataclass; for ``__post_init__``.

    Raises
    ------
    TypeError
        If a field is no number.
    ValueError
        If it is outside its range.
    """
    owner = type(thing).__name__
    for name, allowed in ranges.items():
        value = getattr(thing, name)
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            raise TypeError(f"{owner}: {name} must be {allowed.words}, not {value!r}")
        if not allowed.holds(float(value)):
            raise ValueError(f"{owner}: {name} must be {allowed.words}, not {value!r}")


def check_whole(thing: Any, name: str, low: int, high: int) -> None:
    """Check that a field of a dataclass is a whole number from `low` to `high`.

    Raises
    ------
    TypeError
        If it is no whole number.
    ValueError
        If it is outside the range.
    """
    value = getattr(thing, name)
    says = f"{type(thing).__name__}: {name} must be a whole number from {low} to {high}, not {value!r}"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(says)
    if not low <= int(value) <= high:
        raise ValueError(says)


def check_choice(thing: Any, name: str, allowed: Iterable[Any]) -> None:
    """Check that a field of a dataclass has one of the allowed values.

    Raises
    ------
    ValueError
        If it has not.
    """
    value, allowed = getattr(thing, name), list(allowed)
    if not any(value is a or (type(value) is type(a) and value == a) for a in allowed):
        choices = ", ".join(repr(a) for a in allowed)
        raise ValueError(f"{type(thing).__name__}: {name} must be one of {choices}, not {value!r}")
