"""Tools in words: where a provider has no tool calling, calls and results are text on the way there and back."""

import json
from typing import Any

import pytest

from overture import Session
from tests.contract.providers.sendable import PROVIDERS
from tests.contract.session.worlds import session

BLOCK = '```tool_call\n{"tool": "exec", "arguments": {"command": "ls"}}\n```'
NATIVE = ("tool_calls", "tool_use", "tool_result", "functionCall", "functionResponse", "toolUse", '"function_call')


def begin(recipe: str = "moltis", **options: Any) -> Session:
    """A session whose provider has no tool calling, after its first turn."""
    live = session(recipe, state={"native_tools": False}, tools=["exec"] if recipe == "moltis" else None, **options)
    live.turn("List the files.")
    return live


def response(text: str) -> dict[str, Any]:
    """A response of OpenAI's that holds this text."""
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


@pytest.mark.parametrize("recipe", ["moltis", "house"])
@pytest.mark.parametrize("how", ["reply", "assistant"])
def test_a_block_in_a_reply_is_a_call(recipe: str, how: str) -> None:
    """It has a name, arguments and an id, and is answered like any other; the text stays as it was said."""
    live = begin(recipe)
    text = f"Sure.\n{BLOCK}\nThen:\n{BLOCK.replace('ls', 'pwd')}"
    live.reply(response(text)) if how == "reply" else live.assistant(text)
    calls = live.messages[-1].calls
    assert [(call.name, call.arguments["command"]) for call in calls] == [("exec", "ls"), ("exec", "pwd")]
    for call in calls:
        live.result(call, "ok")
    assert [message.text for message in live.turn().messages if message.role == "assistant"] == [text]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_calls_and_results_are_sent_as_text(provider: str) -> None:
    """Whether the model wrote them or a program recorded them, no request holds a native call or result."""
    live = begin()
    live.reply(response(BLOCK))
    live.result("call_1", "a.txt")
    live.assistant("Wait.", [{"id": "h1", "name": "exec", "arguments": {"command": "pwd"}}])
    live.result("h1", "no such folder", failed=True)
    body = json.dumps(live.turn("Go on").render(provider), ensure_ascii=False)
    assert not [word for word in NATIVE if word in body]
    assert "Result of `exec`:\\n\\na.txt" in body and "Error of `exec`:\\n\\nno such folder" in body
    assert body.count('\\"tool\\": \\"exec\\"') >= 2


@pytest.mark.parametrize(
    "held", ["{tool: exec}", '{"tool": "exec", "arguments": []}', '{"tool": "exec", "arguments": ""}', '{"tool": ""}']
)
def test_a_block_that_is_no_call_is_reported(held: str) -> None:
    """It stays text, nothing waits for a result, and the next entry says what is wrong and what is right."""
    live = begin()
    assert live.reply(response(f"```tool_call\n{held}\n```")) == ()
    (note,) = live.turn("On").entry.diagnostics
    assert note.code == "tool-call-invalid"
    assert note.message.endswith('it must contain one {"tool": "name", "arguments": {…}}')


def test_a_block_is_text_where_tools_are_native() -> None:
    """So is one in a recipe that tells nobody to write it."""
    for live in (session("moltis"), session("pi", state={"native_tools": False})):
        live.turn("Go")
        assert live.reply(response(BLOCK)) == ()
