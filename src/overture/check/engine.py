"""The rules by their codes: selects and runs them, removes ignored findings, and sorts the rest."""

import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, partial

from msgspec.structs import replace

from ..agents.agent_project import AgentProject
from ..agents.in_use import find_agent_name
from ..agents.table import Question, Table, ask, list_starts, make_table
from ..agents.verdicts import Verdicts
from ..discovery.configuration.config import Config
from ..errors import ConfigError, explain_unknown, find_similar
from ..known_agents import AGENTS
from ..model.diagnostic import Diagnostic
from ..model.struct import Frozen
from ..project.find_recipe import list_recipe_names
from .agents import check_letter_case, check_reports, check_verdicts
from .commands import RULES as COMMANDS
from .copies import check_copies
from .findings import CheckRule, Finding, Severity
from .ignore import CODE_OF_FAULTS, IgnoreComment, find_ignore_faults, find_ignores, index_ignores, parse_ignores
from .input import CheckInput, read_agents_input
from .references import RULES as REFERENCES
from .skills import check_skills, check_yaml_comments
from .suspicious import check_suspicious
from .text_rules import check_encoding, check_hidden_text, check_secrets


def join_rules(*rules: Callable[[CheckInput], Iterable[Finding]]) -> Callable[[CheckInput], Iterable[Finding]]:
    """Several functions that report one code."""
    return lambda inputs: (finding for rule in rules for finding in rule(inputs))


def _verdict(code: str, title: str) -> CheckRule:
    return CheckRule(code, "warning", title, partial(check_verdicts, code=code))


def _report(code: str, title: str, *rules: Callable[[CheckInput], Iterable[Finding]]) -> CheckRule:
    return CheckRule(code, "warning", title, join_rules(*rules, partial(check_reports, code=code)))


RULES = {rule.code: rule for rule in sorted((
    _verdict("never-arrives", "an instruction file that never reaches an agent that reads its name"),
    _verdict("truncated", "an instruction file that an agent cuts"),
    _verdict("loaded-twice", "instructions that an agent gets twice"),
    _verdict("agents-disagree", "agents in use that get different files"),
    CheckRule("wrong-case", "warning", "a file whose name has the wrong letter case", check_letter_case),
    CheckRule("drifted-copy", "warning", "two files for one folder that are nearly the same", check_copies),
    _report("skill-invalid", "a skill or rule that agents do not load as it is meant", check_skills),
    CheckRule("yaml-comment", "warning", "a description that YAML ends at a ` #`", check_yaml_comments),
    CheckRule("hidden-text", "error", "text that models read and people do not see", check_hidden_text, True),
    CheckRule("secret", "error", "a key or a token", check_secrets, True),
    CheckRule("suspicious", "warning", "text that turns a model against its instructions or its user",
        check_suspicious, True),
    CheckRule("not-utf-8", "warning", "a file that is not UTF-8", check_encoding),
    _report("unreadable", "a file that can't be read, such as a broken symlink"),
    _report("invalid-settings", "an invalid file, such as JSON that does not parse"),
    replace(_report("link-outside", "a symlink to a file outside the project"), is_security=True),
    CheckRule(CODE_OF_FAULTS, "warning", "an ignore comment without a reason or an effect", lambda _: ()),
    _report("config", "a fault in overture.toml"),
    _report("prompt", "what a recipe reports of its prompt"),
    *REFERENCES,
    *COMMANDS,
), key=lambda rule: rule.code)}  # fmt: skip
"""Every rule, sorted by its code."""


@cache
def read_rule_page(code: str) -> str:
    """The page of a rule: what it finds, why, how to fix it, and an example of each kind."""
    if code not in RULES:
        raise ConfigError(explain_unknown("Check", code, RULES), hint="`overture check --explain` lists them")
    data = pkgutil.get_data(__package__, f"pages/{code}.md")
    assert data is not None
    return data.decode("utf-8").rstrip("\n")


class RuleSelection(Frozen, frozen=True):
    """The rules that options and settings select; each word is a code, or a prefix of codes."""

    select: tuple[str, ...] = ()
    """Only these; none: all."""
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = {}
    """The severity of a finding, in place of its rule's."""
    exclude: tuple[str, ...] = ()
    """Files whose findings are ignored: paths below the project, with `*`."""
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
        words = (word.rstrip("/") for word in self.exclude)
        return any(fnmatchcase(below, word) or below.startswith(f"{word}/") for word in words)


ALL_RULES = RuleSelection()


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
        if not word or not any(code.startswith(word) for code in RULES):
            prefixes = {code[: m.start()] for code in RULES for m in re.finditer("-|$", code)}
            raise ConfigError(
                f"{origin}: No check named {word!r:.80}.", noun="check", tip=find_similar(word, prefixes),
                hint="`overture check --list` lists them",
            )  # fmt: skip


class CheckResult(Frozen, frozen=True):
    """The result of `check`: the findings, sorted by file and line."""

    findings: tuple[Finding, ...] = ()
    ignored: tuple[Finding, ...] = ()
    """Findings that comments in files or `check.exclude` ignore."""
    root: str = ""
    """The project's folder."""
    unchecked: tuple[Diagnostic, ...] = ()
    """What could not be looked at: then the result is not complete."""
    recipe: str = ""
    """Whose prompt was checked; empty: files of agents were."""

    def count(self, severity: Severity) -> int:
        """The number of findings with this severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Whether there are no errors, and everything was looked at."""
        return not self.count("error") and not self.unchecked

    @property
    def subject(self) -> str:
        """The place of a finding that is in no file."""
        return f"the prompt of {self.recipe}" if self.recipe else "the project"

    def to_dict(self) -> dict[str, object]:
        """The JSON form, as `overture check --json` prints it."""
        data: dict[str, object] = {"findings": [finding.to_dict() for finding in self.findings]}
        return {**data, "unchecked": [each.message for each in self.unchecked]} if self.unchecked else data


Checked = CheckResult
"""The name in `overture.__all__`."""


def run_rules(inputs: CheckInput, choice: RuleSelection = ALL_RULES) -> CheckResult:
    """Let every rule that is wanted look."""
    selected = frozenset(code for code in RULES if choice.wants(code))
    pages = inputs.pages if choice.comments else ()
    used: dict[IgnoreComment, set[str]] = {each: set() for page in pages for each in parse_ignores(page)}
    remaining: list[Finding] = []
    ignored: list[Finding] = []
    index = index_ignores(used, RULES)
    for finding in (each for code, rule in RULES.items() if code in selected for each in rule.look(inputs)):
        takers = list(find_ignores(index, finding))
        for each in takers:
            used[each].add(finding.code)
        (ignored if takers or choice.excludes(finding.path, inputs.root) else remaining).append(finding)
    if CODE_OF_FAULTS in selected:  # a comment can't ignore a problem of a comment
        faults = find_ignore_faults(used, RULES, selected)
        remaining += [each for each in faults if not choice.excludes(each.path, inputs.root)]
    judged = (replace(each, severity=choice.choose_severity(each)) for each in remaining)
    unchecked = tuple(each for each in inputs.unchecked if not choice.excludes(each.path, inputs.root))
    recipe = inputs.prompt.recipe.name if inputs.prompt else ""
    return CheckResult(_sort_findings(judged), _sort_findings(ignored), inputs.root, unchecked, recipe)


def _sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By file and line; findings without a file come last. Equal findings are merged."""
    return tuple(sorted(dict.fromkeys(findings), key=_sort_key))


def _sort_key(finding: Finding) -> tuple[bool, str, int, int, str, str]:
    where = (finding.path is None, finding.path or "", finding.line or 0, finding.column or 0)
    return (*where, finding.code, finding.message)


def find_problems(
    question: Question, table: Table, verdicts: Verdicts | None = None, selection: RuleSelection = ALL_RULES,
    dashes: str = "",
) -> tuple[CheckInput, CheckResult]:  # fmt: skip
    """What is wrong with the files of a table that is there already, as the project configures checks."""
    choice = select_rules(question.base.config, "", selection, dashes)
    inputs = read_agents_input(question, table, verdicts)
    return inputs, run_rules(inputs, choice)


def check_agents(
    base: AgentProject, names: Sequence[str] = (), selection: RuleSelection = ALL_RULES, dashes: str = ""
) -> tuple[CheckInput, CheckResult]:
    """What is wrong with the files of these agents, or of those in use: the same for everybody who has the project."""
    question = ask(base, names, shared=True)
    table = make_table(question, list_starts(question.files, base.cwd))
    return find_problems(question, table, None, selection, dashes)


def find_named_agents(subjects: Sequence[str], config: Config) -> tuple[str, ...] | None:
    """The agents that subjects name; none: those in use. None: a recipe is meant, named or configured."""
    configured = config.get("recipe").value
    words = subjects or ((configured,) if configured else ())
    recipes = set(list_recipe_names(config)) - {*AGENTS}
    if any(word in recipes or word.endswith((".toml", ".json")) for word in words):
        return None
    # A slip in the name of a recipe is answered by whoever reads recipes.
    if any(find_similar(word, (*AGENTS, *recipes)) in recipes for word in words if word not in AGENTS):
        return None
    return tuple(find_agent_name(word) for word in words)
