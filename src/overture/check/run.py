"""Ground -> what is wrong: every rule looks, ignores are taken off and counted, and the order is always the same."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ..model.struct import Frozen
from .choice import Choice
from .finding import Finding, Severity
from .ground import Ground
from .ignores import BARE, UNUSED, Ignore, covering, faults, ignores, ignoring
from .rules import rules

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Checked(Frozen, frozen=True):
    """What was found, in the order of files and lines."""

    recipe: str
    findings: tuple[Finding, ...] = ()
    ignored: tuple[Finding, ...] = ()
    """What comments in files and excluded paths leave out."""
    root: str = ""
    """The folder of the project."""

    def count(self, severity: Severity) -> int:
        """How many findings are that bad."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return not self.count("error")

    def to_dict(self) -> dict[str, object]:
        """The JSON form, as `overture check --json` prints it."""
        return {
            "recipe": self.recipe,
            "findings": [finding.to_dict() for finding in self.findings],
            "counts": {severity: self.count(severity) for severity in SEVERITIES},
            "fixable": sum(finding.fixable for finding in self.findings),
            "ignored": len(self.ignored),
        }


def run(ground: Ground, choice: Choice = Choice()) -> Checked:  # noqa: B008  frozen
    """Let every rule that is wanted look."""
    asked = frozenset(code for code in rules() if choice.wants(code))
    found = _looked(ground, asked)
    used: dict[Ignore, set[str]] = {each: set() for page in ground.pages for each in ignores(page)}
    if not choice.comments:
        used = {}
    kept: list[Finding] = []
    ignored: list[Finding] = []
    index = covering(used)
    for finding in found:
        takers = list(ignoring(index, finding))
        for each in takers:
            used[each].add(finding.code)
        (ignored if takers or choice.excludes(finding.path, ground.root) else kept).append(finding)
    # What is wrong with a comment can't be ignored by one.
    kept += [each for each in faults(used, asked) if each.code in asked and not choice.excludes(each.path, ground.root)]
    # Of a file that is not known to lie on this disk, nothing can be mended.
    judged = (
        replace(finding, severity=choice.judged(finding), edits=finding.edits if ground.root else ())
        for finding in kept
    )
    return Checked(ground.prompt.recipe.name, _ordered(judged), _ordered(ignored), ground.root)


def _looked(ground: Ground, asked: frozenset[str]) -> Iterator[Finding]:
    for code, rule in rules().items():
        if code in asked and code not in (BARE, UNUSED):
            yield from rule.look(ground)


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By file and line; what is of no file stands at the end. Two that say the same are one."""
    return tuple(sorted(dict.fromkeys(findings), key=_place))


def _place(finding: Finding) -> tuple[bool, str, int, int, str, str]:
    where = (finding.path is None, finding.path or "", finding.line or 0, finding.column or 0)
    return (*where, finding.code, finding.message)
