"""Overture in Pydantic AI: `Agent(model, capabilities=[OvertureCapability(session)])`.

The prompt is set before each request, with the tools of that request; what the session adds to the messages is
added to each request again, and not written into the history.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..model.message import Call, Message, Usage
from ..model.safe_text import SafeTool
from ..model.tool import Tool
from ..session.framework_request import SessionRequest
from ..session.framework_rows import RowForms, replace_text, split_items
from ..session.session import Session
from .frameworks import drop_idle_loader, import_framework, make_loader

LOWEST = "2.66.0"
NEWEST = "2.66.0"
if TYPE_CHECKING:
    from pydantic_ai.capabilities import AbstractCapability
else:
    AbstractCapability = import_framework(
        "pydantic_ai.capabilities", "pydantic-ai-slim", LOWEST, "pydantic-ai", "AbstractCapability"
    ).AbstractCapability

from pydantic_ai.messages import (  # noqa: E402
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.toolsets import FunctionToolset  # noqa: E402

MessagePart = tuple[Any, Any]
"""A message and a part of it; without a message, a part that the session adds."""


class OvertureCapability(AbstractCapability[Any]):
    """The session's prompt, skills and nested files in every run of an agent."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """The tool that loads skills, as a Pydantic AI toolset."""
        load = make_loader(self.session)
        if load is None:
            return None
        toolset: FunctionToolset[Any] = FunctionToolset()
        toolset.add_function(load, description=load.__doc__)
        return toolset

    def get_model_settings(self) -> Any:
        """Cache breakpoints, for the providers that cache only there."""
        return {"cache": True}

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """The request with the prompt and the texts that the session adds to the messages."""
        parameters = request_context.model_request_parameters
        rows, groups = split_items(list_parts(request_context.messages))
        tools = drop_idle_loader(parameters.function_tools, lambda: self.session.prompt)
        own = [part for part in parameters.instruction_parts or () if part.content]
        request = await self.session.framework.aprepare_request(
            rows,
            tools=map(read_tool, chain(tools, list_output_tools(request_context))),
            instructions=[part.content for part in own],
            conversation=getattr(ctx, "conversation_id", None) or "",
        )
        tools = drop_idle_loader(parameters.function_tools, lambda: request.prompt)
        parameters = replace(
            parameters,
            instruction_parts=[*_write_system(request), *own],
            function_tools=request.write_tools(tools, read_tool, write_tool),
            output_tools=request.write_tools(parameters.output_tools, read_tool, write_tool),
        )
        messages = join_parts(request.write_messages(groups, FORMS))
        return replace(request_context, messages=messages, model_request_parameters=parameters)

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
        """The response, after its usage was added to the record."""
        usage = response.usage
        counted = Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
        self.session.framework.add_usage(counted, response.model_name)
        return response


def _write_system(request: SessionRequest) -> Iterator[InstructionPart]:
    """The prompt in two parts, so that the provider's cache keeps the static one."""
    stable, moving = request.split_stable()
    if stable:
        yield InstructionPart(content=stable)
    if moving:
        yield InstructionPart(content=moving, dynamic=True)


def list_output_tools(request_context: Any) -> list[Any]:
    """The tools of a structured answer; empty if the model does not answer by a tool."""
    parameters = request_context.model_request_parameters
    if not parameters.output_tools:
        return []
    _, prepared = request_context.model.prepare_request(request_context.model_settings, parameters)
    return list(prepared.output_tools)


def read_tool(definition: Any) -> Tool:
    """A tool's definition as a session has it."""
    return Tool(definition.name, definition.description, definition.parameters_json_schema)


def write_tool(definition: Any, safe: SafeTool) -> Any:
    """A tool's definition with a description that can't forge a frame of the prompt."""
    return replace(definition, description=safe.description, parameters_json_schema=safe.parameters)


def list_parts(messages: Sequence[ModelMessage]) -> Iterator[tuple[Message | None, MessagePart]]:
    """The parts of the history, and the message of a session that each of them ends; a response is one message."""
    for message in messages:
        *first, last = message.parts or [None]
        if isinstance(message, ModelResponse):
            yield from ((None, (message, part)) for part in first)
            yield _read_response(message), (message, last)
        else:
            yield from ((_read_part(part), (message, part)) for part in (*first, last))


def _read_response(response: ModelResponse) -> Message:
    calls = tuple(
        Call(each.tool_call_id, each.tool_name, each.args_as_dict() if each.args else {})
        for each in response.tool_calls
    )
    return Message("assistant", response.text or "", "reply", calls=calls)


def _read_part(part: Any) -> Message | None:
    """A part of a Pydantic AI request as the session's message; None for a system prompt."""
    if part is None or isinstance(part, SystemPromptPart):
        return None
    if isinstance(part, UserPromptPart):
        texts = [part.content] if isinstance(part.content, str) else [x for x in part.content if isinstance(x, str)]
        return Message("user", "\n".join(texts))
    if isinstance(part, ToolReturnPart):
        return Message("tool", part.model_response_str(), "result", part.tool_name, call=part.tool_call_id)
    if isinstance(part, RetryPromptPart) and part.tool_name:
        return Message("tool", part.model_response(), "result", part.tool_name, call=part.tool_call_id, failed=True)
    return Message("user", str(getattr(part, "content", "")), "custom")


def _make_text(text: str) -> MessagePart:
    return None, UserPromptPart(content=text)


def _write_text(items: list[MessagePart], text: str) -> list[MessagePart]:
    message, part = items[-1]
    if isinstance(message, ModelResponse):
        return replace_text(items, lambda item: isinstance(item[1], TextPart), (message, TextPart(text)))
    plain = isinstance(part, UserPromptPart) and not isinstance(part.content, str)
    content = replace_text(part.content, lambda each: isinstance(each, str), text) if plain else text
    return [*items[:-1], (message, replace(part, content=content))]


FORMS = RowForms(_make_text, _write_text, lambda items, text: [*items, _make_text(text)])


def join_parts(parts: Iterable[MessagePart]) -> list[ModelMessage]:
    """The history made of its parts; parts that the session adds join the request before them."""
    whole: list[tuple[Any, list[Any]]] = []
    for message, part in parts:
        last = whole[-1][0] if whole else None
        if last is None or not (last is message or (message is None and isinstance(last, ModelRequest))):
            whole.append((message or ModelRequest(parts=[]), []))
        whole[-1][1].extend([part] if part is not None else [])
    return [replace(message, parts=joined) for message, joined in whole]
