"""What is no finished response is refused in one line, and nothing is added."""

import json
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

with warnings.catch_warnings():  # of the SDKs themselves, while they are loaded
    warnings.simplefilter("ignore")
    import anthropic
    import httpx
    import ollama
    import openai
    from openai.types.chat import ChatCompletionChunk
    from openai.types.responses import Response

from overture import Call, StateError

from .six_sdks import ANSWERS, OPENED
from .worlds import session


def generator() -> Iterator[Any]:
    """As ollama.chat(stream=True) gives it."""
    yield ollama.ChatResponse(message=ollama.Message(role="assistant", content="He"))


class Awaited:
    """As AsyncOpenAI().chat.completions.create() gives it, when `await` is forgotten."""

    def __await__(self) -> Iterator[Any]:
        yield


class Final:
    """As anthropic's MessageStream is."""

    def get_final_message(self) -> None:
        """What it adds up to."""


REQUEST = httpx.Request("POST", "http://127.0.0.1/")
ANSWER: Any = httpx.Response(529, request=REQUEST, json={"type": "error"})
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m",
         "choices": [{"index": 0, "delta": {"content": "He"}}]}  # fmt: skip
FAILED = {**ANSWERS["openai-responses"], "status": "failed", "output": [],
          "error": {"code": "server_error", "message": "It broke."}}  # fmt: skip
CHAT = ANSWERS["openai-chat"]["choices"][0]

NONSENSE: dict[str, tuple[Any, str]] = {
    "None": (None, "The response is None"),
    "a text": ("Hello.", "The response is 'Hello.'"),
    "a number": (5, "The response is 5"),
    "a list": ([ANSWERS["openai-chat"]], "The response is ["),
    "an object of any kind": (object(), "The response is of type object"),
    "a class": (Response, "The response is of type"),
    "no keys": ({}, "its keys are none. Pass the response of one of these: openai-chat"),
    "other keys": ({"answer": "Hello."}, "its keys are 'answer'"),
    "a coroutine": (Awaited(), "is a coroutine, of type Awaited: await it first"),
    "a generator": (generator(), "is a stream, of type generator: read all of it"),
    "a stream that knows its end": (Final(), "here `.get_final_message()`"),
    "a stream that is not begun": (
        anthropic.Anthropic(api_key="none").messages.stream(model="m", max_tokens=1, messages=[]),
        "is a stream, of type MessageStreamManager",
    ),
    "a stream of bedrock": ({"stream": [], "ResponseMetadata": {}}, "converse_stream"),
    "a chunk": (ChatCompletionChunk.model_validate(CHUNK), "is one chunk of a stream"),
    "a chunk of ollama": ({"message": {"role": "assistant", "content": "He"}, "done": False}, "one chunk of a stream"),
    "an SDK's error": (anthropic.APIStatusError("Overloaded", response=ANSWER, body=None), "is an error, APIStatusErr"),
    "an HTTP response": (ANSWER, "is an HTTP response of status 529: pass its JSON"),
    "an error as JSON": ({"type": "error", "error": {"message": "Overloaded"}}, "is an error: \"{'message': 'Overload"),
    "ollama's error": ({"error": "model 'x' not found"}, "is an error"),
    "a response that failed": (Response.model_validate(FAILED), "is an error"),
    "a response in the queue": ({**FAILED, "error": None, "status": "queued"}, "is 'queued'"),
    "no choices": ({"choices": []}, "has no choices, so no reply"),
    "a blocked prompt": ({"promptFeedback": {"blockReason": "SAFETY"}}, "It was blocked: SAFETY"),
    "a message that is none": ({"choices": [{"message": "Hello."}]}, "choices[0].message is 'Hello.'"),
    "a user's message": ({"role": "user", "content": "Hello."}, "unknown form"),
}  # fmt: skip


@pytest.mark.parametrize("case", NONSENSE)
def test_nonsense_is_one_line_of_ours(case: str) -> None:
    """What, with which value, what to do; and nothing is added."""
    given, told = NONSENSE[case]
    live = session()
    live.turn("Go")
    with pytest.raises(StateError) as caught:
        live.reply(given)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(live.messages) == 1
    assert live.record[-1].usage is None


def test_a_raw_response_says_how_to_open_it() -> None:
    """`with_raw_response` gives one that is still to be parsed."""
    from .six_sdks import scripted

    with scripted() as server, openai.OpenAI(api_key="none", base_url=server.url, max_retries=0) as client:
        server.answer = ANSWERS["openai-chat"]
        raw = client.chat.completions.with_raw_response.create(model="m", messages=[])
        live = session()
        with pytest.raises(StateError, match=r"status 200: call its `\.parse\(\)`"):
            live.reply(raw)
        assert live.reply(raw.parse())


EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**ANSWERS["anthropic"], "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c1", "name": "ls",
                                                                  "input": {}}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"path"'}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": ': "a"}'}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 20}},
    {"type": "message_stop"},
]  # fmt: skip
CHUNKS: list[dict[str, Any]] = [
    {**CHUNK, "choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [
        {"index": 0, "id": "c1", "type": "function", "function": {"name": "ls", "arguments": ""}}]}}]},
    {**CHUNK, "choices": [{"index": 0, "delta": {"tool_calls": [
        {"index": 0, "function": {"arguments": '{"path": "a"}'}}]}}]},
    {**CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
]  # fmt: skip


def events(rows: list[dict[str, Any]]) -> str:
    """A stream as it is sent."""
    named = [f"event: {row['type']}\n" if "type" in row else "" for row in rows]
    told = [f"{name}data: {json.dumps(row)}\n\n" for name, row in zip(named, rows, strict=True)]
    return "".join(told) + ("" if named[0] else "data: [DONE]\n\n")


def test_a_stream_is_refused_and_its_end_is_taken() -> None:
    """Through the real SDKs: the stream itself says how to go on, and the message that it adds up to has the call."""
    from .six_sdks import scripted

    with scripted() as server:
        claude = anthropic.Anthropic(api_key="none", base_url=server.url, max_retries=0)
        gpt = openai.OpenAI(api_key="none", base_url=server.url, max_retries=0)
        begun: list[tuple[Any, Any, str]] = [
            (claude.messages.stream(model="m", max_tokens=1, messages=[]), EVENTS, "get_final_message"),
            (gpt.chat.completions.stream(model="m", messages=[]), CHUNKS, "get_final_completion"),
        ]
        for manager, rows, final in begun:
            server.answer = events(rows)
            live = session()
            with manager as stream:
                with pytest.raises(StateError, match=rf"is a stream.*`\.{final}\(\)`"):
                    live.reply(stream)
                assert live.reply(getattr(stream, final)()) == (Call("c1", "ls", {"path": "a"}),)


def test_what_a_stream_adds_up_to_is_taken() -> None:
    """The final message of a stream is an object like any other: here as `parse` and `stream` make it."""
    from anthropic.types import ParsedMessage
    from openai.types.chat import ParsedChatCompletion
    from openai.types.responses import ParsedResponse

    finals: list[tuple[Any, str]] = [
        (ParsedMessage, "anthropic"), (ParsedChatCompletion, "openai-chat"), (ParsedResponse, "openai-responses"),
    ]  # fmt: skip
    for kind, provider in finals:
        live, other = session(), session()
        live.reply(kind.model_validate(ANSWERS[provider]))
        other.reply(OPENED[provider](ANSWERS[provider]))
        assert live.messages == other.messages
