"""Every Python example of README and docs runs, page by page; links and images resolve."""
from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from mindsim import registry

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.fixture
def registries(monkeypatch):
    """What a page registers by name is forgotten after it: other tests of the process find the names as they were."""
    for part in ("policies", "clocks", "stars", "stops"):  # the built-in ones, which stay, are registered when imported
        importlib.import_module(f"mindsim.{part}")
    for one in vars(registry).values():
        if isinstance(one, registry.Registry):
            monkeypatch.setattr(one, "_entries", dict(one._entries))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch, registries):
    """The blocks of a page run one after another, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {"__name__": "__main__"}
    for number, block in enumerate(BLOCK.findall(page.read_text("utf-8")), start=1):
        exec(compile(block, f"{page.name}, example {number}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_resolve(page):
    """Relative links and images point at files that are there."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = [
        target
        for target in LINK.findall(text)
        if not target.startswith(("http", "#", "mailto:")) and not (page.parent / target.split("#")[0]).exists()
    ]
    assert not broken, f"{page.name} links to {broken}"
