from pathlib import Path

import overture
from overture.testing import FakeWorld

from .disk import came_of, find, lines, link, names, paths, put, put_skill, said, texts


def test_global_first_then_root_to_cwd(tmp_path: Path) -> None:
    """The global AGENTS.md stands first, then one file per directory, outermost first."""
    for name in ("home/.sf/agent/AGENTS.md", "AGENTS.md", "a/CLAUDE.md", "a/b/AGENTS.md"):
        put(tmp_path / name, f"text of {name}")
    found = find(tmp_path, "pi", cwd="a/b")
    expected = ["home/.sf/agent/AGENTS.md", "AGENTS.md", "a/CLAUDE.md", "a/b/AGENTS.md"]
    assert paths(found) == [str(tmp_path / name) for name in expected]
    text = overture.build("pi", found.state).text
    assert "# Project Context\n\n" in text
    places = [text.index(f"## {tmp_path}/{name}\n\ntext of {name}") for name in expected]
    assert places == sorted(places)


def test_the_first_of_both_names_counts(tmp_path: Path) -> None:
    """Beside an AGENTS.md, CLAUDE.md is not loaded, and the record says by what it is shadowed."""
    first = put(tmp_path / "p/AGENTS.md", "agents")
    second = put(tmp_path / "p/CLAUDE.md", "claude")
    found = find(tmp_path, "pi")
    assert texts(found) == ["agents"]
    assert came_of(found, first) == ("loaded", "")
    assert came_of(found, second) == ("hidden", f"by {first}")
    assert found.diagnostics == ()


def test_claude_md_counts_alone(tmp_path: Path) -> None:
    """Without an AGENTS.md, CLAUDE.md is loaded."""
    put(tmp_path / "p/CLAUDE.md", "claude")
    assert texts(find(tmp_path, "pi")) == ["claude"]


def test_an_empty_agents_md_shadows_with_a_warning(tmp_path: Path) -> None:
    """An empty AGENTS.md is cleared, shadows CLAUDE.md all the same, and a warning says what to do."""
    first = put(tmp_path / "p/AGENTS.md", "\n")
    second = put(tmp_path / "p/CLAUDE.md", "claude")
    found = find(tmp_path, "pi")
    assert texts(found) == []
    assert came_of(found, first) == ("cleared", "it is empty")
    assert came_of(found, second) == ("hidden", f"by {first}")
    expected = f"warning: skipped: {first} comes first, but is empty; delete that file or write into it"
    assert said(found, second) == expected


def test_an_unreadable_agents_md_gives_way() -> None:
    """Where AGENTS.md can't be read, CLAUDE.md is loaded and the failure is reported."""
    world = FakeWorld({"/p/AGENTS.md": "agents", "/p/CLAUDE.md": "claude"}, unreadable=("/p/AGENTS.md",))
    found = overture.discover("pi", world=world)
    assert texts(found) == ["claude"]
    assert came_of(found, "/p/AGENTS.md") == ("unreadable", "permission denied")
    assert came_of(found, "/p/CLAUDE.md") == ("loaded", "")


def test_a_linked_claude_md_counts_once(tmp_path: Path) -> None:
    """The usual link from CLAUDE.md to AGENTS.md gives one file and no line."""
    put(tmp_path / "p/AGENTS.md", "agents")
    second = link(tmp_path / "p/CLAUDE.md", "AGENTS.md")
    found = find(tmp_path, "pi")
    assert texts(found) == ["agents"]
    assert came_of(found, second)[0] == "duplicate"
    assert found.diagnostics == ()


def test_an_agents_md_that_is_its_parents_shadows_too(tmp_path: Path) -> None:
    """An AGENTS.md that is a link to one already loaded still comes before the CLAUDE.md beside it."""
    (tmp_path / ".git").mkdir()
    put(tmp_path / "AGENTS.md", "agents")
    link(tmp_path / "p/AGENTS.md", "../AGENTS.md")
    second = put(tmp_path / "p/CLAUDE.md", "claude")
    found = find(tmp_path, "pi")
    assert texts(found) == ["agents"]
    assert came_of(found, tmp_path / "AGENTS.md")[0] == "duplicate"
    assert came_of(found, second)[0] == "hidden"


def test_the_global_file_counts_once_from_its_own_folder(tmp_path: Path) -> None:
    """With the folder of the global AGENTS.md as working directory, that file is in the prompt once."""
    put(tmp_path / "home/.sf/agent/AGENTS.md", "global")
    assert texts(find(tmp_path, "pi", cwd="home/.sf/agent")) == ["global"]


def test_skills_from_ancestors_and_home(tmp_path: Path) -> None:
    """Skills come from both folders of the working directory and its ancestors, then from home."""
    for place in (".sf/skills/f", ".agents/skills/e", "p/.sf/skills/d", "p/.agents/skills/c"):
        put_skill(tmp_path / place)
    put_skill(tmp_path / "home/.sf/agent/skills/b")
    put_skill(tmp_path / "home/.agents/skills/a")
    assert names(find(tmp_path, "pi")) == ["a", "b", "c", "d", "e", "f"]


def test_the_nearest_skill_wins(tmp_path: Path) -> None:
    """Of skills with one name the nearest wins: .sf before .agents, cwd before ancestors, project before home."""
    places = (
        "p/.sf/skills",
        "p/.agents/skills",
        ".sf/skills",
        ".agents/skills",
        "home/.sf/agent/skills",
        "home/.agents/skills",
    )
    files = [put_skill(tmp_path / place / "same", f"name: same\ndescription: {place}.") for place in places]
    found = find(tmp_path, "pi")
    assert [skill.location for skill in found.state.skills] == [str(files[0])]
    for loser in files[1:]:
        assert came_of(found, loser, "skill") == ("hidden", f"by {files[0]}")
        assert str(files[0]) in said(found, loser)


def test_nested_skills_are_found(tmp_path: Path) -> None:
    """A skill may lie in folders below a skill folder; below a skill nothing is searched."""
    put_skill(tmp_path / "p/.sf/skills/group/inner/deep")
    put_skill(tmp_path / "p/.sf/skills/outer")
    put_skill(tmp_path / "p/.sf/skills/outer/below")
    assert names(find(tmp_path, "pi")) == ["deep", "outer"]


def test_home_among_the_ancestors_is_searched_once(tmp_path: Path) -> None:
    """Where home lies above the working directory, its skills are found once and called no duplicates."""
    put_skill(tmp_path / "home/.agents/skills/mine")
    found = find(tmp_path, "pi", cwd="home/p")
    assert names(found) == ["mine"]
    assert [look for look in found.looked_at if look.outcome == "duplicate"] == []
    looked = [(look.path, look.what) for look in found.looked_at]
    assert len(looked) == len(set(looked))


def test_too_many_folders_end_with_a_warning(tmp_path: Path) -> None:
    """A skill folder with thousands of folders is given up with a warning."""
    for n in range(2100):
        (tmp_path / f"p/.agents/skills/{n // 50:02}/{n:04}").mkdir(parents=True)
    found = find(tmp_path, "pi")
    expected = "warning: more than 2,000 folders: deeper folders were not searched"
    assert lines(found, tmp_path / "p/.agents/skills") == [expected]


def test_system_md_of_the_project_wins(tmp_path: Path) -> None:
    """The project's SYSTEM.md replaces the base; the global one is shadowed, never added."""
    first = put(tmp_path / "p/.sf/SYSTEM.md", "\nProject base.\n")
    second = put(tmp_path / "home/.sf/agent/SYSTEM.md", "Global base.")
    found = find(tmp_path, "pi")
    text = overture.build("pi", found.state).text
    assert text.startswith("Project base.")
    assert "Global base." not in text
    assert came_of(found, first, "system") == ("loaded", "")
    assert came_of(found, second, "system") == ("hidden", f"by {first}")
    assert found.state.origins["overrides.system"].path == str(first)
    assert found.state.origins["overrides.system"].line == 2


def test_system_md_of_home_counts_alone(tmp_path: Path) -> None:
    """Without one in the project, the global SYSTEM.md replaces the base; those of ancestors do not count."""
    put(tmp_path / ".sf/SYSTEM.md", "Ancestor base.")
    second = put(tmp_path / "home/.sf/agent/SYSTEM.md", "Global base.")
    found = find(tmp_path, "pi")
    assert overture.build("pi", found.state).text.startswith("Global base.")
    assert came_of(found, tmp_path / "p/.sf/SYSTEM.md", "system") == ("absent", "")
    assert came_of(found, second, "system") == ("loaded", "")


def test_a_cleared_system_md_empties_the_base(tmp_path: Path) -> None:
    """An empty SYSTEM.md means an empty base, not the global one, and a diagnostic says so."""
    first = put(tmp_path / "p/.sf/SYSTEM.md", "\ufeff\n")
    second = put(tmp_path / "home/.sf/agent/SYSTEM.md", "Global base.")
    found = find(tmp_path, "pi")
    assert found.state.overrides is not None
    assert found.state.overrides.system == ""
    assert came_of(found, first, "system") == ("cleared", "it is empty")
    assert came_of(found, second, "system") == ("hidden", f"by {first}")
    prompt = overture.build("pi", found.state)
    assert prompt.text.startswith("Current date and time: ")
    assert [d for d in prompt.diagnostics if "SYSTEM.md" in f"{d.path} {d.message}"]


def test_append_is_found_on_its_own(tmp_path: Path) -> None:
    """APPEND_SYSTEM.md is chosen apart from SYSTEM.md, project before global."""
    put(tmp_path / "p/.sf/SYSTEM.md", "Project base.")
    put(tmp_path / "home/.sf/agent/APPEND_SYSTEM.md", "Global end.")
    found = find(tmp_path, "pi")
    assert overture.build("pi", found.state).text.startswith("Project base.\n\nGlobal end.\n\n")
    put(tmp_path / "p/.sf/APPEND_SYSTEM.md", "Project end.")
    found = find(tmp_path, "pi")
    assert overture.build("pi", found.state).text.startswith("Project base.\n\nProject end.\n\n")
    assert came_of(found, tmp_path / "home/.sf/agent/APPEND_SYSTEM.md", "append")[0] == "hidden"


def test_an_unreadable_system_md_gives_way() -> None:
    """Where the project's SYSTEM.md can't be read, the global one counts and the failure is reported."""
    files = {"/p/.sf/SYSTEM.md": "project", "/home/user/.sf/agent/SYSTEM.md": "global"}
    found = overture.discover("pi", world=FakeWorld(files, unreadable=("/p/.sf/SYSTEM.md",)))
    assert found.state.overrides is not None
    assert found.state.overrides.system == "global"
    assert said(found, "/p/.sf/SYSTEM.md") == "warning: skipped: permission denied"


def test_system_md_may_be_a_link_to_agents_md(tmp_path: Path) -> None:
    """One file may serve two purposes: a SYSTEM.md that is a link to AGENTS.md is not lost."""
    put(tmp_path / "p/AGENTS.md", "text")
    link(tmp_path / "p/.sf/SYSTEM.md", "../AGENTS.md")
    found = find(tmp_path, "pi")
    assert texts(found) == ["text"]
    assert found.state.overrides is not None
    assert found.state.overrides.system == "text"


def test_the_folder_is_a_setting(tmp_path: Path) -> None:
    """The setting `folder` renames .sf in every place."""
    put(tmp_path / "p/overture.toml", '[recipes.pi]\nfolder = ".pi"\n')
    put(tmp_path / "p/.sf/SYSTEM.md", "Old base.")
    put(tmp_path / "p/.pi/SYSTEM.md", "New base.")
    put(tmp_path / "home/.pi/agent/AGENTS.md", "global")
    put(tmp_path / "home/.sf/agent/AGENTS.md", "old global")
    put_skill(tmp_path / "p/.pi/skills/one")
    put_skill(tmp_path / "home/.pi/agent/skills/two")
    put_skill(tmp_path / "p/.sf/skills/old")
    found = find(tmp_path, "pi")
    assert found.state.overrides is not None
    assert found.state.overrides.system == "New base."
    assert (texts(found), names(found)) == (["global"], ["one", "two"])
    old = [look for look in found.looked_at if ".sf" in look.path.removeprefix(str(tmp_path))]
    assert [look.outcome for look in old] == ["unread"]
