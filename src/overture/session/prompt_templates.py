"""Finds prompt templates and expands `/name arguments`, in a single pass."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from ..assemble.sanitize.forbidden_frames import SAFE_TEXT_GUARD
from ..assemble.sanitize.sanitize import Containment, report_containments, sanitize
from ..discovery.reader import FileReader
from ..errors import SessionError
from ..model.diagnostic import Diagnostic, warning
from ..model.source import Source, from_file
from ..model.state.reasons import because
from ..model.struct import Frozen, note
from ..sections.template import MAX_REPEATED_CHARS
from ..text.fences_and_headings import find_open_fence
from ..text.frontmatter import Frontmatter, parse_frontmatter
from ..text.normalize import tidy


class PromptTemplate(Frozen, frozen=True):
    """One template, read from a .md file."""

    name: Annotated[str, note("the file's name without .md")]
    text: str
    path: str


def find_templates(reader: FileReader, sources: Iterable[str]) -> dict[str, PromptTemplate]:
    """The templates of all sources. Each source is a folder or file."""
    templates: dict[str, PromptTemplate] = {}
    for path in sources:
        for folder, name in _list_files(reader, path):
            sighting = reader.sight(f"{folder.rstrip('/')}/{name}", "template")
            template: PromptTemplate | None = reader.load(sighting, "template", read_template) if sighting else None
            if template is None:
                continue
            winner = templates.setdefault(template.name, template)
            if winner is template:
                reader.note(template.path, "template", "loaded")
            else:
                reader.note(template.path, "template", "hidden", because("hidden", winner.path))
                message = f"not used: {winner.path} has the same name, /{template.name}, and comes first"
                reader.diagnostics.append(warning("template-collision", message, template.path))
    return templates


def _list_files(reader: FileReader, path: str) -> list[tuple[str, str]]:
    if path.endswith(".md"):
        folder, _, name = path.rpartition("/")
        return [(folder, name)]
    try:
        if reader.world.look(path) is None:
            reader.note_absent(path, "template")
            return []
        names = reader.world.names(path)
    except OSError as problem:
        reader.refuse(path, "template", "unreadable", reader.explain(path, problem))
        return []
    return [(path, name) for name, kind in names if name.endswith(".md") and kind in ("file", "link")]


def read_template(text: str, path: str) -> tuple[PromptTemplate, tuple[Diagnostic, ...]]:
    """Parse a template. Its text does not include the frontmatter."""
    text, skipped = tidy(text)
    parsed = parse_frontmatter(text) if text.startswith("---") else None
    line = 1 + skipped
    notes: tuple[Diagnostic, ...] = ()
    if isinstance(parsed, Frontmatter):
        text, blank = tidy(text[parsed.body :])
        line = parsed.body_line + skipped + blank
    elif parsed is not None:
        notes = (warning("template-invalid", parsed.message, path, parsed.line + skipped),)
    text, more = _sanitize_template(text, from_file(path, line))
    name = path.rpartition("/")[2].removesuffix(".md")
    return PromptTemplate(name, text, path), (*notes, *more)


def _sanitize_template(text: str, source: Source) -> tuple[str, Iterator[Diagnostic]]:
    """A prompt template, called as `/name`, without control tokens, hidden characters and open code blocks.

    Frames are sanitized when a user calls the template: only then the prompt is known.
    """
    text, containments = sanitize(text, SAFE_TEXT_GUARD)
    if fence := find_open_fence(text):
        return text + fence.closing(), report_containments(
            (*containments, Containment("open-fence", 1, fence.line)), source, "", {}
        )
    return text, report_containments(containments, source, "", {})


TEMPLATE_CALL = re.compile(r"/([\w.:-]+)(?:\s+(.*))?", re.DOTALL)
ARGUMENT_WORD = re.compile(r"""(?:[^\s"']++|"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))+""")
QUOTED = re.compile(r"""(["'])(.*?)(?:\1|\Z)""", re.DOTALL)
PLACEHOLDER = re.compile(r"\$(?:(\d+)|@|ARGUMENTS\b|\{@:(\d+)(?::(\d+))?\})")


def expand_template(text: str, templates: Mapping[str, PromptTemplate]) -> str | None:
    """The expanded text of a template call; None if `text` does not call a known template."""
    match = TEMPLATE_CALL.fullmatch(text.strip()) if text.lstrip().startswith("/") else None
    template = templates.get(match[1]) if match else None
    if match is None or template is None:
        return None
    return fill_prompt_template(template.text, split_arguments(match[2] or ""))


def split_arguments(text: str) -> list[str]:
    """Split a text at blanks. A quoted text is one word; there are no escapes."""
    return [QUOTED.sub(lambda quoted: quoted[2], word) for word in ARGUMENT_WORD.findall(text)]


def fill_prompt_template(text: str, arguments: list[str]) -> str:
    """Fill `$1`, `$@`, `$ARGUMENTS`, `${@:2}` and `${@:2:1}` in one pass.

    A placeholder inside an argument is not filled again. A result over the limit is an error.
    """
    values: dict[str, str] = {}
    remaining = MAX_REPEATED_CHARS + sum(map(len, arguments))

    def expand_within_limit(match: re.Match[str]) -> str:
        nonlocal remaining
        if match[0] not in values:
            values[match[0]] = _expand_argument(match, arguments)
        remaining -= len(values[match[0]])
        if remaining < 0:
            raise SessionError(f"with these arguments it has more than {MAX_REPEATED_CHARS:,} characters")
        return values[match[0]]

    return PLACEHOLDER.sub(expand_within_limit, text)


def _expand_argument(match: re.Match[str], arguments: list[str]) -> str:
    """The value of `$1` or `${@:2:1}` in a template."""
    position, start, count = match[1], match[2], match[3]
    if position is not None:
        index = _parse_argument_number(position)
        return arguments[index - 1] if 0 < index <= len(arguments) else ""
    first = max(0, _parse_argument_number(start) - 1) if start is not None else 0
    last = first + _parse_argument_number(count) if count is not None else None
    return " ".join(arguments[first:last])


def _parse_argument_number(digits: str) -> int:
    """Digits as a number. A number with ten or more digits becomes 10**9."""
    return int(digits) if len(digits) < 10 else 10**9
