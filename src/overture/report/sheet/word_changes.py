"""Two texts -> what stayed, what went and what came, word by word.

Lines are compared first, and words only where lines differ: so a long text takes hardly longer than its changes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ...text.compare_lines import LineMatcher

How = Literal["same", "gone", "new"]
Words = tuple[How, str]
LINE = re.compile(r"[^\n]*\n|[^\n]+")
WORD = re.compile(r"\w+|\s+|[^\w\s]")


def word_changes(old: str, new: str) -> tuple[Words, ...]:
    """The pieces of both texts in order: `same` and `gone` joined are the old one, `same` and `new` the new one."""
    if old == new:
        return (("same", old),) if old else ()
    return tuple(_joined(_by_lines(LINE.findall(old), LINE.findall(new))))


def _by_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[Words]:
    for tag, a, a_end, b, b_end in LineMatcher(old, new).get_opcodes():
        before, after = "".join(old[a:a_end]), "".join(new[b:b_end])
        if tag == "equal":
            yield "same", before
        else:
            yield from _by_words(WORD.findall(before), WORD.findall(after))


def _by_words(old: Sequence[str], new: Sequence[str]) -> Iterator[Words]:
    for tag, a, a_end, b, b_end in LineMatcher(old, new).get_opcodes():
        before, after = "".join(old[a:a_end]), "".join(new[b:b_end])
        if tag == "equal":
            yield "same", before
        else:
            yield "gone", before
            yield "new", after


def _joined(words: Iterable[Words]) -> Iterator[Words]:
    """Neighbours of one kind as one piece; between two that are the same, what went stands before what came."""
    waiting: dict[How, list[str]] = {"same": [], "gone": [], "new": []}
    for how, text in words:
        # Either what is the same waits, or what is not: the other is put down first.
        yield from _put_down(waiting, ("gone", "new") if how == "same" else ("same",))
        waiting[how].append(text)
    yield from _put_down(waiting, ("same", "gone", "new"))


def _put_down(waiting: dict[How, list[str]], kinds: Iterable[How]) -> Iterator[Words]:
    for how in kinds:
        if text := "".join(waiting[how]):
            yield how, text
        waiting[how].clear()
