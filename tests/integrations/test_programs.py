"""The programs of the how-to pages run as they are shown, with the real framework and without a key."""

import os
from pathlib import Path
from typing import Any

import pytest

from .conftest import FRAMEWORKS
from .contract import Step
from .programs import DOCS, read_files, run_program

CLAUDE = "claude_agent_sdk"
ANSWER = "12.50 euros"


def find_page(name: str) -> str:
    """The page of a framework."""
    return f"how-to/use-with-{name.replace('_', '-')}.md"


def test_every_framework_has_a_page_with_a_program() -> None:
    """The page is a whole program, and the table of all frameworks leads to it."""
    table = (DOCS / "integrations.md").read_text("utf-8")
    for name in FRAMEWORKS:
        assert f"with_{name}.py" in read_files(find_page(name))
        assert f"]({find_page(name)})" in table


@pytest.mark.parametrize("name", [name for name in FRAMEWORKS if name != CLAUDE])
def test_the_program_of_a_page_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints the model's answer, and its assertions hold."""
    pytest.importorskip(FRAMEWORKS[name])
    monkeypatch.setenv("HOME", str(tmp_path))
    made = run_program(find_page(name), f"with_{name}.py", tmp_path)
    assert made["session"].last_request is not None
    program = read_files(find_page(name))[f"with_{name}.py"]
    assert "\nassert " in program
    assert (ANSWER in capsys.readouterr().out) == (ANSWER in program)


def test_the_program_for_claude_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a server on loopback in the place of the provider, for which the page needs a key."""
    pytest.importorskip(FRAMEWORKS[CLAUDE])
    from .frameworks.anthropic_server import Answers, serve

    answers = Answers([Step(calls=(("read", {"path": "shop/prices.txt"}),)), Step(ANSWER)], "claude-opus-5")
    with serve(answers) as address:
        settings: dict[str, Any] = {
            "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none", "HOME": str(tmp_path),
            "CLAUDE_CONFIG_DIR": str(tmp_path), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "PATH": os.environ["PATH"],
        }  # fmt: skip
        for key, value in settings.items():
            monkeypatch.setenv(key, value)
        made = run_program(find_page(CLAUDE), f"with_{CLAUDE}.py", tmp_path)
    assert ANSWER in capsys.readouterr().out
    assert made["session"].usage.requests == 2
    assert "Files here have prices in cents." in str(answers.bodies[1]["messages"])
