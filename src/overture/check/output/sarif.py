"""Findings as SARIF 2.1.0, which code scanning services take."""

import hashlib
from typing import Any
from urllib.parse import quote

from ...text.paths import is_below, shown_path
from ..finding import Finding
from ..rule import Rule
from ..rules import page, rules
from ..run import Checked

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
TOP = "PROJECTROOT"
SECURITY = ("forged-frame", "control-token", "hidden-character", "secret", "override-phrase", "link-outside")


def sarif(checked: Checked, version: str) -> dict[str, Any]:
    """One run, with every rule that there is: a service shows their pages beside the results."""
    codes = list(rules())
    driver = {
        "name": "overture",
        "semanticVersion": version,
        "rules": [_rule(rule) for rule in rules().values()],
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, codes, checked.root) for finding in checked.findings],
    }
    if checked.root:
        run["originalUriBaseIds"] = {TOP: {"uri": _uri(checked.root.rstrip("/") + "/")}}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    text = page(rule.code)
    about = text.partition("\n\n")[2].partition("\n\n")[0]
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": " ".join(about.split())},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": ["security"] if rule.code in SECURITY else ["maintainability"]},
    }


def _result(finding: Finding, codes: list[str], root: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": LEVELS[finding.severity],
        "message": {"text": finding.message},
        "partialFingerprints": {"overture/v1": _fingerprint(finding, root)},
    }
    if finding.path:
        place: dict[str, Any] = {"artifactLocation": _location(finding.path, root)}
        if finding.line:
            place["region"] = {"startLine": finding.line}
            if finding.column:
                place["region"]["startColumn"] = finding.column
        result["locations"] = [{"physicalLocation": place}]
    return result


def _location(path: str, root: str) -> dict[str, str]:
    if is_below(path, root):
        return {"uri": quote(shown_path(path, root)), "uriBaseId": TOP}
    return {"uri": _uri(path)}


def _uri(path: str) -> str:
    return "file://" + quote(path)


def _fingerprint(finding: Finding, root: str) -> str:
    """The same while the finding stays, wherever lines above it move it."""
    where = shown_path(finding.path, root) if finding.path else ""
    said = "\0".join((finding.code, where, finding.message))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
