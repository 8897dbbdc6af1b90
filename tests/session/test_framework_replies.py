"""Replies and results are known by their attributes, whether the framework is installed or not."""

from types import SimpleNamespace as Object
from typing import Any

import pytest

from overture import OvertureError, Session
from overture.model.message import Call, Usage
from tests.contract.session.worlds import session

CALL = Call("c1", "find", {"q": "x"})
USAGE = Usage(10, 3, 4, 2)


class Dumped:
    """A model of MCP's SDK."""

    def __init__(self, **form: Any) -> None:
        self.form = form

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """Its fields."""
        return self.form


def langchain(content: Any = "Hi.", **more: Any) -> Object:
    """An AIMessage."""
    usage = {"input_tokens": 10, "output_tokens": 3, "input_token_details": {"cache_read": 4, "cache_creation": 2}}
    calls = [{"name": "find", "args": {"q": "x"}, "id": "c1"}]
    return Object(
        **{"content": content, "tool_calls": calls, "invalid_tool_calls": [], "usage_metadata": usage, **more}
    )


def pydantic(*more: Any, **fields: Any) -> Object:
    """A ModelResponse of pydantic-ai."""
    usage = Object(input_tokens=10, output_tokens=3, cache_read_tokens=4, cache_write_tokens=2)
    call = Object(part_kind="tool-call", tool_name="find", args={"q": "x"}, tool_call_id="c1")
    parts = [Object(part_kind="text", content="Hi."), *more, call]
    return Object(**{"parts": parts, "usage": usage, "kind": "response", "model_name": None, **fields})


ADK = Object(
    content={
        "role": "model",
        "parts": [{"text": "Hi."}, {"function_call": {"id": "c1", "name": "find", "args": {"q": "x"}}}],
    },
    usage_metadata={"prompt_token_count": 10, "candidates_token_count": 3, "cached_content_token_count": 4},
    turn_complete=None,
    error_code=None,
    error_message=None,
)


def live() -> Session:
    """A session in its first turn."""
    it = session()
    it.turn("Go")
    return it


@pytest.mark.parametrize(
    ("reply", "usage"),
    [
        (langchain(), USAGE),
        (langchain([{"type": "text", "text": "H"}, "i.", {"type": "tool_use", "id": "c1"}]), USAGE),
        (langchain(usage_metadata=None), None),
        (pydantic(), USAGE),
        (ADK, Usage(10, 3, 4)),
    ],
)
def test_a_frameworks_reply_is_a_reply(reply: Any, usage: Usage | None) -> None:
    """Text, calls with ids and usage are taken; the record of the turn has the usage."""
    it = live()
    assert it.reply(reply) == (CALL,)
    assert (it.messages[-1].text, it.messages[-1].usage) == ("Hi.", usage)
    assert it.record[-1].usages == ([usage] if usage else [])
    it.result("c1", "out")
    assert it.turn().entry.diagnostics == ()


@pytest.mark.parametrize(
    "reply", [langchain([{"type": "thinking", "thinking": "Hm."}, "Hi."]), pydantic(Object(part_kind="thinking"))]
)
def test_what_of_a_reply_is_not_kept_is_said(reply: Any) -> None:
    """Reasoning lies with the framework; the next turn's diagnostics name it."""
    it = live()
    it.reply(reply)
    it.result("c1", "out")
    (note,) = it.turn().entry.diagnostics
    assert note.code == "reply-parts" and "contains thinking" in note.message


@pytest.mark.parametrize(
    "junk",
    [
        langchain(3),
        langchain(tool_calls=[3]),
        pydantic(3),
        pydantic(usage=None),
        Object(content=None, usage_metadata=None, turn_complete=1, error_code="429", error_message="quota"),
    ],
)
def test_a_reply_that_does_not_fit_is_an_error_of_ours(junk: Any) -> None:
    """Whatever is in it, an OvertureError says so, and nothing is added."""
    it = live()
    before = it.messages
    with pytest.raises(OvertureError):
        it.reply(junk)
    assert it.messages == before


def test_the_known_forms_are_named() -> None:
    """An object of another kind is refused with the forms that are known, frameworks among them."""
    with pytest.raises(OvertureError, match=r"anthropic, gemini, bedrock, ollama, LangChain, pydantic-ai"):
        live().reply({"say": "Hi."})


IMAGE = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
TEXT = {"type": "text", "text": "out"}
RESULTS: dict[str, tuple[Any, tuple[str, bool, list[str]]]] = {
    "mcp": (Dumped(content=[TEXT, IMAGE], is_error=False), ("out", False, ["image"])),
    "mcp error": ({"content": [TEXT], "isError": True}, ("out", True, [])),
    "mcp data": (Dumped(content=[], structured_content={"a": "é"}), ('{"a": "é"}', False, [])),
    "mcp nothing": ({"content": []}, ("", False, [])),
    "mcp link": (
        {"content": [{"type": "resource_link", "name": "n", "uri": "file:///n"}]},
        ("n\nfile:///n", False, []),
    ),
    "mcp resource": ({"content": [{"type": "resource", "resource": {"uri": "u", "text": "out"}}]}, ("out", False, [])),
    "mcp bytes": (
        {"content": [{"type": "resource", "resource": {"blob": "aGk=", "mimeType": "image/png"}}]},
        ("", False, ["image"]),
    ),
    "langchain": (Object(content="out", tool_call_id="c1", status="success"), ("out", False, [])),
    "langchain error": (Object(content=["out", IMAGE], tool_call_id="c1", status="error"), ("out", True, ["image"])),
    "pydantic-ai": (
        Object(content="out", tool_call_id="c1", part_kind="tool-return", model_response_str=None),
        ("out", False, []),
    ),
    "pydantic-ai data": (
        Object(
            content={}, tool_call_id="c1", part_kind="tool-return", model_response_str=lambda: "{}", outcome="failed"
        ),
        ("{}", True, []),
    ),
    "pydantic-ai retry": (
        Object(tool_call_id="c1", part_kind="retry-prompt", model_response=lambda: "again"),
        ("again", True, []),
    ),
    "parts": ([TEXT, IMAGE], ("out", False, ["image"])),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_frameworks_result_is_a_result(name: str) -> None:
    """Texts, images, structured data and errors of MCP, LangChain and pydantic-ai are taken."""
    result, wanted = RESULTS[name]
    it = live()
    it.assistant("", [CALL])
    it.result("c1", result)
    message = it.messages[-1]
    assert (message.text, message.failed, [part.kind for part in message.parts if part.kind != "text"]) == wanted


def test_who_says_that_a_result_failed_is_heard() -> None:
    """`failed=True` holds for a result that does not say so itself."""
    it = live()
    it.assistant("", [CALL])
    it.result("c1", {"content": [TEXT], "isError": False}, failed=True)
    assert it.messages[-1].failed


@pytest.mark.parametrize(
    "junk",
    [
        {"content": [3]},
        {"content": [{"type": "resource", "resource": 3}]},
        Object(content=3, tool_call_id="c", status="s"),
    ],
)
def test_a_result_that_does_not_fit_is_an_error_of_ours(junk: Any) -> None:
    """Whatever is in it, an OvertureError says so."""
    it = live()
    it.assistant("", [CALL])
    with pytest.raises(OvertureError):
        it.result("c1", junk)
