"""A docstring -> its first paragraph, and what it says of each parameter: as Google, NumPy or Sphinx write it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...text.normalize import one_line

GOOGLE = re.compile(r"(?:(?:Keyword )?Arg(?:ument)?s|(?:Other )?Param(?:eter)?s):")
NUMPY = re.compile(r"(?:Other )?Parameters")
RULE = re.compile(r"-{3,}|={3,}")
HEADING = re.compile(r"[A-Z][A-Za-z ]*:")
FIELD = re.compile(r"[:@](\w+)(?:\s+([^:]*?))?\s*:\s*(.*)")
"""`:param int limit: How many`, and the same with `@`."""
FIELDS = ("param", "parameter", "arg", "argument", "key", "keyword")
ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:(?:\s+(.*)|$)")
"""`limit (int, optional): How many`."""
NAMES = re.compile(r"\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*")


class Doc(NamedTuple):
    """What a docstring says."""

    summary: str
    parameters: dict[str, str]


def read(text: str) -> Doc:
    """Take a docstring apart; `text` is one whose indentation was taken away, as `inspect.getdoc` gives it."""
    lines = text.strip().splitlines()
    found = [*_google(lines), *_numpy(lines), *_fields(lines)]
    return Doc(_summary(lines), {name: one_line(said) for name, said in found if said.strip()})


def _summary(lines: list[str]) -> str:
    """The first paragraph, unless the parameters begin with it."""
    kept: list[str] = []
    for index, line in enumerate(lines):
        rule = index + 1 < len(lines) and RULE.fullmatch(lines[index + 1].strip())
        if not line.strip() or rule or GOOGLE.fullmatch(line.strip()) or FIELD.match(line):
            break
        kept.append(line)
    return one_line(" ".join(kept))


def _google(lines: list[str]) -> Iterator[tuple[str, str]]:
    for index, line in enumerate(lines):
        if GOOGLE.fullmatch(line.strip()):
            below = _below(lines[index + 1 :], _indent(line))
            for name, said in _entries(below):
                if entry := ENTRY.match(name):
                    yield entry[1], f"{entry[2] or ''} {said}"


def _numpy(lines: list[str]) -> Iterator[tuple[str, str]]:
    for index in range(len(lines) - 1):
        if NUMPY.fullmatch(lines[index].strip()) and RULE.fullmatch(lines[index + 1].strip()):
            for head, said in _entries(_until_rule(lines[index + 2 :])):
                if names := NAMES.match(head):
                    yield from ((name.strip(" *"), said) for name in names[0].split(","))


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    for index, line in enumerate(lines):
        field = FIELD.match(line.strip())
        if field and field[1] in FIELDS and field[2]:
            more = _below(lines[index + 1 :], _indent(line), blank=False)
            yield field[2].split()[-1].lstrip("*\\"), " ".join([field[3], *(each.strip() for each in more)])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _below(lines: list[str], indent: int, *, blank: bool = True) -> list[str]:
    """The lines that are indented further; blank ones between them too, where `blank`."""
    kept: list[str] = []
    for line in lines:
        if _indent(line) <= indent if line.strip() else not blank:
            break
        kept.append(line)
    return kept


def _until_rule(lines: list[str]) -> list[str]:
    """The lines up to the next title that is underlined."""
    ends = (index for index, line in enumerate(lines[1:]) if RULE.fullmatch(line.strip()))
    return lines[: next(ends, len(lines))]


def _entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line of the least indentation, with the words of those below it."""
    said = [line for line in lines if line.strip()]
    least = min(map(_indent, said), default=0)
    heads = [index for index, line in enumerate(said) if _indent(line) == least]
    for head, end in zip(heads, [*heads[1:], len(said)], strict=True):
        yield said[head].strip(), " ".join(line.strip() for line in said[head + 1 : end])
