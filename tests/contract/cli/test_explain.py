"""`overture explain`, run as people run it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from .run import read_stdout, run


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """A project with a file that is used, one that is shadowed, one that is empty, and a broken skill."""
    here = tmp_path / "p"
    for folder in (here / ".agents" / "skills" / "tides", here / "inner", tmp_path / "home"):
        folder.mkdir(parents=True)
    (here / "AGENTS.md").write_text("Use tabs.\n# Project Context\n", encoding="utf-8")
    (here / "CLAUDE.md").write_text("Use spaces.\n", encoding="utf-8")
    (here / "inner" / "AGENTS.md").write_text("\n", encoding="utf-8")
    (here / "inner" / "src.py").write_text("", encoding="utf-8")
    (here / ".agents" / "skills" / "tides" / "SKILL.md").write_text("no frontmatter", encoding="utf-8")
    return here


def at(harbour: Path) -> list[str | Path]:
    home = harbour.parent / "home"
    return ["pi", "--cwd", harbour / "inner", "--root", harbour, "--home", home, "--now", "2026-03-07T08:55:05-06:00"]


def test_it_accounts_for_blocks_omissions_rules_files_and_problems(harbour: Path) -> None:
    """With --all each block, section left out, rule, file and problem is named with its reason."""
    out = read_stdout("explain", *at(harbour), "--all")
    lines = out.splitlines()
    assert lines[0].startswith("pi: ")
    assert "../AGENTS.md:1" in out and str(harbour) not in out
    assert "rule read_before_edit" in out
    assert any(line.split()[:1] == ["append"] and "APPEND_SYSTEM.md" in line for line in lines)
    assert any(line.split()[:2] == ["yes", "bash_for_files"] for line in lines)
    assert any(line.split()[:2] == ["no", "explore_with_tools"] and "none of grep, find, ls" in line for line in lines)
    assert any(line.split()[:2] == ["hidden", "../CLAUDE.md"] for line in lines)
    assert any(line.split()[:2] == ["empty", "AGENTS.md"] for line in lines)
    assert any("warning: " in line and "line 2" in line and "../AGENTS.md" in line for line in lines)
    assert any("error: " in line and "tides/SKILL.md" in line for line in lines)
    assert "\x1b" not in out


def test_what_matters_comes_first(harbour: Path) -> None:
    """Problems, then the files, then the sections; the recipe's own rules stand last."""
    lines = read_stdout("explain", *at(harbour)).splitlines()
    heads = [lines.index(head) for head in ("Problems", "Files")]
    heads.append(next(i for i, line in enumerate(lines) if line.startswith("Sections, ")))
    heads.append(lines.index("Rules that add a line to the prompt"))
    assert heads == sorted(heads)


def test_by_default_only_what_is_there_is_told(harbour: Path) -> None:
    """Rules that do not apply, sections that were given nothing and paths that are not there are left to --all."""
    short, full = read_stdout("explain", *at(harbour)), read_stdout("explain", *at(harbour), "--all")
    for word in ("explore_with_tools", "append  ", "  missing  "):
        assert word not in short
        assert word in full
    assert "had no content: `--all` lists" in short


def test_a_section_that_was_given_something_and_is_silent_is_told(tmp_path: Path) -> None:
    """That a skill is kept out of every menu is worth a line, with and without --all."""
    skill = {"name": "s", "description": "d", "location": "/s", "disable_model_invocation": True}
    (tmp_path / "state.json").write_text(json.dumps({"skills": [skill]}), encoding="utf-8")
    out = read_stdout("explain", "opal", "--no-discover", "--state", tmp_path / "state.json")
    assert re.search(r"^  skills +every skill is hidden from the model$", out, re.MULTILINE)


@pytest.mark.parametrize("recipe", ["house", "opal", "pi", "moltis", "nova"])
def test_where_there_is_nothing_the_answer_is_short(recipe: str, tmp_path: Path) -> None:
    """A folder without instruction files: that there are none, what would be read, and how to go on."""
    out = read_stdout("explain", recipe, "--cwd", tmp_path, "--root", tmp_path, "--home", tmp_path)
    assert len(out.splitlines()) <= 25
    assert "No instruction files or skills found" in out
    assert f"The recipe {recipe} would read" in out
    assert f"overture explain {recipe} --all" in out
    assert ("write AGENTS.md" in out or "write CLAUDE.md" in out) == (recipe != "nova")
    full = read_stdout("explain", recipe, "--cwd", tmp_path, "--root", tmp_path, "--home", tmp_path, "--all")
    assert "Sections, in order" in full


def test_a_file_that_is_not_read_is_told_there_too(tmp_path: Path) -> None:
    """Where the only file is one that the recipe does not read, that is the first thing to know."""
    (tmp_path / "CLAUDE.md").write_text("Use tabs.\n", encoding="utf-8")
    out = read_stdout("explain", "opal", "--cwd", tmp_path, "--root", tmp_path, "--home", tmp_path)
    assert out.index("CLAUDE.md") < out.index("No instruction file")


def test_all_lists_what_is_not_there_too(harbour: Path) -> None:
    """Paths that were looked for and are absent are counted, and listed with --all."""
    absent = ["missing", "CLAUDE.md"]
    short, full = read_stdout("explain", *at(harbour)), read_stdout("explain", *at(harbour), "--all")
    assert "--all" in short
    assert [any(line.split()[:2] == absent for line in out.splitlines()) for out in (short, full)] == [False, True]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CLAUDE.md", ["../CLAUDE.md is not in the prompt", "cause: Hidden by ../AGENTS.md"]),
        ("../CLAUDE.md", ["../CLAUDE.md is not in the prompt", "cause: Hidden by ../AGENTS.md"]),
        ("{0}/AGENTS.md", ["{0}/AGENTS.md: ", "in the prompt"]),
        ("./AGENTS.md", ["AGENTS.md: ", "empty"]),
        ("src.py", ["src.py is not in", "does not look for it", "AGENTS.md, CLAUDE.md"]),
        ("tides", ["tides/SKILL.md is not in", "frontmatter"]),
    ],
)
def test_why_answers_the_first_question(harbour: Path, name: str, words: list[str]) -> None:
    """`--why FILE` says what became of a file, by name, relative or absolute path."""
    out = read_stdout("explain", *at(harbour), "--why", name.format(harbour))
    assert all(word.format(harbour) in out for word in words)
    assert str(harbour) not in out.replace(name.format(harbour), "")  # what was typed is echoed


def test_why_of_a_file_that_is_not_there(harbour: Path) -> None:
    """One that is looked for has an answer and exits with 1; any other is an error and exits with 2."""
    done = run("explain", *at(harbour), "--why", "APPEND_SYSTEM.md")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith("APPEND_SYSTEM.md: looked for in 2 folders, not found.\n")
    done = run("explain", *at(harbour), "--why", "NOTES.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: No such file: `NOTES.txt`\n"
    assert run("explain", "codex", *at(harbour), "--why", "NOTES.txt").returncode == 2
    other = run("explain", *at(harbour), "--why", "NOTES.txt", "--json")
    assert (other.returncode, other.stderr) == (2, done.stderr)


def test_a_file_of_which_a_budget_leaves_nothing_is_told(harbour: Path) -> None:
    """It was loaded, and no word of it is in the prompt: its row says so."""
    shown = read_stdout("explain", *at(harbour), "--budget", "300")
    assert re.search(r"loaded +\.\./AGENTS\.md +nothing of it fits the budget", shown), shown
    assert "nothing of it" not in read_stdout("explain", *at(harbour), "--budget", "100000")


def test_why_under_a_budget(harbour: Path) -> None:
    """`--why FILE --budget N` says how much of the file was cut, or that it was left out."""
    (harbour / "AGENTS.md").write_text("Mind the tide.\n" * 400)
    some = read_stdout("explain", *at(harbour), "--why", harbour / "AGENTS.md", "--budget", "1000")
    assert re.search(r"in the prompt of pi: [\d,]+ characters, .* more are dropped to fit the budget\.", some)
    none = read_stdout("explain", *at(harbour), "--why", harbour / "AGENTS.md", "--budget", "300")
    assert "loaded, but dropped to fit the budget: 5,999 characters" in none


def test_why_as_json(harbour: Path) -> None:
    """`--why FILE --json` is machine-readable."""
    (fate,) = json.loads(read_stdout("explain", *at(harbour), "--why", "CLAUDE.md", "--json"))
    assert (fate["path"], fate["outcome"]) == (f"{harbour}/CLAUDE.md", "hidden")


def test_json_tells_the_same(harbour: Path) -> None:
    """`--json` holds blocks with shares that add up, omissions, rules, every path, and the diagnostics."""
    data: dict[str, Any] = json.loads(read_stdout("explain", *at(harbour), "--json"))
    assert data["recipe"] == "pi"
    for block in data["blocks"]:
        assert sum(share["chars"] for share in block["shares"]) == block["end"] - block["start"]
        assert block["why"]
    assert {omitted["name"] for omitted in data["omitted"]} >= {"append", "skills"}
    assert {rule["name"]: rule["fired"] for rule in data["rules"]}["bash_for_files"] is True
    outcomes = {look["path"]: look["outcome"] for look in data["looked_at"]}
    assert outcomes[f"{harbour}/AGENTS.md"] == "loaded"
    assert outcomes[f"{harbour}/inner/CLAUDE.md"] == "absent"
    assert {d["code"] for d in data["diagnostics"]} >= {"contained-heading", "skill-skipped"}


def test_strict_fails_on_any_diagnostic(harbour: Path) -> None:
    """With --strict the exit code is 1 if there is a diagnostic."""
    assert run("explain", *at(harbour), "--strict").returncode == 1
    assert run("explain", "opal", "--no-discover", "--strict").returncode == 0


def test_what_is_explained_is_what_is_sent(harbour: Path) -> None:
    """The explanation is of the very prompt that `build` prints."""
    built = json.loads(run("build", *at(harbour), "--format", "json").stdout)
    data = json.loads(read_stdout("explain", *at(harbour), "--json"))
    assert (data["fingerprint"], data["chars"]) == (built["fingerprint"], built["chars"])
    spans = [(block["name"], block["start"], block["end"]) for block in built["blocks"]]
    assert [(block["name"], block["start"], block["end"]) for block in data["blocks"]] == spans


@pytest.mark.parametrize("sign", ["\x1b[31m", "\x07", "\x7f", "\x9b31m", "\r", "\u202e"])
def test_a_name_can_not_play_with_the_terminal(sign: str, tmp_path: Path) -> None:
    """Control characters in a path are shown, not sent to the terminal."""
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"context_files": [{"path": f"/p/{sign}x", "content": "c"}]}), encoding="utf-8")
    result = run("explain", "opal", "--no-discover", "--state", state)
    assert result.returncode == 0
    assert sign[0] not in result.stdout


def test_a_file_of_which_only_the_list_entry_is_in_the_prompt_is_listed(tmp_path: Path) -> None:
    """Skills, commands and sub-agents are `listed`, as `agents` says; the file of the agent itself is loaded."""
    for name in ("skills/tides/SKILL.md", "commands/moor.md", "agents/pilot.md"):
        (tmp_path / ".claude" / name).parent.mkdir(parents=True)
        (tmp_path / ".claude" / name).write_text("---\nname: tides\ndescription: Reads tide tables.\n---\nLong.\n")
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    (tmp_path / "agent.json").write_text('{"name": "Ada"}')
    (tmp_path / "home").mkdir()
    where: list[str | Path] = ["--cwd", tmp_path, "--root", tmp_path, "--home", tmp_path / "home"]

    agent = json.loads(read_stdout("explain", "claude-code", "--json", *where))["agents"][0]
    shown = {file["path"].removeprefix(".claude/"): file["how"] for file in agent["files"]}

    def outcomes(*options: str) -> dict[str, str]:
        rows = [line.split() for line in read_stdout("explain", *options, *where).splitlines()]
        known = [(row[0], word) for row in rows for word in row if row[0] in ("loaded", "listed") and "." in word]
        return {word.removeprefix(".claude/"): how for how, word in known}

    listed = {"skills/tides/SKILL.md": "listed", "commands/moor.md": "listed", "agents/pilot.md": "listed"}
    assert shown == {"AGENTS.md": "loaded", **listed}
    assert outcomes("house")["skills/tides/SKILL.md"] == "listed"
    assert outcomes("nova")["agent.json"] == "loaded"
