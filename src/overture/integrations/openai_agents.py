"""Overture in the OpenAI Agents SDK: `agent = connect(agent, session)`, then `Runner.run(agent, …)` as always.

The agent's model is wrapped: there each request can be seen and changed as a whole, streamed or not. Agents that it
hands over to are connected too, each with the session of a sub-agent.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from ..model.message import Call, Message, Usage
from ..model.safe_text import SafeTool
from ..model.tool import Tool
from ..session.framework_rows import RowForms, split_items
from ..session.session import Session
from ..session.session_setup import USE_SKILL
from .frameworks import (
    AgentSessions,
    decode_arguments,
    drop_idle_loader,
    find_skill_tool,
    import_framework,
    join_texts,
    rewrite_text,
)

LOWEST = "0.22.0"
NEWEST = "0.24.0"
if TYPE_CHECKING:
    import agents
else:
    agents = import_framework("agents", "openai-agents", LOWEST, "openai-agents", "Agent", "Model", "FunctionTool")

from agents.models.multi_provider import MultiProvider  # noqa: E402

TEXT_KEYS = {"content", "output"}  # of a message, of a result


def connect(agent: "agents.Agent[Any]", session: Session) -> "agents.Agent[Any]":
    """A copy of the agent that sends the session's prompt, with the agents that it hands over to."""
    return _Connection(session).connect(agent)


class _Connection:
    """The agents connected so far: two agents may hand over to each other."""

    def __init__(self, session: Session) -> None:
        self.sessions = AgentSessions(session)
        self.known: dict[int, agents.Agent[Any]] = {}

    def connect(self, agent: "agents.Agent[Any]") -> "agents.Agent[Any]":
        if id(agent) in self.known:
            return self.known[id(agent)]
        session = self.sessions.find(agent.name, agent.handoff_description or agent.name)
        loader = _make_loader(session)
        copy = agent.clone(
            model=SessionModel(_find_model(agent), session),
            model_settings=agent.model_settings,
            tools=[*agent.tools, *([loader] if loader else [])],
        )
        self.known[id(agent)] = self.known[id(copy)] = copy
        copy.handoffs = [self._connect_handoff(each) for each in agent.handoffs]
        return copy

    def _connect_handoff(self, handoff: Any) -> Any:
        if isinstance(handoff, agents.Agent):
            return self.connect(handoff)
        invoke = handoff.on_invoke_handoff

        async def hand_over(context: Any, arguments: str) -> Any:
            return self.connect(await invoke(context, arguments))

        return replace(handoff, on_invoke_handoff=hand_over)


def _find_model(agent: "agents.Agent[Any]") -> "agents.Model":
    """The agent's model; the SDK's own provider finds a model that is given by name."""
    model = agent.model
    if isinstance(model, SessionModel):
        raise ConfigError(
            f"The agent {agent.name!r:.80} is already connected to a session.", hint="Connect the original agent."
        )
    return model if isinstance(model, agents.Model) else MultiProvider().get_model(model)


def _make_loader(session: Session) -> "agents.FunctionTool | None":
    """The tool that loads skills; a request has it while there are any."""
    tool = find_skill_tool(session)
    if tool is None:
        return None

    async def load(_: Any, arguments: str) -> str:
        return session.framework.use_skill(str(decode_arguments(arguments).get("name", "")))

    return agents.FunctionTool(
        USE_SKILL, tool.description or "", dict(tool.parameters or {}), on_invoke_tool=load, strict_json_schema=False
    )


class SessionModel(agents.Model):
    """A model whose requests contain the session's prompt."""

    def __init__(self, model: "agents.Model", session: Session) -> None:
        self.model, self.session = model, session
        self.name = str(getattr(model, "model", "") or "")  # for prices

    async def get_response(self, *args: Any, **keywords: Any) -> Any:
        """Call the model with the current prompt."""
        response = await self.model.get_response(*await self._prepare(args, keywords), **keywords)
        self._note_usage(response.usage)
        return response

    async def stream_response(self, *args: Any, **keywords: Any) -> AsyncIterator[Any]:
        """Call the model with the current prompt, and yield the events of its stream."""
        async for event in self.model.stream_response(*await self._prepare(args, keywords), **keywords):
            if event.type == "response.completed" and event.response.usage is not None:
                self._note_usage(event.response.usage)
            yield event

    async def close(self) -> None:
        """Close the wrapped model."""
        await self.model.close()

    def get_retry_advice(self, request: Any) -> Any:
        """The model's advice about a request that failed."""
        return self.model.get_retry_advice(request)

    async def _prepare(self, args: Sequence[Any], keywords: dict[str, Any]) -> list[Any]:
        """The arguments of a request: instructions, input, settings, tools, output schema, hand-offs, tracing."""
        names = ("system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs", "tracing")
        values = [keywords.pop(name) if name in keywords else args[index] for index, name in enumerate(names)]
        own, items, settings, tools, schema, handoffs, tracing = values
        items = [{"role": "user", "content": items}] if isinstance(items, str) else list(items)
        rows, groups = split_items((read_item(item), item) for item in items)
        offered = filter(None, map(_read_tool, drop_idle_loader((*tools, *handoffs), lambda: self.session.prompt)))
        about: Any = {"tools": offered, "conversation": keywords.get("conversation_id") or ""}
        request = await self.session.framework.aprepare_request(rows, instructions=[own or ""], **about)
        messages = request.write_messages(groups, FORMS)
        tools = drop_idle_loader(tools, lambda: request.prompt)
        tools, handoffs = (request.write_tools(each, _read_tool, _write_tool) for each in (tools, handoffs))
        return [request.system, messages, self._mark_cache(settings), tools, schema, handoffs, tracing]

    def _mark_cache(self, settings: Any) -> Any:
        """The settings; for Claude behind LiteLLM, with the option that sets cache marks: it caches only there."""
        if type(self.model).__name__ != "LitellmModel" or "claude" not in self.name:
            return settings
        points = [{"location": "message", **each} for each in ({"role": "system"}, {"index": -1})]
        return replace(settings, extra_args={"cache_control_injection_points": points, **(settings.extra_args or {})})

    def _note_usage(self, usage: Any) -> None:
        details = usage.input_tokens_details
        read, written = (getattr(details, name, 0) or 0 for name in ("cached_tokens", "cache_write_tokens"))
        self.session.framework.add_usage(Usage(usage.input_tokens, usage.output_tokens, read, written), self.name)


def _read_tool(tool: Any) -> Tool | None:
    """A function or a hand-off as a session has it; None for a tool that the provider runs itself."""
    if isinstance(tool, agents.Handoff):
        return Tool(tool.tool_name, tool.tool_description, tool.input_json_schema)
    own = isinstance(tool, agents.FunctionTool)
    return Tool(tool.name, tool.description, tool.params_json_schema) if own else None


def _write_tool(tool: Any, safe: SafeTool) -> Any:
    """The same with a description that can't forge a frame of the prompt."""
    if isinstance(tool, agents.Handoff):
        return replace(tool, tool_description=safe.description or "", input_json_schema=safe.parameters or {})
    return replace(tool, description=safe.description or "", params_json_schema=safe.parameters or {})


def read_item(item: Mapping[str, Any]) -> Message | None:
    """An input item of the Agents SDK as a session's message; None for reasoning, which belongs to the next item."""
    kind = item.get("type")
    if kind == "function_call":
        call = Call(str(item.get("call_id")), str(item.get("name")), decode_arguments(item.get("arguments")))
        return Message("assistant", "", "reply", calls=(call,))
    if kind == "function_call_output":
        return Message("tool", join_texts(item.get("output")), "result", call=str(item.get("call_id")))
    role = item.get("role")
    if role == "assistant":
        return Message("assistant", join_texts(item.get("content")), "reply")
    return Message("user", join_texts(item.get("content"))) if role == "user" else None


def _write_text(items: list[Any], text: str) -> list[Any]:
    """The items of a message with another text in the last item that has a text; calls have none."""
    at = next((i for i in reversed(range(len(items))) if TEXT_KEYS & items[i].keys()), -1)
    if at < 0:
        return items
    key = next(iter(TEXT_KEYS & items[at].keys()))
    kind = "output_text" if items[at].get("role") == "assistant" else "input_text"
    return [*items[:at], {**items[at], key: rewrite_text(items[at][key], text, kind)}, *items[at + 1 :]]


FORMS = RowForms(
    lambda text: {"role": "user", "content": text},
    _write_text,
    lambda items, text: [*items, {"role": "user", "content": text}],
)
