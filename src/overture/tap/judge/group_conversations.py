"""Calls -> conversations: the main agent, its sub-agents, titles and summaries, told apart by what calls share."""

import hashlib
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from ...text.normalize import count_common_start
from ..recorded_call import CallPiece, RecordedCall, read_previous_message
from .cache_key import parse_time
from .call_head import find_head
from .name_conversations import (
    Conversation,
    GrowingConversation,
    PhrasePattern,
    Purpose,
    find_first_words,
    find_purpose,
    is_from_model,
    name_conversations,
)
from .recent_sequences import RecentSequences

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
