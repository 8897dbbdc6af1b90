"""Skills that break a rule, and what agents do with them."""

import pytest

from overture.agents.make_reports import report_agents
from overture.check.rules.skills import list_skill_readers
from overture.discover.instructions.agent_skill_listing import judge_skill, parse_skill
from overture.known_agents import AGENTS, agent
from overture.model.state.files import Skill
from overture.testing import FakeWorld

from ..look import findings, places


def skill(head: str, folder: str = ".agents/skills/release") -> dict[str, str]:
    """A project with one skill."""
    return {f"{folder}/SKILL.md": f"---\n{head}\n---\nTag it.\n"}


@pytest.mark.parametrize(
    ("head", "line", "severity", "said"),
    [
        ("name: release", 1, "warning", "Codex 0.166.0"),
        ("description: Publish.", 1, "warning", "Gemini CLI"),
        ("name: other\ndescription: Publish.", 2, "warning", "Crush"),
        ("name: Release_It\ndescription: Publish.", 2, "warning", "Factory droid"),
        (f"name: release\ndescription: {'x' * 1025}", 3, "warning", "Copilot CLI"),
        ("name: release\ndescription: Publish: now", 3, "warning", "Copilot CLI"),
        ("name: [", 3, "error", "Codex 0.166.0"),
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
    assert "Claude Code 2.1.325 uses its folder's name" in found.message
    assert "Codex" not in found.message and "OpenHands" not in found.message


@pytest.mark.parametrize(
    "name", [each for each in AGENTS if (skills := agent(each).wants.skills) and skills.needs is not None]
)
@pytest.mark.parametrize(
    "head",
    [
        "name: release",
        "description: Publish.",
        "name: other\ndescription: Publish.",
        "name: Release_It\ndescription: Publish.",
        f"name: release\ndescription: {'x' * 1025}",
        "name: release\ndescription: Publish: now",
    ],
)
def test_check_leaves_out_what_agents_leaves_out(name: str, head: str) -> None:
    """An agent that `overture agents` says to list a skill is not said to leave it out, and the other way round."""
    skills = agent(name).wants.skills
    assert skills is not None
    folder = next(each for each in (*skills.here, *skills.project) if "{" not in each)
    path = f"/p/{folder}/release/SKILL.md"
    [text] = skill(head).values()
    world = FakeWorld({"/p/.git/HEAD": "", path: text}, cwd="/p")
    [report] = report_agents([name], cwd="/p", home="/home/user", world=world)
    listed = next(file.status for file in report.files if file.path == path) == "loaded"
    [reader] = list_skill_readers((name,))
    assert isinstance(judge_skill(parse_skill(text, path)[0], path, reader.wants), Skill) == listed


def test_each_line_names_those_that_leave_it_out_for_that_line() -> None:
    """OpenHands leaves a skill out for its name, and lists one without a description."""
    found = {each.line: each.message for each in findings("skill-invalid", skill("name: other"))}
    assert "OpenHands 1.16.0 uses text" in found[1] and "OpenHands 1.16.0 skips it" not in found[1]
    assert "Codex" not in found[2] and "Crush" in found[2]


@pytest.mark.parametrize(("folder", "severity"), [(".agents/skills", "error"), (".claude/skills", "warning")])
def test_what_one_agent_lists_is_no_error(folder: str, severity: str) -> None:
    """Claude Code lists a skill whose frontmatter is no YAML by its folder; no agent does that searches .agents."""
    [found] = findings("skill-invalid", skill("name: [", f"{folder}/release"))
    assert found.severity == severity


def test_a_skill_without_frontmatter_is_a_warning() -> None:
    """Cline, OpenHands and Warp list it."""
    [found] = findings("skill-invalid", {".agents/skills/a/SKILL.md": "Tag it."})
    assert (found.line, found.severity) == (1, "warning")


def test_skills_that_this_recipe_does_not_read_are_looked_at_too() -> None:
    """Whoever keeps skills for another agent learns what that one does with them."""
    assert places("skill-invalid", skill("name: release", ".github/skills/release")) == [
        (".github/skills/release/SKILL.md", 1)
    ]


def test_a_recipe_that_leaves_it_out_says_so() -> None:
    """opal skips every invalid skill."""
    [found] = findings("skill-invalid", skill("name: other\ndescription: X."), recipe="opal")
    assert found.severity == "error" and "recipe 'opal' skips it" in found.message


def test_what_breaks_no_rule_is_not_found() -> None:
    """Unknown fields are fine."""
    assert not places("skill-invalid", skill("name: release\ndescription: Publish.\nlicense: MIT\nmine: 1"))
