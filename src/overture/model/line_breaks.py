"""A line break in what stands on one line by nature, a name, a path or a fact -> the report of it.

Whoever says such a text writes a blank or an entity in the place of the break. Texts of several lines that are put on
one, as descriptions are, are none of this.
"""

import re

from .diagnostic import Diagnostic

BREAK = re.compile("[\n\r\u2028\u2029]")
"""What is written as a blank. Other ends of lines are control characters, which are shown and reported as such."""
BLANK = "as a blank"
ENTITY = "as an entity, e.g. `&#10;`"
AROUND = " \t\n\r\u2028\u2029"


def line_breaks(field: str, text: str | None, path: str | None = None) -> tuple[Diagnostic, ...]:
    """The report of a line break in a field that is said on one line; those around it are nobody's line."""
    # Almost every name is printable, which costs next to nothing to see.
    if not text or text.isprintable() or not BREAK.search(text.strip(AROUND)):
        return ()
    return (_report(field, BLANK, path, field),)


def escaped_breaks(field: str, text: str) -> tuple[Diagnostic, ...]:
    """The same of a field that stands in an attribute, where all of them are kept."""
    return (_report(field, ENTITY, None, field),) if not text.isprintable() and BREAK.search(text) else ()


def breaks_of_skill(what: str, text: str, how: str, path: str, line: int | None) -> tuple[Diagnostic, ...]:
    """The same of a skill: `what` is its name, its source or its path."""
    given = text.strip(AROUND) if how is BLANK else text
    return (_report(f"the skill's {what}", how, path, None, line),) if BREAK.search(given) else ()


def _report(what: str, how: str, path: str | None, field: str | None, line: int | None = None) -> Diagnostic:
    said = f"{what}: a line break in what stands on one line: it is written {how}"
    return Diagnostic("warning", "contained-break", said, path, line, field)
