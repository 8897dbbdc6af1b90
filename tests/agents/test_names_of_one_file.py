"""One file under several names: an agent reads it by one of them, and the others say so."""

import json

import pytest

from overture.agents.agent_report import AgentFile
from overture.agents.make_reports import report_agents
from overture.testing import FakeWorld

from .places import project


def files(world: FakeWorld, name: str) -> dict[str, AgentFile]:
    """What becomes of each file, by its path in the project."""
    (report,) = report_agents([name], world=world)
    return {file.path.removeprefix("/p/"): file for file in report.files}


def test_the_target_of_a_link_that_is_read_is_the_same_file() -> None:
    """Claude Code reads CLAUDE.md, a link: nothing of AGENTS.md is lost, at the start or later."""
    names = {"CLAUDE.md": "AGENTS.md", "a/CLAUDE.md": "AGENTS.md"}
    found = files(project({"AGENTS.md": "Of all.\n", "a/AGENTS.md": "Of a.\n"}, names), "claude-code")
    assert (found["AGENTS.md"].status, found["AGENTS.md"].same) == ("skipped", "/p/CLAUDE.md")
    assert found["AGENTS.md"].why == "the same file as /p/CLAUDE.md, which is loaded"
    assert found["a/AGENTS.md"].why == "the same file as /p/a/CLAUDE.md, which is loaded on demand"
    assert found["a/CLAUDE.md"].status == "on_demand"


def test_a_file_below_is_not_read_for_the_reason_that_counts_there() -> None:
    """Claude Code reads AGENTS.md below, too, but for the CLAUDE.md above it."""
    found = files(project({"CLAUDE.md": "Be brief.\n", "a/AGENTS.md": "Of a.\n"}), "claude-code")
    assert found["a/AGENTS.md"].status == "skipped"
    assert found["a/AGENTS.md"].why.startswith("hidden by /p/CLAUDE.md")


def test_a_file_that_is_linked_into_another_folder_is_read_in_both() -> None:
    """Whoever works in one of the two alone reads it there, by the name that it has there."""
    world = project({"a/AGENTS.md": "Of both.\n"}, {"b/AGENTS.md": "../a/AGENTS.md"})
    found = files(world, "copilot-cli")
    assert {name: (file.status, file.tokens > 0) for name, file in found.items()} == {
        "a/AGENTS.md": ("on_demand", True),
        "b/AGENTS.md": ("on_demand", True),
    }


def test_files_in_the_folders_of_github_are_met_too() -> None:
    """People work on workflows as on anything else; other hidden folders belong to programs."""
    world = project({".github/workflows/CLAUDE.md": "Of workflows.\n", ".cache/x/CLAUDE.md": "Of nothing.\n"})
    found = files(world, "claude-code")
    assert {name: file.status for name, file in found.items()} == {".github/workflows/CLAUDE.md": "on_demand"}


def test_a_file_that_is_told_twice_says_so() -> None:
    """Copilot reads AGENTS.md by itself, and once more where CLAUDE.md imports it."""
    found = files(project({"AGENTS.md": "Of all.\n", "CLAUDE.md": "See @AGENTS.md\n"}), "copilot-cli")
    why = "in the working directory; loaded again, imported by /p/CLAUDE.md, line 1"
    assert found["AGENTS.md"].why == why


def test_what_a_file_below_imports_is_read_with_it() -> None:
    """Whatever its name, as for an agent that works there; one that takes no imports does not read it."""
    world = project({"a/CLAUDE.md": "See @README.md and @b.md\n", "a/README.md": "Of a.\n", "a/b.md": "Of b.\n"})
    found = files(world, "claude-code")
    for name in ("README.md", "b.md"):
        file = found[f"a/{name}"]
        assert (file.status, file.why) == ("on_demand", "imported by /p/a/CLAUDE.md, line 1") and file.tokens
    assert "a/README.md" not in files(world, "droid")


def test_a_linked_folder_of_skills_is_told_by_its_files_alone() -> None:
    """The folder itself is no file: each skill in it is the same file as another."""
    skill = "---\nname: sail\ndescription: Sail.\n---\nSail.\n"
    world = project({"lore/sail/SKILL.md": skill}, {".claude/skills": "../lore", ".cursor/skills": "../lore"})
    found = files(world, "cursor")
    assert ".claude/skills" not in found and ".cursor/skills" not in found
    assert found[".cursor/skills/sail/SKILL.md"].status == "loaded"
    assert found[".claude/skills/sail/SKILL.md"].same == "/p/.cursor/skills/sail/SKILL.md"


def test_a_skill_in_a_linked_folder_says_who_does_not_follow_it() -> None:
    """Continue looks in .claude/skills, and takes real folders there."""
    skill = "---\nname: sail\ndescription: Sail.\n---\nSail.\n"
    world = project({"lore/sail/SKILL.md": skill}, {".claude/skills/sail": "../../lore/sail"})
    found = files(world, "continue-cli")[".claude/skills/sail/SKILL.md"]
    assert (found.status, found.why) == ("skipped", "its folder is a symlink, which this agent does not follow")


def test_a_rule_whose_ending_no_agent_reads_is_skipped_and_not_lost() -> None:
    """Whoever writes a rule meant it: Claude Code reads `.md`, Copilot `.instructions.md`. A README is no rule."""
    rules = (".claude/rules/tabs.mdc", ".agents/rules/tabs.mdc", ".github/instructions/tabs.md")
    pages = (".claude/rules/README.md", ".github/instructions/README.md")
    found = files(project(dict.fromkeys((*rules, *pages, "AGENTS.md"), "Use tabs.\n")), "claude-code")
    assert {name: found[name].status for name in rules} == dict.fromkeys(rules, "skipped")
    assert found[".claude/rules/tabs.mdc"].why == "Claude Code does not read .claude/rules/tabs.mdc"
    assert found[".claude/rules/README.md"].status == "loaded" and ".github/instructions/README.md" not in found


def test_a_skill_that_is_refused_by_one_name_is_refused_by_the_others_for_the_same_reason() -> None:
    """Crush looks into both folders; that one of them is a link does not mean that it is not looked for there."""
    skill = "---\nname: sail\ndescription: Sail.\n---\nSail.\n"
    world = project({".cursor/skills/boat/SKILL.md": skill}, {".claude/skills": "../.cursor/skills"})
    found = files(world, "crush")
    why = "this agent does not list it: its name 'sail' differs from its folder"
    assert {found[f"{folder}/skills/boat/SKILL.md"].why for folder in (".claude", ".cursor")} == {why}
    assert files(world, "claude-code")[".cursor/skills/boat/SKILL.md"].same == "/p/.claude/skills/boat/SKILL.md"


def test_where_the_last_skill_of_a_name_wins_the_first_is_hidden() -> None:
    """Crush lists one of the two, and does not count the other."""
    skill = "---\nname: sail\ndescription: Sail.\n---\nSail.\n"
    names = [f".{folder}/skills/sail/SKILL.md" for folder in ("agents", "claude")]
    (report,) = report_agents(["crush"], world=project(dict.fromkeys(names, skill)))
    assert [(file.path, file.status) for file in report.files] == [
        ("/p/.claude/skills/sail/SKILL.md", "loaded"),
        ("/p/.agents/skills/sail/SKILL.md", "skipped"),
    ]
    assert report.files[1].why == "hidden by /p/.claude/skills/sail/SKILL.md"


@pytest.mark.parametrize("more", [[], ["~/notes/*.md"]])
def test_a_file_far_below_that_a_pattern_finds_is_one_of_the_working_directory(more: list[str]) -> None:
    """opencode loads it at the start: neither is it one for every project, nor does the agent work on anything."""
    settings = json.dumps({"instructions": ["**/rules.md", *more]})
    found = files(project({"opencode.json": settings, "a/b/rules.md": "Use tabs.\n"}), "opencode")
    assert (found["a/b/rules.md"].status, found["a/b/rules.md"].why) == ("loaded", "in the working directory")
