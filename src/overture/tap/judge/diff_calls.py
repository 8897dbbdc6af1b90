"""What differs between two calls: the first change, at which a cache stops; and all, by name or word by word."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Literal

from msgspec.structs import replace

from ...model.struct import Frozen, note
from ...report.text_diff import WordRun, diff_words
from ...text.normalize import count_common_start, first_difference
from ..recorded_call import CallPiece, RecordedCall, Unheld
from .cache_key import is_key_setting, list_changed_settings, list_compared_pieces, select_indexes
from .prompt_sections import NO_HEADING, split_text_sections
from .volatile_spans import VolatileSpans

MONTHS = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
DAYS = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?"
KINDS = (
    ("the time", re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:\s?[AP]M)?|\b1[6-9]\d{8}(?:\d{3})?\b")),
    (
        "the date",
        re.compile(
            rf"\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|\b{DAYS}\b"
            rf"|\b{MONTHS}\.?\s\d{{1,2}}(?:,?\s\d{{4}})?|\d{{1,2}}\.?\s{MONTHS}(?:\s\d{{4}})?",
        ),
    ),
    (
        "an id",
        re.compile(
            r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F-]{8,27}|\b(?=[a-z]*\d)[0-9a-f]{7,64}\b|\b\w+_[A-Za-z0-9]{12,}"
        ),
    ),
    ("a path", re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+ -]+){2,}")),
    ("a number", re.compile(r"\d[\d,.]*%?")),
)
MAX_MATCH_DISTANCE = 60
GIT = re.compile(r"git ?status|recent commits|current branch|gitStatus", re.IGNORECASE)


def describe_text_change(old: str, new: str, at: int, section: str) -> str:
    """What changed in a section, in words; the same for the same kind of change, whatever the values."""
    where = f"in {section}"
    if at >= len(old.rstrip()) or at >= len(new.rstrip()):
        return f"text at the end of {section} was {'added' if len(new) > len(old) else 'cut'}"
    for name, pattern in KINDS:
        if _has_match_at(pattern, old, at) and _has_match_at(pattern, new, at):
            return f"{name} {where} changed"
    if GIT.search(new[max(at - 2_000, 0) : at]):
        return f"the git status {where} changed"
    if sorted(old.splitlines()) == sorted(new.splitlines()):
        return f"the order of lines {where} changed"
    return f"the text {where} changed"


def _has_match_at(pattern: re.Pattern[str], text: str, at: int) -> bool:
    """Whether a match of the pattern holds the place, or ends just before it."""
    start = max(at - MAX_MATCH_DISTANCE, 0)
    return any(
        m.start() + start <= at <= m.end() + start for m in pattern.finditer(text[start : at + MAX_MATCH_DISTANCE])
    )


Change = Literal["same", "appended", "tools", "system", "messages", "shortened", "compacted", "model", "settings"]
"""appended: all that was sent is sent again, with more after it. shortened: the later one is a beginning of the
earlier. compacted: the messages were summed up."""
CONTEXT_CHARS = 60
"""Characters that are shown on both sides of a difference."""


class CallChange(Frozen, frozen=True):
    """The first difference of a call from the previous one."""

    change: Change
    cause: Annotated[str, note("a description; the same for the same cause, whatever the values")] = ""
    byte: Annotated[
        int | None, note("offset of the first byte that differs, over tools, system and messages, in UTF-8")
    ] = None
    piece: Annotated[int | None, note("the index of the piece that contains it")] = None
    section: Annotated[str, note("the tool, section or message that contains it")] = ""
    before: Annotated[str, note("the text around it before")] = ""
    after: Annotated[str, note("the text around it after")] = ""
    added: Annotated[int, note("pieces after those that were sent before")] = 0

    @property
    def has_same_prefix(self) -> bool:
        """Whether all that was sent before still stands at the beginning."""
        return self.change in ("same", "appended")

    @property
    def is_summed_up(self) -> bool:
        """Whether messages were summed up or removed: what stands there is new, and nothing of it could be read."""
        return self.change in ("shortened", "compacted")


def compare_calls(
    before: RecordedCall, after: RecordedCall, *, compacted: bool = False, ignored: VolatileSpans | None = None
) -> CallChange:
    """What changed from one call to the next, as far as a cache looks at it."""
    ignored = ignored or VolatileSpans()
    pieces, there = ignored.adopt_pieces(before, after), list_compared_pieces(after)
    old = replace(before, pieces=select_indexes(pieces, list_compared_pieces(before)))
    change = _compare_pieces(old, replace(after, pieces=select_indexes(after.pieces, there)), ignored, compacted)
    if change.piece is None or len(there) == len(after.pieces):
        return change
    at = there[change.piece] if change.piece < len(there) else len(after.pieces)
    unseen = sum(count_bytes(after.pieces[index].text) for index in set(range(at)).difference(there))
    return replace(change, piece=at, byte=(change.byte or 0) + unseen)


def _compare_pieces(before: RecordedCall, after: RecordedCall, ignored: VolatileSpans, compacted: bool) -> CallChange:
    """The first change by which a cache is lost: of the model, the settings, or a piece."""
    index = count_same_pieces(before.pieces, after.pieces)
    old, new = (call.pieces[index] if index < len(call.pieces) else None for call in (before, after))

    def locate(change: Change, cause: str) -> CallChange:
        return CallChange(change, cause, *_locate_change(before, after, index, old, new))

    if before.model != after.model:
        return locate("model", f"the model changed from {before.model} to {after.model}")
    changed = list_changed_settings(before, after, ignored)
    first = new or old
    keyed = [name for name in changed if first is None or is_key_setting(after, name, first.kind)]
    if not compacted and (keyed or (changed and old is None)):
        return locate("settings", _describe_settings(keyed or changed))
    if not compacted and old is None:
        return CallChange("appended" if new else "same", added=len(after.pieces) - index)
    if not compacted and new is None:
        return locate("shortened", "messages at the end were removed")
    kinds = {piece.kind for piece in (old, new) if piece}
    if "tool" in kinds:
        return locate("tools", _describe_tools(before, after, old, new))
    if compacted or ("system" not in kinds and _is_shorter(before, after)):
        return locate("compacted", "the conversation was compacted" if compacted else "messages were removed")
    found = locate("system" if "system" in kinds else "messages", "")
    if "system" not in kinds and (moved := _describe_moved_messages(before, after, index, found.section)):
        return replace(found, cause=moved)
    return replace(found, cause=_describe_piece(old, new, found.section, "system" if "system" in kinds else "message"))


def _describe_settings(names: Sequence[str]) -> str:
    """The settings that changed first, in words."""
    return " and ".join(f"the setting {name!r} changed" for name in names[:3])


def count_same_pieces(old: Sequence[CallPiece], new: Sequence[CallPiece]) -> int:
    """How many pieces of two calls are the same, from the first on."""
    same = count_common_start(old, new)  # with their marks, which most have in common
    pairs = enumerate(zip(old[same:], new[same:], strict=False), same)
    return next((at for at, (a, b) in pairs if _make_key(a) != _make_key(b)), min(len(old), len(new)))


def _make_key(piece: CallPiece) -> tuple[str, str, str, str]:
    """What a cache sees of a piece; its marks are none of it."""
    return piece.kind, piece.name, piece.what, piece.text


def _find_first_char(old: CallPiece | None, new: CallPiece | None) -> int:
    """The first character that differs, of the piece."""
    if old is None or new is None or _make_key(old)[:3] != _make_key(new)[:3]:
        return 0
    return first_difference(old.text, new.text) or 0


def _locate_change(
    before: RecordedCall, after: RecordedCall, index: int, old: CallPiece | None, new: CallPiece | None
) -> tuple[int, int, str, str, str]:
    """Where the first change is: its byte, its piece, its section, and the text around it before and after."""
    if old is not None and new is not None and (old.kind != new.kind or old.kind == "tool"):
        # What only moved to the index of a piece that was added or removed is not shown.
        if _is_only_in(new, old, before):
            old = None
        elif _is_only_in(old, new, after):
            new = None
    char = _find_first_char(old, new)
    sent = sum(count_bytes(piece.text) for piece in after.pieces[:index])
    # The text around the first change.
    texts = [piece.text[max(char - CONTEXT_CHARS, 0) : char + CONTEXT_CHARS] if piece else "" for piece in (old, new)]
    piece = new or old
    byte = sent + (count_bytes(piece.text[:char]) if piece else 0)
    return byte, index, _name_location(piece, char), texts[0], texts[1]


def _is_only_in(piece: CallPiece, other: CallPiece, call: RecordedCall) -> bool:
    """Whether a call does not have this tool, or has no more pieces of this kind before the other piece."""
    if piece.kind == "tool":
        return piece.name not in {each.name for each in call.select_pieces("tool")}
    return piece.kind == "system" and other.kind == "message"


def count_bytes(text: str) -> int:
    """The bytes of a text before the first change, in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _name_location(piece: CallPiece | None, char: int) -> str:
    """Where a character is, by the names of its tool, section or message."""
    if piece is None:
        return ""
    if piece.kind == "tool":
        return f"tool {piece.name}"
    sections = [section.name for section in split_text_sections(piece.text) if section.start <= char < section.end]
    name = sections[0] if sections and sections[0] != NO_HEADING else ""
    if piece.kind == "system":
        return name or "the system prompt"
    return f"{name_message(piece)}: {name}" if name else name_message(piece)


def name_message(piece: CallPiece) -> str:
    """`message 3 (user, tool result)`."""
    return f"message {(piece.message or 0) + 1} ({piece.name}{'' if piece.what == 'text' else ', ' + piece.what})"


def _is_shorter(before: RecordedCall, after: RecordedCall) -> bool:
    """Whether messages went away: fewer are left, and less text."""
    old, new = before.select_pieces("message"), after.select_pieces("message")
    fewer = len({piece.message for piece in new}) < len({piece.message for piece in old})
    return fewer and sum(len(piece.text) for piece in new) < sum(len(piece.text) for piece in old)


def _describe_moved_messages(before: RecordedCall, after: RecordedCall, index: int, section: str) -> str:
    """That messages were removed or added, if the others are unchanged; dropped thinking has its own words."""
    if before.pieces[index].what == "thinking":
        return ""
    old, new = ([_make_key(piece) for piece in call.pieces[index:]] for call in (before, after))
    if any(new[: len(old) - start] == old[start:] for start in range(1, len(old)) if old[start] == new[0]):
        return f"messages were removed before {section}"
    if any(new[start : start + len(old)] == old for start in range(1, len(new)) if new[start] == old[0]):
        return f"messages were added before {section}"
    return ""


def _describe_piece(old: CallPiece | None, new: CallPiece | None, section: str, kind: str) -> str:
    if old is not None and old.what == "thinking" and (new is None or new.what != "thinking"):
        return "the thinking of earlier turns was dropped"
    if old is None or new is None or _make_key(old)[:3] != _make_key(new)[:3]:
        return f"a part of the {kind} was added or removed at {section}"
    return describe_text_change(old.text, new.text, _find_first_char(old, new), section)


def _describe_tools(before: RecordedCall, after: RecordedCall, old: CallPiece | None, new: CallPiece | None) -> str:
    """Which tools were added, removed, moved or rewritten."""
    was, now = ([piece.name for piece in call.select_pieces("tool")] for call in (before, after))
    added, removed = [n for n in now if n not in set(was)], [n for n in was if n not in set(now)]
    if added or removed:
        names = (("added", added), ("removed", removed))
        return " and ".join(f"tool {_join_names(each)} was {how}" for how, each in names if each)
    if sorted(was) == sorted(now) and was != now:
        return "the order of the tools changed"
    if old is None or new is None or old.name != new.name:
        return "the tools changed"
    return describe_text_change(old.text, new.text, _find_first_char(old, new), f"the description of tool {new.name!r}")


def _join_names(names: Sequence[str]) -> str:
    """The first names of what changed, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(repr, names[:3])) + more


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


PartKind = Literal["tool", "section", "message"]
MAX_CHANGED_TEXT = 20_000
"""Characters of a text that is all new or all gone."""
MAX_SHOWN_MESSAGES = 60
"""Messages that are shown."""


class ChangedPart(Frozen, frozen=True, omit_defaults=False):
    """A tool, a section or a message that is not what it was."""

    kind: PartKind
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


def _make_part(kind: PartKind, name: str, old: str | None, new: str | None) -> ChangedPart:
    """A part that differs between two calls, with the words that are new or gone."""
    if old is not None and new is not None:
        return ChangedPart(kind, name, "changed", diff_words(old, new))
    text = old or new or ""
    shown = text[:MAX_CHANGED_TEXT]
    words: tuple[WordRun, ...] = (("gone" if new is None else "new", shown),) if shown else ()
    return ChangedPart(kind, name, "removed" if new is None else "added", words, len(text) - len(shown))
