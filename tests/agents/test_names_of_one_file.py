"""One file under several names: an agent reads it by one of them, and the others say so."""

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


def test_a_file_that_is_linked_into_another_folder_is_read_in_both() -> None:
    """Whoever works in one of the two alone reads it there, by the name that it has there."""
    world = project({"a/AGENTS.md": "Of both.\n"}, {"b/AGENTS.md": "../a/AGENTS.md"})
    found = files(world, "copilot-cli")
    assert {name: (file.status, file.tokens > 0) for name, file in found.items()} == {
        "a/AGENTS.md": ("on_demand", True),
        "b/AGENTS.md": ("on_demand", True),
    }


def test_a_rule_whose_ending_no_agent_reads_is_skipped_and_not_lost() -> None:
    """Whoever writes a rule meant it: Claude Code reads `.md`, Copilot `.instructions.md`. A README is no rule."""
    rules = (".claude/rules/tabs.mdc", ".agents/rules/tabs.mdc", ".github/instructions/tabs.md")
    pages = (".claude/rules/README.md", ".github/instructions/README.md")
    found = files(project(dict.fromkeys((*rules, *pages, "AGENTS.md"), "Use tabs.\n")), "claude-code")
    assert {name: found[name].status for name in rules} == dict.fromkeys(rules, "skipped")
    assert found[".claude/rules/tabs.mdc"].why == "Claude Code does not read .claude/rules/tabs.mdc"
    assert found[".claude/rules/README.md"].status == "loaded" and ".github/instructions/README.md" not in found
