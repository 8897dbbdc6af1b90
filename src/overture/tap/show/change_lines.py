"""What differs between two calls, as lines for a terminal."""

from collections.abc import Iterator, Sequence

from ..importers.log import WORDS
from ..judge.diff_calls import Differences


def make_change_lines(found: Differences) -> Iterator[str]:
    """The differences as text, for a terminal."""
    first = found.first
    if first.has_same_prefix:
        yield "Everything sent before is sent again" + (", with more after it." if first.added else ".")
    else:
        where = f" at byte {first.byte:,}, in {first.section}" if first.byte is not None and first.section else ""
        yield f"First difference{where}: {first.cause}."
        if first.before or first.after:
            yield f"  - {first.before!r}" if first.before else "  - (nothing)"
            yield f"  + {first.after!r}" if first.after else "  + (nothing)"
    for title, rows in (("tools", found.tools), ("sections", found.sections)):
        if rows:
            yield f"{title}: {_join_changes(rows)}"
    if found.before or found.after:
        yield f"messages: {found.same} unchanged parts, then {found.before} before and {found.after} after"
    if unknown := [WORDS[each] for each in found.unknown if each != "mark"]:
        yield f"not compared, because a log does not contain it: {', '.join(unknown)}; byte offsets ignore it"


def _join_changes(rows: dict[str, str]) -> str:
    hows: Sequence[str] = ("added", "removed", "rewritten")
    named = {how: [name for name, each in rows.items() if each == how] for how in hows}
    return "; ".join(f"{how} {', '.join(names)}" for how, names in named.items() if names)
