"""Skills are found, named and ordered as the recipe of an agent says."""

from pathlib import Path
from typing import Any

import pytest

from overture.discover.discover import ResolvedProject, discover
from overture.discover.disk.working_directory import locate
from overture.model.recipe.recipe import Recipe
from overture.model.skill_dirs import SkillDirs
from overture.model.state.files import Skill
from overture.model.wants import Wants


def skill(path: Path, front: str = "") -> None:
    """A file that describes something."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\n{front}description: It helps.\n---\nBody.\n")


def found(folder: Path, cwd: str = "repo", **wants: Any) -> tuple[Skill, ...]:
    """The skills that an agent lists."""
    (folder / "repo/.git").mkdir(parents=True, exist_ok=True)
    (folder / cwd).mkdir(parents=True, exist_ok=True)
    dirs = SkillDirs(project=("a", "b"), home=("b", "a"), needs=(), where="walk", **wants)
    recipe = Recipe("mine", (), wants=Wants(skills=dirs))
    return discover(ResolvedProject(recipe, locate(folder / cwd, folder / "home"))).state.skills


@pytest.mark.parametrize(
    ("wants", "expected"),
    [
        ({}, ["ca", "cb", "ha", "hb", "ra", "rb"]),
        ({"order": "place"}, ["ca", "cb", "ra", "rb", "hb", "ha"]),
        ({"order": "disk"}, ["ca", "cb", "ra", "rb", "hb", "ha"]),
        ({"order": "place", "by": "folder"}, ["ca", "ra", "cb", "rb", "hb", "ha"]),
        ({"order": "place", "by": "everywhere"}, ["ca", "ra", "ha", "cb", "rb", "hb"]),
        ({"order": "place", "by": "everywhere", "home_first": True}, ["ha", "ca", "ra", "hb", "cb", "rb"]),
        ({"order": "source"}, ["ca", "cb", "ra", "rb", "hb", "ha"]),
        ({"order": "source", "by": "folder"}, ["ca", "ra", "cb", "rb", "hb", "ha"]),
    ],
)
def test_the_menu_follows_places_and_folders(tmp_path: Path, wants: dict[str, Any], expected: list[str]) -> None:
    """c is the working directory, r the root, h home; a and b are folders."""
    for level, place in (("c", "repo/pkg"), ("r", "repo"), ("h", "home")):
        for folder in "ab":
            skill(tmp_path / place / folder / f"{level}{folder}/SKILL.md")
    assert [each.name for each in found(tmp_path, "repo/pkg", **wants)] == expected


def test_neighbours_from_one_source_may_be_sorted_by_name(tmp_path: Path) -> None:
    """Those of two folders in one place are; a skill from another place between them parts them."""
    skill(tmp_path / "repo/a/z/SKILL.md")
    skill(tmp_path / "repo/b/y/SKILL.md")
    wants: dict[str, Any] = {"order": "source", "by": "folder"}
    assert [each.name for each in found(tmp_path, **wants)] == ["y", "z"]
    skill(tmp_path / "repo/pkg/b/c/SKILL.md")
    assert [each.name for each in found(tmp_path, "repo/pkg", **wants)] == ["z", "c", "y"]


@pytest.mark.parametrize(
    ("wants", "expected"),
    [
        ({}, ["U", "b", "d"]),
        ({"capitals": False}, ["b", "d", "U"]),
        ({"capitals": False, "order": "place"}, ["b", "d", "U"]),
        ({"order": "path"}, ["U", "b", "d"]),
    ],
)
def test_letters_order_a_folder(tmp_path: Path, wants: dict[str, Any], expected: list[str]) -> None:
    """By name with capitals first or among the others, or by the whole path, which a group is part of."""
    for path in ("U", "b", "group/d"):
        skill(tmp_path / f"repo/a/{path}/SKILL.md")
    assert [each.name for each in found(tmp_path, depth=3, **wants)] == expected


def test_a_folder_and_a_name_may_both_be_told(tmp_path: Path) -> None:
    """The skill is known by its folder, and the menu says the other name too."""
    skill(tmp_path / "repo/a/x/SKILL.md", "name: y\n")
    skill(tmp_path / "repo/a/z/SKILL.md", "name: z\n")
    assert [(each.name, each.called) for each in found(tmp_path, name_from="both")] == [("x", "x (y)"), ("z", "")]
    assert [each.name for each in found(tmp_path, name_from="folder")] == ["x", "z"]
    assert [each.name for each in found(tmp_path)] == ["y", "z"]


@pytest.mark.parametrize(
    ("wants", "expected"),
    [
        ({}, ["s"]),
        ({"flat": True}, ["fa", "fb", "n", "s"]),
        ({"flat": ("/a",)}, ["fa", "s"]),
        ({"flat": ("/a",), "loose": ("/b",)}, ["fa", "low", "n", "s"]),
    ],
)
def test_single_files_are_skills_where_the_agent_takes_them(
    tmp_path: Path, wants: dict[str, Any], expected: list[str]
) -> None:
    """Right in all folders, right in some, or in the subfolders of others; beside a SKILL.md never."""
    for path in ("a/fa.md", "b/fb.md", "b/sub/n.md", "b/low/skill.md", "a/s/SKILL.md", "a/s/more.md"):
        skill(tmp_path / "repo" / path)
    assert sorted(each.name for each in found(tmp_path, depth=3, **wants)) == expected


def test_outside_a_repository_the_folders_above_may_not_count(tmp_path: Path) -> None:
    """They do where the agent looks in them, unless cwd alone counts there."""
    for path in ("up/a/x/SKILL.md", "up/here/a/y/SKILL.md"):
        skill(tmp_path / path)
    for alone, names in (("up", ["x", "y"]), ("cwd", ["y"])):
        dirs = SkillDirs(project=("a",), needs=(), where="walk", alone=alone)  # type: ignore[arg-type]
        recipe = Recipe("mine", (), wants=Wants(skills=dirs))
        state = discover(ResolvedProject(recipe, locate(tmp_path / "up/here", tmp_path / "home"))).state
        assert [each.name for each in state.skills] == names


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("\n---\ndescription: d\n---\n", {"needs": ("frontmatter",), "spoiled_by": ("blank-lines",)}),
        ("---\ndescription: d\n---\n", {"needs": ("keys",)}),
        ("---\nname: 5\ndescription: d\n---\n", {"needs": ("texts",)}),
        ("---\nname: a\nname: b\ndescription: d\n---\n", {"needs": ("keys-once",)}),
        ("---\nname: a b\ndescription: d\n---\n", {"needs": (), "name_like": "[a-z]+"}),
        ("---\nname: abcdef\ndescription: d\n---\n", {"needs": (), "longest_name": 5}),
        ("---\na:b\ndescription: d\n---\n", {"needs": ("description",), "broken": "mended"}),
        ("---\ndescription: caf\xe9\n---\n", {"needs": ("utf-8",)}),
    ],
)
def test_a_skill_is_listed_only_with_what_the_agent_needs(tmp_path: Path, text: str, wants: dict[str, Any]) -> None:
    """Without that need the same file is a skill."""
    path = tmp_path / "repo/a/x/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("latin-1"))
    (tmp_path / "repo/.git").mkdir()
    for needs, count in ((wants, 0), ({"needs": ()}, 1)):
        recipe = Recipe("mine", (), wants=Wants(skills=SkillDirs(project=("a",), **needs)))
        state = discover(ResolvedProject(recipe, locate(tmp_path / "repo", tmp_path / "home"))).state
        assert len(state.skills) == count


@pytest.mark.parametrize(
    ("alone", "expected"),
    [
        ("up", ["ca", "cb", "ha", "hb", "ua", "ub"]),
        ("cwd", ["ca", "cb", "ha", "hb"]),
        (("b",), ["ca", "cb", "ha", "hb", "ua"]),
    ],
)
def test_outside_a_repository_some_folders_count_here_alone(tmp_path: Path, alone: Any, expected: list[str]) -> None:
    """u is above the working directory c; home h is above it too, and is looked in whatever `alone` says."""
    for level, place in (("c", "home/up/here"), ("u", "home/up"), ("h", "home")):
        for folder in "ab":
            skill(tmp_path / place / folder / f"{level}{folder}/SKILL.md")
    assert [each.name for each in found(tmp_path, "home/up/here", alone=alone)] == expected


def test_a_text_in_place_of_a_description_is_truncated_at_the_limit(tmp_path: Path) -> None:
    """Copilot CLI 1.0.102 was seen to list the first 1,024 characters, and no skill whose own description is longer."""
    for name, front, body in (("told", "", "Moor. " * 300), ("said", f"description: {'Moor. ' * 300}\n", "Body.")):
        (tmp_path / f"repo/a/{name}").mkdir(parents=True)
        (tmp_path / f"repo/a/{name}/SKILL.md").write_text(f"---\nname: {name}\n{front}---\n# Moorings\n\n{body}\n")
    (listed,) = found(tmp_path, described="body", longest=1024)
    assert (listed.name, listed.description) == ("told", ("Moor. " * 300)[:1024])
