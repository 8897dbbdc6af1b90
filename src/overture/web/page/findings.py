"""`GET /page/check`: what is wrong, as `overture check --json` has it, each with its place and its mend as a diff."""

from typing import Annotated

from ...check.facts.collect_facts import collect_check_input
from ...check.fix import diff_finding
from ...check.rule import Finding, Severity, all_rules, make_saved_input
from ...check.run_rules import SEVERITIES, RuleSelection, run_rules, select_rules
from ...discover.configuration.values import Config
from ...model.struct import Frozen, note
from ...report.sheet.make_sheet import file_id
from ...text.invisible import escape_invisible as visible
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
    project, prompt, found = background.project, background.prompt, background.found
    config = project.config if project else Config({})
    inputs = collect_check_input(project, prompt, found) if project else make_saved_input(prompt, found.looked_at)
    checked = run_rules(inputs, select_rules(config, prompt.recipe.name, RuleSelection()))
    texts = {page.path: page.text for page in inputs.pages}
    findings = tuple(_make_page_finding(background, roots, each, texts) for each in checked.findings)
    counts = {severity: checked.count(severity) for severity in SEVERITIES}
    return PageCheck(findings, counts, sum(each.fixable for each in findings), len(checked.ignored))


def files_found_wrong(background: PromptBackground, roots: ShownRoots) -> dict[str, str]:
    """The files that findings lead to, by their ids: not all of them are read for the prompt."""
    found = page_findings(background, roots).findings
    return {finding.file: finding.path for finding in found if finding.file and finding.path}


def _make_page_finding(
    background: PromptBackground, roots: ShownRoots, finding: Finding, texts: dict[str, str]
) -> PageFinding:
    path = finding.path
    shown = background.shown(path) if path else ""
    return PageFinding(
        finding.code, finding.severity, finding.message, path, shown, finding.line, finding.column, finding.fixable,
        all_rules()[finding.code].title,
        file_id(path) if path and roots.names(path) else None,
        _diff_fix(finding, shown, texts),
    )  # fmt: skip


def _diff_fix(finding: Finding, shown: str, texts: dict[str, str]) -> tuple[str, ...] | None:
    text = texts.get(finding.path or "") if finding.fixable else None
    return None if text is None else tuple(map(visible, diff_finding(finding, shown, text)))
