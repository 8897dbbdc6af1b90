"""Finds the instructions of a Markdown text: its paragraphs and items of lists, under their headings."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...text.lazy_pattern import compile_on_use
from ...text.markdown import Heading, strip_links
from .markdown_lines import MarkdownLine, read_markdown_lines

CHECKBOX = compile_on_use(r"^\[[ xX]\][ \t]+")
CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
WORD = compile_on_use(rf"[{CJK}]|[^\W{CJK}]+")
"""A letter of a script that puts no blanks between words is a word."""
ASCII_WORD = compile_on_use(r"\w+")
"""The same in a text that has no such letters; it takes `re` no time to compile."""


class Instruction(NamedTuple):
    """One instruction: where it begins, its words, and the headings that it stands under."""

    line: int
    text: str
    headings: tuple[str, ...] = ()
    last: int = 0
    """Its last line."""

    @property
    def words(self) -> tuple[str, ...]:
        """Its words alone, in small letters: how it is set does not matter."""
        text = strip_links(self.text).lower()
        return tuple((WORD if _may_hold_cjk(text) else ASCII_WORD).findall(text))


def _may_hold_cjk(text: str) -> bool:
    """Whether a text has letters of these scripts; signs such as arrows and pictures lie before and behind them."""
    return not text.isascii() and any("\u3040" <= char <= "\ud7af" for char in text)


@lru_cache(maxsize=256)
def find_instructions(text: str) -> tuple[Instruction, ...]:
    """The instructions of a text, in order: paragraphs and items of lists; headings, tables and code are none."""
    return tuple(_find_instructions(text))


def _find_instructions(text: str) -> Iterator[Instruction]:
    headings: list[Heading] = []
    first_line, texts = 0, list[str]()
    for line in read_markdown_lines(text):
        goes_on = line.sort == "prose" and _is_instruction(line)
        if texts and (not goes_on or line.begins):
            yield Instruction(
                first_line, " ".join(texts), tuple(each.words for each in headings), first_line + len(texts) - 1
            )
            texts = []
        if line.heading is not None and line.sort == "prose" and line.heading not in headings:
            headings = [*(each for each in headings if each.level < line.heading.level), line.heading]
        elif goes_on:
            first_line = first_line if texts else line.number
            words = line.text[line.content :].strip()
            texts.append(CHECKBOX.sub("", words, count=1) if line.begins == "item" else words)
    if texts:
        yield Instruction(
            first_line, " ".join(texts), tuple(each.words for each in headings), first_line + len(texts) - 1
        )


def _is_instruction(line: MarkdownLine) -> bool:
    """Whether a line is one of a paragraph; a table is none."""
    return line.kind == "text" and line.heading is None and not line.text.lstrip().startswith("|")
