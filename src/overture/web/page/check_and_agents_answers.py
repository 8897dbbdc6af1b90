"""What the page shows of `check` and of agents: findings with their fixes, and what each agent does with each file."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Annotated
from urllib.parse import unquote

from ...agents.advice.give_advice import Advice, give_advice
from ...agents.advice.possible_changes import ChangeKind
from ...agents.agent_project import agents_in, resolve_in_folder
from ...agents.agent_report import AgentFile, AgentReport, FileStatus, describe_status, make_file_grid, name_status
from ...agents.agents_in_use import COMMON_AGENTS
from ...agents.make_reports import report_agents
from ...check.engine import RULES, RuleSelection, check_agents, run_rules, select_rules
from ...check.findings import SEVERITIES, Finding, Severity, TextEdit
from ...check.fix import apply_text_edits
from ...check.input import make_prompt_input, read_recipe_input
from ...discovery.configuration.config import Config
from ...discovery.discover import ResolvedProject
from ...discovery.paths import contains_path
from ...model.agent_rules import Evidence, FileKind
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


class GridAgent(Frozen, frozen=True, omit_defaults=False):
    """One agent."""

    name: str
    title: str
    version: str
    checked: date
    known: Annotated[Evidence, note("how its rules are known")]
    tokens: Annotated[int, note("of all files and skills that it loads")]
    exact: Annotated[bool, note("false: the tokens are an estimate")]


class GridFile(Frozen, frozen=True, omit_defaults=False):
    """One instruction file."""

    path: str
    shown: str
    kind: FileKind


class Cell(Frozen, frozen=True):
    """What an agent makes of a file."""

    status: FileStatus
    how: Annotated[str, note("as a label: loaded, truncated after line 412, listed, loaded on demand, same, skipped")]
    why: str
    tokens: int
    last_line: Annotated[int | None, note("if truncated: the last line that is loaded whole; 0: none")] = None
    lines: Annotated[int | None, note("if truncated: the number of lines it has")] = None
    known: Annotated[Evidence | None, note("how that rule is known")] = None
    same: Annotated[str | None, note("the path under which the same file is read")] = None


class GridNote(Frozen, frozen=True, omit_defaults=False):
    """What is wrong, for some of the agents."""

    agents: tuple[str, ...]
    level: Level
    code: str
    message: str
    path: str | None
    shown: str
    line: int | None


def _make_cell(file: AgentFile | None, shown: PathPrinter) -> Cell:
    """What an agent does with a file, as a cell of the page's grid."""
    if file is None:
        return Cell("skipped", describe_status(None), "it is not looked for", 0)
    same = shown(file.same) if file.same else None
    ends = (file.last_line, file.lines, file.known)
    return Cell(name_status(file), describe_status(file), shown.within(file.why), file.tokens, *ends, same)


def _group_findings(reports: Sequence[AgentReport], shown: PathPrinter) -> Iterator[GridNote]:
    """Each problem once, with the agents that have it."""
    agents_by_note: dict[Diagnostic, list[str]] = {}
    for report in reports:
        for each in report.findings:
            agents_by_note.setdefault(each, []).append(report.name)
    for each, names in agents_by_note.items():
        where = shown(each.path) if each.path else ""
        message = shown.within(each.message)
        yield GridNote(tuple(names), each.level, each.code, message, each.path, where, each.line)


MAX_PATH_LENGTH = 4_096
"""Characters of a path."""


class PageChange(Frozen, frozen=True, omit_defaults=False):
    """What would be written to one path. Nothing is."""

    path: str
    shown: str
    kind: ChangeKind
    said: str
    diff: Annotated[tuple[str, ...], note("the lines of a unified diff; none: a symlink is created")]


class PageAdvice(Frozen, frozen=True, omit_defaults=False):
    """The agents that miss a file, why, and the fix."""

    agents: tuple[str, ...]
    files: tuple[str, ...]
    tokens: int
    sentence: str
    change: PageChange | None


class AgentsAnswer(Frozen, frozen=True, omit_defaults=False):
    """Files and agents, and what would let the agents read the same."""

    agents: tuple[GridAgent, ...]
    files: tuple[GridFile, ...]
    cells: Annotated[dict[str, dict[str, Cell]], note("by the path of the file, then by the name of the agent")]
    findings: tuple[GridNote, ...]
    changes: Annotated[tuple[PageAdvice, ...], note("fixable problems first")]
    touching: Annotated[str | None, note("the path that the agents are assumed to work on")]


def report_agents_here(background: PromptBackground, touched: str | None, *, everyone: bool) -> AgentsAnswer:
    """The grid; `touched` is an absolute path, which is matched and never shown."""
    project = background.project
    if project is None:
        return AgentsAnswer((), (), {}, (), (), None)
    touching = (touched,) if touched else ()
    reports = _report_project_agents(project, touching, everyone=everyone)
    if not reports:  # no likely agent loads a file of the folder: the most used ones, and why each skips them
        common = _report_project_agents(project, touching, names=COMMON_AGENTS)
        reports = common if any(each.files for each in common) else ()
    grid, shown = make_file_grid(reports), background.shown
    # The advice of `overture agents`: it is about the agents of this folder, whichever of them are shown.
    plain = _report_project_agents(project, ()) if touched or everyone else reports
    base = resolve_in_folder(
        project.cwd, project.home, project.location.root, project.world, read_outside=project.features.links_outside
    )
    advice = give_advice(plain, base)
    return AgentsAnswer(
        tuple(
            GridAgent(each.name, each.title, each.version, each.checked, each.known, each.tokens, each.exact)
            for each in reports
        ),
        tuple(GridFile(row.path, shown(row.path), row.kind) for row in grid.rows),
        {
            row.path: {name: _make_cell(file, shown) for name, file in zip(grid.agents, row.by, strict=True)}
            for row in grid.rows
        },
        tuple(_group_findings(reports, shown)),
        tuple(_make_page_advice(background, each) for each in advice),
        shown(touched) if touched else None,
    )


def _report_project_agents(
    project: ResolvedProject, touching: tuple[str, ...], *, everyone: bool = False, names: tuple[str, ...] = ()
) -> tuple[AgentReport, ...]:
    """The reports of agents on the page's project."""
    return report_agents(
        names, cwd=project.cwd, home=project.home, root=project.location.root, touching=touching, everyone=everyone,
        world=project.world, read_outside=project.features.links_outside,
    )  # fmt: skip


def _make_page_advice(background: PromptBackground, advice: Advice) -> PageAdvice:
    """An advice on agents' files as the page shows it."""
    files, written = tuple(map(background.shown, advice.files)), None
    if (change := advice.change) is not None:
        shown = background.shown(change.path)
        lines = diff_texts(shown, change.before or "", change.after) if change.after is not None else ()
        written = PageChange(change.path, shown, change.kind, change.said, tuple(map(visible, lines)))
    return PageAdvice(advice.agents, files, advice.tokens, background.shown.within(advice.sentence), written)


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
