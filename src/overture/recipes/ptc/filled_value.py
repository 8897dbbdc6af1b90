"""A value that is filled into a mission -> its text, cut, and no heading with the words beside it."""

import re
from typing import Any

from ...model.diagnostic import Diagnostic, warning
from ...model.state.tasks import Limits, Mission
from ...sections.literal import Shown, cut, literal
from ...text.normalize import with_newlines

LONG = 500
"""Characters of a value where the mission sets no limit."""
HASHES = re.compile(r"(?:^|(?<=\n))( {0,3})(?=#{1,6}(?:[ \t][^\n]*)?\Z)")
"""The beginning of a last line that is a heading, or becomes one when more is written behind it."""


ALL = Shown(items=None, keys=None, text=None, names=None, depth=20)


def longest(mission: Mission) -> int:
    """Characters of a value that is told in words: a filled-in one, or what is said of an error."""
    limit = (mission.limits or Limits()).string_truncate
    return LONG if limit is None else limit


def written(field: str, value: Any, limit: int) -> tuple[str, list[Diagnostic]]:
    """A text as it stands, anything else as a literal; at most `limit` characters of it."""
    if not isinstance(value, str):
        said = literal(value, ALL._replace(room=limit))
        return said.text, [cut_to(field, limit)] if said.cut else []
    text = with_newlines(value)
    return cut(text, limit), [cut_to(field, limit, len(text))] if len(text) > limit else []


def cut_to(field: str, limit: int, size: int | None = None) -> Diagnostic:
    """The report that only so many characters of a value are shown."""
    whole = "" if size is None else f"{size:,} "
    raised = "raise mission.limits.string_truncate to show more"
    return warning("value-cut", f"{field} is cut to {limit:,} of its {whole}characters; {raised}")


def contained(text: str, where: str, before: str, goes_on: bool) -> tuple[str, list[Diagnostic]]:
    """A value that does not begin a heading which the author completes.

    `before` is what the author wrote before it; `goes_on` is whether more follows on its last line. What the value
    holds by itself, a heading of the recipe or a fence, is seen to when the part is laid.
    """
    begins_line = "\n" in text or not before or before.endswith("\n")
    if goes_on and begins_line and HASHES.search(text):
        said = warning("contained-heading", f"{where}: text that begins a heading: it is written with `\\#`")
        return HASHES.sub(r"\1\\", text, count=1), [said]
    return text, []
