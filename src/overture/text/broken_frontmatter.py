"""Frontmatter as lenient programs read it: values that YAML can't parse, and lines around it that hide it from some."""

import re

from .frontmatter import (
    FIRST_LINE,
    MAX_YAML_CHARS,
    Frontmatter,
    FrontmatterField,
    FrontmatterLines,
    FrontmatterProblem,
    find_frontmatter,
    parse_frontmatter,
)
from .normalize import line_at

QUOTABLE = r"(?m)^([\w-]+:[ \t]+)([\[{@`*&!%].*|\"[^\"\n]*|'[^'\n]*|[^\s'\"|>#].*:[ \t].*)$"
"""A line whose value YAML may take for something else than text. Few need it: it is compiled for those."""
ITEM = re.compile(r"[ \t]*- +(\S.*)")
LINE = re.compile(r"([\w-]+):[ \t]*(.*)")
BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)+")


def parse_with_quotes(text: str) -> Frontmatter | FrontmatterProblem:
    """If it is no YAML, with quotes around values that may be the reason."""
    parsed = parse_frontmatter(text)
    lines = _find_broken(text, parsed)
    if lines is None:
        return parsed
    source = text[lines.start : lines.end]
    quoted = re.sub(QUOTABLE, lambda m: m[1] + "'" + m[2].rstrip(" \t").replace("'", "''") + "'", source)
    again = parse_frontmatter(f"---\n{quoted}\n---\n")
    return parsed if isinstance(again, FrontmatterProblem) else again._replace(body=lines.body)


def parse_by_line(text: str) -> Frontmatter | FrontmatterProblem:
    """If it is no YAML, each line `key: value` is a text."""
    parsed = parse_frontmatter(text)
    lines = _find_broken(text, parsed)
    if lines is None:
        return parsed
    fields: dict[str, FrontmatterField] = {}
    for number, line in enumerate(text[lines.start : lines.end].split("\n"), 2):
        if each := LINE.match(line):
            value = each[2].strip()
            fields[each[1]] = FrontmatterField("text" if value else "null", number, value.strip("\"'"))
    return Frontmatter(fields, (), line_at(text, lines.body - 1) + 1, lines.body)


def parse_list_items(text: str) -> Frontmatter | FrontmatterProblem:
    """The same, and lines `- item` below a key without a value are its list."""
    parsed = parse_by_line(text)
    if isinstance(parsed, FrontmatterProblem) or not isinstance(parse_frontmatter(text), FrontmatterProblem):
        return parsed
    lines = text[: parsed.body].split("\n")
    fields = dict(parsed.fields)
    for key, field in parsed.fields.items():
        at, items = field.line, list[str]()
        while field.kind == "null" and at < len(lines) and (item := ITEM.match(lines[at])):
            items.append(item[1].rstrip(" \t").strip("\"'"))
            at += 1
        fields[key] = FrontmatterField("list", field.line, items=tuple(items)) if items else field
    return parsed._replace(fields=fields)


def _find_broken(text: str, found: Frontmatter | FrontmatterProblem) -> FrontmatterLines | None:
    """Frontmatter that is no YAML and may be parsed otherwise; None if there is none, or too much."""
    lines = find_frontmatter(text) if isinstance(found, FrontmatterProblem) else None
    return lines if lines is not None and lines.end <= MAX_YAML_CHARS else None


def list_spoilers(text: str) -> tuple[str, ...]:
    """What is around the frontmatter, in a text as it was read, that keeps some programs from recognizing it."""
    plain = text.removeprefix("\ufeff")
    blank = BLANK_LINES.match(plain)
    plain = plain[blank.end() if blank else 0 :]
    begin = FIRST_LINE.match(plain)
    if begin is None:
        return ()
    lines = find_frontmatter(plain)
    last = plain[: lines.body].rstrip("\r\n").rpartition("\n")[2] if lines else "---"
    spoilers = {
        "bom": text.startswith("\ufeff"),
        "blank-lines": blank is not None,
        "unended": lines is None,
        "blanks-after-first": begin[0].rstrip("\r") != "---",
        "blanks-after-last": last != "---",
    }
    return tuple(name for name, holds in spoilers.items() if holds)
