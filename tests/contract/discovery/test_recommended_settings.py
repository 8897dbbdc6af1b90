"""A setting that a message recommends does what the message says: each is applied, and its effect is seen."""

from pathlib import Path
from typing import Any

import pytest

import overture

from .disk import came_of, find, link, names, put, put_skill, texts

NAMES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]


@pytest.mark.parametrize("recipe", ["pi", "house"])
def test_names_that_are_given_are_all_taken(tmp_path: Path, recipe: str) -> None:
    """A recipe that takes the first file of a folder takes every one whose name the configuration gives."""
    for name in NAMES:
        put(tmp_path / "p" / name, name)
    assert texts(find(tmp_path, recipe)) == ["AGENTS.md"]
    found = find(tmp_path, recipe, config={"features.context.filenames": NAMES})
    assert texts(found) == NAMES
    assert all(came_of(found, tmp_path / "p" / name) == ("loaded", "") for name in NAMES)


def test_an_empty_file_shadows_no_name_that_is_given(tmp_path: Path) -> None:
    """An empty AGENTS.md says nothing, and takes nothing away from the CLAUDE.md that is named beside it."""
    put(tmp_path / "p/AGENTS.md")
    put(tmp_path / "p/CLAUDE.md", "Use spaces.")
    found = find(tmp_path, "house", config={"features.context.filenames": ["AGENTS.md", "CLAUDE.md"]})
    assert (texts(found), [note.code for note in found.diagnostics]) == (["Use spaces."], [])


def test_they_are_taken_wherever_the_configuration_is_given(tmp_path: Path) -> None:
    """For one recipe alone, in a project's file, it is the same."""
    put(tmp_path / "p/AGENTS.md", "a")
    put(tmp_path / "p/CLAUDE.md", "c")
    put(tmp_path / "p/overture.toml", '[recipes.pi]\nfeatures.context.filenames = ["CLAUDE.md", "AGENTS.md"]\n')
    assert texts(find(tmp_path, "pi")) == ["c", "a"]
    assert texts(find(tmp_path, "house")) == ["a"]


def test_a_recipe_of_ones_own_still_takes_the_first(tmp_path: Path) -> None:
    """`take = "first"` in a TOML recipe counts for the names that the recipe itself gives."""
    put(tmp_path / "p/AGENTS.md", "a")
    put(tmp_path / "p/CLAUDE.md", "c")
    wants = '[wants.context]\nnames = ["CLAUDE.md", "AGENTS.md"]\ntake = "first"\n'
    recipe = put(tmp_path / "p/mine.toml", f'extends = "house"\n{wants}')
    assert texts(find(tmp_path, str(recipe))) == ["c"]


def test_a_session_delivers_all_names_that_are_given(tmp_path: Path) -> None:
    """Below the working directory both files are delivered, too."""
    for name in ("AGENTS.md", "CLAUDE.md"):
        put(tmp_path / "p/inner" / name, f"{name} of inner.")
    put(tmp_path / "p/inner/main.py", "")
    config = {"features.context.filenames": ["AGENTS.md", "CLAUDE.md"]}
    with overture.Session("house", cwd=tmp_path / "p", home=tmp_path, root=tmp_path, config=config) as session:
        session.turn("Go.")
        session.refresh(touched=["inner/main.py"])
        said = str(session.turn("Further.").messages)
    assert "AGENTS.md of inner." in said
    assert "CLAUDE.md of inner." in said


@pytest.mark.parametrize(
    ("kind", "setting"), [("context", "features.context.enabled"), ("skill", "features.skills.enabled")]
)
def test_what_is_switched_off_is_read_when_it_is_switched_on(tmp_path: Path, kind: str, setting: str) -> None:
    """The record names the switch that is false; set to true, the files are read."""
    put(tmp_path / "p/AGENTS.md", "a")
    put_skill(tmp_path / "p/.agents/skills/pdf")
    off = find(tmp_path, config={setting: False})
    assert [look.path for look in off.looked_at if look.what == kind and look.outcome == "off"] == [setting]
    on = find(tmp_path, config={setting: True})
    assert (texts(on), names(on)) == (["a"], ["pdf"])


def outside(top: Path) -> dict[str, Any]:
    """Links of every kind that lead out of the project, and what each would bring."""
    put(top / "far/team.md", "Far.")
    put(top / "far/rules/one.md", "Rule.")
    put_skill(top / "far/skills/pdf")
    link(top / "p/AGENTS.md", top / "far/team.md")
    link(top / "p/.claude/rules", top / "far/rules")
    link(top / "p/.moltis/skills", top / "far/skills")
    return {"root": top / "p"}


def test_features_links_outside_permits_links_of_every_kind(tmp_path: Path) -> None:
    """To a file, to a folder of rules and to a folder of skills: each is named with the option, which opens it."""
    more = outside(tmp_path)
    refused = [look for look in find(tmp_path, "moltis", **more).looked_at if look.outcome == "outside"]
    assert len(refused) == 3
    assert all("--read-outside" in look.detail for look in refused)
    found = find(tmp_path, "moltis", config={"features.links.outside": True}, **more)
    assert (sorted(texts(found)), names(found)) == (["Far.", "Rule."], ["pdf"])
