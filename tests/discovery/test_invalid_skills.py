"""A skill that breaks a rule of the format: opal skips it, as its document says, and the others load it."""

from pathlib import Path

import pytest

import overture
from tests.contract.discovery.disk import came_of, find, lines, names, put_skill

LONG = "d" * 1025
BROKEN = {
    "description: D.": "it has no name",
    "name: other\ndescription: D.": "name 'other' differs from the name of its folder, 'tidy'",
    f"name: tidy\ndescription: {LONG}": "description has 1,025 characters, over the limit of 1,024",
    f"name: tidy\ndescription: D.\ncompatibility: {'c' * 501}": "compatibility has 501 characters, over the limit of 500",  # noqa: E501
}
ODD = (
    "name: tidy\ndescription: D.\ndescription: D.",
    "name: tidy\ndescription: 12",
    "name: tidy\ndescription: D.\ndisable-model-invocation: maybe",
    "name: tidy\ndescription: D.\nmetadata: [a]",
    "name: tidy\ndescription: D.\nallowed-tools: {a: b}",
)
OTHERS = ("pi", "moltis", "house")
PLACES = {"opal": ".agents/skills", "pi": ".sf/skills", "moltis": ".moltis/skills", "house": ".agents/skills"}


@pytest.mark.parametrize(("front", "why"), BROKEN.items())
def test_opal_skips_a_skill_that_breaks_a_rule(tmp_path: Path, front: str, why: str) -> None:
    """It is in no menu, the record says skipped and why, and an error gives file and line."""
    path = put_skill(tmp_path / "p/.agents/skills/tidy", front)
    found = find(tmp_path)
    assert found.state.skills == ()
    assert came_of(found, path, "skill") == ("skipped", why)
    [line] = lines(found, path)
    assert line.startswith("error: line ")
    assert line.endswith(f"skipped: {why}")
    assert "<skills>" not in overture.build("opal", found.state).text


@pytest.mark.parametrize("recipe", OTHERS)
@pytest.mark.parametrize("front", BROKEN)
def test_the_others_load_it_with_a_warning(tmp_path: Path, recipe: str, front: str) -> None:
    """pi, moltis and house stay lenient."""
    path = put_skill(tmp_path / "p" / PLACES[recipe] / "tidy", front)
    found = find(tmp_path, recipe)
    assert len(found.state.skills) == 1
    assert came_of(found, path, "skill") == ("loaded", "")
    assert [line.partition(":")[0] for line in lines(found, path)] == ["warning"]


def test_a_skipped_skill_shadows_nobody(tmp_path: Path) -> None:
    """A project's invalid skill leaves the user's valid one of that name in the menu."""
    put_skill(tmp_path / "p/.agents/skills/tidy", f"name: tidy\ndescription: {LONG}")
    mine = put_skill(tmp_path / "home/.agents/skills/tidy", "name: tidy\ndescription: Mine.")
    found = find(tmp_path)
    assert [skill.location for skill in found.state.skills] == [str(mine)]
    assert came_of(found, mine, "skill") == ("loaded", "")


def test_each_recipe_judges_what_another_has_read(tmp_path: Path) -> None:
    """What pi loaded is skipped by opal, and the other way round, also where the file is not read again."""
    put_skill(tmp_path / "p/.agents/skills/tidy", "name: other\ndescription: D.")
    lenient, strict = find(tmp_path, "pi"), find(tmp_path)
    assert names(find(tmp_path, "opal", since=lenient)) == []
    assert names(find(tmp_path, "pi", since=strict)) == ["other"]
