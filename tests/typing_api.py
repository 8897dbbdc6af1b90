"""The public names as a type checker sees them. Checked by mypy, never run."""

from pathlib import Path
from typing import Any, assert_type

import overture
from overture import (
    Body,
    Budget,
    Change,
    Counter,
    Diagnostic,
    Discovery,
    Group,
    Part,
    Prompt,
    Recipe,
    Section,
    Skip,
    State,
    heading,
    section,
    tag,
)
from overture.known_models.model_facts import TableForm
from overture.model.prompt.block import Block, Cut, Omission
from overture.model.source import Source
from overture.model.state.agent_and_runtime import Runtime
from overture.model.tool import Tool
from overture.providers.write.cache_plan_and_manifest import ManifestEntry
from overture.report.diff import Patch
from overture.session.hooks import AgentStart
from overture.testing import FakeWorld, make_state

state = State.from_dict({"runtime": {"cwd": "/p"}})
assert_type(state, State)
assert_type(state.replace(memories=("Ada prefers tabs",)), State)
assert_type(state.tools, tuple[Tool, ...])
assert_type(state.runtime, Runtime | None)
assert_type(state.to_dict(), dict[str, Any])
assert_type(make_state(tools=[{"name": "read"}]), State)

prompt = overture.build("opal", state)
assert_type(prompt, Prompt)
assert_type(overture.build("pi", cwd=Path()), Prompt)
assert_type(overture.build("opal", state, since=prompt), Prompt)
assert_type(overture.render("anthropic", prompt, tools=True), dict[str, Any])
assert_type(overture.render("gemini", prompt, with_manifest=True), tuple[dict[str, Any], tuple[ManifestEntry, ...]])
assert_type(
    overture.render("ollama", prompt, messages=[overture.Message("user", "Hi"), {"role": "user", "content": "Hi"}]),
    dict[str, Any],
)
assert_type(overture.load_models(), TableForm)
assert_type(prompt.text, str)
assert_type(prompt.fingerprint, str)
assert_type(prompt.blocks, tuple[Block, ...])
assert_type(prompt.blocks[0].name, str)
assert_type(prompt.blocks[0].text, str)
assert_type(prompt.omitted, tuple[Omission, ...])
assert_type(prompt.diagnostics, tuple[Diagnostic, ...])
assert_type(prompt.source_at(0), Source)
assert_type(prompt.to_dict(), dict[str, Any])

found = overture.discover("opal", cwd=".", home=None, root=None, world=FakeWorld())
assert_type(found, Discovery)
assert_type(found.state, State)
assert_type(overture.discover(since=found).diagnostics, tuple[Diagnostic, ...])

assert_type(overture.counter("o200k"), Counter)
assert_type(prompt.counted(overture.counter()), Prompt)
assert_type(prompt.tokens, int)
assert_type(overture.fit(prompt, budget=4000, count=overture.counter("o200k")), Prompt)
assert_type(overture.fit(prompt, Budget("10%", window=200_000), len, since=prompt).cuts, tuple[Cut, ...])
assert_type(overture.diff(prompt, prompt), Patch)
assert_type(overture.derive(state, prompt="Review.", tools=["read"]), State)
assert_type(overture.tools_from([{"name": "read"}]), tuple[Tool, ...])
assert_type(overture.load_recipe("pi"), Recipe)


@section("host", pace="session", frame=heading("## Host"), priority=30)
def host(runtime: Runtime | None) -> Body:
    if runtime is None:
        return Skip("no host is given")
    return Group((Part(runtime.host or "", trusted=True), "and so on"), sep="\n")


assert_type(host, Section)
assert_type(Recipe("mine", (host, Section("x", lambda: "text", frame=tag("x")))), Recipe)

session = overture.Session("house", cwd=".", tools=["read"], keep=10)
assert_type(session.turn("Fix the failing test"), overture.Turn)
assert_type(session.turn().prompt, Prompt)
assert_type(session.turn().messages, tuple[overture.Message, ...])
assert_type(session.turn().tools, tuple[Tool, ...])
assert_type(session.turn().render("bedrock", ttl="1h"), dict[str, Any])
assert_type(session.turn().render("gemini", with_manifest=True), tuple[dict[str, Any], tuple[ManifestEntry, ...]])
assert_type(session.turn().to_openai(model="gpt-6-sol"), dict[str, Any])
assert_type(session.turn().to_anthropic(cache=False), dict[str, Any])
assert_type(session.subagent("Count."), overture.Session)
assert_type(overture.Session.resume(Path("s.json")), overture.Session)


@session.hook("before_agent_start")
async def audit(event: AgentStart) -> Change | None:
    return Change.append(event.text)


assert_type(session.record[-1].first, int | None)
