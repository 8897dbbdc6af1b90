"""Turns what discovery finds into findings: instructions that agents or the recipe do not load, and other reports."""

from collections.abc import Iterator, Sequence
from functools import cache, partial

from ...agents.agents_summary import FileReaders
from ...model.state.reasons import explain_cause, explain_hint
from ...text.path_printer import is_inside
from ...text.words import join_words, shorten_text
from ..findings_and_input import CheckInput, Finding, Severity
from ..rules_by_code import CheckRule, all_rules

LIMIT_CODE = "truncated-instructions"
ADVICE = "move what only some tasks need into skills or other files"


def check_agent_limits(check_input: CheckInput) -> Iterator[Finding]:
    """One finding for each file that an agent does not take whole, at the last line that it loads."""
    for file in check_input.truncated:
        severity: Severity = "warning" if file.known in ("run", "code") else "info"
        yield Finding(LIMIT_CODE, severity, f"{file.why}; {ADVICE}", file.path, max(file.last_line, 1))
    # The agent's own prompt reports its cuts as well, also in files above the project.
    known = {file.path for file in check_input.truncated}
    yield from (each for each in find_reported(check_input, LIMIT_CODE) if each.path not in known)


DISAGREEMENT_CODE = "agents-disagree"
MAX_NAMED_FILES = 3
MIN_GROUP_SIZE = 4
"""So many files of one folder that the same agents load are shown as one."""


def check_agents_agree(check_input: CheckInput) -> Iterator[Finding]:
    """One finding, at the first file that not all of the agents load."""
    difference = check_input.disagreement
    if difference is None:
        return
    groups = _group_files(difference.files)
    more = sum(map(len, groups[MAX_NAMED_FILES:]))
    rest = f", and {more} more files differ" if more > 1 else ", and 1 more file differs" if more else ""
    readers: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for group in groups[:MAX_NAMED_FILES]:
        readers.setdefault((group[0].titles, group[0].partly), []).append(_name_files(group, check_input.root))
    named = "; ".join(_describe(*who, names) for who, names in readers.items())
    verb = "load" if difference.without[1:] else "loads"
    none = f"; {join_words(difference.without)} {verb} none" if difference.without else ""
    message = f"{shorten_text(join_words(difference.titles), 120)} load different instructions: {named}{rest}{none}"
    first = next((file.path for file in difference.files if is_inside(file.path, check_input.root)), None)
    yield Finding(DISAGREEMENT_CODE, "warning", message, first)


def _group_files(files: Sequence[FileReaders]) -> list[list[FileReaders]]:
    """The files in their order; many of one folder with the same readers together."""
    groups: dict[object, list[FileReaders]] = {}
    for file in files:
        groups.setdefault((file.path.rpartition("/")[0], file.titles, file.partly), []).append(file)
    return [
        part for group in groups.values() for part in ([group] if group[MIN_GROUP_SIZE - 1 :] else [[f] for f in group])
    ]


def _name_files(group: Sequence[FileReaders], root: str) -> str:
    """How a finding names files that agents load differently: by path, or several by their folder."""
    if not group[1:]:
        return group[0].path
    folder = group[0].path.rpartition("/")[0]
    return f"{len(group)} files in {'the root of the project' if folder == root.rstrip('/') else folder}"


def _describe(titles: Sequence[str], partly: Sequence[str], names: Sequence[str]) -> str:
    """`Cursor loads .cursor/rules/a.mdc and .cursorrules`, `Codex loads a part of AGENTS.md`."""
    if not titles:
        return f"{join_words(partly)} {'load different lines' if partly[1:] else 'loads a part'} of {join_words(names)}"
    groups = [(titles, join_words(names)), (partly, f"a part of {'them' if names[1:] else 'it'}")]
    return ", ".join(f"{join_words(who)} {'load' if who[1:] else 'loads'} {what}" for who, what in groups if who)


CASE_CODE = "wrong-case"


def check_letter_case(check_input: CheckInput) -> Iterator[Finding]:
    """One finding for each file that most agents skip because of the letter case of its name."""
    for path, right in sorted(check_input.project.miswritten.items()):
        message = f"most agents look for {right!r} and skip this file, because names are case-sensitive: rename it"
        yield Finding(CASE_CODE, "warning", message, path)


UNREAD_CODE = "unread-instructions"


def check_unread_files(inputs: CheckInput) -> Iterator[Finding]:
    """One finding each; more severe if no other file is read. A default recipe is no agent in use."""
    if inputs.is_default_recipe:
        return
    loaded = any(look.what == "context" and look.outcome == "loaded" for look in inputs.looks)
    severity: Severity = "info" if loaded else "warning"
    for each in inputs.looks:
        if each.what == "context" and each.outcome == "unread" and not each.outside:
            path = each.path.rpartition("/")[0] if "*" in each.path else each.path
            reason, how = explain_cause(each.reason), explain_hint(each.reason)
            message = f"recipe {inputs.prompt.recipe.name!r} does not read it ({reason}){how and f'; {how}'}"
            yield Finding(UNREAD_CODE, severity, message, path)


REPORTED_CODES = {
    "config-missing": "a configured folder that does not exist",
    "config-shadowed": "a configuration that is hidden by a nearer one",
    "config-unknown": "an unknown variable or table of settings",
    "config-unreadable": "an unreadable configuration file",
    "config-untrusted": "a project setting that its user has not approved",
    "context-copy": "an instruction file that is skipped because a nearer one has the same text",
    "context-shadowed": "an instruction file that is hidden by another",
    "context-import": "an instruction file that contains only an import",
    "file-large": "a file larger than the context window of most models",
    "persona-invalid": "an invalid field in IDENTITY.md or USER.md",
    "skill-collision": "two skills with the same name",
    "system-cleared": "an empty SYSTEM.md, which clears the base prompt",
    "timezone-unknown": "an unknown time zone",
    "tool-duplicate": "a tool that is given more than once",
    "tool-foreign": "keys of a tool that only one vendor supports",
}
"""The codes of diagnostics that are rules of their own."""
ENCODING_CODE = "not-utf-8"
REPORTED_ENDINGS: dict[str, tuple[str | tuple[str, ...], str]] = {
    "unreadable-file": ("-unreadable", "an unreadable file, such as a broken symlink"),
    "link-outside": ("-outside", "a symlink to a file outside the project"),
    "skipped-file": (
        ("-skipped", "rule-invalid", "settings-invalid"),
        "an invalid file, such as JSON that does not parse",
    ),
}
"""Codes that begin with what was looked for, by how they end."""


def find_reported(inputs: CheckInput, code: str) -> Iterator[Finding]:
    """The diagnostics of one kind: those of the prompt, and of lines without one those of agents in use."""
    notes, own = inputs.prompt.diagnostics, {(note.path, note.line) for note in inputs.prompt.diagnostics}
    for note in (*notes, *(each for each in inputs.agent_notes if (each.path, each.line) not in own)):
        if find_code(note.code) == code:
            level: Severity = "info" if code == "skill-collision" and _is_copy(inputs, note.path) else note.level
            yield Finding(code, level, note.message, note.path, note.line, note.column)


def find_wrong_encodings(inputs: CheckInput) -> Iterator[Finding]:
    """What the recipe reports, and the same of files that only other agents load."""
    findings = list(find_reported(inputs, ENCODING_CODE))
    yield from findings
    reported = {finding.path for finding in findings}
    for page in inputs.pages:
        note = page.wrong_encoding
        if note is not None and page.path not in reported:
            yield Finding(ENCODING_CODE, note.level, note.message, page.path, note.line)


def _is_copy(inputs: CheckInput, path: str | None) -> bool:
    """Whether another page has the same text: the agent gets the same from either."""
    own = next((page.text for page in inputs.pages if page.path == path), None)
    return any(page.text == own and page.path != path for page in inputs.pages)


@cache
def find_code(diagnostic: str) -> str:
    """The rule that reports a diagnostic; `reported` if no other takes it."""
    rule_code = next((rule.code for rule in all_rules().values() if diagnostic in rule.takes), None)
    if rule_code is not None:
        return rule_code
    return next((code for code, (end, _) in REPORTED_ENDINGS.items() if diagnostic.endswith(end)), "reported")


RULES = (
    CheckRule(CASE_CODE, "warning", "a file whose name has the wrong letter case", check_letter_case),
    CheckRule(
        LIMIT_CODE,
        "warning",
        "a file that a known agent truncates or skips",
        check_agent_limits,
        frozenset(("file-cut",)),
    ),
    CheckRule(
        DISAGREEMENT_CODE,
        "warning",
        "agents that are used or likely here and load different instructions",
        check_agents_agree,
    ),
    CheckRule(UNREAD_CODE, "info", "an instruction file that this recipe does not read", check_unread_files),
    CheckRule(ENCODING_CODE, "warning", "a file that is not UTF-8", find_wrong_encodings, frozenset((ENCODING_CODE,))),
    *(
        CheckRule(code, "warning", title, partial(find_reported, code=code), frozenset((code,)))
        for code, title in REPORTED_CODES.items()
    ),
    *(
        CheckRule(code, "warning", title, partial(find_reported, code=code))
        for code, (_, title) in REPORTED_ENDINGS.items()
    ),
    CheckRule("reported", "warning", "anything else that the recipe reports", partial(find_reported, code="reported")),
)
