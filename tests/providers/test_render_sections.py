"""Sections that the recipe places with the user: each message keeps its own, and the mark stands before what moves."""

from typing import Any

import pytest

import overture
from overture import Call, Message
from overture.providers.render import request
from tests.contract.providers.sendable import PROVIDERS, WHERE, at, long, paced, said

CALLED = [
    Message("assistant", "I look.", "reply", calls=(Call("c1", "ls"),)),
    Message("tool", "a.txt", "result", call="c1"),
]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_message_keeps_the_sections_that_it_was_sent_with(provider: str) -> None:
    """They stand behind its text; the prompt's own, which another clock made, go to the latest message."""
    prompt = paced(("user-clock", "turn", "It is one."))
    conversation = [
        Message("user", "Go.", sections="It is noon."),
        Message("assistant", "Gone."),
        Message("user", "On."),
    ]
    body, sent = overture.render(provider, prompt, messages=conversation, with_manifest=True)
    rows = body[WHERE.get(provider, "messages")]
    assert str(rows[0]).index("Go.") < str(rows[0]).index("It is noon.")
    assert str(rows[2]).index("On.") < str(rows[2]).index("It is one.")
    assert str(body).count("It is") == 2
    (clock,) = sent
    assert at(body, clock.at)[clock.start : clock.end] == "It is one."


def test_sections_alone_are_a_message() -> None:
    """A user who says nothing still has a clock."""
    (row,) = said("anthropic", [Message("user", "", sections="It is noon.")])
    assert row["content"] == [{"type": "text", "text": "It is noon."}]
    (row,) = said("openai-chat", [Message("user", "", sections="It is noon.")])
    assert row["content"] == [{"type": "text", "text": "It is noon."}]
    (row,) = said("ollama", [Message("user", "", sections="It is noon.")])
    assert row["content"] == "It is noon."


def test_the_mark_stands_right_before_what_moves() -> None:
    """Joined to the user's latest words, results of tools that stand before them still go again as they stand."""
    prompt = paced(("identity", "static", long(1500)), ("user-clock", "turn", "It is noon."))
    results = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]}
    conversation: list[Any] = [Message("user", "a"), CALLED[0], results, Message("user", "b")]
    last = said("anthropic", conversation, prompt, model="claude-opus-5")[-1]["content"]
    assert [block.get("cache_control") is not None for block in last] == [True, False, False]
    body, sent = overture.render("bedrock", prompt, messages=[conversation[0], conversation[3]], with_manifest=True)
    assert [next(iter(block)) for block in body["messages"][0]["content"]] == ["text", "cachePoint", "text", "text"]
    assert at(body, sent[-1].at) == "It is noon."


def test_where_all_is_settled_the_mark_goes_to_the_end() -> None:
    """A session sends every message again as it was: nothing of it moves."""
    prompt = paced(("identity", "static", long(1500)), ("user-clock", "turn", "It is noon."))
    conversation = [Message("user", "Go.", sections="It is noon.")]
    inputs, written = request("anthropic", prompt, conversation, (), is_sanitized=True, model="claude-opus-5")
    assert written.body["messages"][0]["content"][1] == {
        "type": "text", "text": "It is noon.", "cache_control": {"type": "ephemeral"},
    }  # fmt: skip
    assert (inputs.is_sanitized, written.sections) == (True, "messages[0].content[1].text")
