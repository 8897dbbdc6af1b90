"""`--tools` and tools in states and settings, as people give them."""

import json
from pathlib import Path
from typing import Any

import pytest

from overture.recipes import BUILTIN
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


def test_keys_of_another_form_are_named(tmp_path: Path) -> None:
    """A line for each tool on standard error; with --strict that is reason enough to fail."""
    tools = [
        {"name": "a", "inputSchema": SCHEMA, "title": "A", "annotations": {}},
        {"name": "b", "inputSchema": SCHEMA},
        {"type": "function", "function": {"name": "c", "parameters": SCHEMA}, "cache_control": {"type": "ephemeral"}},
    ]
    result = run("build", "pi", *BARE, "--tools", written(tmp_path, tools), "--strict")
    first, second = result.stderr.splitlines()
    assert first.startswith(
        "warning: tools[0]: 'a' has keys of another format, which are stored but not sent: title, annotations;"
    )
    assert second.startswith(
        "warning: tools[2]: 'c' has keys of another format, which are stored but not sent: cache_control;"
    )
    assert result.returncode == 1


def test_kept_keys_are_in_the_state(tmp_path: Path) -> None:
    """`overture state` writes them down, and `--state` names them again."""
    path = written(tmp_path, [{"name": "a", "inputSchema": SCHEMA, "title": "A"}])
    state = run("state", "pi", *BARE, "--tools", path).stdout
    assert json.loads(state)["tools"] == [{"name": "a", "parameters": SCHEMA, "foreign": {"title": "A"}}]
    again = run("build", "pi", *BARE, "--state", written(tmp_path, json.loads(state), "state.json"))
    assert "not sent: title;" in again.stderr


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


@pytest.mark.slow(unless=("anthropic",))
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_requests_of_the_recipes_have_schemas(tmp_path: Path, provider: str) -> None:
    """What `build --format` prints for a recipe's default tools says what they take, without a warning."""
    for recipe in ("opal", "pi", "moltis", "house"):
        result = run("build", recipe, "--cwd", tmp_path, "--home", tmp_path, "--format", provider)
        assert result.stderr == ""
        assert '"properties": {}' not in result.stdout
        assert '"required": [' in result.stdout
    assert set(BUILTIN) == {"opal", "pi", "moltis", "house", "nova", "ptc"}


def test_a_page_of_a_list_is_refused(tmp_path: Path) -> None:
    """The other pages would be missing."""
    path = written(tmp_path, {"tools": [{"name": "a"}], "nextCursor": "c"})
    assert_refused(run("build", "pi", *BARE, "--tools", path), f"{path.name}\n", "nextCursor", "Fetch every page")
