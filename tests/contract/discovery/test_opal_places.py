from pathlib import Path

import overture

from .disk import came_of, find, lines, link, names, paths, put, put_skill, said, texts

VARIANTS = ("AGENTS.md", ".agents/AGENTS.md", ".opal/AGENTS.md", "OPAL.md", ".agents/OPAL.md", ".opal/OPAL.md")


def test_all_variants_root_first(tmp_path: Path) -> None:
    """Both names in all three places of every directory are in the prompt, root first, in the table's order."""
    expected = [str(tmp_path / folder / name) for folder in (".", "a", "a/b") for name in VARIANTS]
    for path in reversed(expected):
        put(Path(path), f"text of {path}")
    found = find(tmp_path, cwd="a/b")
    assert paths(found) == expected
    assert texts(found) == [f"text of {path}" for path in expected]
    text = overture.build("opal", found.state).text
    places = [text.index(f'<project-context source="{path}">\ntext of {path}\n') for path in expected]
    assert places == sorted(places)


def test_skills_from_all_places(tmp_path: Path) -> None:
    """Skills come from the four places and the extra folders, sorted by name."""
    put_skill(tmp_path / "p/.agents/skills/e")
    put_skill(tmp_path / "p/.github/skills/d")
    put_skill(tmp_path / "home/.agents/skills/c")
    put_skill(tmp_path / "home/.opal/skills/b")
    put_skill(tmp_path / "extra/a")
    found = find(tmp_path, config={"features.skills.extra_dirs": [str(tmp_path / "extra")]})
    assert names(found) == ["a", "b", "c", "d", "e"]
    text = overture.build("opal", found.state).text
    assert (
        "\n\n- **a**: Does a.\n- **b**: Does b.\n- **c**: Does c.\n- **d**: Does d.\n- **e**: Does e.\n</skills>"
        in text
    )


def test_skills_of_ancestors_are_not_opals(tmp_path: Path) -> None:
    """Opal looks for project skills in the working directory alone, and one level deep."""
    put_skill(tmp_path / ".agents/skills/above")
    put_skill(tmp_path / "p/.agents/skills/group/deep")
    assert names(find(tmp_path)) == []


def test_a_collision_is_won_by_the_first_place(tmp_path: Path) -> None:
    """Of five skills with one name the most specific place wins, and every loser is reported with both paths."""
    places = [
        tmp_path / "p/.agents/skills/same",
        tmp_path / "p/.github/skills/same",
        tmp_path / "home/.agents/skills/same",
        tmp_path / "home/.opal/skills/same",
        tmp_path / "extra/same",
    ]
    files = [put_skill(place, f"name: same\ndescription: From {n}.") for n, place in enumerate(places)]
    found = find(tmp_path, config={"features.skills.extra_dirs": [str(tmp_path / "extra")]})
    assert [skill.description for skill in found.state.skills] == ["From 0."]
    assert came_of(found, files[0], "skill") == ("loaded", "")
    for loser in files[1:]:
        assert came_of(found, loser, "skill") == ("hidden", f"by {files[0]}")
        assert said(found, loser) == f"warning: skipped: {files[0]} has the same name, 'same', and comes first"


def test_two_skills_of_one_name_in_one_place(tmp_path: Path) -> None:
    """Of two folders that give one name the first in order wins, where a name unlike its folder's is let pass."""
    first = put_skill(tmp_path / "p/.agents/skills/a", "name: same\ndescription: A.")
    second = put_skill(tmp_path / "p/.agents/skills/b", "name: same\ndescription: B.")
    found = find(tmp_path, "pi")
    assert [skill.location for skill in found.state.skills] == [str(first)]
    assert came_of(found, second, "skill") == ("hidden", f"by {first}")
    assert f"warning: skipped: {first} has the same name, 'same', and comes first" in lines(found, second)


def test_one_skill_by_two_names_is_no_collision(tmp_path: Path) -> None:
    """A skill that is linked into a second place is a duplicate, without a warning."""
    (tmp_path / "p/.git").mkdir(parents=True)
    put_skill(tmp_path / "p/.agents/skills/same")
    again = link(tmp_path / "p/.github/skills/same", "../../.agents/skills/same")
    found = find(tmp_path)
    assert names(found) == ["same"]
    assert came_of(found, again / "SKILL.md", "skill")[0] == "duplicate"
    assert found.diagnostics == ()


def test_home_as_working_directory_is_searched_once(tmp_path: Path) -> None:
    """Where the working directory is home, its skills are found once and nothing is called a duplicate of itself."""
    put_skill(tmp_path / "home/.agents/skills/mine")
    found = find(tmp_path, cwd="home")
    assert names(found) == ["mine"]
    assert [look for look in found.looked_at if look.outcome == "duplicate"] == []


def test_context_can_be_switched_off(tmp_path: Path) -> None:
    """features.context.enabled = false leaves project files out, and skills in."""
    put(tmp_path / "p/AGENTS.md", "text")
    put_skill(tmp_path / "p/.agents/skills/a")
    found = find(tmp_path, config={"features.context.enabled": False})
    assert (texts(found), names(found)) == ([], ["a"])


def test_skills_can_be_switched_off(tmp_path: Path) -> None:
    """features.skills.enabled = false leaves skills out, and project files in."""
    put(tmp_path / "p/AGENTS.md", "text")
    put_skill(tmp_path / "p/.agents/skills/a")
    found = find(tmp_path, config={"features.skills.enabled": False})
    assert (texts(found), names(found)) == (["text"], [])
    assert "<skills>" not in overture.build("opal", found.state).text


def test_file_names_can_be_replaced(tmp_path: Path) -> None:
    """features.context.filenames replaces the names, in its order and in all three places."""
    for name in ("AGENTS.md", "CLAUDE.md", ".opal/TEAM.md", "TEAM.md"):
        put(tmp_path / "p" / name, name)
    found = find(tmp_path, config={"features.context.filenames": ["TEAM.md", "CLAUDE.md"]})
    assert texts(found) == ["TEAM.md", ".opal/TEAM.md", "CLAUDE.md"]
    assert came_of(found, tmp_path / "p/AGENTS.md")[0] == "unread"


def test_a_missing_extra_folder_is_recorded(tmp_path: Path) -> None:
    """An extra folder that is not there is recorded as absent."""
    found = find(tmp_path, config={"features.skills.extra_dirs": [str(tmp_path / "nowhere")]})
    assert came_of(found, tmp_path / "nowhere", "skill") == ("absent", "")
