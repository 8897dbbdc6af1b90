"""Tool calls are taken as every SDK hands them over; nonsense is one line that says what, which value, what to do."""

import json
import warnings
from types import SimpleNamespace
from typing import Any

import pytest

with warnings.catch_warnings():  # of the SDKs themselves, while they are loaded
    warnings.simplefilter("ignore")
    from anthropic.types import ToolUseBlock
    from google.genai import types as gemini
    from ollama import Message as OllamaMessage
    from openai.types.chat import ChatCompletionMessageCustomToolCall, ChatCompletionMessageFunctionToolCall
    from openai.types.responses import ResponseCustomToolCall, ResponseFunctionToolCall

from overture import Call, SessionError, StateError

from .worlds import session

GIVEN = {"path": "a.py", "limit": None}
WRITTEN = json.dumps(GIVEN)
CHAT = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": WRITTEN}}
ITEM = {"type": "function_call", "id": "fc_9", "call_id": "c1", "name": "read_file", "arguments": WRITTEN}
BLOCK = {"type": "tool_use", "id": "c1", "name": "read_file", "input": GIVEN}
FUNCTION = OllamaMessage.ToolCall.Function(name="read_file", arguments=GIVEN)

FORMS: dict[str, Any] = {
    "our Call": Call("c1", "read_file", GIVEN),
    "our mapping": {"id": "c1", "name": "read_file", "arguments": GIVEN},
    "openai chat object": ChatCompletionMessageFunctionToolCall.model_validate(CHAT),
    "openai chat dict": CHAT,
    "openai chat model_dump": ChatCompletionMessageFunctionToolCall.model_validate(CHAT).model_dump(),
    "openai responses object": ResponseFunctionToolCall.model_validate(ITEM),
    "openai responses dict": ITEM,
    "openai responses to_dict": ResponseFunctionToolCall.model_validate(ITEM).to_dict(),
    "anthropic object": ToolUseBlock.model_validate(BLOCK),
    "anthropic dict": BLOCK,
    "gemini FunctionCall": gemini.FunctionCall(id="c1", name="read_file", args=GIVEN),
    "gemini Part": gemini.Part(function_call=gemini.FunctionCall(id="c1", name="read_file", args=GIVEN)),
    "gemini snake_case": {"function_call": {"id": "c1", "name": "read_file", "args": GIVEN}},
    "gemini camelCase": {"functionCall": {"id": "c1", "name": "read_file", "args": GIVEN}},
    "bedrock": {"toolUse": {"toolUseId": "c1", "name": "read_file", "input": GIVEN}},
    "bedrock, the call alone": {"toolUseId": "c1", "name": "read_file", "input": GIVEN},
    "any object with attributes": SimpleNamespace(
        id="c1", function=SimpleNamespace(name="read_file", arguments=WRITTEN)
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_call_is_taken_as_the_sdk_hands_it_over(form: str) -> None:
    """Every form is the same call, is answered by the very object, and leaves nothing open."""
    live = session()
    live.turn("Go")
    live.assistant("I look.", [FORMS[form]])
    assert live.messages[-1].calls == (Call("c1", "read_file", GIVEN),)
    assert not live.answer(FORMS[form])
    live.result(FORMS[form], "print()")
    assert [(m.role, m.call) for m in live.messages][-1] == ("tool", "c1")
    live.turn()


WITHOUT_ID: dict[str, Any] = {
    "ollama object": OllamaMessage.ToolCall(function=FUNCTION),
    "ollama dict": {"function": {"name": "read_file", "arguments": GIVEN}},
    "gemini FunctionCall": gemini.FunctionCall(name="read_file", args=GIVEN),
    "gemini with an empty id": {"functionCall": {"id": "", "name": "read_file", "args": GIVEN}},
}


@pytest.mark.parametrize("form", WITHOUT_ID)
def test_a_call_without_an_id_gets_one_that_is_always_the_same(form: str) -> None:
    """Ids are made by counting: no two in a conversation are alike, and the same talk gives the same ones."""
    for _ in range(2):
        live = session()
        live.turn("Go")
        live.assistant("", [WITHOUT_ID[form], WITHOUT_ID[form]])
        assert [call.id for call in live.messages[-1].calls] == ["call_1", "call_2"]
        live.result(WITHOUT_ID[form], "one")
        live.result(WITHOUT_ID[form], "two")
        live.assistant("", [WITHOUT_ID[form]])
        assert [call.id for call in live.messages[-1].calls] == ["call_3"]
        live.result(WITHOUT_ID[form], "three")
        assert [m.call for m in live.messages if m.role == "tool"] == ["call_1", "call_2", "call_3"]


def test_a_made_id_is_never_one_that_is_there() -> None:
    """An id that the model gave, in this message or before, is not made a second time."""
    live = session()
    live.assistant("", [{"id": "call_1", "name": "ls"}])
    live.result("call_1", "ok")
    live.assistant("", [{"name": "ls"}, {"id": "call_2", "name": "ls"}])
    assert [call.id for call in live.messages[-1].calls] == ["call_3", "call_2"]


@pytest.mark.parametrize(
    "call",
    [
        ChatCompletionMessageCustomToolCall.model_validate(
            {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
        ),
        ResponseCustomToolCall.model_validate(
            {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "SELECT 1"}
        ),
        {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}},
    ],
)
def test_a_custom_tool_gets_its_text(call: Any) -> None:
    """OpenAI's custom tools take a text that need not be JSON: it is the argument `input`."""
    live = session()
    live.assistant("", [call])
    assert live.messages[-1].calls == (Call("c1", "sql", {"input": "SELECT 1"}),)


@pytest.mark.parametrize("written", ["", "  ", "{}", None])
def test_no_arguments_are_an_empty_object(written: str | None) -> None:
    """Some servers write nothing at all for a tool that takes nothing."""
    live = session()
    live.assistant(None, [{"id": "c1", "function": {"name": "ls", "arguments": written}}])
    assert live.messages[-1].calls == (Call("c1", "ls"),)


def test_no_calls_may_be_none() -> None:
    """OpenAI's message has None for a text and for calls that it lacks."""
    live = session()
    live.assistant(None, None)
    assert (live.messages[-1].text, live.messages[-1].calls) == ("", ())


async def _coroutine() -> None:
    """Never awaited."""


NONSENSE: dict[str, tuple[Any, str]] = {
    "no name": ([{"id": "c1", "arguments": {}}], "calls[0] names no tool"),
    "a name that is none": ([{"id": "c1", "function": {"name": None, "arguments": "{}"}}], "calls[0] names no tool"),
    "None": ([None], "calls[0] is None"),
    "a text": (["ls"], "calls[0] is 'ls'"),
    "one call and no list": (CHAT, "Pass a list"),
    "one object and no list": (ChatCompletionMessageFunctionToolCall.model_validate(CHAT), "Pass a list"),
    "a text for the list": ("ls", "calls is 'ls'. Pass a list"),
    "an error": ([ValueError("no\nmodel")], "calls[0] is an error, ValueError: 'no\\nmodel'"),
    "a class": ([ToolUseBlock], "calls[0] is"),
}


@pytest.mark.parametrize("case", NONSENSE)
def test_nonsense_is_one_line_of_ours(case: str) -> None:
    """What, with which value, what to do; and nothing is added."""
    given, told = NONSENSE[case]
    live = session()
    live.turn("Go")
    with pytest.raises(StateError) as caught:
        live.assistant("", given)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(live.messages) == 1


def test_a_text_that_is_none_is_refused() -> None:
    """A whole response belongs to reply()."""
    with pytest.raises(StateError, match=r"of type SimpleNamespace.*reply\(\)"):
        session().assistant(SimpleNamespace(content=""))  # type: ignore[arg-type]


def test_a_call_that_nobody_made_can_not_be_answered() -> None:
    """Without an id, the error names the open calls."""
    live = session()
    live.assistant("", [{"id": "c7", "name": "ls"}])
    with pytest.raises(SessionError, match=r"'rm' has no id.*Open: c7 to ls"):
        live.result({"name": "rm"}, "gone")
    with pytest.raises(StateError, match="names no tool"):
        live.answer({})


def test_the_sessions_own_tool_is_answered_in_any_form() -> None:
    """`use_skill` as OpenAI's SDK hands it over."""
    live = session()
    live.turn("Go")
    call = ChatCompletionMessageFunctionToolCall.model_validate(
        {"id": "c1", "type": "function", "function": {"name": "use_skill", "arguments": '{"name": "tides"}'}}
    )
    live.assistant("", [call])
    assert live.answer(call)
    assert [m.kind for m in live.messages][-2:] == ["result", "skill"]


@pytest.mark.parametrize("given", [5, None, {"berth": 7}, object()])
def test_a_result_is_a_text_or_parts(given: Any) -> None:
    """A tool's dict is not written down by guess."""
    live = session()
    live.assistant("", [{"id": "c1", "name": "ls"}])
    with pytest.raises(StateError, match="The result"):
        live.result("c1", given)
    with pytest.raises(StateError, match=r"\{'berth': 7\}.*json\.dumps"):
        live.result("c1", {"berth": 7})
    live.result("c1", "ok")
