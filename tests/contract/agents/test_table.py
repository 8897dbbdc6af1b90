"""Rows of the table: one file under several names, rules nobody reads, lines that only one of two agents gets."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ..cli.run import run
from ..discovery.disk import link, put

RULES = "# Rules\n\nUse tabs in every file.\nRun the tests.\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository, and an empty home beside it."""
    (tmp_path / "r/.git").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    return tmp_path / "r"


def write(repo: Path, files: Mapping[str, str], links: Mapping[str, str] = {}) -> None:
    for name, text in files.items():
        put(repo / name, text)
    for name, target in links.items():
        link(repo / name, target)


def ask(repo: Path, *words: str) -> Any:
    """A command's JSON."""
    done = run("agents", *words, "--json", cwd=repo, HOME=str(repo.parent / "home"))
    assert done.stderr == "", done.stderr
    return json.loads(done.stdout)


def files(repo: Path, name: str, *words: str) -> dict[str, Any]:
    """What becomes of each file for one agent, by its path."""
    (agent,) = ask(repo, name, *words)["agents"]
    return {file["path"]: file for file in agent["files"]}


def test_the_target_of_a_link_that_is_read_is_the_same_file(repo: Path) -> None:
    """Claude Code reads CLAUDE.md, a link: nothing of AGENTS.md is lost, at the start or later."""
    write(
        repo,
        {"AGENTS.md": "Of all.\n", "a/AGENTS.md": "Of a.\n"},
        {"CLAUDE.md": "AGENTS.md", "a/CLAUDE.md": "AGENTS.md"},
    )
    found = files(repo, "claude-code")
    assert (found["AGENTS.md"]["how"], found["AGENTS.md"]["same_as"]) == ("skipped", "CLAUDE.md")
    assert found["AGENTS.md"]["text"] == "the same file as CLAUDE.md"
    assert found["a/AGENTS.md"]["same_as"] == "a/CLAUDE.md" and found["a/CLAUDE.md"]["how"] == "on_demand"


def test_a_file_that_is_linked_into_another_folder_is_read_in_both(repo: Path) -> None:
    """Whoever works in one of the two alone reads it there, by the name that it has there."""
    write(repo, {"a/AGENTS.md": "Of both.\n"}, {"b/AGENTS.md": "../a/AGENTS.md"})
    found = files(repo, "copilot-cli")
    assert {name: (file["how"], file["tokens"] > 0) for name, file in found.items()} == {
        "a/AGENTS.md": ("on_demand", True),
        "b/AGENTS.md": ("on_demand", True),
    }


def test_a_rule_whose_ending_no_agent_reads_is_skipped_and_not_lost(repo: Path) -> None:
    """Whoever writes a rule meant it: Claude Code reads `.md`, Copilot `.instructions.md`. A README is no rule."""
    rules = (".claude/rules/tabs.mdc", ".agents/rules/tabs.mdc", ".github/instructions/tabs.md")
    pages = (".claude/rules/README.md", ".github/instructions/README.md")
    write(repo, dict.fromkeys((*rules, *pages, "AGENTS.md"), "Use tabs.\n"))
    found = files(repo, "claude-code")
    assert {name: found[name]["how"] for name in rules} == dict.fromkeys(rules, "skipped")
    assert found[".claude/rules/tabs.mdc"]["text"] == "Claude Code does not read .claude/rules/tabs.mdc"
    assert found[".claude/rules/README.md"]["how"] == "loaded" and ".github/instructions/README.md" not in found


def diff(repo: Path, *names: str) -> tuple[Any, Any, Any]:
    """Both sides, and the whole."""
    done = run("agents", "diff", *names, "--json", cwd=repo, HOME=str(repo.parent / "home"))
    found = json.loads(done.stdout)
    return found["first"], found["second"], found


def test_what_only_one_gets_is_named_with_file_and_lines(repo: Path) -> None:
    """Each range says where it is and how much it costs."""
    write(repo, {"AGENTS.md": RULES, "CLAUDE.md": "Be brief.\n"})
    first, second, found = diff(repo, "codex", "claude-code")
    assert [(each["line"], each["last_line"]) for each in first["only"]] == [(1, 4)]
    assert first["only"][0]["text"] == "# Rules\nUse tabs in every file.\nRun the tests."
    assert first["tokens"] == sum(each["tokens"] for each in first["only"]) > 0 == found["both"]
    assert [each["text"] for each in second["only"]] == ["Be brief."]


def test_two_copies_of_one_text_are_one_text(repo: Path) -> None:
    """A copy under another name is no difference, whatever blanks it has; the exit code says so."""
    write(repo, {"AGENTS.md": RULES, "CLAUDE.md": RULES.replace("Use tabs", "Use  tabs").replace("\n\n", "\n\n\n")})
    done = run("agents", "diff", "codex", "claude-code", cwd=repo, HOME=str(repo.parent / "home"))
    assert done.returncode == 0 and "Nothing is loaded by Codex alone." in done.stdout


def test_a_file_that_is_cut_for_one_differs_from_that_line_on(repo: Path) -> None:
    """The range begins at the first line that does not arrive whole, and goes on to the end."""
    write(repo, {"AGENTS.md": "\n".join(f"{number:063d}" for number in range(1, 601))})
    first, second, _ = diff(repo, "codex", "claude-code")
    assert first["only"] == [] and [(each["line"], each["last_line"]) for each in second["only"]] == [(513, 600)]


def test_a_skill_that_only_one_lists_is_a_difference(repo: Path) -> None:
    """By its name."""
    skill = "---\nname: tides\ndescription: Reads the tide tables.\n---\nBody.\n"
    write(repo, {"AGENTS.md": RULES, ".claude/skills/tides/SKILL.md": skill})
    _, second, _ = diff(repo, "codex", "claude-code")
    assert [each["text"] for each in second["only"]] == ["tides"]


def test_as_markdown_names_and_lines_stay_text(tmp_path: Path) -> None:
    """Names and lines of the project can write no heading, link, mention or tag, and close no fence."""
    name = "a`b](http:evil) @me <img> | x"
    folder = tmp_path / "p" / name
    (tmp_path / "p/.git").mkdir(parents=True)
    put(folder / "AGENTS.md", "```\n# Not a heading\n````\n<b>@someone</b>\n")
    put(folder / "GEMINI.md", "Only for Gemini.\n")
    done = run("agents", "diff", "codex", "gemini-cli", "--markdown", cwd=folder, HOME=str(tmp_path))
    lines = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    fence = lines.index("`````text")
    assert lines[fence + 1 : lines.index("`````")] == ["# Not a heading", "````", "<b>@someone</b>"]
    assert [line for line in lines if line.startswith("#") and not line.startswith("### ")] == ["# Not a heading"]
    assert name not in done.stdout
    table = run("agents", "--markdown", cwd=folder, HOME=str(tmp_path)).stdout
    assert "<img>" not in table and "@me " not in table.replace("`", "") or "| Agent |" in table
