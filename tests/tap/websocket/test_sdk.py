"""The providers' own clients speak by WebSocket through the tap."""

import asyncio
from typing import Any

import pytest
from google import genai
from openai import OpenAI

from overture.tap.certificate.authority import Authority
from overture.tap.certificate.trusted import trusted

from ..wire import tap_to
from .speaker import speaker
from .test_live import SETUP, google, realtime
from .test_websocket import calls


@pytest.mark.filterwarnings("ignore:connect\\(\\) must be used:DeprecationWarning")
def test_the_client_of_openai() -> None:
    """What it asks and hears is the same, and each turn is a call."""
    with speaker() as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        client = OpenAI(base_url=tap.base("openai"), api_key="sk-1234567890123", max_retries=0)
        with client.responses.connect() as line:
            line.response.create(model="gpt-5.5", input="one")
            done = next(event for event in line if event.type == "response.completed")
            line.response.create(model="gpt-5.5", input="two", previous_response_id=done.response.id)
            next(event for event in line if event.type == "response.completed")
        first, second = calls(tap.recorded(2))
    assert [piece.text for piece in second.of("message")] == ["one", "Aye 1.", "two"]
    assert (first.reply, second.reply, second.stream) == ("Aye 1.", "Aye 2.", True)
    assert "sk-1234567890123" not in repr(tap.exchanges)


@pytest.mark.filterwarnings("ignore:connect\\(\\) must be used:DeprecationWarning")
def test_the_client_of_openai_for_realtime() -> None:
    """The same for what is spoken live."""
    with speaker(realtime) as (_, port), tap_to(f"http://127.0.0.1:{port}") as tap:
        client = OpenAI(
            base_url=tap.base("openai"), api_key="sk-1234567890123",
            websocket_base_url=tap.base("openai").replace("http:", "ws:"),
        )  # fmt: skip
        with client.realtime.connect(model="gpt-realtime") as line:
            line.session.update(session={"type": "realtime", "instructions": "You are Ada."})
            line.conversation.item.create(
                item={"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Which roses?"}]}
            )
            line.response.create()
            next(event for event in line if event.type == "response.done")
        (call,) = calls(tap.recorded())
    assert [piece.text for piece in call.pieces] == ["You are Ada.", "Which roses?"]
    assert (call.model, call.reply) == ("gpt-realtime", "The red ones.")


async def _speak() -> None:
    client = genai.Client(api_key="AIza1234567890")
    config: Any = {"system_instruction": "You are Ada.", "tools": SETUP["tools"]}
    async with client.aio.live.connect(model="gemini-live-2.5", config=config) as line:
        asked: Any = {"role": "user", "parts": [{"text": "Which roses?"}]}
        await line.send_client_content(turns=asked)
        async for said in line.receive():
            if said.tool_call:
                given: Any = {"id": "f", "name": "look", "response": {"dry": "red"}}
                await line.send_tool_response(function_responses=given)


def test_the_client_of_google_for_gemini_live(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, as by a proxy, for its client knows no address without TLS."""
    ours = Authority()
    with (
        speaker(google) as (_, port),
        tap_to(f"gemini=http://127.0.0.1:{port}", authority=ours) as tap,
        trusted(ours, {}) as variables,
    ):
        for name, value in {**variables, "HTTPS_PROXY": str(tap.tap.proxy), "https_proxy": str(tap.tap.proxy)}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL", raising=False)
        asyncio.run(_speak())
        first, second = calls(tap.recorded(2))
    assert (first.calls, [piece.text for piece in first.of("system", "message")]) == (
        ("look",), ["You are Ada.", "Which roses?"],
    )  # fmt: skip
    assert (second.reply, [piece.what for piece in second.of("message")]) == (
        "The red ones.", ["text", "tool call", "tool result"],
    )  # fmt: skip
