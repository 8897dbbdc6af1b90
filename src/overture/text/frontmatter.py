"""A Markdown file begins with frontmatter or with comments to its author; both are read here.

`---` YAML `---` body. The YAML is composed, not constructed: each value keeps its own letters and its line.
"""

import re
from typing import Any, NamedTuple

from .invisible import escape_char
from .normalize import find_controls, line_at, tidy

MAX_YAML_DEPTH = 200
MAX_YAML_CHARS = 64 * 1024
"""Characters. Parsed YAML takes a hundred times the memory, and real files have less than a tenth of this."""
FIRST_LINE = re.compile(r"\ufeff?---[^\S\n]*$", re.MULTILINE)
LAST_LINE = re.compile(r"^---[^\S\n]*$", re.MULTILINE)
GENERATED = re.compile(
    r"@generated\b|\bgenerated\b.{0,200}?\bdo not (?:edit|modify|change)\b"
    r"|\bdo not (?:edit|modify|change)\b.{0,200}?\bgenerated\b",
    re.IGNORECASE | re.DOTALL,
)
TRUE_WORDS = ("true", "yes", "on")
"""What YAML takes for true, in any letter case."""


class FrontmatterField(NamedTuple):
    """One value of the frontmatter. Values that nest deeper than a list or map of texts are dropped."""

    kind: str
    """text, bool, number, null, date, list or map: what YAML takes it for."""
    line: int
    text: str = ""
    """A scalar as written."""
    items: tuple[str | None, ...] = ()
    """A list's texts; None for an item that is no text."""
    pairs: tuple[tuple[str, str | None], ...] = ()
    """A map's keys and texts."""
    lost: str = ""
    """Text on the line of a value without quotes that YAML does not count to it: a comment, an anchor, a tag."""


class FrontmatterProblem(NamedTuple):
    """Why there is no frontmatter to use."""

    message: str
    line: int


class Frontmatter(NamedTuple):
    """The fields by name, the keys that occur twice, and the start of the body: its line, and its first character."""

    fields: dict[str, FrontmatterField]
    twice: tuple[tuple[str, int], ...]
    body_line: int
    body: int


class FrontmatterLines(NamedTuple):
    """Where the YAML of frontmatter begins and ends, and where the body begins."""

    start: int
    end: int
    body: int


def find_frontmatter(text: str) -> FrontmatterLines | None:
    """The frontmatter of a text, if it begins with one that is ended."""
    begin = FIRST_LINE.match(text)
    end = LAST_LINE.search(text, begin.end() + 1) if begin else None
    if begin is None or end is None:
        return None
    start = begin.end() + 1
    return FrontmatterLines(start, max(start, end.start() - 1), min(end.end() + 1, len(text)))


def is_true(word: str) -> bool:
    """Whether the text of a value is one that YAML takes for true."""
    return word.lower() in TRUE_WORDS


def scalar_text(field: FrontmatterField | None) -> str:
    """The value in its own letters; nothing, a list or a map is no text."""
    return "" if field is None or field.kind == "null" else field.text.strip()


def parse_frontmatter(text: str) -> Frontmatter | FrontmatterProblem:
    """Read the frontmatter of a file without BOM and CRLF."""
    frontmatter = find_frontmatter(text)
    if frontmatter is None and FIRST_LINE.match(text) is None:
        return FrontmatterProblem("it has no frontmatter: begin the file with a line `---`", 1)
    if frontmatter is None:
        return FrontmatterProblem("its frontmatter is not closed: put a line `---` after it", 1)
    source = text[frontmatter.start : frontmatter.end]
    if len(source) > MAX_YAML_CHARS:
        message = f"{len(source):,} characters, over the limit of {MAX_YAML_CHARS:,}: move long text below it"
        return FrontmatterProblem(f"its frontmatter has {message}", 2)
    if (
        sum(map(source.count, "[{-?:")) > MAX_YAML_DEPTH and _measure_yaml_depth(source) > MAX_YAML_DEPTH
    ):  # each that nests begins with one
        return FrontmatterProblem("its frontmatter is nested too deeply", 2)
    return _parse_fields(source, 2 + text.count("\n", 0, frontmatter.body - 1), frontmatter.body)


def _parse_fields(source: str, body_line: int, body: int) -> Frontmatter | FrontmatterProblem:
    if controls := find_controls(source):
        # YAML allows none. Without this check it would take some of them for line ends.
        message = f"its frontmatter contains the control character `{escape_char(source[controls[0]])}`: remove it"
        return FrontmatterProblem(message, 1 + line_at(source, controls[0]))
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(source, Loader=loader)
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        cause = getattr(error, "problem", None) or str(error).partition("\n")[0]
        hint = "; put quotes around a value that contains `: `" if "mapping values" in cause else ""
        return FrontmatterProblem(f"its frontmatter is not YAML: {cause}{hint}", 2 + (mark.line if mark else 0))
    if root is None:
        return Frontmatter({}, (), body_line, body)
    if not isinstance(root, yaml.MappingNode):
        return FrontmatterProblem("its frontmatter is not a map of `key: value` lines", 2)
    fields: dict[str, FrontmatterField] = {}
    twice = []
    lines = source.split("\n")
    # A node occurs at its first position, and again under each of its aliases: its value is made once.
    known_nodes: dict[int, FrontmatterField] = {}
    for key, node in root.value:
        name = _read_scalar(key)
        if name is None:
            continue
        if name in fields:
            twice.append((name, key.start_mark.line + 2))
        fields[name] = known_nodes.get(id(node)) or known_nodes.setdefault(id(node), _parse_field(node, lines))
    return Frontmatter(fields, tuple(twice), body_line, body)


KINDS = {"str": "text", "bool": "bool", "int": "number", "float": "number", "null": "null", "timestamp": "date"}


def _parse_field(node: Any, lines: list[str]) -> FrontmatterField:
    # By the node's own kind, not its tag: `!mine [a, b]` is a list. Nothing is made of what nests deeper, since an
    # alias may stand for more than memory holds.
    """A value of the frontmatter, from its YAML node."""
    line = node.start_mark.line + 2
    if node.id == "sequence":
        return FrontmatterField("list", line, items=tuple(map(_read_scalar, node.value)))
    if node.id == "mapping":
        return FrontmatterField(
            "map",
            line,
            pairs=tuple((k, _read_scalar(v)) for key, v in node.value if (k := _read_scalar(key)) is not None),
        )
    kind = node.tag.rpartition(":")[2]
    return FrontmatterField(
        KINDS.get(kind, "text"), line, node.value, lost="" if node.style else _find_lost_text(node, lines)
    )


def _find_lost_text(node: Any, lines: list[str]) -> str:
    """The text that YAML drops from a value without quotes: `#` and what follows, or `&` and `!` before it."""
    begins, ends = node.start_mark, node.end_mark
    if not node.value or max(begins.line, ends.line) >= len(lines):
        return ""
    first: str = lines[begins.line][begins.column :]
    if first.startswith(("&", "!")):
        return first.split(None, 1)[0]
    rest: str = lines[ends.line][ends.column :].strip()
    return rest if rest.startswith("#") else ""


def _read_scalar(node: Any) -> str | None:
    return str(node.value) if node.id == "scalar" else None


def _measure_yaml_depth(source: str) -> int:
    """How deep it nests, by its events: composing a very deep one would end the process."""
    import yaml

    deepest = depth = 0
    try:
        for event in yaml.parse(source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                deepest = max(deepest, depth)
                if deepest > MAX_YAML_DEPTH:
                    break
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except (yaml.YAMLError, ValueError):
        return deepest
    return deepest


class TextBelowComments(NamedTuple):
    """A text without the comments at its head, which are notes to its author."""

    text: str
    skipped: int
    """How many lines precede it."""
    open_line: int | None = None
    """The line of a comment that never ends, and therefore stays."""


def strip_comments(text: str) -> TextBelowComments:
    """Remove every `<!-- … -->` where frontmatter would begin; without any, the same text object is returned."""
    at = _find_end_of_comments(text, 0)
    start = _find_first_word(text, at)
    never_ends = 1 + text.count("\n", 0, start) if text.startswith("<!--", start) else None
    tidied, blank = tidy(text[at:].lstrip(" \t") if at else text)
    return TextBelowComments(tidied, text.count("\n", 0, at) + blank, never_ends)


def is_generated(text: str) -> bool:
    """Whether a comment at its head, or below its frontmatter, marks it as generated."""
    lines = find_frontmatter(text)
    start = lines.body if lines else 0
    return GENERATED.search(text, start, _find_end_of_comments(text, start)) is not None


def _find_end_of_comments(text: str, at: int) -> int:
    start = _find_first_word(text, at)
    while text.startswith("<!--", start):
        end = text.find("-->", start + 4)
        if end < 0:
            break
        at = end + 3
        start = _find_first_word(text, at)
    return at


def _find_first_word(text: str, at: int) -> int:
    """The first character behind blanks and byte order marks."""
    while at < len(text) and (text[at].isspace() or text[at] == "\ufeff"):
        at += 1
    return at
