"""What `overture check` found, for a person: by file, a line each, and one line that sums it up."""

from itertools import groupby

from ...check.finding import Finding
from ...check.paths import shown_path
from ...check.rules import rules
from ...check.run import SEVERITIES, Checked
from ..shared.terminal import counted, dim, say, style, table, tell, visible

COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}
NAMES = {"error": "error", "warning": "warning", "info": "note"}


def show_findings(checked: Checked, home: str, pages: int) -> None:
    """Every finding under its file, and how many there are."""
    for path, group in groupby(checked.findings, key=lambda finding: finding.path):
        say(style(visible(shown_path(path, checked.root, home)) if path else "The prompt", bold=True))
        table([_row(finding) for finding in group])
        say()
    tell(_summary(checked, pages))
    if checked.findings:
        code = min(checked.findings, key=lambda each: SEVERITIES.index(each.severity)).code
        tell(dim(f"`overture check --explain {code}` says why, and how to mend it."))


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
