"""Pydantic AI, with its FunctionModel."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage

from overture import Session
from overture.integrations.pydantic_ai import OvertureCapability

from ..contract import Run, SeenMessage, SeenRequest, SeenTool, Step

MODEL = "claude-opus-5"
KEEPS_INSTRUCTIONS = True


class Script:
    """A model that answers step by step, and keeps what it was sent."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = list(steps)
        self.seen: list[SeenRequest] = []

    def take(self, messages: list[ModelMessage], info: AgentInfo) -> Step:
        """The next answer."""
        tools = [SeenTool(t.name, t.description or "", t.parameters_json_schema) for t in info.function_tools]
        self.seen.append(SeenRequest(info.instructions or "", tuple(read_messages(messages)), tuple(tools)))
        return self.steps[len(self.seen) - 1]

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """A whole answer."""
        step = self.take(messages, info)
        parts: list[Any] = [TextPart(step.text)] if step.text else []
        parts += [ToolCallPart(name, args, f"call-{len(self.seen)}-{i}") for i, (name, args) in enumerate(step.calls)]
        into, out, cached, written = step.usage
        usage = RequestUsage(input_tokens=into, output_tokens=out, cache_read_tokens=cached, cache_write_tokens=written)
        return ModelResponse(parts, usage=usage, model_name=MODEL)

    async def stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        """The same in pieces."""
        yield self.take(messages, info).text


def read_messages(messages: list[ModelMessage]) -> list[SeenMessage]:
    """The messages as the model was sent them."""
    rows: list[SeenMessage] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            rows.append(SeenMessage("assistant", message.text or ""))
            continue
        for part in message.parts:
            is_result = isinstance(part, ToolReturnPart | RetryPromptPart)
            rows.append(SeenMessage("tool" if is_result else "user", str(part.content)))
    return rows


def run(
    session: Session,
    user: str,
    steps: Sequence[Step],
    tools: Sequence[Callable[..., Any]] = (),
    *,
    instructions: str = "",
    history: Any = None,
    stream: bool = False,
) -> Run:
    """Run an agent with the capability."""
    script = Script(steps)
    model = FunctionModel(script.answer, stream_function=script.stream, model_name=MODEL)
    agent = Agent(
        model, tools=list(tools), instructions=instructions or None, capabilities=[OvertureCapability(session)]
    )
    if stream:
        answer, messages = asyncio.run(_stream(agent, user))
        return Run(tuple(script.seen), answer, messages)
    result = agent.run_sync(user, message_history=history)
    return Run(tuple(script.seen), result.output, result.all_messages())


async def _stream(agent: Any, user: str) -> tuple[str, Any]:
    async with agent.run_stream(user) as result:
        return await result.get_output(), result.all_messages()
