"""The messages of a request in Claude Code's transcripts: by the lines before an answer, or by digest in newer ones."""

import hashlib
import json
from collections import OrderedDict
from typing import Any, NamedTuple

from ...providers.read.pieces_and_calls import MARK
from ...providers.read.plain_data import Data, a_dict, a_text, dicts

HISTORY = ("user", "assistant")
MAX_KNOWN_PATHS = 8
"""Lines whose messages are remembered: as many agents may take turns."""
Shape = tuple[str, str]
NO_MESSAGE: Data = {"role": "user", "content": []}
"""In the place of one that the transcript does not hold."""


class HistoryLine(NamedTuple):
    """A line: its parent, its message, and its owner."""

    parent: str
    message: Data | None
    owner: str
    """The id of an answer, which may have several lines; else that of the line."""


class MessagePath(NamedTuple):
    """The messages up to a line, and with it."""

    messages: list[Data]
    owner: str
    """The owner of the last one."""


NOTHING = MessagePath([], "")


class EarlierMessages:
    """The earlier messages, for transcripts that contain no requests.

    A line is looked at once for all answers behind it: the path to a line is that of an earlier one, and some lines.
    """

    def __init__(self) -> None:
        self.lines: dict[str, HistoryLine] = {}
        self._paths: OrderedDict[str, MessagePath] = OrderedDict()
        self._path_starts: set[str] = set()
        """The missing lines after which known paths begin."""

    def add(self, line: Data) -> None:
        """Remember a line: its message and its parent."""
        if id := a_text(line.get("uuid")):
            message = a_dict(line.get("message")) if line.get("type") in HISTORY else {}
            content = {"role": message.get("role"), "content": message.get("content")} if message else None
            history_line = HistoryLine(a_text(line.get("parentUuid")), content, a_text(message.get("id")) or id)
            if id in self._path_starts or id in self.lines:
                self._forget_paths()
            self.lines[id] = history_line

    def list_before(self, line: Data) -> list[Data]:
        """The messages before a line; lines of one answer are one message."""
        last = at = a_text(line.get("parentUuid"))
        added: dict[str, HistoryLine] = {}
        while at in self.lines and at not in added and at not in self._paths:
            added[at] = self.lines[at]
            at = added[at].parent
        path = _extend_path(self._paths.get(at, NOTHING), added)
        # A path that ends in a circle is another one from each line of the circle.
        if at not in added:
            self._remember_path(last, path, at)
        return path.messages

    def _remember_path(self, last: str, path: MessagePath, start: str) -> None:
        """Keep the messages up to a transcript's line, so that the next answer continues them."""
        if start not in self._paths:
            self._path_starts.add(start)
        self._paths[last] = path
        self._paths.move_to_end(last)
        if len(self._paths) > MAX_KNOWN_PATHS:
            self._paths.popitem(last=False)

    def _forget_paths(self) -> None:
        """A resumed session writes lines again, maybe behind others; and a line may come after those behind it."""
        self._paths.clear()
        self._path_starts.clear()


def _extend_path(path: MessagePath, added: dict[str, HistoryLine]) -> MessagePath:
    """A path with more lines, the last of which is the first given."""
    messages, owner = list(path.messages), path.owner
    for line in reversed(added.values()):
        if line.message is None:
            continue
        if messages and line.owner == owner:
            content = [*_wrap_in_list(messages[-1]["content"]), *_wrap_in_list(line.message["content"])]
            messages[-1] = {**messages[-1], "content": content}
        else:
            messages.append(line.message)
        owner = line.owner
    return MessagePath(messages, owner)


def _wrap_in_list(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content] if content is not None else []


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
        self.shapes[a_text(line.get("agentId")), a_text(line.get("shapeHash"))] = a_dict(line.get("shape"))

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
        shape = (a_text(line.get("agentId")), a_text(line.get("shapeHash")))
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
        messages = list(map(self.messages.get, request.messages))
        body = {
            **request.params,
            **shape,
            "messages": [message or NO_MESSAGE for message in messages],
        }
        for path, value in request.marks:
            body = _add_mark(body, path, value)
        return body, messages.count(None)

    def _find_shape(self, name: str) -> Data | None:
        """The settings of a request, by the name that the transcript gives them."""
        return next((shape for (_, shape_name), shape in self.shapes.items() if shape_name == name), None)


def compute_message_digest(message: Data) -> str:
    """By which a request names a message: that of its JSON with sorted keys, without marks."""
    plain = json.dumps(_remove_marks(message), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def _remove_marks(value: Any) -> Any:
    """A message of a Claude Code transcript without cache marks."""
    if isinstance(value, dict):
        return {key: _remove_marks(item) for key, item in value.items() if key != MARK}
    return [_remove_marks(item) for item in value] if isinstance(value, list) else value


def _add_mark(value: Any, path: tuple[Any, ...], mark: Data) -> Any:
    """A request of a Claude Code transcript with a cache mark put back at a path, unless that leads nowhere."""
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
