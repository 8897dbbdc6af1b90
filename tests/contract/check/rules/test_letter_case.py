"""Names with the wrong letter case, and what agents load in different files."""

import pytest

from ..look import findings, places

SKILL = "---\nname: moor\ndescription: Moor a ship.\n---\nTake a line.\n"


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ("agents.md", "AGENTS.md"),
        ("Claude.md", "CLAUDE.md"),
        ("web/Agents.md", "AGENTS.md"),
        (".claude/skills/moor/skill.md", "SKILL.md"),
        (".agents/skills/moor/Skill.md", "SKILL.md"),
    ],
)
def test_a_file_that_most_agents_skip_for_its_letter_case_is_found(path: str, right: str) -> None:
    """At any depth; of skills, where agents look for them."""
    [found] = findings("wrong-case", {path: SKILL})
    assert (found.path, found.severity) == (f"/p/{path}", "warning")
    assert found.message.startswith(f"most agents look for '{right}' and skip this file")


@pytest.mark.parametrize(
    "files",
    [
        {"AGENTS.md": "Be brief.", "web/CLAUDE.md": "Be brief."},
        {"docs/agents.md": "# Agents"},
        {"AGENTS.md": "Be brief.", "agents.md": "# The team"},
        {".claude/skills/moor/SKILL.md": SKILL, ".claude/skills/moor/skill.md": "More."},
        {"skills/moor/skill.md": SKILL},
        {"/agents.md": "Above the project."},
    ],
    ids=["right", "documentation", "both", "both of a skill", "no folder of agents", "above"],
)
def test_other_files_may_have_such_names(files: dict[str, str]) -> None:
    """Pages for people, files beside the right one, and what belongs to others."""
    assert not places("wrong-case", files)


def test_a_page_for_people_is_none_also_for_an_agent_that_starts_beside_it() -> None:
    """From the folder of pages the answer is that from the root; what an agent may be meant to load is still found."""
    files = {"AGENTS.md": "Be brief.", "docs/agent.md": "# Agent", "docs/index.md": "# Index", "pkg/agents.md": "Hi."}
    for cwd in ("/p", "/p/docs", "/p/pkg"):
        assert places("wrong-case", files, cwd=cwd) == [("pkg/agents.md", None)], cwd
