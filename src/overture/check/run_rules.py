"""Selects rules by code, runs them, removes ignored findings, and sorts the rest."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from msgspec.structs import replace

from ..discovery.configuration.config import Config
from ..errors import ConfigError, find_similar
from ..model.diagnostic import Diagnostic
from ..model.struct import Frozen
from .findings_and_input import CheckInput, Finding, Severity
from .rules.ignore_comments import IgnoreComment, find_ignore_faults, find_ignores, index_ignores, parse_ignores
from .rules_by_code import all_rules

HYPHEN = re.compile("-")


class RuleSelection(Frozen, frozen=True):
    """The rules that options and settings select; each word is a code, or a prefix of codes."""

    select: tuple[str, ...] = ()
    """Only these; none: all."""
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = {}
    """The severity of a finding, in place of its rule's."""
    exclude: tuple[str, ...] = ()
    """Files that are not spoken of: paths below the project, with `*`."""
    comments: bool = True
    """Whether comments in files may ignore findings."""

    def wants(self, code: str) -> bool:
        """Whether a rule is selected: the longest matching word decides, and `ignore` where both are as long."""
        selected = _measure_longest_match(code, self.select) if self.select else 0
        ignored = _measure_longest_match(code, self.ignore)
        return selected is not None and (ignored is None or ignored < selected)

    def choose_severity(self, finding: Finding) -> Severity:
        """How bad a finding is here."""
        word = max((word for word in self.severity if finding.code.startswith(word)), key=len, default=None)
        return self.severity[word] if word is not None else finding.severity

    def excludes(self, path: str | None, root: str) -> bool:
        """Whether the selection excludes the findings of a file."""
        if not self.exclude or path is None or not root:
            return False
        below = path.removeprefix(root.rstrip("/") + "/")
        return any(fnmatchcase(below, word) or below.startswith(word.rstrip("/") + "/") for word in self.exclude)


def select_rules(config: Config, recipe: str, selection: RuleSelection, dashes: str = "") -> RuleSelection:
    """The selected checks: options over configuration; a word that matches none is an error."""
    values = {name: config.get(f"check.{name}", recipe) for name in ("select", "ignore", "severity", "exclude")}
    for name in ("select", "ignore", "severity"):
        check_codes(values[name].value, f"{values[name].origin}: check.{name}")
        check_codes(getattr(selection, name), f"{dashes}{name}")
    # A check that is selected by its full name runs, in spite of the configuration.
    ignored = tuple(word for word in values["ignore"].value if word not in selection.select)
    return RuleSelection(
        selection.select or values["select"].value,
        (*ignored, *selection.ignore),
        {**values["severity"].value, **selection.severity},
        values["exclude"].value if selection.comments else (),
        selection.comments,
    )


def _measure_longest_match(code: str, words: Iterable[str]) -> int | None:
    return max((len(word) for word in words if code.startswith(word)), default=None)


def check_codes(words: Iterable[str], origin: str) -> None:
    """A word that matches no rule is an error."""
    for word in words:
        if not word or not any(code.startswith(word) for code in all_rules()):
            raise ConfigError(
                f"{origin}: No check named {word!r:.80}.", noun="check", tip=find_similar(word, _list_prefixes()),
                hint="`overture check --list` lists them",
            )  # fmt: skip


def _list_prefixes() -> set[str]:
    """The codes, and the words with which they begin."""
    return {code[:end] for code in all_rules() for end in (*(m.start() for m in HYPHEN.finditer(code)), len(code))}


SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


def name_prompt(recipe: str) -> str:
    """The place of a finding that is in no file."""
    return f"the prompt of {recipe}"


class CheckResult(Frozen, frozen=True):
    """The result of `check`: the findings, sorted by file and line."""

    recipe: str
    findings: tuple[Finding, ...] = ()
    ignored: tuple[Finding, ...] = ()
    """Findings that comments in files or `check.exclude` ignore."""
    root: str = ""
    """The project's folder."""
    unchecked: tuple[Diagnostic, ...] = ()
    """What could not be looked at: then the result is not complete."""

    def count(self, severity: Severity) -> int:
        """The number of findings with this severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Whether there are no errors, and everything was looked at."""
        return not self.count("error") and not self.unchecked

    def to_dict(self) -> dict[str, object]:
        """The JSON form, as `overture check --json` prints it."""
        data = {
            "recipe": self.recipe,
            "findings": [finding.to_dict() for finding in self.findings],
            "counts": {severity: self.count(severity) for severity in SEVERITIES},
            "fixable": sum(finding.fixable for finding in self.findings),
            "ignored": len(self.ignored),
        }
        return {**data, "unchecked": [each.message for each in self.unchecked]} if self.unchecked else data


Checked = CheckResult
"""The public name of 0.1, in `overture.__all__`."""


def run_rules(inputs: CheckInput, choice: RuleSelection = RuleSelection()) -> CheckResult:  # noqa: B008  frozen
    """Let every rule that is wanted look."""
    selected = frozenset(code for code in all_rules() if choice.wants(code))
    pages = inputs.pages if choice.comments else ()
    used: dict[IgnoreComment, set[str]] = {each: set() for page in pages for each in parse_ignores(page)}
    remaining: list[Finding] = []
    ignored: list[Finding] = []
    index = index_ignores(used)
    for finding in (each for code, rule in all_rules().items() if code in selected for each in rule.look(inputs)):
        takers = list(find_ignores(index, finding))
        for each in takers:
            used[each].add(finding.code)
        (ignored if takers or choice.excludes(finding.path, inputs.root) else remaining).append(finding)
    # A comment can't ignore a problem of a comment.
    remaining += [
        each
        for each in find_ignore_faults(used, selected)
        if each.code in selected and not choice.excludes(each.path, inputs.root)
    ]
    # A file that is not known to be on this disk can't be fixed.
    judged = (
        replace(finding, severity=choice.choose_severity(finding), edits=finding.edits if inputs.root else ())
        for finding in remaining
    )
    unchecked = tuple(each for each in inputs.unchecked if not choice.excludes(each.path, inputs.root))
    name = inputs.prompt.recipe.name
    return CheckResult(name, _sort_findings(judged), _sort_findings(ignored), inputs.root, unchecked)


def _sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By file and line; findings without a file come last. Equal findings are merged."""
    return tuple(sorted(dict.fromkeys(findings), key=_sort_key))


def _sort_key(finding: Finding) -> tuple[bool, str, int, int, str, str]:
    where = (finding.path is None, finding.path or "", finding.line or 0, finding.column or 0)
    return (*where, finding.code, finding.message)
