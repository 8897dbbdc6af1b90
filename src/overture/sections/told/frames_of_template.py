"""A template -> what it writes around values: its tags, its headings, and what stands inside of the tags."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...model.recipe.section import SLOT

CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]+`", re.DOTALL | re.MULTILINE)
"""What is shown as code frames nothing."""
MARK = re.compile(r"^(#{1,6} [^\n]*\S)|<(/?)([A-Za-z][\w-]*)((?:[^<>/]|/(?!>))*)>", re.MULTILINE)
VALUES = re.compile(r"\{\{.*\}\}")


class TemplateFrames(NamedTuple):
    """What a template writes."""

    tags: tuple[str, ...]
    headings: tuple[str, ...]
    children: tuple[str, ...]
    """Tags and headings that stand inside of a tag."""


def frames_of(*templates: str) -> TemplateFrames:
    """What these templates write. A tag that is never closed is no frame, but a word in a sentence."""
    found = [each for template in templates for each in _frames(CODE.sub("", template))]
    outer = [name for name, depth in found if not depth]
    inner = dict.fromkeys(name for name, depth in found if depth and name not in outer)
    tags = dict.fromkeys(name for name in outer if not name.startswith("#"))
    return TemplateFrames(tuple(tags), tuple(dict.fromkeys(n for n in outer if n not in tags)), tuple(inner))


def _frames(template: str) -> Iterator[tuple[str, int]]:
    """The name of each tag or heading, and in how many tags it stands."""
    marks = list(MARK.finditer(template))
    stack: list[str] = []
    for at, mark in enumerate(marks):
        line, closes, name = mark[1], mark[2], mark[3]
        if line:
            yield VALUES.sub(SLOT, line), len(stack)
        elif closes and name in stack:
            del stack[len(stack) - 1 - stack[::-1].index(name) :]
        elif not closes and any(later[2] and later[3] == name for later in marks[at + 1 :]):
            yield name, len(stack)
            stack.append(name)
