"""A page -> its instructions, each a paragraph or an item of a list; headings, tables and code are none."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .rows import rows

HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
"""A heading and its words, to whose end blanks and `#` do not belong."""
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s[^()]*)?\)")
CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
"""A letter of a script that puts no blanks between words is a word."""


class Unit(NamedTuple):
    """One instruction: where it begins, its words, and the headings that it stands under."""

    line: int
    text: str
    headings: tuple[str, ...] = ()
    last: int = 0
    """Its last line."""

    @property
    def words(self) -> tuple[str, ...]:
        """Its words alone, in small letters: how it is set does not matter."""
        return tuple(WORD.findall(LINK.sub(r"\1", self.text).lower()))


@lru_cache(maxsize=256)
def units(text: str) -> tuple[Unit, ...]:
    """The instructions of a text, in order."""
    return tuple(_units(text))


def _units(text: str) -> Iterator[Unit]:
    headings: tuple[tuple[int, str], ...] = ()
    begun, said = 0, list[str]()
    for line in rows(text):
        bare = line.text.strip()
        if not bare and not said:
            continue
        heading = HEADING.match(line.text) if line.sort == "prose" else None
        item = ITEM.match(line.text)
        ends = line.sort != "prose" or not bare or heading or item or bare.startswith("|") or RULE.match(line.text)
        if ends and said:
            yield Unit(begun, " ".join(said), tuple(words for _, words in headings), begun + len(said) - 1)
            said = []
        if heading:
            headings = (
                *(each for each in headings if each[0] < len(heading[1])),
                (len(heading[1]), heading[2].rstrip(" \t#")),
            )
        elif item and line.sort == "prose" and not RULE.match(line.text):
            begun, said = line.number, [line.text[item.end() :].strip()]
        elif not ends:
            begun = begun if said else line.number
            said.append(bare)
    if said:
        yield Unit(begun, " ".join(said), tuple(words for _, words in headings), begun + len(said) - 1)
