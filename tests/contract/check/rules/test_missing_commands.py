"""Commands that a page names and the project does not define."""

import json

import pytest

from ..look import findings, places

SCRIPTS = json.dumps({"scripts": {"build": "x", "test": "x", "test:unit": "x"}})
WEB = json.dumps({"scripts": {"lint": "x"}})
MAKE = ".PHONY: all clean\nVERSION := 1\nall: build\n\nbuild test:\n\t@echo x:y\n\nimage-%:\n\tx\n"
JUST = "set shell := ['bash']\nalias b := build\n\n[private]\nbuild target='x': test\n  run\n\ntest *args:\n  run\n"
RUNNERS = {
    "package.json": SCRIPTS,
    "packages/web/package.json": WEB,
    "Makefile": MAKE,
    "justfile": JUST,
}


@pytest.mark.parametrize(
    "command",
    [
        "npm run biuld",
        "npm run lnt --workspace=packages/web",
        "npm start",
        "pnpm run deploy",
        "pnpm --filter web run deploy",
        "pnpm deploy:all",
        "yarn test:e2e",
        "yarn workspace web test:e2e",
        "bun run test:e2e",
        "make deploy",
        "make -C sub deploy",
        "cd sub && make deploy",
        "VERSION=2 make build deploy -j4",
        "just deploy",
    ],
)
def test_a_command_that_is_not_defined_is_found(command: str) -> None:
    """In backticks as in a block for the shell, at its line, as a warning."""
    for text, line in ((f"# A\n\nRun `{command}` first.\n", 3), (f"# A\n\n```bash\n$ {command}  # now\n```\n", 4)):
        [found] = findings("missing-command", {**RUNNERS, "AGENTS.md": text})
        assert (found.line, found.severity) == (line, "warning"), found


def test_the_nearest_name_is_offered() -> None:
    """Most are misspelt or renamed."""
    [found] = findings("missing-command", {**RUNNERS, "AGENTS.md": "Run `npm run biuld`."})
    assert "'build'" in found.message and found.column == 6


@pytest.mark.parametrize(
    "text",
    [
        "Run `npm run build`, `npm test`, `npm run lint`, `pnpm --filter web lint`, `yarn test:unit`.",
        "Run `npm install`, `npm ci`, `pnpm vitest`, `yarn biome check`, `bun run index.ts`, `npx foo`.",
        "Run `make`, `make all`, `make -j4 build test`, `make clean X=1`, `make image-web`.",
        "Run `just`, `just b`, `just build web`, `just test --all deploy`.",
        "Run `task deploy`, `mise run deploy`, `cargo test -p cores`, `tox -e deploy`.",
        "Run `npm run <script>`, `make $TARGET`, `npm run test:*`, `just {{recipe}}`.",
        "There is no `make deploy`. Never run `npm run deploy`.",
        "For example `make deploy`.",
        "```python\nmake deploy\n```",
        "```bash\necho make deploy\n# make deploy\n```",
        "Please make sure that it works, and just deploy it.",
    ],
)
def test_what_is_defined_or_can_not_be_known_is_not_found(text: str) -> None:
    """Scripts of any package, patterns, programs, stand-ins, what is denied, and English."""
    assert not places("missing-command", {**RUNNERS, "AGENTS.md": f"# A\n\n{text}\n"})


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("make deploy", {}),
        ("npm run deploy", {"Makefile": MAKE}),
        ("make deploy", {"Makefile": "include $(wildcard *.inc)\nall:\n"}),
        ("make deploy", {"Makefile": "$(TARGETS): x\n\ty\n$(foreach x,a b,$(eval $(call rule,$(x))))\n"}),
        ("just deploy", {"justfile": "mod sub\nbuild:\n  x\n"}),
        ("npm run deploy", {"package.json": "{ broken"}),
    ],
)
def test_where_names_can_not_be_known_nothing_is_said(command: str, files: dict[str, str]) -> None:
    """No such runner here, names that are computed or included, a file that can't be read."""
    assert not places("missing-command", {**files, "AGENTS.md": f"Run `{command}`."})
