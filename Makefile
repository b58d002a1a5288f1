# Two commands for a machine with Python 3.11+, git and make: `make baseline` and `make test`.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
GAMES ?= 10000
JOBS ?= 2

.PHONY: baseline test lint types tests docs results benchmark clean browser

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade pip
	$(RUN) -m pip install --quiet --editable .
	touch $@

$(VENV)/.tools: $(VENV)/.installed
	$(RUN) -m pip install --quiet --editable '.[dev]'
	touch $@

baseline: $(VENV)/.installed  ## the main job: policies x clocks x players, with intervals
	$(VENV)/bin/mindsim baseline --games $(GAMES) --jobs $(JOBS)

test: lint types tests docs  ## everything that must hold

lint: $(VENV)/.tools
	$(RUN) -m ruff check mindsim tests experiments tools

types: $(VENV)/.tools
	$(RUN) -m mypy

browser:  ## the tests of pages need a browser
	@command -v chromedriver >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium chromium-driver; }

tests: $(VENV)/.tools browser
	$(RUN) -m pytest -n 2 --dist loadgroup

docs: $(VENV)/.tools
	$(RUN) -m sphinx -W -q -b html docs docs/_build/html

results: $(VENV)/.tools  ## regenerate results/ (long)
	$(RUN) experiments/make_results.py --jobs $(JOBS)

benchmark: $(VENV)/.tools  ## regenerate results/benchmark/
	$(RUN) experiments/benchmark.py

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache
