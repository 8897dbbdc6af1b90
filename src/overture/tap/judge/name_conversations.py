"""What calls and conversations are called: main, sub-agent, title, summary."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from ...lazy import cached
from ...model.struct import Frozen, note
from ...text.words import pluralize, shorten_text
from ..recorded_call import CallPiece, RecordedCall
from .call_head import find_head

Purpose = Literal["agent", "title", "summary"]


class PhrasePattern:
    """A pattern that ignores case, and parts of words of which each match has one: nearly all texts have none.

    To look for these takes a tenth of the time. There is no `i` in them, which matches more than it folds to.
    """

    def __init__(self, pattern: str, *parts: str) -> None:
        """A pattern of phrases by which conversations are told apart; `parts` are searched first, as that is fast."""
        self._pattern, self._parts = pattern, parts

    def is_in(self, text: str) -> bool:
        """Whether a text has such a phrase."""
        folded = text.casefold()
        if not any([part in folded for part in self._parts]):
            return False
        return re.search(self._pattern, text, re.IGNORECASE | re.DOTALL) is not None  # compiled when it is needed


CHAT = r"\b(?:conversations?|sessions?|chats?|threads?|history|transcript|discussion|so far)\b"
TITLED = PhrasePattern(rf"\btitles?\b.{{0,100}}{CHAT}|{CHAT}.{{0,60}}\btitles?\b|\btitle generator\b", "tle")
SUMMARY = PhrasePattern(
    rf"\bsummar\w+\b.{{0,120}}{CHAT}|{CHAT}.{{0,60}}\bsummar\w+\b|\bhandoff summary\b|\bcontext (?:\w+ )?compaction\b",
    "summar",
    "compac",
)
REMINDER = re.compile(r"\s*<(?:system-reminder|session_context|environment_context|environment_details|context)\b")
MAX_SYSTEM_CHARS, MAX_LAST_CHARS = 400, 600
"""So many characters of a system prompt, and of the last words of a user, are looked at."""


def find_purpose(call: RecordedCall) -> Purpose:
    """What a call is for. One that offers tools is the agent's, unless its last words ask for a summary."""
    last = find_last_words(call)[:MAX_LAST_CHARS]
    offers = call.offers_tools
    if SUMMARY.is_in(last) and (not offers or len(call.select_pieces("message")) > 2):
        return "summary"
    if offers:
        return "agent"
    system = "\n".join(find_head(call).system_texts)[:MAX_SYSTEM_CHARS]
    if TITLED.is_in(system) or TITLED.is_in(last):
        return "title"
    return "summary" if SUMMARY.is_in(system) else "agent"


@cached
def find_first_words(call: RecordedCall) -> str:
    """The first words of a user, without what programs put before them."""
    texts = (piece.text for piece in call.select_pieces("message") if _is_users(piece))
    return next((text for text in texts if not REMINDER.match(text)), "")


def find_last_words(call: RecordedCall) -> str:
    """The last piece, if it is a user's."""
    messages = (piece for piece in reversed(call.select_pieces("message")) if piece.name != "system")
    last = next(messages, None)
    return last.text if last is not None and _is_users(last) else ""


def _is_users(piece: CallPiece) -> bool:
    """Whether a piece is a user's text, by which a conversation may be named."""
    return piece.name == "user" and piece.what == "text"


def is_from_model(piece: CallPiece) -> bool:
    """Whether a model wrote a piece of the conversation."""
    return piece.name in ("assistant", "model")


MAX_NAME_LENGTH = 40


class Conversation(Frozen, frozen=True):
    """Calls that follow each other."""

    name: Annotated[str, note("main; sub-agent: …; title; summary; side call: …")]
    why: Annotated[str, note("why it has this name")]
    calls: Annotated[tuple[int, ...], note("indexes of its calls, in order of time")]
    key: Annotated[str, note("the program's own session id")] = ""
    compacted: Annotated[tuple[int, ...], note("the calls before which the messages were summarized")] = ()


class GrowingConversation:
    """A conversation while calls are added to it."""

    def __init__(self, call: RecordedCall, purpose: Purpose) -> None:
        self.purpose, self.first_call = purpose, call
        self.calls: list[int] = []
        self.compacted: list[int] = []
        self.last_compared: int | None = None
        """The call to which the next one is compared."""
        self.long_texts: set[str] = set()
        self.messages: tuple[CallPiece, ...] = ()
        """The pieces of the messages of its last call."""
        self.reply = ""
        """What the model answered to that."""


def name_conversations(threads: Sequence[GrowingConversation]) -> Iterator[Conversation]:
    """The conversations under names of which no two are the same."""
    mains: dict[tuple[str, str], GrowingConversation] = {}
    for thread in threads:
        key = (thread.first_call.run, thread.first_call.key)
        if thread.purpose != "agent":
            continue
        # The main one is the first that offers tools, else the first.
        if key not in mains or (thread.first_call.offers_tools and not mains[key].first_call.offers_tools):
            mains[key] = thread
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    for thread in threads:
        name, why = _name_thread(thread, mains.get((thread.first_call.run, thread.first_call.key)))
        unique = name
        while unique in used:
            numbers[name] += 1
            unique = f"{name} ({numbers[name] + 1})"
        used.add(unique)
        yield Conversation(unique, why, tuple(thread.calls), thread.first_call.key, tuple(thread.compacted))


def _name_thread(thread: GrowingConversation, main: GrowingConversation | None) -> tuple[str, str]:
    """How a conversation is called, and why."""
    if thread.purpose != "agent":
        return thread.purpose, f"it asks for a {thread.purpose}"
    if main is None or thread is main:
        tools = len(thread.first_call.select_pieces("tool"))
        return "main", f"the first call that offers tools ({tools})" if tools else "the first model call"
    call, first = thread.first_call, main.first_call
    own, others = find_head(call), find_head(first)
    if not call.key and own.family_key == others.family_key and own.tool_names == others.tool_names:
        return "main", "it begins like the main conversation, with a different user message"
    differences = " and ".join(_list_differences(call, first))
    if not differences:
        return "main", "nothing tells it apart from the main conversation"
    words, opening = find_first_words(call), next(iter(own.system_texts), "")
    if not call.select_pieces("tool") and "tool" not in call.unknown:
        return _make_name("side call", opening or words), differences
    name = words if words and words != find_first_words(first) else opening
    return _make_name("sub-agent", name), differences


def _list_differences(call: RecordedCall, main: RecordedCall) -> Iterable[str]:
    """What tells a conversation apart from the main one: system prompt, tools, first words."""
    head, main_head = find_head(call), find_head(main)
    if head.family_key != main_head.family_key:
        yield "its system prompt begins differently from the main agent's"
    if head.tool_names != main_head.tool_names and "tool" not in (*call.unknown, *main.unknown):
        own, others = len(head.tool_names), len(main_head.tool_names)
        yield f"it offers {own or 'no'} {pluralize(own, 'tool')} where the main agent has {others}"
    if find_first_words(call) != find_first_words(main):
        yield "its first words differ from the main conversation's"


def _make_name(what: str, text: str) -> str:
    """What it is, with its first words, where it has any."""
    words = " ".join(text.split())
    return f"{what}: {shorten_text(words, MAX_NAME_LENGTH)}" if words else what
