"""`--tools` and tools in states and settings, as people give them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contract.cli.run import assert_refused, read_stdout, run
from tests.contract.providers.sendable import PROVIDERS

SCHEMA = {"type": "object", "properties": {}}
DEPLOY = {"name": "deploy", "promptSnippet": "Ship it", "promptGuidelines": ["Ask before you deploy"]}
BARE = ("--no-discover", "--set", "runtime.cwd=/p", "--now", "2026-03-07T08:55:05-06:00")


def written(folder: Path, data: Any, name: str = "tools.json") -> Path:
    """A JSON file."""
    path = folder / name
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize("how", ["--tools", "--state", "configuration"])
def test_pis_spelling_is_taken_everywhere(tmp_path: Path, how: str) -> None:
    """`promptSnippet` and `promptGuidelines` say their lines in pi's prompt, from a file, a state or the settings."""
    if how == "configuration":
        written(tmp_path, [DEPLOY])
        (tmp_path / "overture.toml").write_text('tools = "tools.json"')
        text = read_stdout("build", "pi", "--cwd", tmp_path, "--home", tmp_path)
    else:
        data: Any = [DEPLOY] if how == "--tools" else {"tools": [DEPLOY]}
        text = read_stdout("build", "pi", *BARE, how, written(tmp_path, data))
    assert "- deploy: Ship it\n" in text
    assert "- Ask before you deploy\n" in text


@pytest.mark.parametrize("how", ["--tools", "--state"])
def test_two_spellings_that_differ_are_refused(tmp_path: Path, how: str) -> None:
    """One line names both."""
    both = {**DEPLOY, "snippet": "Other"}
    data: Any = [both] if how == "--tools" else {"tools": [both]}
    result = run("build", "pi", *BARE, how, written(tmp_path, data))
    assert_refused(result, "'snippet' ('Other')", "'promptSnippet' ('Ship it')", "[0]")


@pytest.mark.parametrize("bad", [{}, {"name": ""}, {"name": None}, {"type": "function", "function": {"name": " "}}])
def test_a_tool_without_a_name_is_named_by_its_place(tmp_path: Path, bad: dict[str, Any]) -> None:
    """The error names the file and the place in it."""
    tools = [{"name": "a"}, {"name": "b"}, bad]
    path = written(tmp_path, tools)
    assert_refused(run("build", "pi", *BARE, "--tools", path), "error: `[2]", f"{path.name}\n", "name")
    if "function" not in bad:
        assert_refused(run("build", "pi", *BARE, "--state", written(tmp_path, {"tools": tools})), "tools[2]", "name")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_tool_without_a_schema_is_named_where_it_is_sent(tmp_path: Path, provider: str) -> None:
    """The request holds it, a warning names it; where nothing is sent, nothing is said."""
    path = written(tmp_path, [{"name": "ping"}, {"name": "pong", "parameters": SCHEMA}])
    result = run("build", "pi", *BARE, "--tools", path, "--format", provider)
    assert result.stderr == (
        "warning: tool 'ping' has no schema: it is sent as a tool without arguments; add `parameters`\n"
    )
    assert '"ping"' in result.stdout
    assert run("build", "pi", *BARE, "--tools", path, "--format", provider, "--strict").returncode == 1
    assert run("build", "pi", *BARE, "--tools", path).stderr == ""
