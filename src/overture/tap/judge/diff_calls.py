"""Two calls -> all that differs between them: by name, and word by word for the page."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from ...model.struct import Frozen, note
from ...report.text_diff import WordRun, diff_words
from ..recorded_call import CallPiece, RecordedCall, Unheld
from .first_change import CallChange, compare_calls, name_message
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
    return Differences(
        compare_calls(before, after),
        _compare_by_name(collect_tools(before), collect_tools(after)),
        _compare_by_name(collect_sections(before), collect_sections(after)),
        same,
        len(old) - same,
        len(new) - same,
        tuple(dict.fromkeys((*before.unknown, *after.unknown))),
    )


def count_same_pieces(old: Sequence[CallPiece], new: Sequence[CallPiece]) -> int:
    """How many pieces of two calls are the same, from the first on."""
    rows = [[(piece.name, piece.what, piece.text) for piece in pieces] for pieces in (old, new)]
    return next((at for at, (a, b) in enumerate(zip(*rows, strict=False)) if a != b), min(len(old), len(new)))


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


def _compare_by_name(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """What a call added, removed or rewrote against the other, by the names of its parts."""
    names = [name for name in {**new, **old} if old.get(name) != new.get(name)]
    return {name: "added" if name not in old else "removed" if name not in new else "rewritten" for name in names}


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
    removed, came = old[same:], new[same:]
    messages = [*_compare_messages(removed, came)]
    parts = [
        *_compare_named("tool", *map(collect_tools, (before, after))),
        *_compare_named("section", *map(collect_sections, (before, after))),
    ]
    return CallChanges(
        before.id,
        after.id,
        compare_calls(before, after),
        (*parts, *messages[:MAX_SHOWN_MESSAGES]),
        same,
        max(len(messages) - MAX_SHOWN_MESSAGES, 0),
    )


def find_changed_sections(before: RecordedCall, after: RecordedCall) -> frozenset[str]:
    """The sections of the later call that are not what they were."""
    old = collect_sections(before)
    return frozenset(name for name, text in collect_sections(after).items() if old.get(name) != text)


def _compare_named(kind: Kind, old: dict[str, str], new: dict[str, str]) -> Iterator[ChangedPart]:
    """The parts of a kind that differ between two calls, word by word."""
    for name in {**new, **old}:
        if old.get(name) != new.get(name):
            yield _make_part(kind, name, old.get(name), new.get(name))


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
