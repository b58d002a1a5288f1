"""The report: self-contained, complete, the same each time, and shown by a browser without a complaint."""

from __future__ import annotations

import re
import shutil
import subprocess

import matplotlib

matplotlib.use("Agg")

import pytest
from toycell import Toy, toys

import mindsim as ms
from mindsim import report
from mindsim.store import StoreError


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report on toys, one real cell's worth of columns, and a grid of two parameters."""
    folder = tmp_path_factory.mktemp("report")
    ms.sweep(toys(4), 300, seed=1, store=folder / "toys")
    return report.write(folder / "toys")


def test_the_page_has_everything(page):
    text = page.read_text()
    assert page.name == "toys.html" and text.startswith("<!doctype html>")
    for part in ("Win rate by policy", "win rate against pace", "won within t", "levels passed", "Why lives were lost",
                 "Ranking by win rate", "All cells", "Manifest", "seed 1", "Holm over all", "correlated"):  # fmt: skip
        assert part in text, part
    assert text.count("toy3") >= 3 and "&quot;name&quot;: &quot;toy0&quot;" in text


def test_the_page_needs_nothing_but_itself(page):
    text = page.read_text()
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", text) and "<script" not in text
    assert "url(http" not in text and "@import" not in text


def test_the_same_store_gives_the_same_page(page, tmp_path):
    again = report.write(page.parent / "toys", tmp_path / "again.html")
    assert again.read_bytes() == page.read_bytes()


def test_two_parameters_make_a_heat_map(tmp_path):
    policies = [ms.policies.GapPower(p, e) for p in (0.01, 0.02, 0.05) for e in (1.0, 1.5, 2.0)]
    ms.sweep(ms.grid(players=2, policy=policies, clock=ms.clocks.Scalar(0.14)), 50, store=tmp_path / "s")
    assert "2 players: win rate<" in report.write(tmp_path / "s").read_text()


def test_figures_as_files(page, tmp_path):
    table = ms.load(page.parent / "toys")
    written = report.figures(table, tmp_path)
    assert [p.name for p in written][:2] == ["01_win_rate.png", "02_frontier_2p.png"]
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in written) and sorted(tmp_path.iterdir()) == written
    with pytest.raises(ValueError, match="folder must be given"):
        table.store = None
        report.figures(table)


def test_names_are_escaped(tmp_path):
    ms.sweep([Toy(0.4, "<b>one</b>"), Toy(0.6, "a & b")], 50, store=tmp_path / "s")
    text = report.write(tmp_path / "s").read_text()
    assert "<b>one</b>" not in text and "&lt;b&gt;one&lt;/b&gt;" in text


def test_what_cannot_be_reported(tmp_path):
    with pytest.raises(StoreError, match="there is no store"):
        report.write(tmp_path / "nowhere")
    with pytest.raises(ZeroDivisionError):
        ms.sweep(Toy(fails_at=1), 10, store=tmp_path / "s")
    with pytest.raises(ValueError, match="no whole cell to report"):
        report.write(tmp_path / "s")


COUNT = """<script>addEventListener("load", () => {
const shown = [...document.images].filter(i => i.complete && i.naturalWidth > 50 && i.naturalHeight > 50);
document.body.setAttribute("data-shown", shown.length + "/" + document.images.length)})</script></body>"""


def browser() -> str:
    found = [path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))]
    assert found, "no Chromium found: install it (apt-get install chromium, or make test, which does) to run this test"
    return found[0]


def browse(page, *options):
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
               "--virtual-time-budget=10000", *options, page.as_uri()]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def test_a_browser_shows_every_figure_without_errors(page, tmp_path):
    copy = tmp_path / "copy.html"
    copy.write_text(page.read_text().replace("</body>", COUNT))
    done = browse(copy, "--dump-dom")
    figures = page.read_text().count("<figure>")
    assert figures >= 8 and f'data-shown="{figures}/{figures}"' in done.stdout
    assert "CONSOLE" not in done.stderr, done.stderr
    assert done.stdout.count("<table") == page.read_text().count("<table")


def test_a_broken_picture_would_be_noticed(page, tmp_path):
    copy = tmp_path / "broken.html"
    copy.write_text(page.read_text().replace("base64,PD94", "base64,AAAA", 1).replace("</body>", COUNT))
    figures = page.read_text().count("<figure>")
    assert f'data-shown="{figures - 1}/{figures}"' in browse(copy, "--dump-dom").stdout
