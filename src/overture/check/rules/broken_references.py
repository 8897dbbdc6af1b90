"""Finds paths, commands, links, anchors and imports that the project does not have."""

import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from unicodedata import category

from ...errors import suggest
from ...text.escape import unescape_entities
from ...text.lazy_pattern import compile_on_use
from ...text.markdown import strip_links
from ...text.words import shorten_text
from ..mentioned_commands import CommandMention, find_command_mentions
from ..mentioned_files import find_mentions
from ..read_markdown import read_markdown_lines
from ..rule import CheckedFile, CheckInput, CheckRule, Finding, Severity

PATH_CODE = "missing-path"


def check_paths(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for each name in a page without a file, at its first occurrence."""
    for page in inputs.pages:
        missing = set(inputs.project.missing.get(page.path, ()))
        for each in find_mentions(page) if missing else ():
            if each.kind == "path" and each.key in missing:
                missing.remove(each.key)
                if find_new_path(inputs, page, each.target):
                    continue  # `stale-path` has more details
                only = inputs.project.elsewhere.get(each.key)
                hint = f"; the only file of that name is {only!r:.200}" if only else ""
                message = f"`{each.target}` does not exist in the project: fix the path or remove it{hint}"
                yield Finding(PATH_CODE, "warning", message, page.path, each.line, each.column)


STALE_CODE = "stale-path"


def check_moved_paths(check_input: CheckInput) -> Iterator[Finding]:
    """One finding for each path that a page names and git has moved, with its new name."""
    for page in check_input.pages if check_input.project.moved else ():
        gone = set(check_input.project.missing.get(page.path, ()))
        for each in find_mentions(page) if gone else ():
            if each.kind == "path" and each.key in gone and (new := find_new_path(check_input, page, each.target)):
                gone.remove(each.key)
                message = f"`{each.target}` was renamed to `{new}`: use the new path"
                yield Finding(STALE_CODE, "warning", message, page.path, each.line, each.column)


def find_new_path(check_input: CheckInput, page: CheckedFile, target: str) -> str | None:
    """The new path of a missing file in git's history, below the root of the project."""
    moved = check_input.project.moved
    return (moved.get(target.strip("/")) or moved.get(_find_beside(check_input, page, target))) if moved else None


def _find_beside(check_input: CheckInput, page: CheckedFile, target: str) -> str:
    """A path that begins at the folder of the page, below the root of the project."""
    return _resolve_link_target(page.path, target).removeprefix(check_input.root.rstrip("/") + "/")


PATH_RULES = (
    CheckRule(PATH_CODE, "warning", "a path that does not exist in the project", check_paths),
    CheckRule(STALE_CODE, "warning", "a path that was renamed in git", check_moved_paths),
)


COMMAND_CODE = "missing-command"
DEFINED = {
    "npm": "no package.json here defines the script",
    "make": "no Makefile here defines the target",
    "just": "no justfile here defines the recipe",
    "task": "no Taskfile here defines the task",
    "mise": "mise has no task",
    "deno": "no deno.json here defines the task",
    "poe": "no pyproject.toml here defines the poe task",
    "cargo": "no Cargo.toml here defines the package",
    "nox": "the noxfile has no session",
    "tox": "tox has no environment",
}


def check_commands(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for each name that is defined nowhere, where a page first gives it."""
    for page in inputs.pages:
        reported: set[tuple[str, str]] = set()
        for each in find_command_mentions(page):
            known = inputs.project.commands.get(each.runner)
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


COMMAND_RULES = (CheckRule(COMMAND_CODE, "warning", "a command that the project does not define", check_commands),)


FIX_HINT = "fix the path; it is relative to the folder of this file"
IMPORT, LINK, ANCHOR = "broken-import", "broken-link", "broken-anchor"
HTML_ANCHOR = compile_on_use(r"<[^<>]{0,200}?\b(?:id|name)\s*=\s*[\"']?([^\"'\s<>]{1,200})")
HEADING_ID = compile_on_use(r"\{#([\w-]{1,200})\}")
HEADED = compile_on_use(r"<h([1-6])\b[^<>]{0,200}>(.{1,300}?)</h\1>", re.IGNORECASE)
CODE_SPAN = compile_on_use(r"`+([^`]*)`+")
IMAGE = compile_on_use(r"!\[[^\]\n]{0,200}\](?:\([^)\n]{0,1000}\)|\[[^\]\n]{0,200}\])?")
REFERENCE = compile_on_use(r"\[([^\[\]]{1,300})\]\[[^\[\]]{0,200}\]")
ELEMENT = compile_on_use(r"</?[A-Za-z][^<>]{0,500}>")
UNDERLINED = compile_on_use(r"(?<![\w\\])(_{1,3})(?=[^\s_])([^_]{1,300}?)\1(?!\w)")
SLUG_CATEGORIES = ("Nd", "Nl", "Pc")
"""Of characters that are no letters and no marks, those that GitHub keeps in an anchor."""
EMOJI_SELECTOR = "\ufe0f"


def check_imports(inputs: CheckInput) -> Iterator[Finding]:
    """Imports of files that are not there: agents that know imports drop them, most without a word."""
    for page in inputs.pages:
        missing = inputs.project.missing.get(page.path, frozenset())
        for each in find_mentions(page) if missing else ():
            if each.kind == "import" and each.key in missing:
                message = f"`@{each.target}` imports a file that does not exist: {FIX_HINT}"
                level: Severity = "error" if each.alone else "warning"
                yield Finding(IMPORT, level, message, page.path, each.line, each.column)


def check_links(inputs: CheckInput) -> Iterator[Finding]:
    """Links to files that are not there."""
    for page in inputs.pages:
        missing = inputs.project.missing.get(page.path, frozenset())
        for each in find_mentions(page) if missing else ():
            if each.kind == "link" and each.key in missing:
                new = find_new_path(inputs, page, each.target)
                hint = _explain_new_path(inputs, page, each.target, new) if new else FIX_HINT
                message = f"the link target {each.target!r:.200} does not exist: {hint}"
                yield Finding(LINK, "error", message, page.path, each.line, each.column)


def _explain_new_path(check_input: CheckInput, page: CheckedFile, target: str, new: str) -> str:
    if new.lower() in (target.strip("/").lower(), _find_beside(check_input, page, target).lower()):
        return f"the file is {new!r:.200}, and names are case-sensitive"
    return f"it was renamed to {new!r:.200}"


def check_anchors(inputs: CheckInput) -> Iterator[Finding]:
    """Links to headings that the page, or another one that is checked, does not have."""
    pages = {page.path: page for page in inputs.pages}
    for page in inputs.pages:
        for each in find_mentions(page):
            other = page if each.kind == "anchor" else pages.get(_resolve_link_target(page.path, each.target))
            if not each.anchor or other is None or not other.path.endswith((".md", ".mdc")):
                continue
            if _normalize_anchor(each.anchor) not in find_anchors(other.text):
                where = "it" if other is page else other.path
                message = f"the link target #{each.anchor} does not exist: {where} has no such heading"
                yield Finding(ANCHOR, "warning", message, page.path, each.line, each.column)


def _normalize_anchor(anchor: str) -> str:
    """An anchor as pages of GitHub name it; what a browser marks on the page is no part of it."""
    return anchor.partition(":~:")[0].lower().removeprefix("user-content-").replace(EMOJI_SELECTOR, "")


def _resolve_link_target(path: str, target: str) -> str:
    steps = path.split("/")[:-1]
    for step in target.split("/"):
        if step == "..":
            steps = steps[:-1]
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps)


@lru_cache(maxsize=256)
def find_anchors(text: str) -> frozenset[str]:
    """What can be linked to on a page, as GitHub names it."""
    anchors: set[str] = {"top", ""}
    times: Counter[str] = Counter()
    for line in read_markdown_lines(text):
        anchors.update(name.lower() for name in HTML_ANCHOR.findall(line.text))
        anchors.update(name.lower() for name in HEADING_ID.findall(line.text))
        words = [m[2] for m in HEADED.finditer(line.text)] if "<h" in line.text.lower() else []
        if line.heading and line.heading.start == line.start and line.heading.words:
            words = [line.heading.words]
        for slug in map(_make_heading_slug, words):
            anchors.add(f"{slug}-{times[slug]}" if times[slug] else slug)
            times[slug] += 1
    return frozenset(anchors)


def _make_heading_slug(heading: str) -> str:
    """The name that GitHub gives a heading: its words as they are shown, in small letters, without marks."""
    spans = CODE_SPAN.split(IMAGE.sub("", heading))
    # Between backticks nothing is markup; every second piece is code.
    shown = "".join(piece if number % 2 else _strip_markup(piece) for number, piece in enumerate(spans))
    return "".join(filter(_is_slug_char, shown.strip().lower())).replace(" ", "-")


def _strip_markup(text: str) -> str:
    linked = REFERENCE.sub(r"\1", strip_links(text))
    return unescape_entities(UNDERLINED.sub(r"\2", ELEMENT.sub("", linked)))


def _is_slug_char(char: str) -> bool:
    """Whether a character is in an anchor. Selectors of emoji are, on GitHub; authors leave them out, too."""
    return char in "- " or category(char) in SLUG_CATEGORIES or (category(char)[0] in "LM" and char != EMOJI_SELECTOR)


LINK_RULES = (
    CheckRule(IMPORT, "error", "an import of a file that does not exist", check_imports),
    CheckRule(LINK, "error", "a link to a file that does not exist", check_links),
    CheckRule(ANCHOR, "warning", "a link to a heading that does not exist", check_anchors),
)


RULES = (*PATH_RULES, *COMMAND_RULES, *LINK_RULES)
