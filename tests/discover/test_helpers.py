"""Sub-agents and commands are told of as the recipe of an agent says: which, under which name, in which order."""

from pathlib import Path
from typing import Any

import pytest

from overture.discover.discover import ResolvedProject, discover
from overture.discover.disk.working_directory import locate
from overture.model.file_steps import FileStep
from overture.model.recipe.recipe import Recipe
from overture.model.skill_dirs import HelperListing
from overture.model.wants import Wants


def told(
    folder: Path, cwd: str = "repo", order: str = "name", quirks: str = "", **listing: Any
) -> list[tuple[str, str | None]]:
    """Names and descriptions."""
    (folder / "repo/.git").mkdir(parents=True, exist_ok=True)
    (folder / cwd).mkdir(parents=True, exist_ok=True)
    step = FileStep(
        "c",
        ("c/**/*.md",),
        kind="command",
        tells="description",
        order=order,  # type: ignore[arg-type]
        listing=HelperListing(**listing),
        quirks=quirks,
    )
    recipe = Recipe("mine", (), wants=Wants(files=(step,)))
    state = discover(ResolvedProject(recipe, locate(folder / cwd, folder / "home"))).state
    return [(file.called, file.said) for file in state.context_files]


def helper(path: Path, text: str) -> None:
    """Write one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("text", "listing", "expected"),
    [
        ("---\nname: n\ndescription: d\n---\nBody.\n", {}, [("x", "d")]),
        ("---\nname: n\ndescription: d\n---\nBody.\n", {"named": "name"}, [("n", "d")]),
        ("---\nname: n\n---\nBody.\n", {"needs": ("description",)}, []),
        ("---\nname: n\n---\n# Head\n\nBody.\nMore.\n", {"described": "line"}, [("x", "Head")]),
        ("---\nname: n\n---\n# Head\n\nBody.\nMore.\n", {"described": "body"}, [("x", "Body. More.")]),
        ("---\ndescription: d\nhide: yes\n---\n", {"hidden_by": ("hide",)}, []),
        ("---\ndescription: abcdef\n---\n", {"entry": 4}, [("x", "abc…")]),
    ],
)
def test_a_helper_is_told_of_as_the_agent_takes_it(
    tmp_path: Path, text: str, listing: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    """By its needs, its name, and what takes the place of a description."""
    helper(tmp_path / "repo/c/x.md", text)
    assert told(tmp_path, **listing) == expected


@pytest.mark.parametrize(("quirks", "expected"), [("", ["x"]), ("gemini-cli", []), ("qwen-code", [])])
def test_an_agent_may_have_needs_of_its_own(tmp_path: Path, quirks: str, expected: list[str]) -> None:
    """Gemini CLI knows no key `color`, and Qwen Code wants ten characters of text; others take it."""
    helper(tmp_path / "repo/c/x.md", "---\ncolor: red\ndescription: d\n---\nBody.\n")
    assert [name for name, _ in told(tmp_path, quirks=quirks)] == expected


def test_folders_may_be_part_of_a_name(tmp_path: Path) -> None:
    """With what stands between them."""
    helper(tmp_path / "repo/c/deep/er/x.md", "---\ndescription: d\n---\n")
    assert told(tmp_path, folders=":") == [("deep:er:x", "d")]


def test_those_here_may_come_first(tmp_path: Path) -> None:
    """By name, with capitals first or among the others; then all from above by name."""
    for path in ("repo/c/a.md", "repo/c/e.md", "repo/pkg/c/b.md", "repo/pkg/c/C.md"):
        helper(tmp_path / path, "---\ndescription: d\n---\n")
    names = [name for name, _ in told(tmp_path, "repo/pkg", order="here")]
    assert names == ["b", "C", "a", "e"]
    assert [name for name, _ in told(tmp_path, "repo/pkg", order="here", capitals=True)] == ["C", "b", "a", "e"]
    assert [name for name, _ in told(tmp_path, "repo/pkg")] == ["a", "b", "C", "e"]


def test_of_one_name_one_may_count(tmp_path: Path) -> None:
    """All, the outermost or the nearest; the others are in the record as hidden."""
    for path in ("repo/c/x.md", "repo/pkg/c/x.md"):
        helper(tmp_path / path, f"---\ndescription: {path}\n---\n")
    assert len(told(tmp_path, "repo/pkg")) == 2
    assert told(tmp_path, "repo/pkg", same_name="first") == [("x", "repo/c/x.md")]
    assert told(tmp_path, "repo/pkg", same_name="last") == [("x", "repo/pkg/c/x.md")]
