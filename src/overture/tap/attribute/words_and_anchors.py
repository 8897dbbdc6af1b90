"""A text as words, each a number, whatever wraps, indents, quotes or escapes it; and anchors, a few words in a row."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence, Set
from itertools import accumulate, chain, compress, pairwise, repeat
from typing import NamedTuple
from zlib import crc32

PLAIN = re.compile(rb"([A-Za-z0-9]+)")
WORD = re.compile(
    r"[A-Za-z0-9]+|[^\W_]"  # letters that JSON may escape are words of their own: `é` and `\u00e9` are the same word
    r"|\\+(?:u[0-9a-fA-F]{4}|[nrt])|&(?:amp;)*(?:lt|gt|amp|quot|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,6});"
)
ESCAPE = re.compile(r"\\+(?:u[0-9a-fA-F]{4}|[nrt\"'\\/`*_<>#])|&(?:amp;)*(?:lt|gt|amp|quot|apos|nbsp|#\w{1,7});")
ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " "}
BODY = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
BLANKS = b" \t\r\x0b\x0c"
MARKS = bytes(code for code in range(128) if not chr(code).isalnum())
"""What of plain text is no letter of a word."""
LETTERS = bytes(code if chr(code).isalnum() or code == 10 else 32 for code in range(128)) + bytes(128)
"""Plain text with blanks in the place of marks; lines end where they did."""
NUMBERED = re.compile(r"(?:^|\\n)[ ]*(?P<number>\d{1,7})(?:\t|\\t|→|│|[ ]?\|[ ]?|:[ ]?)", re.MULTILINE)
"""A line as `cat -n` and its likes write it."""


class SentWords(NamedTuple):
    """The words of a text that was sent, and where they stand."""

    words: list[bytes]
    sums: list[int]
    """Each word as a number."""
    starts: "array[int]"
    ends: "array[int]"
    breaks: "array[int]"
    """Where each line of the text begins."""

    def find_line(self, at: int) -> int:
        """The number of the line, from 0 on, that holds a character."""
        return bisect_right(self.breaks, at) - 1

    def find_word(self, at: int) -> int:
        """The first word that begins at or behind a character."""
        return bisect_left(self.starts, at)

    def list_lines(self) -> list[tuple[int, int]]:
        """Of each line of the text the first word, and the end of its last; they are the same where it has none."""
        return [*pairwise((*map(self.find_word, self.breaks), len(self.starts)))]

    def find_line_bounds(self, line: int, text: str) -> tuple[int, int]:
        """The characters of a line, without its end."""
        start = self.breaks[line]
        return start, self.breaks[line + 1] - 1 if line + 1 < len(self.breaks) else len(text)


def split_sent_words(text: str) -> SentWords:
    """The words of a text, without line numbers that were added before its lines."""
    numbers = frozenset(_find_line_numbers(text))
    breaks = array("I", [0, *(each.end() for each in re.finditer("\n", text))])
    if is_plain(text) and not numbers:
        return SentWords(*_split_plain_words(text), breaks)
    matches = (each for each in WORD.finditer(text) if each.start() not in numbers)
    spans = [(each.span(), word) for each in matches if (word := decode_letters(each.group()))]
    words = [encode_word(word) for _, word in spans]
    starts, ends = (array("I", [span[side] for span, _ in spans]) for side in (0, 1))
    return SentWords(words, [*map(crc32, words)], starts, ends, breaks)


def _split_plain_words(text: str) -> tuple[list[bytes], list[int], "array[int]", "array[int]"]:
    """The same of plain text, which is most of what there is: its words, each between what is none, by calls of C."""
    parts = PLAIN.split(text.encode("ascii"))
    edges = [*accumulate(map(len, parts), initial=0)]
    words = parts[1::2]
    return words, [*map(crc32, words)], array("I", edges[1:-1:2]), array("I", edges[2::2])


def split_line(line: str) -> list[bytes]:
    """The words of one line of a file."""
    if is_plain(line):
        return line.encode("ascii").translate(LETTERS).split()
    if "\\" not in line and "&" not in line:
        try:
            return [*map(str.encode, WORD.findall(line))]
        except UnicodeEncodeError:
            return [encode_word(word) for word in WORD.findall(line)]
    return [encode_word(word) for word in map(decode_letters, WORD.findall(line)) if word]


def decode_letters(word: str) -> str:
    """What a find stands for: a word as it is, an escaped letter as that letter, another escape as nothing."""
    if word[0] == "&":
        return ""
    if word[0] != "\\":
        return word
    letter = chr(int(word[-4:], 16)) if len(word) > 5 else ""
    return letter if letter.isalnum() else ""


def encode_word(word: str) -> bytes:
    """A word as bytes; half a surrogate pair is as good a letter as any."""
    return word.encode("utf-8", "surrogatepass")


def hash_body(line: str) -> int:
    """A line from its first word to its last as a number: blanks and escapes do not count, other marks do."""
    if is_plain(line):
        bare = line.encode("ascii").translate(None, BLANKS + b"\n")
        return crc32(bare.strip(MARKS) or bare)
    text = ESCAPE.sub(_unescape, line).replace("\\", "")
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")  # halves become a letter
    match = BODY.search(text)
    return crc32(encode_word("".join((match.group() if match else text).split())))


def count_escapes(line: str) -> int:
    """How many escapes a line holds, as far as a byte can count."""
    return min(255, len(ESCAPE.findall(line))) if "\\" in line or "&" in line else 0


def _unescape(match: re.Match[str]) -> str:
    """The character that an escape in a text stands for, so that words are the same."""
    escape = match.group()
    if escape[0] == "\\":
        return chr(int(escape[-4:], 16)) if len(escape) > 5 else "" if escape[-1] in "nrt" else escape[-1]
    name = escape[1:-1].rpartition(";")[2]
    if name[0] != "#":
        return ENTITIES[name]
    digits = name[1:]
    try:
        return chr(int(digits[1:], 16) if digits[0] in "xX" else int(digits))
    except (ValueError, OverflowError):
        return escape


def is_plain(text: str) -> bool:
    """Whether no letter of a text may be written in another way."""
    return text.isascii() and "\\" not in text and "&" not in text


def _find_line_numbers(text: str) -> Iterator[int]:
    """Where numbers of lines stand: those that go on from the line before, or are gone on from."""
    before: tuple[int, int] | None = None
    counted = False
    for match in NUMBERED.finditer(text):
        number, at = int(match["number"]), match.start("number")
        follows = before is not None and number == before[0] + 1
        if before is not None and follows and not counted:
            yield before[1]
        if follows:
            yield at
        before, counted = (number, at), follows


RUN = 5
"""Words in a row that are an anchor."""
STEP = 4
"""Words from one anchor of a file to the next: any eight words in a row hold one."""
MIN_SHORT, MAX_SHORT = 3, RUN + STEP - 1
"""Words of lines that are anchors as a whole."""
HEAD = 3
"""Words that are an anchor where a description begins."""
LINES, HEADS = 1, 3
"""What is counted into the numbers of short lines and of heads, so that they are no runs."""


class Anchors(NamedTuple):
    """The anchors of a text."""

    keys: "array[int]"
    words: "array[int]"
    """The word with which each begins."""
    heads: "array[int]"
    """The number of each word with which a description begins."""


def list_anchors(words: Sequence[bytes], lines: Sequence[int], heads: Sequence[int]) -> Anchors:
    """The anchors of a file: runs from the first word of each line on, short lines, heads of descriptions."""
    join, end = b" ".join, max(len(words) - RUN + 1, 0)
    stops = [*lines[1:], len(words)]
    runs = [at for at in chain.from_iterable(map(range, lines, stops, repeat(STEP))) if at < end]
    short = _select_short(zip(lines, stops, strict=True))
    keys = [crc32(join(words[at : at + RUN])) for at in runs]
    keys += [crc32(join(words[start:stop]), LINES) for start, stop in short]
    keys += [crc32(join(words[at : at + HEAD]), HEADS) for at in heads]
    begins = array("I", [*runs, *[start for start, _ in short], *heads])
    return Anchors(array("I", keys), begins, array("I", [crc32(words[at]) for at in heads]))


def _select_short(lines: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of lines, each as its first word and the end of its last, the short ones."""
    return [(start, stop) for start, stop in lines if MIN_SHORT <= stop - start <= MAX_SHORT]


class SentAnchors(NamedTuple):
    """The anchors that a text may share with files."""

    keys: list[int]
    words: list[int]
    """The word with which each begins."""

    def select(self, keys: Container[int]) -> list[tuple[int, int]]:
        """Those that files have, each behind its word, from the first word on."""
        return sorted(compress(zip(self.words, self.keys, strict=True), map(keys.__contains__, self.keys)))


def list_sent_anchors(sent: SentWords, heads: Set[int]) -> SentAnchors:
    """The anchors of a text; `heads` are the words with which descriptions of files begin, as nearly no word does."""
    words, join = sent.words, b" ".join
    keys = [*map(crc32, map(join, zip(*(words[at:] for at in range(RUN)), strict=False)))]
    head, short = [*_find_heads(sent, heads)], _select_short(sent.list_lines())
    begins = [*range(len(keys)), *head, *(start for start, _ in short)]
    keys += [crc32(join(words[at : at + HEAD]), HEADS) for at in head]
    keys += [crc32(join(words[start:stop]), LINES) for start, stop in short]
    return SentAnchors(keys, begins)


def _find_heads(sent: SentWords, heads: Set[int]) -> Iterator[int]:
    """The words of a text with which a file's description may begin, each the start of an anchor."""
    return compress(range(len(sent.words) - HEAD + 1), map(heads.__contains__, sent.sums)) if heads else iter(())
