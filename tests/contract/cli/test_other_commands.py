"""`overture recipes`, `schema`, `state`, `--version` and `--help`, run as people run them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from .run import assert_refused, read_stdout, run


def test_version_and_help() -> None:
    """`--version` prints the version alone; `--help` names every command with a line each."""
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\n", read_stdout("--version"))
    out = read_stdout("--help")
    for command in ("build", "explain", "check", "recipes", "state", "diff", "config", "schema"):
        assert re.search(rf"^  {command} +\S", out, re.MULTILINE)
    assert read_stdout("-h") == out


@pytest.mark.slow(unless=("build", "diff"))
@pytest.mark.parametrize("command", ["build", "explain", "check", "recipes", "state", "diff", "config", "schema"])
def test_every_command_has_help(command: str) -> None:
    """Each command explains itself and its options, in any locale."""
    out = read_stdout(command, "--help")
    assert out.startswith(f"Usage: overture {command} ")
    assert run(command, "--help", PYTHONIOENCODING="ascii").returncode == 0


@pytest.mark.parametrize("command", ["build", "explain", "state"])
def test_the_shared_options_are_on_every_command_that_builds(command: str) -> None:
    """The options of the contract are there on all that build."""
    out = read_stdout(command, "--help")
    for option in ("--cwd", "--home", "--root", "--state", "--no-discover", "--set", "--tools", "--now"):
        assert option in out


def test_without_a_command_it_says_what_is_here() -> None:
    """`overture` alone looks around; the help is what --help gives."""
    assert run().stdout.startswith("agent  ") and "AGENTS.md" in run().stdout
    assert read_stdout("--help").startswith("Usage: overture")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["bulid"], ["`bulid`", "exists: `build`"]),
        (["--versoin"], ["--versoin", "--version"]),
        (["recipes", "oppal"], ["`oppal`", "exists: `opal`"]),
        (["schema", "prom"], ["`prom`", "exists: `prompt`", "`overture schema --list`"]),
        (["context", "--model", "nope"], ["`nope`", "Known models: ", "more"]),
        (["schema", "state", "prompt"], ["prompt"]),
        (["state", "oppal"], ["`oppal`", "exists: `opal`"]),
        (["explain", "oppal"], ["`oppal`", "exists: `opal`"]),
        (["config", "oppal"], ["`oppal`", "exists: `opal`"]),
    ],
)
def test_bad_usage_is_one_clear_line(words: list[str], told: list[str]) -> None:
    """A misspelt command, option, recipe or kind ends with exit code 2 and one line that names it."""
    assert_refused(run(*words), *told)


def test_recipes_lists_them_all() -> None:
    """Under headings each recipe of ours is on a line of its own with what it is, and agents are named; so in JSON."""
    lines = read_stdout("recipes").splitlines()
    data = json.loads(read_stdout("recipes", "--json"))
    names = [recipe["name"] for recipe in data]
    assert {"opal", "pi"} <= set(names)
    assert lines[0].split() == ["recipe", "sections", "about"]
    ours = [recipe["name"] for recipe in data if not recipe["agent"]]
    assert [line.split()[0] for line in lines[1 : len(ours) + 1]] == ours
    assert lines[-1].split(", ") == [name for name in names if name not in ours]
    assert all(recipe["about"] for recipe in data)


def test_a_recipe_is_shown_with_its_sections_inputs_rules_and_files() -> None:
    """`recipes opal` names every section with how often it changes and its inputs, its files and its tools."""
    out = read_stdout("recipes", "opal")
    rows = {line.split()[0]: line for line in out.splitlines() if line.split()}
    assert rows["planning"].split()[1:5] == ["per", "session", "session,", "runtime"]
    assert rows["identity"].split()[1:3] == ["never", "agent"]
    for text in (".opal/AGENTS.md", ".github/skills/*/SKILL.md", "~/.opal/skills", "read_file"):
        assert text in out
    data = json.loads(read_stdout("recipes", "opal", "--json"))
    assert [section["name"] for section in data["sections"]] == [
        "identity", "project-context", "skills", "environment", "tool-guidelines", "planning",
    ]  # fmt: skip
    assert data["sections"][1]["reads"] == ["context_files"]
    assert len(next(s for s in data["sections"] if s["name"] == "tool-guidelines")["rules"]) == 6


def test_pi_shows_where_its_overrides_lie() -> None:
    """`recipes pi` names SYSTEM.md with both of its places and the setting of its folder."""
    out = read_stdout("recipes", "pi")
    assert "SYSTEM.md" in out
    assert "agent/SYSTEM.md" in out
    assert "recipes.pi.folder" in out


def test_a_recipe_is_shown_with_what_its_clock_follows() -> None:
    """`recipes pi` says that its clock only changes with a rebuild; that of nova follows each turn."""
    assert "its clock only changes with a rebuild" in read_stdout("recipes", "pi")
    assert "clock only changes" not in read_stdout("recipes", "nova")
    assert [json.loads(read_stdout("recipes", name, "--json"))["clock"] for name in ("pi", "nova")] == [
        "rebuild",
        "turn",
    ]


def test_a_recipe_is_shown_with_whether_nested_files_are_delivered() -> None:
    """`recipes house` says that a session delivers project files below cwd; pi and opal do not."""
    told_by = {name: "below cwd" in read_stdout("recipes", name) for name in ("house", "moltis", "pi", "opal")}
    assert told_by == {"house": True, "moltis": True, "pi": False, "opal": False}


def required(schema: dict[str, Any], data: Any, path: str = "$") -> list[str]:
    """A small hand check: required keys, known keys and basic types, by the schema's own words."""
    if "$ref" in schema:
        raise AssertionError("resolve references first")
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
    kind = schema.get("type")
    if isinstance(kind, str) and kind in kinds and not isinstance(data, kinds[kind]):
        return [f"{path}: {type(data).__name__} is no {kind}"]
    return [f"{path}.{key} is missing" for key in schema.get("required", []) if key not in data]


def check(schema: dict[str, Any], root: dict[str, Any], data: Any, path: str = "$") -> list[str]:
    """What in `data` does not fit the schema, as far as the hand check goes."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        tried = [check(choice, root, data, path) for choice in schema["anyOf"]]
        return min(tried, key=len)
    wrong = required(schema, data, path)
    if wrong:
        return wrong
    if "enum" in schema and data not in schema["enum"]:
        return [f"{path}: {data!r} is not one of {schema['enum']}"]
    if isinstance(data, dict) and "properties" in schema:
        known = schema["properties"]
        if schema.get("additionalProperties") is False:
            wrong += [f"{path}.{key} is unknown" for key in data if key not in known]
        return wrong + [w for key in data if key in known for w in check(known[key], root, data[key], f"{path}.{key}")]
    if isinstance(data, list) and isinstance(schema.get("items"), dict):
        return [w for i, item in enumerate(data) for w in check(schema["items"], root, item, f"{path}[{i}]")]
    return []


STATE: dict[str, Any] = {
    "agent": {"name": "Ada", "capabilities": ["files"]},
    "tools": [{"name": "read_file", "parameters": {"type": "object"}}, {"name": "shell"}],
    "context_files": [{"path": "/p/AGENTS.md", "content": "</skills>"}],
    "skills": [{"name": "s", "description": "d", "location": "/s"}],
    "runtime": {"cwd": "/p"},
    "now": "2026-03-07T08:55:05-06:00",
    "session": {"id": "s"},
    "extra": {"anything": 1},
}
UNREAD = (
    "warning: `agent.name` is set, but recipe 'opal' does not use it: it is not in the prompt. "
    "Recipes that use it: moltis, house\n"
    "warning: `agent.capabilities` is set, but recipe 'opal' does not use it: it is not in the prompt. "
    "Recipes that use it: nova, house\n"
)
CHANGED = (
    "warning: /p/AGENTS.md: line 1, column 1: text that looks like a tag of this prompt: its `<` is written as `&lt;`\n"
    "warning: the skill menu names `use_skill`, which is not an active tool\n"
)
"""What a command says of that state: fields that opal does not read; of a prompt also what is wrong in it."""


def test_a_state_and_a_prompt_fit_their_schemas(tmp_path: Path) -> None:
    """What `state` and `build --format json` print fits the schemas that `schema` prints."""
    file = tmp_path / "state.json"
    file.write_text(json.dumps(STATE), encoding="utf-8")
    state_schema, prompt_schema = (
        json.loads(read_stdout("schema", "state")),
        json.loads(read_stdout("schema", "prompt")),
    )
    state = run("state", "opal", "--no-discover", "--state", file)
    prompt = run("build", "opal", "--no-discover", "--state", file, "--format", "json")
    assert (state.returncode, state.stderr) == (0, "")
    assert (prompt.returncode, prompt.stderr) == (0, CHANGED)
    assert check(state_schema, state_schema, json.loads(state.stdout)) == []
    assert check(prompt_schema, prompt_schema, json.loads(prompt.stdout)) == []
    assert read_stdout("schema") == read_stdout("schema", "state")


def test_the_schema_refuses_what_the_program_refuses() -> None:
    """An unknown key, a wrong type and a missing key do not fit the schema of a state."""
    schema = json.loads(read_stdout("schema", "state"))
    assert check(schema, schema, {"tols": []}) == ["$.tols is unknown"]
    assert check(schema, schema, {"tools": [{"name": 3}]}) == ["$.tools[0].name: int is no string"]
    assert check(schema, schema, {"skills": [{"name": "a"}]}) != []


def test_every_key_of_the_contract_is_in_the_schema() -> None:
    """The schema of a state names each of the contract's keys and says what it means."""
    schema = json.loads(read_stdout("schema", "state"))
    keys = check_properties(schema)
    assert set(keys) >= {
        "agent", "user", "overrides", "context_files", "workspace_files", "skills", "tools", "native_tools", "runtime",
        "now", "session", "channel", "memories", "task", "background", "mission", "extra",
    }  # fmt: skip


def check_properties(schema: dict[str, Any]) -> dict[str, Any]:
    """The keys of the schema's outermost object."""
    found: dict[str, Any] = schema["$defs"][schema["$ref"].rpartition("/")[2]]["properties"]
    return found


def test_state_prints_what_it_was_given(tmp_path: Path) -> None:
    """`state --no-discover` prints the state that it was given, without what is at its default."""
    file = tmp_path / "state.json"
    file.write_text(json.dumps({**STATE, "memories": [], "native_tools": True}), encoding="utf-8")
    assert json.loads(read_stdout("state", "--no-discover", "--state", file)) == STATE


def test_state_shows_what_was_discovered(tmp_path: Path) -> None:
    """`state` prints files, tools, directory and clock as they were found."""
    (tmp_path / "AGENTS.md").write_text("\n\nUse tabs.\n", encoding="utf-8")
    words = ("--cwd", tmp_path, "--root", tmp_path, "--home", tmp_path, "--now", "2026-01-01T00:00:00Z")
    data = json.loads(read_stdout("state", "opal", *words))
    assert data["context_files"] == [{"path": f"{tmp_path}/AGENTS.md", "content": "Use tabs.", "line": 3}]
    assert data["runtime"]["cwd"] == str(tmp_path)
    assert data["now"] == "2026-01-01T00:00:00Z"
    assert "shell" in [tool["name"] for tool in data["tools"]]


@pytest.mark.parametrize("words", [["state", "--no-discover"], ["schema", "state"], ["recipes"], ["config"]])
def test_json_may_be_asked_for_everywhere(words: list[str]) -> None:
    """`--json` is taken by every command but build, even by those that print nothing else."""
    json.loads(read_stdout(*words, "--json"))
