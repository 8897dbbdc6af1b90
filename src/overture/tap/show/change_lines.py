"""Two calls -> what differs between them in lines: tools, sections, messages, and the first byte that a cache sees."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from ...model.struct import Frozen, note
from ..call import RecordedCall, Unheld
from ..importers.log import WORDS
from ..judge.compare_calls import CallChange, compare_calls
from ..judge.text_sections import split_text_sections


class Differences(Frozen, frozen=True):
    """All that differs, by name; the first of it is what a cache stops at."""

    first: CallChange
    tools: Annotated[dict[str, str], note("added, removed or rewritten, by name")] = {}
    sections: Annotated[dict[str, str], note("of the system prompt, likewise")] = {}
    same: Annotated[int, note("pieces of messages from the first on that are the same")] = 0
    before: Annotated[int, note("pieces of messages behind them that were there")] = 0
    after: Annotated[int, note("pieces of messages behind them that are there")] = 0
    unknown: Annotated[tuple[Unheld, ...], note("what a log does not hold of one of them, and is not compared")] = ()


def find_differences(before: RecordedCall, after: RecordedCall) -> Differences:
    """What differs between two calls, of one conversation or not."""
    tools = [{piece.name: piece.text for piece in call.select_pieces("tool")} for call in (before, after)]
    old, new = ([(p.name, p.what, p.text) for p in call.select_pieces("message")] for call in (before, after))
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return Differences(
        compare_calls(before, after),
        _compare_by_name(*tools),
        _compare_by_name(_collect_sections(before), _collect_sections(after)),
        same,
        len(old) - same,
        len(new) - same,
        tuple(dict.fromkeys((*before.unknown, *after.unknown))),
    )


def _collect_sections(call: RecordedCall) -> dict[str, str]:
    """The sections of the system prompt; those of one name are one."""
    sections: dict[str, str] = {}
    for piece in call.select_pieces("system"):
        for cut in split_text_sections(piece.text):
            sections[cut.name] = sections.get(cut.name, "") + piece.text[cut.start : cut.end]
    return sections


def _compare_by_name(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    names = [name for name in {**new, **old} if old.get(name) != new.get(name)]
    return {name: "added" if name not in old else "removed" if name not in new else "rewritten" for name in names}


def make_change_lines(found: Differences) -> Iterator[str]:
    """The differences as text, for a terminal."""
    first = found.first
    if first.has_same_prefix:
        yield "All that was sent before is sent again" + (", and more behind it." if first.added else ".")
    else:
        where = f" at byte {first.byte:,}, in {first.section}" if first.byte is not None and first.section else ""
        yield f"The first difference{where}: {first.cause}."
        yield from (f"  {sign} {text!r}" for sign, text in (("-", first.before), ("+", first.after)) if text)
    for title, rows in (("tools", found.tools), ("sections", found.sections)):
        if rows:
            yield f"{title}: {_join_changes(rows)}"
    if found.before or found.after:
        yield f"messages: {found.same} parts the same, then {found.before} before and {found.after} after"
    if unknown := [WORDS[each] for each in found.unknown if each != "mark"]:
        yield f"not compared, since a log does not hold it: {', '.join(unknown)}; bytes are counted without it"


def _join_changes(rows: dict[str, str]) -> str:
    hows: Sequence[str] = ("added", "removed", "rewritten")
    named = {how: [name for name, each in rows.items() if each == how] for how in hows}
    return "; ".join(f"{how} {', '.join(names)}" for how, names in named.items() if names)
