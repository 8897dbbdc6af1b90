"""Overture in the Claude Agent SDK: `ClaudeSDKClient(options(session, functions=[…], model=…))`.

The SDK starts Claude Code, which writes the requests itself: the prompt is fixed for a connection. Later changes
are sent with the user's next prompt. Nested files are sent after the tool call that touched them.
"""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from ..model.convert_tools import read_function
from ..model.message import Message, Usage
from ..model.prompt.block import JOIN
from ..model.prompt.prompt import Prompt
from ..model.safe_text import SafeTool
from ..model.tool import Tool
from ..session.current_files import find_paths
from ..session.session import Session
from ..session.session_setup import USE_SKILL
from .frameworks import find_skill_tool, import_framework

LOWEST = "0.2.182"
NEWEST = "0.2.182"
if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions
else:
    ClaudeAgentOptions = import_framework(
        "claude_agent_sdk",
        "claude-agent-sdk",
        LOWEST,
        "claude-agent-sdk",
        "ClaudeAgentOptions",
        "create_sdk_mcp_server",
    ).ClaudeAgentOptions

from claude_agent_sdk import AssistantMessage, HookMatcher, ResultMessage, SdkMcpTool, create_sdk_mcp_server  # noqa: E402

SERVER = "overture"
NO_PREFIX = "CLAUDE_AGENT_SDK_MCP_NO_PREFIX"
"""With it Claude Code offers the tools under their own names, as the prompt calls them."""
AFTER_TOOL_EVENTS = ("PostToolUse", "PostToolUseFailure")


def options(session: Session, *, functions: Sequence[Callable[..., Any]] = (), **more: Any) -> ClaudeAgentOptions:
    """The options of a client: the session's prompt, `functions` and skills as tools; `more` are options of the SDK.

    Without `tools` the client has none of Claude Code's own, without `setting_sources` none of its instruction files:
    the session loads those. A system prompt of your own is sent after the session's.
    """
    servers = more.pop("mcp_servers", {})
    if not isinstance(servers, dict) or SERVER in servers:
        raise ConfigError(
            f"mcp_servers must be a mapping without the name {SERVER!r}.", hint="Use one client per session."
        )
    own = _read_own(more.pop("system_prompt", None))
    tools = [*_list_tools(session, functions)]
    built_in = more.setdefault("tools", [])
    named = built_in if isinstance(built_in, list) else ()
    known = {tool.name for tool, _ in tools}
    offered = [*(tool for tool, _ in tools), *(Tool(name) for name in named if name not in known)]
    prompt = session.framework.prepare_request(tools=offered, instructions=[own] if own else ())
    more.setdefault("setting_sources", [])
    hooks = ConversationHooks(session, prompt.prompt, prompt.instructions)
    safe: dict[str, SafeTool] = {tool.name: tool for tool in prompt.tools}
    return ClaudeAgentOptions(
        system_prompt={"type": "custom", "prompt": prompt.system, "snapshot": False},
        mcp_servers={
            **servers,
            SERVER: create_sdk_mcp_server(SERVER, tools=[_make_sdk_tool(safe[t.name], f) for t, f in tools]),
        },
        allowed_tools=[*more.pop("allowed_tools", ()), *(f"mcp__{SERVER}__{tool.name}" for tool, _ in tools)],
        hooks=hooks.add_to(more.pop("hooks", None) or {}),
        env={NO_PREFIX: "1", **more.pop("env", {})},
        **more,
    )


def _read_own(prompt: Any) -> str:
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    if prompt.get("type") != "custom":
        raise ConfigError(
            f"A system prompt of the type {prompt.get('type')!r} can't be combined with the session's.",
            hint="Pass a text, or none.",
        )
    return str(prompt.get("prompt", ""))


def _list_tools(session: Session, functions: Iterable[Callable[..., Any]]) -> list[tuple[Tool, Callable[..., Any]]]:
    """The tools and what each calls; of two with one name the last, and the caller's before the session's."""
    tools: dict[str, tuple[Tool, Callable[..., Any]]] = {}
    skills = find_skill_tool(session)
    if skills is not None and session.prompt.state.skills:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        loader = Tool(USE_SKILL, skills.description, skills.parameters or schema)
        tools[USE_SKILL] = (loader, session.framework.use_skill)
    for each in functions:
        tool = read_function(each, "functions")
        tools[tool.name] = (tool, each)
    return list(tools.values())


def _make_sdk_tool(tool: SafeTool, function: Callable[..., Any]) -> SdkMcpTool[Any]:
    async def call(arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            result = await asyncio.to_thread(function, **arguments)
            result = await result if asyncio.iscoroutine(result) else result
        except Exception as problem:
            text = f"Error: {str(problem) or type(problem).__name__}"
            return {"content": [{"type": "text", "text": text}], "is_error": True}
        return {"content": [{"type": "text", "text": result if isinstance(result, str) else str(result)}]}

    schema = tool.parameters or {"type": "object", "properties": {}}
    return SdkMcpTool(name=tool.name, description=tool.description or "", input_schema=schema, handler=call)


class ConversationHooks:
    """Sends what the session adds after Claude Code was started, each text once in a conversation."""

    def __init__(self, session: Session, prompt: Prompt, instructions: tuple[str, ...] = ()) -> None:
        self.session, self.instructions = session, instructions
        self.sections = {block.name: block.text for block in prompt.blocks}
        self.sent_files: set[tuple[str, str]] = set()

    def add_to(self, hooks: dict[Any, list[Any]]) -> dict[Any, list[Any]]:
        """The caller's hooks of the Claude Agent SDK, then these."""
        ours = {"UserPromptSubmit": self.send_changes, "PreCompact": self.forget_sent_files}
        ours |= dict.fromkeys(AFTER_TOOL_EVENTS, self.send_nested_files)
        names = dict.fromkeys([*hooks, *ours])
        return {
            name: [*hooks.get(name, ()), *([HookMatcher(hooks=[ours[name]])] if name in ours else ())] for name in names
        }

    async def send_changes(self, data: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        """Send the time, and the sections of the prompt that changed."""
        rows = [Message("user", data["prompt"])]
        request = await self.session.framework.aprepare_request(
            rows, instructions=self.instructions, conversation=data["session_id"]
        )
        changed = [each for each in request.prompt.blocks if self.sections.get(each.name) != each.text]
        gone = self.sections.keys() - {each.name for each in request.prompt.blocks}
        self.sections = {block.name: block.text for block in request.prompt.blocks}
        texts = [f"This part of the system prompt changed. It is now:\n\n{each.text}" for each in changed]
        texts += [f"The part {name!r} of the system prompt no longer applies." for name in sorted(gone)]
        return _write_hook_context(data, [*texts, *(each.text for each in request.added)])

    async def send_nested_files(self, data: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        """Send the instruction files near the paths that a tool was called with."""
        paths = find_paths(data["tool_input"])
        files = await asyncio.to_thread(self.session.framework.nested_for, *paths, again=True) if paths else ()
        new = [each for each in files if (data["session_id"], each.path) not in self.sent_files]
        self.sent_files |= {(data["session_id"], each.path) for each in new}
        return _write_hook_context(data, [each.text for each in new])

    async def forget_sent_files(self, data: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        """Send nested files again once Claude Code has replaced the messages by a summary."""
        self.sent_files = {each for each in self.sent_files if each[0] != data["session_id"]}
        return {}


def _write_hook_context(data: Any, texts: Sequence[str]) -> dict[str, Any]:
    if not texts:
        return {}
    return {"hookSpecificOutput": {"hookEventName": data["hook_event_name"], "additionalContext": JOIN.join(texts)}}


async def note_usage(session: Session, messages: AsyncIterable[Any]) -> AsyncIterator[Any]:
    """Yield the messages of a client, and add the usage of each reply to the session's record.

    Use it as `async for message in note_usage(session, client.receive_response())`.
    """
    replies: dict[str, tuple[Usage, str]] = {}
    try:
        async for message in messages:
            if isinstance(message, AssistantMessage) and message.usage:
                replies[message.message_id or ""] = (_read_claude_sdk_usage(message.usage), message.model)
            elif isinstance(message, ResultMessage):
                _add_replies(session, replies, _read_claude_sdk_usage(message.usage or {}))
                replies = {}
            yield message
    finally:
        _add_replies(session, replies, Usage())


def _read_claude_sdk_usage(usage: dict[str, Any]) -> Usage:
    read, written = usage.get("cache_read_input_tokens") or 0, usage.get("cache_creation_input_tokens") or 0
    return Usage((usage.get("input_tokens") or 0) + read + written, usage.get("output_tokens") or 0, read, written)


def _add_replies(session: Session, replies: dict[str, tuple[Usage, str]], total: Usage) -> None:
    """Count each reply once. A streamed reply reports only a part of its output; the total reports all of it."""
    counted = list(replies.values())
    missing = total.output - sum(usage.output for usage, _ in counted)
    if counted and missing > 0 and total.input == sum(usage.input for usage, _ in counted):
        last, model = counted[-1]
        counted[-1] = (Usage(last.input, last.output + missing, last.cache_read, last.cache_write), model)
    for usage, model in counted:
        session.framework.add_usage(usage, model)
