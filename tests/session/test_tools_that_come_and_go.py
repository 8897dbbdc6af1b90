"""With on_change="append" a request keeps its prefix, tool definitions included, while tools come and go."""

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture import Session
from overture.model.message import Call
from overture.session.register_tools import unregister_tools
from overture.session.session import get_parts
from tests.contract.session.worlds import session

GOLDENS = Path(__file__).parents[1] / "contract/goldens" / "tool-changes"
NATIVE = [("anthropic", "claude-opus-5"), ("openai-responses", "gpt-5.6")]
WITHOUT = [("anthropic", "claude-sonnet-5"), ("openai-responses", "gpt-5.1")]
NAMES = [f"tool_{number}" for number in range(20)]


def tool(name: str, about: str = "Does it.") -> dict[str, Any]:
    """A tool of that name."""
    return {"name": name, "description": about, "parameters": {"type": "object", "properties": {}}}


def live(*names: str) -> Session:
    """A session that appends changes, with one tool that stays and these."""
    return session("house", tools=[tool(name) for name in ("base", *names)], on_change="append")


def unmarked(value: Any) -> Any:
    """Without marks, which are no part of what is cached; a text is the same as a list of one."""
    if isinstance(value, dict):
        inner = {
            key: unmarked(item) for key, item in value.items() if not key.endswith(("cache_control", "breakpoint"))
        }
        text = inner.get("content")
        return {**inner, "content": [{"type": "text", "text": text}]} if isinstance(text, str) else inner
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def cached_bytes(body: dict[str, Any]) -> bytes:
    """A request in the order in which providers cache it: tools, system prompt, messages."""
    ordered = [body.get(key) for key in ("tools", "system", "instructions", "messages", "input")]
    return b"\n".join(json.dumps(each).encode() for part in ordered for each in unmarked(part or []))


def shared(before: bytes, after: bytes) -> float:
    """Which part of a request the next one begins with."""
    if after.startswith(before):
        return 1.0
    return next((at for at, pair in enumerate(zip(before, after)) if pair[0] != pair[1]), len(before)) / len(before)


def take_turn(it: Session, text: str, provider: str, model: str) -> dict[str, Any]:
    """One turn with its answer; the request."""
    body = it.turn(text).render(provider, model=model)
    it.assistant(f"Answer to {text}")
    return body


TURNS = 24
"""Enough that each tool comes and goes; a request that begins with the whole one before does so after any number."""


def churn(*, new: bool) -> dict[tuple[str, str], list[float]]:
    """The shared part of each request, by model, while in each turn a tool comes or goes; `new`: they begin unknown."""
    it, active = live(*(() if new else NAMES)), set() if new else set(NAMES)
    names = [*NAMES, *random.Random(7).sample(NAMES, TURNS - len(NAMES))]
    bodies: dict[tuple[str, str], list[bytes]] = {target: [] for target in (*NATIVE, *WITHOUT)}
    for number, name in enumerate(names):
        unregister_tools(get_parts(it), [name]) if name in active else it.register(tool(name))
        active ^= {name}
        turn = it.turn(f"Question {number}")
        for (provider, model), found in bodies.items():
            found.append(cached_bytes(turn.render(provider, model=model)))
        it.assistant(f"Answer {number}")
    return {target: [shared(*pair) for pair in pairwise(found)] for target, found in bodies.items()}


def test_the_prefix_stays_while_twenty_tools_come_and_go() -> None:
    """Each request begins with the whole one before, with every sort of model."""
    assert {ratio for ratios in churn(new=False).values() for ratio in ratios} == {1.0}


def test_a_tool_that_nobody_knew_costs_nothing_where_the_model_has_a_form_for_it_and_else_one_miss() -> None:
    """It is defined where it comes, or joins the end of the list; coming and going after that costs nothing."""
    ratios = churn(new=True)
    for target in NATIVE:
        assert set(ratios[target]) == {1.0}
    for target in WITHOUT:
        first, again = ratios[target][: len(NAMES) - 1], ratios[target][len(NAMES) - 1 :]
        assert all(ratio < 0.99 for ratio in first) and set(again) == {1.0}


steps = st.lists(st.sampled_from(NAMES[:4]), min_size=1, max_size=8)


@settings(max_examples=8, deadline=None)
@given(steps, st.sampled_from([*NATIVE, *WITHOUT]))
def test_the_active_tools_are_known_from_the_request(toggled: list[str], target: tuple[str, str]) -> None:
    """Whatever comes and goes: each request begins like the one before, and says which tools are active."""
    provider, model = target
    it, active = live(*NAMES[:4]), ["base", *NAMES[:4]]
    before = cached_bytes(take_turn(it, "Go", provider, model))
    for name in toggled:
        if name in active:
            unregister_tools(get_parts(it), [name])
            active.remove(name)
        else:
            it.register(tool(name))
            active.append(name)
        body = take_turn(it, f"With {name}", provider, model)
        assert shared(before, cached_bytes(body)) == 1.0
        before = cached_bytes(body)
        assert active_in(body, provider, target in NATIVE) == {*active, "use_skill"}


def active_in(body: dict[str, Any], provider: str, native: bool) -> set[str]:
    """The tools that a model may call by a request alone."""
    if not native:
        text = json.dumps(body.get("messages", body.get("input"))).rpartition("call only these: ")[2]
        return set(text.partition(". The other")[0].split(", "))
    if provider == "openai-responses":
        return {each["name"] for each in body["tool_choice"]["tools"]}
    found = {each["name"] for each in body["tools"]}
    for message in body["messages"]:
        for block in message["content"] if message["role"] == "system" else ():
            name = block["tool"].get("name") or block["tool"]["definition"]["name"]
            found = found | {name} if block["type"] == "tool_addition" else found - {name}
    return found


@pytest.mark.parametrize(("provider", "model"), [*NATIVE, *WITHOUT])
def test_the_request_is_the_golden(provider: str, model: str) -> None:
    """One request of each sort: a tool went, a new one came, and the first came back."""
    it = live("find")
    take_turn(it, "One", provider, model)
    unregister_tools(get_parts(it), ["find"])
    it.register(tool("read"))
    take_turn(it, "Two", provider, model)
    it.register(tool("find"))
    body = take_turn(it, "Three", provider, model)
    shown = {key: body[key] for key in ("tools", "messages", "input", "tool_choice", "extra_headers") if key in body}
    shown = {**shown, **({"input": body["input"][-6:]} if "input" in body else {})}
    text = json.dumps(shown, indent=1, ensure_ascii=False) + "\n"
    assert (GOLDENS / f"{provider}-{model}.json").read_text() == text


def test_a_call_of_a_tool_that_went_is_answered_with_an_error() -> None:
    """The model may still see its definition: `answer` says that it is not active, and the run goes on."""
    it = live("find")
    take_turn(it, "One", *WITHOUT[0])
    unregister_tools(get_parts(it), ["find"])
    it.turn("Two")
    it.assistant("", [Call("c1", "find"), Call("c2", "base")])
    calls = it.messages[-1].calls
    assert [it.answer(call) for call in calls] == [True, False]
    (result,) = [message for message in it.messages if message.role == "tool"]
    assert result.failed and result.text.startswith("Error: the tool 'find' is not active now.")
    it.result("c2", "out")
    it.register(tool("find"))
    it.turn("Three")
    it.assistant("", [Call("c3", "find")])
    assert it.answer(it.messages[-1].calls[0]) is False


def test_a_tool_that_is_defined_anew_is_told() -> None:
    """The new definition is in the message, and the old one is removed."""
    it = live("find")
    take_turn(it, "One", *NATIVE[0])
    it.register(tool("find", "Finds better."))
    body = take_turn(it, "Two", *NATIVE[0])
    (message,) = [each for each in body["messages"] if each["role"] == "system"]
    assert [block["type"] for block in message["content"]] == ["tool_removal", "tool_addition"]
    assert message["content"][1]["tool"]["definition"]["description"] == "Finds better."


@pytest.mark.parametrize("fold", ["compact", "reload"])
def test_a_fold_lists_the_active_tools_alone(fold: str) -> None:
    """Where the prefix ends anyway, the request begins anew with the tools that are active."""
    it = live("find")
    take_turn(it, "One", *NATIVE[0])
    unregister_tools(get_parts(it), ["find"])
    take_turn(it, "Two", *NATIVE[0])
    it.compact("Summary.") if fold == "compact" else it.reload()
    body = take_turn(it, "Three", *NATIVE[0])
    assert "find" not in [each["name"] for each in body["tools"]] and "extra_headers" not in body


def test_a_save_keeps_the_prefix(tmp_path: Path) -> None:
    """A session that is resumed goes on with the same tools and messages."""
    it = live("find")
    take_turn(it, "One", *NATIVE[0])
    unregister_tools(get_parts(it), ["find"])
    before = take_turn(it, "Two", *NATIVE[0])
    it.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json")
    assert shared(cached_bytes(before), cached_bytes(take_turn(again, "Three", *NATIVE[0]))) == 1.0


def test_without_append_nothing_is_told() -> None:
    """The list of tools is that of the active ones, as ever."""
    it = session("house", tools=[tool("base"), tool("find")])
    it.turn("One")
    it.assistant("Done.")
    unregister_tools(get_parts(it), ["find"])
    turn = it.turn("Two")
    assert [each["name"] for each in turn.render("anthropic")["tools"] if each["name"] != "use_skill"] == ["base"]
    assert not any(message.kind == "update" for message in turn.messages)
