"""What the page shows of `check` and of agents: findings with their fixes, and what each agent does with each file."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any
from urllib.parse import unquote

from msgspec.structs import replace

from ...agents.agent_project import agents_in
from ...agents.in_use import COMMON_AGENTS
from ...agents.table import Table, agents_to_data, ask, files_to_data, list_starts, make_table
from ...agents.verdicts import Verdicts, explain_finding
from ...check.engine import RULES, RuleSelection, check_agents, run_rules, select_rules
from ...check.findings import SEVERITIES, Finding, Severity, TextEdit
from ...check.fix import apply_text_edits
from ...check.input import make_prompt_input, read_recipe_input
from ...discovery.configuration.config import Config
from ...discovery.paths import contains_path
from ...model.diagnostic import Diagnostic, Level
from ...model.struct import Frozen, note
from ...report.sheet.make_sheet import file_id
from ...terminal.confirm_changes import diff_texts
from ...text.invisible import escape_invisible as visible
from ...text.path_printer import PathPrinter
from ...text.secrets.find_and_hide import find_secrets
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
    if project and project.recipe.agent:
        inputs, checked = check_agents(agents_in(project), (project.recipe.name,))
    else:
        config = project.config if project else Config({})
        inputs = read_recipe_input(project, prompt, discovery) if project else make_prompt_input(prompt)
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
        finding.line, finding.column, finding.fixable, RULES[finding.code].title,
        file_id(path) if path and roots.names(path) else None,
        None if text is None else tuple(map(visible, diff_finding(finding, shown, text))),
    )  # fmt: skip


HUNK_HEADER = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


def diff_finding(finding: Finding, name: str, text: str) -> list[str]:
    """The diff of one fix alone. Only the lines around it are compared: a file may have thousands of findings."""
    start, end = _find_diff_range(finding.edits, text)
    here = [TextEdit(edit.start - start, edit.end - start, edit.text) for edit in finding.edits]
    above = text.count("\n", 0, start)
    lines = diff_texts(name, text[start:end], apply_text_edits(text[start:end], here))
    return [
        HUNK_HEADER.sub(lambda match: _shift_hunk(match, above), line) if line.startswith("@@ ") else line
        for line in lines
    ]


def _find_diff_range(edits: Iterable[TextEdit], text: str) -> tuple[int, int]:
    """From the line before the first edit to that after the last; further where a secret would be parted."""
    start, end = min(edit.start for edit in edits), max(edit.end for edit in edits)
    start = text.rfind("\n", 0, max(text.rfind("\n", 0, start), 0)) + 1
    line = text.find("\n", end)
    end = text.find("\n", line + 1) if line >= 0 else -1
    end = end if end >= 0 else len(text)
    parted = [secret for secret in find_secrets(text) if secret.start < end and start < secret.end]
    return min([start, *(each.start for each in parted)]), max([end, *(each.end for each in parted)])


def _shift_hunk(found: re.Match[str], by: int) -> str:
    return f"@@ -{int(found[1]) + by}{found[2] or ''} +{int(found[3]) + by}{found[4] or ''} @@"


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
