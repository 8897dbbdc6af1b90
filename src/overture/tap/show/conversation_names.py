"""Conversations by name: main, sub-agent, title, summary, side call; and why each is taken for that."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from ...model.struct import Frozen, note
from ..call import Call
from .purposes import Purpose, family_of, first_words, system_texts, tool_names

LONG = 40


class Conversation(Frozen, frozen=True):
    """Calls that follow each other."""

    name: Annotated[str, note("main; sub-agent: …; title; summary; side call: …")]
    why: Annotated[str, note("why it is taken for that")]
    calls: Annotated[tuple[int, ...], note("which of the calls, in the order of time")]
    key: Annotated[str, note("what the program calls its session")] = ""
    compacted: Annotated[tuple[int, ...], note("those before which the messages were summed up")] = ()
    joined: Annotated[tuple[int, ...], note("warm-ups that only a later call told to be of it")] = ()


class Thread:
    """A conversation while calls are added to it."""

    def __init__(self, call: Call, purpose: Purpose) -> None:
        self.purpose, self.first = purpose, call
        self.calls: list[int] = []
        self.compacted: list[int] = []
        self.joined: list[int] = []
        self.said: set[str] = set()
        self.length = 0
        """How many pieces the messages of its last call have."""


def named(threads: Sequence[Thread]) -> Iterator[Conversation]:
    """The conversations under names of which no two are the same."""
    mains: dict[tuple[str, str], Thread] = {}
    for thread in threads:
        place = (thread.first.run, thread.first.key)
        if thread.purpose == "agent" and (place not in mains or _comes_before(thread, mains[place])):
            mains[place] = thread
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    for thread in threads:
        name, why = _name(thread, mains.get((thread.first.run, thread.first.key)))
        unique = name
        while unique in taken:
            numbers[name] += 1
            unique = f"{name} ({numbers[name] + 1})"
        taken.add(unique)
        yield Conversation(
            unique, why, tuple(thread.calls), thread.first.key, tuple(thread.compacted), tuple(thread.joined)
        )


def _comes_before(thread: Thread, main: Thread) -> bool:
    """Whether it is rather the main one: it offers tools, and the other does not."""
    return bool(thread.first.of("tool")) and not main.first.of("tool")


def _name(thread: Thread, main: Thread | None) -> tuple[str, str]:
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
    told = words if words and words != first_words(first) else opening
    return _called("sub-agent", told), " and ".join(_differences(call, first))


def _differences(call: Call, main: Call) -> Iterable[str]:
    if family_of(call) != family_of(main):
        yield "its system prompt begins in another way than the main agent's"
    if tool_names(call) != tool_names(main) and "tool" not in (*call.unknown, *main.unknown):
        yield f"it offers {len(tool_names(call)) or 'no'} tools where the main agent has {len(tool_names(main))}"
    if first_words(call) != first_words(main):
        yield "its first words are not those of the main conversation"


def _called(what: str, text: str) -> str:
    """What it is, with its first words, where it has any."""
    words = " ".join(text.split())
    short = words if len(words) <= LONG else f"{words[: LONG - 1]}…"
    return f"{what}: {short}" if words else what
