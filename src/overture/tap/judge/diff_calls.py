"""Two calls -> all that differs between them: by name, and word by word for the page."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Literal

from ...model.struct import Frozen, note
from ...report.text_diff import WordRun, diff_words
from ..recorded_call import CallPiece, RecordedCall, Unheld
from .first_change import CallChange, compare_calls, count_same_pieces, name_message
from .prompt_sections import split_text_sections


class Differences(Frozen, frozen=True):
    """All differences of two calls, by name; a cache stops at the first."""

    first: CallChange
    tools: Annotated[dict[str, str], note("added, removed or rewritten, by name")] = {}
    sections: Annotated[dict[str, str], note("of the system prompt: added, removed or rewritten, by name")] = {}
    same: Annotated[int, note("pieces of messages, from the first, that are the same")] = 0
    before: Annotated[int, note("pieces of messages after them, before the change")] = 0
    after: Annotated[int, note("pieces of messages after them, after the change")] = 0
    unknown: Annotated[tuple[Unheld, ...], note("what is not compared because a log does not contain it")] = ()


def find_differences(before: RecordedCall, after: RecordedCall) -> Differences:
    """What differs between two calls, of one conversation or not."""
    old, new = before.select_pieces("message"), after.select_pieces("message")
    same = count_same_pieces(old, new)
    tools, sections = (
        {name: "added" if was is None else "removed" if now is None else "rewritten" for name, was, now in rows}
        for rows in (_list_changed(collect, before, after) for collect in (collect_tools, collect_sections))
    )
    unknown = tuple(dict.fromkeys((*before.unknown, *after.unknown)))
    return Differences(compare_calls(before, after), tools, sections, same, len(old) - same, len(new) - same, unknown)


def collect_tools(call: RecordedCall) -> dict[str, str]:
    """The tools of a call, by name."""
    return {piece.name: piece.text for piece in call.select_pieces("tool")}


def collect_sections(call: RecordedCall) -> dict[str, str]:
    """The sections of the system prompt; those of one name are one."""
    sections: dict[str, str] = {}
    for piece in call.select_pieces("system"):
        for cut in split_text_sections(piece.text):
            sections[cut.name] = sections.get(cut.name, "") + piece.text[cut.start : cut.end]
    return sections


def _list_changed(
    collect: Callable[[RecordedCall], dict[str, str]], before: RecordedCall, after: RecordedCall
) -> Iterator[tuple[str, str | None, str | None]]:
    """What a call added, removed or rewrote against the other: names of parts, each with both texts."""
    old, new = collect(before), collect(after)
    return ((name, old.get(name), new.get(name)) for name in {**new, **old} if old.get(name) != new.get(name))


# What differs word by word, for the page: tools, sections of the system prompt, messages.


Kind = Literal["tool", "section", "message"]
MAX_CHANGED_TEXT = 20_000
"""Characters of a text that is all new or all gone."""
MAX_SHOWN_MESSAGES = 60
"""Messages that are shown."""


class ChangedPart(Frozen, frozen=True, omit_defaults=False):
    """A tool, a section or a message that is not what it was."""

    kind: Kind
    name: str
    change: Literal["changed", "added", "removed"]
    words: tuple[WordRun, ...]
    cut: Annotated[int, note("characters that are not shown")] = 0


class CallChanges(Frozen, frozen=True, omit_defaults=False):
    """All that differs between two calls."""

    a: str
    b: str
    first: CallChange
    parts: tuple[ChangedPart, ...]
    same: Annotated[int, note("parts of messages, from the first, that are the same")]
    more: Annotated[int, note("changed messages that are not shown")] = 0


def find_call_changes(before: RecordedCall, after: RecordedCall) -> CallChanges:
    """How a call differs from one before it."""
    old, new = before.select_pieces("message"), after.select_pieces("message")
    same = count_same_pieces(old, new)
    messages = [*_compare_messages(old[same:], new[same:])]
    parts = [
        *(_make_part("tool", *row) for row in _list_changed(collect_tools, before, after)),
        *(_make_part("section", *row) for row in _list_changed(collect_sections, before, after)),
    ]
    return CallChanges(
        before.id,
        after.id,
        compare_calls(before, after),
        (*parts, *messages[:MAX_SHOWN_MESSAGES]),
        same,
        max(len(messages) - MAX_SHOWN_MESSAGES, 0),
    )


def name_changed_sections(before: RecordedCall, after: RecordedCall) -> frozenset[str]:
    """The sections of the later call that are not what they were."""
    old = collect_sections(before)
    return frozenset(name for name, text in collect_sections(after).items() if old.get(name) != text)


def _compare_messages(removed: Sequence[CallPiece], came: Sequence[CallPiece]) -> Iterator[ChangedPart]:
    """The first that differs is compared word by word, where both have it; the others went, or came."""
    both = bool(removed and came and (removed[0].name, removed[0].what) == (came[0].name, came[0].what))
    if both:
        yield _make_part("message", name_message(came[0]), removed[0].text, came[0].text)
    yield from (_make_part("message", name_message(piece), piece.text, None) for piece in removed[both:])
    yield from (_make_part("message", name_message(piece), None, piece.text) for piece in came[both:])


def _make_part(kind: Kind, name: str, old: str | None, new: str | None) -> ChangedPart:
    """A part that differs between two calls, with the words that are new or gone."""
    if old is not None and new is not None:
        return ChangedPart(kind, name, "changed", diff_words(old, new))
    text = old or new or ""
    shown = text[:MAX_CHANGED_TEXT]
    words: tuple[WordRun, ...] = (("gone" if new is None else "new", shown),) if shown else ()
    return ChangedPart(kind, name, "removed" if new is None else "added", words, len(text) - len(shown))
