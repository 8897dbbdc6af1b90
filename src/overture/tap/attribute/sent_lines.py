"""The lines of a text that was sent, as words; and the lines of a file that are compared with them."""

from bisect import bisect_left
from collections.abc import Iterator

from ..index.index import Index
from ..index.tokenize_words import SentWords, hash_body

MAX_FOREIGN_WORDS = 24
"""Words in a row of somebody else's that may stand between a file's lines, such as the frame of an import."""

Row = tuple[int, int]
"""The first word of a line, and the end of its last."""


class SentLines:
    """The lines with words of a text, and which of them are accounted for."""

    def __init__(self, text: str, words: SentWords) -> None:
        self.text, self.words = text, words
        self.rows = [row for row in words.list_lines() if row[0] < row[1]]
        self.starts = [row[0] for row in self.rows]
        self.taken = bytearray(len(words.sums))

    def take_words(self, start: int, end: int) -> None:
        """Words are accounted for."""
        self.taken[start:end] = b"\1" * (end - start)

    def get_sums(self, row: Row) -> list[int]:
        """The words of a line."""
        return self.words.sums[slice(*row)]

    def compute_body(self, row: Row) -> int:
        """A line from its first word to its last, without blanks and escapes, as a number."""
        return hash_body(self.text[self.words.starts[row[0]] : self.words.ends[row[1] - 1]])

    def find_row(self, word: int) -> Row:
        """The line that holds a word."""
        return self.rows[bisect_left(self.starts, word + 1) - 1]

    def find_free_rows(self, start: int, end: int, room: int, step: int = 1) -> Iterator[Row]:
        """Whole lines between two words that nobody has, the next first; the room counts anew behind what one has."""
        remaining = room
        first, stop = bisect_left(self.starts, start), bisect_left(self.starts, end)
        for number in range(first, stop) if step > 0 else range(stop - 1, first - 1, -1):
            row = self.rows[number]
            if row[1] > end or self.taken.find(1, *row) >= 0:
                remaining = room
                continue
            remaining -= row[1] - row[0]
            if remaining < 0:
                return
            yield row


def list_known_lines(
    first: int, last: int, text: int, index: Index, stripped_lines: frozenset[int]
) -> list[tuple[int, Row]]:
    """The lines with words of a file, from one to another, that are not replaced or stripped; with their words."""
    found = [(line, index.get_line_words(line, text)) for line in range(first, last + 1) if line not in stripped_lines]
    return [(line, row) for line, row in found if row[0] < row[1]]
