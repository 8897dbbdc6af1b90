"""No command prints, sends or writes what a project reaches outside itself, unless the user says so."""

import json
import os
import shutil
from pathlib import Path

import pytest

from ..discovery.disk import link, put
from ..discovery.repository import Repo
from .run import run

CANARY = "CANARY"
COMMANDS = [
    *(["build", recipe] for recipe in ("claude-code", "gemini-cli", "crush", "aider", "copilot-vscode", "house")),
    ["build", "house", "--format", "json"],
    ["explain", "gemini-cli", "--all"],
    ["explain", "claude-code", "--why", "CLAUDE.md"],
    ["explain", "gemini-cli", "--json"],
    ["context", "claude-code", "--all"],
    ["context", "gemini-cli", "--by", "file"],
    ["state", "claude-code"],
    ["state", "gemini-cli"],
    ["diff", "claude-code", "gemini-cli"],
    ["diff", "HEAD~1..HEAD", "--recipe", "gemini-cli", "--markdown"],
    ["diff", "HEAD~1..HEAD", "--recipe", "claude-code", "--json"],
    ["diff", "HEAD~1", "--recipe", "gemini-cli"],
    ["check", "claude-code"],
    ["check", "house", "--json"],
    ["lock", "house", "gemini-cli"],
    ["agents"],
    ["agents", "--all", "--json"],
    ["agents", "--files"],
    ["agents", "--markdown"],
    ["agents", "gemini-cli", "--markdown"],
    ["agents", "--why", "CLAUDE.md"],
    ["agents", "diff", "claude-code", "gemini-cli"],
    ["agents", "diff", "claude-code", "gemini-cli", "--markdown"],
    ["agents", "--fix"],
    ["agents", "--fix", "--yes"],
    ["serve", "claude-code", "--save", "report.html", "--with-files"],
    ["serve", "gemini-cli", "--save", "report2.html", "--with-files"],
    ["trust"],
    ["trust", "--json"],
    ["lock"],
    ["check", "--fix"],
    ["agents", "diff", "claude-code", "codex", "--json"],
    ["context", "gemini-cli", "--json"],
]


def make_project(top: Path) -> Path:
    """A project that reaches for files of home by links, settings and imports; the second commit adds all of it."""
    home, project = top / "home", top / "p"
    put(home / ".netrc", f"machine x login {CANARY}-netrc\n")
    put(home / "private/notes.md", f"{CANARY}-notes\n")
    put(home / "private/skills/spy/SKILL.md", f"---\nname: spy\ndescription: {CANARY}-skill\n---\n{CANARY}-body\n")
    put(home / "private/rules/a.md", f"{CANARY}-rule\n")
    put(home / "private/Makefile", f"{CANARY}-target:\n")
    repo = Repo(project)
    repo.commit("First", {"AGENTS.md": "Run `make nothing`.\n", "README.md": "Ours.\n"})
    link(project / "CLAUDE.md", "../home/.netrc")
    link(project / "CLAUDE.local.md", home / "private/notes.md")
    link(project / ".claude/rules", "../../home/private/rules")
    link(project / ".claude/skills", home / "private/skills")
    link(project / ".cursorrules", "../home/.netrc")
    link(project / "Makefile", "../home/private/Makefile")
    named = ["../home/.netrc", str(home / "private/notes.md"), "~/private/notes.md", "../home/private/**/*.md"]
    repo.commit("Second", {
        ".gemini/settings.json": json.dumps({"context": {"fileName": named}}),
        "crush.json": json.dumps({"options": {"context_paths": named, "skills_paths": ["~/private/skills"]}}),
        "opencode.json": json.dumps({"instructions": named, "skills": {"paths": ["../home/private/skills"]}}),
        ".aider.conf.yml": "read:\n" + "".join(f"  - {each}\n" for each in named),
        "GEMINI.md": "@~/private/notes.md\n@../home/.netrc\n@../home/private/notes.md\n",
        "docs/AGENTS.md": "@../../home/private/notes.md\n",
        "overture.toml": 'features.context.filenames = ["AGENTS.md", "../home/.netrc"]\n'
        'features.skills.extra_dirs = ["~/private/skills"]\n',
    })  # fmt: skip
    return project


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, made once."""
    top = tmp_path_factory.mktemp("outside")
    make_project(top)
    return top


@pytest.fixture
def top(made: Path, tmp_path: Path) -> Path:
    """The same for a command that may write."""
    shutil.copytree(made, tmp_path / "t", symlinks=True)
    for path in (tmp_path / "t/p").rglob("*"):
        if path.is_symlink() and os.readlink(path).startswith("/"):
            target = os.readlink(path).replace(str(made), str(tmp_path / "t"))
            path.unlink()
            path.symlink_to(target)
    return tmp_path / "t"


def output(top: Path, *words: str) -> str:
    """All that a command says and writes below the project and in the user's state folder."""
    state = str(top / "state")
    before = {path for path in top.rglob("*") if path.is_file()}
    home = [] if words[0] == "x" else ["--home", str(top / "home")]
    done = run(*words, *home, cwd=top / "p", HOME=str(top / "home"), XDG_STATE_HOME=state, XDG_CACHE_HOME=state)
    assert "Traceback" not in done.stderr
    new = [path for path in top.rglob("*") if path.is_file() and path not in before and not path.is_symlink()]
    return done.stdout + done.stderr + "".join(path.read_text("utf-8", "replace") for path in new)


@pytest.mark.slow(unless=("build claude", "agents", "check"))
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_says_nothing_that_is_outside(top: Path, words: list[str]) -> None:
    """Neither on its streams nor in a file that it writes; and nothing outside the project is changed."""
    said = output(top, *words)
    assert CANARY not in said
    assert (top / "home/.netrc").read_text() == f"machine x login {CANARY}-netrc\n"


@pytest.mark.parametrize(
    "words",
    [["build", "gemini-cli"], ["explain", "claude-code", "--all"], ["agents", "gemini-cli"], ["agents", "--json"],
     ["check", "claude-code"], ["state", "claude-code"]],
    ids=" ".join,
)  # fmt: skip
def test_it_is_named(top: Path, words: list[str]) -> None:
    """With its size, and by which rule it would be loaded."""
    said = " ".join(output(top, *words).split())
    assert "outside the project" in said.lower()
    assert ".netrc" in said
    assert "bytes" in said


@pytest.mark.parametrize(
    "words",
    [["build", "gemini-cli"], ["build", "claude-code"], ["state", "crush"], ["agents", "gemini-cli", "--json"]],
    ids=" ".join,
)
def test_the_user_may_say_so(top: Path, words: list[str]) -> None:
    """--read-outside reads what the agent would."""
    said = output(top, *words, "--read-outside")
    assert CANARY in said or words[0] == "agents"
    assert "outside the project" not in said


def test_trust_reads_it_from_then_on(top: Path) -> None:
    """What `overture trust` lists, and the user agrees to, is read by later commands."""
    assert CANARY not in output(top, "trust", "--yes")
    assert f"{CANARY}-netrc" in output(top, "build", "claude-code")
    assert CANARY not in output(top, "trust", "--remove")
    assert CANARY not in output(top, "build", "claude-code")
