"""Recorded requests: which of them is the agent's own, and its text in order."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.contract.agents.lab.speech import Protocol, protocol_of


class Request(NamedTuple):
    """A request that was written down."""

    path: str
    body: Any

    @property
    def protocol(self) -> Protocol | None:
        """How it speaks with a model, None where it does not."""
        return protocol_of(self.path) if isinstance(self.body, dict) else None

    @property
    def results(self) -> int:
        """How many results of tools it holds."""
        return self.protocol.results(self.body) if self.protocol else 0

    @property
    def offers_tools(self) -> bool:
        """Whether the model may call tools: the agent's own requests have some, those for a title have none."""
        return bool(self.protocol and self.body.get("tools"))


def read_requests(log: Path) -> list[Request]:
    """Every request of a run, oldest first."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    return [Request(line["path"], line["body"]) for line in map(json.loads, lines)]


def main_requests(requests: list[Request]) -> list[Request]:
    """The requests of the agent's own loop: those with tools, else those to a model, else uploads that hold files."""
    asked = [each for each in requests if each.protocol and not each.path.endswith(("/count_tokens", ":countTokens"))]
    uploads = [each for each in requests if each.path.endswith("/chat-stream")]
    return [each for each in asked if each.offers_tools] or asked or uploads


def text_of(request: Request) -> str:
    """All that a request says: system prompt, messages, then the tools, whose lines are lines again."""
    if request.protocol is None:
        return "\n".join(strings_of(request.body))
    said = [text for _, text in request.protocol.parts(request.body)]
    return "\n".join([*said, *strings_of(request.body.get("tools"))]).replace("\r\n", "\n")


def lengths(request: Request) -> dict[str, int]:
    """Characters of the system prompt, of the messages, and of the tools as JSON."""
    parts = list(request.protocol.parts(request.body)) if request.protocol else []
    system = sum(len(text) for role, text in parts if role in ("system", "developer"))
    others = sum(len(text) for role, text in parts if role not in ("system", "developer"))
    tools = request.body.get("tools") if isinstance(request.body, dict) else None
    return {"system": system, "messages": others, "tools": len(json.dumps(tools)) if tools else 0}


def strings_of(value: object) -> list[str]:
    """Every string within a value, its keys too: their names tell what a text is."""
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in (str(key), *strings_of(inner))]
    if isinstance(value, list):
        return [text for inner in value for text in strings_of(inner)]
    return [value] if isinstance(value, str) else []
