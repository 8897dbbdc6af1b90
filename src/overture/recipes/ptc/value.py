"""A value that is filled into a mission -> its text, cut, and no heading with the words beside it."""

import re
from typing import Any

from ...model.control import with_newlines
from ...model.diagnostic import Diagnostic, warning
from ...sections.literal import Shown, literal

HASHES = re.compile(r"(?:^|(?<=\n))( {0,3})(?=#{1,6}(?:[ \t][^\n]*)?\Z)")
"""The beginning of a last line that is a heading, or becomes one when more is written behind it."""


def written(key: str, value: Any, limit: int) -> tuple[str, list[Diagnostic]]:
    """A text as it stands, anything else as a literal; at most `limit` characters of it."""
    limit = max(0, limit)
    if isinstance(value, str):
        text = with_newlines(value)
        size = f"{len(text):,} "
        text, cut = (text[:limit] + "...", True) if len(text) > limit else (text, False)
    else:
        text, _, _, cut = literal(value, Shown(items=None, keys=None, text=None, depth=20, room=limit))
        size = ""
    if not cut:
        return text, []
    raised = "raise mission.limits.string_truncate to show more"
    return text, [warning("value-cut", f"mission.data.{key} is cut to {limit:,} of its {size}characters; {raised}")]


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
