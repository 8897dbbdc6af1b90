"""Skills that break a rule, and what agents do with them."""

import pytest

from ..look import findings, places


def skill(head: str, folder: str = ".agents/skills/release") -> dict[str, str]:
    """A project with one skill."""
    return {f"{folder}/SKILL.md": f"---\n{head}\n---\nTag it.\n"}


@pytest.mark.parametrize(
    ("head", "line", "severity", "said"),
    [
        ("name: release", 1, "warning", "Codex"),
        ("description: Publish.", 1, "warning", "Gemini CLI"),
        ("name: other\ndescription: Publish.", 2, "warning", "Crush"),
        ("name: Release_It\ndescription: Publish.", 2, "warning", "Factory droid"),
        (f"name: release\ndescription: {'x' * 1025}", 3, "warning", "Copilot CLI"),
        ("name: release\ndescription: Publish: now", 3, "warning", "Copilot CLI"),
        ("name: [", 3, "error", "Codex"),
    ],
)
def test_each_rule_names_the_agents_that_leave_it_out(head: str, line: int, severity: str, said: str) -> None:
    """An error where all of those that look there leave it out; a warning where some list it."""
    [found] = findings("skill-invalid", skill(head))
    assert (found.line, found.severity) == (line, severity)
    assert said in found.message and "skip" in found.message


def test_only_agents_that_look_there_are_named() -> None:
    """Codex does not look in .claude/skills, and Claude Code takes the skill by its folder."""
    [found] = findings("skill-invalid", skill("name: other\ndescription: X.", ".claude/skills/release"))
    assert "Claude Code uses its folder's name" in found.message
    assert "Codex" not in found.message and "OpenHands" not in found.message


def test_the_first_line_names_those_that_leave_it_out() -> None:
    """Each rule that is broken has its line; what agents do with the skill is said once."""
    found = {each.line: each.message for each in findings("skill-invalid", skill("name: other"))}
    assert found.keys() == {1, 2}
    assert "Codex" in found[1] and "skip it" in found[1] and "skip" not in found[2]


def test_a_skill_without_frontmatter_is_a_warning() -> None:
    """Cline, OpenHands and Warp list it."""
    [found] = findings("skill-invalid", {".agents/skills/a/SKILL.md": "Tag it."})
    assert (found.line, found.severity) == (1, "warning")


def test_what_breaks_no_rule_is_not_found() -> None:
    """Unknown fields are fine."""
    assert not places("skill-invalid", skill("name: release\ndescription: Publish.\nlicense: MIT\nmine: 1"))
