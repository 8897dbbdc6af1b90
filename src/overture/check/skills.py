"""Finds skills that break a rule of the format, rules without their key, and descriptions that YAML cuts."""

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ..agents.table import Table
from ..agents.verdicts import SURE
from ..discovery.paths import contains_path
from ..known_agents import AGENTS, agent_facts, agent_wants
from ..known_agents.kit.menu_entries import ParsedSkill, judge_skill, parse_skill
from ..model.agent_rules import Skills
from ..model.skill_rules import (
    RuleViolation,
    SkillFault,
    check_beginning,
    describe_missing,
    describe_yaml_comment,
    find_odd_beginning,
    find_odd_fields,
    find_violations,
)
from ..model.state.files import Skill
from ..model.state.reasons import Reason
from ..text.frontmatter import Frontmatter, FrontmatterProblem, parse_frontmatter, scalar_text
from ..text.normalize import tidy
from ..text.words import join_words
from .findings import Finding, Severity
from .input import CheckedFile, CheckInput

INVALID = "skill-invalid"
YAML_COMMENT = "YAML ends the description before"
"""How a violation is described that has a code of its own, for rules as well as skills."""
MAX_NAMED_AGENTS = 4
MAX_NAMED_CHANGES = 2
"""Agents that a finding describes."""


class SkillReader(NamedTuple):
    """An agent, and which skills it lists."""

    name: str
    title: str
    wants: Skills


@cache
def list_skill_readers() -> tuple[SkillReader, ...]:
    """The agents whose requirements of a skill are known; those that were run come first."""
    readers = [(name, agent_facts(name), agent_wants(name).listed) for name in AGENTS]
    readers.sort(key=lambda reader: reader[1].known != "run")
    return tuple(
        SkillReader(name, facts.title, skills) for name, facts, skills in readers if skills and skills.needs_known
    )


def find_skill_readers(path: str, used: Sequence[str]) -> list[SkillReader]:
    """The agents that search the folder of a skill, those in use first; for a collection, all of them."""
    found = [each for each in list_skill_readers() if any(f"/{folder}/" in path for folder in _list_own_folders(each))]
    return sorted(found or list_skill_readers(), key=lambda each: each.name not in used)


def _list_own_folders(reader: SkillReader) -> list[str]:
    """The folders of a project that are an agent's for skills: `skills` may be anybody's, `.cursor` has others too."""
    folders = (*reader.wants.project, *reader.wants.here)
    return [folder for folder in folders if folder.startswith(".") and "/" in folder]


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


def check_skills(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for each line of a skill that breaks a rule; skills that no agent lists; rules without their key."""
    if inputs.agents is None:
        return  # a recipe reports its skills itself
    used = [agent.name for agent in inputs.agents.table.agents]
    for page in inputs.pages:
        is_skill = page.kind == "skill" and page.path.endswith("/SKILL.md")
        if is_skill and (faults := sorted(find_skill_faults(page), key=lambda each: each.line)):
            yield from _report_faults(page, faults, used)
    table = inputs.agents.table
    for file in inputs.agents.files.files:
        uses = table.by_path.get(file.path, ()) if file.skill and not file.name.endswith("/SKILL.md") else ()
        is_alone = any(use.reason.kind == "no-folder" for use in uses) and contains_path(table.root, file.path)
        if is_alone and not any(use.is_delivered or use.same_as for use in uses):
            message = "no agent in use lists it: a skill is a folder with a SKILL.md; move it to NAME/SKILL.md"
            yield Finding(INVALID, "warning", message, file.path)
    yield from check_rule_keys(table, {page.path: page.text for page in inputs.pages})


def check_rule_keys(table: Table, texts: Mapping[str, str]) -> Iterator[Finding]:
    """Rules that lack each key by which an agent loads them: it asks the model, or waits until somebody names them."""
    found = dict[str, Finding]()
    for use in table.uses:
        step = agent_wants(use.agent).find(use.step)
        when = step.conditions if step and use.path in texts and use.path not in found else None
        keys = [*when.globs, *when.always, *when.model, *when.manual] if when else []
        if keys and when and use.reason.code == when.bare and not _has_key(texts[use.path], keys):
            wanted = " or ".join(f"`{key.partition('=')[0]}`" for key in keys)
            message = f"its frontmatter has no {wanted}, so {table.titles[use.agent]} does not load it by itself"
            found[use.path] = Finding(INVALID, "warning" if use.evidence in SURE else "note", message, use.path, 1)
    yield from found.values()


def _has_key(text: str, keys: Sequence[str]) -> bool:
    parsed = parse_frontmatter(tidy(text)[0])
    return isinstance(parsed, Frontmatter) and any(key.partition("=")[0] in parsed.fields for key in keys)


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


def _report_faults(page: CheckedFile, broken: list[RuleViolation], used: Sequence[str]) -> Iterator[Finding]:
    """Each problem at its line; with the first of them, what the agents that search its folder do."""
    parsed, faults = parse_skill(page.text, page.path)[0], {each.fault for each in broken}
    results = [(each, judge_skill(parsed, page.path, each.wants)) for each in find_skill_readers(page.path, used)]
    refusing = [each.title for each, skill in results if isinstance(skill, Reason)]
    own = [skill for each, skill in results if each.name in used] or [skill for _, skill in results]
    severity: Severity = "error" if all(isinstance(skill, Reason) for skill in own) else "warning"
    parts = [f"{_join_names(refusing)} {'skips' if len(refusing) == 1 else 'skip'} it"] if refusing else []
    listed = [(each, skill) for each, skill in results if isinstance(skill, Skill)]
    changes = ((each.title, describe_skill_reading(skill, parsed, each.wants, faults)) for each, skill in listed)
    parts += [f"{title} {change}" for title, change in changes if change][:MAX_NAMED_CHANGES]
    for line, there in groupby(broken, attrgetter("line")):
        message = ", and ".join(each.message for each in there)
        is_first = line == broken[0].line
        said, bad = ("; ".join((message, *parts)), severity) if is_first else (message, "warning")
        yield Finding(INVALID, bad, said, page.path, line)


def _join_names(names: list[str]) -> str:
    if len(names) > MAX_NAMED_AGENTS:
        return f"{', '.join(names[: MAX_NAMED_AGENTS - 1])} and {len(names) - MAX_NAMED_AGENTS + 1} other agents"
    return join_words(names)


def check_yaml_comments(inputs: CheckInput) -> Iterator[Finding]:
    """Descriptions of skills and rules that YAML ends at a ` #`, for it takes the rest for a comment."""
    for page in inputs.pages:
        text, skipped = tidy(page.text)
        parsed = parse_frontmatter(text) if text.startswith("---") and "#" in text else None
        field = parsed.fields.get("description") if isinstance(parsed, Frontmatter) else None
        if field is not None and field.lost.startswith("#"):
            message = describe_yaml_comment("description", field)
            yield Finding("yaml-comment", "warning", message, page.path, field.line + skipped)
