"""Calls -> conversations, by what they share."""

from hypothesis import given, settings
from hypothesis import strategies as st

from overture.tap.judge.group_conversations import group_calls
from overture.tap.recorded_call import WARM_UP, CallPiece, RecordedCall
from tests.contract.effort import examples

from .calls import call, said, system, tool

MAIN = (tool("Agent"), tool("Read"), system("You are the main agent. Today is 2026-11-15."))
SUB = (tool("Read"), system("You are a searcher."))


def names(calls: list[RecordedCall]) -> dict[str, tuple[int, ...]]:
    """The conversations by name."""
    return {conversation.name: conversation.calls for conversation in group_calls(calls).conversations}


def test_a_session() -> None:
    """A title, the main agent, two sub-agents and a summary are told apart, whatever the order in which they run."""
    calls = [
        call(system("Generate a short title for this conversation."), *said("fix the bug"), minute=0),
        call(*MAIN, *said("fix the bug"), minute=1),
        call(*SUB, *said("look for a"), minute=2),
        call(*SUB, *said("look for b"), minute=3),
        call(*SUB, *said("look for a", "reading", "file a"), minute=4),
        call(*MAIN, *said("fix the bug", "two found", "go on"), minute=5),
        call(*MAIN, *said("fix the bug", "two found", "Your task is to create a detailed summary of the conversation"),
             minute=6),
    ]  # fmt: skip
    assert names(calls) == {
        "title": (0,), "main": (1, 5), "sub-agent: look for a": (2, 4), "sub-agent: look for b": (3,), "summary": (6,),
    }  # fmt: skip
    why = {conversation.name: conversation.why for conversation in group_calls(calls).conversations}
    assert "begins differently" in why["sub-agent: look for a"] and "asks for a title" in why["title"]


def test_a_warm_up_belongs_to_the_call_that_it_prepares() -> None:
    """Its conversation is named by that call, whether it goes on from the warm-up or sends all of it again."""
    warm = call(*MAIN, minute=0, stop=WARM_UP, reply_id="w")
    rest = (system("And skills."), *said("fix the bug"))
    for more in ({"continues": "w"}, {}):
        calls = [warm, call(*MAIN, *rest, minute=1, **more), call(*SUB, *said("look"), minute=2)]
        assert names(calls) == {"main": (0, 1), "sub-agent: look": (2,)}


def test_compaction() -> None:
    """A call that begins with the summary of a conversation belongs to it, and is marked."""
    summary = "The user wants the bug in parser.py fixed; two places were found and one is done."
    calls = [
        call(*MAIN, *said("fix the bug"), minute=0),
        call(*MAIN, *said("fix the bug", "a", "b"), minute=1),
        call(*MAIN, *said("fix the bug", "a", "Summarize the conversation so far."), minute=2, reply=summary),
        call(*MAIN, *said(f"Before: {summary}", "ok", "and now"), minute=3),
        call(*MAIN, *said("This is continued from a previous conversation. <summary>x</summary>"), minute=4),
    ]
    found = {conversation.name: conversation for conversation in group_calls(calls).conversations}
    assert (found["main"].calls, found["main"].compacted) == ((0, 1, 3, 4), (3, 4))
    assert found["summary"].calls == (2,)


def test_sessions_of_the_program() -> None:
    """What the program calls two sessions is two, though both say the same; without names, a new start is new."""
    calls = [call(*MAIN, *said("hi"), minute=0, key="a"), call(*MAIN, *said("hi"), minute=1, key="b")]
    assert [conversation.key for conversation in group_calls(calls).conversations] == ["a", "b"]
    fresh = [call(*MAIN, *said("hi"), minute=0), call(*MAIN, *said("another thing"), minute=1)]
    assert names(fresh) == {"main": (0,), "main (2)": (1,)}


def test_a_sub_agent_that_is_told_the_whole_conversation() -> None:
    """One that takes over the messages, with another system prompt and other tools, is not the main one."""
    calls = [
        call(*MAIN, *said("hi"), minute=0),
        call(*MAIN, *said("hi", "ho", "go"), minute=1),
        call(*SUB, *said("hi", "ho", "go", "done", "Remember what counts."), minute=2),
    ]
    assert names(calls) == {"main": (0, 1), "sub-agent: You are a searcher.": (2,)}


TEXTS = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=6)


@settings(max_examples=examples(60))
@given(TEXTS, st.booleans())
def test_a_chat_that_grows_is_one(texts: list[str], tools: bool) -> None:
    """However it begins, and whatever is said, a chat whose messages are added to is one conversation."""
    head: tuple[CallPiece, ...] = MAIN if tools else (system("You are a poet."),)
    said_ = said(*texts)
    calls = [call(*head, *said_[:size], minute=size) for size in range(1, len(said_) + 1)]
    found = group_calls(calls).conversations
    assert [conversation.calls for conversation in found] == [tuple(range(len(calls)))]


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.sampled_from([MAIN, SUB, ()]), TEXTS, st.integers(0, 9)), max_size=6))
def test_every_call_is_in_one(rows: list[tuple[tuple[CallPiece, ...], list[str], int]]) -> None:
    """No call is lost, none is in two; names are unique."""
    calls = [call(*head, *said(*texts), minute=minute) for head, texts, minute in rows]
    calls += [call(*head, minute=minute, stop=WARM_UP) for head, _, minute in rows]
    found = group_calls(calls).conversations
    assert sorted(number for conversation in found for number in conversation.calls) == list(range(len(calls)))
    assert len({conversation.name for conversation in found}) == len(found)
