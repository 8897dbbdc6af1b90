"""Requests as newer transcripts of Claude Code hold them: their shape, and their messages by digest."""

import hashlib
import json
from typing import Any, NamedTuple

from ...providers.read.plain_data import Data, a_dict, a_text, dicts
from ...providers.read.request_pieces import MARK

Shape = tuple[str, str]
NO_MESSAGE: Data = {"role": "user", "content": []}
"""In the place of one that the transcript does not hold."""


class ClaudeRequest(NamedTuple):
    """A request that was written down before it was sent."""

    at: str
    shape: Shape
    params: Data
    messages: tuple[str, ...]
    """By their digests."""
    marks: tuple[tuple[tuple[Any, ...], Data], ...]


class ClaudeRequests:
    """What is known of requests so far."""

    def __init__(self) -> None:
        self.shapes: dict[Shape, Data] = {}
        self.messages: dict[str, Data] = {}
        self._added: list[tuple[str, Data]] = []
        """Messages that no request has asked for since, with their names; those without are named by their digest."""
        self.requests: dict[str, ClaudeRequest] = {}

    def add_shape(self, line: Data) -> None:
        """The system prompt and the tools of requests that follow."""
        self.shapes[_read_agent(line), a_text(line.get("shapeHash"))] = a_dict(line.get("shape"))

    def add_message(self, message: Any, name: str = "") -> None:
        """A message that requests name by its digest; a text may be sent as the only part of a list."""
        if isinstance(message, dict):
            self._added.append((name, message))
            if isinstance(message.get("content"), str):
                self._added.append(("", {**message, "content": [{"type": "text", "text": message["content"]}]}))

    def add(self, line: Data) -> str:
        """A request; the first messages may be those of an earlier one."""
        base = self.requests.get(a_text(line.get("base")))
        keep = line.get("keep")
        messages = base.messages[:keep] if base and isinstance(keep, int) and keep > 0 else ()
        tail = line.get("tail")
        added = tuple(a_text(each) for each in tail) if isinstance(tail, list) else ()
        marks = tuple(
            (tuple(mark["path"]), a_dict(mark.get("value")))
            for mark in dicts(line.get("cacheControl"))
            if isinstance(mark.get("path"), list)
        )
        id = a_text(line.get("id"))
        shape = (_read_agent(line), a_text(line.get("shapeHash")))
        at, params = a_text(line.get("timestamp")), a_dict(line.get("params"))
        self.requests[id] = ClaudeRequest(at, shape, params, (*messages, *added), marks)
        return id

    def make_body(self, request: ClaudeRequest) -> tuple[Data | None, int]:
        """The request as it was sent, and how many of its messages are not there; None where its shape is not."""
        shape = self.shapes.get(request.shape) or self._find_shape(request.shape[1])
        if shape is None:
            return None, 0
        self.messages.update({name or compute_message_digest(message): message for name, message in self._added})
        self._added.clear()
        found = list(map(self.messages.get, request.messages))
        body = {
            **request.params,
            **shape,
            "messages": [message or NO_MESSAGE for message in found],
        }
        for path, value in request.marks:
            body = _add_mark(body, path, value)
        return body, found.count(None)

    def _find_shape(self, name: str) -> Data | None:
        return next((shape for (_, shape_name), shape in self.shapes.items() if shape_name == name), None)


def _read_agent(line: Data) -> str:
    return a_text(line.get("agentId"))


def compute_message_digest(message: Data) -> str:
    """By which a request names a message: that of its JSON with sorted keys, without marks."""
    plain = json.dumps(_remove_marks(message), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def _remove_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _remove_marks(item) for key, item in value.items() if key != MARK}
    return [_remove_marks(item) for item in value] if isinstance(value, list) else value


def _add_mark(value: Any, path: tuple[Any, ...], mark: Data) -> Any:
    """The same with a mark at a path; a path that leads nowhere changes nothing."""
    if not path:
        if isinstance(value, list):
            return [*value[:-1], _add_mark(value[-1], (), mark)] if value else value
        if isinstance(value, str):
            return [{"type": "text", "text": value, MARK: mark}]
        return {**value, MARK: mark} if isinstance(value, dict) else value
    step, rest = path[0], path[1:]
    if isinstance(value, dict) and isinstance(step, str) and step in value:
        return {**value, step: _add_mark(value[step], rest, mark)}
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return [*value[:step], _add_mark(value[step], rest, mark), *value[step + 1 :]]
    return value
