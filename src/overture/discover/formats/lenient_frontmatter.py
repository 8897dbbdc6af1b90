"""Frontmatter that is no YAML, or oddly set: what agents make of it that look less closely, or give up sooner."""

import re

from ...text.frontmatter import (
    FIRST_LINE,
    MAX_YAML_CHARS,
    Frontmatter,
    FrontmatterField,
    FrontmatterLines,
    FrontmatterProblem,
    find_frontmatter,
    parse_frontmatter,
    parse_frontmatter_cached,
)
from ...text.lazy_pattern import compile_on_use
from ...text.normalize import line_at

QUOTABLE = r"(?m)^([\w-]+:[ \t]+)([\[{@`*&!%].*|\"[^\"\n]*|'[^'\n]*|[^\s'\"|>#].*:[ \t].*)$"
"""A line whose value YAML may take for something else than text. Few need it: it is compiled for those."""
ITEM = compile_on_use(r"[ \t]*- +(\S.*)")
LINE = compile_on_use(r"([\w-]+):[ \t]*(.*)")
BLANK_LINES = compile_on_use(r"(?:[^\S\n]*\n)+")


def parse_with_quotes(text: str) -> Frontmatter | FrontmatterProblem:
    """The same, and where it is no YAML, once more with quotes around values that may be the reason."""
    found = parse_frontmatter_cached(text)
    lines = _find_broken(text, found)
    if lines is None:
        return found
    quoted = re.sub(QUOTABLE, _quote_value, text[lines.start : lines.end])
    again = parse_frontmatter(f"---\n{quoted}\n---\n")
    return found if isinstance(again, FrontmatterProblem) else again._replace(body=lines.body)


def _quote_value(line: re.Match[str]) -> str:
    value = line[2].rstrip(" \t").replace("'", "''")
    return f"{line[1]}'{value}'"


def parse_list_items(text: str) -> Frontmatter | FrontmatterProblem:
    """As `parse_forgiving`, and lines `- item` below a key without a value are its list."""
    found = parse_by_line(text)
    if isinstance(found, FrontmatterProblem) or not isinstance(parse_frontmatter_cached(text), FrontmatterProblem):
        return found
    lines = text[: found.body].split("\n")
    return found._replace(fields={key: _read_list_items(field, lines) for key, field in found.fields.items()})


def _read_list_items(field: FrontmatterField, lines: list[str]) -> FrontmatterField:
    at, items = field.line, list[str]()
    while field.kind == "null" and at < len(lines) and (item := ITEM.match(lines[at])):
        items.append(item[1].rstrip(" \t").strip("\"'"))
        at += 1
    return FrontmatterField("list", field.line, items=tuple(items)) if items else field


def parse_by_line(text: str) -> Frontmatter | FrontmatterProblem:
    """The same, and where it is no YAML, each line `key: value` is a text."""
    found = parse_frontmatter_cached(text)
    lines = _find_broken(text, found)
    if lines is None:
        return found
    fields: dict[str, FrontmatterField] = {}
    for number, line in enumerate(text[lines.start : lines.end].split("\n"), 2):
        if each := LINE.match(line):
            value = each[2].strip()
            fields[each[1]] = FrontmatterField("text" if value else "null", number, value.strip("\"'"))
    return Frontmatter(fields, (), line_at(text, lines.body - 1) + 1, lines.body)


def _find_broken(text: str, found: Frontmatter | FrontmatterProblem) -> FrontmatterLines | None:
    """Frontmatter that is no YAML and may be tried otherwise; None where there is none, or too much."""
    lines = find_frontmatter(text) if isinstance(found, FrontmatterProblem) else None
    return lines if lines is not None and lines.end <= MAX_YAML_CHARS else None


def list_spoilers(text: str) -> tuple[str, ...]:
    """What stands around the frontmatter of a text as it was read, and keeps some agents from knowing it as such."""
    plain = text.removeprefix("\ufeff")
    blank = BLANK_LINES.match(plain)
    plain = plain[blank.end() if blank else 0 :]
    begin = FIRST_LINE.match(plain)
    if begin is None:
        return ()
    lines = find_frontmatter(plain)
    last = plain[: lines.body].rstrip("\r\n").rpartition("\n")[2] if lines else "---"
    found = {
        "bom": text.startswith("\ufeff"),
        "blank-lines": blank is not None,
        "unended": lines is None,
        "blanks-after-first": begin[0].rstrip("\r") != "---",
        "blanks-after-last": last != "---",
    }
    return tuple(name for name, holds in found.items() if holds)
