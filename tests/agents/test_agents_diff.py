"""Two agents are compared by what they are told, not by the names of files."""

from pathlib import Path

import pytest

from tests.contract.cli.run import run

from .places import compared, project

RULES = "# Rules\n\nUse tabs.\nRun the tests.\n"


def test_what_only_one_is_told_is_named_with_file_and_lines() -> None:
    """Each stretch says where it stands and how much it is."""
    found = compared(project({"AGENTS.md": RULES, "CLAUDE.md": "Be brief.\n"}), "codex", "claude-code")
    (only,) = found.first.only
    assert (only.path, only.line, only.last_line) == ("/p/AGENTS.md", 1, 4)
    assert only.text == "# Rules\nUse tabs.\nRun the tests."
    assert only.tokens == found.first.tokens > 0
    assert [(each.path, each.line) for each in found.second.only] == [("/p/CLAUDE.md", 1)]
    assert found.both == 0


def test_two_copies_of_one_text_are_one_fact() -> None:
    """A copy under another name is no difference, whatever blanks it has."""
    world = project({"AGENTS.md": RULES, "CLAUDE.md": RULES.replace("Use tabs", "Use  tabs").replace("\n\n", "\n\n\n")})
    assert compared(world, "codex", "claude-code").same


def test_a_file_that_is_cut_in_one_differs_from_that_line_on() -> None:
    """The stretch begins at the line that is not told whole, and goes on to the end."""
    lines = [f"{number:063d}" for number in range(1, 601)]
    found = compared(project({"AGENTS.md": "\n".join(lines)}), "codex", "claude-code")
    assert found.first.only == ()
    (rest,) = found.second.only
    assert (rest.line, rest.last_line) == (513, 600)


def test_a_skill_that_only_one_lists_is_a_difference() -> None:
    """Its name and description count."""
    skill = "---\nname: tides\ndescription: Reads the tide tables.\n---\nBody.\n"
    world = project({"AGENTS.md": RULES, ".claude/skills/tides/SKILL.md": skill})
    found = compared(world, "codex", "claude-code")
    assert [each.text for each in found.second.only] == ["tides: Reads the tide tables."]


@pytest.mark.slow
def test_as_markdown_it_is_markdown_and_escaped(tmp_path: Path) -> None:
    """Names and lines of the project can write no heading, link, mention or tag, and close no fence."""
    name = "a`b](http:evil) @me <img> | x"
    folder = tmp_path / "p" / name
    folder.mkdir(parents=True)
    (tmp_path / "p/.git").mkdir()
    (tmp_path / "home").mkdir()
    (folder / "AGENTS.md").write_text("```\n# Not a heading\n````\n<b>@someone</b>\n")
    (folder / "GEMINI.md").write_text("Only for Gemini.\n")
    done = run("agents", "diff", "codex", "gemini-cli", "--markdown", "--cwd", folder / "", "--home", tmp_path / "home")
    lines = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    assert lines[0].startswith("### Only Codex loads, 13 tokens")
    assert "| Where | Tokens |" in lines
    fence = lines.index("`````text")
    assert lines[fence + 1 : lines.index("`````")] == ["# Not a heading", "````", "<b>@someone</b>"]
    assert [line for line in lines if line.startswith("#") and not line.startswith("### ")] == ["# Not a heading"]
    assert name not in done.stdout
