"""`overture mcp`: the official client asks, over a process's standard streams and in memory."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from overture.mcp.server import MAX_RESULT_CHARS, make_server, shorten_data
from overture.mcp.tool_calls import TOOL_CALLS

HARBOR = Path(__file__).parents[2] / "examples" / "harbor"
COMMANDS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "agents": ({"agents": ["codex"]}, ("agents", "codex", "--json")),
    "why": ({"path": "handover", "agents": ["claude-code"]}, ("agents", "claude-code", "--why", "handover", "--json")),
    "check": ({"recipe": "pi"}, ("check", "pi", "--json")),
    "context": ({"model": "gpt-5.4"}, ("context", "--model", "gpt-5.4", "--json")),
    "diff": ({"before": "ptc", "after": "opal"}, ("diff", "ptc", "opal", "--json")),
    "build": ({"recipe": "opal"}, ("build", "opal", "--format", "json")),
}
"""A tool -> arguments, and the command that prints the same."""


def ask(folder: Path, talk: Callable[[Client], Awaitable[Any]], *, mode: str = "auto", process: bool = False) -> Any:
    """What a conversation with the server of a folder gives."""
    words = ["-m", "overture", "mcp"]
    environment = {name: value for name, value in os.environ.items() if name.startswith(("HOME", "OVERTURE_"))}
    there = StdioServerParameters(command=sys.executable, args=words, cwd=folder, env=environment)

    async def run() -> Any:
        async with Client(stdio_client(there) if process else make_server(str(folder.resolve())), mode=mode) as client:
            return await talk(client)

    return anyio.run(run)


def call(folder: Path, name: str, arguments: dict[str, Any], **how: Any) -> CallToolResult:
    """The result of one call."""
    result = ask(folder, lambda client: client.call_tool(name, arguments), **how)
    assert isinstance(result, CallToolResult)
    return result


def text_of(result: CallToolResult) -> str:
    """The first text of a result."""
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def without_time(data: Any) -> Any:
    """A result without the digest of the time at which it was made."""
    return {**data, "inputs": {**data["inputs"], "now": ""}} if isinstance(data.get("inputs"), dict) else data


@pytest.mark.slow
def test_each_tool_gives_the_json_of_its_command() -> None:
    """Over standard streams, structured content equals what the command prints; the client holds it to its schema."""

    async def talk(client: Client) -> tuple[list[str], dict[str, CallToolResult]]:
        tools = (await client.list_tools()).tools
        assert all(tool.output_schema and tool.annotations and tool.annotations.read_only_hint for tool in tools)
        return [t.name for t in tools], {n: await client.call_tool(n, words) for n, (words, _) in COMMANDS.items()}

    names, results = ask(HARBOR, talk, process=True)
    assert names == list(COMMANDS) == list(TOOL_CALLS)
    for name, (_, words) in COMMANDS.items():
        printed = subprocess.run(
            [sys.executable, "-m", "overture", *words], cwd=HARBOR, capture_output=True, text=True, check=False
        ).stdout
        data = results[name].structured_content
        assert not results[name].is_error and json.loads(text_of(results[name])) == data
        assert without_time(data) == without_time(json.loads(printed)), name


@pytest.mark.slow
def test_answers_are_fresh(tmp_path: Path) -> None:
    """A file that is edited between two calls is read again; older clients get the same."""
    (tmp_path / "AGENTS.md").write_text("One.\n")

    async def talk(client: Client) -> list[str]:
        texts = []
        for line in ("One.\n", "Two, and more.\n"):
            (tmp_path / "AGENTS.md").write_text(line)
            result = await client.call_tool("build", {"recipe": "opal"})
            assert result.structured_content is not None
            texts.append(result.structured_content["text"])
        return texts

    first, second = ask(tmp_path, talk, mode="legacy")
    assert "One." in first and "Two, and more." in second and "One." not in second


def test_recipes_are_prompts(tmp_path: Path) -> None:
    """The recipes of the folder, also those that its configuration defines; getting one builds it there."""
    (tmp_path / "overture.toml").write_text('[recipes.mine]\nextends = "house"\nabout = "Ours."\n')
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "AGENTS.md").write_text("Only below.\n")

    async def talk(client: Client) -> tuple[list[str], str]:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        given = await client.get_prompt("mine", {"cwd": "below"})
        with pytest.raises(MCPError, match="No recipe named"):
            await client.get_prompt("nope")
        content = given.messages[0].content
        assert isinstance(content, TextContent)
        return names, content.text

    names, text = ask(tmp_path, talk)
    assert {"mine", "house", "pi"} <= set(names) and "codex" not in names
    assert "Only below." in text


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("build", {"recipe": "houze"}, "a similar recipe exists: `house`"),
        ("build", {"recipe": "--help"}, "No recipe named `--help`"),
        ("build", {"budget": 0}, "must be at least 1"),
        ("build", {"colour": "red"}, "unknown key 'colour'"),
        ("agents", {"agents": ["diff"]}, "'diff' is not known"),
        ("agents", {"agents": "codex"}, "agents: expected a list"),
        ("why", {}, "the key 'path' is missing"),
        ("why", {"path": "a\0b"}, "can't be run"),
        ("why", {"path": "a", "agents": ["codex"], "recipe": "pi"}, "be combined"),
        ("wye", {}, "Did you mean 'why'?"),
        ("check", {"cwd": ".."}, "is outside"),
        ("check", {"cwd": "/"}, "is outside"),
        ("check", {"cwd": "link"}, "is outside"),
        ("check", {"cwd": "nowhere"}, "is not a folder"),
        ("build", {"recipe": "../other.toml"}, "is outside"),
        ("diff", {"before": "/etc/hostname", "after": "pi"}, "is outside"),
        ("diff", {"before": "link/x.json", "after": "pi"}, "is outside"),
        ("agents", {"touching": ["../x.py"]}, "is outside"),
    ],
)
def test_what_does_not_fit_is_told(tmp_path: Path, name: str, arguments: dict[str, Any], words: str) -> None:
    """An error is a text for the model, without a traceback; nothing outside the folder can be named."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path)
    result = call(tmp_path / "in", name, arguments)
    assert result.is_error and words in text_of(result) and "Traceback" not in text_of(result)


def test_a_broken_configuration_is_told(tmp_path: Path) -> None:
    """What the command says on standard error is the text, with file and line."""
    (tmp_path / "overture.toml").write_text("recipe = [\n")
    result = call(tmp_path, "context", {})
    assert result.is_error and "overture.toml" in text_of(result)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Asked why a skill is not loaded that does not exist, the answer says so first."""
    result = call(tmp_path, "why", {"path": "no-such-skill", "agents": ["codex"]})
    assert not result.is_error and text_of(result) == "No file or skill with that name here."


@pytest.mark.slow
def test_a_big_result_is_bounded(tmp_path: Path) -> None:
    """What is longer than clients take is shortened, says how to get more, and still fits its schema."""
    (tmp_path / "AGENTS.md").write_text("word " * 40_000)
    result = call(tmp_path, "build", {"recipe": "opal"})
    assert "Pass a number of tokens in `budget`" in text_of(result)
    assert len(json.dumps(result.structured_content)) < 2 * MAX_RESULT_CHARS
    data, short = shorten_data({"files": [{"path": "p" * 90, "why": "w" * 90}] * 5000, "n": 1})
    assert short and 0 < len(data["files"]) < 5000 and data["n"] == 1


def test_no_module_of_the_folder_is_run(tmp_path: Path) -> None:
    """A project that holds modules of our names, or of Python's, runs none of them."""
    for name in ("overture", "json", "click"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')\nraise SystemExit(3)\n")
    assert not call(tmp_path, "agents", {"agents": ["codex"]}).is_error
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_the_server_ends_with_its_input(tmp_path: Path) -> None:
    """Standard input that ends ends the server, and it has printed nothing but the protocol."""
    done = subprocess.run(
        [sys.executable, "-m", "overture", "mcp"], input=b"", cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_without_the_package_it_says_what_to_install(tmp_path: Path) -> None:
    """`overture mcp` needs an extra, and names it."""
    missing = "import sys; sys.modules['mcp'] = None; sys.argv = ['overture', 'mcp']\n"
    code = f"{missing}from overture.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "pip install 'overture[mcp]'" in done.stderr and "Traceback" not in done.stderr
