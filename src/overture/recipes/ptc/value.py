"""A value that is filled into a mission -> its text, cut and contained."""

import re
from typing import Any

from ...model.diagnostic import Diagnostic, warning
from ...model.fences import FENCE
from ...sections.literal import Shown, literal
from ...sections.markdown import open_fence, unfenced

HASHES = re.compile(r"(?:^|(?<=\n))( {0,3})(?=#{1,6}(?:[ \t][^\n]*)?\Z)")
"""The beginning of a last line that is a heading, or becomes one when more is written behind it."""


def written(key: str, value: Any, limit: int) -> tuple[str, list[Diagnostic]]:
    """A text as it stands, anything else as a literal; at most `limit` characters of it."""
    limit = max(0, limit)
    if isinstance(value, str):
        text = value.replace("\r\n", "\n").replace("\r", "\n")
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
    """A value that neither leaves or opens a code block of the author's, nor begins a heading that he completes.

    `before` is what the author wrote before it; `goes_on` is whether more follows on its last line. A line that is
    a heading of the recipe by itself is seen to when the part is laid.
    """
    notes = []
    if FENCE.search(text) and (open_fence(before) or open_fence(text)):
        text = unfenced(text)
        notes.append(warning("contained-fence", f"{where}: text that opens or closes a code block: it is escaped"))
    begins_line = "\n" in text or not before or before.endswith("\n")
    if goes_on and begins_line and HASHES.search(text):
        text = HASHES.sub(r"\1\\", text, count=1)
        notes.append(warning("contained-heading", f"{where}: text that begins a heading: it is written with `\\#`"))
    return text, notes
