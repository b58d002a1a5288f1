"""Figures: they show what the table says, with intervals, and can be told apart without colour."""

from __future__ import annotations

import subprocess
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.container import ErrorbarContainer
from toycell import Toy, toys

import mindsim as ms
from mindsim import plots


@pytest.fixture(scope="module")
def table():
    return ms.sweep([Toy(p, name, n) for n in (2, 3) for name, p in (("a", 0.4), ("b", 0.7))], 500, seed=1)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def errorbars(ax):
    return [c for c in ax.containers if isinstance(c, ErrorbarContainer)]


def labels(ax):
    return [h.get_text() for h in ax.get_legend().get_texts()]


def ink(ax):
    """How much of the picture is not white."""
    ax.figure.canvas.draw()
    return float(np.mean(np.asarray(ax.figure.canvas.buffer_rgba())[..., :3] < 250))


def test_win_rate_shows_values_and_intervals(table):
    ax = plots.win_rate(table)
    shown = np.concatenate([bar[0].get_ydata() for bar in errorbars(ax)])
    assert sorted(shown) == pytest.approx(sorted(table["win_rate"]))
    low, high = errorbars(ax)[0][2][0].get_segments()[0][:, 1]
    assert (low, high) == pytest.approx((table["win_rate_low"].iloc[0], table["win_rate_high"].iloc[0]))
    assert labels(ax) == ["a", "b"] and [t.get_text() for t in ax.get_xticklabels()] == ["2", "3"]
    assert "share of games" in ax.get_ylabel() and ink(ax) > 0.01


def test_the_axes_given_are_used(table):
    _, ax = plt.subplots()
    assert plots.win_rate(table, ax=ax) is ax


def test_frontier_has_intervals_both_ways_and_units(table):
    ax = plots.frontier(table[table["players"] == 2].assign(family="toys"), by="family")
    (bars,) = errorbars(ax)
    assert len(bars[2]) == 2 and "seconds per card" in ax.get_xlabel()
    assert (np.diff(bars[0].get_xdata()) > 0).all() and ink(ax) > 0.01


def test_share_within_of_tables_and_of_games(table):
    curve = plots.share_within(table[table["players"] == 2], times=[50, 100, 1000]).get_lines()[1].get_ydata()
    games = table.games(1)
    known = [np.mean(games["won"] & (games["duration"] <= t)) for t in (50, 100, 1000)]
    assert curve == pytest.approx(known) and curve[-1] == table["win_rate"].iloc[1]
    played = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(1.0), 50)
    ax = plots.share_within({"exact": played}, times=[0, 10_000])
    assert ax.get_lines()[0].get_ydata().tolist() == [0, 1] and "(s)" in ax.get_xlabel()


def test_survival_agrees_with_the_statistics(table):
    games = table.games(0)
    known = ms.stats.survival(games["levels_completed"], games["level_reached"], 12)
    for of in ("share_passed", "pass_rate"):
        bars = errorbars(plots.survival(table.iloc[:1], of=of))
        assert bars[0][0].get_ydata() == pytest.approx(known[of].to_numpy())
    played = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(1.0), 20)
    assert len(errorbars(plots.survival(played))[0][0].get_ydata()) == 12
    with pytest.raises(ValueError, match="of must be"):
        plots.survival(table, of="share")


def test_heatmap_writes_every_number_in_its_place():
    grid = pd.DataFrame([(x, y, x + 10 * y) for x in (1, 2, 3) for y in (0.1, 0.2)], columns=["x", "y", "value"])
    ax = plots.heatmap(grid, "x", "y", "value", fmt=".1f")
    written = {t.get_position(): t.get_text() for t in ax.texts}
    assert written[(0, 1)] == "2.0" and written[(2, 0)] == "5.0" and len(written) == 6
    assert [t.get_text() for t in ax.get_yticklabels()] == ["0.2", "0.1"]
    with pytest.raises(ValueError, match="several rows for one pair"):
        plots.heatmap(pd.concat([grid, grid]), "x", "y", "value")


def test_crossplay_frames_self_play():
    names = ["a", "b", "c"]
    matrix = pd.DataFrame(np.eye(3) * 0.5 + 0.25, index=pd.Index(names, name="newcomer"), columns=names)
    ax = plots.crossplay(matrix)
    assert len(ax.patches) == 3 and [t.get_text() for t in ax.texts][:2] == ["0.75", "0.25"]
    assert ax.get_ylabel() == "newcomer"


def test_causes_stack_to_all_mistakes(table):
    ax = plots.causes(table)
    ends = [max(p.get_x() + p.get_width() for p in ax.patches if round(p.get_y() + 0.4) == row) for row in range(4)]
    assert ends == pytest.approx((table["mistakes_policy"] + table["mistakes_clock"]).tolist())
    assert len({p.get_hatch() for p in ax.patches}) == 2
    with pytest.raises(ValueError, match="no column mistakes_"):
        plots.causes(pd.DataFrame({"x": [1]}))


def test_delay_curves_of_policies():
    probe = ms.probe([ms.policies.GapLinear(0.5), ms.policies.GapPower(0.02, 2.0)], card=range(1, 50))
    ax = plots.delay_curves(probe.table)
    lines = ax.get_lines()
    assert len(lines) == 2 and lines[0].get_ydata()[-1] == pytest.approx(24.5) and "(s)" in ax.get_ylabel()
    ax = plots.delay_curves(ms.probe(ms.policies.GapLinear(0.5), card=[10, 20, 30], top=[0, 5]).table)
    assert len(ax.get_lines()) == 2


def test_trace_keeps_the_best_so_far():
    runs = pd.DataFrame(
        {"generation": [0, 1, 2, 0, 1, 2], "value": [1.0, 0.5, 2.0, 3.0, 2.0, 1.0], "run": [0] * 3 + [1] * 3}
    )
    ax = plots.trace(runs, by="run")
    steps = [line.get_ydata().tolist() for line in ax.get_lines() if line.get_drawstyle() == "steps-post"]
    assert steps == [[1, 1, 2], [3, 3, 3]]
    assert len(plots.trace(runs.iloc[:3]).get_lines()) == 2


def test_series_differ_in_more_than_colour():
    ax = plots.frontier(ms.sweep(toys(8), 50), by="policy")
    drawn = [bar[0] for bar in errorbars(ax)]
    assert len({line.get_marker() for line in drawn}) == 8 and len({line.get_color() for line in drawn}) == 8
    assert len(set(plots.COLOURS)) == len(plots.MARKERS) == len(plots.LINES) == len(plots.HATCHES) == 8


def test_a_missing_column_is_named(table):
    with pytest.raises(ValueError, match="no column 'clock'"):
        plots.win_rate(table, by="clock")
    with pytest.raises(TypeError, match="games must be Games"):
        plots.share_within({"a": 3})


def test_a_line_is_drawn_for_every_public_figure(table, tmp_path):
    """Each can be saved as PNG, SVG and PDF."""
    ax = plots.win_rate(table)
    for kind in ("png", "svg", "pdf"):
        ax.figure.savefig(tmp_path / f"figure.{kind}")
        assert (tmp_path / f"figure.{kind}").stat().st_size > 1_000


def test_matplotlib_is_imported_only_when_drawing():
    code = "import sys, mindsim, mindsim.plots, mindsim.sweep; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
