"""The owners of files and skills are what the agents' records say."""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from overture.known_agents import AGENTS, agent
from overture.known_agents.file_owners import INSTRUCTIONS, SKILLS, match_known_file
from tests.contract.discover.disk import find, put_skill


@pytest.mark.parametrize("name", AGENTS)
def test_every_skill_folder_of_an_agent_is_known(name: str) -> None:
    """Skills that lie in a hidden folder where a known agent looks have an owner in every recipe."""
    skills = agent(name).wants.skills
    given = [*skills.project, *skills.here] if skills else []
    folders = [folder for folder in given if folder.startswith(".") and "/" in folder and "{" not in folder]
    assert [folder for folder in folders if folder not in SKILLS] == []


@pytest.mark.parametrize("folder", [".vibe/skills", ".kimi-code/skills", ".augment/skills", ".windsurf/skills"])
def test_skills_of_any_known_agent_are_reported_as_unread(tmp_path: Path, folder: str) -> None:
    """A recipe of ours that does not look there says whose they are."""
    put_skill(tmp_path / f"p/{folder}/release")
    details = [look.detail for look in find(tmp_path, "opal").looked_at if look.path.endswith(folder)]
    assert details and details[0].startswith(f"1 skill ({SKILLS[folder]}); ")


def test_a_file_named_after_an_agent_is_its_own() -> None:
    """However many others read it, too; what most agents read is nobody's."""
    owners = {name: INSTRUCTIONS[name] for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".rules")}
    assert list(owners.values()) == ["many agents", "Claude Code", "Gemini CLI", "Cursor", "Zed"]
    assert "README.md" not in INSTRUCTIONS


def test_a_path_is_known_as_its_pattern_says() -> None:
    """A path is looked up by the letters around `*` first; no pattern has another sign, and all that fit are found."""
    assert not [pattern for pattern in INSTRUCTIONS if set("?[]") & set(pattern)]
    for pattern in INSTRUCTIONS:
        for path in (pattern.replace("*", "one"), pattern.replace("*", "one/two"), f"pkg/{pattern.replace('*', '')}"):
            tails = ["/".join(path.split("/")[-count:]) for count in range(min(path.count("/") + 1, 5), 0, -1)]
            first = next(
                (tool for tail in tails for each, tool in INSTRUCTIONS.items() if fnmatchcase(tail, each)), None
            )
            found = match_known_file(path)
            assert (found[1] if found else None) == first, path
    assert match_known_file("src/main.py") is None
