"""What lies in examples/ is what its page says, and `make demo` shows it without a complaint."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import overture
from overture.model.prompt.prompt import Prompt
from overture.recipes import BUILTIN
from tests.contract.cli.run import run

ROOT = Path(__file__).parent.parent
HARBOR = ROOT / "examples/harbor"
BERTHS = HARBOR / "services/berths"
FILES = sorted(path for path in HARBOR.rglob("*") if path.is_file())


def built(recipe: str, cwd: Path = BERTHS) -> Prompt:
    """The prompt of the example, without anything of this machine's home or the folders above."""
    return overture.build(recipe, cwd=cwd, home=HARBOR / "home", root=HARBOR)


def demo() -> list[list[str]]:
    """The commands that `make demo` runs."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    given = dict(re.findall(r"^(\w+) :?= ?(.*)$", text, re.MULTILINE))
    lines = re.findall(r"^\t@\$\(BIN\)/overture (.*)$", text, re.MULTILINE)
    return [shlex.split(re.sub(r"\$\((\w+)\)", lambda m: given[m[1]], line)) for line in lines]


SHOWN = (
    "\n# Harbor\n",
    "\n  loaded             111  ../../AGENTS.md\n",
    "../../CLAUDE.md is not in the prompt of opal\ncause: Claude Code reads it; to add it: ",
    "\n  ../../AGENTS.md                                  453     111  ",
)
"""Of what the demo's commands print: the example's own text, and its files as seen from where it is built."""


@pytest.mark.parametrize(
    ("command", "words"), [*zip(demo(), SHOWN, strict=True)], ids=["build", "explain", "why", "by"]
)
def test_the_demo_runs_and_has_nothing_to_complain_of(command: list[str], words: str) -> None:
    """Each command of `make demo` prints something of the example, and nothing to standard error."""
    done = run(*command, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    assert words in done.stdout


@pytest.mark.parametrize("recipe", BUILTIN)
def test_every_recipe_says_the_example_without_an_error(recipe: str) -> None:
    """Whatever recipe a newcomer tries on the example, no file of it is broken."""
    prompt = built(recipe)
    assert prompt.text
    assert [note for note in prompt.diagnostics if note.level == "error"] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HARBOR)))
def test_every_file_is_readable_and_named_on_the_page(path: Path) -> None:
    """JSON and TOML parse, and examples/README.md has a row for each file or the folder that it lies in."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        json.loads(text)
    if path.suffix == ".toml":
        tomllib.loads(text)
    page = (ROOT / "examples/README.md").read_text(encoding="utf-8")
    inside = path.relative_to(HARBOR)
    named = [inside.as_posix(), *(f"{folder.as_posix()}/" for folder in inside.parents)]
    assert any(f"`{name}`" in page for name in named)
