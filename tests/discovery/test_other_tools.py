"""What lies here for other tools: instruction files and skills that the recipe does not read, each kind in one line."""

import tomllib
from pathlib import Path

import pytest

from overture import Discovery
from overture.model.state.discovery import Look
from tests.contract.discovery.disk import find, names, paths, put, put_skill


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
    ],
)
def test_skills_elsewhere_are_named_with_their_number_and_the_line(
    tmp_path: Path, recipe: str, place: str, line: str
) -> None:
    """One line for a place, and what it recommends adds all of its skills."""
    for i in range(6):
        put_skill(tmp_path / "p" / place / f"skill-{i}")
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
