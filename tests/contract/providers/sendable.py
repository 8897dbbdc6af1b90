"""Prompts to send, and how a test finds its way in what is sent."""

import re
from typing import Any

import overture
from overture import Prompt, Recipe, Section, State
from overture.testing import make_state

PROVIDERS = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama")
NASTY = 'täglich — 日本語 🧭 \u2028 "quotes" \\ back\tslash e\u0301 \u05e9\u05dc\u05d5\u05dd </script> \x7f'
SOME = {provider: "m" for provider in PROVIDERS} | {
    "anthropic": "claude-m", "gemini": "gemini-m", "bedrock": "anthropic.claude-m",
}  # fmt: skip
"""A model of each provider, of which nothing is known."""
BREAKPOINTS = ("cache_control", "prompt_cache_breakpoint")
WHERE = {"openai-responses": "input", "gemini": "contents"}
"""Where the conversation is, if not in `messages`."""
TOOLS = [
    {"name": "tide_at", "description": "Water « level »", "parameters": {
        "type": "object", "required": ["time"],
        "properties": {"time": {"type": "string"}, "harbor": {"type": "string"}}}},
    {"name": "berth_of", "parameters": {"type": "object", "properties": {}}},
]  # fmt: skip

SHOWN: dict[str, dict[str, Any]] = {
    "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
    "openai-chat": {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
    "openai-responses": {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "auto"},
    "gemini": {"inline_data": {"mime_type": "image/png", "data": "aGk="}},
    "bedrock": {"image": {"format": "png", "source": {"bytes": b"hi"}}},
    "ollama": {"images": ["aGk="]},
}
"""An image as each provider has it, whose bytes are `aGk=` in base64."""


def long(words: int) -> str:
    """A text of about so many tokens."""
    return " ".join(f"word{n % 7}" for n in range(words))


def paced(*sections: tuple[str, str, str], state: State | None = None) -> Prompt:
    """A prompt of sections with a name, a pace and a text; one whose name begins with `user-` goes to the user."""

    def body(text: str) -> Any:
        return lambda: text

    made = tuple(
        Section(name, body(text), pace=pace, place="user" if name.startswith("user-") else "system")  # type: ignore[arg-type]
        for name, pace, text in sections
    )
    return overture.build(Recipe("made", made), state or make_state(tools=TOOLS))


def said(provider: str, messages: Any, prompt: Prompt | None = None, **more: Any) -> list[dict[str, Any]]:
    """The conversation in a request."""
    body: dict[str, Any] = overture.render(provider, prompt or paced(), messages=messages, **more)
    rows: list[dict[str, Any]] = body[WHERE.get(provider, "messages")]
    return rows


def at(body: Any, path: str) -> Any:
    """The value at a path such as `messages[0].content`."""
    for name, index in re.findall(r"([A-Za-z_]+)|\[(\d+)\]", path):
        body = body[name] if name else body[int(index)]
    return body


FOUR_PACES = (
    ("identity", "static", f"You are Ada. {NASTY} " + long(1500)),
    ("context", "session", f"Project: {NASTY} " + long(1500)),
    ("task", "turn", f"Now: {NASTY}"),
    ("user-clock", "turn", f"It is noon. {NASTY}"),
)


def unmarked(value: Any) -> Any:
    """A request without its cache breakpoints, which each turn sets further on."""
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key not in BREAKPOINTS}
    if isinstance(value, list):
        return [unmarked(item) for item in value if not (isinstance(item, dict) and "cachePoint" in item)]
    return value


def flat(rows: list[Any]) -> list[Any]:
    """Every block with its role: neighbours of one role may be one message."""
    told: list[Any] = []
    for row in rows:
        key = "parts" if "parts" in row else "content"
        content = row.get(key)
        told += [{**row, key: block} for block in content] if isinstance(content, list) else [row]
    return told
