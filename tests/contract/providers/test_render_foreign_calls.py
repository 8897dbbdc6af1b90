"""Calls that a provider would refuse as they are: with ids of another's model, or without any tool."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import overture
from overture import Call, Message, Session
from overture.testing import FakeWorld

from .sendable import TOOLS, paced, said

ACCEPTED = {"anthropic": r"[a-zA-Z0-9_-]+", "bedrock": r"[a-zA-Z0-9_-]{1,64}"}
FOREIGN = ("functions.tide_at:0", "functions_tide_at_0", "call|7 é", "x" * 65, "c1")
"""Ids as Kimi, gateways and others give them."""


def ids(rows: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The ids of the calls and of the results in a conversation, in order."""
    blocks = [block for row in rows for block in row["content"]]
    calls = [block.get("toolUse", {}).get("toolUseId") or block.get("id") for block in blocks]
    results = [block.get("toolResult", {}).get("toolUseId") or block.get("tool_use_id") for block in blocks]
    return [each for each in calls if each], [each for each in results if each]


@pytest.mark.parametrize("provider", ACCEPTED)
@given(given_ids=st.lists(st.sampled_from(FOREIGN) | st.text(min_size=1), min_size=1, max_size=5, unique=True))
def test_every_id_is_accepted(provider: str, given_ids: list[str]) -> None:
    """Each call has an id that the provider accepts, its own and that of its result; an accepted one stays."""
    calls = tuple(Call(each, "tide_at") for each in given_ids)
    results = [Message("tool", "low", call=each) for each in given_ids]
    sent, answered = ids(said(provider, [Message("user", "Go"), Message("assistant", calls=calls), *results]))
    assert sent == answered
    assert len(set(sent)) == len(given_ids)
    assert all(re.fullmatch(ACCEPTED[provider], each) for each in sent)
    kept = [each for each in given_ids if re.fullmatch(ACCEPTED[provider], each)]
    assert [each for each in sent if each in kept] == kept


@pytest.mark.parametrize("provider", ACCEPTED)
def test_no_id_is_sent_twice(provider: str) -> None:
    """Some servers begin again with each reply; the results still follow their calls, and earlier bytes stay."""
    talk, before = [Message("user", "Go")], list[str]()
    for number in range(3):
        calls = (Call("call_0", "tide_at"), Call("call_0", "berth_of"), Call("call_1", "tide_at"))
        talk += [Message("assistant", calls=calls)]
        talk += [Message("tool", f"{number}{at}", call=call.id) for at, call in enumerate(calls)]
        sent, answered = ids(said(provider, talk))
        assert sent == answered
        assert len(set(sent)) == 3 * (number + 1)
        assert sent[0] == "call_0"
        assert sent[:-3] == before
        before = sent


KIMI = {"type": "tool_use", "id": "functions.tide_at:0", "name": "tide_at", "input": {}}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s"}


@pytest.mark.parametrize(("content", "model"), [([KIMI], "kimi-k2"), ([THOUGHT, KIMI], None)], ids=["model", "blocks"])
@pytest.mark.filterwarnings("ignore::overture.OvertureWarning")
def test_its_own_ids_go_back_as_received(content: list[dict[str, Any]], model: str | None) -> None:
    """A server that speaks Anthropic's format gets the ids back that it gave, in the call and in the result."""
    live = Session("opal", world=FakeWorld({}), tools=TOOLS)
    live.turn("Go")
    (asked,) = live.reply({"type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use"})
    live.result(asked, "low")
    turn = live.turn()
    assert ids(turn.render("anthropic", model=model)["messages"]) == (["functions.tide_at:0"],) * 2
    assert ids(turn.render("bedrock")["messages"])[0] != ["functions.tide_at:0"]


def test_bedrock_gets_calls_as_text_once_all_tools_are_gone() -> None:
    """Converse refuses `toolUse` without `toolConfig`; with tools again, the calls are calls."""
    live = Session("opal", world=FakeWorld({}), tools=TOOLS)
    live.turn("Go")
    live.assistant("I look.", [{"id": "c1", "name": "tide_at", "arguments": {"time": "noon"}}])
    live.result("c1", "low")
    live.set_tools([])
    body = live.turn("Now sum up.").render("bedrock")
    assert "toolConfig" not in body
    assert ids(body["messages"]) == ([], [])
    assert "Result of `tide_at`:\n\nlow" in str(
        [block["text"] for row in body["messages"] for block in row["content"]][2]
    )
    live.set_tools(["tide_at"])
    body = live.turn("Once more.").render("bedrock")
    assert "toolConfig" in body
    assert ids(body["messages"]) == (["c1"], ["c1"])


def test_a_caller_who_adds_tools_gets_calls() -> None:
    """`render` without `tools` leaves the calls; with an empty list, the request has none."""
    talk = [
        Message("user", "Go"),
        Message("assistant", calls=(Call("c1", "tide_at"),)),
        Message("tool", "low", call="c1"),
    ]
    assert ids(said("bedrock", talk)) == (["c1"], ["c1"])
    assert ids(said("bedrock", talk, tools=[])) == ([], [])
    assert ids(overture.render("anthropic", paced(), messages=talk, tools=[])["messages"]) == (["c1"], ["c1"])
