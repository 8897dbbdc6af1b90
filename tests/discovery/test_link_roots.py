"""How far links may lead: within the project for what lies in it, within home for what lies above it under home."""

from pathlib import Path

import pytest

import overture
from overture import Discovery
from overture.model.state.reasons import HOW_TO_READ
from overture.testing import FakeWorld
from tests.contract.discovery.disk import came_of, find, link, names, put, put_skill, texts

HOME = "/home/user"
SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\n"


def seen(
    files: dict[str, str], links: dict[str, str], cwd: str, recipe: str = "opal", root: str | None = None
) -> Discovery:
    """What is found from `cwd` up, in a world where home is /home/user."""
    return overture.discover(recipe, cwd=cwd, root=root, world=FakeWorld(files, links=links, cwd=cwd))


def outcome(found: Discovery, path: str) -> str:
    """What came of a project file."""
    return came_of(found, path)[0]


def test_a_file_above_the_project_links_to_a_dotfiles_folder() -> None:
    """Above a repository and under home, a link may lead anywhere under home."""
    files = {f"{HOME}/p/.git/HEAD": "", f"{HOME}/dotfiles/AGENTS.md": "Mine.", f"{HOME}/p/AGENTS.md": "Project."}
    links = {f"{HOME}/AGENTS.md": "dotfiles/AGENTS.md"}
    assert texts(seen(files, links, f"{HOME}/p")) == ["Mine.", "Project."]


@pytest.mark.parametrize("target", ["/etc/passwd", "/home/other/AGENTS.md", f"{HOME}x/AGENTS.md"])
def test_but_not_out_of_home(target: str) -> None:
    """A link above the project that leaves home is refused, and the line names home."""
    files = {f"{HOME}/p/.git/HEAD": "", target: "secret"}
    found = seen(files, {f"{HOME}/AGENTS.md": target}, f"{HOME}/p")
    assert found.state.context_files == ()
    [note] = found.diagnostics
    where = f"outside {HOME}: {target} (6 bytes), {HOME}/AGENTS.md is a symlink"
    assert note.message == f"skipped: {where}; {HOW_TO_READ}"


@pytest.mark.parametrize("git", [True, False])
def test_what_lies_in_the_project_stays_there(git: bool) -> None:
    """A link from the project to elsewhere under home is refused, with and without a repository."""
    files = {f"{HOME}/.ssh/id_rsa": "secret", f"{HOME}/AGENTS.md": "Mine.", f"{HOME}/p/OPAL.md": "Project."}
    if git:
        files[f"{HOME}/p/.git/HEAD"] = ""
    found = seen(files, {f"{HOME}/p/AGENTS.md": "../.ssh/id_rsa"}, f"{HOME}/p")
    assert texts(found) == ["Mine.", "Project."]
    assert outcome(found, f"{HOME}/p/AGENTS.md") == "outside"


def test_without_git_the_project_begins_where_something_is_found() -> None:
    """The topmost folder of the walk with a project file in it is the project."""
    files = {"/srv/app/AGENTS.md": "App.", "/srv/app/docs/berths.md": "Berths.", "/srv/notes.md": "Notes."}
    links = {"/srv/app/a/b/AGENTS.md": "../../docs/berths.md", "/srv/app/a/b/OPAL.md": "/srv/notes.md"}
    found = seen(files, links, "/srv/app/a/b")
    assert texts(found) == ["App.", "Berths."]
    assert came_of(found, "/srv/app/a/b/OPAL.md") == (
        "outside",
        f"outside the project: /srv/notes.md (6 bytes), /srv/app/a/b/OPAL.md is a symlink; {HOW_TO_READ}",
    )


def test_what_a_user_keeps_in_home_makes_no_project_of_it() -> None:
    """For whoever works below home without git, home and what lies above it are no project."""
    files = {
        f"{HOME}/AGENTS.md": "Mine.",
        "/home/AGENTS.md": "All.",
        f"{HOME}/.agents/skills/x/SKILL.md": SKILL.format("x"),
        f"{HOME}/.ssh/id_rsa": "secret",
    }
    for recipe in ("opal", "pi", "house"):
        found = seen(files, {f"{HOME}/unpacked/AGENTS.md": "../.ssh/id_rsa"}, f"{HOME}/unpacked", recipe)
        assert outcome(found, f"{HOME}/unpacked/AGENTS.md") == "outside", recipe


def test_home_that_is_a_repository_is_the_project_of_all_that_has_no_other() -> None:
    """With a .git in home, a folder without its own belongs to that repository."""
    files = {f"{HOME}/.git/HEAD": "", f"{HOME}/dotfiles/a.md": "Mine."}
    assert texts(seen(files, {f"{HOME}/p/AGENTS.md": "../dotfiles/a.md"}, f"{HOME}/p")) == ["Mine."]


def test_never_above_the_root() -> None:
    """Where the walk ends below home, links above the project lead no further than that."""
    files = {f"{HOME}/w/p/.git/HEAD": "", f"{HOME}/dotfiles/a.md": "Mine.", f"{HOME}/w/b.md": "Work."}
    links = {f"{HOME}/w/AGENTS.md": "../dotfiles/a.md", f"{HOME}/w/OPAL.md": "b.md"}
    found = seen(files, links, f"{HOME}/w/p", root=f"{HOME}/w")
    assert texts(found) == ["Work."]
    assert outcome(found, f"{HOME}/w/AGENTS.md") == "outside"
    without = seen(
        {"/srv/AGENTS.md": "Top.", "/srv/x.md": "X."}, {"/srv/a/b/AGENTS.md": "../../x.md"}, "/srv/a/b", root="/srv/a"
    )
    assert outcome(without, "/srv/a/b/AGENTS.md") == "outside"


def test_skills_that_a_dotfiles_folder_holds(tmp_path: Path) -> None:
    """pi searches the folders above too: what ~/.agents/skills links to under home is found, from any project."""
    put_skill(tmp_path / "home/dotfiles/skills/tide")
    link(tmp_path / "home/.agents/skills", "../dotfiles/skills")
    for project in ("p", "q"):
        put(tmp_path / "home" / project / "AGENTS.md", "Project.")
    (tmp_path / "home/q/.git").mkdir()
    for project in ("p", "q"):
        for recipe in ("pi", "house", "opal"):
            found = find(tmp_path, recipe, cwd=f"home/{project}")
            assert names(found) == ["tide"], (recipe, project)
            assert found.diagnostics == (), (recipe, project)


def test_a_working_directory_behind_a_link(tmp_path: Path) -> None:
    """Below a home that links to a project elsewhere, home's own files may link under home, the project's not."""
    put(tmp_path / "srv/p/.git/HEAD")
    put(tmp_path / "home/dotfiles/AGENTS.md", "Mine.")
    put(tmp_path / "home/secret.md", "secret")
    link(tmp_path / "home/AGENTS.md", "dotfiles/AGENTS.md")
    link(tmp_path / "home/p", "../srv/p")
    link(tmp_path / "srv/p/AGENTS.md", tmp_path / "home/secret.md")
    found = find(tmp_path, cwd="home/p")
    assert texts(found) == ["Mine."]
    assert came_of(found, tmp_path / "home/p/AGENTS.md")[0] == "outside"


def test_a_folder_below_that_leads_to_home_delivers_nothing(tmp_path: Path) -> None:
    """In a session, a folder of the project that is a link to one under home is not looked into."""
    put(tmp_path / "home/private/AGENTS.md", "secret")
    put(tmp_path / "home/p/.git/HEAD")
    link(tmp_path / "home/p/sub", "../private")
    session = overture.Session("house", cwd=tmp_path / "home/p", home=tmp_path / "home", root=tmp_path)
    session.turn("Look.")
    session.refresh(touched=["sub/x.txt"])
    assert not any("secret" in message.text for message in session.turn("Go on.").messages)
