# `make demo` shows what Overture does; `make test` runs everything that CI runs, `make quick` the part that answers
# within half a minute. They need only Python and make, and fetch the packages on their first run.

PYTHON ?= python3
# Bytecode is kept, whatever the shell says: without it each of a thousand commands would compile everything anew.
export PYTHONDONTWRITEBYTECODE :=
BIN := .venv/bin
HARBOR := --cwd examples/harbor/services/berths --root examples/harbor --home examples/harbor/home \
          --now 2026-03-07T08:55:05-06:00 --set runtime.timezone=America/Chicago

# What a change of a line breaks first: whole prompts of every recipe, and the laws that hold for all.
QUICK := tests/test_architecture.py tests/contract/test_wall.py tests/contract/recipes

.PHONY: demo browser pictures test everything versions integrations engines quick format docs demo-calls bench bench-peers bench-compare serve-check growth eval agents fuzz stress clean
.DEFAULT_GOAL := test

# The environment, made anew when the project's dependencies change: what Overture needs, then what its tests need.
$(BIN)/.runs: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[web]'
	@touch $@

$(BIN)/.ready: $(BIN)/.runs
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(BIN)/.documents: $(BIN)/.runs
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

# The prompt of the example project, where every part of it came from, and what becomes of it in less room.
demo: $(BIN)/.runs
	@echo "== 1. The prompt that a coding agent gets in examples/harbor/services/berths (overture build) =="
	@$(BIN)/overture build opal $(HARBOR)
	@printf '\n== 2. Where every part of it came from (overture explain) ==\n'
	@$(BIN)/overture explain opal $(HARBOR)
	@printf '\n== 3. Why a file that lies there is not in it (overture explain --why) ==\n'
	@$(BIN)/overture explain opal $(HARBOR) --why CLAUDE.md
	@printf '\n== 4. What it costs, and what the tokens are spent on (overture context --by) ==\n'
	@$(BIN)/overture context opal --by file --by section --by pace $(HARBOR)
	@printf '\nSee it in the browser: .venv/bin/overture serve opal --cwd examples/harbor/services/berths --root examples/harbor --open\n'

# A browser for the tests that look at the page. Where none can be had, those tests say so and are passed over.
browser:
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null || \
	  { [ "$$(id -u)" = 0 ] && echo "Installing Chromium, to look at the page with …" && \
	    (apt-get update --quiet && apt-get install --yes --quiet chromium) > /dev/null 2>&1; } || \
	  echo "No Chromium, and none can be installed here: nobody looks at the page. Install the package chromium."

# The pictures of the page in docs/pictures, taken anew.
pictures: $(BIN)/.ready browser
	$(BIN)/python docs/make_terminal_pictures.py
	OVERTURE_PICTURES=1 $(BIN)/python -m pytest tests/browser/test_pictures.py -n 0

# Format, lint, types, import contracts, tests, docs examples.
test: $(BIN)/.ready
	@echo "Some three minutes: format, lint, types, imports, all tests, the examples of the docs. In a hurry: make quick"
	@$(MAKE) --no-print-directory browser
	@date +%s > $(BIN)/.began
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
# The types are checked beside the tests: mypy takes one core only, and tests wait now and then.
	@echo "$(BIN)/mypy & $(BIN)/python -m pytest"; $(BIN)/mypy > $(BIN)/.types 2>&1 & types=$$!; \
	  trap "kill $$types" INT TERM; $(BIN)/python -m pytest; tests=$$?; \
	  wait $$types; types=$$?; cat $(BIN)/.types; exit $$((tests + types))
	@echo "All is well, after $$(( $$(date +%s) - $$(cat $(BIN)/.began) )) seconds."

# `make test`, and the tests that are marked slow: each view in a browser, processes, all cases, ten times the examples.
everything: $(BIN)/.ready $(BIN)/.documents browser
	$(BIN)/python -m pytest -m ""

# The tests on each Python that we name, the oldest release of it that is here: those of Debian, pyenv and uv, and PYTHONS.
versions:
	$(PYTHON) -m tests.versions

# The contract of the integrations, with each framework at its lowest and its newest version; FRAMEWORKS names some.
integrations:
	$(PYTHON) -m tests.integrations.environments $(FRAMEWORKS)

# `overture batch` on real engines, each in an environment of its own: Ray, Daft, PySpark; ENGINES names some.
engines:
	$(PYTHON) -m tests.engines.environments $(ENGINES)

# For those who change a line: format, lint, imports, whole prompts, and the tests named after what is changed here.
quick: $(BIN)/.ready
	@date +%s > $(BIN)/.began
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python -m pytest $(QUICK) $$($(BIN)/python tests/affected.py)
	@echo "Well so far, after $$(( $$(date +%s) - $$(cat $(BIN)/.began) )) seconds; make test runs the rest."

# Write the format that `make test` checks.
format: $(BIN)/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The manual as a site, in build/site: open build/site/index.html, no server is needed. Warnings are errors.
# The reference and the pages of agents are made from the code, and are not kept.
docs: $(BIN)/.documents
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_agents.py
	$(BIN)/python docs/make_site.py

# The recorded conversation of `overture tap --demo`, written again.
demo-calls: $(BIN)/.ready
	$(BIN)/python docs/make_demo.py

# What users wait for, each row against something that ran in the same rounds.
# ROWS names topics (build session discovery commands page tap tap_calls batch audit large), BENCH has options (--json, --large, …).
bench: $(BIN)/.ready
	$(BIN)/python bench/bench.py $(ROWS) $(BENCH)

# The libraries that `make bench` compares with, in a folder of their own; what cannot be had is named.
PEERS := jinja2 banks langchain-core haystack-ai prompt-poet priomptipy claude-tap
bench-peers:
	$(PYTHON) -m venv .venv-peers
	@for name in $(PEERS); do .venv-peers/bin/python -m pip install --quiet --disable-pip-version-check $$name || \
	  echo "Not installed: $$name"; done
	@npm install --silent --prefix .venv-peers --no-audit --no-fund --ignore-scripts @earendil-works/pi-coding-agent || \
	  echo "Not installed: pi"

# Two results of `make bench BENCH="--json PATH"`: both figures of each row, and the change.
bench-compare: $(BIN)/.ready
	$(BIN)/python bench/report.py compare $(A) $(B)

# Many requests that fit the service's OpenAPI document, and many that do not: SERVE_EXAMPLES of each kind, others each time.
SERVE_EXAMPLES ?= 200
serve-check: $(BIN)/.ready
	SERVE_EXAMPLES=$(SERVE_EXAMPLES) HYPOTHESIS_PROFILE=search $(BIN)/python -m pytest tests/web/test_open_api.py

# How time and memory grow with hostile input; it fails where they grow faster than the input.
growth: $(BIN)/.ready
	$(BIN)/python bench/growth.py

# How well attacks are contained and harmless files left alone, family by family; docs/corpus.md has the table.
# With REPOSITORIES=FOLDER, how well references are judged in the checkouts in that folder; docs/check.md has the figures.
eval: $(BIN)/.ready
ifdef REPOSITORIES
	$(BIN)/python -m tests.corpus.evaluate_references $(REPOSITORIES) --out references.found.jsonl
else
	$(BIN)/python -m tests.corpus.evaluate
endif

# Which files real agents read, asked of the agents themselves: it fetches them into AGENTS_LAB, a folder outside the
# project, runs each without a network in marked trees, and fails where what it sends is not what tests/contract/agents/seen says.
agents: $(BIN)/.ready
	$(BIN)/python -m tests.agents.lab
	$(BIN)/python -m tests.agents.lab.through_tap
	$(BIN)/python -m tests.agents.lab.cached_calls

# Campaigns over every parser and law, FUZZ_SECONDS in all; with atheris where it can be had, else at random.
FUZZ_SECONDS ?= 600
fuzz: $(BIN)/.ready
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.fuzz.campaign $(FUZZ_SECONDS)

# Projects that are far too large: seconds, memory, and what is said. It needs two million inodes for a while.
stress: $(BIN)/.ready
	$(BIN)/python -m tests.stress

clean:
	rm -rf .venv .venv-* .mypy_cache .ruff_cache .pytest_cache .hypothesis
