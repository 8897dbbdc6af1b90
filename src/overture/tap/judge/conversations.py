"""Calls -> conversations: the main agent, its sub-agents, titles and summaries, told apart by what calls share."""

import hashlib
import re
from collections.abc import Iterator, Sequence

from ..call import RecordedCall
from ..read.diagnosis import previous_message
from ..show.call_names import (
    Conversation,
    GrowingConversation,
    Purpose,
    family_of,
    first_words,
    is_models,
    named,
    purpose_of,
    tool_names,
)
from .cache_view import previous_request
from .predict_reads import time_of

LONG = 40
COMPACTED = re.compile(
    r"continued from a previous conversation|<(?:conversation_)?summary>|summary of (?:the|our) (?:conversation|work)"
    r"|conversation (?:was|has been|history) (?:was |has been )?(?:compacted|summari[sz]ed)|<state_snapshot>"
    r"|another language model started to solve",
    re.IGNORECASE,
)


def conversations(calls: Sequence[RecordedCall]) -> tuple[Conversation, ...]:
    """The conversations, in the order in which they begin. Every call is in one."""
    threads = ConversationIndex()
    for number in sorted(range(len(calls)), key=lambda index: (time_of(calls[index]), index)):
        threads.add(number, calls[number])
    return tuple(named(threads.all))


class ConversationIndex:
    """What is known of the conversations so far, by what a later call may share with them."""

    def __init__(self) -> None:
        self.all: list[GrowingConversation] = []
        self.ends: dict[str, GrowingConversation] = {}
        self.begun: dict[tuple[object, ...], GrowingConversation] = {}
        self.families: dict[tuple[object, ...], GrowingConversation] = {}
        self.replies: dict[str, GrowingConversation] = {}
        self.requests: dict[str, GrowingConversation] = {}
        self.summaries: dict[tuple[str, str], str] = {}
        self.warmed: dict[tuple[object, ...], tuple[GrowingConversation, RecordedCall]] = {}

    def add(self, number: int, call: RecordedCall) -> GrowingConversation:
        """Put a call where it belongs: to the conversation that is given back."""
        purpose = purpose_of(call)
        group = (call.run, call.key, call.form, purpose, bool(call.of("tool")))
        chain = list(_chain(repr(group), call))
        family = (*group, family_of(call))
        prepared = self._prepared(call)
        found = prepared if prepared is not None and not prepared.first.warms_up else None
        found = found or self._thread(call, purpose, family, chain) or prepared
        if prepared is not None and found is not None and prepared is not found:
            self._join(prepared, found)
        thread = found or self._summed_up(call, purpose, family)
        if thread is None:
            thread = GrowingConversation(call, purpose)
            self.all.append(thread)
        elif found is None:
            thread.compacted.append(number)
        elif thread.first.warms_up:
            thread.first = call
        thread.calls.append(number)
        self._keep(thread, call, family, chain)
        return thread

    def _prepared(self, call: RecordedCall) -> GrowingConversation | None:
        """The conversation of the answer that a call goes on from, or of the warm-up that it begins with."""
        if call.continues in self.replies and call.continues:
            return self.replies[call.continues]
        warmed, before = self.warmed.get(_place(call), (None, call))
        return warmed if call.pieces[: len(before.pieces)] == before.pieces else None

    def _join(self, warm_ups: GrowingConversation, thread: GrowingConversation) -> None:
        """Give a conversation the warm-ups that its next call goes on from: they alone do not tell whose they are."""
        thread.calls += warm_ups.calls
        thread.joined += warm_ups.calls
        self.all.remove(warm_ups)
        self.replies.update({id: thread for id, each in self.replies.items() if each is warm_ups})

    def _thread(
        self, call: RecordedCall, purpose: Purpose, family: tuple[object, ...], chain: list[str]
    ) -> GrowingConversation | None:
        if purpose != "agent":
            return self.families.get(family)
        if call.warms_up and call.key:
            return self._warmed_up(family)
        named = self.replies.get(previous_message(call.others)) or self.requests.get(previous_request(call))
        if named is not None and tool_names(named.first) == tool_names(call) and family_of(named.first) == family[-1]:
            return named
        messages = _spoken(call)
        for index in range(len(chain) - 1, -1, -1):
            found = self.ends.get(chain[index])
            if found is not None and self._goes_on(found, call, family, has_messages=messages[index]):
                return found
        words = first_words(call)
        conversation_id = self.begun.get((*family, words)) if words else None
        return conversation_id or self._edited(call, family)

    def _warmed_up(self, family: tuple[object, ...]) -> GrowingConversation | None:
        """The conversation of a warm-up: of its session, and with its system prompt, of which it may send less."""
        *group, begins = family
        threads = (
            thread
            for (*other, system), thread in reversed(self.families.items())
            if other == group and str(system).startswith(str(begins))
        )
        return next(threads, None)

    def _edited(self, call: RecordedCall, family: tuple[object, ...]) -> GrowingConversation | None:
        """The conversation whose first messages a call has changed: what models and tools said is still there."""
        last, messages = self.families.get(family), call.of("message")
        if (
            last is None
            or len(messages) < last.length
            or any(COMPACTED.search(each.text[:4_000]) for each in messages[:4])
        ):
            return None
        is_long = (len(each.text) > LONG and (is_models(each) or each.what != "text") for each in messages)
        repeated = [each.text in last.said for each, long in zip(messages, is_long, strict=True) if long]
        return last if any(repeated) else None

    def _goes_on(
        self, found: GrowingConversation, call: RecordedCall, family: tuple[object, ...], *, has_messages: bool
    ) -> bool:
        """Whether a call that begins with what was said in a conversation is its next, and no sub-agent's.

        That users say the same may be chance; that a model answers the same is none.
        """
        if family_of(found.first) == family[-1] or not has_messages:
            return family_of(found.first) == family[-1]
        old, new = tool_names(found.first), tool_names(call)
        # Another model may have a system prompt of its own, and some tools more or fewer.
        return old == new or (found.first.model != call.model and 2 * len(old & new) > len(old | new))

    def _summed_up(
        self, call: RecordedCall, purpose: Purpose, family: tuple[object, ...]
    ) -> GrowingConversation | None:
        """The conversation of which a call holds a summary, or the last messages."""
        last = self.families.get(family)
        if last is None or purpose != "agent":
            return None
        texts = [piece.text for piece in call.of("message")]
        summed = self.summaries.get((call.run, call.key), "")
        announced = any(COMPACTED.search(text[:4_000]) for text in texts[:4]) or any(
            summed and summed in text for text in texts
        )
        repeated = any(len(text) > LONG and text in last.said for text in texts[1:])
        return last if announced or repeated else None

    def _keep(
        self, thread: GrowingConversation, call: RecordedCall, family: tuple[object, ...], chain: list[str]
    ) -> None:
        if chain:
            self.ends[chain[-1]] = thread
        if words := first_words(call):
            self.begun[(*family, words)] = thread
        self.families[family] = thread
        if call.warms_up:
            self.warmed[_place(call)] = (thread, call)
        if call.reply_id:
            self.replies[call.reply_id] = thread
        if call.request_id:
            self.requests[call.request_id] = thread
        if thread.purpose == "summary" and len(call.reply) > LONG:
            self.summaries[call.run, call.key] = call.reply.strip()[:200]
        thread.length = len(call.of("message"))
        thread.said.update(piece.text for piece in call.of("message") if len(piece.text) > LONG)


def _place(call: RecordedCall) -> tuple[object, ...]:
    """Whose calls a warm-up may be meant for."""
    return call.run, call.key, call.form, call.model


def _chain(seed: str, call: RecordedCall) -> Iterator[str]:
    """For each piece of its messages, a digest of all up to there."""
    state = hashlib.sha256(seed.encode("utf-8", "replace"))
    for piece in call.of("message"):
        state.update(f"\0{piece.name}\0{piece.what}\0{piece.text}".encode("utf-8", "replace"))
        yield state.hexdigest()


def _spoken(call: RecordedCall) -> list[bool]:
    """For each piece of its messages, whether a model has spoken by then."""
    messages, so_far = [], False
    for piece in call.of("message"):
        so_far = so_far or is_models(piece)
        messages.append(so_far)
    return messages
