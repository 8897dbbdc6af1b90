"""Overture in Google's ADK: `InMemoryRunner(agent=agent, plugins=[OverturePlugin(session)])`.

The prompt is set before each request, with the tools of that request; what the session adds to the messages is added
to each request again, and not written into the events of ADK's session. Each agent but the first is a sub-agent.
"""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..model.message import Call, Message, Usage
from ..model.safe_text import SafeTool
from ..session.framework_rows import RowForms, replace_text, split_items
from ..session.session import Session
from ..session.session_setup import USE_SKILL
from .frameworks import AgentSessions, import_framework, make_loader

LOWEST = "2.0.0"
NEWEST = "2.13.0"
if TYPE_CHECKING:
    from google.adk.plugins import BasePlugin
else:
    BasePlugin = import_framework("google.adk.plugins", "google-adk", LOWEST, "google-adk", "BasePlugin").BasePlugin

from google.adk.tools import FunctionTool  # noqa: E402
from google.genai import types  # noqa: E402

ContentPart = tuple[Any, Any]
"""A content and a part of it."""


class OverturePlugin(BasePlugin):
    """The session's prompt, skills and nested files in every run of a runner."""

    def __init__(self, session: Session) -> None:
        super().__init__("overture")
        self.sessions = AgentSessions(session)
        self._models: dict[str, str | None] = {}

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Write the prompt, and the texts that the session adds to the messages, into the request."""
        session = await asyncio.to_thread(self.sessions.find, callback_context.agent_name)
        self._models[callback_context.agent_name] = llm_request.model
        rows, groups = split_items(list_parts(llm_request.contents))
        own = read_instruction(llm_request.config.system_instruction)
        request = await session.framework.aprepare_request(
            rows,
            tools=offer_tools(session, llm_request),
            instructions=[own] if own else (),
            conversation=callback_context.session.id,
        )
        llm_request.config.system_instruction = request.system or None
        llm_request.contents = join_parts(request.write_messages(groups, FORMS))
        for each in llm_request.config.tools or ():
            if declared := getattr(each, "function_declarations", None):
                each.function_declarations = request.write_tools(declared, read_tool, write_tool)

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        """Add the usage of the response to the record; pieces of a stream have none."""
        usage = llm_response.usage_metadata
        if usage is None or llm_response.partial:
            return
        output = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
        counted = Usage(usage.prompt_token_count or 0, output, usage.cached_content_token_count or 0)
        name = callback_context.agent_name
        model = getattr(llm_response, "model_version", None) or self._models.get(name)
        self.sessions.find(name).framework.add_usage(counted, model)


def offer_tools(session: Session, llm_request: Any) -> Iterator[dict[str, Any]]:
    """The tools of the agent, each once, and the one for skills if there are any; lazy, as `drop_idle_loader` is."""
    load = make_loader(session)
    if load is not None and session.prompt.state.skills and USE_SKILL not in llm_request.tools_dict:
        llm_request.append_tools([FunctionTool(load)])
    keep_last(llm_request.config.tools or ())
    yield from map(read_tool, list_declarations(llm_request))


def list_declarations(llm_request: Any) -> list[Any]:
    """The tools of the agent; one that the provider runs itself has no declaration."""
    return [
        each for tool in llm_request.config.tools or () for each in getattr(tool, "function_declarations", None) or ()
    ]


def keep_last(tools: Sequence[Any]) -> None:
    """Offer each name once: of two tools with one name ADK runs the last."""
    names: set[str] = set()
    for tool in reversed(tools):
        declarations = []
        for each in reversed(getattr(tool, "function_declarations", None) or ()):
            if each.name not in names:
                declarations.append(each)
                names.add(each.name)
        if declarations:
            tool.function_declarations = declarations[::-1]


def read_tool(declaration: Any) -> dict[str, Any]:
    """A declaration as a session takes it."""
    form: dict[str, Any] = declaration.model_dump(mode="json", exclude_none=True)
    return {key: form[key] for key in ("name", "description", "parameters", "parameters_json_schema") if key in form}


def write_tool(declaration: Any, safe: SafeTool) -> Any:
    """A declaration with a description that can't forge a frame of the prompt."""
    changed = {"description": safe.description, "parameters": None, "parameters_json_schema": safe.parameters}
    return declaration.model_copy(update=changed)


def read_instruction(instruction: Any) -> str:
    """The agent's own instructions, as text."""
    if instruction is None or isinstance(instruction, str):
        return instruction or ""
    parts = getattr(instruction, "parts", None) or (instruction if isinstance(instruction, list) else [instruction])
    return "\n\n".join(text for each in parts if (text := each if isinstance(each, str) else each.text))


def list_parts(contents: Sequence[Any]) -> Iterator[tuple[Message | None, ContentPart]]:
    """The parts of the contents, and the message of a session that each of them ends.

    ADK takes the ids of calls away that it made itself: then results follow their calls in the same order.
    """
    made: list[str] = []
    for number, content in enumerate(contents):
        if content.role == "model":
            calls = [part.function_call for part in content.parts or () if part.function_call]
            made = [call.id or f"call-{number}-{index}" for index, call in enumerate(calls)]
            read = [Call(id, call.name, dict(call.args or {})) for id, call in zip(made, calls, strict=True)]
            yield from _end_group(content, Message("assistant", _read_text(content.parts), "reply", calls=tuple(read)))
            continue
        for is_result, group in groupby(content.parts or (None,), lambda part: bool(part and part.function_response)):
            parts = list(group)
            if not is_result:
                yield from _end_group(content, Message("user", _read_text(parts)), parts)
            for part in parts if is_result else ():
                each, next_id = part.function_response, made.pop(0) if made else ""
                text = _read_result(each.response)
                yield Message("tool", text, "result", each.name, call=each.id or next_id), (content, part)


def _end_group(content: Any, row: Message, parts: Sequence[Any] = ()) -> Iterator[tuple[Message | None, ContentPart]]:
    """The parts of an ADK content; only the last has the row."""
    *first, last = parts or content.parts or (None,)
    yield from ((None, (content, part)) for part in first)
    yield row, (content, last)


def _read_text(parts: Sequence[Any] | None) -> str:
    return "\n".join(part.text for part in parts or () if part and part.text and not part.thought)


def _read_result(response: Any) -> str:
    """The text of a result; ADK wraps a value that is no object."""
    value = response.get("result", response) if isinstance(response, dict) else response
    return value if isinstance(value, str) else str(value)


def _make_text(text: str) -> ContentPart:
    return types.Content(role="user", parts=[]), types.Part(text=text)


def _write_text(items: list[ContentPart], text: str) -> list[ContentPart]:
    """An ADK content with another text, also in a function's response."""
    content, part = items[-1]
    if part is not None and part.function_response:
        answer = part.function_response.model_copy(update={"response": {"result": text}})
        return [*items[:-1], (content, part.model_copy(update={"function_response": answer}))]
    return replace_text(items, lambda item: bool(item[1] and item[1].text), (content, types.Part(text=text)))


def _append_text(items: list[ContentPart], text: str) -> list[ContentPart]:
    return [*items, (items[-1][0], types.Part(text=text))]


FORMS = RowForms(_make_text, _write_text, _append_text)


def join_parts(items: Sequence[ContentPart]) -> list[Any]:
    """ADK contents made again of their parts."""
    groups = [list(group) for _, group in groupby(items, lambda item: id(item[0]))]
    parts = [[part for _, part in group if part is not None] for group in groups]
    return [group[0][0].model_copy(update={"parts": own}) for group, own in zip(groups, parts, strict=True)]
