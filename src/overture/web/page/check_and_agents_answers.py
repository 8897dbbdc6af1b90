"""What the page shows of `check` and of agents: findings with their fixes, and what each agent does with each file."""

import posixpath
from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import unquote

from msgspec.structs import replace

from ...agents.agent_project import agents_in
from ...agents.in_use import COMMON_AGENTS
from ...agents.table import Table, agents_to_data, ask, files_to_data, list_starts, make_table
from ...agents.verdicts import Verdicts, explain_finding
from ...check.collect_facts import collect_check_input
from ...check.findings_and_input import Finding, Severity, make_saved_input
from ...check.fix_findings import diff_finding
from ...check.rules_by_code import all_rules
from ...check.run_rules import SEVERITIES, RuleSelection, run_rules, select_rules
from ...discovery.configuration.config import Config
from ...discovery.paths import contains_path
from ...model.diagnostic import Diagnostic, Level
from ...model.struct import Frozen, note
from ...report.sheet.make_sheet import file_id
from ...text.invisible import escape_invisible as visible
from ...text.path_printer import PathPrinter
from ..service.problems import RefusedError, problem_of
from .prompt_files import PromptBackground, ShownRoots


class PageFinding(Frozen, frozen=True):
    """One thing that is wrong."""

    code: str
    severity: Severity
    message: str
    path: str | None
    shown: Annotated[str, note("the path for people; empty: it is about the prompt itself")]
    line: int | None
    column: int | None
    fixable: bool
    about: Annotated[str, note("what this check finds, in one line")]
    file: Annotated[str | None, note("the id under which the page requests the file")] = None
    diff: Annotated[tuple[str, ...] | None, note("the lines of a unified diff of this fix alone")] = None


class PageCheck(Frozen, frozen=True, omit_defaults=False):
    """What is wrong with the prompt and the files behind it."""

    findings: tuple[PageFinding, ...]
    counts: Annotated[dict[Severity, int], note("how many findings have that severity")]
    fixable: int
    ignored: Annotated[int, note("how many findings are ignored by comments")]


def page_findings(background: PromptBackground, roots: ShownRoots) -> PageCheck:
    """The findings in the order of files and lines. Nothing is written."""
    project, prompt, discovery = background.project, background.prompt, background.found
    config = project.config if project else Config({})
    inputs = (
        collect_check_input(project, prompt, discovery) if project else make_saved_input(prompt, discovery.looked_at)
    )
    checked = run_rules(inputs, select_rules(config, prompt.recipe.name, RuleSelection()))
    texts = {page.path: page.text for page in inputs.pages}
    findings = tuple(_make_page_finding(background, roots, each, texts) for each in checked.findings)
    counts = {severity: checked.count(severity) for severity in SEVERITIES}
    return PageCheck(findings, counts, sum(each.fixable for each in findings), len(checked.ignored))


def find_files_with_findings(background: PromptBackground, roots: ShownRoots) -> dict[str, str]:
    """The files that findings of `check` lead to, by their ids: not all of them are read for the prompt."""
    found = page_findings(background, roots).findings
    return {finding.file: finding.path for finding in found if finding.file and finding.path}


def _make_page_finding(
    background: PromptBackground, roots: ShownRoots, finding: Finding, texts: dict[str, str]
) -> PageFinding:
    """A finding of `check` as the page shows it."""
    path, printer = finding.path, background.shown
    shown = printer(path) if path else ""
    text = texts.get(path or "") if finding.fixable else None
    return PageFinding(
        finding.code, finding.severity, printer.within(finding.message), path, shown,
        finding.line, finding.column, finding.fixable, all_rules()[finding.code].title,
        file_id(path) if path and roots.names(path) else None,
        None if text is None else tuple(map(visible, diff_finding(finding, shown, text))),
    )  # fmt: skip


class GridNote(Frozen, frozen=True, omit_defaults=False):
    """What is wrong, for some of the agents."""

    agents: Annotated[tuple[str, ...], note("empty: the message names them")]
    level: Level
    code: str
    message: str
    path: str | None
    shown: str
    line: int | None


def _list_notes(table: Table, verdicts: Verdicts | None, shown: PathPrinter) -> Iterator[GridNote]:
    """What never arrives, is cut or arrives twice; then what agents report, each once with the agents that do."""
    for found in verdicts.findings if verdicts else ():
        # The sentence names agents and files.
        message = explain_finding(found, table, shown)
        yield GridNote((), found.level, found.code, message, found.paths[0], "", found.line)
    agents_by_note: dict[Diagnostic, list[str]] = {}
    for agent in table.agents:
        for each in agent.findings:
            agents_by_note.setdefault(each, []).append(agent.name)
    for each, names in agents_by_note.items():
        where = shown(each.path) if each.path else ""
        message = shown.within(each.message)
        yield GridNote(tuple(names), each.level, each.code, message, each.path, where, each.line)


MAX_PATH_LENGTH = 4_096
"""Characters of a path."""


def report_agents_here(background: PromptBackground, touched: str | None, *, everyone: bool) -> dict[str, Any]:
    """The agents, and the table of the working directory by file; `touched` is matched and never shown."""
    project, shown = background.project, background.shown
    if project is None:
        return {"agents": [], "files": [], "findings": [], "touching": None}
    base = agents_in(project)
    location = base.location._replace(world=base.world.at_one_moment())
    base = base._replace(location=location, touching=(touched,) if touched else ())
    question = ask(base, everyone=everyone)
    question = question if question.names else ask(base, COMMON_AGENTS)  # why the most used ones skip what is here
    table = make_table(question, None if everyone else list_starts(question.files, base.cwd))
    verdicts = None if everyone else Verdicts(table, question.files)
    here = replace(table, uses=tuple(use for use in table.uses if use.start == table.cwd))
    agents = [{key: value for key, value in each.items() if key != "files"} for each in agents_to_data(here)["agents"]]
    return {
        **files_to_data(here), "agents": agents, "findings": list(_list_notes(table, verdicts, shown)),
        "touching": shown(touched) if touched else None,
    }  # fmt: skip


def touched_path(background: PromptBackground, roots: ShownRoots, value: str) -> str | None:
    """The absolute path of the touched file, which is in the project; None without one."""
    if not value.strip() or background.project is None:
        return None
    if len(value) > MAX_PATH_LENGTH:
        raise _make_touching_error(f"It has {len(value):,} characters, over the limit of {MAX_PATH_LENGTH:,}.")
    if "\0" in value:
        raise _make_touching_error("It contains a NUL character. Pass a path such as src/main.py.")
    cwd, real = background.project.cwd, background.project.reader().real_or(background.project.cwd)
    for spelling in (value, value.replace("\\", "/"), unquote(value), unquote(unquote(value)).replace("\\", "/")):
        if spelling.startswith("/") or not contains_path(roots.project, posixpath.normpath(f"{real}/{spelling}")):
            raise _make_touching_error(
                "It must be a path in the project, relative to the working directory, such as src/main.py."
            )
    return posixpath.normpath(f"{cwd}/{value}")


def _make_touching_error(message: str) -> RefusedError:
    """The error about the path that a request for the agents' answer names."""
    return RefusedError(problem_of("invalid", f"touching: {message}", "touching"))
