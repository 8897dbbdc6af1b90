"""A stretch of a text that was sent, and where it is from."""

from typing import Annotated, Literal

from ...model.struct import Frozen, note

How = Literal["as it is", "trimmed", "rewrapped", "escaped", "cut", "changed"]
"""as it is: whole lines, letter for letter · trimmed: its lines, with other blanks or marks around · rewrapped: its
words in other lines · escaped: as JSON, XML or Markdown write it · cut: it ends within a line · changed: a line
that differs in more than blanks and escapes: the file's line is named, and the words are not from it"""


class TextSpan(Frozen, frozen=True):
    """Characters of a text, and the lines of the file that they are from; or the fact that they state."""

    start: int
    end: int
    path: Annotated[str, note("empty if it is not from a file")] = ""
    line: Annotated[int | None, note("line of the file, from 1")] = None
    last_line: int | None = None
    how: How = "as it is"
    also: Annotated[tuple[str, ...], note("other files with the same text")] = ()
    fact: Annotated[str, note("what it states if it is not from a file: cwd, home, user, date, branch")] = ""

    @property
    def is_from_file(self) -> bool:
        """Whether its words are a file's."""
        return bool(self.path) and self.how != "changed"
