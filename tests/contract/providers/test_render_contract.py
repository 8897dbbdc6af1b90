"""The real SDKs take what render gives, and it arrives byte for byte. Everything talks to loopback."""

import json

import pytest

import overture
from overture import Call, Message

from .arriving import (
    Loopback,
    assert_arrived,
    assert_ollama,
    send_anthropic,
    send_bedrock,
    send_gemini,
    send_ollama,
    send_openai_chat,
    send_openai_responses,
)
from .sendable import FOUR_PACES, SHOWN, SOME, paced

MESSAGES = [
    {"role": "user", "content": "Which berth is free — tonight?"},
    {"role": "assistant", "content": "Berth 7 🧭"},
    {"role": "system", "content": "The harbour master is away."},
    {"role": "user", "content": "Book it."},
]


@pytest.mark.parametrize("model", ["claude-opus-5", "claude-sonnet-5"], ids=["system messages", "marked user messages"])
def test_anthropic_sends_it(loopback: Loopback, model: str) -> None:
    """System blocks with cache_control, tools and messages reach the Messages API as render gave them."""
    body = overture.render("anthropic", paced(*FOUR_PACES), model=model, messages=MESSAGES, tools=True, ttl="1h")
    send_anthropic(loopback.url, body)
    assert_arrived(loopback.body, body, max_tokens=1)
    system = json.loads(loopback.body)["system"]
    assert "".join(block["text"] for block in system) == paced(*FOUR_PACES).text
    assert [block.get("cache_control") for block in system] == [{"type": "ephemeral", "ttl": "1h"}] * 2 + [None]


@pytest.mark.parametrize("model", ["gpt-6-sol", "gpt-5.4", "gpt-4o"])
def test_openai_chat_sends_it(loopback: Loopback, model: str) -> None:
    """Developer or system message, breakpoints and tools reach Chat Completions as render gave them."""
    body = overture.render("openai-chat", paced(*FOUR_PACES), model=model, messages=MESSAGES, tools=True)
    send_openai_chat(loopback.url, body)
    assert_arrived(loopback.body, body)


@pytest.mark.parametrize("model", ["gpt-6-sol", "gpt-5.4"], ids=["input", "instructions"])
def test_openai_responses_sends_it(loopback: Loopback, model: str) -> None:
    """Instructions, or a developer message with breakpoints, reach Responses as render gave them."""
    body = overture.render("openai-responses", paced(*FOUR_PACES), model=model, messages=MESSAGES, tools=True)
    send_openai_responses(loopback.url, body)
    assert_arrived(loopback.body, body)
    assert ("instructions" in body) == (model == "gpt-5.4")


def test_gemini_sends_it(loopback: Loopback) -> None:
    """The system instruction, contents and function declarations reach Gemini; the SDK writes some keys its own way."""
    body = overture.render("gemini", paced(*FOUR_PACES), model="gemini-3.8-flash", messages=MESSAGES, tools=True)
    send_gemini(loopback.url, body)
    arrived = json.loads(loopback.body)
    assert arrived["contents"] == body["contents"]
    assert arrived["systemInstruction"]["parts"] == body["config"]["system_instruction"]["parts"]
    (declared,) = (tool["functionDeclarations"] for tool in arrived["tools"])
    wanted = body["config"]["tools"][0]["function_declarations"]
    assert declared == wanted
    for value in (wanted, body["config"]["system_instruction"]["parts"]):
        assert json.dumps(value).encode() in loopback.body


def test_bedrock_sends_it(loopback: Loopback) -> None:
    """boto3 takes the request as valid, and system texts, cache points and tool specs reach Converse."""
    model = "anthropic.claude-opus-5-v1:0"
    body = overture.render("bedrock", paced(*FOUR_PACES), model=model, messages=MESSAGES, tools=True, ttl="1h")
    send_bedrock(loopback.url, body)
    arrived = json.loads(loopback.body)
    assert arrived == {key: value for key, value in body.items() if key != "modelId"}
    for key in arrived:
        assert json.dumps(body[key]).encode() in loopback.body
    assert [next(iter(block)) for block in arrived["system"]] == ["text", "cachePoint", "text", "cachePoint", "text"]


def test_ollama_sends_it(loopback: Loopback) -> None:
    """Ollama's client takes messages and tools, and the texts arrive byte for byte."""
    body = overture.render("ollama", paced(*FOUR_PACES), model="llama3", messages=MESSAGES, tools=True)
    send_ollama(loopback.url, body)
    assert_ollama(loopback.body, body)


SENDERS = {
    "anthropic": send_anthropic,
    "openai-chat": send_openai_chat,
    "openai-responses": send_openai_responses,
    "gemini": send_gemini,
    "bedrock": send_bedrock,
    "ollama": send_ollama,
}


@pytest.mark.parametrize("provider", SENDERS)
def test_an_image_of_a_tool_arrives(loopback: Loopback, provider: str) -> None:
    """The SDK takes a result with an image in it, and the image's bytes reach the provider."""
    look = Message("assistant", calls=(Call("c1", "look"),))
    conversation = [Message("user", "Look."), look, Message("tool", "a ship", call="c1", blocks=(SHOWN[provider],))]
    body = overture.render(provider, paced(*FOUR_PACES), model=SOME[provider], messages=conversation, tools=True)
    SENDERS[provider](loopback.url, body)
    assert b"a ship" in loopback.body
    assert b"aGk=" in loopback.body
