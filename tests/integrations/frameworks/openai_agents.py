"""The OpenAI Agents SDK, with its ScriptedModel."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from agents.usage import Usage

from agents import Agent, Runner, function_tool, set_tracing_disabled
from overture import Session
from overture.integrations.openai_agents import connect, read_item

from ..contract import Run, SeenMessage, SeenRequest, SeenTool, Step

set_tracing_disabled(True)
MODEL = "gpt-5.5"
KEEPS_INSTRUCTIONS = True


def _script(steps: Sequence[Step]) -> ScriptedModel:
    made = []
    for number, step in enumerate(steps):
        output: list[Any] = [assistant_message(step.text)] if step.text else []
        output += [function_call(name, args, call_id=f"call-{number}-{i}") for i, (name, args) in enumerate(step.calls)]
        into, out, cached, written = step.usage
        details = {"cached_tokens": cached, "cache_write_tokens": written}
        made.append(ModelStep(output=output, usage=Usage(1, into, details, out, total_tokens=into + out)))
    model = ScriptedModel(made)
    model.model = MODEL
    return model


def _read(call: Any) -> SeenRequest:
    rows = [SeenMessage(row.role, row.text) for item in call.input if (row := read_item(item))]
    tools = [SeenTool(tool.name, tool.description, tool.params_json_schema) for tool in call.tools]
    return SeenRequest(call.system_instructions or "", tuple(rows), tuple(tools))


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
    """Run an agent that is connected to the session."""
    model = _script(steps)
    agent = Agent("main", instructions=instructions or None, model=model, tools=[function_tool(each) for each in tools])
    agent = connect(agent, session)
    given = user if history is None else [*history, {"role": "user", "content": user}]
    result = asyncio.run(_stream(agent, given) if stream else Runner.run(agent, given))
    return Run(tuple(map(_read, model.calls)), str(result.final_output), result.to_input_list())


async def _stream(agent: Any, given: Any) -> Any:
    result = Runner.run_streamed(agent, given)
    async for _ in result.stream_events():
        pass
    return result
