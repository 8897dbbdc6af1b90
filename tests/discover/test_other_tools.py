"""What lies here for other tools: instruction files and skills that the recipe does not read, each kind in one line."""

import tomllib
from pathlib import Path

import pytest

from overture import Discovery
from overture.model.state.discovery import Look
from tests.contract.discover.disk import came_of, find, link, names, paths, put, put_skill


def unread(found: Discovery, what: str) -> list[Look]:
    """What is recorded as unread."""
    return [look for look in found.looked_at if look.outcome == "unread" and look.what == what]


def setting(look: Look) -> str:
    """The line of overture.toml that a record recommends."""
    line = look.detail.partition("; to add ")[2].partition(": ")[2]
    assert tomllib.loads(line)
    return line


def test_an_instruction_file_of_another_tool_is_named_with_its_owner_and_the_setting(tmp_path: Path) -> None:
    """The line that it gives adds the file."""
    put(tmp_path / "p/AGENTS.md", "agents")
    path = put(tmp_path / "p/GEMINI.md", "gemini")
    [look] = unread(find(tmp_path, "opal"), "context")
    assert (look.path, look.detail) == (
        str(path),
        'Gemini CLI reads it; to add it: features.context.filenames = ["AGENTS.md", "OPAL.md", "GEMINI.md"]',
    )
    put(tmp_path / "p/overture.toml", setting(look))
    assert str(path) in paths(find(tmp_path, "opal"))


def test_many_files_of_one_kind_are_one_line(tmp_path: Path) -> None:
    """Fourteen rules of Cursor are one line, and the setting adds all of them."""
    for i in range(14):
        put(tmp_path / f"p/.cursor/rules/r{i:02}.mdc", f"rule {i}")
    put(tmp_path / "p/.cursor/rules/notes.txt", "no rule")
    [look] = unread(find(tmp_path, "opal"), "context")
    assert look.path == f"{tmp_path}/p/.cursor/rules/*.mdc"
    assert look.detail.startswith("14 files that Cursor reads; ")
    put(tmp_path / "p/overture.toml", setting(look))
    assert len(paths(find(tmp_path, "opal"))) == 14


def test_one_name_in_many_folders_is_one_line(tmp_path: Path) -> None:
    """A file in each folder of the walk is named once, nearest first, with their number."""
    for folder in ("p", "p/a", "p/a/b"):
        put(tmp_path / folder / "GEMINI.md", folder)
        put(tmp_path / folder / "AGENTS.md", f"agents of {folder}")
    [look] = unread(find(tmp_path, "house", cwd="p/a/b"), "context")
    assert look.path == f"{tmp_path}/p/a/b/GEMINI.md"
    assert look.detail.startswith("Gemini CLI reads it, and 2 more of that name above; ")


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "house"])
def test_what_the_recipe_reads_is_never_unread(tmp_path: Path, recipe: str) -> None:
    """No file is both read, or shadowed, and unread."""
    for name in ("AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "OPAL.md", ".claude/rules/a.md", ".agents/AGENTS.md"):
        put(tmp_path / "p" / name, f"text of {name}")
    found = find(tmp_path, recipe)
    seen = [look.path for look in found.looked_at if look.what == "context" and look.outcome != "absent"]
    assert len(seen) == len(set(seen)) == 6


def test_folders_above_the_project_are_not_searched_for_other_tools(tmp_path: Path) -> None:
    """What other tools keep outside the repository is nobody's business here."""
    (tmp_path / "w/p/.git").mkdir(parents=True)
    put(tmp_path / "w/GEMINI.md", "above")
    put(tmp_path / "w/.codex/skills/a/SKILL.md", "x")
    found = find(tmp_path, "opal", cwd="w/p")
    assert unread(found, "context") == unread(found, "skill") == []


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "house"])
@pytest.mark.parametrize(
    ("place", "line"),
    [
        (".codex/skills", '".codex/skills"'),
        ("skills", '"skills"'),
        ("plugins/*/skills", '"plugins/*/skills"'),
        ("tools/skills", '"tools/skills"'),
    ],
)
def test_skills_elsewhere_are_named_with_their_number_and_the_line(
    tmp_path: Path, recipe: str, place: str, line: str
) -> None:
    """One line for a place, and what it recommends adds all of its skills."""
    for i in range(6):
        put_skill(tmp_path / "p" / place.replace("*", f"plugin{i % 2}") / f"skill-{i}")
    found = find(tmp_path, recipe)
    [look] = unread(found, "skill")
    assert look.path == f"{tmp_path}/p/{place}"
    assert look.detail.startswith("6 skills ")
    assert setting(look) == f"features.skills.extra_dirs = [{line}]"
    assert names(found) == []
    put(tmp_path / "p/overture.toml", setting(look))
    found = find(tmp_path, recipe)
    assert names(found) == [f"skill-{i}" for i in range(6)]
    assert unread(found, "skill") == []
    assert found.diagnostics == ()


def test_the_owner_of_a_place_is_named(tmp_path: Path) -> None:
    """`.codex/skills` is Codex's."""
    put_skill(tmp_path / "p/.codex/skills/a")
    [look] = unread(find(tmp_path, "house"), "skill")
    assert look.detail == '1 skill (Codex); to add it: features.skills.extra_dirs = [".codex/skills"]'


def test_plugins_of_a_marketplace_are_named(tmp_path: Path) -> None:
    """Where `.claude-plugin` says that this is a collection of plugins, they may lie in any folder."""
    put(tmp_path / "p/.claude-plugin/marketplace.json", "{}")
    put_skill(tmp_path / "p/external/one/skills/a")
    put_skill(tmp_path / "p/external/two/skills/b")
    [look] = unread(find(tmp_path, "house"), "skill")
    put(tmp_path / "p/overture.toml", setting(look))
    assert names(find(tmp_path, "house")) == ["a", "b"]


def test_a_collection_whose_skills_lie_at_the_top(tmp_path: Path) -> None:
    """Skills that lie right in the project are named too."""
    put_skill(tmp_path / "p/a")
    put_skill(tmp_path / "p/b")
    [look] = unread(find(tmp_path, "house"), "skill")
    put(tmp_path / "p/overture.toml", setting(look))
    assert names(find(tmp_path, "house")) == ["a", "b"]


def test_skills_in_groups_are_named(tmp_path: Path) -> None:
    """`skills/GROUP/NAME/SKILL.md` needs another line, and gets it."""
    put_skill(tmp_path / "p/skills/docs/a")
    put_skill(tmp_path / "p/skills/b")
    [look] = unread(find(tmp_path, "house"), "skill")
    put(tmp_path / "p/overture.toml", setting(look))
    assert names(find(tmp_path, "house")) == ["a", "b"]


def test_the_line_keeps_the_folders_that_are_named_already(tmp_path: Path) -> None:
    """It is relative to the overture.toml that counts, and takes nothing away."""
    put(tmp_path / "p/overture.toml", 'features.skills.extra_dirs = ["mine"]')
    put_skill(tmp_path / "p/mine/x")
    put_skill(tmp_path / "p/a/.codex/skills/y")
    (tmp_path / "p/.git").mkdir()
    [look] = unread(find(tmp_path, "house", cwd="p/a"), "skill")
    assert setting(look) == 'features.skills.extra_dirs = ["mine", "a/.codex/skills"]'
    put(tmp_path / "p/overture.toml", setting(look))
    assert names(find(tmp_path, "house", cwd="p/a")) == ["x", "y"]


def test_a_place_that_is_a_link_to_one_that_is_read_is_not_named(tmp_path: Path) -> None:
    """Neither a linked folder of skills nor linked skills are missing."""
    put_skill(tmp_path / "p/.agents/skills/a")
    link(tmp_path / "p/.codex/skills", "../.agents/skills")
    link(tmp_path / "p/.cursor/skills/a", "../../.agents/skills/a")
    assert unread(find(tmp_path, "house"), "skill") == []


def test_copies_of_skills_that_are_read_are_said_to_be_such(tmp_path: Path) -> None:
    """A place whose skills all have the names of loaded ones needs no setting, and the record says so."""
    for place in (".agents", ".codex"):
        put_skill(tmp_path / "p" / place / "skills/a")
    found = find(tmp_path, "house")
    assert unread(found, "skill") == []
    assert came_of(found, tmp_path / "p/.codex/skills", "skill") == (
        "duplicate",
        "1 skill (Codex), with names that are already loaded",
    )


def test_a_folder_of_that_name_without_skills_is_not_named(tmp_path: Path) -> None:
    """`skills/` may be anything."""
    put(tmp_path / "p/skills/cooking/README.md", "soup")
    assert unread(find(tmp_path, "house"), "skill") == []


def test_a_star_that_stands_for_no_folder_is_reported(tmp_path: Path) -> None:
    """So is a folder that is not there."""
    found = find(tmp_path, "house", config={"features.skills.extra_dirs": ["plugins/*/skills", "gone"]})
    said = [note.message for note in found.diagnostics]
    assert len(said) == 2
    assert "plugins/*/skills', which matches no folder" in said[0]
    assert "gone', which does not exist" in said[1]
