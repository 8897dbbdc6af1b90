"""Calls -> conversations: the main agent, its sub-agents, titles and summaries, told apart by what their calls share."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from ...model.struct import Frozen, note
from .call import Call, CallPiece
from .words.purposes import Purpose, first_words, purpose_of, system_texts

BEGINS = 80
"""So many characters of each text of a system prompt tell whose it is; numbers in them may change."""
LONG = 40
COMPACTED = re.compile(
    r"continued from a previous conversation|<(?:conversation_)?summary>|summary of (?:the|our) (?:conversation|work)"
    r"|conversation (?:was|has been|history) (?:was |has been )?(?:compacted|summari[sz]ed)|<state_snapshot>"
    r"|another language model started to solve",
    re.IGNORECASE,
)


class Conversation(Frozen, frozen=True):
    """Calls that follow each other."""

    name: Annotated[str, note("main; sub-agent: …; title; summary; side call: …")]
    why: Annotated[str, note("why it is taken for that")]
    calls: Annotated[tuple[int, ...], note("which of the calls, in the order of time")]
    key: Annotated[str, note("what the program calls its session")] = ""
    compacted: Annotated[tuple[int, ...], note("those before which the messages were summed up")] = ()


class Thread:
    """A conversation while calls are added to it."""

    def __init__(self, call: Call, purpose: Purpose) -> None:
        self.purpose, self.first = purpose, call
        self.calls: list[int] = []
        self.compacted: list[int] = []
        self.said: set[str] = set()


def conversations(calls: Sequence[Call]) -> tuple[Conversation, ...]:
    """The conversations, in the order in which they begin. Every call is in one."""
    threads = Threads()
    for number in sorted(range(len(calls)), key=lambda index: (calls[index].at, index)):
        threads.add(number, calls[number])
    return tuple(_named(threads.all, calls))


class Threads:
    """What is known of the conversations so far, by what a later call may share with them."""

    def __init__(self) -> None:
        self.all: list[Thread] = []
        self.ends: dict[str, Thread] = {}
        self.begun: dict[tuple[object, ...], Thread] = {}
        self.families: dict[tuple[object, ...], Thread] = {}
        self.replies: dict[str, Thread] = {}
        self.summaries: dict[tuple[str, str], str] = {}

    def add(self, number: int, call: Call) -> None:
        """Put a call where it belongs."""
        purpose = purpose_of(call)
        group = (call.run, call.key, call.form, purpose, bool(call.of("tool")))
        chain = list(_chain(repr(group), call))
        family = (*group, family_of(call))
        found = self._thread(call, purpose, family, chain)
        thread = found or self._summed_up(call, purpose, family)
        if thread is None:
            thread = Thread(call, purpose)
            self.all.append(thread)
        elif found is None:
            thread.compacted.append(number)
        thread.calls.append(number)
        self._keep(thread, call, family, chain)

    def _thread(self, call: Call, purpose: Purpose, family: tuple[object, ...], chain: list[str]) -> Thread | None:
        if call.continues in self.replies and call.continues:
            return self.replies[call.continues]
        if purpose != "agent":
            return self.families.get(family)
        spoken = _spoken(call)
        for index in range(len(chain) - 1, -1, -1):
            found = self.ends.get(chain[index])
            # That users say the same may be chance; that a model answers the same is none.
            if found is not None and (spoken[index] or family_of(found.first) == family[-1]):
                return found
        words = first_words(call)
        return self.begun.get((*family, words)) if words else None

    def _summed_up(self, call: Call, purpose: Purpose, family: tuple[object, ...]) -> Thread | None:
        """The conversation of which a call holds a summary, or the last messages."""
        last = self.families.get(family)
        if last is None or purpose != "agent":
            return None
        texts = [piece.text for piece in call.of("message")]
        summed = self.summaries.get((call.run, call.key), "")
        told = any(COMPACTED.search(text[:4_000]) for text in texts[:4]) or any(summed and summed in text for text in texts)
        kept = any(len(text) > LONG and text in last.said for text in texts[1:])
        return last if told or kept else None

    def _keep(self, thread: Thread, call: Call, family: tuple[object, ...], chain: list[str]) -> None:
        if chain:
            self.ends[chain[-1]] = thread
        if words := first_words(call):
            self.begun[(*family, words)] = thread
        self.families[family] = thread
        if call.reply_id:
            self.replies[call.reply_id] = thread
        if thread.purpose == "summary" and len(call.reply) > LONG:
            self.summaries[call.run, call.key] = call.reply.strip()[:200]
        thread.said.update(piece.text for piece in call.of("message") if LONG < len(piece.text))


def _chain(seed: str, call: Call) -> Iterator[str]:
    """For each piece of its messages, a digest of all up to there."""
    state = hashlib.sha256(seed.encode("utf-8", "replace"))
    for piece in call.of("message"):
        state.update(f"\0{piece.name}\0{piece.what}\0{piece.text}".encode("utf-8", "replace"))
        yield state.hexdigest()


def _spoken(call: Call) -> list[bool]:
    """For each piece of its messages, whether a model has spoken by then."""
    told, so_far = [], False
    for piece in call.of("message"):
        so_far = so_far or is_models(piece)
        told.append(so_far)
    return told


def is_models(piece: CallPiece) -> bool:
    """Whether a model said it."""
    return piece.name in ("assistant", "model")


def family_of(call: Call) -> str:
    """How the system prompt begins, whatever numbers stand in it."""
    return "\0".join(re.sub(r"\d+", "0", text[:BEGINS]) for text in system_texts(call))


def _named(threads: Sequence[Thread], calls: Sequence[Call]) -> Iterator[Conversation]:
    mains: dict[tuple[str, str], Thread] = {}
    for thread in threads:
        place = (thread.first.run, thread.first.key)
        if thread.purpose == "agent" and (place not in mains or _comes_before(thread, mains[place])):
            mains[place] = thread
    taken: dict[str, int] = {}
    for thread in threads:
        name, why = _name(thread, mains.get((thread.first.run, thread.first.key)))
        taken[name] = taken.get(name, 0) + 1
        unique = name if taken[name] == 1 else f"{name} ({taken[name]})"
        yield Conversation(unique, why, tuple(thread.calls), thread.first.key, tuple(thread.compacted))


def _comes_before(thread: Thread, main: Thread) -> bool:
    """Whether it is rather the main one: it offers tools, and the other does not."""
    return bool(thread.first.of("tool")) and not main.first.of("tool")


def _name(thread: Thread, main: Thread | None) -> tuple[str, str]:
    if thread.purpose != "agent":
        return thread.purpose, f"it asks for a {thread.purpose}"
    if main is None or thread is main:
        tools = len(thread.first.of("tool"))
        return "main", f"the first that offers tools ({tools})" if tools else "the first that asks a model"
    call, own = thread.first, system_texts(thread.first)
    if not call.of("tool"):
        words = _words(next(iter(own), "") or first_words(call))
        return f"side call: {words}", "it offers no tools, and the main agent does"
    if not call.key and family_of(call) == family_of(main.first) and _tools(call) == _tools(main.first):
        return "main", "it begins as the main one does, with other words of the user"
    return f"sub-agent: {_words(first_words(call) or next(iter(own), ''))}", " and ".join(_differences(call, main.first))


def _differences(call: Call, main: Call) -> Iterable[str]:
    if family_of(call) != family_of(main):
        yield "its system prompt begins in another way than the main agent's"
    if _tools(call) != _tools(main):
        yield f"it offers {len(_tools(call))} tools where the main agent has {len(_tools(main))}"
    yield "its first words are none of the user's in the main conversation"


def _tools(call: Call) -> frozenset[str]:
    return frozenset(piece.name for piece in call.of("tool"))


def _words(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONG else f"{words[: LONG - 1]}…"
