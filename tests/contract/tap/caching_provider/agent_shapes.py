"""Conversations in the shape of those of real agents, written here: requests with their headers, call after call.

Nothing of an agent's own prompt is in them: only where its marks, volatile lines and settings stand.
"""

import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

Json = dict[str, Any]
WORDS = ("tide", "harbor", "berth", "crane", "ledger", "pilot", "anchor", "signal", "manifest", "quay", "draft", "buoy")
BILLING = "x-anthropic-billing-header: cc_version=9.1.0.abc; cc_entrypoint=cli; cch={cch:05x}; cc_turn_index={turn};"


class Request(NamedTuple):
    """A request of an agent."""

    path: str
    body: Json
    headers: dict[str, str] = {}


class Shape(NamedTuple):
    """How one agent asks, given what has changed since its session began."""

    name: str
    request: Callable[[int, "World"], Request]


class World(NamedTuple):
    """What a session's requests depend on."""

    model: str = ""
    date: str = "2026-11-16"
    rule: str = "Be brief."
    tools: tuple[str, ...] = ("read", "edit", "search", "fetch")
    effort: str = "medium"
    betas: str = "tools-2026-01-01"
    history: str = ""


def prose(seed: str, words: int) -> str:
    """Sentences that are the same for the same seed."""
    drawn = random.Random(seed)
    return " ".join(f"{drawn.choice(WORDS)}{'.' if n % 9 == 8 else ''}" for n in range(words))


def schema(name: str) -> Json:
    """What a tool takes."""
    fields = {f"{word}_{n}": {"type": "string", "description": prose(f"{name}{n}", 12)} for n, word in enumerate(WORDS)}
    return {"type": "object", "properties": fields, "required": ["tide_0"]}


def result(number: int) -> str:
    """What a tool answered."""
    return "\n".join(f"{line}: {prose(f'{number}.{line}', 14)}" for line in range(30))


RULES = prose("rules", 900)


def claude(turn: int, world: World) -> Request:
    """Claude Code: a billing header that changes with every call, two marks in the system prompt, one at the end."""
    mark = {"cache_control": {"type": "ephemeral"}}
    system = [
        {"type": "text", "text": BILLING.format(cch=random.Random(turn).randrange(16**5), turn=turn)},
        {"type": "text", "text": "You are an agent."},
        {"type": "text", "text": prose("identity", 200), **mark},
        {
            "type": "text",
            "text": f"# Environment\nToday's date is {world.date}.\n\n# Rules\n{prose('rules', 900)}",
            **mark,
        },
    ]
    opening = f"<system-reminder>\n{prose('files', 300)}\n{world.rule}\n</system-reminder>"
    messages: list[Json] = [{"role": "user", "content": [_text(opening), _text(f"Look around.{world.history}")]}]
    for number in range(turn):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "read", "input": {"tide_0": f"/p/{number}"}}
        answer = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": result(number)}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    messages[-1]["content"][-1] = {**messages[-1]["content"][-1], **mark}
    tools = [{"name": name, "description": prose(name, 120), "input_schema": schema(name)} for name in world.tools]
    body = {
        "model": world.model or "claude-opus-5-5",
        "max_tokens": 9,
        "system": system,
        "tools": tools,
        "stream": True,
        "messages": messages,
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": world.effort},
        "metadata": {"user_id": json.dumps({"session_id": "s1"})},
        "diagnostics": {"previous_message_id": f"msg_{turn:04d}" if turn else None},
    }
    return Request("/v1/messages?beta=true", body, {"anthropic-beta": world.betas})


def opencode(turn: int, world: World) -> Request:
    """opencode: marks behind the system prompt and behind the last messages, nothing volatile."""
    request = claude(turn, world)
    system = [
        {**part, "text": part["text"].replace("Today's date is", "Today's date:")}
        for part in request.body["system"][2:]
    ]
    plain = {
        key: value for key, value in request.body.items() if key not in ("diagnostics", "thinking", "output_config")
    }
    return Request("/v1/messages", {**plain, "model": world.model or "claude-sonnet-4-5", "system": system})


def codex(turn: int, world: World) -> Request:
    """Codex: instructions and items, a key by which it is routed, nothing to mark."""
    given: list[Json] = [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": prose("perms", 200)}]},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": f"{world.rule}\n<date>{world.date}</date>"}],
        },
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": f"Look around.{world.history}"}],
        },
    ]
    for number in range(turn):
        called = {
            "type": "function_call",
            "id": f"fc_{turn}_{number}",
            "name": "shell",
            "arguments": "{}",
            "call_id": f"c{number}",
        }
        given += [called, {"type": "function_call_output", "call_id": f"c{number}", "output": result(number)}]
    tools = [
        {"type": "function", "name": name, "description": prose(name, 120), "parameters": schema(name)}
        for name in world.tools
    ]
    body = {
        "model": world.model or "gpt-5.5",
        "instructions": prose("instructions", 1500),
        "input": given,
        "tools": tools,
        "stream": True,
        "reasoning": {"effort": world.effort},
        "prompt_cache_key": "s1",
        "store": False,
    }
    return Request("/v1/responses", body)


def chat(turn: int, world: World) -> Request:
    """An agent that speaks Chat Completions."""
    messages: list[Json] = [
        {"role": "system", "content": f"Today is {world.date}.\n{prose('instructions', 1500)}\n{world.rule}"},
        {"role": "user", "content": f"Look around.{world.history}"},
    ]
    for number in range(turn):
        called = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": result(number)},
        ]
    tools = [
        {"type": "function", "function": {"name": name, "description": prose(name, 120), "parameters": schema(name)}}
        for name in world.tools
    ]
    body = {"model": world.model or "gpt-5.4", "messages": messages, "tools": tools, "reasoning_effort": world.effort}
    return Request("/v1/chat/completions", body)


def gemini(turn: int, world: World) -> Request:
    """Gemini CLI: the model in the path, declarations, the context in the first words of the user."""
    opening = f"<session_context>\nToday's date is {world.date}.\n{world.rule}\n{RULES[:900]}</session_context>"
    contents: list[Json] = [
        {"role": "user", "parts": [{"text": opening}]},
        {"role": "user", "parts": [{"text": f"Look around.{world.history}"}]},
    ]
    for number in range(turn):
        contents += [
            {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"tide_0": f"/p/{number}"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": result(number)}}}]},
        ]
    declared = [
        {"name": name, "description": prose(name, 120), "parametersJsonSchema": schema(name)} for name in world.tools
    ]
    body = {
        "contents": contents,
        "systemInstruction": {"role": "user", "parts": [{"text": prose("system", 2500)}]},
        "tools": [{"functionDeclarations": declared}],
        "generationConfig": {"temperature": 1},
    }
    return Request(f"/v1beta/models/{world.model or 'gemini-3.8-flash'}:streamGenerateContent?alt=sse", body)


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


SHAPES = {
    "claude-code": Shape("claude-code", claude),
    "opencode": Shape("opencode", opencode),
    "codex": Shape("codex", codex),
    "codex since 5.6": Shape(
        "codex since 5.6", lambda turn, world: codex(turn, world._replace(model=world.model or "gpt-5.6-sol"))
    ),
    "chat": Shape("chat", chat),
    "gemini-cli": Shape("gemini-cli", gemini),
}
