"""What is copied is this very prompt, or makes it: to the byte."""

import io
import json
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import overture
from overture.providers import PROVIDERS
from tests.contract.cli.forked import run_overture

from .shown import Paged
from .test_sheet import text_of

pytestmark = pytest.mark.slow


TAB = "?tab=0123abcd"
WISHES: list[dict[str, Any]] = [
    {},
    {"budget": 250},
    {"set": {"task": {"id": "7", "title": "Mend 'the' roof\n$HOME"}, "channel": "telegram", "extra": {"a.b": [None]}}},
    {"tools_off": ["shell"], "skills_off": ["pdf"]},
    {"set": {"context_files": [{"path": "/p/A.md", "content": "Run “it”: `x` \\ $(x) END\n" * 200}]}},
]
CHOICES: list[dict[str, Any]] = [
    {"recipe": "opal"},
    {"recipe": "pi"},
    {"recipe": "nova"},
    {"recipe": "opal", "model": "gpt-5.4"},
    {"recipe": "opal"},
]


def copied(page: Paged, form: str, wishes: dict[str, Any], tab: str = "") -> str:
    answer = page.post(f"/page/copy{tab}", **wishes, **{"as": form})
    assert answer.status_code == 200, answer.text
    text: str = answer.json()["text"]
    return text


@pytest.mark.parametrize(("choice", "wishes"), list(zip(CHOICES, WISHES, strict=True)), ids=range(len(WISHES)))
def test_the_command_and_the_program_print_the_same_bytes(
    page: Paged, choice: dict[str, Any], wishes: dict[str, Any], tmp_path: Path
) -> None:
    """Run from anywhere, each prints the text of the sheet, whatever was chosen in the header."""
    assert page.post(f"/page/choose{TAB}", **choice).status_code == 200
    told = page.post(f"/page/play{TAB}", **wishes).json()
    command, program = copied(page, "command", wishes, TAB), copied(page, "python", wishes, TAB)
    text = text_of(told["sheet"]).encode() + b"\n"
    words, _, document = command.partition(" <<'END'\n")
    assert run_overture(shlex.split(words)[1:], document.removesuffix("END").encode(), tmp_path, {}).stdout == text
    assert words.startswith("overture build ")
    out = io.StringIO()
    with redirect_stdout(out):
        exec(program, {})
    assert out.getvalue().encode() == text


def test_a_shell_takes_the_command(page: Paged, tmp_path: Path) -> None:
    """Also where it is long, with quotes and signs in it."""
    command = copied(page, "command", WISHES[-1])
    here = command.replace("overture", f"{shlex.quote(sys.executable)} -m overture", 1)
    done = subprocess.run(["bash", "-c", here], capture_output=True, check=True, cwd=tmp_path)
    assert done.stdout.decode() == copied(page, "text", WISHES[-1]) + "\n"


def test_the_text(page: Paged) -> None:
    """The prompt and nothing else."""
    assert copied(page, "text", {"budget": 300}) == text_of(page.post("/page/play", budget=300).json()["sheet"])


def test_the_json_is_that_of_build(page: Paged) -> None:
    """All that is known of the prompt."""
    told = json.loads(copied(page, "json", {}))
    assert (told["recipe"], told["text"]) == ("opal", copied(page, "text", {}))


@pytest.mark.parametrize("form", PROVIDERS)
def test_a_providers_request_is_that_of_render(page: Paged, form: str) -> None:
    """The body as `render` gives it."""
    state = overture.State.from_dict(page.get("/page/state")["state"])
    body = overture.render(form, overture.build("opal", state), tools=True)
    assert json.loads(copied(page, form, {})) == json.loads(json.dumps(body))


def test_a_form_that_is_not_known(page: Paged) -> None:
    """422 at `as`."""
    answer = page.post("/page/copy", **{"as": "fax"})
    assert (answer.status_code, answer.json()["path"]) == (422, "as")
