"""A project's own overture.toml is the project's word, not the user's: what reaches outside waits for trust."""

import os
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Discovery
from overture.discovery.configuration.config import USER_FILE
from overture.discovery.configuration.keys import KEYS
from overture.discovery.place import locate
from overture.project.resolve import resolve
from tests.contract.discovery.disk import link, names, put, put_skill, texts

SECRET = "the-secret-of-the-machine"
WORD = {
    **dict.fromkeys(("recipe", "tools", "models"), "inside"),
    **dict.fromkeys(("features.context.filenames", "features.skills.extra_dirs"), "inside"),
    **dict.fromkeys(("runtime.docs.main", "runtime.docs.additional", "runtime.docs.examples"), "inside"),
    **dict.fromkeys(("extensions", "features.extensions.enabled", "mcp.servers"), "ask"),
    "agents": "yes",
    "audience": "public",
    "secrets": "redact",
    "features.git.enabled": False,
    **dict.fromkeys(("features.context.enabled", "features.context.nested", "features.skills.enabled"), "yes"),
    **dict.fromkeys(("check.select", "check.ignore", "check.severity", "check.exclude"), "yes"),
    **dict.fromkeys(("trusted", "features.sudo.enabled", "features.links.outside"), "never"),
    **dict.fromkeys(("tap.days", "tap.megabytes"), "never"),
}
"""What a project may set before the user trusts it: all, paths inside it, nothing or one value, or never anything."""


def test_of_every_key_it_is_decided_what_a_project_may_say() -> None:
    """A key that is added has to be decided on here as well."""
    found: dict[str, Any] = {}
    for key, kind in KEYS.items():
        word = "inside" if kind.project == "yes" and kind.paths else kind.project
        found[key] = kind.harmless if kind.harmless is not None else word
        assert bool(kind.risk) == (kind.project == "ask")
    assert found == WORD


def find(top: Path, recipe: str | None = None, **more: Any) -> Discovery:
    """What is found in `top`/home/p, a folder without git below home, for the recipe that its file names."""
    (top / "home/p").mkdir(parents=True, exist_ok=True)
    return overture.discover(recipe, cwd=top / "home/p", home=top / "home", **more)


def notes(found: Discovery) -> list[Any]:
    """What was asked for and may not be."""
    return [note for note in found.diagnostics if note.code == "config-untrusted"]


def everything(found: Discovery) -> str:
    """All that a discovery found, as text."""
    return str(found.state.to_dict())


ASKED = {
    "links": "features.links.outside = true",
    "skills of a recipe": '[recipes.opal]\nfeatures.skills.extra_dirs = ["../.."]',
    "skills": 'features.skills.extra_dirs = ["~/private", "../private"]',
    "skills by a pattern": 'features.skills.extra_dirs = ["../priv*"]',
    "tools": 'tools = "../secret.json"',
    "tools by a link": 'tools = "linked.json"',
    "a recipe": 'recipe = "../secret.toml"',
    "a recipe by a link": 'recipe = "linked.toml"',
    "models": 'models = "~/secret.toml"',
    "git": "features.git.enabled = true",
    "docs": 'runtime.docs.main = "~/private"',
    "itself": 'trusted = ["/"]',
    "a built-in recipe": '[recipes.house]\nextends = "opal"',
}


def hostile(top: Path, asked: str) -> Path:
    """A project that asks for something, and what it should not get."""
    put_skill(top / "home/private/mine", f"name: mine\ndescription: {SECRET}")
    put(top / "home/secret.json", f'[{{"name": "x", "snippet": "{SECRET}"}}]')
    put(top / "home/secret.toml", f'[[sections]]\nname = "a"\ntext = "{SECRET}"\n')
    put(top / "home/secret.md", SECRET)
    put(top / "home/.netrc", SECRET)
    link(top / "home/p/linked.json", "../secret.json")
    link(top / "home/p/linked.toml", "../secret.toml")
    link(top / "home/p/AGENTS.md", "../secret.md")
    os.mkfifo(top / "home/p/fifo")
    return put(top / "home/p/overture.toml", asked + "\n")


@pytest.mark.parametrize("what", ASKED)
def test_what_reaches_outside_is_not_used_and_reported_with_the_command(what: str, tmp_path: Path) -> None:
    """One line for each thing, with file, line and `overture trust`; the prompt goes on without it."""
    file = hostile(tmp_path, ASKED[what])
    found = find(tmp_path)
    assert SECRET not in everything(found)
    [note] = notes(found)
    assert note.path == str(file)
    assert note.line == (2 if ASKED[what].startswith("[recipes.opal") else 1)
    assert "has no effect" in note.message
    if what not in ("itself", "links"):
        assert f"overture trust {tmp_path}/home/p" in note.message


@pytest.mark.parametrize("name", [".netrc", "secret.md", "id_rsa"])
@pytest.mark.parametrize("recipe", ["opal", "pi", "house"])
def test_a_name_that_a_project_gives_counts_in_the_project_alone(recipe: str, name: str, tmp_path: Path) -> None:
    """`.netrc` as a project file is not found in home, though the walk goes through it."""
    put(tmp_path / "home" / name, SECRET)
    put(tmp_path / "home/p/overture.toml", f'features.context.filenames = ["AGENTS.md", "{name}"]\n')
    put(tmp_path / "home/p" / name, "ours")
    put(tmp_path / "home/AGENTS.md", "mine")
    found = find(tmp_path, recipe)
    assert texts(found) == ["mine", "ours"]
    user = {"features.context.filenames": ["AGENTS.md", name]}
    assert SECRET in texts(find(tmp_path, recipe, config=user))


def test_a_name_that_a_project_gives_does_not_let_links_out(tmp_path: Path) -> None:
    """Below the folder of the settings too, a file of such a name may not lead out of the project."""
    put(tmp_path / "home/.ssh/id", SECRET)
    put(tmp_path / "home/p/overture.toml", 'features.context.filenames = ["TEAM.md"]\n')
    link(tmp_path / "home/p/TEAM.md", "../.ssh/id")
    (tmp_path / "home/p/sub").mkdir()
    found = overture.discover("opal", cwd=tmp_path / "home/p/sub", home=tmp_path / "home")
    assert SECRET not in everything(found)


RECIPES = {
    "a file outside": '[[sections]]\nname = "a"\nfile = "../secret.md"\n[[sections]]\nname = "b"\ntext = "ours"',
    "a file at a path": '[[sections]]\nname = "a"\nfile = "{top}/home/secret.md"',
    "a file by a link": '[[sections]]\nname = "a"\nfile = "linked.md"',
    "workspace": 'wants.workspace = {{folder = "private", names = ["x.md"]}}',
    "persona": 'wants.persona = {{folder = "private"}}',
    "home": 'extends = "house"\nwants.context.home = ["private/x.md"]',
    "overrides": 'extends = "pi"\nwants.overrides.home = "private"\nwants.overrides.system = "x.md"',
    "overrides without a base": 'wants.overrides = {{home="private", system="x.md", append="y.md", project="."}}',
    "the machine": "wants.runtime = true",
    "skills at a path": 'wants.skills = {{project = ["{top}/home/skills"]}}',
}


@pytest.mark.parametrize("form", ["own file", "table"])
@pytest.mark.parametrize("what", RECIPES)
def test_a_projects_recipe_holds_no_file_of_the_machine(what: str, form: str, tmp_path: Path) -> None:
    """Neither as the text of a section nor as something that it wants read under home."""
    put(tmp_path / "home/secret.md", SECRET)
    put(tmp_path / "home/private/x.md", SECRET)
    put(tmp_path / "home/private/SOUL.md", SECRET)
    put_skill(tmp_path / "home/skills/mine", f"name: mine\ndescription: {SECRET}")
    link(tmp_path / "home/p/linked.md", "../secret.md")
    put(tmp_path / "home/p/imports.md", "@../secret.md and @~/secret.md\n")
    text = RECIPES[what].format(top=tmp_path)
    if form == "own file":
        put(tmp_path / "home/p/own.toml", text)
        put(tmp_path / "home/p/overture.toml", 'recipe = "own.toml"\n')
    else:
        text = "[recipes.own]\nabout = 'x'\n" + text.replace("[[sections]]", "[[recipes.own.sections]]")
        put(tmp_path / "home/p/overture.toml", 'recipe = "own"\n' + text)
    project = resolve(None, locate(cwd=tmp_path / "home/p", home=tmp_path / "home"))
    found = project.find()
    prompt = overture.build(project.recipe, found.state)
    assert SECRET not in everything(found) + prompt.text
    assert len(notes(found)) == 1
    assert all("overture trust" in note.message and note.path is not None for note in notes(found))
    trusting = resolve(
        None, locate(cwd=tmp_path / "home/p", home=tmp_path / "home", config={"trusted": [str(tmp_path)]})
    )
    found = trusting.find()
    assert notes(found) == []
    if what != "the machine":
        assert SECRET in everything(found) + overture.build(trusting.recipe, found.state).text


def test_a_recipes_own_file_that_extends_one_outside_is_an_error(tmp_path: Path) -> None:
    """It can't be made without its base: one line says so, with the command."""
    put(tmp_path / "home/base.toml", f'[[sections]]\nname = "a"\ntext = "{SECRET}"\n')
    put(tmp_path / "home/p/own.toml", 'extends = "../base.toml"\n')
    put(tmp_path / "home/p/overture.toml", 'recipe = "own.toml"\n')
    with pytest.raises(overture.RecipeError, match="overture trust"):
        find(tmp_path)


def test_a_projects_recipe_takes_the_place_of_none_of_the_users(tmp_path: Path) -> None:
    """The user's recipe of the same name counts, and one line names both files."""
    user = put(tmp_path / "home" / USER_FILE, '[recipes.own]\nabout = "mine"\nextends = "pi"\n')
    put(tmp_path / "home/p/overture.toml", 'recipe = "own"\n[recipes.own]\nabout = "theirs"\nextends = "pi"\n')
    project = resolve(None, locate(cwd=tmp_path / "home/p", home=tmp_path / "home"))
    assert project.recipe.about == "mine"
    [note] = notes(project.find())
    assert str(user) in note.message and note.line == 2


def test_what_lies_inside_counts(tmp_path: Path) -> None:
    """Folders, tools, recipes and names in the project need nobody's trust."""
    put_skill(tmp_path / "home/p/shared/one")
    put(tmp_path / "home/p/tools.json", '[{"name": "look"}]')
    put(tmp_path / "home/p/said.md", "ours")
    put(tmp_path / "home/p/own.toml", 'extends = "pi"\n[[sections]]\nname = "a"\nfile = "said.md"\n')
    put(
        tmp_path / "home/p/overture.toml",
        'recipe = "own.toml"\ntools = "tools.json"\nfeatures.skills.extra_dirs = ["shared"]\n'
        'runtime.docs.main = "https://example.org/x"\n',
    )
    found = find(tmp_path)
    assert notes(found) == []
    assert (names(found), [tool.name for tool in found.state.tools]) == (["one"], ["look"])


@pytest.mark.parametrize("how", ["user", "environment", "command line"])
def test_the_users_word_counts_as_it_did(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's file, the environment and the command line open links wherever they say."""
    hostile(tmp_path, "")
    more: dict[str, Any] = {}
    if how == "user":
        put(tmp_path / "home" / USER_FILE, "features.links.outside = true\n")
    elif how == "environment":
        monkeypatch.setenv("OVERTURE_FEATURES_LINKS_OUTSIDE", "true")
    else:
        more = {"config": {"features.links.outside": True}}
    assert SECRET in everything(find(tmp_path, "opal", **more))


@pytest.mark.parametrize("name", ["overture.toml", "pyproject.toml"])
def test_a_settings_file_that_is_a_link_out_of_the_project_is_not_read(tmp_path: Path, name: str) -> None:
    """It would be somebody else's word; a link within the project is the project's own."""
    text = 'recipe = "pi"\n' if name == "overture.toml" else '[tool.overture]\nrecipe = "pi"\n'
    put(tmp_path / "home/other.toml", text)
    link(tmp_path / f"home/p/{name}", "../other.toml")
    (note,) = notes(find(tmp_path))
    assert "skipped: it is a symlink that leaves" in note.message
    (tmp_path / f"home/p/{name}").unlink()
    put(tmp_path / "home/p/conf/own.toml", text)
    link(tmp_path / f"home/p/{name}", "conf/own.toml")
    assert notes(find(tmp_path)) == []
