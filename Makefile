# `make demo` shows what Overture does; `make test` runs everything that CI runs. Both need only Python and make,
# and fetch the packages on their first run.

PYTHON ?= python3
BIN := .venv/bin
HARBOR := --cwd examples/harbor/services/berths --root examples/harbor --home examples/harbor/home \
          --now 2026-03-07T08:55:05-06:00 --set runtime.timezone=America/Chicago

.PHONY: demo test format reference bench growth clean
.DEFAULT_GOAL := test

# The environment, made anew when the project's dependencies change: what Overture needs, then what its tests need.
$(BIN)/.runs: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(BIN)/.ready: $(BIN)/.runs
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# The prompt of the example project, and under it where every part of it came from.
demo: $(BIN)/.runs
	@$(BIN)/overture build opal $(HARBOR)
	@echo
	@$(BIN)/overture explain opal $(HARBOR)

# Format, lint, types, import contracts, tests, docs examples.
test: $(BIN)/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

# Write the format that `make test` checks.
format: $(BIN)/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Write the reference pages that `make test` checks.
reference: $(BIN)/.ready
	$(BIN)/python docs/make_reference.py

# How long builds and discovery take here.
bench: $(BIN)/.ready
	$(BIN)/python bench/bench.py
	$(BIN)/python bench/session.py

# How time and memory grow with hostile input; it fails where they grow faster than the input.
growth: $(BIN)/.ready
	$(BIN)/python bench/growth.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
