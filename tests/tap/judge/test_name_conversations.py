"""What tells titles, summaries and compacted conversations apart, looked for in two steps."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.tap.judge.group_conversations import COMPACTED, SUMMARY, TITLED, PhrasePattern, group_calls

from .calls import call, said, system, tool

PHRASES = {
    TITLED: ("A title for this chat", "Conversation so far: write titles", "You are a title generator"),
    SUMMARY: ("Summarize the conversation", "The chat: a summary", "a handoff summary", "context window compaction"),
    COMPACTED: (
        "is continued from a previous conversation", "<summary>", "<conversation_summary>", "summary of our work",
        "conversation was compacted", "Conversation history has been summarised", "<state_snapshot>",
        "another language model started to solve",
    ),
}  # fmt: skip
ODD = str.maketrans({"s": "\u017f", "i": "\u0131", "k": "\u212a"})
"""Letters that match others where case is ignored: a long s, an i without a dot, the sign of a degree."""


def is_matched(phrase: PhrasePattern, text: str) -> bool:
    """Whether the pattern alone matches."""
    return re.search(phrase._pattern, text, re.IGNORECASE | re.DOTALL) is not None


@pytest.mark.parametrize(("phrase", "text"), [(phrase, text) for phrase, texts in PHRASES.items() for text in texts])
def test_each_phrase_is_found(phrase: PhrasePattern, text: str) -> None:
    """In any case, among other words, and in letters that are the same where case is ignored."""
    for each in (text, text.upper(), text.swapcase(), f"Hoist the jib.\n{text}\n", text.translate(ODD)):
        assert is_matched(phrase, each) and phrase.is_in(each)


WORDS = ("title", "titles", "summary", "summarize", "compaction", "chat", "history", "<summary>", "context", "of the")


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=8).map(" ".join))
def test_the_first_step_excludes_no_match(text: str) -> None:
    """Whatever the text, the answer is that of the pattern."""
    for each in (text, text.upper(), text.translate(ODD)):
        assert [phrase.is_in(each) for phrase in PHRASES] == [is_matched(phrase, each) for phrase in PHRASES]


def test_every_name_has_a_reason() -> None:
    """A log without tools: what nothing tells apart from the main conversation has its name, too."""
    texts = said("hi", "ahoy", "and now")
    calls = [call(tool("t"), system("S"), *said("hi")), call(system("S"), *texts, unknown=("tool",), minute=1)]
    named = {each.name: each.why for each in group_calls(calls).conversations}
    assert named == {
        "main": "the first call that offers tools (1)",
        "main (2)": "nothing tells it apart from the main conversation",
    }
