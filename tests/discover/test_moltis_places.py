"""Where Moltis looks for project files, skills and workspace files, and what it asks of the machine."""

import time

import pytest

import overture
from overture import Found
from overture.discover.host import host_facts
from overture.discover.world import RealWorld
from overture.testing import FakeWorld

HOME = "/home/user/.moltis"


def find(world: FakeWorld, **more: object) -> Found:
    """What Moltis finds in a world."""
    return overture.discover("moltis", world=world, **more)  # type: ignore[arg-type]


def context(found: Found) -> list[str]:
    """The paths of the project files, in order."""
    return [file.path for file in found.state.context_files]


def came_of(found: Found, path: str) -> list[tuple[str, str]]:
    """What a path was looked at for, and what came of it."""
    return [(look.what, look.outcome) for look in found.looked_at if look.path == path]


def test_project_files_in_order() -> None:
    """Outermost first; in a directory CLAUDE.md, CLAUDE.local.md, the rules sorted, AGENTS.md."""
    names = ("AGENTS.md", "CLAUDE.local.md", ".claude/rules/b.md", ".claude/rules/a.md", "CLAUDE.md")
    world = FakeWorld({f"{folder}/{name}": "x" for folder in ("/p/q", "", "/p") for name in names}, cwd="/p/q")
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


def test_rules_that_are_not_there_are_on_record() -> None:
    """A folder without rules is one path in the record, whether it is missing, empty or no folder."""
    for files in ({}, {"/p/.claude/rules/x.txt": ""}, {"/p/.claude/rules": "not a folder"}):
        assert came_of(find(FakeWorld(files)), "/p/.claude/rules/*.md") == [("context", "absent")]


def test_a_rules_folder_that_leads_out_is_refused() -> None:
    """A linked folder of rules is followed inside the project, and refused once where it leaves it."""
    inside = FakeWorld({"/p/shared/a.md": "A"}, links={"/p/.claude/rules": "../shared"})
    assert context(find(inside)) == ["/p/.claude/rules/a.md"]
    outside = FakeWorld({"/etc/rules/a.md": "A"}, links={"/p/.claude/rules": "/etc/rules"})
    found = find(outside)
    assert context(found) == []
    assert [(d.code, d.path) for d in found.diagnostics] == [("context-outside", "/p/.claude/rules/*.md")]


def test_a_rules_folder_that_cannot_be_listed_is_reported() -> None:
    """Permission denied is a diagnostic, and the other files are loaded."""
    world = FakeWorld({"/p/CLAUDE.md": "x", "/p/.claude/rules/a.md": "A"}, unreadable=("/p/.claude/rules",))
    found = find(world)
    assert context(found) == ["/p/CLAUDE.md"]
    assert [d.code for d in found.diagnostics] == ["context-unreadable"]


def test_other_names_can_be_configured() -> None:
    """`features.context.filenames` takes the place of the names, and may hold a `*` too."""
    world = FakeWorld({"/p/CLAUDE.md": "x", "/p/docs/b.md": "B", "/p/docs/a.md": "A"})
    found = find(world, config={"features.context.filenames": ["docs/*.md"]})
    assert context(found) == ["/p/docs/a.md", "/p/docs/b.md"]
    assert came_of(found, "/p/CLAUDE.md") == [("context", "unread")]


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


def test_a_file_is_loaded_once() -> None:
    """Whoever works in the data directory has its AGENTS.md as a project file, and not a second time."""
    world = FakeWorld({f"{HOME}/AGENTS.md": "Be kind."}, cwd=HOME)
    first = find(world)
    assert context(first) == [f"{HOME}/AGENTS.md"]
    assert first.state.workspace_files == ()
    assert came_of(first, f"{HOME}/AGENTS.md") == [("context", "loaded"), ("workspace", "duplicate")]
    assert context(find(world, since=first)) == [f"{HOME}/AGENTS.md"]


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


@pytest.mark.parametrize(
    ("platform", "told"),
    [
        (("Darwin", "arm64"), ("macos", "aarch64")),
        (("Linux", "x86_64"), ("linux", "x86_64")),
        (("Linux", "aarch64"), ("linux", "aarch64")),
        (("Windows", "AMD64"), ("windows", "x86_64")),
        (("FreeBSD", "riscv64"), ("freebsd", "riscv64")),
        (("", ""), (None, None)),
    ],
)
def test_systems_and_processors(platform: tuple[str, str], told: tuple[str | None, str | None]) -> None:
    """Each system and processor has one name, whatever the machine calls it."""
    facts = host_facts(FakeWorld(platform=platform), None)
    assert (facts["os"], facts["arch"]) == told


@pytest.mark.parametrize(
    ("variables", "shell"),
    [
        ({"SHELL": "/bin/zsh"}, "zsh"),
        ({"SHELL": "/opt/homebrew/bin/fish/"}, "fish"),
        ({"COMSPEC": r"C:\Windows\system32\cmd.exe"}, "cmd"),
        ({"SHELL": ""}, None),
        ({}, None),
    ],
)
def test_shell(variables: dict[str, str], shell: str | None) -> None:
    """The shell is the last part of its path."""
    assert host_facts(FakeWorld(environment=variables), None)["shell"] == shell


@pytest.mark.parametrize("sudo", [True, False, None])
def test_sudo(sudo: bool | None) -> None:
    """What sudo said is told as it is; no answer in time is not told at all."""
    text = overture.build("moltis", find(FakeWorld(host="box", sudo=sudo)).state).text
    assert "Host: host=box | os=linux | arch=x86_64" in text
    said = {True: "sudo_non_interactive=true", False: "sudo_non_interactive=false"}
    assert [words in text for words in said.values()] == [sudo is True, sudo is False]


def test_sudo_is_asked_once() -> None:
    """A later discovery keeps the first answer, so that the prompt does not change under a session."""
    world = FakeWorld(sudo=True)
    first = find(world)
    world.passwordless = False
    second = find(world, since=first)
    assert second.state.runtime is first.state.runtime


def test_provider_and_model_are_not_guessed() -> None:
    """What the machine can't know is not told."""
    runtime = find(FakeWorld(environment={"OPENAI_API_KEY": "x"})).state.runtime
    assert runtime is not None
    assert (runtime.provider, runtime.model, runtime.session, runtime.sandbox) == (None, None, None, None)


def test_other_recipes_do_not_ask_the_machine() -> None:
    """Host facts are read for a recipe that wants them, and for no other."""
    runtime = overture.discover("opal", world=FakeWorld(sudo=True)).state.runtime
    assert runtime is not None
    assert (runtime.host, runtime.sudo_non_interactive) == (None, None)


def test_the_real_machine_answers() -> None:
    """Every question has an answer here too, and sudo has to give it in time."""
    world = RealWorld()
    system, processor = world.platform()
    assert world.host()
    assert system
    assert processor
    start = time.monotonic()
    assert world.sudo() in (True, False, None)
    assert time.monotonic() - start < 2
