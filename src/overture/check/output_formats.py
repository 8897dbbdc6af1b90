"""Findings and reports for other programs: the types of their JSON, GitHub annotations and SARIF 2.1.0."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from urllib.parse import quote

from ..agents.agent_report import FileStatus
from ..agents.file_answers import FileAnswer
from ..model.agent_rules import Evidence, FileKind
from ..model.recipe.recipe import OwnPrompt
from ..model.state.discovery import Outcome
from ..model.struct import note
from ..text.path_printer import is_inside, make_root_printer
from .findings_and_input import Finding, Severity
from .rules_by_code import CheckRule, all_rules, read_rule_page
from .run_rules import CheckResult, name_prompt


class SkillRow(TypedDict):
    """A skill, and what a recipe does with it."""

    name: str
    outcome: Outcome | Literal["listed"]
    location: str
    description: str
    detail: str
    outside: bool


class FindingOutput(TypedDict):
    """One problem, in the output of `agents`, `check` and others."""

    code: str
    severity: Severity
    message: str
    path: str | None
    line: int | None
    column: int | None
    fixable: bool


class AgentFileOutput(TypedDict):
    """One file of an agent."""

    path: str
    kind: FileKind
    status: FileStatus
    why: str
    tokens: int
    last_line: NotRequired[int]
    lines: NotRequired[int]
    frame: NotRequired[str]
    same: NotRequired[str]
    alias_of: NotRequired[str]
    step: NotRequired[str]
    known: NotRequired[Evidence]
    touched: NotRequired[bool]
    order_fixed: NotRequired[bool]


class AgentOutput(TypedDict):
    """One agent."""

    name: str
    title: str
    version: str
    checked: str
    known: Evidence
    used: list[str]
    files: list[AgentFileOutput]
    order_fixed: bool
    tokens: int
    tokenizer: str
    exact: bool
    own: OwnPrompt
    findings: list[FindingOutput]


class AgentsOutput(TypedDict):
    """`overture agents --json`."""

    agents: list[AgentOutput]


class FileByAgent(TypedDict):
    """One path, and the agents by what they do with it."""

    path: str
    answers: list[FileAnswer]


class AgentsWhyOutput(TypedDict):
    """`overture agents --why PATH --json`."""

    files: list[FileByAgent]


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

    recipe: str
    findings: list[FindingOutput]
    counts: Annotated[dict[Severity, int], note("how many findings have that severity")]
    fixable: int
    ignored: Annotated[int, note("how many findings are ignored by comments")]
    unchecked: NotRequired[Annotated[list[str], note("what could not be looked at; exit code 2")]]


GITHUB_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def format_annotations(checked: CheckResult) -> list[str]:
    """A line for each finding: `::error file=AGENTS.md,line=3,title=hidden-character::…`."""
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
SARIF_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
ROOT_ID = "PROJECTROOT"
SECURITY_CODES = ("forged-frame", "control-token", "hidden-character", "secret", "override-phrase", "link-outside")


def make_sarif(checked: CheckResult, version: str) -> dict[str, Any]:
    """One run, with every rule: a service shows their pages beside the results."""
    driver = {
        "name": "overture",
        "semanticVersion": version,
        "rules": [_make_sarif_rule(rule) for rule in all_rules().values()],
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
        "defaultConfiguration": {"level": SARIF_LEVELS[rule.severity]},
        "properties": {"tags": ["security"] if rule.code in SECURITY_CODES else ["maintainability"]},
    }


def _list_sarif_results(checked: CheckResult) -> Iterator[dict[str, Any]]:
    """A result for each finding. Its fingerprint stays if lines above move it; of equal ones, each is numbered."""
    codes, printer = list(all_rules()), make_root_printer(checked.root)
    times: Counter[str] = Counter()
    for finding in checked.findings:
        message = printer.within(finding.message)
        identity = "\0".join((finding.code, printer.relative(finding.path) if finding.path else "", message))
        times[identity] += 1
        counted = identity if times[identity] == 1 else f"{identity}\0{times[identity]}"
        yield {
            "ruleId": finding.code,
            "ruleIndex": codes.index(finding.code),
            "level": SARIF_LEVELS[finding.severity],
            "message": {"text": message},
            "partialFingerprints": {
                "overture/v1": hashlib.sha256(counted.encode("utf-8", "surrogatepass")).hexdigest()
            },
            "locations": [{"physicalLocation": _make_sarif_location(finding, checked)}],
        }


def _make_sarif_location(finding: Finding, checked: CheckResult) -> dict[str, Any]:
    """The place of a finding. GitHub refuses a whole log if one result has none, so the prompt counts as a file."""
    if not finding.path:
        return {"artifactLocation": {"uri": quote(name_prompt(checked.recipe))}, "region": {"startLine": 1}}
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
