"""Names, nearest names, traits, JSON, and other people's policies."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import mindsim as ms
from mindsim import reactions, registry

P = ms.policies

PLAYERS = [
    ms.Player(P.GapPower(0.05, 1.6)),
    ms.Player(P.Script({12: 1.0, ("red", 33): 2.5, 40: float("inf")}), sees_clock=True),
    ms.Player(
        P.Confidence(0.1, 0.9),
        ms.stars.Reserve(ms.stars.Earliest((ms.stars.AtOnce(), ms.stars.At(2.0, consent=False)))),
        ms.stops.AfterSilence(4.0),
        ms.clocks.Tempo(0.2) * ms.clocks.Scalar(0.1, 0.05) * ms.clocks.Drift(0.1, 0.5),
        reactions.ExGaussian(),
    ),
    *(ms.players.make(name) for name in ms.players.names()),
]


@dataclass(frozen=True)
class Mine:
    """A policy without a name."""

    pace: float = 1.0
    inner: Any = None

    def wait(self, obs):
        return obs.remaining(self.pace * obs.gap)


def plain(obs):
    """A policy that is a function."""
    return 0.1 * obs.gap


# --- names -----------------------------------------------------------------------------------------------------------
def test_every_family_is_an_attribute_of_the_package():
    for family in ("policies", "stars", "stops", "clocks", "reactions", "players"):
        assert getattr(ms, family).names() and family in dir(ms)
    assert ms.reactions.make("fixed", seconds=0.2) == ms.reactions.Fixed(0.2)
    assert ms.situations.situations(card=20, top=4).gap.tolist() == [16]


def test_make_by_name():
    assert P.make("gap_power", exponent=1.7) == P.GapPower(exponent=1.7)
    assert ms.stars.make("at", seconds=2.0, consent=False) == ms.stars.At(2.0, consent=False)
    assert ms.stops.make("never") == ms.stops.Never() and ms.clocks.make("scalar", weber=0.1) == ms.clocks.Scalar(0.1)
    assert ms.players.make("human") == ms.Player(P.Human(), reaction=reactions.ExGaussian())
    assert ms.Player("gap_linear").policy == P.GapLinear()


def test_every_name_has_one_line_and_every_policy_parameter_a_sensible_default():
    for entry in (e for kind in registry.KINDS.values() for e in kind):
        assert 10 < len(entry.summary) < 130 and "\n" not in entry.summary, entry.name
    for name in set(P.names()) - {"script"}:
        assert P.make(name) is not None


def test_filters():
    assert "gap_power" in P.names(timing="gap") and "metronome" not in P.names(timing="gap")
    assert {"metronome", "sinh_level", "slots"} <= set(P.names(timing="absolute"))
    assert "tempo_matching" in P.names(memory=True) and "gap_linear" not in P.names(memory=True)
    assert {"uniform", "human"} <= set(P.names(stochastic=True)) and "gap_linear" not in P.names(stochastic=True)
    assert P.names(stochastic=True, timing="gap", memory=False) == ["human"]
    with pytest.raises(ValueError, match="policy has no trait 'colour'; the traits are memory, stochastic, timing"):
        P.names(colour="red")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: P.make("gap_powr"), "unknown policy 'gap_powr'; nearest: gap_power"),
        (lambda: ms.clocks.make("xyz"), "unknown clock 'xyz'; known: additive, careful"),
        (lambda: P.make("gap_power", pase=0.1), "got an unexpected keyword argument 'pase'; it takes pace"),
        (lambda: P.make("script"), "missing a required argument: 'times'"),
        (lambda: P.make("nowhere:Nothing"), "nothing found at 'nowhere:Nothing'"),
        (lambda: P.make("mindsim.policies.gap:Nothing"), "nothing found at"),
        (lambda: P.register("gap_linear")(Mine), "policy name 'gap_linear' is taken by mindsim.policies.gap:GapLinear"),
        (lambda: P.register("Not A Name")(Mine), "lower-case words joined by underscores, not 'Not A Name'"),
    ],
)
def test_bad_names(make, words):
    with pytest.raises(ValueError) as raised:
        make()
    assert words in str(raised.value)


def test_a_name_must_be_a_string():
    with pytest.raises(TypeError, match="policy must be a name, not 3"):
        P.make(3)


def test_register_and_paths():
    before = P.names()

    @P.register("mine_for_a_test", timing="gap", stochastic=True)
    @dataclass(frozen=True)
    class Another(Mine):
        """One more."""

    try:
        assert P.make("mine_for_a_test", pace=2.0) == Another(2.0)
        assert "mine_for_a_test" in P.names(timing="gap", stochastic=True)
        assert registry.from_json(registry.to_json(ms.Player(Another(2.0)))) == ms.Player(Another(2.0))
    finally:
        del registry.policies._entries["mine_for_a_test"]
    assert P.names() == before
    assert P.make("mindsim.policies.gap:GapLinear", pace=0.5) == P.GapLinear(0.5)


# --- JSON ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("player", PLAYERS, ids=lambda p: type(p.policy).__name__)
def test_any_player_goes_through_json_and_back(player):
    text = json.dumps(registry.to_json(player), allow_nan=False)
    assert registry.from_json(json.loads(text)) == player


def test_unregistered_dataclasses_and_functions_go_by_path():
    for policy in (Mine(2.0), Mine(2.0, inner=P.GapLinear(0.1)), plain):
        data = json.loads(json.dumps(registry.to_json(ms.Player(policy))))
        assert registry.from_json(data) == ms.Player(policy)


@pytest.mark.parametrize(
    ("thing", "words"), [(lambda obs: obs.gap, "cannot be imported"), (object(), "a object is neither a dataclass")]
)
def test_what_cannot_be_written(thing, words):
    with pytest.raises(TypeError, match=words):
        registry.to_json(thing)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"name": "gap_lin", "kind": "policy"}, "nearest: gap_linear"),
        ({"name": "gap_linear", "kind": "politics"}, "unknown kind 'politics'"),
        ({"paces": 3}, "not the JSON form of a setting"),
        ({"class": "subprocess:Popen", "params": {"args": "true"}}, "'subprocess:Popen' is not a dataclass"),
        ({"name": "gap_linear", "kind": "policy", "params": {"pace": -1}}, "pace must be a number above 0"),
        (object(), "not the JSON form"),
    ],
)
def test_what_cannot_be_read(data, words):
    with pytest.raises(ValueError, match=words):
        registry.from_json(data)


# --- other people's packages -----------------------------------------------------------------------------------------
PACKAGE = Path(__file__).with_name("package")


def build_wheel(folder: Path) -> Path:
    """The package as a wheel: a zip of the module and what its pyproject says. A build would need its tools at hand."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    offers = "".join(
        f"[{group}]\n" + "".join(f"{name} = {path}\n" for name, path in points.items())
        for group, points in project["entry-points"].items()
    )
    stem = f"{project['name']}-{project['version']}"
    files = {
        "patience.py": (PACKAGE / "patience.py").read_text(),
        f"{stem}.dist-info/METADATA": "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".format(**project),
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{stem}.dist-info/entry_points.txt": offers,
    }
    files[f"{stem}.dist-info/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{stem}.dist-info/RECORD"))
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as out:
        for name, text in files.items():
            out.writestr(name, text)
    return wheel


def run(*arguments: object, path: Path | None = None) -> str:
    """What a Python process with these arguments prints; `path` is put before everything that it imports from."""
    paths = [str(path), *filter(None, [os.environ.get("PYTHONPATH")])] if path else []
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"} if path else None
    done = subprocess.run([sys.executable, *map(str, arguments)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A directory into which pip has installed the package, without a network."""
    folder = tmp_path_factory.mktemp("elsewhere")
    offline = ("--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", "--quiet")
    run("-m", "pip", "install", *offline, "--target", folder / "site", build_wheel(folder))
    return folder / "site"


PLAYS = """
import json, sys
import mindsim as ms
from mindsim import registry

policy = ms.policies.make("patient", pace=0.1)
assert "patient" in registry.policies and "patient" in ms.policies.names()
games = ms.simulate(ms.Rules.the_mind(2), "patient", n_games=5, seed=1)
data = json.loads(json.dumps(registry.to_json(ms.Player(policy))))
assert registry.from_json(data) == ms.Player(policy)
print(type(policy).__module__, data["params"]["policy"]["name"], int(games.won.sum()), "_pytest" in sys.modules)
"""


def test_an_installed_package_offers_its_policies(installed):
    assert run("-c", PLAYS, path=installed).split() == ["patience", "patient", "5", "False"]


def test_the_command_line_lists_and_plays_them(installed):
    command = ("-c", "from mindsim.cli import main; main()")
    listed = run(*command, "policies", path=installed)
    assert [line for line in listed.splitlines() if "patient" in line and "Waits a long time." in line]
    played = run(*command, "run", "--policy", "patient", "--games", "5", path=installed)
    assert "patient" in played.lower()


def test_without_the_package_its_name_is_unknown():
    with pytest.raises(ValueError, match="unknown policy 'patient'"):
        P.make("patient")


# --- whole players ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ms.players.names())
def test_every_named_player_plays(name):
    player = ms.players.make(name)
    assert isinstance(player, ms.Player)
    assert ms.simulate(ms.Rules.the_mind(2), player, n_games=20, seed=1).n_games == 20


def test_players_take_parameters():
    assert ms.players.make("ordinary", pace=0.05).policy == P.GapPower(0.05, 2.0)
    with pytest.raises(ValueError, match="unknown player 'humane'; nearest: human"):
        ms.players.make("humane")
