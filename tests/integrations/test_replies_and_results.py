"""Replies and results of agent frameworks go into a session as they are; runs where a framework is there."""

import asyncio
from typing import Any

import pytest

from overture import Session
from overture.model.message import Call, Usage
from overture.testing import FakeWorld

pytestmark = pytest.mark.filterwarnings("ignore")  # what frameworks say of each other while they are imported
CALL = Call("c1", "find", {"q": "x"})
USAGE = Usage(10, 3, 4, 2)
PIXEL = "aGVsbG8="


def live() -> Session:
    """A session in its first turn."""
    session = Session("house", world=FakeWorld({"/p/AGENTS.md": "Rules."}), cwd="/p", home="/h")
    session.turn("Go")
    return session


def check_reply(reply: Any, usage: Usage | None = USAGE) -> Session:
    """Text, calls with their ids and usage are in the session."""
    session = live()
    assert session.reply(reply) == (CALL,)
    assert (session.messages[-1].text, session.messages[-1].usage) == ("Hi.", usage)
    return session


def take_result(result: Any) -> tuple[str, bool, list[str]]:
    """The message that a result becomes: text, failed, kinds of its further parts."""
    session = live()
    session.assistant("", [CALL])
    session.result("c1", result)
    message = session.messages[-1]
    return message.text, message.failed, [part.kind for part in message.parts]


@pytest.mark.parametrize(
    "content", ["Hi.", ["Hi."], [{"type": "text", "text": "Hi."}, {"type": "tool_use", "id": "c1"}]]
)
def test_langchain_messages(content: Any) -> None:
    """An AIMessage with a text or blocks is a reply."""
    messages = pytest.importorskip("langchain_core.messages")
    usage = {"input_tokens": 10, "output_tokens": 3, "total_tokens": 13}
    details = {"cache_read": 4, "cache_creation": 2}
    calls = [{"name": "find", "args": {"q": "x"}, "id": "c1"}]
    message = messages.AIMessage(
        content=content, tool_calls=calls, usage_metadata={**usage, "input_token_details": details}
    )
    check_reply(message)


def test_langchain_calls_that_are_no_json() -> None:
    """A call whose arguments LangChain could not read is answered with an error for the model."""
    messages = pytest.importorskip("langchain_core.messages")
    broken = {"name": "find", "args": "{q", "id": "c9", "error": "no JSON"}
    session = live()
    (call,) = session.reply(messages.AIMessage(content="", invalid_tool_calls=[broken]))
    assert session.answer(call) and session.messages[-1].failed


def test_langchain_tool_messages() -> None:
    """A ToolMessage is a result, with its status."""
    messages = pytest.importorskip("langchain_core.messages")
    assert take_result(messages.ToolMessage("out", tool_call_id="c1")) == ("out", False, [])
    assert take_result(messages.ToolMessage("no", tool_call_id="c1", status="error")) == ("no", True, [])
    blocks = ["out", {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}]
    assert take_result(messages.ToolMessage(blocks, tool_call_id="c1")) == ("out", False, ["image"])


def test_pydantic_ai_responses() -> None:
    """A ModelResponse is a reply; the session says that it does not keep its thinking."""
    parts = pytest.importorskip("pydantic_ai.messages")
    usage = pytest.importorskip("pydantic_ai.usage").RequestUsage(
        input_tokens=10, output_tokens=3, cache_read_tokens=4, cache_write_tokens=2
    )
    said = [parts.TextPart("Hi."), parts.ToolCallPart("find", '{"q": "x"}', tool_call_id="c1")]
    check_reply(parts.ModelResponse(parts=said, usage=usage))
    session = check_reply(parts.ModelResponse(parts=[parts.ThinkingPart("Hm."), *said], usage=usage))
    session.result("c1", "out")
    assert [note.code for note in session.turn().entry.diagnostics] == ["reply-parts"]


def test_pydantic_ai_returns() -> None:
    """A ToolReturnPart is a result, with data as JSON, files and its outcome; so is a prompt to try again."""
    parts = pytest.importorskip("pydantic_ai.messages")
    image = parts.BinaryContent(b"hello", media_type="image/png")
    assert take_result(parts.ToolReturnPart("find", "out", tool_call_id="c1")) == ("out", False, [])
    assert take_result(parts.ToolReturnPart("find", {"a": 1}, tool_call_id="c1")) == ('{"a":1}', False, [])
    assert take_result(parts.ToolReturnPart("find", "no", tool_call_id="c1", outcome="failed")) == ("no", True, [])
    text, failed, kinds = take_result(parts.ToolReturnPart("find", ["out", image], tool_call_id="c1"))
    assert ("out" in text, failed, kinds) == (True, False, ["image"])
    text, failed, _ = take_result(parts.RetryPromptPart("wrong q", tool_name="find", tool_call_id="c1"))
    assert failed and "wrong q" in text


def test_openai_agents_responses() -> None:
    """A ModelResponse of the Agents SDK is a reply."""
    agents = pytest.importorskip("agents.items")
    usage = pytest.importorskip("agents.usage")
    types = pytest.importorskip("openai.types.responses")
    details = pytest.importorskip("openai.types.responses.response_usage")
    text = types.ResponseOutputText(text="Hi.", type="output_text", annotations=[])
    message = types.ResponseOutputMessage(
        id="m", content=[text], role="assistant", status="completed", type="message"
    )  # fmt: skip
    call = types.ResponseFunctionToolCall(arguments='{"q": "x"}', call_id="c1", name="find", type="function_call")
    cached = details.InputTokensDetails(cached_tokens=4, cache_write_tokens=2)
    counts = usage.Usage(requests=1, input_tokens=10, output_tokens=3, total_tokens=13, input_tokens_details=cached)
    check_reply(agents.ModelResponse(output=[message, call], usage=counts, response_id="r"))


def test_litellm_responses() -> None:
    """A ModelResponse of LiteLLM is a reply."""
    types = pytest.importorskip("litellm.types.utils")
    function = types.Function(name="find", arguments='{"q": "x"}')
    call = types.ChatCompletionMessageToolCall(id="c1", function=function)
    message = types.Message(content="Hi.", tool_calls=[call])
    cached = types.PromptTokensDetailsWrapper(cached_tokens=4, cache_creation_tokens=2)
    usage = types.Usage(prompt_tokens=10, completion_tokens=3, total_tokens=13, prompt_tokens_details=cached)
    check_reply(types.ModelResponse(choices=[types.Choices(message=message)], usage=usage))


def test_google_adk_responses() -> None:
    """An LlmResponse is a reply, and one that holds an error is refused."""
    models = pytest.importorskip("google.adk.models")
    types = pytest.importorskip("google.genai.types")
    call = types.FunctionCall(id="c1", name="find", args={"q": "x"})
    content = types.Content(role="model", parts=[types.Part(text="Hi."), types.Part(function_call=call)])
    counts = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=10, candidates_token_count=3, cached_content_token_count=4
    )
    check_reply(models.LlmResponse(content=content, usage_metadata=counts), Usage(10, 3, 4))
    with pytest.raises(Exception, match="The response is an error: 'quota'"):
        live().reply(models.LlmResponse(error_code="429", error_message="quota"))


def test_mcp_results() -> None:
    """What the official client returns is a result: texts, images, structured data, errors."""
    mcp = pytest.importorskip("mcp")
    types = pytest.importorskip("mcp.types")
    server = pytest.importorskip("mcp.server.mcpserver").MCPServer("docs")

    @server.tool(structured_output=False)  # type: ignore[untyped-decorator]
    def fine() -> list[Any]:
        return ["out", types.ImageContent(type="image", data=PIXEL, mime_type="image/png")]

    @server.tool()  # type: ignore[untyped-decorator]
    def data() -> dict[str, int]:
        return {"a": 1}

    async def call(name: str) -> Any:
        async with mcp.Client(server) as client:
            return await client.call_tool(name, {})

    assert take_result(asyncio.run(call("fine"))) == ("out", False, ["image"])
    text, failed, _ = take_result(asyncio.run(call("data")))
    assert (text.replace(" ", "").replace("\n", ""), failed) == ('{"a":1}', False)
    assert take_result(asyncio.run(call("unknown")))[1] is True
    assert take_result(types.CallToolResult(content=[], structured_content={"a": 1})) == ('{"a": 1}', False, [])
