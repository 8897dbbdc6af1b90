"""Sent texts and files in words, and the blocks of words that they share.

Not the files are indexed, which are many, but the texts: every three words in a row. Each part of a file's lines is
looked up there; where it is found, the equal words around it are one block.
"""

import html
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from ...discovery.reader import DOCUMENT_SUFFIXES

ANCHOR_WORDS = 3
"""Words in a row by which a part of a line is looked up."""
MIN_LONG_WORD = 24
"""Bytes of a word that is an anchor alone: scripts without blanks write a sentence as one."""
MAX_PLACES = 32
"""Places of one anchor that are looked at, in all sent texts and in a file."""
MAX_DECLARED_CHARS = 4_000
"""Characters of settings or code in which a name and a description are looked for."""
PADDING = "\0"
"""Follows a letter that was escaped, so that the text keeps its length."""
FILE_BREAK = "\x02"
"""A line break that a file writes as an escape: the words behind it are on the same line of the file."""
PART_BREAKS = "<>{}$%" + FILE_BREAK
"""Marks between parts of a line: it may be sent without its comments, or with values for its placeholders."""
CODE_BREAKS = PART_BREAKS + "\"'`=:"
"""The same in code, in settings and in frontmatter, where texts are values."""

ESCAPE = re.compile(r"\\+(?:u[0-9a-fA-F]{4}|[nrt])|&(?:amp;)*(?:lt|gt|amp|quot|apos|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
WORD = re.compile(f"[A-Za-z0-9{PADDING}\x80-\U0010ffff]+")
LINE_NUMBER = re.compile(r"^[ \t]*\d{1,6}(?:\t|→|[ ]?[|│])", re.MULTILINE)
"""What `cat -n` and its likes write before a line."""
FRONTMATTER = re.compile(r"---\n.*?^---", re.MULTILINE | re.DOTALL)
DECLARED = re.compile(r"^[\"']?(name|description|when_to_use)[\"']?\s*[:=](.*(?:\n[ \t]+.*)*)", re.MULTILINE)
"""What a file says of itself at its beginning, on one line or folded."""
TRUNCATED = re.compile(r"[\s.,;:!?)\]}\"'`*\\]{0,40}(?:…|\.\.\.|\W{0,4}(?:\w{1,30}\W{1,4}){0,3}truncated|\Z)", re.I)
"""What stands behind a text that was cut within a line."""


def decode_escape(escape: str) -> str:
    """What an escape of JSON or XML stands for; nothing for blanks."""
    if escape[0] == "&":
        return html.unescape(f"&{escape[1:-1].rpartition(';')[2]};")
    return chr(int(escape[-4:], 16)) if escape[-1] not in "nrt" else ""


def undo_escapes(text: str, line_break: str) -> str:
    """The text with the letters that escapes stand for, each character still at its place."""

    def undo(match: re.Match[str]) -> str:
        escape, size = match[0], len(match[0])
        if escape[-1] == "n":
            return line_break.rjust(size)
        letter = decode_escape(escape)
        return letter.ljust(size, PADDING) if letter.isalnum() or letter >= "\x80" else " " * size

    text = text.replace(PADDING, " ")
    return ESCAPE.sub(undo, text) if "\\" in text or "&" in text else text


def join_halves(text: str) -> str:
    """The text with letters in place of their halves, as JSON escapes them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _make_table(breaks: str) -> bytes:
    """Translates a text to words and blanks; what breaks it becomes the end of a line."""
    keep = [code if code >= 128 or chr(code).isalnum() else 32 for code in range(256)]
    return bytes(10 if chr(code) in breaks else kept for code, kept in enumerate(keep))


WORD_TABLE, PART_TABLE, CODE_TABLE = map(_make_table, ("", f"\n{PART_BREAKS}", f"\n{CODE_BREAKS}"))


def split_words(plain: str) -> tuple[list[bytes], list[int], list[int]]:
    """The words of a text whose escapes are undone, and where each begins and ends."""
    spans = [match.span() for match in WORD.finditer(plain)]
    try:
        words = plain.encode().translate(WORD_TABLE, PADDING.encode()).split()
    except UnicodeEncodeError:
        words = [join_halves(plain[start:end].replace(PADDING, "")).encode() for start, end in spans]
    return words, [start for start, _ in spans], [end for _, end in spans]


def make_anchor(words: Sequence[bytes]) -> bytes | None:
    """By what a part of a line is looked up; None: it is too short."""
    if len(words) >= ANCHOR_WORDS:
        return b" ".join(words[:ANCHOR_WORDS])
    return words[0] if words and len(words[0]) >= MIN_LONG_WORD and not words[0].isascii() else None


def is_document(path: str) -> bool:
    """Whether a file is written for people and models, and is no code or settings."""
    return path.lower().endswith(DOCUMENT_SUFFIXES)


class SourceFile:
    """A file in words, with the parts of its lines, and the names and descriptions that it declares."""

    def __init__(self, paths: Sequence[str], text: str) -> None:
        """`paths` are all files with this text."""
        self.paths, self.is_document, self.text = paths, is_document(paths[0]), text.rstrip()
        self.line_starts = [*accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0)]
        """The character with which each line begins; then the end."""
        plain = undo_escapes(self.text, FILE_BREAK)
        self.words, self.starts, self.ends = split_words(plain)
        self.line_words = [bisect_left(self.starts, at) for at in self.line_starts]
        """The word with which each line begins, or would; then the end."""
        front = FRONTMATTER.match(plain)
        head = plain[: front.end() if front else 0 if self.is_document else MAX_DECLARED_CHARS]
        self.declared = {
            bisect_left(self.starts, found.start(2)): (bisect_left(self.starts, found.end(2)), found[1] == "name")
            for found in DECLARED.finditer(head)
        }
        """Of each name and description the first word, the end, and whether it is a name."""
        breaks = re.compile(f"[{re.escape(PART_BREAKS if self.is_document else CODE_BREAKS)}]")
        marks = {bisect_left(self.starts, found.start()) for found in breaks.finditer(plain)}
        ends = {stop for stop, _ in self.declared.values()}
        self.parts = sorted({*self.line_words, *marks, *self.declared, *ends})
        """The words with which parts of lines begin; then the end."""

    @property
    def line_count(self) -> int:
        """How many lines it has, without blank ones at its end."""
        return len(self.line_words) - 1

    def find_line(self, word: int) -> int:
        """The line that holds a word, from 0."""
        return bisect_right(self.line_words, word) - 1

    def starts_part(self, word: int) -> bool:
        """Whether a part of a line begins with a word, or ends before it."""
        return self.parts[bisect_left(self.parts, word)] == word

    def count_line_words(self, stripped: Collection[int] = ()) -> dict[int, int]:
        """How many words each line has, from 1, without those that have none or that an agent strips."""
        counts = {line: end - start for line, (start, end) in enumerate(pairwise(self.line_words), 1)}
        return {line: count for line, count in counts.items() if count and line not in stripped}


class Block(NamedTuple):
    """Sent words that stand in a file in the same order."""

    start: int
    end: int
    word: int
    """The first of them in the file."""
    file: SourceFile

    @property
    def stop(self) -> int:
        """The end in the file."""
        return self.word + self.end - self.start

    def select(self, word: int, stop: int) -> "Block":
        """A part of it, between two words of the file."""
        shift = self.start - self.word
        return Block(word + shift, stop + shift, word, self.file)


class SentTexts:
    """Texts that were sent, in words, with an index of every three in a row."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts, self.plain = texts, list[str]()
        self.words, self.starts, self.ends, self.firsts = list[bytes](), list[int](), list[int](), [0]
        self.lines: list[tuple[int, int]] = []
        """Of each line with words its first, and the end of its last."""
        for text in texts:
            plain = LINE_NUMBER.sub(lambda match: " " * len(match[0]), undo_escapes(text, "\n"))
            words, starts, ends = split_words(plain)
            first = self.firsts[-1]
            breaks = [first + bisect_left(starts, found.start()) for found in re.finditer("\n", plain)]
            self.lines += [row for row in pairwise([first, *breaks, first + len(words)]) if row[0] < row[1]]
            self.plain.append(plain)
            self.words += [*words, b""]  # no word of a file: a block ends with its text
            self.starts += [*starts, len(text)]
            self.ends += [*ends, len(text)]
            self.firsts.append(len(self.words))
        self.places: dict[bytes, list[int]] = {}
        for at, word in enumerate(self.words):
            self._add_place(b" ".join(self.words[at : at + ANCHOR_WORDS]), at)
            if len(word) >= MIN_LONG_WORD:
                self._add_place(word, at)

    def _add_place(self, anchor: bytes, at: int) -> None:
        places = self.places.setdefault(anchor, [])
        if len(places) < MAX_PLACES:
            places.append(at)

    def find_parts(self, path: str, text: str) -> set[bytes]:
        """Those parts of a file's lines that are in the texts: of most files none."""
        data, places = undo_escapes(text, FILE_BREAK).encode("utf-8", "surrogatepass"), self.places
        tables = {PART_TABLE if is_document(path) else CODE_TABLE, CODE_TABLE if text.startswith("---") else PART_TABLE}
        parts = set[bytes]()
        for line in (each for table in tables for each in data.translate(table, PADDING.encode()).split(b"\n")):
            words = line.split(None, ANCHOR_WORDS)
            anchor = b" ".join(words[:ANCHOR_WORDS]) if len(words) >= ANCHOR_WORDS else make_anchor(words)
            if anchor in places:
                words = line.split()
                if any(self._holds_part(words, at) for at in places[anchor]):
                    parts.add(b" ".join(words))
        return parts

    def _holds_part(self, words: list[bytes], at: int) -> bool:
        """Whether a part of a line stands at a place, whole or truncated."""
        same = next((n for n, word in enumerate(words) if self.words[at + n] != word), len(words))
        return same == len(words) or self.is_truncated(at + same)

    def is_truncated(self, end: int) -> bool:
        """Whether a text was cut within a line, before a word."""
        return TRUNCATED.match(self.plain[self.find_text(end - 1)], self.ends[end - 1]) is not None

    def find_blocks(self, file: SourceFile, common: Collection[bytes]) -> Iterator[Block]:
        """The blocks that parts of a file's lines lead to, without the common ones; none of them could be longer."""
        reached: dict[int, int] = {}
        looked_up = Counter[bytes]()
        for word, stop in pairwise(file.parts):
            anchor = make_anchor(file.words[word:stop])
            if anchor not in self.places or b" ".join(file.words[word:stop]) in common:
                continue
            looked_up[anchor] += 1
            for at in self.places[anchor] if looked_up[anchor] <= MAX_PLACES else ():
                if reached.get(at - word, 0) <= at:
                    block = self._grow_block(at, word, file)
                    reached[at - word] = block.end
                    yield block

    def _grow_block(self, at: int, word: int, file: SourceFile) -> Block:
        start, end, first, stop = at, at, word, word
        while start and first and self.words[start - 1] == file.words[first - 1]:
            start, first = start - 1, first - 1
        while stop < len(file.words) and self.words[end] == file.words[stop]:
            end, stop = end + 1, stop + 1
        return Block(start, end, first, file)

    def find_text(self, word: int) -> int:
        """The number of the text that holds a word."""
        return bisect_right(self.firsts, word) - 1

    def get_string(self, block: Block) -> str:
        """The text of a block."""
        return self.texts[self.find_text(block.start)][self.starts[block.start] : self.ends[block.end - 1]]

    def fills_lines(self, block: Block) -> bool:
        """Whether no other word stands on the lines of a block, or in its strings of JSON."""
        plain, gaps = self.plain[self.find_text(block.start)], list[str]()
        for word in (block.start, block.end):
            is_edge = word in self.firsts or not self.words[word]
            gaps.append("\n" if is_edge else plain[self.ends[word - 1] : self.starts[word]])
        return all("\n" in gap for gap in gaps) or all('"' in gap for gap in gaps)
