"""Which files the arguments of a tool call name."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...model.message import Message

MAX_PATHS = 64
"""Paths that are taken out of one call."""
PATH_ARGUMENTS = ("path", "file_path", "filename", "file", "notebook_path", "paths", "files")


def find_paths(arguments: Any) -> list[str]:
    """The files that a call touches, by what its arguments are called."""
    if not isinstance(arguments, dict):
        return []
    found = (path for name in PATH_ARGUMENTS for path in _list_argument_texts(arguments.get(name)))
    return list(dict.fromkeys(path for path in found if path.strip()))[:MAX_PATHS]


def _list_argument_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, str))


def list_touched_paths(messages: Sequence[Message], last: int) -> list[str]:
    """The paths in the calls whose results stand together and end at a message."""
    first = last + 1
    while first > 0 and messages[first - 1].role == "tool":
        first -= 1
    answered = {message.call for message in messages[first : last + 1]}
    calls = [call for message in messages[:first] for call in message.calls if call.id in answered]
    return [path for call in calls for path in find_paths(call.arguments)]
