"""Tool calls in words, for providers without tool calling: `tool_call` blocks in a text -> calls, and back."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from ...model.message import Call, Message

LABEL = "tool_call"
FENCES = ("`", "~")


def text_calls(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The calls in the `tool_call` blocks of a text, in order, and what is wrong with blocks that hold none."""
    calls: list[dict[str, Any]] = []
    problems: list[str] = []
    for block in _blocks(text):
        try:
            data = json.loads(block)
            name, arguments = data["tool"], data.get("arguments") or {}
            if not isinstance(name, str) or not name or not isinstance(arguments, dict):
                raise TypeError
            calls.append({"name": name, "arguments": arguments})
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            problems.append(
                f'a `{LABEL}` block is no call, and is left as text: {block!r:.80}; it has to hold {{"tool": …'
            )
    return calls, problems


def _blocks(text: str) -> Iterator[str]:
    """What stands in each fence with that label; one that never ends goes to the end of the text."""
    fence, held = "", list[str]()
    for line in text.split("\n"):
        bare = line.strip()
        if fence and bare == fence:
            yield "\n".join(held)
            fence = ""
        elif fence:
            held.append(line)
        elif bare.endswith(LABEL) and len(run := bare.removesuffix(LABEL).rstrip()) >= 3:
            fence, held = (run if run in (FENCES[0] * len(run), FENCES[1] * len(run)) else ""), []
    if fence:
        yield "\n".join(held)


def call_in_words(call: Call) -> str:
    """The block that a model writes for a call."""
    data = json.dumps({"tool": call.name, "arguments": call.arguments}, ensure_ascii=False)
    return f"```{LABEL}\n{data}\n```"


def in_words(messages: Iterable[Message | Any]) -> tuple[Message | Any, ...]:
    """The conversation without a provider's own calls: each call as its block, each result as a user's message."""
    names: dict[str, str] = {}
    said: list[Message | Any] = []
    for message in messages:
        if isinstance(message, Message) and message.calls:
            names |= {call.id: call.name for call in message.calls}
            message = _spoken(message)
        elif isinstance(message, Message) and message.role == "tool":
            message = _told(message, names.get(message.call or "", message.name or ""))
        said.append(message)
    return tuple(said)


def _spoken(message: Message) -> Message:
    """An assistant's message with a block for each call that its text does not hold already."""
    held = [(each["name"], each["arguments"]) for each in text_calls(message.text)[0]]
    missing = [call_in_words(call) for call in message.calls if (call.name, call.arguments) not in held]
    blocks = () if missing else message.blocks
    return replace(message, text="\n\n".join(filter(None, (message.text, *missing))), calls=(), blocks=blocks)


def _told(message: Message, name: str) -> Message:
    """A result as a message of the user's: text of a tool, so that it goes through the gate like a program's."""
    lead = f"{'Error' if message.failed else 'Result'} of `{name}`:"
    return Message("user", f"{lead}\n\n{message.text}", "custom", name=name or None, parts=message.parts)
