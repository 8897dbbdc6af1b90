"""Finds paths, commands, links and imports that the project does not have."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from posixpath import dirname, join, normpath

from ...errors import suggest
from ...text.words import shorten_text
from ..facts import find_facts
from ..findings import CheckRule, Finding
from ..input import CheckedFile, CheckInput
from ..mentions import CommandMention, FileMention, MentionKind, find_command_mentions, find_file_mentions

PATH_CODE = "missing-path"


def _list_missing(inputs: CheckInput, kind: MentionKind) -> Iterator[tuple[CheckedFile, FileMention]]:
    """What pages mention in that way, and that is nowhere."""
    for page in inputs.pages:
        missing = find_facts(inputs).missing.get(page.path, frozenset())
        for each in find_file_mentions(page) if missing else ():
            if each.kind == kind and each.key in missing:
                yield page, each


def _list_missing_paths(inputs: CheckInput) -> Iterator[tuple[CheckedFile, FileMention]]:
    """The paths of pages that are nowhere, each at its first occurrence."""
    known: set[tuple[str, str]] = set()
    for page, each in _list_missing(inputs, "path"):
        if (page.path, each.key) not in known:
            known.add((page.path, each.key))
            yield page, each


def check_paths(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for each name in a page without a file, at its first occurrence."""
    for page, each in _list_missing_paths(inputs):
        if not find_new_path(inputs, page, each.target):  # `stale-path` has more details
            only = find_facts(inputs).elsewhere.get(each.key)
            hint = f"; the only file of that name is {only!r:.200}" if only else ""
            message = f"`{each.target}` does not exist in the project: fix the path or remove it{hint}"
            yield Finding(PATH_CODE, "warning", message, page.path, each.line, each.column)


STALE_CODE = "stale-path"


def check_moved_paths(check_input: CheckInput) -> Iterator[Finding]:
    """One finding for each path that a page names and git has moved, with its new name."""
    for page, each in _list_missing_paths(check_input):
        if new := find_new_path(check_input, page, each.target):
            message = f"`{each.target}` was renamed to `{new}`: use the new path"
            yield Finding(STALE_CODE, "warning", message, page.path, each.line, each.column)


def find_new_path(check_input: CheckInput, page: CheckedFile, target: str) -> str | None:
    """The current path of a missing file, below the root: in other letter case, or from git's history."""
    project = find_facts(check_input)
    places = [target.strip("/"), _find_beside(check_input, page, target)]
    return next((new for place in places if (new := project.respelled.get(place) or project.moved.get(place))), None)


def _find_beside(check_input: CheckInput, page: CheckedFile, target: str) -> str:
    """A path that begins at the folder of the page, below the root of the project."""
    return normpath(join(dirname(page.path), target)).removeprefix(check_input.root.rstrip("/") + "/")


COMMAND_CODE = "missing-command"
DEFINED = {
    "npm": "no package.json here defines the script",
    "make": "no Makefile here defines the target",
    "just": "no justfile here defines the recipe",
}


def check_commands(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for each name that is defined nowhere, where a page first gives it."""
    for page in inputs.pages:
        reported: set[tuple[str, str]] = set()
        for each in find_command_mentions(page):
            known = find_facts(inputs).commands.get(each.runner)
            if known is None or (each.runner, each.name) in reported or is_defined(each, known):
                continue
            reported.add((each.runner, each.name))
            message = (
                f"`{shorten_text(each.text, 80)}`: {DEFINED[each.runner]} {each.name!r:.80}.{suggest(each.name, known)}"
            )
            yield Finding(COMMAND_CODE, "warning", message.rstrip(), page.path, each.line, each.column)


def is_defined(command: CommandMention, known: frozenset[str]) -> bool:
    """Whether a name is known; `*` in a known one matches anything."""
    return command.name in known or any("*" in name and fnmatchcase(command.name, name) for name in known)


FIX_HINT = "fix the path; it is relative to the folder of this file"
IMPORT, LINK = "broken-import", "broken-link"


def check_imports(inputs: CheckInput) -> Iterator[Finding]:
    """Imports of files that are not there, each once: agents that know imports drop them, most without a word."""
    for page, each in _list_missing(inputs, "import"):
        message = f"`@{each.target}` imports a file that does not exist: {FIX_HINT}"
        yield Finding(IMPORT, "error" if each.alone else "warning", message, page.path, each.line, each.column)


def check_links(inputs: CheckInput) -> Iterator[Finding]:
    """Links to files that are not there."""
    for page, each in _list_missing(inputs, "link"):
        new = find_new_path(inputs, page, each.target)
        hint = _explain_new_path(inputs, page, each.target, new) if new else FIX_HINT
        message = f"the link target {each.target!r:.200} does not exist: {hint}"
        yield Finding(LINK, "error", message, page.path, each.line, each.column)


def _explain_new_path(check_input: CheckInput, page: CheckedFile, target: str, new: str) -> str:
    if new.lower() in (target.strip("/").lower(), _find_beside(check_input, page, target).lower()):
        return f"the file is {new!r:.200}, and names are case-sensitive"
    return f"it was renamed to {new!r:.200}"


RULES = (
    CheckRule(PATH_CODE, "warning", "a path that does not exist in the project", check_paths),
    CheckRule(STALE_CODE, "warning", "a path that was renamed in git", check_moved_paths),
    CheckRule(COMMAND_CODE, "warning", "a command that the project does not define", check_commands),
    CheckRule(IMPORT, "error", "an import of a file that does not exist", check_imports),
    CheckRule(LINK, "error", "a link to a file that does not exist", check_links),
)
