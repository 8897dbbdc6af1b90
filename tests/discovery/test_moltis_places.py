"""Where Moltis looks for project files, skills and workspace files, and what it asks of the machine."""

import pytest

import overture
from overture import Discovery
from overture.discovery.world import World
from overture.testing import FakeWorld

HOME = "/home/user/.moltis"


def find(world: FakeWorld, **more: object) -> Discovery:
    """What Moltis finds in a world."""
    return overture.discover("moltis", world=world, **more)  # type: ignore[arg-type]


def context(found: Discovery) -> list[str]:
    """The paths of the project files, in order."""
    return [file.path for file in found.state.context_files]


def came_of(found: Discovery, path: str) -> list[tuple[str, str]]:
    """What a path was looked at for, and what came of it."""
    return [(look.what, look.outcome) for look in found.looked_at if look.path == path]


def test_project_files_in_order() -> None:
    """Outermost first; in a directory CLAUDE.md, CLAUDE.local.md, the rules sorted, AGENTS.md."""
    names = ("AGENTS.md", "CLAUDE.local.md", ".claude/rules/b.md", ".claude/rules/a.md", "CLAUDE.md")
    world = FakeWorld(
        {f"{folder}/{name}": f"{folder}/{name}" for folder in ("/p/q", "", "/p") for name in names}, cwd="/p/q"
    )
    ordered = ("CLAUDE.md", "CLAUDE.local.md", ".claude/rules/a.md", ".claude/rules/b.md", "AGENTS.md")
    assert context(find(world)) == [f"{folder}/{name}" for folder in ("", "/p", "/p/q") for name in ordered]


def test_rules_are_files_that_match() -> None:
    """Other endings, hidden files and folders are no rules; an empty rule is cleared."""
    world = FakeWorld(
        {
            "/p/.claude/rules/a.md": "A",
            "/p/.claude/rules/b.txt": "B",
            "/p/.claude/rules/.c.md": "C",
            "/p/.claude/rules/d.md/e.md": "E",
            "/p/.claude/rules/f.md": "",
        }
    )
    found = find(world)
    assert context(found) == ["/p/.claude/rules/a.md"]
    assert came_of(found, "/p/.claude/rules/f.md") == [("context", "cleared")]


def test_a_rules_folder_that_leads_out_is_refused() -> None:
    """A linked folder of rules is followed inside the project, and refused once where it leaves it."""
    inside = FakeWorld({"/p/shared/a.md": "A"}, links={"/p/.claude/rules": "../shared"})
    assert context(find(inside)) == ["/p/.claude/rules/a.md"]
    outside = FakeWorld({"/etc/rules/a.md": "A"}, links={"/p/.claude/rules": "/etc/rules"})
    found = find(outside)
    assert context(found) == []
    assert [(d.code, d.path) for d in found.diagnostics] == [("context-outside", "/p/.claude/rules/*.md")]


def test_workspace_files() -> None:
    """AGENTS.md and TOOLS.md of the data directory are workspace files, with their own text."""
    found = find(FakeWorld({f"{HOME}/TOOLS.md": "Prefer rg.\n", f"{HOME}/AGENTS.md": "<!-- a -->\nBe kind.\n"}))
    assert [(f.name, f.path) for f in found.state.workspace_files] == [
        ("AGENTS.md", f"{HOME}/AGENTS.md"),
        ("TOOLS.md", f"{HOME}/TOOLS.md"),
    ]
    prompt = overture.build("moltis", found.state)
    assert "### AGENTS.md (workspace)\n\nBe kind.\n\n### TOOLS.md (workspace)\n\nPrefer rg." in prompt.text
    assert str(prompt.source_at(prompt.text.index("Be kind"))) == f"{HOME}/AGENTS.md:2"


@pytest.mark.parametrize("text", ["", " \n", "<!-- fill me in -->\n"])
def test_an_empty_workspace_file_is_cleared(text: str) -> None:
    """A file that is blank, or holds comments alone, says nothing and is recorded as cleared."""
    found = find(FakeWorld({f"{HOME}/AGENTS.md": text}))
    assert found.state.workspace_files == ()
    assert came_of(found, f"{HOME}/AGENTS.md") == [("workspace", "cleared")]
    assert came_of(found, f"{HOME}/TOOLS.md") == [("workspace", "absent")]


def test_a_workspace_file_on_the_walk_is_on_record_for_both() -> None:
    """The record says that it was loaded, and why it is no project file."""
    found = find(FakeWorld({f"{HOME}/AGENTS.md": "Be kind."}, cwd=HOME))
    assert came_of(found, f"{HOME}/AGENTS.md") == [("workspace", "loaded"), ("context", "duplicate")]
    [detail] = [look.detail for look in found.looked_at if look.outcome == "duplicate"]
    assert detail == "it is a workspace file"


def test_an_empty_workspace_file_is_no_project_file_either() -> None:
    """A workspace file of comments alone does not come back, comments and all, as project context."""
    found = find(FakeWorld({f"{HOME}/AGENTS.md": "<!-- fill me in -->"}, cwd=HOME))
    assert (found.state.workspace_files, context(found)) == ((), [])


def test_a_workspace_file_by_another_name_is_loaded_once() -> None:
    """Of a workspace file and a project file that are one by a link, the project's name is nearer, and stays."""
    to_it = FakeWorld(
        {f"{HOME}/AGENTS.md": "Be kind."}, links={f"{HOME}/boat/CLAUDE.md": "../AGENTS.md"}, cwd=f"{HOME}/boat"
    )
    from_it = FakeWorld(
        {f"{HOME}/boat/CLAUDE.md": "Be kind."}, links={f"{HOME}/AGENTS.md": "boat/CLAUDE.md"}, cwd=f"{HOME}/boat"
    )
    for world in (to_it, from_it):
        found = find(world, config={"features.links.outside": True})
        assert found.state.workspace_files == ()
        assert context(found) == [f"{HOME}/boat/CLAUDE.md"]
        assert ("workspace", "duplicate") in came_of(found, f"{HOME}/AGENTS.md")


def test_house_keeps_its_workspace_file_too() -> None:
    """In house's own folder TOOLS.md is a workspace file, also where the configuration names it a project file."""
    world = FakeWorld({"/home/user/.agents/TOOLS.md": "Prefer rg."}, cwd="/home/user/.agents")
    found = overture.discover("house", world=world, config={"features.context.filenames": ["TOOLS.md"]})
    assert [file.name for file in found.state.workspace_files] == ["TOOLS.md"]
    assert found.state.context_files == ()


def test_a_file_of_home_that_lies_on_the_walk_is_the_first_of_its_folder() -> None:
    """Where one file a folder counts, the user's own AGENTS.md is that file in its folder too."""
    for recipe, folder in (("pi", "/home/user/.sf/agent"), ("house", "/home/user/.agents")):
        world = FakeWorld({f"{folder}/AGENTS.md": "Mine.", f"{folder}/CLAUDE.md": "Not read."}, cwd=folder)
        found = overture.discover(recipe, world=world)
        assert context(found) == [f"{folder}/AGENTS.md"], recipe
        assert came_of(found, f"{folder}/CLAUDE.md") == [("context", "hidden")], recipe


def test_a_session_does_not_deliver_a_workspace_file_as_nested_context() -> None:
    """A tool that works in the data directory does not bring its files a second time, as project context."""
    world = FakeWorld({f"{HOME}/AGENTS.md": "Be kind.", f"{HOME}/notes.txt": ""}, cwd="/home/user")
    session = overture.Session("moltis", world=world)
    session.turn("Look.")
    session.refresh(touched=[f"{HOME}/notes.txt"])
    turn = session.turn("Go on.")
    assert turn.prompt.text.count("Be kind.") == 1
    assert not any("Be kind." in message.text for message in turn.messages)


def test_skills_of_project_and_home() -> None:
    """Skills lie in `.moltis/skills` of the working directory and of home; the project's wins."""
    skill = "---\nname: {}\ndescription: From {}.\n---\n"
    world = FakeWorld(
        {
            "/p/.moltis/skills/pdf/SKILL.md": skill.format("pdf", "project"),
            f"{HOME}/skills/pdf/SKILL.md": skill.format("pdf", "home"),
            f"{HOME}/skills/commit/SKILL.md": skill.format("commit", "home"),
        }
    )
    found = find(world)
    assert [(s.name, s.description) for s in found.state.skills] == [("commit", "From home."), ("pdf", "From project.")]
    assert f'path="{HOME}/skills/commit"' in overture.build("moltis", found.state).text


@pytest.mark.parametrize("sudo", [True, False, None])
def test_sudo(sudo: bool | None) -> None:
    """Where the configuration asks for it, what sudo said is told; no answer in time is not told at all."""
    ask = {"features.sudo.enabled": True}
    found = overture.discover("moltis", world=FakeWorld(host="box", sudo=sudo), config=ask)
    text = overture.build("moltis", found.state).text
    assert "Host: host=box | os=linux | arch=x86_64" in text
    said = {True: "sudo_non_interactive=true", False: "sudo_non_interactive=false"}
    assert [words in text for words in said.values()] == [sudo is True, sudo is False]


def test_provider_and_model_are_not_guessed() -> None:
    """What the machine can't know is not told."""
    runtime = find(FakeWorld(environment={"OPENAI_API_KEY": "x"})).state.runtime
    assert runtime is not None
    assert (runtime.provider, runtime.model, runtime.session, runtime.sandbox) == (None, None, None, None)


def test_the_real_machine_answers() -> None:
    """Every question has an answer here too."""
    world = World()
    system, processor = world.machine.platform()
    assert world.machine.host()
    assert system
    assert processor
    assert world.machine.sudo() in (True, False, None)
