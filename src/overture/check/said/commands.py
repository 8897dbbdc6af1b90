"""A page -> the commands that it names whose names a project defines: scripts, targets, recipes, tasks."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..ground import Page
from .command_words import named
from .mentions import SPAN
from .rows import rows

SHELLS = frozenset(("bash", "sh", "shell", "zsh", "console", "shell-session", "shellscript", "terminal", ""))
INFO = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[`~]{3,}[ \t]*([\w+-]*)")
PARTS = re.compile(r"&&|\|\||[;|]")
DENIED = re.compile(
    r"\b(?:e\.g\.|for example|for instance|such as|there (?:is|are) no|no longer|remov(?:e|ed)|deprecated|doesn't exist"
    r"|does not exist|not|don't|do not|never|instead of|avoid|like|if (?:it|they|you|a|the|there)|add(?:s|ing)? an?"
    r"|creat(?:e|es|ing)|would|could|might|may)\b",
    re.IGNORECASE,
)
"""Words on a line that speak of commands which need not be there."""


class Command(NamedTuple):
    """A name that a runner is asked for: `make lint` is `lint` of `make`."""

    runner: str
    name: str
    said: str
    """As it is written."""
    line: int
    column: int


@lru_cache(maxsize=256)
def commands(page: Page) -> tuple[Command, ...]:
    """The commands of a page, in its order."""
    return tuple(_commands(page.text))


def _commands(text: str) -> Iterator[Command]:
    inside, shell = False, False
    for line in rows(text):
        if line.sort == "fence":
            found = INFO.match(line.text)
            inside, shell = not inside, not inside and found is not None and found[1].lower() in SHELLS
        elif line.sort == "code" and inside and shell:
            yield from _in(line.text.partition(" #")[0], line.number, 0)
        elif line.sort in ("prose", "quote") and "`" in line.text:
            unsure = DENIED.search(SPAN.sub(" ", line.text))
            for span in () if unsure else SPAN.finditer(line.text):
                yield from _in(span[2], line.number, span.start(2))


def _in(said: str, line: int, column: int) -> Iterator[Command]:
    at = 0
    for part in PARTS.split(said):
        begin = said.index(part, at)
        at = begin + len(part)
        for runner, name in named(part.split()):
            blanks = len(part) - len(part.lstrip())
            yield Command(runner, name, part.strip(), line, column + begin + blanks + 1)
