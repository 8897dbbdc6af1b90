"""`overture explain --why PATH`: a true answer for any path."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ..discovery.disk import link, put, put_skill
from .run import run

NOW = "2026-03-07T08:55:05-06:00"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with a working directory in it, a home, and a little of everything."""
    here = tmp_path / "r"
    (here / ".git").mkdir(parents=True)
    put(here / "AGENTS.md", "Use tabs.")
    put(here / "CLAUDE.md", "Use spaces.")
    put(here / ".cursor/rules/style.mdc", "Short lines.")
    put(here / "GEMINI.md", "Be brief.")
    put(here / "docs/guide.md", "A guide.")
    put(here / "src/main.py", "print()\n")
    put(here / "pkg/web/AGENTS.md", "Web rules.")
    put(here / "pkg/web/CLAUDE.md", "Web rules of Claude.")
    put(here / "pkg/web/app.py", "")
    put_skill(here / ".agents/skills/pdf")
    put(here / ".agents/skills/pdf/scripts/run.py", "")
    put_skill(here / ".codex/skills/tides")
    put_skill(here / ".codex/skills/moor")
    (tmp_path / "home").mkdir()
    return tmp_path


def at(top: Path, cwd: str = "r") -> list[str | Path]:
    return ["--cwd", top / cwd, "--home", top / "home", "--now", NOW]


def fates(top: Path, name: str | Path, *more: str | Path, recipe: str = "house", cwd: str = "r") -> list[Any]:
    done = run("explain", recipe, *at(top, cwd), "--why", name, "--json", *more)
    assert "Traceback" not in done.stderr, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


def fate(top: Path, name: str | Path, *more: str | Path, recipe: str = "house", cwd: str = "r") -> Any:
    (one,) = fates(top, name, *more, recipe=recipe, cwd=cwd)
    return one


def said(top: Path, name: str | Path, *more: str | Path, recipe: str = "house", cwd: str = "r") -> str:
    text: str = fate(top, name, *more, recipe=recipe, cwd=cwd)["said"]
    return text


def test_no_such_file(top: Path) -> None:
    """It says so, with the nearest name that is there, and the exit code is 2."""
    one = fate(top, "src/mian.py")
    assert (one["outcome"], one["said"], one["similar"]) == ("missing", "no such file.", f"{top}/r/src/main.py")
    assert fate(top, "/nowhere/at/all.txt")["similar"] == ""
    assert fate(top, "pdff")["similar"] == "pdf"  # a bare name may be that of a skill
    assert run("explain", "house", *at(top), "--why", "src/mian.py").returncode == 2
    assert run("explain", "house", *at(top), "--why", "src/main.py").returncode == 0


def test_a_file_that_would_be_read_if_it_were_there(top: Path) -> None:
    """It is said once, however many folders were looked in."""
    (top / "r/src/deep").mkdir(parents=True, exist_ok=True)
    one = fate(top, "memories.json", cwd="r/src/deep")
    assert one["outcome"] == "absent"
    assert re.fullmatch(r"looked for in \d+ folders, not found\.", one["said"])


def test_a_file_that_is_not_looked_for(top: Path) -> None:
    """The recipe is named, and the names that it does look for."""
    one = fate(top, "src/main.py")
    assert one["outcome"] == "never looked for"
    assert one["said"].startswith(
        "not read: the recipe house does not look for it. Its instruction files are AGENTS.md"
    )
    assert fate(top, "CLAUDE.md", recipe="nova")["said"] == "not read: the recipe nova does not look for it."
    switched = said(top, "AGENTS.md", "-c", "features.context.enabled=false")
    assert "features.context.enabled: it is false: instruction files are not looked for" in switched


def test_a_file_of_another_tool(top: Path) -> None:
    """Whose it is, and the line that adds it, which works."""
    one = fate(top, "GEMINI.md")
    assert one["outcome"] == "unread" and "Gemini CLI reads it; to add it: " in one["said"]
    line = one["said"].partition("to add it: ")[2].rstrip(".")
    put(top / "r/overture.toml", f"{line}\n")
    assert said(top, "GEMINI.md").startswith("in the prompt: ")


def test_a_file_that_is_hidden(top: Path) -> None:
    """By which file, and why: the first of a folder, a skill of the same name, the nearest of its kind."""
    assert said(top, "CLAUDE.md", recipe="pi") == (
        f"not used: hidden by {top}/r/AGENTS.md, because only the first of a folder is read."
    )
    put_skill(top / "home/.agents/skills/pdf")
    assert "a skill of the same name" in " ".join(each["said"] for each in fates(top, "pdf"))
    done = run("explain", "pi", *at(top), "--why", "CLAUDE.md")
    assert (
        done.stdout.splitlines()[:2]
        == [
            "CLAUDE.md is not in the prompt of pi",
            "cause: Hidden by AGENTS.md, because only the first of a folder is read",
        ]
        or "CLAUDE.md is not in the prompt of pi" in done.stdout
    )


def test_a_file_that_is_in_the_prompt(top: Path) -> None:
    """Its characters and the position of the first; a skill by its name, a link by the file behind it."""
    one = fate(top, "AGENTS.md")
    assert re.fullmatch(r"in the prompt: 9 characters, from character [\d,]+ on\.", one["said"]) and one["chars"] == 9
    assert fate(top, "pdf")["path"].endswith(".agents/skills/pdf/SKILL.md")
    link(top / "r/other.md", "AGENTS.md")
    assert said(top, "other.md").startswith(f"the same file as {top}/r/AGENTS.md: in the prompt: ")
    assert "in the prompt of house: " in run("explain", "house", *at(top), "--why", "AGENTS.md").stdout


def test_below_the_working_directory(top: Path) -> None:
    """A session adds it: the answer says when."""
    one = fate(top, "pkg/web/AGENTS.md")
    assert one["outcome"] == "nested"
    assert one["said"].endswith(f"a session adds it when a tool touches a file in {top}/r/pkg/web.")


def test_a_folder(top: Path) -> None:
    """What is read from it."""
    assert said(top, "src") == "a folder; nothing in it is read."
    assert "Read from it: " in said(top, ".agents") and "skills/pdf/SKILL.md" in said(top, ".agents")


def test_empty_and_unreadable_files(top: Path) -> None:
    """An empty file is loaded and says nothing; a link to nothing is named with its target."""
    put(top / "r/AGENTS.md", "\n \n")
    assert said(top, "AGENTS.md") == "loaded, but empty."
    link(top / "r/gone.md", "nowhere.md")
    assert "nowhere.md" in said(top, "gone.md")


def test_the_fields_of_an_answer(top: Path) -> None:
    """A program finds the same keys for every path."""
    for name in ("AGENTS.md", "GEMINI.md", "none", "src"):
        assert set(fate(top, name)) == {"path", "outcome", "said", "chars", "cause", "similar"}


@pytest.mark.parametrize(
    "name",
    [".", "/", "..", "~", "~/", "src", "AGENTS.md", "CLAUDE.md", "x\x00y", "", "pdf", ".git", "/dev/null",
     "/proc/self/mem",
     "src/main.py/x", "a" * 300, "\udcff", "*", "pkg/web/CLAUDE.md", ".codex", "/etc/passwd", "tides", "AGENTS.md/"],
)  # fmt: skip
@pytest.mark.parametrize("recipe", ["house", "pi", "opal", "moltis", "nova", "ptc"])
def test_any_path_has_an_answer(top: Path, recipe: str, name: str) -> None:
    """Whatever is asked for, in every recipe: a sentence, or a cause and a hint, and never a traceback."""
    if "\x00" in name:
        name = name.replace("\x00", "%00")
    done = run("explain", recipe, *at(top), "--why", name)
    assert "Traceback" not in done.stderr, done.stderr
    missing = done.stderr.startswith("error: No such file: `")
    assert done.returncode in (0, 1) or missing or name == ""
    if done.returncode != 2:
        assert done.stdout.strip()
        kinds = r".+: .+[.?]|.+ is not in the prompt of \w+|cause: [A-Z].*[^.]|hint: .+:|      \S.*"
        assert all(re.fullmatch(kinds, line) for line in done.stdout.splitlines()), done.stdout


def test_a_link_to_nothing_is_named_with_its_target(top: Path) -> None:
    """Also where no recipe would have read it."""
    (top / "r/NOTES.md").symlink_to("gone/notes.md")
    assert said(top, "NOTES.md") == "not read: it is a symlink to gone/notes.md, which does not exist."


def test_without_a_name_each_agent_in_use_answers(top: Path) -> None:
    """Whoever names no recipe asks the coding agents; one that is named answers for itself; no file is an error."""
    lines = run("explain", *at(top), "--why", "CLAUDE.md").stdout.splitlines()
    assert lines[0] == "CLAUDE.md" and lines[1].startswith("  loaded by Claude Code")
    assert any(line.startswith("  not looked for by") for line in lines)
    named = run("explain", "pi", *at(top), "--why", "CLAUDE.md").stdout
    assert "is not in the prompt of pi\n" in named and "overture agents" not in named
    gone = run("explain", *at(top), "--why", "gone.md")
    assert (gone.returncode, gone.stdout, gone.stderr) == (2, "", "error: No such file: `gone.md`\n")
