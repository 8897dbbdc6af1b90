"""Finds skills that break a rule of the format, and skills that no tool can load."""

import re
from collections.abc import Container, Iterator
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ...known_agents import AGENTS, agent_facts, agent_wants
from ...known_agents.kit.menu_entries import ParsedSkill, judge_skill, parse_skill
from ...model.agent_rules import Skills
from ...model.diagnostic import Diagnostic
from ...model.skill_rules import (
    RuleViolation,
    SkillFault,
    check_beginning,
    describe_missing,
    describe_yaml_comment,
    find_odd_beginning,
    find_odd_fields,
    find_violations,
)
from ...model.state.files import Skill
from ...model.state.reasons import Reason
from ...sections.skill_menu import listed_skills
from ...text.frontmatter import Frontmatter, FrontmatterProblem, parse_frontmatter, scalar_text
from ...text.normalize import tidy
from ...text.words import count_noun, join_words
from ..findings_and_input import CheckedFile, CheckInput, Finding, Severity
from ..rules_by_code import CheckRule

READING_TOOLS = re.compile(
    r"read|skill|shell|bash|exec|terminal|command|cat\b|view|open|fetch|powershell|str_replace", re.IGNORECASE
)


class SkillReader(NamedTuple):
    """An agent, and which skills it lists."""

    agent: str
    wants: Skills


@cache
def list_skill_readers(names: tuple[str, ...]) -> tuple[SkillReader, ...]:
    """Those of these agents whose requirements of a skill are known; those that were run come first."""
    readers = [(agent_facts(name), agent_wants(name).listed) for name in names]
    readers.sort(key=lambda reader: reader[0].known != "run")
    return tuple(SkillReader(facts.full_name, skills) for facts, skills in readers if skills and skills.needs_known)


def find_skill_readers(path: str) -> tuple[SkillReader, ...]:
    """The agents that search the folder of a skill; for a collection, all of them."""
    found = (name for name in AGENTS if any(f"/{folder}/" in path for folder in _list_hidden_skill_folders(name)))
    return list_skill_readers(tuple(found)) or list_skill_readers(AGENTS)


def _list_hidden_skill_folders(name: str) -> list[str]:
    """The folders of a project that are an agent's for skills: `skills` may be anybody's, `.cursor` has others too."""
    skills = agent_wants(name).listed
    folders = (*skills.project, *skills.here) if skills else ()
    return [folder for folder in folders if folder.startswith(".") and "/" in folder]


def isolate_faults(parsed: ParsedSkill, faults: Container[SkillFault], folder: str) -> ParsedSkill:
    """The skill with these faults alone: what an agent does with it is because of them."""
    if "frontmatter" in faults or "yaml" in faults or "colon" in faults:
        return parsed
    fields = {"name": folder, "description": "It works."}
    for key in fields:
        if any(f"{key}-{what}" in faults for what in ("missing", "long", "letters", "folder")):
            fields[key] = parsed.fields.get(key, "")
    present = {key: value for key, value in fields.items() if value or key in parsed.fields}
    spoilers = tuple(each for each in parsed.spoilers if SPOILING_FAULTS.get(each) in faults)
    sound = parsed._replace(fields=present, spoilers=spoilers)
    return sound if "field" in faults else sound._replace(odd="", void=False, twice=False)


def describe_skill_reading(skill: Skill, parsed: ParsedSkill, wants: Skills, faults: Container[SkillFault]) -> str:
    """What an agent does with a skill that it still lists; empty if it takes it as it is."""
    if set(parsed.spoilers) & set(wants.spoiled_by):
        return "loads its frontmatter as text"
    if "name-missing" in faults:
        return "uses its folder's name"
    if "name-folder" in faults and skill.name != parsed.fields["name"]:
        return "uses its folder's name"
    if "description-missing" in faults:
        return "uses text from its body" if skill.description else ""
    room = wants.menu.entry if wants.menu else None
    return "truncates it" if "description-long" in faults and room is not None and len(skill.description) > room else ""


SKILL_CODE = "skill-invalid"
SKILL_TAKES = frozenset(("skill-invalid", "skill-skipped"))
YAML_CODE = "yaml-comment"
YAML_COMMENT = "YAML ends the description before"
"""How a skill is reported whose description ends at a ` #`: that has a code of its own, of rules as well as skills."""
MAX_NAMED_AGENTS = 4
"""Agents that a finding names."""
MAX_NAMED_CHANGES = 2
"""Agents that a finding describes."""
SPOILING_FAULTS: dict[str, SkillFault] = {
    "bom": "bom", "blank-lines": "blank-lines", "blanks-after-first": "blanks", "blanks-after-last": "blanks",
}  # fmt: skip
"""What keeps an agent from seeing frontmatter, and the rule that it breaks."""


def check_skills(check_input: CheckInput) -> Iterator[Finding]:
    """One finding for each rule that a skill breaks, and all other reports of the recipe about skills."""
    notes = [
        note for note in check_input.prompt.diagnostics if note.code in SKILL_TAKES and YAML_COMMENT not in note.message
    ]
    at: dict[tuple[str | None, int | None], list[Diagnostic]] = {}
    for note in notes:
        at.setdefault((note.path, note.line), []).append(note)
    for page in check_input.pages:
        if page.kind == "skill" and page.path.endswith("/SKILL.md"):
            by_line = attrgetter("line")
            for line, broken in groupby(sorted(find_skill_faults(page), key=by_line), by_line):
                refused = any(note.level == "error" for note in at.pop((page.path, line), ()))
                recipe = check_input.prompt.recipe.name if refused and not check_input.is_default_recipe else None
                yield _make_skill_finding(page, [*broken], recipe)
    for rest in at.values():
        yield from (Finding(SKILL_CODE, note.level, note.message, note.path, note.line, note.column) for note in rest)


def find_skill_faults(page: CheckedFile) -> Iterator[RuleViolation]:
    """The problems of a skill, each with its line."""
    text, skipped = tidy(page.text)
    parsed = parse_frontmatter(text)
    if isinstance(parsed, FrontmatterProblem):
        fault: SkillFault = "colon" if "mapping values" in parsed.message else "yaml"
        fault = fault if text.startswith("---") else "frontmatter"
        yield RuleViolation(fault, parsed.message, parsed.line + skipped)
        return
    folder = page.path.rpartition("/")[0].rpartition("/")[2]
    field = parsed.fields.get("description")
    if not scalar_text(field):
        message = f"{describe_missing('description', field)}: agents can't tell when to load it"
        yield RuleViolation("description-missing", message, (field.line if field else 1) + skipped)
    for broken in (
        *find_violations(parsed, folder),
        *(each for each in find_odd_fields(parsed) if not each.message.startswith(YAML_COMMENT)),
        *find_odd_beginning(page.text, text, parsed),
    ):
        yield broken._replace(line=broken.line + skipped)
    yield from check_beginning(skipped)


def _make_skill_finding(page: CheckedFile, broken: list[RuleViolation], recipe: str | None) -> Finding:
    """The problem on one line, and what the agents that search its folder do because of it."""
    readers, faults = find_skill_readers(page.path), {each.fault for each in broken}
    parsed = isolate_faults(parse_skill(page.text, page.path)[0], faults, page.path.split("/")[-2])
    results = [(each, judge_skill(parsed, page.path, each.wants)) for each in readers]
    refusing = [each.agent for each, skill in results if isinstance(skill, Reason)]
    severity: Severity = "error" if recipe or len(refusing) == len(readers) else "warning"
    parts = [", and ".join(each.message for each in broken)]
    if recipe:
        parts.append(f"recipe {recipe!r} skips it")
    if refusing:
        parts.append(f"{_join_names(refusing)} {'skips' if len(refusing) == 1 else 'skip'} it")
    listed = [(each, skill) for each, skill in results if isinstance(skill, Skill)]
    changes = ((each.agent, describe_skill_reading(skill, parsed, each.wants, faults)) for each, skill in listed)
    parts += [f"{agent} {change}" for agent, change in changes if change][:MAX_NAMED_CHANGES]
    return Finding(SKILL_CODE, severity, "; ".join(parts), page.path, broken[0].line)


def _join_names(names: list[str]) -> str:
    if len(names) > MAX_NAMED_AGENTS:
        return f"{', '.join(names[: MAX_NAMED_AGENTS - 1])} and {len(names) - MAX_NAMED_AGENTS + 1} other agents"
    return join_words(names)


def check_yaml_comments(check_input: CheckInput) -> Iterator[Finding]:
    """Descriptions of skills and rules that YAML ends at a ` #`, for it takes the rest for a comment."""
    for page in check_input.pages:
        text, skipped = tidy(page.text)
        parsed = parse_frontmatter(text) if text.startswith("---") and "#" in text else None
        field = parsed.fields.get("description") if isinstance(parsed, Frontmatter) else None
        if field is not None and field.lost.startswith("#"):
            message = describe_yaml_comment("description", field)
            yield Finding(YAML_CODE, "warning", message, page.path, field.line + skipped)


def check_unreachable_skills(inputs: CheckInput) -> Iterator[Finding]:
    """A menu of skills, and no tool with which the model could read one."""
    prompt = inputs.prompt
    if prompt.recipe.agent is not None:
        return  # the agent's own tools are not in the state
    shown = any("skills" in block.reads for block in prompt.blocks)
    names = [tool.name for tool in prompt.state.tools if not tool.planning_only]
    if shown and listed_skills(prompt.state.skills) and not any(READING_TOOLS.search(name) for name in names):
        count = len(listed_skills(prompt.state.skills))
        menu = f"the prompt lists {count_noun(count, 'skill')}"
        message = f"{menu}, but no active tool reads files or loads skills: activate one, e.g. `read` or `use_skill`"
        yield Finding("skills-unreachable", "warning", message)


RULES = (
    CheckRule(
        SKILL_CODE,
        "warning",
        "a skill that breaks a rule of the format, and what agents do with it",
        check_skills,
        SKILL_TAKES,
    ),
    CheckRule(YAML_CODE, "warning", "a description that YAML ends at a ` #`", check_yaml_comments),
    CheckRule("skills-unreachable", "warning", "skills without a tool to load them", check_unreachable_skills),
)
