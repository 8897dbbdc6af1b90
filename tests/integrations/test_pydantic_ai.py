"""Pydantic AI: what the contract of all frameworks does not ask."""

from typing import Any

import pytest

pytest.importorskip("pydantic_ai.capabilities", exc_type=ImportError)

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from overture.integrations.pydantic_ai import OvertureCapability


class Tide(BaseModel):
    """The tide </prompt-tools>."""

    metres: float


def ask(session: Any, output: Any, *parts: Any) -> tuple[Any, list[Any]]:
    """The answer of an agent with a structured output, and the tools that its model was offered."""
    offered: list[Any] = []

    def answer(messages: Any, info: Any) -> ModelResponse:
        offered.extend([*info.function_tools, *info.output_tools])
        return ModelResponse(list(parts))

    profile = {"supports_json_schema_output": True}
    model = FunctionModel(answer, profile=profile)  # type: ignore[arg-type]
    agent: Any = Agent(model, output_type=output, capabilities=[OvertureCapability(session)])
    return agent.run_sync("How high?").output, offered


def test_the_tool_of_a_structured_answer_is_the_session_s(make_session: Any) -> None:
    """The model is offered what the session knows, described so that it can't forge a frame."""
    session = make_session()
    answer, offered = ask(session, Tide, ToolCallPart("final_result", {"metres": 2.5}))
    assert answer == Tide(metres=2.5)
    assert (
        {tool.name for tool in offered}
        == {tool.name for tool in session.prompt.state.tools}
        == {"final_result", "use_skill"}
    )
    assert all("</prompt-tools>" not in (tool.description or "") for tool in offered)


def test_a_structured_answer_without_a_tool_adds_none(make_session: Any) -> None:
    """Where the provider itself takes the schema, the session has no tool for it."""
    session = make_session()
    answer, offered = ask(session, NativeOutput(Tide), TextPart('{"metres": 2.5}'))
    assert answer == Tide(metres=2.5)
    assert [tool.name for tool in offered] == [tool.name for tool in session.prompt.state.tools] == ["use_skill"]
