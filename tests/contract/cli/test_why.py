"""`overture explain --why PATH`: a true answer for any path."""

import json
import os
import re
import tomllib
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


def applied(top: Path, name: str | Path, recipe: str = "house", cwd: str = "r") -> str:
    """What is said of a path after the recommended lines were written where the answer says."""
    one = fate(top, name, recipe=recipe, cwd=cwd)
    assert one["settings"], one
    assert all(line in one["said"] for line in one["settings"])
    file = re.search(r" in (/\S+\.toml)", one["said"])
    path = Path(file[1]) if file else top / cwd / "overture.toml"
    old = path.read_text() if path.is_file() else ""
    keys = [line.partition(" = ")[0] for line in one["settings"]]
    kept = [line for line in old.splitlines() if line.partition(" = ")[0] not in keys]
    path.write_text("\n".join([*one["settings"], *kept]) + "\n")
    tomllib.loads(path.read_text())
    after: str = fate(top, name, recipe=recipe, cwd=cwd)["said"]
    return after


def test_no_such_file(top: Path) -> None:
    """It says so, with the nearest name that is there, and the exit code is 1."""
    assert said(top, "src/mian.py") == f"no such file. Did you mean {top}/r/src/main.py?"
    assert said(top, "scr/main.py") == f"no such file: {top}/r has no 'scr'. Did you mean {top}/r/src?"
    assert said(top, "/nowhere/at/all.txt") == "no such file: / has no 'nowhere'."
    assert said(top, "agents.md") == f"no such file. Did you mean {top}/r/AGENTS.md?"
    assert said(top, "QWEN.md") == "no such file."
    assert fate(top, "src/mian.py")["outcome"] == "missing"
    assert run("explain", "house", *at(top), "--why", "src/mian.py").returncode == 2
    assert run("explain", "house", *at(top), "--why", "pdff").returncode == 2
    assert run("explain", "house", *at(top), "--why", "src/main.py").returncode == 0
    assert run("explain", "house", *at(top), "--why", "AGENTS.md").returncode == 0


def test_no_such_skill(top: Path) -> None:
    """A bare name may be that of a skill: the nearest one is named."""
    assert said(top, "pdff") == "no such file, and no skill of that name. Did you mean pdf?"


def test_a_file_that_would_be_read_if_it_were_there(top: Path) -> None:
    """It is said once, however many folders were looked in."""
    (top / "r/src/deep").mkdir(parents=True, exist_ok=True)
    one = fate(top, "memories.json", cwd="r/src/deep")
    assert one["outcome"] == "absent"
    assert re.fullmatch(r"looked for in \d+ folders, not found\.", one["said"])
    assert said(top, "./.agents/SYSTEM.md") == "looked for, not found."


def test_source_code(top: Path) -> None:
    """A file that is no instruction file is told from those that are, without a setting that nobody wants."""
    one = fate(top, "src/main.py")
    assert one["said"] == (
        "not read: it is not an instruction file. Those are AGENTS.md and CLAUDE.md, and SKILL.md of skills; "
        "the agent reads other files with its tools."
    )
    assert (one["outcome"], one["settings"]) == ("never looked for", [])


@pytest.mark.parametrize("recipe", ["nova", "ptc"])
def test_a_recipe_without_instruction_files(top: Path, recipe: str) -> None:
    """It says that it reads none, and no setting is recommended that would not help."""
    one = fate(top, "AGENTS.md", recipe=recipe)
    assert one["said"] == f"not read: the recipe {recipe} reads no instruction files. Others do, such as house."
    assert one["settings"] == []


def test_a_file_of_another_tool(top: Path) -> None:
    """Whose it is, and the line that has it read."""
    one = fate(top, ".cursor/rules/style.mdc")
    line = 'features.context.filenames = ["AGENTS.md", "CLAUDE.md", ".cursor/rules/*.mdc"]'
    assert one["said"] == (
        "not read: it is a file for Cursor, and instruction files here are AGENTS.md and CLAUDE.md. "
        f"To read it too, set {line} in overture.toml."
    )
    assert (one["outcome"], one["settings"]) == ("unread", [line])
    assert applied(top, ".cursor/rules/style.mdc").startswith("in the prompt: 12 characters")


@pytest.mark.slow(unless=("CLAUDE.md-house",))
@pytest.mark.parametrize("recipe", ["house", "pi", "opal", "moltis"])
@pytest.mark.parametrize(
    "name", ["CLAUDE.md", "GEMINI.md", ".cursor/rules/style.mdc", ".github/instructions/a.instructions.md", "NOTES.md"]
)
def test_every_recommended_line_works(top: Path, recipe: str, name: str) -> None:
    """Whatever is recommended for a file that is not read has it read."""
    put(top / "r" / name, "Only here: 7f3a.")
    before = fate(top, name, recipe=recipe)
    if before["outcome"] == "loaded":
        return
    assert applied(top, name, recipe=recipe).startswith("in the prompt: ")
    assert "Only here: 7f3a." in run("build", recipe, *at(top)).stdout


def test_the_line_goes_into_the_file_that_counts(top: Path) -> None:
    """Where settings are there already, it goes there, and keeps what is set."""
    put(top / "r/overture.toml", 'features.context.filenames = ["AGENTS.md"]\n')
    (top / "r/deep").mkdir()
    one = fate(top, "../GEMINI.md", cwd="r/deep")
    assert f'set features.context.filenames = ["AGENTS.md", "GEMINI.md"] in {top}/r/overture.toml.' in one["said"]
    assert applied(top, "../GEMINI.md", cwd="r/deep").startswith("in the prompt")


def test_the_line_goes_into_pyproject(top: Path) -> None:
    """Where the settings stand in pyproject.toml, the table is named, and there the line works."""
    put(top / "r/pyproject.toml", '[tool.overture]\nrecipe = "house"\n')
    one = fate(top, "GEMINI.md")
    assert one["said"].endswith(f" in {top}/r/pyproject.toml, under [tool.overture].")
    put(top / "r/pyproject.toml", f"[tool.overture]\n{one['settings'][0]}\n")
    assert said(top, "GEMINI.md").startswith("in the prompt")


def test_a_setting_of_the_recipe_alone_is_named_as_such(top: Path) -> None:
    """`recipes.NAME.…` counts before the general key, so that is the one to change."""
    put(top / "r/overture.toml", 'recipes.pi.features.context.filenames = ["AGENTS.md"]\n')
    one = fate(top, "GEMINI.md", recipe="pi")
    assert one["settings"] == ['recipes.pi.features.context.filenames = ["AGENTS.md", "GEMINI.md"]']
    assert applied(top, "GEMINI.md", recipe="pi").startswith("in the prompt")


def test_a_variable_that_counts_is_named(top: Path) -> None:
    """A value from the environment wins over a file, so the answer names the variable."""
    words = ("explain", "house", *at(top), "--why", "GEMINI.md")
    out = run(*words, OVERTURE_FEATURES_CONTEXT_FILENAMES="AGENTS.md").stdout
    line = '      features.context.filenames = ["AGENTS.md", "GEMINI.md"]\n'
    assert out.endswith(f"hint: In OVERTURE_FEATURES_CONTEXT_FILENAMES:\n{line}")
    out = run(*words, "-c", "features.context.filenames=AGENTS.md").stdout
    assert out.endswith(f"hint: On the command line (-c):\n{line}")


def test_a_file_that_is_not_read_is_shown_with_its_cause_and_lines_to_paste(top: Path) -> None:
    """What happened, why, and the table of the settings with the lines that change it: pasted, they do."""
    out = run("explain", "house", *at(top), "--why", "GEMINI.md", cwd=top / "r").stdout
    *words, line = out.splitlines()
    assert words == [
        "GEMINI.md is not in the prompt of house",
        "cause: It is a file for Gemini CLI, and instruction files here are AGENTS.md and CLAUDE.md",
        "hint: In overture.toml, under [features.context]:",
    ]
    put(top / "r/overture.toml", f"[features.context]\n{line}\n")
    assert said(top, "GEMINI.md").startswith("in the prompt")
    put(top / "r/pyproject.toml", "[tool.overture]\n")
    (top / "r/overture.toml").unlink()
    assert "under [tool.overture.features.context]:\n" in run("explain", "house", *at(top), "--why", "GEMINI.md").stdout


def test_shadowed_by_what_and_what_takes_both(top: Path) -> None:
    """The one that comes first is named, and the line that takes both."""
    line = 'features.context.filenames = ["AGENTS.md", "CLAUDE.md"]'
    assert said(top, "CLAUDE.md") == (
        f"not used: hidden by {top}/r/AGENTS.md, because only the first of a folder is read. "
        f"To read both, set {line} in overture.toml."
    )
    assert applied(top, "CLAUDE.md").startswith("in the prompt")
    assert said(top, "AGENTS.md").startswith("in the prompt")


def test_a_skill_that_is_shadowed(top: Path) -> None:
    """No setting takes both of two skills with the same name: one has to be renamed."""
    put_skill(top / "r/.claude/skills/pdf")
    assert said(top, ".claude/skills/pdf/SKILL.md") == (
        f"not used: hidden by {top}/r/.agents/skills/pdf/SKILL.md, a skill of the same name. Rename one of them."
    )


def test_system_md_of_home_is_shadowed_by_the_projects(top: Path) -> None:
    """Only one of the two is said, and that is what the answer says."""
    put(top / "home/.sf/agent/SYSTEM.md", "Home.")
    put(top / "r/.sf/SYSTEM.md", "Project.")
    assert said(top, "~/.sf/agent/SYSTEM.md", recipe="pi") == (
        f"not used: hidden by {top}/r/.sf/SYSTEM.md, because only one is read. It is outside the repository."
    )


def test_a_skill_in_a_place_that_is_not_searched(top: Path) -> None:
    """By path, by folder or by name: the place, how many lie there, and the line that adds them."""
    line = 'features.skills.extra_dirs = [".codex/skills"]'
    words = (
        f"not read: it is a skill, and {top}/r/.codex/skills is not searched. "
        f"To read the 2 skills there, set {line} in overture.toml."
    )
    for name in (".codex/skills/tides/SKILL.md", ".codex/skills/tides", ".codex/skills/tides/", "tides"):
        assert fate(top, name)["said"] == words
        assert fate(top, name)["path"] == f"{top}/r/.codex/skills/tides/SKILL.md"
    assert applied(top, "tides").startswith("in the prompt")
    assert said(top, "moor").startswith("in the prompt")


def test_a_skill_anywhere(top: Path) -> None:
    """A plugin's folder, a folder of the home directory and one beside the project: the line works for each."""
    user = put(top / "home/.config/overture/overture.toml")
    for folder in (top / "r/plugins/x/skills/one", top / "home/.codex/skills/two", top / "beside/three"):
        # What a project's own file names it names alone; outside the project it waits for trust.
        (top / "r/overture.toml").unlink(missing_ok=True)
        user.write_text("")
        path = put_skill(folder)
        assert applied(top, path).startswith("in the prompt"), path


def test_a_broken_skill_in_a_place_that_is_not_searched(top: Path) -> None:
    """The answer says both: where it lies, and what is wrong with it."""
    put(top / "r/.codex/skills/bad/SKILL.md", "no frontmatter")
    assert "is not searched" in said(top, "bad")
    assert "frontmatter" in said(top, "bad")


def test_a_skill_by_its_name(top: Path) -> None:
    """By the name that its frontmatter gives, too."""
    put_skill(top / "r/.agents/skills/folder", "name: other\ndescription: Does.")
    assert fate(top, "other")["path"] == f"{top}/r/.agents/skills/folder/SKILL.md"
    assert said(top, "pdf").startswith("in the prompt")
    assert fate(top, ".agents/skills/pdf")["path"] == f"{top}/r/.agents/skills/pdf/SKILL.md"


def test_a_file_of_a_skill(top: Path) -> None:
    """It belongs to the skill, and the model reads it when it uses that."""
    assert said(top, ".agents/skills/pdf/scripts/run.py") == (
        "not in the prompt: it belongs to the skill pdf; the agent reads it when it uses that skill."
    )


def test_below_the_working_directory(top: Path) -> None:
    """It is read when a tool comes near it; where the recipe does not ask for that, the setting is named."""
    assert fate(top, "pkg/web/AGENTS.md")["outcome"] == "nested"
    assert said(top, "pkg/web/AGENTS.md") == (
        "not in the prompt at first: it is below the working directory, and a session adds it when a tool "
        f"touches a file in {top}/r/pkg/web."
    )
    assert said(top, "pkg/web/AGENTS.md", recipe="pi") == (
        "not read: it is below the working directory. To load it when a tool touches a file in "
        f"{top}/r/pkg/web, set features.context.nested = true in overture.toml."
    )
    assert "a session adds it when" in applied(top, "pkg/web/AGENTS.md", recipe="pi")
    assert said(top, "pkg/web/AGENTS.md", cwd="r/pkg/web").startswith("in the prompt")


def test_below_the_working_directory_and_shadowed(top: Path) -> None:
    """A file below that another one beside it shadows is not promised."""
    assert said(top, "pkg/web/CLAUDE.md").startswith(f"not used: hidden by {top}/r/pkg/web/AGENTS.md")
    assert "a session adds it when" in applied(top, "pkg/web/CLAUDE.md")


def test_a_folder(top: Path) -> None:
    """What in it is read, and what is not."""
    one = fate(top, "src")
    assert one["outcome"] == "folder"
    assert one["said"] == "a folder; nothing in it is read."
    assert said(top, ".") == (
        "a folder. Read from it: AGENTS.md and .agents/skills/pdf/SKILL.md. "
        "Not read: CLAUDE.md, .cursor/rules/style.mdc, GEMINI.md and .codex/skills (2 skills)."
    )
    assert said(top, ".agents/skills/") == "a folder. Read from it: pdf/SKILL.md."
    assert said(top, "pkg/web") == (
        "a folder; nothing in it is read at first. A session adds AGENTS.md when a tool touches a file there. "
        "Not read: CLAUDE.md."
    )
    assert said(top, ".codex/skills") == (
        "a folder with 2 skills, which is not searched. To read them, set features.skills.extra_dirs = "
        '[".codex/skills"] in overture.toml.'
    )
    assert applied(top, ".codex/skills") == "a folder. Read from it: moor/SKILL.md and tides/SKILL.md."


def test_empty_files(top: Path) -> None:
    """An empty file is there, and says nothing; so is one that would be read elsewhere."""
    put(top / "r/AGENTS.md", "")
    assert said(top, "AGENTS.md") == "loaded, but empty."
    put(top / "r/pkg/web/AGENTS.md", "\n")
    assert said(top, "pkg/web/AGENTS.md") == "it is below the working directory, and it is empty."
    put(top / "r/GEMINI.md", "")
    assert "it is empty" in said(top, "GEMINI.md")


def test_binary_and_large_and_unreadable(top: Path) -> None:
    """What could not be read as it stands is said with the reason."""
    put(top / "r/AGENTS.md", b"\xff\x00tabs")
    assert "in the prompt" in said(top, "AGENTS.md")
    assert "is not UTF-8" in said(top, "AGENTS.md")
    put(top / "r/AGENTS.md", b"\xff\xfe\x00tabs")
    assert "the file is UTF-16" in said(top, "AGENTS.md")
    put(top / "r/logo.png", b"\x89PNG\x00\xff")
    assert said(top, "logo.png").startswith("not read: it is not an instruction file.")
    with (top / "r/AGENTS.md").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    assert "over the limit of 16,777,216" in said(top, "AGENTS.md")
    os.mkfifo(top / "r/pipe")
    assert said(top, "pipe") == "not read: it is not a regular file."


def test_outside(top: Path) -> None:
    """A file beside the project is read where the agent works there; another one is not read from here."""
    put(top / "beside/AGENTS.md", "Beside.")
    assert said(top, "../beside/AGENTS.md") == (
        f"not read: it is outside the searched folders. To read it, pass --cwd {top}/beside."
    )
    assert said(top, "../beside/AGENTS.md", "--root", top / "r").startswith("not read: it is outside")
    assert run("explain", "house", "--cwd", top / "beside", "--why", top / "beside/AGENTS.md").stdout.count(
        "in the prompt"
    )


def test_above_the_root(top: Path) -> None:
    """A file above the folders that are looked in says so, with the root that adds it; and that works."""
    put(top / "r/deep/x.py", "")
    assert said(top, "../AGENTS.md", "--root", top / "r/deep", cwd="r/deep") == (
        f"not read: it is above the searched folders. To read it, pass --root {top}/r."
    )
    assert said(top, "../AGENTS.md", "--root", top / "r", cwd="r/deep").startswith("in the prompt")


def test_settings(top: Path) -> None:
    """Settings, tools, recipes, templates and extensions are what they are."""
    put(top / "r/tools.json", "[]")
    put(top / "r/prices.toml", "")
    put(top / "r/overture.toml", 'tools = "tools.json"\nmodels = "prices.toml"\n')
    put(top / "r/pyproject.toml", "[project]\nname = 'x'\n")
    put(top / "home/.config/overture/overture.toml", "")
    assert said(top, "overture.toml") == "Overture settings, not instructions: they apply here."
    assert said(top, "~/.config/overture/overture.toml") == "Overture settings, not instructions: they apply here."
    assert said(top, "pyproject.toml").startswith("not read: it has no [tool.overture] table")
    assert said(top, "tools.json") == f"read for the agent's tools, because of `tools` in {top}/r/overture.toml."
    assert said(top, "prices.toml") == (
        f"read for limits and prices of models, because of `models` in {top}/r/overture.toml."
    )
    put(top / "r/deep/overture.toml", "")
    assert said(top, "../overture.toml", cwd="r/deep") == (
        f"Overture settings that do not apply here: {top}/r/deep/overture.toml is nearer."
    )
    put(top / "r/deep/inner/overture.toml", "")
    assert said(top, "deep/inner/overture.toml") == (
        f"Overture settings that do not apply here: they apply in {top}/r/deep/inner and below."
    )


def test_a_recipes_own_file(top: Path) -> None:
    """The recipe itself, and a text that one of its sections takes from a file."""
    put(top / "r/own.md", "Mind the tide.")
    put(top / "r/mine.toml", 'extends = "house"\n[[sections]]\nname = "own"\nfile = "own.md"\n')
    recipe = str(top / "r/mine.toml")
    assert said(top, "mine.toml", recipe=recipe) == "the recipe itself: it defines the prompt."
    assert said(top, "own.md", recipe=recipe).startswith("in the prompt: 14 characters")


def test_a_template(top: Path) -> None:
    """It is sent when a message calls it, and is no part of the prompt."""
    put(top / "r/.sf/prompts/review.md", "Review it.")
    assert said(top, ".sf/prompts/review.md", recipe="pi") == (
        "not in the prompt: it is a template that a session sends for the message /review."
    )


def test_an_extension(top: Path) -> None:
    """A session runs it."""
    put(top / "r/ext.py", "def setup(session): ...\n")
    put(top / "home/.config/overture/overture.toml", f'extensions = ["{top}/r/ext.py:setup"]\n')
    assert said(top, "ext.py") == "not in the prompt: it is an extension that a session runs."


def test_memories(top: Path) -> None:
    """A memory's file is said with how much of the prompt it is; one that is farther says which is nearer."""
    put(top / "r/.agents/memories.json", '["Ada prefers tabs."]')
    put(top / "r/deep/.agents/memories.json", '["Bo prefers spaces."]')
    assert said(top, ".agents/memories.json").startswith("in the prompt: ")
    assert said(top, "../.agents/memories.json", cwd="r/deep") == (
        f"not used: hidden by {top}/r/deep/.agents/memories.json, because only one is read."
    )


def test_links(top: Path) -> None:
    """A link answers as what it leads to, and one to nothing says so."""
    link(top / "r/notes.md", "AGENTS.md")
    assert said(top, "notes.md").startswith(f"the same file as {top}/r/AGENTS.md, which is in the prompt: 9 characters")
    link(top / "way", top / "r")
    assert said(top, top / "way/AGENTS.md").startswith(f"the same file as {top}/r/AGENTS.md, which is in the prompt")
    link(top / "r/gone.md", "nowhere.md")
    assert said(top, "gone.md").startswith("not read: it is a symlink to nowhere.md, which does not exist")
    assert said(top, "AGENTS.md", cwd="way").startswith("in the prompt")
    assert said(top, top / "r/AGENTS.md", cwd="way").startswith(f"the same file as {top}/way/AGENTS.md")


def test_a_duplicate(top: Path) -> None:
    """The same file by another name is said once, and nothing is missing."""
    put(top / "r/OPAL.md", "Use tabs.")
    (top / "r/OPAL.md").unlink()
    link(top / "r/OPAL.md", "AGENTS.md")
    assert (
        said(top, "OPAL.md", recipe="opal") == f"in the prompt already: the same file as {top}/r/AGENTS.md, by a link."
    )


def test_a_link_that_leaves_the_project(top: Path) -> None:
    """It is said where it leads, and what reads it; no setting is named."""
    put(top / "far/team.md", "Far.")
    (top / "r/AGENTS.md").unlink()
    link(top / "r/AGENTS.md", top / "far/team.md")
    assert said(top, "AGENTS.md") == (
        f"not used: outside the project: {top}/far/team.md (4 bytes), {top}/r/AGENTS.md is a symlink; "
        "pass --read-outside, or approve it with overture trust, to read it."
    )
    assert fate(top, "AGENTS.md")["settings"] == []


@pytest.mark.parametrize("options", [(), ("--root", "..")])
def test_a_link_above_the_project(top: Path, options: tuple[str, ...]) -> None:
    """The cause says where the link leads, and what reads it."""
    put(top / "netrc", "x")
    link(top / "AGENTS.md", "netrc")
    (top / "r/.git").mkdir(exist_ok=True)
    result = run("explain", "pi", "--why", "../AGENTS.md", *options, cwd=top / "r", HOME=str(top / "home"))
    assert result.stdout.splitlines() == [
        "../AGENTS.md is not in the prompt of pi",
        "cause: Outside the project: ../netrc (1 byte), ../AGENTS.md is a symlink; "
        "pass --read-outside, or approve it with overture trust, to read it",
    ]


def test_one_character_is_singular(top: Path) -> None:
    """A file of one character has `1 character`, a budget of one token `1 token`."""
    put(top / "r/AGENTS.md", "x")
    assert "in the prompt: 1 character, from" in said(top, "AGENTS.md")
    assert run("build", "house", "--budget", "1", cwd=top / "r").stderr.startswith("error: A budget of 1 token is")


def test_what_is_switched_off(top: Path) -> None:
    """The switch is named with its file, and with it on the file is read."""
    put(top / "r/overture.toml", "features.context.enabled = false\nfeatures.skills.enabled = false\n")
    assert said(top, "AGENTS.md") == (
        f"not read: features.context.enabled is false. To read it, set features.context.enabled = true in "
        f"{top}/r/overture.toml."
    )
    assert applied(top, "AGENTS.md").startswith("in the prompt")
    assert applied(top, "pdf").startswith("in the prompt")
    put(top / "r/overture.toml", "features.context.enabled = false\n")
    assert applied(top, "GEMINI.md").startswith("in the prompt")


def test_a_name_in_the_wrong_case(top: Path) -> None:
    """Case counts, and the right name is given."""
    put(top / "r/deep/Agents.md", "Use tabs.")
    assert said(top, "Agents.md", cwd="r/deep") == (
        "not read: the name must be AGENTS.md, and case matters. Rename it."
    )


@pytest.mark.parametrize(
    "form", ["AGENTS.md", "./AGENTS.md", "{r}/AGENTS.md", "{r}/pkg/../AGENTS.md", "~/../r/AGENTS.md", "{r}//AGENTS.md"]
)
def test_every_form_of_a_path(top: Path, form: str) -> None:
    """Relative, absolute, from home, with dots."""
    one = fate(top, form.format(r=top / "r"))
    assert one["path"] == f"{top}/r/AGENTS.md"
    assert one["said"].startswith("in the prompt")


def test_a_path_from_the_shells_directory(top: Path) -> None:
    """With --cwd, a path that is there as the shell sees it is found too."""
    done = run("explain", "house", "--cwd", "r/pkg", "--home", top / "home", "--why", "r/AGENTS.md", cwd=top)
    assert done.stdout.startswith("../AGENTS.md: in the prompt")


def test_a_bare_name_finds_the_file_above(top: Path) -> None:
    """A name that is not here is looked for in the folders above."""
    assert fate(top, "GEMINI.md", cwd="r/pkg/web")["path"] == f"{top}/r/GEMINI.md"


def test_the_fields_of_a_fate(top: Path) -> None:
    """As JSON: what became of it, why, and the settings that would change that; of a wrong path, one like it."""
    answer = fate(top, "GEMINI.md")
    assert set(answer) == {"path", "outcome", "said", "chars", "settings", "where", "rest", "cause", "similar"}
    assert answer["cause"] == "it is a file for Gemini CLI, and instruction files here are AGENTS.md and CLAUDE.md."
    assert (answer["where"], answer["rest"], answer["similar"]) == ("in overture.toml", "", "")
    assert fate(top, "GEMINY.md")["similar"] == f"{top}/r/GEMINI.md"


def test_with_nothing_discovered(top: Path) -> None:
    """--no-discover reads nothing, and the answer says so; what the state gives is in the prompt."""
    assert said(top, "AGENTS.md", "--no-discover") == "not read: --no-discover reads no files except --state."
    state = put(top / "s.json", json.dumps({"context_files": [{"path": f"{top}/r/AGENTS.md", "content": "Tabs."}]}))
    assert said(top, "AGENTS.md", "--no-discover", "--state", state).startswith("in the prompt: 5 characters")


@pytest.mark.slow(unless=("house",))
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


def test_the_answer_names_its_recipe(top: Path) -> None:
    """Whoever names no recipe sees whose prompt is meant, and which command asks the coding agents."""
    put(top / "r/overture.toml", 'recipe = "house"\n')
    absent = run("explain", *at(top), "--why", "CLAUDE.md").stdout.splitlines()
    assert absent[0].endswith("CLAUDE.md is not in the prompt of house")
    assert absent[-1].startswith("hint: `overture agents --why ") and "CLAUDE.md` shows which coding" in absent[-1]
    present = run("explain", *at(top), "--why", "AGENTS.md").stdout.splitlines()
    assert ": in the prompt of house: 9 characters" in present[0] and len(present) == 2
    named = run("explain", "pi", *at(top), "--why", "CLAUDE.md").stdout
    assert "is not in the prompt of pi\n" in named and "overture agents" not in named
    assert "overture agents" not in run("explain", *at(top), "--why", "gone.md").stdout
