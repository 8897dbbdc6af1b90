"""Five turns through the real SDKs: what arrived is what the session said, byte for byte."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import anthropic
import openai

from overture import Call, Session, Turn

from ..providers.sendable import unmarked
from .loopback import Model, Say, model

SCRIPT = (
    Say("", (("c1", "read_file", {"path": "quay/tides.py"}),)),
    Say("The tide table is off by an hour."),
    Say("", (("c2", "use_skill", {"name": "tides"}), ("c3", "use_skill", {"name": "nonsense"}))),
    Say("I know how now."),
    Say("Noted."),
    Say("", (("c4", "sub_agent", {"task": "Count the berths."}),)),
    Say("There are 4 berths."),  # the sub-agent
    Say("It counted 4."),
    Say("Done."),
)


def project(folder: Path) -> Path:
    """A project on disk."""
    here = folder / "p"
    skill = here / ".agents/skills/tides"
    for path in (skill, here / "quay"):
        path.mkdir(parents=True)
    (here / "AGENTS.md").write_text("Use tabs. Ünïcode 🚢")
    (here / "quay/AGENTS.md").write_text("Metres, not feet.")
    (here / "quay/tides.py").write_text("print()")
    (skill / "SKILL.md").write_text("---\nname: tides\ndescription: Reads tide tables.\n---\nAdd one hour.\n")
    return here


Ask = Callable[[Turn], tuple[str, list[Call]]]


def ask_openai(url: str) -> Ask:
    """Send a turn with the openai SDK."""
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)

    def ask(turn: Turn) -> tuple[str, list[Call]]:
        said = client.chat.completions.create(model="m", **turn.to_openai()).choices[0].message
        calls = [Call(c.id, c.function.name, json.loads(c.function.arguments)) for c in said.tool_calls or []]
        return said.content or "", calls

    return ask


def ask_anthropic(url: str) -> Ask:
    """Send a turn with the anthropic SDK."""
    client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)

    def ask(turn: Turn) -> tuple[str, list[Call]]:
        said = client.messages.create(model="m", max_tokens=100, **turn.to_anthropic())
        text = "".join(block.text for block in said.content if block.type == "text")
        return text, [Call(b.id, b.name, dict(b.input)) for b in said.content if b.type == "tool_use"]

    return ask


def run(live: Session, ask: Ask, turn: Turn) -> str:
    """An agent's loop: until the model calls no more tools."""
    while True:
        text, calls = ask(turn)
        live.assistant(text, calls)
        if not calls:
            return text
        for call in calls:
            if live.answer(call):
                continue
            if call.name == "sub_agent":
                child = live.subagent(call.arguments["task"], tools=["read_file"], prompt="You count.")
                live.result(call.id, run(child, ask, child.turn()))
            else:
                live.result(call.id, "print()")
        turn = live.turn()


def drive(server: Model, ask: Ask, folder: Path) -> Session:
    """Five turns with a tool call, a skill, a changed file and a sub-agent."""
    here = project(folder)
    config = {"features.context.nested": True}
    with Session("opal", cwd=here, home=folder, root=here, config=config) as live:
        assert run(live, ask, live.turn("Why is the tide wrong?")) == "The tide table is off by an hour."
        assert run(live, ask, live.turn("Use a skill.")) == "I know how now."
        (here / "AGENTS.md").write_text("Use blanks.")
        live.refresh(str(here / "AGENTS.md"))
        run(live, ask, live.turn("The rules changed."))
        run(live, ask, live.turn("Delegate."))
        run(live, ask, live.turn("Finish."))
    assert len(server.bodies) == len(SCRIPT)
    return live


def without_child(rows: list[Any]) -> list[Any]:
    """What the session itself sent: the sub-agent's request is the seventh."""
    return [*rows[:6], *rows[7:]]


def test_openai_receives_what_the_session_said(tmp_path: Path) -> None:
    """Through the openai SDK: prompt, messages and tools arrive as they are, and each request extends the last."""
    with model(*SCRIPT) as server:
        live = drive(server, ask_openai(server.url), tmp_path)
        requests, bodies = server.requests, server.bodies
    own = without_child(requests)
    systems = [request["messages"][0]["content"] for request in own]
    assert all(system == systems[0] for system in systems[:4])
    assert all(system == live.prompt.text for system in systems[4:])
    assert "Ünïcode 🚢" in systems[0]
    assert "Use blanks." in systems[4]
    for before, after in pairwise(own):
        length = len(before["messages"])
        assert after["messages"][1:length] == before["messages"][1:]
        assert json.dumps(after["tools"]) == json.dumps(before["tools"])
    assert [m["role"] for m in own[1]["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert "Metres, not feet." in own[1]["messages"][-1]["content"]
    roles = [(m["role"], m.get("tool_call_id")) for m in own[3]["messages"][-4:]]
    assert roles == [("assistant", None), ("tool", "c2"), ("tool", "c3"), ("user", None)]
    assert "Known: tides" in own[3]["messages"][-2]["content"]
    assert "Add one hour." in own[3]["messages"][-1]["content"]
    child = requests[6]
    assert child["messages"][0]["content"].startswith("You count.\n\n<project-context")
    assert "<planning>" not in child["messages"][0]["content"]
    assert [tool["function"]["name"] for tool in child["tools"]] == ["read_file", "use_skill"]
    assert child["messages"][1:] == [{"role": "user", "content": "Count the berths."}]
    written = json.dumps(systems[0], ensure_ascii=b"\\u" in bodies[0]).encode()
    assert all(written in body for body in bodies[:4])


def test_anthropic_receives_what_the_session_said(tmp_path: Path) -> None:
    """Through the anthropic SDK: results are blocks of user messages, and the prefix stays."""
    with model(*SCRIPT) as server:
        live = drive(server, ask_anthropic(server.url), tmp_path)
        requests = unmarked(server.requests)
    own = without_child(requests)
    assert all(request["system"] == own[0]["system"] for request in own[:4])
    assert all("".join(block["text"] for block in request["system"]) == live.prompt.text for request in own[4:])
    for request in requests:
        roles = [message["role"] for message in request["messages"]]
        assert roles == (["user", "assistant"] * len(roles))[: len(roles)]
    kinds = [block["type"] for block in own[1]["messages"][-1]["content"]]
    assert kinds == ["tool_result", "text"]
    last = own[3]["messages"][-1]["content"]
    assert [block["type"] for block in last] == ["tool_result", "tool_result", "text"]
    assert last[1]["is_error"] is True
    assert requests[6]["messages"] == [{"role": "user", "content": [{"type": "text", "text": "Count the berths."}]}]
    for before, after in pairwise(own):
        flat, more = _blocks(before), _blocks(after)
        assert more[: len(flat)] == flat
        assert after["tools"] == before["tools"]


def _blocks(request: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(message["role"], block) for message in request["messages"] for block in message["content"]]
