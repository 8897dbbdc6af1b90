"""What known agents do with a skill that breaks a rule: seen in a run, or read in their source."""

from collections.abc import Mapping
from typing import NamedTuple

from ...model.skill_rules import Fault


class SkillReader(NamedTuple):
    """An agent, the folders of a project in which it looks, and what it does."""

    agent: str
    folders: tuple[str, ...]
    refuses: frozenset[Fault]
    """Faults for which the skill is not listed."""
    changes: Mapping[Fault, str] = {}
    """What it does with a skill that it lists all the same."""


def _faults(*faults: Fault) -> frozenset[Fault]:
    return frozenset(faults)


READERS = (
    SkillReader(
        "Codex CLI 0.166",
        (".codex/skills", ".agents/skills"),
        _faults("frontmatter", "description-missing", "blank-lines", "bom"),
        {"description-long": "cuts it", "name-missing": "takes its folder's name"},
    ),
    SkillReader(
        "Claude Code 2.1.325",
        (".claude/skills",),
        _faults(),
        {
            "name-folder": "calls it by its folder",
            "description-missing": "takes words from its body",
            "blank-lines": "takes its frontmatter for words",
        },
    ),
    SkillReader(
        "Gemini CLI 0.61",
        (".gemini/skills", ".agents/skills"),
        _faults("frontmatter", "name-missing", "description-missing", "blank-lines", "bom", "blanks"),
    ),
    SkillReader(
        "Copilot CLI 1.0.102",
        (".github/skills", ".agents/skills", ".claude/skills"),
        _faults("frontmatter", "yaml", "colon", "description-long", "blank-lines"),
        {"description-missing": "takes words from its body"},
    ),
    SkillReader(
        "opencode 1.18",
        (".claude/skills", ".agents/skills", ".opencode/skill", ".opencode/skills"),
        _faults("frontmatter", "name-missing", "description-missing", "blank-lines"),
    ),
    SkillReader(
        "Kilo 7.7",
        (".claude/skills", ".agents/skills", ".kilocode/skills", ".kilo/skills"),
        _faults("frontmatter", "name-missing", "description-missing"),
    ),
    SkillReader(
        "Qwen Code 0.24",
        (".qwen/skills", ".agents/skills"),
        _faults("frontmatter", "name-missing", "description-missing", "blank-lines", "blanks"),
    ),
    SkillReader(
        "pi 1.5",
        (".pi/skills", ".agents/skills"),
        _faults("frontmatter", "yaml", "colon", "description-missing", "blank-lines"),
        {"name-letters": "warns", "description-long": "warns", "name-missing": "takes its folder's name"},
    ),
    SkillReader(
        "Factory droid 0.225",
        (".factory/skills", ".agents/skills", ".agent/skills"),
        _faults("frontmatter", "name-missing", "name-letters", "description-missing"),
        {"description-long": "cuts it"},
    ),
    SkillReader("Cline 3.0", (".clinerules/skills", ".cline/skills", ".agents/skills"), _faults()),
    SkillReader(
        "Continue CLI 1.5",
        (".continue/skills", ".claude/skills"),
        _faults("frontmatter", "yaml", "colon", "name-missing", "description-missing", "bom"),
    ),
    SkillReader(
        "OpenHands 1.16",
        (".agents/skills", ".openhands/skills"),
        _faults("name-folder"),
        {"description-long": "cuts it"},
    ),
    SkillReader(
        "Auggie 0.36",
        (".augment/skills", ".claude/skills", ".agents/skills"),
        _faults("description-missing", "description-long", "blank-lines", "bom"),
    ),
    SkillReader(
        "Crush",
        (".agents/skills", ".crush/skills", ".claude/skills", ".cursor/skills"),
        _faults("frontmatter", "name-missing", "name-folder", "name-long", "description-missing", "description-long"),
    ),
    SkillReader(
        "Goose",
        (".agents/skills", ".goose/skills", ".claude/skills"),
        _faults("frontmatter", "name-missing"),
    ),
)


def readers_of(path: str) -> tuple[SkillReader, ...]:
    """The agents that look where a skill lies; for a collection, all of them."""
    found = tuple(each for each in READERS if any(f"/{folder}/" in path for folder in each.folders))
    return found or READERS
