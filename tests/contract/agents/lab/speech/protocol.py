"""What the upstream needs to know of a protocol."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]


class Say(NamedTuple):
    """An answer in words."""

    text: str = "ok"


class Call(NamedTuple):
    """An answer that calls a tool."""

    tool: str
    arguments: Json


Reply = Say | Call


class Protocol(NamedTuple):
    """How one protocol's requests are read and answered."""

    name: str
    ends: tuple[str, ...]
    """How the paths of its requests end."""
    tools: Callable[[Json], dict[str, Json]]
    """The tools that a request offers, and the schema of each."""
    results: Callable[[Json], int]
    """How many results of tools a request holds."""
    parts: Callable[[Json], Iterator[tuple[str, str]]]
    """The texts of a request in their order, each with the role that says it."""
    answer: Callable[..., tuple[str, str]]
    """Body, path, reply -> the type and the text of an answer. Its usage and its id may be given."""
    schema: Callable[[Json], Json | None]
    """The schema that the answer's text has to follow, where the request asks for one."""


def events(sent: Iterable[tuple[str, Json]]) -> tuple[str, str]:
    """A stream of server-sent events; a name before each where it has one."""
    lines = (_event(name, data) for name, data in sent)
    return "text/event-stream", "".join(lines)


def _event(name: str, data: Json) -> str:
    start = f"event: {name}\n" if name else ""
    return f"{start}data: {json.dumps(data)}\n\n"


def whole(answer: Json | list[Json]) -> tuple[str, str]:
    """An answer in one piece."""
    return "application/json", json.dumps(answer)


def texts(content: object) -> Iterator[str]:
    """Every text within a content, whatever its form; what is no text is shown as JSON."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for item in content:
            yield from texts(item)
    elif isinstance(content, Mapping):
        inner = content.get("text", content.get("content"))
        yield from texts(inner) if inner is not None else iter([json.dumps(content, ensure_ascii=False)])
