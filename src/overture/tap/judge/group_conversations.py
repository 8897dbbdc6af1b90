"""Calls -> conversations and their names: the main agent, its sub-agents, titles and summaries, by what calls share."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Annotated, Any, Literal, NamedTuple

from ...lazy import cached
from ...model.struct import Frozen, note
from ...text.normalize import count_common_start
from ...text.words import pluralize, shorten_text
from ..recorded_call import CallPiece, RecordedCall, read_previous_message
from .cache_key import find_head, parse_time
from .recent_sequences import RecentSequences

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


Pieces = tuple[CallPiece, ...]
MIN_LONG_TEXT = 40
COMPACTED = PhrasePattern(
    r"continued from a previous conversation|<(?:conversation_)?summary>|summary of (?:the|our) (?:conversation|work)"
    r"|conversation (?:was|has been|history) (?:was |has been )?(?:compacted|summari[sz]ed)|<state_snapshot>"
    r"|another language model started to solve",
    "compac",
    "summar",
    "from a prev",
    "state_snap",
    "another l",
)


class CallPlace(NamedTuple):
    """Where a call stands among those that came before it."""

    conversation: GrowingConversation
    before: int | None
    """The call of its conversation to which it is compared."""
    compacted: bool
    """The messages before it were summed up."""


class MessageChain(NamedTuple):
    """For each piece of some messages, a digest of it and of all before it."""

    seed: str
    digests: list[bytes]


class GroupedCalls(NamedTuple):
    """Conversations, in the order in which they begin, and the place of each call by its number, in order of time."""

    conversations: tuple[Conversation, ...]
    places: dict[int, CallPlace]


def group_calls(calls: Sequence[RecordedCall]) -> GroupedCalls:
    """The conversations of calls. Every call is in one."""
    index = ConversationIndex()
    order = sorted(range(len(calls)), key=lambda number: (parse_time(calls[number]), number))
    places = {number: index.add(number, calls[number]) for number in order}
    return GroupedCalls(tuple(name_conversations(index.threads)), places)


class ConversationIndex:
    """What is known of the conversations so far, by what a later call may share with them."""

    def __init__(self) -> None:
        self.threads: list[GrowingConversation] = []
        self.ends: dict[bytes, GrowingConversation] = {}
        self._chains = RecentSequences(MessageChain("", []))
        self.openings: dict[tuple[object, ...], GrowingConversation] = {}
        self.families: dict[tuple[object, ...], GrowingConversation] = {}
        self.replies: dict[str, GrowingConversation] = {}
        self.requests: dict[str, GrowingConversation] = {}
        self.summaries: dict[tuple[str, str], str] = {}
        self.warm_ups: dict[tuple[object, ...], tuple[GrowingConversation, RecordedCall]] = {}

    def add(self, number: int, call: RecordedCall) -> CallPlace:
        """Put a call into the conversation that it belongs to, or begin a new one."""
        purpose, messages = find_purpose(call), call.select_pieces("message")
        group = (call.run, call.key, call.form, purpose, call.offers_tools)
        chain = self._make_digests(repr(group), messages)
        family = (*group, find_head(call).family_key)
        prepared = self._find_prepared(call)
        conversation = prepared if prepared is not None and not prepared.first_call.is_warm_up else None
        conversation = conversation or self._find_thread(call, purpose, family, messages, chain) or prepared
        if prepared is not None and conversation is not None and prepared is not conversation:
            self._join_warm_ups(prepared, conversation)
        thread = conversation or self._find_summarized(call, purpose, family)
        if thread is None:
            thread = GrowingConversation(call, purpose)
            self.threads.append(thread)
        elif self._is_summed_up(call, thread, messages, is_continued=conversation is not None):
            thread.compacted.append(number)
        elif conversation is not None and thread.first_call.is_warm_up:
            thread.first_call = call
        thread.calls.append(number)
        self._remember(thread, call, family, messages, chain)
        before = thread.last_compared
        # The next call is compared to this one if it was answered, and is no warm-up after messages.
        if call.is_answered and (before is None or not call.is_warm_up):
            thread.last_compared = number
        return CallPlace(thread, before, number in thread.compacted)

    def _make_digests(self, seed: str, messages: Pieces) -> list[bytes]:
        """For each piece, a digest of all up to there; those that a recent call begins with are digested once.

        `seed`: what else has to be the same.
        """
        shared, known = self._chains.find_start(messages)
        shared = shared if known.seed == seed else 0
        digests = known.digests[:shared]
        last = digests[-1] if digests else seed.encode("utf-8", "replace")
        for piece in messages[shared:]:
            text = f"\0{piece.name}\0{piece.what}\0{piece.text}".encode("utf-8", "replace")
            last = hashlib.sha256(last + text).digest()
            digests.append(last)
        self._chains.add(messages, MessageChain(seed, digests), messages[shared:])
        return digests

    def _find_prepared(self, call: RecordedCall) -> GrowingConversation | None:
        """The conversation of the answer that a call goes on from, or of the warm-up that it begins with."""
        if call.continues in self.replies:
            return self.replies[call.continues]
        warmed, before = self.warm_ups.get(_make_warm_up_key(call), (None, call))
        if warmed is None or call.pieces[: len(before.pieces)] != before.pieces:
            return None
        # A warm-up is meant for one conversation: the next that begins so is told apart by its messages.
        del self.warm_ups[_make_warm_up_key(call)]
        return warmed

    def _join_warm_ups(self, warm_ups: GrowingConversation, thread: GrowingConversation) -> None:
        """Add to a conversation the warm-ups that its next call continues: alone, they identify no conversation."""
        thread.calls += warm_ups.calls
        if thread.last_compared is None:
            thread.last_compared = warm_ups.last_compared
        self.threads.remove(warm_ups)
        indexes: tuple[dict[Any, GrowingConversation], ...] = (
            self.ends, self.openings, self.families, self.replies, self.requests,
        )  # fmt: skip
        for index in indexes:
            index.update({key: thread for key, each in index.items() if each is warm_ups})
        self.warm_ups.update({key: (thread, at) for key, (each, at) in self.warm_ups.items() if each is warm_ups})

    def _find_thread(
        self, call: RecordedCall, purpose: Purpose, family: tuple[object, ...], messages: Pieces, chain: list[bytes]
    ) -> GrowingConversation | None:
        """The conversation that a call belongs to; None: it begins one."""
        if purpose != "agent":
            return self.families.get(family)
        if call.is_warm_up and call.key:
            return self._find_warmed_up(family)
        head = find_head(call)
        named = self.replies.get(read_previous_message(call.others)) or self.requests.get(head.previous_request)
        first = None if named is None else find_head(named.first_call)
        if first is not None and first.tool_names == head.tool_names and first.family_key == head.family_key:
            return named
        answered = next((at for at, piece in enumerate(messages) if is_from_model(piece)), len(messages))
        for index in range(len(chain) - 1, -1, -1):
            thread = self.ends.get(chain[index])
            has_messages = index >= answered or (thread is not None and _has_reply(thread, messages[index + 1 :]))
            if thread is not None and self._is_continued(thread, call, has_messages=has_messages):
                return thread
        words = find_first_words(call)
        conversation_id = self.openings.get((*family, words)) if words else None
        return conversation_id or self._find_edited(messages, family)

    def _find_warmed_up(self, family: tuple[object, ...]) -> GrowingConversation | None:
        """The conversation of a warm-up: of its session, and with its system prompt, of which it may send less."""
        *group, begins = family
        threads = (
            thread
            for (*other, system), thread in reversed(self.families.items())
            if other == group and str(system).startswith(str(begins))
        )
        return next(threads, None)

    def _find_edited(self, messages: Pieces, family: tuple[object, ...]) -> GrowingConversation | None:
        """The conversation whose first messages a call has changed: output of models and tools is still there."""
        last = self.families.get(family)
        if last is None or len(messages) < len(last.messages):
            return None
        output = (each.text for each in messages if is_from_model(each) or each.what != "text")
        return None if last.long_texts.isdisjoint(output) or _is_announced(messages) else last

    def _is_continued(self, conversation: GrowingConversation, call: RecordedCall, *, has_messages: bool) -> bool:
        """Whether a call that begins with a conversation's messages is its next call, and no sub-agent's.

        Users may write the same by chance; a model does not answer the same by chance.
        """
        first, head = find_head(conversation.first_call), find_head(call)
        if first.family_key == head.family_key:
            return True
        if not has_messages:
            return False
        old, new = first.tool_names, head.tool_names
        # Another model may have a system prompt of its own, and some tools more or fewer.
        return old == new or (conversation.first_call.model != call.model and 2 * len(old & new) > len(old | new))

    def _find_summarized(
        self, call: RecordedCall, purpose: Purpose, family: tuple[object, ...]
    ) -> GrowingConversation | None:
        """The conversation of which a call holds a summary, or the last messages."""
        last = self.families.get(family)
        if last is None or purpose != "agent":
            return None
        messages = call.select_pieces("message")
        texts = [piece.text for piece in messages[1:]]
        return last if self._has_summary(call, messages) or not last.long_texts.isdisjoint(texts) else None

    def _has_summary(self, call: RecordedCall, messages: Pieces) -> bool:
        """Whether messages say that others were summed up, or hold the summary that a call asked for."""
        summed = self.summaries.get((call.run, call.key), "")
        return _is_announced(messages) or any(summed and summed in piece.text for piece in messages)

    def _is_summed_up(
        self, call: RecordedCall, thread: GrowingConversation, messages: Pieces, *, is_continued: bool
    ) -> bool:
        """Whether messages were summed up: a conversation whose first message was edited has as many as before."""
        if is_continued:
            return _is_announced(messages) and not _is_announced(thread.messages)
        return self._has_summary(call, messages) or len(messages) < len(thread.messages)

    def _remember(
        self,
        thread: GrowingConversation,
        call: RecordedCall,
        family: tuple[object, ...],
        messages: Pieces,
        chain: list[bytes],
    ) -> None:
        if chain:
            self.ends[chain[-1]] = thread
        if words := find_first_words(call):
            self.openings[(*family, words)] = thread
        self.families[family] = thread
        if call.is_warm_up:
            self.warm_ups[_make_warm_up_key(call)] = (thread, call)
        if call.reply_id:
            self.replies[call.reply_id] = thread
        if call.request_id:
            self.requests[call.request_id] = thread
        if thread.purpose == "summary" and len(call.reply) > MIN_LONG_TEXT:
            self.summaries[call.run, call.key] = call.reply.strip()[:200]
        new = messages[count_common_start(messages, thread.messages) :]
        thread.messages, thread.reply = messages, call.reply
        thread.long_texts.update(piece.text for piece in new if len(piece.text) > MIN_LONG_TEXT)


def _is_announced(messages: Pieces) -> bool:
    return any(COMPACTED.is_in(each.text[:4_000]) for each in messages[:4])


def _has_reply(thread: GrowingConversation, rest: Pieces) -> bool:
    """Whether a call goes on with what the model answered to the last one, which was its first or asked the same."""
    texts = [piece.text.strip() for piece in takewhile(is_from_model, rest) if piece.what == "text"]
    return bool(thread.reply.strip()) and thread.reply.strip() in texts


def _make_warm_up_key(call: RecordedCall) -> tuple[object, ...]:
    """Whose calls a warm-up may be meant for."""
    return call.run, call.key, call.form, call.model
