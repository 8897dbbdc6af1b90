"""A stretch of a text that was sent, and where it is from."""

from typing import Annotated, Literal

from ....model.struct import Frozen, note

How = Literal["as it is", "trimmed", "rewrapped", "escaped", "cut"]
"""as it is: whole lines, letter for letter · trimmed: its lines, with other blanks or marks around · rewrapped: its
words in other lines · escaped: as JSON, XML or Markdown write it · cut: it ends within a line"""


class TextSpan(Frozen, frozen=True):
    """Characters of a text, and the lines of the file that they are from; or the fact that they state."""

    start: int
    end: int
    path: Annotated[str, note("empty where it is no file")] = ""
    line: Annotated[int | None, note("of the file, from 1 on")] = None
    last_line: int | None = None
    how: How = "as it is"
    also: Annotated[tuple[str, ...], note("other files that hold the same text")] = ()
    fact: Annotated[str, note("what it states that is no file: cwd, home, user, date, branch")] = ""
