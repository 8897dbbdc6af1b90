"""A session's turns through the real SDKs: what arrives is what `Turn.render` gave. Everything talks to loopback."""

import json
import re
from datetime import timedelta
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import overture
from overture import Call, Turn

from ..providers.arriving import (
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
from ..providers.sendable import PROVIDERS, WHERE, at, flat, long, unmarked
from .worlds import project, session


@cache
def turns() -> dict[str, Turn]:
    """A session that calls tools, fails, is interrupted, delegates and is compacted."""
    world = project()
    world.files["/p/AGENTS.md"] = f"Use tabs. Ünïcode 🚢 {long(3000)}".encode()
    live = session("house", world)
    taken = {"first": live.turn("Why is the tide wrong? 🧭")}
    live.assistant(
        "I look.", [Call("c1", "read", {"path": "täglich.py", "at": 1}), Call("c2", "bash", {"b": 1, "a": 2})]
    )
    live.result("c1", "print('日本語')")
    live.result("c2", "exit code 2", failed=True)
    taken["results"] = live.turn()
    live.assistant("", [Call("c3", "bash")])
    live.result(None, "The call was interrupted.", failed=True)
    world.time += timedelta(minutes=5)
    taken["interrupted"] = live.turn("Hurry.")
    live.assistant("", [Call("c4", "sub_agent", {"task": "Count."})])
    taken["child"] = live.subagent("Count the berths.", tools=["read"], prompt=f"You count. {long(600)}").turn()
    live.result("c4", "")
    taken["delegated"] = live.turn()
    live.assistant("There are 4.")
    live.compact("They counted.", keep=2)
    world.time += timedelta(minutes=5)
    taken["compacted"] = live.turn("And now?")
    return taken


NAMES = ("first", "results", "interrupted", "child", "delegated", "compacted")
SDKS = {
    "anthropic": (send_anthropic, ("claude-opus-5", "claude-sonnet-5")),
    "openai-chat": (send_openai_chat, ("gpt-6-sol", "gpt-5.4", "mistral-large")),
    "openai-responses": (send_openai_responses, ("gpt-6-sol", "gpt-5.4")),
    "gemini": (send_gemini, ("gemini-3.8-flash",)),
    "ollama": (send_ollama, ("llama3",)),
    "bedrock": (send_bedrock, ("anthropic.claude-opus-5-v1:0",)),
}
EACH = [(provider, model) for provider, (_, models) in SDKS.items() for model in models]


@pytest.mark.slow(unless=("child",))
@pytest.mark.parametrize(("provider", "model"), EACH)
@pytest.mark.parametrize("name", NAMES)
def test_what_arrives_is_what_the_turn_gave(loopback: Loopback, provider: str, model: str, name: str) -> None:
    """The SDK takes the request, and prompt, messages and tools arrive byte for byte."""
    turn = turns()[name]
    body, sent = turn.render(provider, model=model, with_manifest=True)
    SDKS[provider][0](loopback.url, body)
    if provider == "gemini":
        assert_gemini(loopback.body, body)
    elif provider == "ollama":
        assert_ollama(loopback.body, body)
    elif provider == "bedrock":
        rest = {key: value for key, value in body.items() if key != "modelId"}
        assert json.loads(loopback.body) == rest
        assert all(json.dumps(rest[key]).encode() in loopback.body for key in rest)
    else:
        assert_arrived(loopback.body, body, **({"max_tokens": 1} if provider == "anthropic" else {}))
    assert "".join(at(body, s.at)[s.start : s.end] for s in sent if s.of is not None) == turn.prompt.text


def assert_gemini(arrived: bytes, body: dict[str, Any]) -> None:
    """The SDK writes some keys its own way; all else arrives as it was given."""
    got = json.loads(arrived)
    assert got["contents"] == camel(body["contents"])
    assert got["systemInstruction"]["parts"] == body["config"]["system_instruction"]["parts"]
    assert got["tools"][0]["functionDeclarations"] == body["config"]["tools"][0]["function_declarations"]
    for value in (body["config"]["system_instruction"]["parts"], body["config"]["tools"][0]["function_declarations"]):
        assert json.dumps(value).encode() in arrived
    for content in body["contents"]:
        for part in content["parts"]:
            assert json.dumps(next(iter(part.values()))).encode() in arrived


def camel(value: Any) -> Any:
    """Keys as Gemini has them on the wire."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    plain = ("args", "response")
    return {
        re.sub("_([a-z])", lambda found: found[1].upper(), key): item if key in plain else camel(item)
        for key, item in value.items()
    }


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_message_keeps_its_clock(provider: str) -> None:
    """The time that a message was sent with goes again with it; the manifest knows that of the latest."""
    body, sent = turns()["delegated"].render(provider, with_manifest=True)
    text = json.dumps(body[WHERE.get(provider, "messages")])
    assert [text.count(f"{time} PM") for time in ("12:00", "12:05")] == [1, 1]
    clock = [s for s in sent if s.of is None]
    assert "".join(at(body, s.at)[s.start : s.end] for s in clock) == turns()["delegated"].prompt.messages[0].text
    assert {s.section for s in clock} == {turns()["delegated"].prompt.messages[0].name}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_turn_extends_the_one_before(provider: str) -> None:
    """What was sent of system prompt, tools and messages begins the next request, breakpoints apart."""
    told = [turns()[name].render(provider) for name in ("first", "results", "interrupted", "delegated")]
    for before, after in pairwise(unmarked(told)):
        key = WHERE.get(provider, "messages")
        rows, more = flat(before.pop(key)), flat(after[key])
        assert more[: len(rows)] == rows
        assert before == {name: value for name, value in after.items() if name != key}


def test_breakpoints_go_to_the_end() -> None:
    """Nothing in a session's messages moves: the next request finds all of this one in the cache."""
    for name in NAMES:
        body = turns()[name].render("anthropic", model="claude-opus-5", ttl="1h")
        assert "cache_control" in body["messages"][-1]["content"][-1]
        body = turns()[name].render("bedrock")
        assert "cachePoint" in body["messages"][-1]["content"][-1]
    assert "cache" not in str(list(turns()["first"].render("openai-chat", cache=False)))


def test_the_short_names_leave_the_model_to_the_caller() -> None:
    """They take what every model of the provider takes; with a model's name, what that one takes."""
    turn = turns()["first"]
    plain = turn.to_openai()
    assert plain == {key: v for key, v in turn.render("openai-chat", model="x").items() if key != "model"}
    assert plain["messages"][0] == {"role": "system", "content": turn.prompt.text}
    own = turn.to_openai(model="gpt-6-sol")
    assert own == {key: v for key, v in turn.render("openai-chat", model="gpt-6-sol").items() if key != "model"}
    assert own["messages"][0]["role"] == "developer"
    assert "model" not in turn.to_anthropic()
    assert turn.to_anthropic(model="claude-opus-5", ttl="1h")["system"][0]["cache_control"]["ttl"] == "1h"


def test_tools_stay_where_they_were() -> None:
    """A session's own order goes out: one that comes later stands behind, whatever its name."""
    live = session("opal", tools=["shell"])
    live.register({"name": "zoo"}, {"name": "ant"})
    live.register({"name": "plan", "planning_only": True})
    names = [tool["name"] for tool in live.turn("Go").render("anthropic")["tools"]]
    assert [name for name in names if name != "use_skill"] == ["shell", "zoo", "ant"]
    live.update(native_tools=False)
    assert all("tools" not in live.turn("On").render(provider) for provider in ("anthropic", "ollama"))


def test_a_turn_refuses_what_render_refuses() -> None:
    """The same function makes both requests: the same errors."""
    turn = turns()["first"]
    with pytest.raises(overture.ConfigError, match="Provider 'antropic' is not known"):
        turn.render("antropic")
    with pytest.raises(overture.ConfigError, match="ttl: '2h'"):
        turn.to_anthropic(ttl="2h")
