"""Frontmatter that is no YAML, or oddly set: what agents make of it that look less closely, or give up sooner."""

import re

from ...text.frontmatter import (
    END,
    MAX_YAML_CHARS,
    Frontmatter,
    FrontmatterField,
    FrontmatterProblem,
    parse_frontmatter,
    parse_frontmatter_cached,
)
from ...text.normalize import line_at

QUOTABLE = r"(?m)^([\w-]+:[ \t]+)([\[{@`*&!%].*|\"[^\"\n]*|'[^'\n]*|[^\s'\"|>#].*:[ \t].*)$"
"""A line whose value YAML may take for something else than text. Few need it: it is compiled for those."""
ITEM = re.compile(r"[ \t]*- +(\S.*)")
LINE = re.compile(r"([\w-]+):[ \t]*(.*)")
BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)+")


def parse_with_quotes(text: str) -> Frontmatter | FrontmatterProblem:
    """The same, and where it is no YAML, once more with quotes around values that may be the reason."""
    found = parse_frontmatter_cached(text)
    end = _end_of_broken(text, found)
    if end is None:
        return found
    again = parse_frontmatter(re.sub(QUOTABLE, _quoted, text[: end.start()]) + text[end.start() : end.end()])
    if isinstance(again, FrontmatterProblem):
        return found
    return again._replace(body=min(end.end() + 1, len(text)))


def _quoted(line: re.Match[str]) -> str:
    value = line[2].rstrip(" \t").replace("'", "''")
    return f"{line[1]}'{value}'"


def parse_list_items(text: str) -> Frontmatter | FrontmatterProblem:
    """As `parse_forgiving`, and lines `- item` below a key without a value are its list."""
    found = parse_by_line(text)
    if isinstance(found, FrontmatterProblem) or not isinstance(parse_frontmatter_cached(text), FrontmatterProblem):
        return found
    lines = text[: found.body].split("\n")
    return found._replace(fields={key: _with_items(field, lines) for key, field in found.fields.items()})


def _with_items(field: FrontmatterField, lines: list[str]) -> FrontmatterField:
    at, items = field.line, list[str]()
    while field.kind == "null" and at < len(lines) and (item := ITEM.match(lines[at])):
        items.append(item[1].rstrip(" \t").strip("\"'"))
        at += 1
    return FrontmatterField("list", field.line, items=tuple(items)) if items else field


def parse_by_line(text: str) -> Frontmatter | FrontmatterProblem:
    """The same, and where it is no YAML, each line `key: value` is a text."""
    found = parse_frontmatter_cached(text)
    end = _end_of_broken(text, found)
    if end is None:
        return found
    fields: dict[str, FrontmatterField] = {}
    for number, line in enumerate(text[: end.start()].split("\n"), 1):
        if each := LINE.match(line):
            value = each[2].strip()
            fields[each[1]] = FrontmatterField("text" if value else "null", number, value.strip("\"'"))
    return Frontmatter(fields, (), line_at(text, end.start()) + 1, min(end.end() + 1, len(text)))


def _end_of_broken(text: str, found: Frontmatter | FrontmatterProblem) -> re.Match[str] | None:
    """Where frontmatter ends that is no YAML and may be tried otherwise; None where there is none, or too much."""
    end = END.search(text, 4) if isinstance(found, FrontmatterProblem) and END.match(text) else None
    return end if end is not None and end.start() <= MAX_YAML_CHARS else None


def list_spoilers(text: str) -> tuple[str, ...]:
    """What stands around the frontmatter of a text as it was read, and keeps some agents from knowing it as such."""
    plain = text.removeprefix("\ufeff")
    blank = BLANK_LINES.match(plain)
    plain = plain[blank.end() if blank else 0 :]
    begin = END.match(plain)
    if begin is None:
        return ()
    end = END.search(plain, begin.end() + 1)
    found = {
        "bom": text.startswith("\ufeff"),
        "blank-lines": blank is not None,
        "unended": end is None,
        "blanks-after-first": begin[0].rstrip("\r") != "---",
        "blanks-after-last": end is not None and end[0].rstrip("\r") != "---",
    }
    return tuple(name for name, holds in found.items() if holds)
