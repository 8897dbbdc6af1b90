"""A link to nothing is named with its target, whatever it was to be."""

from pathlib import Path

import pytest

import overture
from overture import ConfigError

from .disk import came_of, find, link, put, put_skill, said

GONE = "it is a symlink to {}, which does not exist"


@pytest.mark.parametrize(
    ("recipe", "name", "what"),
    [
        ("opal", "AGENTS.md", "context"),
        ("house", "CLAUDE.md", "context"),
        ("moltis", ".claude/rules/a.md", "context"),
        ("pi", ".sf/SYSTEM.md", "system"),
        ("house", ".agents/agent.json", "agent"),
        ("nova", "memories.json", "memories"),
        ("opal", ".agents/skills/a/SKILL.md", "skill"),
        ("opal", ".agents/skills/a", "skill"),
        ("pi", ".agents/skills/a", "skill"),
        ("opal", ".agents/skills", "skill"),
        ("house", ".agents/skills", "skill"),
    ],
)
def test_whatever_is_looked_for(tmp_path: Path, recipe: str, name: str, what: str) -> None:
    """The record and the one line give the target as the link has it."""
    path = link(tmp_path / "p" / name, "../shared/gone")
    found = find(tmp_path, recipe)
    assert came_of(found, path, what) == ("unreadable", GONE.format("../shared/gone"))
    assert said(found, path) == f"warning: skipped: {GONE.format('../shared/gone')}"


def test_under_home_too(tmp_path: Path) -> None:
    """A broken link in a folder of dotfiles is reported."""
    path = link(tmp_path / "home/.moltis/SOUL.md", "/nowhere/SOUL.md")
    assert said(find(tmp_path, "moltis"), path) == f"warning: skipped: {GONE.format('/nowhere/SOUL.md')}"


def test_beside_a_file_that_comes_first(tmp_path: Path) -> None:
    """It is reported although the other would be used anyway."""
    put(tmp_path / "p/AGENTS.md", "agents")
    path = link(tmp_path / "p/CLAUDE.md", "AGENT.md")
    assert said(find(tmp_path, "house"), path) == f"warning: skipped: {GONE.format('AGENT.md')}"


def test_a_folder_on_the_way(tmp_path: Path) -> None:
    """A folder of instructions and skills that is a link to nothing is reported once, by its own name."""
    path = link(tmp_path / "p/.agents", "../dotfiles")
    found = find(tmp_path, "house")
    assert said(found, path) == f"warning: skipped: {GONE.format('../dotfiles')}"
    assert [d.path for d in found.diagnostics] == [str(path)]


def test_a_chain_of_links(tmp_path: Path) -> None:
    """Both ends of a chain are named: the first is there, the last is not."""
    link(tmp_path / "p/CLAUDE.md", "gone.md")
    path = link(tmp_path / "p/AGENTS.md", "CLAUDE.md")
    assert (
        came_of(find(tmp_path, "opal"), path)[1]
        == f"it is a symlink to CLAUDE.md, which leads to {tmp_path}/p/gone.md, which does not exist"
    )


def test_a_folder_of_the_configuration(tmp_path: Path) -> None:
    """One that `extra_dirs` names says where it leads."""
    link(tmp_path / "p/more", "../gone")
    found = find(tmp_path, "opal", config={"features.skills.extra_dirs": ["more"]})
    [note] = found.diagnostics
    assert "which is a symlink to ../gone, which does not exist" in note.message


def test_the_configuration_itself(tmp_path: Path) -> None:
    """An overture.toml that leads nowhere is an error with its target."""
    link(tmp_path / "p/overture.toml", "../gone.toml")
    with pytest.raises(ConfigError, match=r"it is a symlink to \.\./gone\.toml, which does not exist"):
        find(tmp_path, "opal")


def test_a_skill_that_a_session_loads(tmp_path: Path) -> None:
    """A skill whose file became a link to nothing says so when it is used."""
    path = put_skill(tmp_path / "p/.agents/skills/a")
    session = overture.Session("house", cwd=tmp_path / "p", home=tmp_path / "home", root=tmp_path)
    session.turn("hi")
    path.unlink()
    link(path, "gone.md")
    said = session.framework.use_skill("a")
    assert said.startswith("Error: ")
    assert "a symlink to gone.md, which does not exist" in said
