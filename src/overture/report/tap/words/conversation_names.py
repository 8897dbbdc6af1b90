"""Conversations by name: main, sub-agent, title, summary, side call; and why each is taken for that."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from ....model.struct import Frozen, note
from ..call import Call
from .purposes import Purpose, family_of, first_words, system_texts

LONG = 40


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


def named(threads: Sequence[Thread]) -> Iterator[Conversation]:
    """The conversations under names of which no two are the same."""
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
    return f"sub-agent: {_words(first_words(call) or next(iter(own), ''))}", " and ".join(
        _differences(call, main.first)
    )


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
