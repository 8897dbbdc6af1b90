"""Of project files that say the same the nearest stays, and the others are reported."""

from pathlib import Path

import pytest

import overture
from overture import Session
from overture.testing import FakeWorld

from ..cli.run import run
from .disk import came_of, find, lines, link, paths, put, texts

RECIPES = ("opal", "pi", "moltis", "house")
NAMES = {"opal": ("AGENTS.md", "OPAL.md"), "moltis": ("CLAUDE.md", "AGENTS.md")}
"""The two names of a recipe, the one that it reads first at first; for the others AGENTS.md and CLAUDE.md."""
BOTH = ("opal", "moltis")
"""They read both names of a folder; for the others the first shadows the second."""
INIT = "This file provides guidance to Claude Code (claude.ai/code) when working with code in this repository."
GUIDE = "".join(f"- Rule number {i} of this project.\n" for i in range(20))


def two(recipe: str) -> tuple[str, str]:
    """The two names that a recipe looks for in each folder."""
    return NAMES.get(recipe, ("AGENTS.md", "CLAUDE.md"))


@pytest.mark.parametrize("recipe", RECIPES)
def test_two_files_of_the_same_bytes_count_once(tmp_path: Path, recipe: str) -> None:
    """The text is in the prompt once, and the record of the other names the first."""
    first, second = (put(tmp_path / "p" / name, GUIDE) for name in two(recipe))
    found = find(tmp_path, recipe)
    assert paths(found) == [str(first)]
    assert came_of(found, second) == ("duplicate", f"the same text as {first}")
    assert overture.build(recipe, found.state).text.count("Rule number 7 ") == 1
    reported = [f"warning: {second}: skipped: the same text as {first}"]
    assert [str(note) for note in found.diagnostics] == (reported if recipe in BOTH else [])


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("turned", [False, True])
def test_a_link_to_the_other_counts_once(tmp_path: Path, recipe: str, turned: bool) -> None:
    """Whichever of the two is the link, the record says that they are one file, by a link."""
    first, second = two(recipe)[::-1] if turned else two(recipe)
    put(tmp_path / "p" / first, GUIDE)
    link(tmp_path / "p" / second, first)
    found = find(tmp_path, recipe)
    taken, other = (tmp_path / "p" / name for name in two(recipe))
    assert paths(found) == [str(taken)]
    assert came_of(found, other) == ("duplicate", f"the same file as {taken}, by a link")
    assert [note.level for note in found.diagnostics] == (["info"] if recipe in BOTH else [])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "form",
    [
        *("@{}", "@./{}\n", "\n\n@{}\n\n", "<!-- One file for all agents. -->\n@{}\n", "@{}\n<!-- a\nb -->\n"),
        *("See @{}", "# CLAUDE.md\n\n- Read @{}\n", f"# CLAUDE.md\n\n{INIT}\n\nSee @{{}}\n"),
    ],
)
def test_house_follows_a_file_that_only_imports_the_other(tmp_path: Path, turned: bool, form: str) -> None:
    """Whichever of the two imports, the text that it stands for is in the prompt, once, and the import is not."""
    full, short = two("house")[::-1] if turned else two("house")
    guide = put(tmp_path / "p" / full, GUIDE)
    other = put(tmp_path / "p" / short, form.format(full))
    found = find(tmp_path, "house")
    assert paths(found) == [str(guide)]
    assert came_of(found, other) == ("duplicate", f"it only imports {guide}")
    assert f"@{full}" not in overture.build("house", found.state).text
    assert [note.level for note in found.diagnostics] == (["info"] if turned else [])


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis"])
@pytest.mark.parametrize("turned", [False, True])
def test_without_imports_such_a_file_is_text_as_any_other(tmp_path: Path, recipe: str, turned: bool) -> None:
    """opal, pi and moltis know no imports: `@CLAUDE.md` stands in the prompt as it is, and a warning says so."""
    full, short = two(recipe)[::-1] if turned else two(recipe)
    put(tmp_path / "p" / full, GUIDE)
    other = put(tmp_path / "p" / short, f"@{full}\n")
    found = find(tmp_path, recipe)
    said = [str(tmp_path / "p" / name) for name in two(recipe)]
    assert paths(found) == (said if recipe in BOTH else said[:1])
    literal = recipe in BOTH or turned
    assert (f"@{full}" in overture.build(recipe, found.state).text) == literal
    assert [note.code for note in found.diagnostics if note.path == str(other)] == ["context-import"] * literal


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("chain", [False, True])
def test_an_import_of_a_file_that_is_loaded_by_itself_loses_nothing(tmp_path: Path, turned: bool, chain: bool) -> None:
    """moltis reads CLAUDE.md, CLAUDE.local.md and AGENTS.md: to copy the text into another would repeat it."""
    full, short = two("moltis")[::-1] if turned else two("moltis")
    guide = put(tmp_path / "p" / full, GUIDE)
    between = "CLAUDE.local.md" if chain else full
    other = put(tmp_path / "p" / short, f"@{between}\n")
    if chain:
        put(tmp_path / "p/CLAUDE.local.md", f"@{full}\n")
    assert lines(find(tmp_path, "moltis"), other) == [
        f"info: it only imports {tmp_path}/p/{between}; imports are not followed, but {guide} is loaded by itself"
    ]


@pytest.mark.parametrize("inner", ["@AGENTS.md\n", "@gone.md\n"])
def test_imports_that_end_in_no_text_are_a_warning(tmp_path: Path, inner: str) -> None:
    """In a circle, and where the imported file only imports one that is not read."""
    put(tmp_path / "p/CLAUDE.md", inner)
    other = put(tmp_path / "p/AGENTS.md", "@CLAUDE.md\n")
    [said] = lines(find(tmp_path, "moltis"), other)
    assert said.startswith("warning: ") and "put the text here" in said


def test_an_import_of_a_file_above_counts_once(tmp_path: Path) -> None:
    """What a package's file imports from the folder above is there already."""
    guide = put(tmp_path / "p/AGENTS.md", GUIDE)
    other = put(tmp_path / "p/a/CLAUDE.md", "@../AGENTS.md\n")
    found = find(tmp_path, "house", cwd="p/a")
    assert paths(found) == [str(guide)]
    assert came_of(found, other) == ("duplicate", f"it only imports {guide}")


@pytest.mark.parametrize("more", ["Use tabs.\n@{}\n", "# Guide\n@{}\nUse tabs.\n", "@{} and more\n"])
def test_a_file_that_says_more_is_said(tmp_path: Path, more: str) -> None:
    """A file that has words of its own beside the import is in the prompt."""
    put(tmp_path / "p/AGENTS.md", GUIDE)
    other = put(tmp_path / "p/CLAUDE.md", more.format("AGENTS.md"))
    assert str(other) in paths(find(tmp_path, "moltis"))


def test_an_import_that_nobody_reads_is_reported(tmp_path: Path) -> None:
    """A file that holds nothing but an import which is not followed says so: the model would see an @ and a path."""
    put(tmp_path / "p/docs/guide.md", GUIDE)
    path = put(tmp_path / "p/AGENTS.md", "@docs/guide.md\n")
    found = find(tmp_path, "house")
    assert lines(found, path) == [
        f"warning: it only imports {tmp_path}/p/docs/guide.md, but imports are not followed; "
        'put the text here, or load that file: features.context.filenames = ["AGENTS.md", "CLAUDE.md", "docs/guide.md"]'
    ]


def test_two_files_that_import_each_other_are_not_both_lost(tmp_path: Path) -> None:
    """A circle leaves one of them in the prompt."""
    put(tmp_path / "p/CLAUDE.md", "@AGENTS.md")
    put(tmp_path / "p/AGENTS.md", "@CLAUDE.md")
    assert paths(find(tmp_path, "house")) != []


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_same_text_in_two_folders_counts_once(tmp_path: Path, recipe: str) -> None:
    """The nearer one is said, and a warning names the other."""
    outer = put(tmp_path / "p/AGENTS.md", GUIDE)
    inner = put(tmp_path / "p/a/AGENTS.md", b"\xef\xbb\xbf" + GUIDE.replace("\n", "\r\n").encode())
    found = find(tmp_path, recipe, cwd="p/a")
    assert paths(found) == [str(inner)]
    assert came_of(found, outer) == ("duplicate", f"the same text as {inner}")
    assert lines(found, outer) == [f"warning: skipped: the same text as {inner}"]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("how", ["copy", "link", "hard link"])
def test_of_equal_texts_the_nearest_overrides_what_stands_between(tmp_path: Path, recipe: str, how: str) -> None:
    """Tabs above, spaces between, tabs here: spaces come first and tabs last, also where both are one file."""
    outer = put(tmp_path / "p/AGENTS.md", "Use tabs.")
    put(tmp_path / "p/a/AGENTS.md", "Use spaces.")
    inner = tmp_path / "p/a/b/AGENTS.md"
    if how == "link":
        link(inner, "../../AGENTS.md")
    elif how == "hard link":
        inner.parent.mkdir()
        inner.hardlink_to(outer)
    else:
        put(inner, "Use tabs.")
    (tmp_path / ".git").mkdir()
    found = find(tmp_path, recipe, cwd="p/a/b")
    assert texts(found) == ["Use spaces.", "Use tabs."]
    assert paths(found)[-1] == str(inner)
    same = {"copy": "text as {}", "link": "file as {}, by a link", "hard link": "file as {}"}[how].format(inner)
    assert lines(found, outer) == [f"{'warning' if how == 'copy' else 'info'}: skipped: the same {same}"]


@pytest.mark.parametrize("recipe", ["pi", "house"])
def test_a_copy_of_the_users_own_file_is_said_where_the_project_has_it(tmp_path: Path, recipe: str) -> None:
    """The file under home is far from every project: it is the one that is skipped."""
    far = put(tmp_path / ("home/.sf/agent/AGENTS.md" if recipe == "pi" else "home/.agents/AGENTS.md"), "Use tabs.")
    put(tmp_path / "p/AGENTS.md", "Use spaces.")
    near = put(tmp_path / "p/a/AGENTS.md", "Use tabs.")
    found = find(tmp_path, recipe, cwd="p/a")
    assert texts(found) == ["Use spaces.", "Use tabs."]
    assert lines(found, far) == [f"warning: skipped: the same text as {near}"]


def test_of_copies_in_one_folder_the_first_stays_unless_another_text_stands_between(tmp_path: Path) -> None:
    """moltis reads CLAUDE.md, CLAUDE.local.md, AGENTS.md: the last word of the folder is still its last word."""
    for name, text in (("CLAUDE.md", "Use tabs."), ("CLAUDE.local.md", "Use spaces."), ("AGENTS.md", "Use tabs.")):
        put(tmp_path / "p" / name, text)
    assert texts(find(tmp_path, "moltis")) == ["Use spaces.", "Use tabs."]


def test_an_import_near_by_is_said_in_its_place(tmp_path: Path) -> None:
    """A file that house reads as the text of one further up overrides what stands between the two."""
    guide = put(tmp_path / "p/AGENTS.md", "Use tabs.")
    put(tmp_path / "p/a/AGENTS.md", "Use spaces.")
    put(tmp_path / "p/a/b/CLAUDE.md", "@../../AGENTS.md")
    found = find(tmp_path, "house", cwd="p/a/b")
    assert texts(found) == ["Use spaces.", "Use tabs."]
    assert paths(found)[-1] == str(guide)


def test_every_file_that_is_skipped_is_on_standard_error_and_in_the_turn(tmp_path: Path) -> None:
    """`build` prints a line for each; a turn's prompt carries it; a link alone does not fail --strict."""
    (tmp_path / "home").mkdir()
    outer = put(tmp_path / "p/CLAUDE.md", "Use tabs.")
    linked = link(tmp_path / "p/AGENTS.md", "CLAUDE.md")
    where = ["--cwd", str(tmp_path / "p"), "--home", str(tmp_path / "home"), "--root", str(tmp_path)]
    done = run("build", "moltis", "--strict", *where)
    assert (done.returncode, done.stderr) == (0, f"info: {linked}: skipped: the same file as {outer}, by a link\n")
    put(tmp_path / "p/a/CLAUDE.md", "Use tabs.")
    where[1] += "/a"
    done = run("build", "moltis", "--strict", *where)
    assert done.returncode == 1
    assert f"warning: {outer}: skipped: the same text as " in done.stderr
    with Session("moltis", cwd=where[1], home=where[3], root=where[5]) as session:
        notes = session.turn("hi").prompt.diagnostics
    assert {note.path for note in notes if note.code == "context-copy"} == {str(outer), str(linked)}


def test_a_project_file_that_says_what_a_workspace_file_says_counts_once(tmp_path: Path) -> None:
    """The project file is nearer than the data directory; for whoever works in that, its own file is."""
    own = put(tmp_path / "home/.moltis/AGENTS.md", GUIDE)
    other = put(tmp_path / "p/CLAUDE.md", GUIDE)
    found = find(tmp_path, "moltis")
    assert found.state.workspace_files == ()
    assert paths(found) == [str(other)]
    assert came_of(found, own, "workspace") == ("duplicate", f"the same text as {other}")
    put(tmp_path / "home/CLAUDE.md", GUIDE)
    found = find(tmp_path, "moltis", cwd="home/.moltis")
    assert [file.path for file in found.state.workspace_files] == [str(own)]
    assert found.state.context_files == ()


def test_two_workspace_files_of_one_text_count_once(tmp_path: Path) -> None:
    """So do two files of the data directory."""
    first = put(tmp_path / "home/.moltis/AGENTS.md", GUIDE)
    second = put(tmp_path / "home/.moltis/TOOLS.md", GUIDE)
    found = find(tmp_path, "moltis")
    assert [file.path for file in found.state.workspace_files] == [str(first)]
    assert came_of(found, second, "workspace") == ("duplicate", f"the same text as {first}")


def test_an_unchanged_copy_is_not_read_again() -> None:
    """Since an earlier discovery nothing is read, and objects, record and lines are the same."""
    world = FakeWorld({"/p/AGENTS.md": GUIDE, "/p/CLAUDE.md": GUIDE + "More than that.\n", "/GEMINI.md": GUIDE})
    for recipe in ("house", "moltis"):
        first = overture.discover(recipe, world=world)
        world.reads.clear()
        second = overture.discover(recipe, world=world, since=first)
        assert world.reads == []
        assert second.state.context_files is first.state.context_files
        assert (second.looked_at, second.diagnostics) == (first.looked_at, first.diagnostics)


def test_a_copy_that_changes_is_said_again() -> None:
    """Once the second file says something else, a session says both; and once again when it is a copy again."""
    world = FakeWorld({"/p/CLAUDE.md": "Use tabs.", "/p/AGENTS.md": "Use tabs."})
    session = Session("moltis", world=world)
    assert session.turn("hi").prompt.text.count("Use tabs.") == 1
    world.files["/p/AGENTS.md"] = b"Use tabs. And test."
    session.reload()
    assert session.turn("hi").prompt.text.count("Use tabs.") == 2
    world.files["/p/AGENTS.md"] = b"Use tabs."
    session.reload()
    assert session.turn("hi").prompt.text.count("Use tabs.") == 1


def test_a_nested_file_that_says_what_the_prompt_says_is_not_delivered() -> None:
    """A package's file of the same text as the project's, or that only imports it, brings no message."""
    world = FakeWorld(
        {
            "/p/AGENTS.md": GUIDE,
            "/p/a/AGENTS.md": GUIDE,
            "/p/b/CLAUDE.md": "@../AGENTS.md",
            "/p/c/CLAUDE.md": "@AGENTS.md",
            "/p/c/AGENTS.md": "For c.",
        }
    )
    session = Session("house", world=world)
    session.turn("hi")
    session.refresh(touched=["a/x.py", "b/x.py", "c/x.py"])
    delivered = [message.text for message in session.turn("go on").messages if message.kind == "context"]
    assert len(delivered) == 1
    assert "For c." in delivered[0]
    skipped = [note.path for note in session.record[-1].diagnostics if note.code == "context-copy"]
    assert skipped == ["/p/a/AGENTS.md", "/p/b/CLAUDE.md"]


def test_a_nested_copy_is_delivered_where_another_text_stands_between() -> None:
    """Tabs in the prompt, spaces below, tabs below that: whoever works at the bottom is told to use tabs."""
    world = FakeWorld({"/p/AGENTS.md": "Use tabs.", "/p/a/AGENTS.md": "Use spaces.", "/p/a/b/AGENTS.md": "Use tabs."})
    session = Session("house", world=world)
    session.turn("hi")
    session.refresh(touched=["a/b/x.py"])
    delivered = [message.text for message in session.turn("go on").messages if message.kind == "context"]
    assert ["Use spaces." in delivered[0], "Use tabs." in delivered[1]] == [True, True]


def test_a_file_that_is_added_and_says_the_same_counts_once() -> None:
    """Context that a program adds to a session is not said a second time."""
    world = FakeWorld({"/p/AGENTS.md": GUIDE, "/elsewhere/team.md": GUIDE})
    session = Session("house", world=world)
    session.add_resources(context=["/elsewhere/team.md"])
    assert session.turn("hi").prompt.text.count("Rule number 7 ") == 1


def test_what_is_unread_and_says_the_same_is_a_duplicate(tmp_path: Path) -> None:
    """GEMINI.md that links to, copies or imports what is read needs no setting: it is there already."""
    guide = put(tmp_path / "p/AGENTS.md", GUIDE)
    gemini = link(tmp_path / "p/GEMINI.md", "AGENTS.md")
    cursor = put(tmp_path / "p/.cursorrules", GUIDE)
    warp = put(tmp_path / "p/WARP.md", "@AGENTS.md\n")
    found = find(tmp_path, "house")
    assert came_of(found, gemini) == ("duplicate", f"the same file as {guide}, by a link")
    assert came_of(found, cursor) == ("duplicate", f"the same text as {guide}")
    assert came_of(found, warp) == ("duplicate", f"it only imports {guide}")
    assert texts(found) == [GUIDE.rstrip()]


def test_links_to_what_is_not_read_are_not_recommended(tmp_path: Path) -> None:
    """A link to a shadowed file, to another tool's file, or a copy of that: only the file itself gets a setting."""
    put(tmp_path / "p/AGENTS.md", "agents")
    claude = put(tmp_path / "p/CLAUDE.md", "claude")
    gemini = link(tmp_path / "p/GEMINI.md", "CLAUDE.md")
    assert came_of(find(tmp_path, "house"), gemini) == ("duplicate", f"the same file as {claude}, by a link")
    warp = put(tmp_path / "p/WARP.md", "claude")
    found = find(tmp_path, "opal")
    assert [look.path for look in found.looked_at if look.outcome == "unread"] == [str(claude)]
    assert came_of(found, gemini) == ("duplicate", f"the same file as {claude}, by a link")
    assert came_of(found, warp) == ("duplicate", f"the same text as {claude}")


@pytest.mark.parametrize(
    ("recipe", "end"),
    [
        ("pi", "imports are not followed; put the text here"),
        ("moltis", "imports are not followed, but /p/CLAUDE.md is loaded by itself"),
    ],
)
def test_no_setting_is_proposed_for_a_name_that_is_looked_for(recipe: str, end: str) -> None:
    """Both look for CLAUDE.md already; to name it again would change nothing."""
    world = FakeWorld({"/p/AGENTS.md": "@CLAUDE.md", "/p/CLAUDE.md": "Use tabs."})
    [note] = [note for note in overture.discover(recipe, world=world).diagnostics if note.code == "context-import"]
    assert note.message.endswith(end)
