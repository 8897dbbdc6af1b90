"""Findings for other programs: the types of their JSON, GitHub annotations and SARIF 2.1.0."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, NotRequired, TypedDict
from urllib.parse import quote

from ..model.struct import note
from ..text.path_printer import is_inside, make_root_printer
from .engine import RULES, CheckResult, read_rule_page
from .findings import CheckRule, Finding, Severity


class FindingOutput(TypedDict):
    """One problem of `overture check --json`."""

    code: str
    severity: Severity
    message: str
    path: str | None
    line: int | None
    column: int | None
    fixable: bool
    related: NotRequired[Annotated[list[str], note("other files that it is about")]]


class RuleRow(TypedDict):
    """A check in `overture check --list --json`."""

    code: str
    severity: Severity
    finds: str


class RulePage(RuleRow):
    """`overture check --explain CODE --json`."""

    page: str


class CheckOutput(TypedDict):
    """`overture check --json`."""

    findings: list[FindingOutput]
    unchecked: NotRequired[Annotated[list[str], note("what could not be looked at; exit code 2")]]


GITHUB_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def format_annotations(checked: CheckResult) -> list[str]:
    """A line for each finding: `::error file=AGENTS.md,line=3,title=hidden-text::…`."""
    return [_format_annotation(finding, checked.root) for finding in checked.findings]


def _format_annotation(finding: Finding, root: str) -> str:
    printer = make_root_printer(root)
    values = {"file": printer.relative(finding.path) if finding.path else None, "line": finding.line}
    values |= {"col": finding.column, "title": finding.code}
    properties = ",".join(f"{name}={_escape_value(str(value))}" for name, value in values.items() if value is not None)
    return f"::{GITHUB_LEVELS[finding.severity]} {properties}::{_escape_text(printer.within(finding.message))}"


def _escape_text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_value(text: str) -> str:
    return _escape_text(text).replace(":", "%3A").replace(",", "%2C")


SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT_ID = "PROJECTROOT"


def make_sarif(checked: CheckResult, version: str) -> dict[str, Any]:
    """One run, with every rule: a service shows their pages beside the results."""
    driver = {
        "name": "overture",
        "semanticVersion": version,
        "rules": [_make_sarif_rule(rule) for rule in RULES.values()],
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": list(_list_sarif_results(checked)),
    }
    if checked.root:
        run["originalUriBaseIds"] = {ROOT_ID: {"uri": _make_file_uri(checked.root.rstrip("/") + "/")}}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _make_sarif_rule(rule: CheckRule) -> dict[str, Any]:
    text = read_rule_page(rule.code)
    about = text.partition("\n\n")[2].partition("\n\n")[0]
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": " ".join(about.split())},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"tags": ["security"] if rule.is_security else ["maintainability"]},
    }


def _list_sarif_results(checked: CheckResult) -> Iterator[dict[str, Any]]:
    """A result for each finding. Its fingerprint stays if lines above move it; of equal ones, each is numbered."""
    codes, printer = list(RULES), make_root_printer(checked.root)
    times: Counter[str] = Counter()
    for finding in checked.findings:
        message = printer.within(finding.message)
        identity = "\0".join((finding.code, printer.relative(finding.path) if finding.path else "", message))
        times[identity] += 1
        counted = identity if times[identity] == 1 else f"{identity}\0{times[identity]}"
        yield {
            "ruleId": finding.code,
            "ruleIndex": codes.index(finding.code),
            "level": finding.severity,
            "message": {"text": message},
            "partialFingerprints": {
                "overture/v1": hashlib.sha256(counted.encode("utf-8", "surrogatepass")).hexdigest()
            },
            "locations": [{"physicalLocation": _make_sarif_location(finding, checked)}],
            **({"relatedLocations": _list_related(finding, checked)} if finding.related else {}),
        }


def _list_related(finding: Finding, checked: CheckResult) -> list[dict[str, Any]]:
    places = (Finding(finding.code, finding.severity, "", path) for path in finding.related)
    return [{"physicalLocation": _make_sarif_location(place, checked)} for place in places]


def _make_sarif_location(finding: Finding, checked: CheckResult) -> dict[str, Any]:
    """The place of a finding. GitHub refuses a whole log if one result has none, so the prompt counts as a file."""
    if not finding.path:
        return {"artifactLocation": {"uri": quote(checked.subject)}, "region": {"startLine": 1}}
    uri = {"uri": _make_file_uri(finding.path)}
    if is_inside(finding.path, checked.root):
        uri = {"uri": quote(make_root_printer(checked.root).relative(finding.path)), "uriBaseId": ROOT_ID}
    location: dict[str, Any] = {"artifactLocation": uri}
    if finding.line:
        location["region"] = {"startLine": finding.line}
        if finding.column:
            location["region"]["startColumn"] = finding.column
    return location


def _make_file_uri(path: str) -> str:
    return "file://" + quote(path)
