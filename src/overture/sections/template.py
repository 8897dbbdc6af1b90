"""Templates: `{{ name }}` placeholders are filled in one pass, and the frames they write are known."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from ..model.recipe.body import Group, Part
from ..model.recipe.section import SLOT
from ..text.lazy_pattern import compile_on_use

PLACEHOLDER = compile_on_use(r"\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")

TemplatePiece = tuple[str, str | None, int]
MAX_REPEATED_CHARS = 4_000_000
"""Characters that values may come to which are filled in again: more than any model's window takes."""


class FillRoom:
    """How much may be filled into one text.

    What is said once is as long as it is; a short text that says one value over and over could grow without bound.
    """

    def __init__(self) -> None:
        self.left = MAX_REPEATED_CHARS
        self.said: set[str] = set()

    def takes(self, name: str, size: int) -> bool:
        """Whether a value of so many characters still has room."""
        if name in self.said:
            self.left -= size
        self.said.add(name)
        return self.left >= 0

    def refuses(self, name: str, size: int) -> str | None:
        """Why a value is not filled in once more."""
        if self.takes(name, size):
            return None
        return f"{{{{{name:.200}}}}} is filled in so often that it has more than {MAX_REPEATED_CHARS:,} characters"


def split_placeholders(template: str) -> Iterator[TemplatePiece]:
    """`(text, None, line)` for literal text and `(original, name, line)` for a placeholder, in order."""
    at, line = 0, 1
    for match in PLACEHOLDER.finditer(template):
        words = template[at : match.start()]
        yield words, None, line
        line += words.count("\n")
        yield match[0], match[1], line
        line += match[0].count("\n")
        at = match.end()
    yield template[at:], None, line


def split_escaped_placeholders(template: str, pattern: re.Pattern[str] = PLACEHOLDER) -> Iterator[TemplatePiece]:
    """The same of a template in which backslashes before `{{` count: of two one is left, a single one is the escape."""
    words: list[str] = []
    at, line = 0, 1
    for match in _compile_slash_pattern(pattern).finditer(template):
        if match.start() < at:
            continue  # it begins within braces that are meant as they stand
        words.append(template[at : match.start()])
        at = match.end()
        if slashes := match[1]:
            literal = "{{" if len(slashes) % 2 else ""
            words.append("\\" * (len(slashes) // 2) + literal)
            at += len(literal)
            continue
        text_before, words = "".join(words), []
        yield text_before, None, line
        line += text_before.count("\n")
        yield match[0], match[2], line
        line += match[0].count("\n")
    yield "".join(words) + template[at:], None, line


@cache
def _compile_slash_pattern(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Backslashes before `{{`, or else a placeholder. A row of them is looked at from its first one alone."""
    return re.compile(rf"(?<!\\)(\\++)(?=\{{\{{)|{pattern.pattern}")


# A template of an agent's -> its words, and the values between them, each with its source.


TEMPLATE_PLACE = compile_on_use(r"\{\{ *([\w.]+) *\}\}")


@lru_cache(maxsize=1024)
def split_template(template: str) -> tuple[str, ...]:
    """Words and names of values, in turn; the first is words."""
    return tuple(TEMPLATE_PLACE.split(template))


def fill_template(template: str, values: Mapping[str, Part | Group]) -> tuple[Part | Group | str, ...]:
    """The words, with values in their places; one that is not given leaves nothing."""
    pieces = split_template(template)
    parts: list[Part | Group | str] = [pieces[0]]
    for name, words in zip(pieces[1::2], pieces[2::2], strict=True):
        parts += [values[name]] if name in values else []
        parts.append(words)
    return tuple(part for part in parts if part != "")


TEMPLATE_MARK = compile_on_use(r"^(#{1,6} )|<(/?)([A-Za-z][\w-]*)((?:[^<>/]|/(?!>))*)>", re.MULTILINE)
TEMPLATE_VALUES = compile_on_use(r"\{\{.*\}\}")


class TemplateFrames(NamedTuple):
    """What a template writes."""

    tags: tuple[str, ...]
    headings: tuple[str, ...]
    children: tuple[str, ...]
    """Tags and headings that stand inside of a tag."""


def find_template_frames(*templates: str) -> TemplateFrames:
    """What these templates write: not what they show as code, nor a tag that is never closed, a word in a sentence."""
    found = [each for template in templates for each in _scan_template_frames(template)]
    outer = [name for name, depth in found if not depth]
    inner = dict.fromkeys(name for name, depth in found if depth and name not in outer)
    tags = dict.fromkeys(name for name in outer if not name.startswith("#"))
    return TemplateFrames(tuple(tags), tuple(dict.fromkeys(n for n in outer if n not in tags)), tuple(inner))


def _scan_template_frames(template: str) -> Iterator[tuple[str, int]]:
    """The name of each tag or heading, and in how many tags it stands."""
    from ..text.markdown import blank_code

    marks = list(TEMPLATE_MARK.finditer(blank_code(template)))
    stack: list[str] = []
    for at, mark in enumerate(marks):
        closes, name = mark[2], mark[3]
        if mark[1]:
            line = template[mark.start() :].partition("\n")[0].rstrip()
            if line.strip("# "):
                yield TEMPLATE_VALUES.sub(SLOT, line), len(stack)
        elif closes and name in stack:
            del stack[len(stack) - 1 - stack[::-1].index(name) :]
        elif not closes and any(later[2] and later[3] == name for later in marks[at + 1 :]):
            yield name, len(stack)
            stack.append(name)
