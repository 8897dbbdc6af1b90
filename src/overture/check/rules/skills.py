"""Finds skills that break a rule of the format, and says what known agents do with each."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from ...model.diagnostic import Diagnostic
from ...model.skill_rules import (
    RuleViolation,
    SkillFault,
    check_beginning,
    find_odd_beginning,
    find_odd_fields,
    find_violations,
)
from ...text.frontmatter import FrontmatterProblem, parse_frontmatter, scalar_text
from ...text.normalize import join_words, tidy
from ..rule import CheckedFile, CheckInput, CheckRule, Finding, Severity


class SkillReader(NamedTuple):
    """An agent, the folders of a project in which it looks, and what it does."""

    agent: str
    folders: tuple[str, ...]
    refuses: frozenset[SkillFault]
    """Faults for which the skill is not listed."""
    changes: Mapping[SkillFault, str] = {}
    """What it does with a skill that it lists all the same."""


def _faults(*faults: SkillFault) -> frozenset[SkillFault]:
    return frozenset(faults)


SKILL_READERS = (
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


def find_skill_readers(path: str) -> tuple[SkillReader, ...]:
    """The agents that look where a skill lies; for a collection, all of them."""
    found = tuple(each for each in SKILL_READERS if any(f"/{folder}/" in path for folder in each.folders))
    return found or SKILL_READERS


# Skills that break a rule of the format, and what known agents do with each.


CODE = "skill-invalid"
TAKES = frozenset(("skill-invalid", "skill-skipped"))
MAX_NAMED_AGENTS = 4
"""Agents that a finding names."""


def check_skills(ground: CheckInput) -> Iterator[Finding]:
    """One finding for each rule that a skill breaks, and whatever else the recipe reports of skills."""
    notes = [note for note in ground.prompt.diagnostics if note.code in TAKES]
    at: dict[tuple[str | None, int | None], list[Diagnostic]] = {}
    for note in notes:
        at.setdefault((note.path, note.line), []).append(note)
    for page in ground.pages:
        if page.kind == "skill" and page.path.endswith("/SKILL.md"):
            for line, broken in groupby(sorted(find_skill_faults(page), key=_line), _line):
                refused = any(note.level == "error" for note in at.pop((page.path, line), ()))
                yield _finding(page, [*broken], ground.prompt.recipe.name if refused else None)
    for rest in at.values():
        yield from (Finding(CODE, note.level, note.message, note.path, note.line, note.column) for note in rest)


def find_skill_faults(page: CheckedFile) -> Iterator[RuleViolation]:
    """What is wrong with a skill, each with its line."""
    text, skipped = tidy(page.text)
    parsed = parse_frontmatter(text)
    if isinstance(parsed, FrontmatterProblem):
        fault: SkillFault = "colon" if "mapping values" in parsed.message else "yaml"
        fault = fault if text.startswith("---") else "frontmatter"
        yield RuleViolation(fault, parsed.message, parsed.line + skipped)
        return
    folder = page.path.rpartition("/")[0].rpartition("/")[2]
    if not scalar_text(parsed.fields.get("description")):
        yield RuleViolation("description-missing", "it has no description: nobody knows when to load it", 1 + skipped)
    for broken in (
        *find_violations(parsed, folder),
        *find_odd_fields(parsed),
        *find_odd_beginning(page.text, text, parsed),
    ):
        yield broken._replace(line=broken.line + skipped)
    yield from check_beginning(skipped)


def _line(broken: RuleViolation) -> int:
    return broken.line


def _finding(page: CheckedFile, broken: list[RuleViolation], recipe: str | None) -> Finding:
    """What is wrong on one line."""
    agents, wrong = find_skill_readers(page.path), {each.fault for each in broken}
    refusing = [each for each in agents if wrong & each.refuses]
    severity: Severity = "error" if recipe or len(refusing) * 2 > len(agents) else "warning"
    said = [", and ".join(each.message for each in broken)]
    if recipe:
        said.append(f"recipe {recipe!r} leaves it out")
    if refusing:
        said.append(f"{_names(refusing)} {'leaves' if len(refusing) == 1 else 'leave'} it out")
    changing = ((each.agent, how) for each in agents for fault, how in each.changes.items() if fault in wrong)
    said += [f"{agent} {how}" for agent, how in changing][:2]
    return Finding(CODE, severity, "; ".join(said), page.path, broken[0].line)


def _names(agents: list[SkillReader]) -> str:
    names = [each.agent for each in agents]
    if len(names) > MAX_NAMED_AGENTS:
        return f"{', '.join(names[: MAX_NAMED_AGENTS - 1])} and {len(names) - MAX_NAMED_AGENTS + 1} other agents"
    return join_words(names)


RULES = (
    CheckRule(
        CODE, "warning", "a skill that breaks a rule of the format, and what agents do with it", check_skills, TAKES
    ),
)
