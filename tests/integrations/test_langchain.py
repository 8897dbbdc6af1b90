"""LangChain: what the contract of all frameworks does not ask."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain.agents.middleware", exc_type=ImportError)

from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from overture.integrations.langchain import OvertureMiddleware, find_cache, read_request, write_request

from .contract import Step
from .frameworks.langchain import Script, make_agent

ASK = {"messages": [HumanMessage("hi")]}


def read(path: str) -> str:
    """Read a file."""
    return f"the text of {path}"


@pytest.fixture
def long_project(project: Path) -> Path:
    """A project whose prompt is long enough for a cache."""
    (project / "AGENTS.md").write_text("".join(f"Rule {number} says much.\n" for number in range(2_000)))
    return project


def list_marks(content: Any) -> list[bool]:
    """Which blocks have a breakpoint."""
    return [isinstance(block, dict) and "cache_control" in block for block in content]


def test_breakpoints_end_the_stable_part_and_the_messages(make_session: Any, long_project: Path) -> None:
    """For Claude the system prompt ends in a block with a breakpoint, and so does the last message."""
    script = Script(steps=[Step(calls=(("read", {"path": "a"}),)), Step("ok")])
    make_agent(make_session(), script, [read], "Be brief.").invoke(ASK)
    for messages in script.raw:
        system = messages[0].content
        assert any(list_marks(system)) and not list_marks(system)[-1], "what the agent says itself is behind it"
        assert system[-1]["text"].strip() == "Be brief."
        assert list_marks(messages[-1].content)[-1]
        assert not any("cache_control" in str(message.content) for message in messages[1:-1])


def test_other_models_get_one_text(make_session: Any, long_project: Path) -> None:
    """A provider that takes no breakpoints gets the prompt and the messages as plain texts."""
    script = Script(steps=[Step("ok")], vendor="openai")
    make_agent(make_session(), script, [read], "Be brief.").invoke(ASK)
    assert [type(message.content) for message in script.raw[0]] == [str, str]
    assert script.raw[0][0].content.endswith("\n\nBe brief.")


def test_a_system_message_of_blocks_stays(make_session: Any) -> None:
    """Blocks of the agent's own system message are sent as they are, behind the prompt."""
    own = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    script = Script(steps=[Step("ok")], vendor="openai")
    create_agent(
        script, [], system_prompt=SystemMessage(content=[own]), middleware=[OvertureMiddleware(make_session())]
    ).invoke(ASK)
    assert script.raw[0][0].content[-1] == own
    assert "Use tabs." in script.raw[0][0].content[0]["text"]


def test_a_model_that_fails_leaves_the_session_usable(make_session: Any) -> None:
    """The error is the caller's; the next run is sent the whole prompt."""
    session = make_session()
    with pytest.raises(OSError, match="no network"):
        make_agent(session, Script(steps=[OSError("no network")]), [read]).invoke(ASK)
    script = Script(steps=[Step("ok")])
    assert make_agent(session, script, [read]).invoke(ASK)["messages"][-1].text == "ok"
    assert "Use tabs." in script.seen[0].system and script.seen[0].text.count("Current time:") == 1
    assert session.usage.requests == 1


def test_a_run_that_is_cancelled_leaves_the_session_usable(make_session: Any) -> None:
    """A request that is cancelled while the model answers counts for nothing."""
    session = make_session()

    async def cancel() -> None:
        began = asyncio.Event()

        class Slow(Script):
            async def _agenerate(self, *args: Any, **more: Any) -> Any:
                began.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(make_agent(session, Slow(steps=[]), [read]).ainvoke(ASK))
        await asyncio.wait([task, asyncio.create_task(began.wait())], return_when=asyncio.FIRST_COMPLETED)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    script = Script(steps=[Step("ok")])
    make_agent(session, script, [read]).invoke(ASK)
    assert "Use tabs." in script.seen[0].system
    assert session.usage.requests == 1


def test_a_tool_that_raises_is_the_framework_s(make_session: Any) -> None:
    """The session stays usable after a tool that raises."""
    session = make_session()

    def fail(path: str) -> str:
        """Fail."""
        raise ValueError(path)

    agent = make_agent(session, Script(steps=[Step(calls=(("fail", {"path": "api/x.py"}),))]), [fail])
    with pytest.raises(ValueError, match=r"api/x\.py"):
        agent.invoke(ASK)
    script = Script(steps=[Step("ok")])
    make_agent(session, script, [read]).invoke(ASK)
    assert [tool.name for tool in script.seen[0].tools] == ["use_skill", "read"]


def test_two_sessions_on_one_agent_are_refused(make_session: Any) -> None:
    """LangChain takes one middleware of a class; it says so when the agent is made."""
    two = [OvertureMiddleware(make_session()), OvertureMiddleware(make_session())]
    with pytest.raises(AssertionError, match="duplicate middleware"):
        create_agent(Script(steps=[]), [], middleware=two)


def test_agents_that_share_the_middleware_have_sessions_of_their_own(make_session: Any, project: Path) -> None:
    """The first agent has the session; another name gets a sub-agent's, with a task of its own."""
    session = make_session()
    middleware = OvertureMiddleware(session)
    inner = Script(steps=[Step("found")])
    helper = create_agent(inner, [], middleware=[middleware], name="helper")

    def ask(question: str) -> str:
        """Ask the helper."""
        return str(helper.invoke({"messages": [HumanMessage(question)]})["messages"][-1].text)

    outer = Script(steps=[Step(calls=(("ask", {"question": "where?"}),)), Step("there")])
    agent = create_agent(outer, [ask], middleware=[middleware], name="lead")
    assert agent.invoke(ASK)["messages"][-1].text == "there"
    assert middleware.sessions.find("lead") is session
    assert middleware.sessions.find("helper") is not session
    assert "Use tabs." in inner.seen[0].system
    assert "- ask" in outer.seen[1].system and "- ask" not in inner.seen[0].system


def test_threads_are_conversations(make_session: Any) -> None:
    """Two threads that begin alike are each told the nested file, and a thread that goes on keeps its messages."""
    session = make_session()
    call = Step(calls=(("read", {"path": "api/x.py"}),))
    script = Script(steps=[call, Step("ok"), Step("more"), call, Step("ok")])
    agent = make_agent(session, script, [read], checkpointer=InMemorySaver())
    for thread in ("a", "a", "b"):
        agent.invoke(ASK, {"configurable": {"thread_id": thread}})
    first, second, third, _, fifth = script.seen
    assert "Answer in JSON." not in first.text
    assert [seen.text.count("Answer in JSON.") for seen in (second, third, fifth)] == [1, 1, 1]
    assert third.messages[: len(second.messages)] == second.messages


def test_a_tool_of_the_provider_passes(make_session: Any) -> None:
    """A tool that the provider runs itself has no schema: it is sent as it is, and is none of the session's."""
    session = make_session()
    search = {"type": "web_search_20250305", "name": "web_search"}
    seen: list[Any] = []

    class Model(Script):
        def bind_tools(self, tools: Any, **more: Any) -> Any:
            seen.extend(tools)
            return self.bind(tools=[])

    create_agent(Model(steps=[Step("ok")]), [search], middleware=[OvertureMiddleware(session)]).invoke(ASK)
    assert search in seen
    assert {tool.name for tool in session.prompt.state.tools} == {"use_skill"}


def test_bedrock_s_converse_gets_its_own_form() -> None:
    """Claude on Bedrock takes `cachePoint` blocks in one interface and `cache_control` in the other."""

    class Converse(Script):
        @property
        def _llm_type(self) -> str:
            return "amazon_bedrock_converse_chat"

    assert find_cache(Converse(steps=[], vendor="amazon_bedrock"))[2] == "cachePoint"
    assert find_cache(Script(steps=[], vendor="amazon_bedrock"))[2] == "cache_control"
    assert find_cache(Script(steps=[], vendor="openai"))[2] == ""


def test_the_request_reaches_anthropic(make_session: Any, long_project: Path) -> None:
    """LangChain's own client writes the blocks and breakpoints as Anthropic's interface has them."""
    anthropic: Callable[..., Any] = pytest.importorskip("langchain_anthropic").ChatAnthropic
    from langchain.agents.middleware import ModelRequest

    model = anthropic(model_name="claude-opus-5", api_key="none")
    request = ModelRequest(model=model, messages=[HumanMessage("hi")], tools=[], system_message=None,
                           tool_choice=None, response_format=None, state=None, runtime=None)  # fmt: skip
    session = make_session()
    sent = write_request(request, session.framework.prepare_request(**read_request(session, request)))
    body = model._get_request_payload([sent.system_message, *sent.messages])
    assert any(list_marks(body["system"]))
    assert list_marks(body["messages"][-1]["content"])[-1]


def test_texts_are_added_to_a_message_of_blocks(make_session: Any) -> None:
    """A user's message with blocks gets the clock as one block more; the message itself stays as it is."""
    message = HumanMessage([{"type": "text", "text": "hi"}])
    script = Script(steps=[Step("ok")], vendor="openai")
    make_agent(make_session(), script, [read]).invoke({"messages": [message]})
    assert message.content == [{"type": "text", "text": "hi"}]
    sent = script.raw[0][-1].content
    assert sent[0] == message.content[0] and "Current time:" in sent[1]["text"]


class Tide(BaseModel):
    """The tide."""

    metres: float


@pytest.mark.parametrize("form", [Tide, ToolStrategy(Tide)], ids=["auto", "tool"])
def test_the_tool_of_a_structured_answer_is_the_session_s(make_session: Any, form: Any) -> None:
    """The model is offered what the session knows, and its answer comes back as the structure."""
    session, script = make_session(), Script(steps=[Step(calls=(("Tide", {"metres": 2.5}),))])
    answer = make_agent(session, script, [read], response_format=form).invoke({"messages": [HumanMessage("hi")]})
    assert answer["structured_response"] == Tide(metres=2.5)
    offered = {tool.name for tool in script.seen[0].tools}
    assert offered == {tool.name for tool in session.prompt.state.tools} and {"Tide", "read"} <= offered


class OddTide(BaseModel):
    """The tide."""

    metres: float


OddTide.__doc__ = "The\x07 tide.\u202e"


def test_a_structured_answer_of_the_provider_adds_no_tool(make_session: Any) -> None:
    """Where the provider itself takes the schema, the session has no tool for it."""
    session, script = make_session(), Script(steps=[Step('{"metres": 2.5}')])
    agent = make_agent(session, script, [read], response_format=ProviderStrategy(Tide))
    assert agent.invoke({"messages": [HumanMessage("hi")]})["structured_response"] == Tide(metres=2.5)
    assert {tool.name for tool in session.prompt.state.tools} == {"read", "use_skill"}
