import json
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import ConfigError, OvertureError
from overture.discovery.configuration.config import Config, load_config
from overture.discovery.place import Location
from overture.discovery.world import World
from overture.session.configured_servers import read_servers_file
from overture.testing import FakeWorld
from tests.contract.discovery.disk import find, names, put, put_skill, texts

USER = "home/.config/overture/overture.toml"
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
FORMS: dict[str, Any] = {
    "ours": [{"name": "look", "description": "Looks.", "parameters": SCHEMA}],
    "openai nested": [
        {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA}}
    ],
    "openai flat": [{"type": "function", "name": "look", "description": "Looks.", "parameters": SCHEMA}],
    "anthropic": [{"name": "look", "description": "Looks.", "input_schema": SCHEMA}],
    "mcp": {"tools": [{"name": "look", "description": "Looks.", "inputSchema": SCHEMA}]},
    "mcp with its envelope": {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"tools": [{"name": "look", "description": "Looks.", "inputSchema": SCHEMA}]},
    },
}


def load(top: Path, cwd: str = "p", given: dict[str, Any] | None = None) -> Config:
    """The configuration that counts in `top`/p."""
    (top / cwd).mkdir(parents=True, exist_ok=True)
    return load_config(Location(World(), str(top / cwd), str(top / "home"), config=given or {}))


def counts(config: Config, key: str) -> tuple[Any, str]:
    """The value that counts, and where it is from."""
    found = config.get(key)
    return found.value, found.origin


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    """The nearest overture.toml upward counts, and those above it do not."""
    put(tmp_path / "overture.toml", 'recipe = "opal"\nfeatures.skills.enabled = false\n')
    near = put(tmp_path / "a/overture.toml", 'recipe = "pi"\n')
    config = load(tmp_path, "a/b/c")
    assert counts(config, "recipe") == ("pi", str(near))
    assert counts(config, "features.skills.enabled") == (True, "default")


def test_a_table_in_pyproject_counts(tmp_path: Path) -> None:
    """[tool.overture] in pyproject.toml is a configuration."""
    path = put(tmp_path / "pyproject.toml", '[tool.overture]\nrecipe = "pi"\nfeatures.skills.enabled = false\n')
    config = load(tmp_path)
    assert counts(config, "recipe") == ("pi", str(path))
    assert counts(config, "features.skills.enabled") == (False, str(path))


def test_the_five_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Command line before environment before project file before user file before default, key by key."""
    key = "features.context.filenames"
    assert counts(load(tmp_path), key) == (None, "default")
    user = put(tmp_path / USER, 'features.context.filenames = ["USER.md"]\nfeatures.skills.enabled = false\n')
    assert counts(load(tmp_path), key) == (("USER.md",), str(user))
    project = put(tmp_path / "overture.toml", 'features.context.filenames = ["PROJECT.md"]\n')
    assert counts(load(tmp_path), key) == (("PROJECT.md",), str(project))
    monkeypatch.setenv("OVERTURE_FEATURES_CONTEXT_FILENAMES", "ENV.md, OTHER.md")
    assert counts(load(tmp_path), key) == (("ENV.md", "OTHER.md"), "OVERTURE_FEATURES_CONTEXT_FILENAMES")
    assert counts(load(tmp_path, given={key: ["GIVEN.md"]}), key) == (("GIVEN.md",), "command line")
    assert counts(load(tmp_path), "features.skills.enabled") == (False, str(user))


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("OVERTURE_RECIPE", "pi", "recipe", "pi"),
        ("OVERTURE_FEATURES_SKILLS_ENABLED", "false", "features.skills.enabled", False),
        ("OVERTURE_FEATURES_SKILLS_ENABLED", "0", "features.skills.enabled", False),
        ("OVERTURE_FEATURES_SKILLS_ENABLED", "ON", "features.skills.enabled", True),
        ("OVERTURE_FEATURES_CONTEXT_ENABLED", "false", "features.context.enabled", False),
        ("OVERTURE_FEATURES_CONTEXT_NESTED", "true", "features.context.nested", True),
        ("OVERTURE_FEATURES_CONTEXT_NESTED", "off", "features.context.nested", False),
        ("OVERTURE_FEATURES_CONTEXT_NESTED", "1", "features.context.nested", True),
        ("OVERTURE_FEATURES_CONTEXT_NESTED", "null", "features.context.nested", None),
        ("OVERTURE_TOOLS", "read,bash", "tools", ("read", "bash")),
        ("OVERTURE_TOOLS", '["read", "bash"]', "tools", ("read", "bash")),
        ("OVERTURE_FEATURES_SKILLS_EXTRA_DIRS", "/x", "features.skills.extra_dirs", ("/x",)),
        ("OVERTURE_FEATURES_SKILLS_EXTRA_DIRS", "~/x,/y", "features.skills.extra_dirs", ("{home}/x", "/y")),
    ],
)
def test_every_key_has_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, key: str, value: object
) -> None:
    """Each key can be given as an OVERTURE_ variable, in its own type."""
    monkeypatch.setenv(name, text)
    if isinstance(value, tuple):
        value = tuple(item.replace("{home}", f"{tmp_path}/home") for item in value)
    assert counts(load(tmp_path), key) == (value, name)


def test_a_table_for_one_recipe(tmp_path: Path) -> None:
    """A table of one recipe counts for that recipe alone, before the general one of the same file."""
    put_skill(tmp_path / "p/.agents/skills/a")
    put(
        tmp_path / "p/overture.toml",
        "features.skills.enabled = false\n[recipes.pi.features.skills]\nenabled = true\n"
        '[recipes.opal]\ntools = ["shell"]\n',
    )
    assert names(find(tmp_path, "pi")) == ["a"]
    assert names(find(tmp_path, "opal")) == []
    assert [tool.name for tool in find(tmp_path, "opal").state.tools] == ["shell"]
    assert len(find(tmp_path, "pi").state.tools) == 4


def test_the_project_wins_over_the_users_table(tmp_path: Path) -> None:
    """A project's value wins over the table for the recipe in the user's file."""
    put_skill(tmp_path / "p/.agents/skills/a")
    put(tmp_path / USER, "[recipes.pi.features.skills]\nenabled = true\n")
    put(tmp_path / "p/overture.toml", "features.skills.enabled = false\n")
    assert names(find(tmp_path, "pi")) == []


@pytest.mark.parametrize("table", ["", "recipes.opal."])
def test_relative_paths_begin_at_their_file(tmp_path: Path, table: str) -> None:
    """Paths in a file are relative to its folder, `~` is home; in a recipe's table as elsewhere."""
    put_skill(tmp_path / "shared/one")
    put_skill(tmp_path / "home/more/two")
    put(tmp_path / "overture.toml", f'{table}features.skills.extra_dirs = ["./shared", "~/more"]\n')
    found = find(tmp_path)
    assert names(found) == ["one", "two"]


@pytest.mark.parametrize("form", FORMS)
def test_tools_in_every_form(tmp_path: Path, form: str) -> None:
    """A tools file may be in any of the forms; each gives the same tool."""
    path = put(tmp_path / "p/tools.json", json.dumps(FORMS[form]))
    put(tmp_path / "p/overture.toml", f'tools = "{path}"\n')
    [tool] = find(tmp_path).state.tools
    assert (tool.name, tool.description, tool.parameters) == ("look", "Looks.", SCHEMA)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "can't be read: no such file or directory"),
        ("{", "invalid JSON"),
        ('"text"', "Tools must be a list of objects"),
        ("[3]", "[0]: expected an object that describes a tool, got 3"),
        ('[{"name": 3}]', "[0].name"),
        ('[{"description": "D."}]', "name"),
    ],
)
def test_a_bad_tools_file_is_an_error(tmp_path: Path, text: str | None, said: str) -> None:
    """A tools file that can't be used is an error that names the file and the place in it."""
    path = tmp_path / "tools.json"
    if text is not None:
        put(path, text)
    with pytest.raises(OvertureError) as caught:
        find(tmp_path, config={"tools": str(path)})
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)


@pytest.mark.parametrize("file", ["overture.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    ("text", "key", "near"),
    [
        ("recipee = 'pi'", "recipee", "recipe"),
        ("[features.skills]\nenable = false", "features.skills.enable", "features.skills.enabled"),
        ("[colour]\nred = 1", "colour", None),
    ],
)
def test_an_unknown_key_is_an_error(tmp_path: Path, file: str, text: str, key: str, near: str | None) -> None:
    """An unknown key is an error that names file, key and, where there is one, the nearest."""
    if file == "pyproject.toml":
        text = text.replace("[", "[tool.overture.") if text.startswith("[") else f"[tool.overture]\n{text}"
    path = put(tmp_path / "p" / file, text)
    with pytest.raises(ConfigError) as caught:
        find(tmp_path)
    hint = f" Did you mean {near!r}?" if near else ""
    assert str(caught.value) == f"{path}: unknown setting {key!r}.{hint}"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("recipe = 3", "recipe"),
        ('features.skills.enabled = "no"', "features.skills.enabled"),
        ("features.skills.enabled = 0", "features.skills.enabled"),
        ('features.context.nested = "yes"', "features.context.nested"),
        ("features.context.nested = 1", "features.context.nested"),
        ('features.context.filenames = "AGENTS.md"', "features.context.filenames"),
        ("features.context.filenames = [1]", "features.context.filenames"),
        ("tools = [1]", "tools"),
        ("[features.skills.enabled]\nx = 1", "features.skills.enabled"),
        ('recipes.opal.features.skills.enabled = "no"', "recipes.opal.features.skills.enabled"),
        ('recipes.opal.features.context.filenames = "AGENTS.md"', "recipes.opal.features.context.filenames"),
        ("recipes.opal.tools = 3", "recipes.opal.tools"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error(tmp_path: Path, text: str, key: str) -> None:
    """A value of the wrong type is an error that names file and key, in a recipe's table too."""
    path = put(tmp_path / "p/overture.toml", text)
    with pytest.raises(ConfigError) as caught:
        find(tmp_path)
    assert str(caught.value).startswith(f"{path}: {key}: ")


@pytest.mark.parametrize("name", ["../secret.md", "a/../../secret.md", "/etc/passwd", "~/secret.md", ""])
def test_a_file_name_leads_only_down(tmp_path: Path, name: str) -> None:
    """A file name that leads elsewhere is an error; in a project's own file it is passed over and reported."""
    line = f'features.context.filenames = ["{name}", "TEAM.md"]\n'
    path = put(tmp_path / "p/overture.toml", line)
    put(tmp_path / "secret.md", "secret")
    put(tmp_path / "p/TEAM.md", "ours")
    found = find(tmp_path)
    assert texts(found) == ["ours"]
    [note] = found.diagnostics
    assert (note.code, note.path, note.line) == ("config-untrusted", str(path), 1)
    assert note.message.startswith('features.context.filenames = ["')
    assert "has no effect: it is not a plain file name" in note.message
    path.unlink()
    user = put(tmp_path / USER, line)
    with pytest.raises(ConfigError) as caught:
        find(tmp_path)
    assert str(caught.value).startswith(f"{user}: features.context.filenames: {name!r} is not a plain file name")


BROKEN = {
    "invalid TOML: ": b"recipe = \n",
    "invalid TOML: not UTF-8": b'recipe = "\xff"\n',
    "invalid TOML: Cannot overwrite": b"a = 1\na = 2\n",
    "it is nested too deeply": b"a = " + b"[" * 5000,
    "it contains a number that is too long": b"a = " + b"1" * 5000,
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_overture_toml_is_an_error(tmp_path: Path, broken: str) -> None:
    """An overture.toml that is not TOML is an error that names it."""
    path = put(tmp_path / "p/overture.toml", BROKEN[broken])
    with pytest.raises(ConfigError) as caught:
        find(tmp_path)
    assert str(caught.value).startswith(f"{path}: {broken}")


@pytest.mark.parametrize("key", ["features.skills.extra_dirs", "features.context.filenames"])
def test_a_path_that_cannot_be_is_no_traceback(tmp_path: Path, key: str) -> None:
    """A path with a NUL in it is an error or a diagnostic, never another exception."""
    put(tmp_path / "p/overture.toml", f'{key} = ["a\\u0000b"]\n')
    try:
        find(tmp_path)
    except OvertureError as problem:
        assert "overture.toml" in str(problem)


def test_unreadable_configurations() -> None:
    """An overture.toml that may not be read is an error, a pyproject.toml a warning."""
    path = "/p/overture.toml"
    with pytest.raises(ConfigError) as caught:
        overture.discover("opal", world=FakeWorld({path: ""}, unreadable=(path,)))
    assert str(caught.value) == f"{path}: it can't be read: permission denied"
    path = "/p/pyproject.toml"
    found = overture.discover("opal", world=FakeWorld({path: ""}, unreadable=(path,)))
    assert [str(d) for d in found.diagnostics] == [f"warning: {path}: skipped: it can't be read: permission denied"]


def test_servers_of_a_project_that_is_reached_by_a_link() -> None:
    """The project ends where it really ends: a `.mcp.json` beside the link is none of its own."""
    servers = '{"mcpServers": {"clock": {"command": "clock"}}}'
    files = {"/real/p/.git/HEAD": "", "/real/p/a/x": "", "/y/.mcp.json": servers}
    links = {"/y/link": "/real/p"}
    assert read_servers_file(FakeWorld(files, links=links), "/y/link/a", "/home") is None
    file = read_servers_file(FakeWorld({**files, "/real/p/.mcp.json": servers}, links=links), "/y/link/a", "/home")
    assert file is not None and (file.path, [*file.servers]) == ("/y/link/.mcp.json", ["clock"])
