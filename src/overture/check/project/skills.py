"""Skills that break a rule of the format, and what known agents do with each."""

from collections.abc import Iterator
from itertools import groupby

from ...model.diagnostic import Diagnostic
from ...model.skill_rules import Broken, Fault, broken_beginning, broken_rules, odd_beginning, odd_fields
from ...text.frontmatter import Problem, parse, plain_text
from ...text.normalize import tidy
from ..finding import Finding, Severity
from ..ground import Ground, Page
from ..rule import Rule
from .agent_skills import SkillReader, readers_of

CODE = "skill-invalid"
TAKES = frozenset(("skill-invalid", "skill-skipped"))
MOST = 4
"""Agents that a finding names."""


def look(ground: Ground) -> Iterator[Finding]:
    """One finding for each rule that a skill breaks, and whatever else the recipe reports of skills."""
    notes = [note for note in ground.prompt.diagnostics if note.code in TAKES]
    at: dict[tuple[str | None, int | None], list[Diagnostic]] = {}
    for note in notes:
        at.setdefault((note.path, note.line), []).append(note)
    for page in ground.pages:
        if page.kind == "skill" and page.path.endswith("/SKILL.md"):
            for line, broken in groupby(sorted(faults(page), key=_line), _line):
                refused = any(note.level == "error" for note in at.pop((page.path, line), ()))
                yield _finding(page, [*broken], ground.prompt.recipe.name if refused else None)
    for rest in at.values():
        yield from (Finding(CODE, note.level, note.message, note.path, note.line, note.column) for note in rest)


def faults(page: Page) -> Iterator[Broken]:
    """What is wrong with a skill, each with its line."""
    text, skipped = tidy(page.text)
    parsed = parse(text)
    if isinstance(parsed, Problem):
        fault: Fault = "colon" if "mapping values" in parsed.message else "yaml"
        fault = fault if text.startswith("---") else "frontmatter"
        yield Broken(fault, parsed.message, parsed.line + skipped)
        return
    folder = page.path.rpartition("/")[0].rpartition("/")[2]
    if not plain_text(parsed.fields.get("description")):
        yield Broken("description-missing", "it has no description: nobody knows when to load it", 1 + skipped)
    for broken in (*broken_rules(parsed, folder), *odd_fields(parsed), *odd_beginning(page.text, text, parsed)):
        yield broken._replace(line=broken.line + skipped)
    yield from broken_beginning(skipped)


def _line(broken: Broken) -> int:
    return broken.line


def _finding(page: Page, broken: list[Broken], recipe: str | None) -> Finding:
    """What is wrong on one line."""
    agents, wrong = readers_of(page.path), {each.fault for each in broken}
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
    if len(names) > MOST:
        return f"{', '.join(names[: MOST - 1])} and {len(names) - MOST + 1} other agents"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


RULES = (Rule(CODE, "warning", "a skill that breaks a rule of the format, and what agents do with it", look, TAKES),)
