"""Skills that break a rule, and what agents do with them."""

import pytest

from ..look import findings, places


def skill(head: str, folder: str = ".agents/skills/release") -> dict[str, str]:
    """A project with one skill."""
    return {f"{folder}/SKILL.md": f"---\n{head}\n---\nTag it.\n"}


@pytest.mark.parametrize(
    ("head", "line", "severity", "said"),
    [
        ("name: release", 1, "error", "Codex CLI"),
        ("description: Publish.", 1, "error", "Gemini CLI"),
        ("name: other\ndescription: Publish.", 2, "warning", "Crush"),
        ("name: Release_It\ndescription: Publish.", 2, "warning", "Factory droid"),
        (f"name: release\ndescription: {'x' * 1025}", 3, "warning", "Copilot CLI"),
        ("name: release\ndescription: Publish: now", 3, "error", "pi 1.5"),
    ],
)
def test_each_rule_names_the_agents_that_leave_it_out(head: str, line: int, severity: str, said: str) -> None:
    """An error where most of those that look there leave it out, or this recipe does."""
    [found] = findings("skill-invalid", skill(head))
    assert (found.line, found.severity) == (line, severity)
    assert said in found.message and "out" in found.message


def test_only_agents_that_look_there_are_named() -> None:
    """Codex does not look in .claude/skills, and Claude Code takes the skill by its folder."""
    [found] = findings("skill-invalid", skill("name: other\ndescription: X.", ".claude/skills/release"))
    assert "Claude Code 2.1.325 calls it by its folder" in found.message
    assert "Codex" not in found.message and "OpenHands" not in found.message


def test_a_skill_without_frontmatter_is_an_error() -> None:
    """No agent but Claude Code lists it."""
    [found] = findings("skill-invalid", {".agents/skills/a/SKILL.md": "Tag it."})
    assert (found.line, found.severity) == (1, "error")


def test_skills_that_this_recipe_does_not_read_are_looked_at_too() -> None:
    """Whoever keeps skills for another agent learns what that one does with them."""
    assert places("skill-invalid", skill("name: release", ".github/skills/release")) == [
        (".github/skills/release/SKILL.md", 1)
    ]


def test_a_recipe_that_leaves_it_out_says_so() -> None:
    """opal skips every invalid skill."""
    [found] = findings("skill-invalid", skill("name: other\ndescription: X."), recipe="opal")
    assert found.severity == "error" and "recipe 'opal' leaves it out" in found.message


def test_what_breaks_no_rule_is_not_found() -> None:
    """Unknown fields are fine."""
    assert not places("skill-invalid", skill("name: release\ndescription: Publish.\nlicense: MIT\nmine: 1"))
