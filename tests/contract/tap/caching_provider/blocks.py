"""A request's body -> the blocks that a cache compares, in the order in which the model reads them."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

Json = dict[str, Any]
Section = Literal["tools", "system", "messages"]
MARKS = ("cache_control", "prompt_cache_breakpoint")
BILLING = "x-anthropic-billing-header"
TOKEN = re.compile(r"\w{1,4}|[^\w\s]|\s{2,}")
OVERHEAD = 3
"""Tokens that frame a block."""


class Block(NamedTuple):
    """A tool, a text of the system prompt, or a part of a message."""

    section: Section
    text: str
    role: str = ""
    ttl: str | None = None
    """The life that a breakpoint behind it asks for; None: there is no breakpoint."""

    @property
    def tokens(self) -> int:
        """By the provider's own tokenizer."""
        return count(self.text) + OVERHEAD


def count(text: str) -> int:
    """Four letters, a sign or a run of spaces are a token."""
    return sum(1 for _ in TOKEN.finditer(text))


def anthropic_blocks(body: Json, *, strips_header: bool) -> list[Block]:
    """Tools that are not deferred, system, messages; a mark of the whole request goes behind its last block."""
    blocks = [_block("tools", tool, "") for tool in body.get("tools") or [] if not tool.get("defer_loading")]
    system = body.get("system")
    given = _parts(system)
    if strips_header and isinstance(system, list) and given and str(given[0].get("text", "")).startswith(BILLING):
        given = given[1:]
    blocks += [_block("system", part, "system") for part in given]
    for message in body.get("messages") or []:
        blocks += [_block("messages", part, message["role"]) for part in _parts(message.get("content"))]
    if isinstance(body.get("cache_control"), dict) and blocks:
        blocks[-1] = blocks[-1]._replace(ttl=body["cache_control"].get("ttl") or "")
    return blocks


def responses_blocks(body: Json) -> list[Block]:
    """Tools, instructions, and the items of the input without what only names them."""
    blocks = [_block("tools", tool, "") for tool in body.get("tools") or []]
    blocks += [Block("system", body["instructions"], "system")] if body.get("instructions") else []
    given = body.get("input")
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given or []:
        role = item.get("role") or str(item.get("type"))
        parts = _parts(item["content"]) if "content" in item and item.get("role") else [item]
        blocks += [_block("messages", part, role) for part in parts]
    return blocks


def chat_blocks(body: Json) -> list[Block]:
    """Tools and messages; the calls of a message are blocks behind its text."""
    blocks = [_block("tools", tool, "") for tool in body.get("tools") or []]
    for message in body.get("messages") or []:
        role = message["role"]
        blocks += [_block("messages", part, role) for part in _parts(message.get("content"))]
        blocks += [_block("messages", call, role) for call in message.get("tool_calls") or []]
    return blocks


def gemini_blocks(body: Json) -> list[Block]:
    """Declarations, the system instruction, and the parts of the contents."""
    declared = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or [tool]]
    blocks = [_block("tools", one, "") for one in declared]
    system = (body.get("systemInstruction") or {}).get("parts") or []
    blocks += [_block("system", part, "system") for part in system]
    for content in body.get("contents") or []:
        blocks += [_block("messages", part, content.get("role", "")) for part in content.get("parts") or []]
    return blocks


def _parts(content: object) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _block(section: Section, part: Mapping[str, Any], role: str) -> Block:
    mark = next((part[name] for name in MARKS if isinstance(part.get(name), dict)), None)
    named = ("id", "status") if section == "messages" and "role" not in part and "call_id" in part else ()
    plain = {key: value for key, value in part.items() if key not in (*MARKS, *named)}
    text = plain["text"] if set(plain) <= {"type", "text"} and "text" in plain else json.dumps(plain)
    return Block(section, text, role, None if mark is None else mark.get("ttl") or "")


def positions(blocks: list[Block]) -> Iterator[int]:
    """Tokens up to the end of each block."""
    total = 0
    for block in blocks:
        total += block.tokens
        yield total
