"""Google's ADK: what the contract of all frameworks does not ask."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk.plugins", exc_type=ImportError)

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from pydantic import BaseModel

from overture.integrations.google_adk import OverturePlugin

from .contract import Step
from .frameworks.google_adk import Script, ask, make_runner


def read(path: str) -> str:
    """Read a file."""
    return f"the text of {path}"


def test_the_plugins_argument_works(make_session: Any) -> None:
    """A runner takes the plugin by its own argument too, which newer versions call deprecated."""
    script = Script(steps=[Step("ok")])
    with pytest.warns(DeprecationWarning):
        runner = InMemoryRunner(
            agent=LlmAgent(name="lead", model=script), app_name="contract", plugins=[OverturePlugin(make_session())]
        )
    assert asyncio.run(ask(runner, "hi")) == "ok"
    assert "Use tabs." in script.seen[0].system


def test_calls_without_ids_have_their_results(make_session: Any) -> None:
    """Gemini gives its calls no ids: nested files still arrive, and hooks may return the messages."""
    session = make_session()
    session.hook("context", lambda messages: list(messages))
    calls = (("read", {"path": "api/x.py"}), ("read", {"path": "a.py"}))
    script = Script(steps=[Step(calls=calls), Step("ok")], has_ids=False)
    assert asyncio.run(ask(make_runner(session, script, [read]), "hi")) == "ok"
    assert "Answer in JSON." in script.seen[1].text
    assert [each.code for entry in session.record for each in entry.diagnostics] == []


def test_a_model_that_fails_leaves_the_session_usable(make_session: Any) -> None:
    """The error is the caller's; the next run is sent the whole prompt."""
    session = make_session()
    with pytest.raises(OSError, match="no network"):
        asyncio.run(ask(make_runner(session, Script(steps=[OSError("no network")]), [read]), "hi"))
    script = Script(steps=[Step("ok")])
    assert asyncio.run(ask(make_runner(session, script, [read]), "hi")) == "ok"
    assert "Use tabs." in script.seen[0].system and script.seen[0].text.count("Current time:") == 1
    assert session.usage.requests == 1


def test_a_run_that_is_cancelled_leaves_the_session_usable(make_session: Any) -> None:
    """A request that is cancelled while the model answers counts for nothing."""
    session = make_session()

    async def cancel() -> None:
        began = asyncio.Event()

        class Slow(Script):
            async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
                began.set()
                await asyncio.Event().wait()
                yield None

        task = asyncio.create_task(ask(make_runner(session, Slow(), [read]), "hi"))
        await asyncio.wait([task, asyncio.create_task(began.wait())], return_when=asyncio.FIRST_COMPLETED)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    script = Script(steps=[Step("ok")])
    asyncio.run(ask(make_runner(session, script, [read]), "hi"))
    assert "Use tabs." in script.seen[0].system
    assert session.usage.requests == 1


def test_two_sessions_on_one_runner_are_refused(make_session: Any) -> None:
    """ADK takes one plugin of a name; it says so when the runner is made."""
    two: list[Any] = [OverturePlugin(make_session()), OverturePlugin(make_session())]
    with pytest.raises(ValueError, match="overture"):
        InMemoryRunner(app=App(name="contract", root_agent=LlmAgent(name="lead", model=Script()), plugins=two))


def test_a_sub_agent_has_a_session_of_its_own(make_session: Any) -> None:
    """An agent that the first one hands over to is sent its own tools; its cost is also in the first one's sum."""
    session = make_session()
    inner = Script(steps=[Step("found")])
    helper = LlmAgent(name="helper", model=inner, description="Finds things.", tools=[read])
    outer = Script(steps=[Step(calls=(("transfer_to_agent", {"agent_name": "helper"}),))])
    plugin = OverturePlugin(session)
    lead = LlmAgent(name="lead", model=outer, sub_agents=[helper])
    runner = InMemoryRunner(app=App(name="contract", root_agent=lead, plugins=[plugin]))
    assert asyncio.run(ask(runner, "hi")) == "found"
    assert "Use tabs." in inner.seen[0].system
    assert "- read: Read a file." in inner.seen[0].system and "- read" not in outer.seen[0].system
    assert plugin.sessions.find("lead") is session
    child = plugin.sessions.find("helper")
    assert child is not session
    assert (session.usage.requests, child.usage.requests) == (2, 1)
    assert [sum(entry.usage is not None for entry in each.record) for each in (session, child)] == [1, 1]


def test_what_is_added_is_not_in_the_events(make_session: Any) -> None:
    """The history that ADK keeps holds the user's words and the tool's, and nothing of the session's."""
    script = Script(steps=[Step(calls=(("read", {"path": "api/x.py"}),)), Step("ok")])
    runner = make_runner(make_session(), script, [read])

    async def list_texts() -> str:
        await ask(runner, "hi")
        kept = await runner.session_service.get_session(app_name="contract", user_id="me", session_id="one")
        assert kept is not None
        return str([event.content for event in kept.events])

    texts = asyncio.run(list_texts())
    assert "Answer in JSON." in script.seen[1].text
    assert "Answer in JSON." not in texts and "Current time:" not in texts


def test_a_nested_file_is_told_once_a_conversation(make_session: Any, project: Path) -> None:
    """Two conversations of one runner are each told it."""
    call = Step(calls=(("read", {"path": "api/x.py"}),))
    script = Script(steps=[call, Step("ok"), call, Step("ok")])
    runner = make_runner(make_session(), script, [read])

    async def both() -> None:
        await ask(runner, "hi", "one")
        await ask(runner, "hi", "two")

    asyncio.run(both())
    assert [seen.text.count("Answer in JSON.") for seen in script.seen] == [0, 1, 0, 1]


class Tide(BaseModel):
    """The tide."""

    metres: float


def test_tools_that_adk_adds_are_the_session_s(make_session: Any) -> None:
    """The tools for a structured answer and for handing over are offered and known, and the prompt names them."""
    session = make_session()
    helper = LlmAgent(name="helper", model=Script(steps=[]), description="Helps.")
    script = Script(steps=[Step(calls=(("set_model_response", {"metres": 2.5}),)), Step('{"metres": 2.5}')])
    runner = make_runner(session, script, [read], output_schema=Tide, sub_agents=[helper])
    assert "2.5" in asyncio.run(ask(runner, "hi"))
    offered = {tool.name for tool in script.seen[0].tools}
    assert offered == {tool.name for tool in session.prompt.state.tools}
    assert {"read", "use_skill", "transfer_to_agent"} <= offered
    assert all(f"- {name}" in script.seen[0].system for name in offered)
