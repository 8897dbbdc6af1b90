"""What calls and conversations are called: main, sub-agent, title, summary."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from ...model.struct import Frozen, note
from ...text.normalize import shorten_text
from ..call import CallPiece, RecordedCall
from ..judge.cache_view import BILLING

Purpose = Literal["agent", "title", "summary"]
TALK = r"\b(?:conversations?|sessions?|chats?|threads?|history|transcript|discussion|so far)\b"
TITLED = re.compile(rf"\btitles?\b.{{0,100}}{TALK}|{TALK}.{{0,60}}\btitles?\b|\btitle generator\b", re.I | re.S)
SUMMARY = re.compile(
    rf"\bsummar\w+\b.{{0,120}}{TALK}|{TALK}.{{0,60}}\bsummar\w+\b|\bhandoff summary\b|\bcontext (?:\w+ )?compaction\b",
    re.IGNORECASE | re.DOTALL,
)
REMINDER = re.compile(r"\s*<(?:system-reminder|session_context|environment_context|environment_details|context)\b")
BEGINS = 80
"""So many characters of each text of a system prompt tell whose it is; numbers in them may change."""
SYSTEM, LAST = 400, 600
"""So many characters of a system prompt, and of the last words of a user, are looked at."""


def purpose_of(call: RecordedCall) -> Purpose:
    """What a call is for. One that offers tools is the agent's, unless its last words ask for a summary."""
    last = last_words(call)[:LAST]
    offers = any(piece.kind == "tool" for piece in call.pieces)
    if SUMMARY.search(last) and (not offers or len(call.of("message")) > 2):
        return "summary"
    if offers:
        return "agent"
    system = "\n".join(system_texts(call))[:SYSTEM]
    if TITLED.search(system) or TITLED.search(last):
        return "title"
    return "summary" if SUMMARY.search(system) else "agent"


def system_texts(call: RecordedCall) -> list[str]:
    """The texts of the system prompt, without the line that only counts for a bill."""
    return [piece.text for piece in call.pieces if piece.kind == "system" and not piece.text.startswith(BILLING)]


def user_texts(call: RecordedCall) -> list[str]:
    """What users say, without what their programs put before it."""
    texts = [
        piece.text for piece in call.pieces if piece.kind == "message" and piece.name == "user" and piece.what == "text"
    ]
    return [text for text in texts if not REMINDER.match(text)]


def first_words(call: RecordedCall) -> str:
    """The first words of a user."""
    return next(iter(user_texts(call)), "")


def last_words(call: RecordedCall) -> str:
    """The last piece, where a user speaks it."""
    messages = [piece for piece in call.pieces if piece.kind == "message" and piece.name != "system"]
    return messages[-1].text if messages and messages[-1].name == "user" and messages[-1].what == "text" else ""


def family_of(call: RecordedCall) -> str:
    """How the system prompt begins, whatever numbers stand in it."""
    return "\0".join(re.sub(r"\d+", "0", text[:BEGINS]) for text in system_texts(call))


def is_models(piece: CallPiece) -> bool:
    """Whether a model said it."""
    return piece.name in ("assistant", "model")


def tool_names(call: RecordedCall) -> frozenset[str]:
    """The tools that a call offers."""
    return frozenset(piece.name for piece in call.of("tool"))


LONG = 40


class Conversation(Frozen, frozen=True):
    """Calls that follow each other."""

    name: Annotated[str, note("main; sub-agent: …; title; summary; side call: …")]
    why: Annotated[str, note("why it is taken for that")]
    calls: Annotated[tuple[int, ...], note("which of the calls, in the order of time")]
    key: Annotated[str, note("what the program calls its session")] = ""
    compacted: Annotated[tuple[int, ...], note("those before which the messages were summed up")] = ()
    joined: Annotated[tuple[int, ...], note("warm-ups that only a later call told to be of it")] = ()


class GrowingConversation:
    """A conversation while calls are added to it."""

    def __init__(self, call: RecordedCall, purpose: Purpose) -> None:
        self.purpose, self.first = purpose, call
        self.calls: list[int] = []
        self.compacted: list[int] = []
        self.joined: list[int] = []
        self.said: set[str] = set()
        self.length = 0
        """How many pieces the messages of its last call have."""


def named(threads: Sequence[GrowingConversation]) -> Iterator[Conversation]:
    """The conversations under names of which no two are the same."""
    mains: dict[tuple[str, str], GrowingConversation] = {}
    for thread in threads:
        key = (thread.first.run, thread.first.key)
        if thread.purpose == "agent" and (key not in mains or _comes_before(thread, mains[key])):
            mains[key] = thread
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    for thread in threads:
        name, why = _name(thread, mains.get((thread.first.run, thread.first.key)))
        unique = name
        while unique in used:
            numbers[name] += 1
            unique = f"{name} ({numbers[name] + 1})"
        used.add(unique)
        yield Conversation(
            unique, why, tuple(thread.calls), thread.first.key, tuple(thread.compacted), tuple(thread.joined)
        )


def _comes_before(thread: GrowingConversation, main: GrowingConversation) -> bool:
    """Whether it is rather the main one: it offers tools, and the other does not."""
    return bool(thread.first.of("tool")) and not main.first.of("tool")


def _name(thread: GrowingConversation, main: GrowingConversation | None) -> tuple[str, str]:
    if thread.purpose != "agent":
        return thread.purpose, f"it asks for a {thread.purpose}"
    if main is None or thread is main:
        tools = len(thread.first.of("tool"))
        return "main", f"the first that offers tools ({tools})" if tools else "the first that asks a model"
    call, first = thread.first, main.first
    if not call.key and family_of(call) == family_of(first) and tool_names(call) == tool_names(first):
        return "main", "it begins as the main one does, with other words of the user"
    words, opening = first_words(call), next(iter(system_texts(call)), "")
    if not call.of("tool") and "tool" not in call.unknown:
        return _called("side call", opening or words), " and ".join(_differences(call, first))
    name = words if words and words != first_words(first) else opening
    return _called("sub-agent", name), " and ".join(_differences(call, first))


def _differences(call: RecordedCall, main: RecordedCall) -> Iterable[str]:
    if family_of(call) != family_of(main):
        yield "its system prompt begins in another way than the main agent's"
    if tool_names(call) != tool_names(main) and "tool" not in (*call.unknown, *main.unknown):
        yield f"it offers {len(tool_names(call)) or 'no'} tools where the main agent has {len(tool_names(main))}"
    if first_words(call) != first_words(main):
        yield "its first words are not those of the main conversation"


def _called(what: str, text: str) -> str:
    """What it is, with its first words, where it has any."""
    words = " ".join(text.split())
    return f"{what}: {shorten_text(words, LONG)}" if words else what
