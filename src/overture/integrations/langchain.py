"""Overture in LangChain and LangGraph: `create_agent(model, tools, middleware=[OvertureMiddleware(session)])`.

The prompt and what the session adds to the messages are set before each request, and never in the graph's state.
"""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..model.message import Call, Message, Usage
from ..model.safe_text import SafeTool
from ..providers.render import facts_for
from ..session.framework_request import SessionRequest
from ..session.framework_rows import RowForms, split_items
from ..session.session import Session
from .frameworks import (
    AgentSessions,
    append_text,
    drop_idle_loader,
    import_framework,
    make_loader,
    mark_end,
    rewrite_text,
    write_system,
)

LOWEST = "1.2.4"
NEWEST = "1.4.7"
if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware
else:
    AgentMiddleware = import_framework(
        "langchain.agents.middleware", "langchain", LOWEST, "langchain", "AgentMiddleware", "ModelRequest"
    ).AgentMiddleware

from langchain.agents import factory  # noqa: E402
from langchain.agents.structured_output import AutoStrategy, ToolStrategy  # noqa: E402
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage  # noqa: E402
from langchain_core.tools import BaseTool, StructuredTool  # noqa: E402
from langchain_core.utils.function_calling import convert_to_openai_tool  # noqa: E402
from langgraph.config import get_config  # noqa: E402

SCHEMA_KEYS = ("function", "parameters", "input_schema")
"""Each tool of the agent has one of these keys; a tool that the provider runs itself has none."""


class OvertureMiddleware(AgentMiddleware):
    """The session's prompt, skills and nested files in every run of an agent.

    Agents that share the middleware differ by name: the first uses the session, each other one a sub-agent's.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.sessions = AgentSessions(session)
        load = make_loader(session, lambda: self.sessions.find(_read_config()))
        self.tools = [StructuredTool.from_function(load, description=load.__doc__ or "")] if load else []

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """The response to the request with the prompt and the texts that the session adds to the messages."""
        session = self.sessions.find(_read_config())
        prepared = session.framework.prepare_request(**read_request(session, request))
        return _note_usage(session, request.model, handler(write_request(request, prepared)))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same, without ever blocking the event loop."""
        session = await asyncio.to_thread(self.sessions.find, _read_config())
        prepared = await session.framework.aprepare_request(**read_request(session, request))
        return _note_usage(session, request.model, await handler(write_request(request, prepared)))


def _read_config(part: str = "metadata", key: str = "lc_agent_name") -> str:
    """A value of the run's configuration, such as the agent's name; empty outside of a run."""
    try:
        return str((get_config().get(part) or {}).get(key, ""))
    except RuntimeError:
        return ""


def read_request(session: Session, request: Any) -> dict[str, Any]:
    """The arguments of `prepare_request` for a request."""
    tools, own = drop_idle_loader(request.tools, lambda: session.prompt), request.system_message
    return {
        "messages": split_items((read_message(each), each) for each in request.messages)[0],
        "tools": filter(None, map(read_tool, chain(tools, list_answer_tools(request)))),
        "instructions": [str(own.text)] if own else (),
        "conversation": _read_config("configurable", "thread_id"),
    }


def list_answer_tools(request: Any) -> list[Any]:
    """The tools of a structured answer, which LangChain adds after all others if the model answers by a tool."""
    form = request.response_format
    if isinstance(form, AutoStrategy) and not factory._supports_provider_strategy(request.model, tools=request.tools):
        form = ToolStrategy(schema=form.schema)
    specs = form.schema_specs if isinstance(form, ToolStrategy) else ()
    return [{"name": each.name, "description": each.description, "parameters": each.json_schema} for each in specs]


def write_request(request: Any, prepared: SessionRequest) -> Any:
    """The request as the model gets it."""
    groups = split_items((read_message(each), each) for each in request.messages)[1]
    messages = prepared.write_messages(groups, FORMS)
    provider, model, key = find_cache(request.model)
    if key and messages:
        messages[-1] = messages[-1].model_copy(update={"content": mark_end(messages[-1].content, key)})
    own = request.system_message
    system = write_system(prepared, own.content if own else "", provider, model, key)
    offered = drop_idle_loader(request.tools, lambda: prepared.prompt)
    return request.override(
        model=_sanitize_answer_tools(request, prepared),
        system_message=SystemMessage(content=system) if system else None,
        messages=messages,
        tools=prepared.write_tools(offered, read_tool, write_tool),
    )


def _sanitize_answer_tools(request: Any, prepared: SessionRequest) -> Any:
    """The model; if the tool of a structured answer is unsafe, a copy that binds the sanitized tool.

    LangChain adds these tools after every middleware, so only the model still gets them.
    """
    own = list_answer_tools(request)
    if prepared.write_tools(own, read_tool, write_tool) == own:
        return request.model
    model = request.model.model_copy()

    def bind_tools(tools: Any, **options: Any) -> Any:
        return request.model.bind_tools(prepared.write_tools(tools, read_tool, write_tool), **options)

    object.__setattr__(model, "bind_tools", bind_tools)  # a model of pydantic takes no other attributes
    return model


def find_cache(model: Any) -> tuple[str, str | None, str]:
    """The model's provider, its name, and the key that makes a cache breakpoint; empty if it takes none."""
    params = model._get_ls_params()
    vendor, name = str(params.get("ls_provider", "")), params.get("ls_model_name")
    provider = "anthropic" if "anthropic" in vendor else "bedrock" if vendor == "amazon_bedrock" else ""
    if not provider or facts_for(provider, name).way != "marked":
        return "", name, ""
    return provider, name, "cachePoint" if "converse" in model._llm_type else "cache_control"


def read_tool(tool: Any) -> dict[str, Any] | None:
    """A tool as a session takes it; None for one that the provider runs itself."""
    if isinstance(tool, dict) and not any(key in tool for key in SCHEMA_KEYS):
        return None
    return convert_to_openai_tool(tool)


def write_tool(tool: Any, safe: SafeTool) -> Any:
    """The tool, with a description that can't forge a frame of the prompt."""
    if isinstance(tool, BaseTool):
        return tool.model_copy(update={"description": safe.description, "args_schema": safe.parameters})
    form = convert_to_openai_tool(tool)["function"]
    return {"type": "function", "function": {**form, "description": safe.description, "parameters": safe.parameters}}


def read_message(message: BaseMessage) -> Message:
    """A message of the graph's state as one of a session."""
    text = str(message.text)
    if isinstance(message, AIMessage):
        calls = tuple(Call(each["id"] or "", each["name"], each["args"]) for each in message.tool_calls)
        return Message("assistant", text, "reply", calls=calls)
    if isinstance(message, ToolMessage):
        failed = message.status == "error"
        return Message("tool", text, "result", message.name, call=message.tool_call_id, failed=failed)
    return Message("user", text, "prompt" if isinstance(message, HumanMessage) else "custom")


def _write_text(items: list[Any], text: str) -> list[Any]:
    return [*items[:-1], items[-1].model_copy(update={"content": rewrite_text(items[-1].content, text)})]


def _append_text(items: list[Any], text: str) -> list[Any]:
    return [*items[:-1], items[-1].model_copy(update={"content": append_text(items[-1].content, text)})]


FORMS = RowForms(lambda text: HumanMessage(content=text), _write_text, _append_text)


def _read_usage(message: AIMessage) -> Usage:
    """Tokens of input and output, read from the cache and written to it: one sum, or one for each lifetime."""
    usage: Any = message.usage_metadata or {}
    details = usage.get("input_token_details") or {}
    into, out, read = usage.get("input_tokens"), usage.get("output_tokens"), details.get("cache_read")
    written = ("cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
    return Usage(into or 0, out or 0, read or 0, sum(details.get(name) or 0 for name in written))


def _note_usage(session: Session, model: Any, response: Any) -> Any:
    """The response, after its usage was added to the record."""
    inner = getattr(response, "model_response", response)
    for message in getattr(inner, "result", [inner]):
        if isinstance(message, AIMessage):
            counted = _read_usage(message)
            session.framework.add_usage(counted, message.response_metadata.get("model_name") or find_cache(model)[1])
    return response
