"""Finds instructions that do not reach every agent: truncated, under a wrong name, or in files that only some load."""

from collections.abc import Iterator, Sequence

from ...agents.summary import FileReaders
from ...text.words import join_words, shorten_text
from ..rule import CheckInput, CheckRule, Finding, Severity

LIMIT_CODE = "truncated-instructions"
ADVICE = "move what only some tasks need into skills or other files"


def check_agent_limits(check_input: CheckInput) -> Iterator[Finding]:
    """One finding for each file that an agent does not take whole, at the last line that it loads."""
    for file in check_input.truncated:
        severity: Severity = "warning" if file.known in ("run", "code") else "info"
        yield Finding(LIMIT_CODE, severity, f"{file.why}; {ADVICE}", file.path, max(file.last_line, 1))


CODE = "agents-disagree"
MAX_NAMED_FILES = 3
MIN_GROUP_SIZE = 4
"""So many files of one folder that the same agents load stand as one."""


def check_agents_agree(check_input: CheckInput) -> Iterator[Finding]:
    """One finding, at the first file that not all of the agents load."""
    difference = check_input.disagreement
    if difference is None:
        return
    root = check_input.root.rstrip("/") + "/"
    groups = _group_files(difference.files)
    more = sum(map(len, groups[MAX_NAMED_FILES:]))
    rest = f", and {more} more files differ" if more > 1 else ", and 1 more file differs" if more else ""
    readers: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for group in groups[:MAX_NAMED_FILES]:
        readers.setdefault((group[0].titles, group[0].partly), []).append(_name_files(group, root))
    named = "; ".join(_describe(*who, names) for who, names in readers.items())
    verb = "load" if difference.without[1:] else "loads"
    none = f"; {join_words(difference.without)} {verb} none" if difference.without else ""
    message = f"{shorten_text(join_words(difference.titles), 120)} load different instructions: {named}{rest}{none}"
    first = next((file.path for file in difference.files if file.path.startswith(root)), None)
    yield Finding(CODE, "warning", message, first)


def _group_files(files: Sequence[FileReaders]) -> list[list[FileReaders]]:
    """The files in their order; many of one folder with the same readers together."""
    groups: dict[object, list[FileReaders]] = {}
    for file in files:
        groups.setdefault((file.path.rpartition("/")[0], file.titles, file.partly), []).append(file)
    return [
        part for group in groups.values() for part in ([group] if group[MIN_GROUP_SIZE - 1 :] else [[f] for f in group])
    ]


def _name_files(group: Sequence[FileReaders], root: str) -> str:
    path = group[0].path.removeprefix(root)
    return f"{len(group)} files in {path.rpartition('/')[0]}" if group[1:] else path


def _describe(titles: Sequence[str], partly: Sequence[str], names: Sequence[str]) -> str:
    """`Cursor loads .cursor/rules/a.mdc and .cursorrules`, `Codex loads a part of AGENTS.md`."""
    if not titles:
        return f"{join_words(partly)} {'load different lines' if partly[1:] else 'loads a part'} of {join_words(names)}"
    found = [(titles, join_words(names)), (partly, f"a part of {'them' if names[1:] else 'it'}")]
    return ", ".join(f"{join_words(who)} {'load' if who[1:] else 'loads'} {what}" for who, what in found if who)


CASE_CODE = "wrong-case"


def check_letter_case(check_input: CheckInput) -> Iterator[Finding]:
    """One finding for each file that most agents skip because of the letter case of its name."""
    for path, right in sorted(check_input.project.miswritten.items()):
        message = f"most agents look for {right!r} and skip this file, because names are case-sensitive: rename it"
        yield Finding(CASE_CODE, "warning", message, path)


RULES = (
    CheckRule(CASE_CODE, "warning", "a file whose name has the wrong letter case", check_letter_case),
    CheckRule(LIMIT_CODE, "warning", "a file that a known agent truncates or skips", check_agent_limits),
    CheckRule(
        CODE, "warning", "agents that are used or likely here and load different instructions", check_agents_agree
    ),
)
