"""What `overture check` found, for a person: by file, a line each, and one line that sums it up."""

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from ..terminal.terminal import counted, dim, say, style, table, tell, visible
from ..text.paths import shown_path
from .finding import Finding
from .rules import rules
from .run import SEVERITIES, Checked

COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}
NAMES = {"error": "error", "warning": "warning", "info": "note"}


MOST = 8
"""Findings of one code that are shown, unless all are asked for; errors are all shown."""


def show_findings(checked: Checked, home: str, pages: int, *, everything: bool) -> None:
    """Every finding under its file, and how many there are. Of what comes again and again, the first ones."""
    findings, left = (checked.findings, {}) if everything else _first(checked.findings)
    for path, group in groupby(findings, key=lambda finding: finding.path):
        say(style(visible(shown_path(path, checked.root, home)) if path else "The prompt", bold=True))
        table([_row(finding) for finding in group])
        say()
    for code, number in left.items():
        tell(f"{number} more of {code}: --all lists them.")
    tell(_summary(checked, pages))
    if checked.findings:
        code = min(checked.findings, key=lambda each: SEVERITIES.index(each.severity)).code
        tell(dim(f"`overture check --explain {code}` says why, and how to mend it."))


def _first(findings: Iterable[Finding]) -> tuple[list[Finding], dict[str, int]]:
    """The first findings of each code, and how many more there are of it."""
    seen: Counter[str] = Counter()
    shown: list[Finding] = []
    for finding in findings:
        seen[finding.code] += finding.severity != "error"
        if finding.severity == "error" or seen[finding.code] <= MOST:
            shown.append(finding)
    return shown, {code: number - MOST for code, number in seen.items() if number > MOST}


def _row(finding: Finding) -> tuple[str, ...]:
    place = ":".join(str(number) for number in (finding.line, finding.column) if number)
    severity = style(NAMES[finding.severity], fg=COLOURS[finding.severity])
    mend = dim(" [--fix]") if finding.fixable else ""
    return place, severity, finding.code, visible(finding.message) + mend


def _summary(checked: Checked, pages: int) -> str:
    ignored = f"; {counted(len(checked.ignored), 'finding')} ignored" if checked.ignored else ""
    if not checked.findings:
        return (
            style("Nothing found", fg="green")
            + f" in the prompt of {checked.recipe} and {counted(pages, 'file')}{ignored}."
        )
    said = [
        style(counted(number, NAMES[severity]), fg=COLOURS[severity])
        for severity in SEVERITIES
        if (number := checked.count(severity))
    ]
    fixable = sum(finding.fixable for finding in checked.findings)
    return ", ".join(said) + (f"; --fix mends {fixable}" if fixable else "") + f"{ignored}."


def show_rules() -> None:
    """Every check with what it finds."""
    rows = [(style(code, bold=True), NAMES[rule.severity], rule.title) for code, rule in rules().items()]
    table(rows, indent="", heads=("code", "severity", "finds"))
