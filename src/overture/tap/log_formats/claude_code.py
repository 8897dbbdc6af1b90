"""Calls from Claude Code's transcripts.

The messages of a request are those of the lines before an answer; in newer transcripts it names them by digest.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...providers import anthropic
from ...providers.parsed_call import RequestContent, ResponseContent
from ...providers.read.pieces_and_calls import MARK
from ...providers.read.plain_data import Data, a_dict, a_text, dicts
from ..recorded_call import CallPiece, RecordedCall, Unheld
from ..wire.read_call import read_call_usage
from .log_entries import NEVER, LogEntry, LogValue, describe_unheld, format_iso, measure_ms, read_lines

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


class ClaudeAnswer:
    """The lines of one answer, gathered."""

    def __init__(self, position: str, line: Data) -> None:
        self.position, self.first = position, line
        self.message: Data = {**a_dict(line.get("message")), "content": []}
        self.last = line
        self.add(line)

    def add(self, line: Data) -> None:
        """One more line of it. The counts are those of the last line: earlier ones may be of a beginning."""
        more = a_dict(line.get("message"))
        content = more.get("content")
        blocks: list[Any] = content if isinstance(content, list) else [{"type": "text", "text": content}]
        fields = {key: value for key, value in more.items() if value is not None and key != "content"}
        self.message = {**self.message, **fields, "content": [*self.message["content"], *blocks]}
        self.last = line

    def is_continued_by(self, line: Data) -> bool:
        """Whether a line is of this answer, too."""
        other = a_dict(line.get("message"))
        same = line.get("requestId") == self.first.get("requestId")
        return line.get("type") == "assistant" and same and other.get("id") == self.message.get("id") is not None

    @property
    def is_whole(self) -> bool:
        """Whether the answer has a stop reason."""
        return bool(self.message.get("stop_reason"))

    @property
    def name(self) -> str:
        """A unique name: sessions that are resumed may repeat the lines of earlier ones."""
        request_id = a_text(self.first.get("requestId")) or a_text(self.first.get("requestRef"))
        message_id = a_text(self.message.get("id"))
        if request_id and message_id:
            return f"claude-code {message_id} {request_id}"
        return f"claude-code {message_id} {a_text(self.first.get('sessionId'))} {a_text(self.first.get('uuid'))}"


NO_MODEL = "<synthetic>"
LOG = "the transcript"
NO_COUNTS = f"{LOG} has no token counts"
REQUESTS = ("api-request-shape", "api-request-blob", "api-request")
KINDS = ("user", "assistant", "summary", "system", "attachment", "queue-operation", "file-history-snapshot", *REQUESTS)


def is_mine(value: Any) -> bool:
    """Whether a value is a line of a transcript."""
    line = a_dict(value)
    return line.get("type") in KINDS and ("sessionId" in line or ("leafUuid" in line and "summary" in line))


def read(values: Iterator[LogValue], finished: bool = True) -> Iterator[LogEntry]:
    """The responses with their requests; one is complete when another line follows, or when the log is idle."""
    return read_lines(ClaudeTranscript(), values, finished)


class MessagePieces:
    """Reads the pieces of messages; of a message that an earlier request had at the same place, only once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[Data, list[CallPiece]]] = {}
        """By the place and the identity of a message, which is kept with its pieces."""

    def __call__(self, messages: Sequence[Data]) -> Iterator[CallPiece]:
        """The pieces of all messages."""
        for place, message in enumerate(messages):
            key = place, id(message)
            if key not in self._known:
                self._known[key] = message, [*anthropic.read_message(place, message)]
            yield from self._known[key][1]


class ClaudeTranscript:
    """A transcript as its lines come."""

    def __init__(self) -> None:
        self.requests, self.history = ClaudeRequests(), EarlierMessages()
        self.read_messages = MessagePieces()
        self.open_answers: dict[str, ClaudeAnswer] = {}
        self.pending_requests: dict[str, str] = {}
        """The last request of each agent that is not answered."""

    def take_line(self, position: str, line: Data) -> Iterator[LogEntry]:
        """One more line; what it makes whole."""
        kind, agent = line.get("type"), a_text(line.get("agentId")) or str(bool(line.get("isSidechain")))
        if kind in REQUESTS:
            self._add_request(line, agent)
            return
        answer = self.open_answers.get(agent)
        if kind == "assistant" and answer is not None and answer.is_continued_by(line):
            answer.add(line)
        elif kind in ("assistant", "user"):
            yield from self._close(agent)
            if kind == "assistant":
                self.open_answers[agent] = ClaudeAnswer(position, line)
        elif line.get("subtype") == "api_error":
            yield from self._make_failed_entry(position, line, agent)
        if kind == "user":
            self.requests.add_message(line.get("message"))
        self.history.add(line)

    def _add_request(self, line: Data, agent: str) -> None:
        """Remember a request, a shape or a message that the transcript logs before an answer."""
        if line["type"] == "api-request-shape":
            self.requests.add_shape(line)
        elif line["type"] == "api-request-blob":
            self.requests.add_message(line.get("message"), a_text(line.get("hash")))
        else:
            for each in self.open_answers.values():
                self._remember(each)
            self.pending_requests[agent] = self.requests.add(line)

    def _remember(self, answer: ClaudeAnswer) -> None:
        self.requests.add_message({"role": "assistant", "content": answer.message["content"]})

    def _close(self, agent: str) -> Iterator[LogEntry]:
        """The entry of an agent's open answer, which is over now."""
        if answer := self.open_answers.pop(agent, None):
            self._remember(answer)
            yield self._make_entry(answer)

    def end(self, finished: bool) -> Iterator[LogEntry]:
        """What is still open at the end."""
        for agent in list(self.open_answers):
            answer = self.open_answers[agent]
            yield from (
                self._close(agent) if finished or answer.is_whole else [LogEntry(answer.position, is_waiting=True)]
            )

    def _make_entry(self, answer: ClaudeAnswer) -> LogEntry:
        """The call of an answer, with the request that led to it."""
        message = answer.message
        session = a_text(answer.first.get("sessionId"))
        if message.get("model") == NO_MODEL or not a_dict(message.get("usage")):
            return LogEntry(answer.position)
        self.pending_requests = {
            agent: id for agent, id in self.pending_requests.items() if id != answer.first.get("requestRef")
        }
        call = self._make_call(answer.first, anthropic.read_response(message), a_text(answer.first.get("requestRef")))
        end, usage = answer.last.get("timestamp"), read_call_usage("anthropic", message)
        if usage is None or not (usage.input or usage.output):
            # No response has 0 tokens: a gateway that counts in other units reports 0.
            usage, call = None, replace(call, missing=(*call.missing, NO_COUNTS))
        call = replace(
            call, model=call.model or a_text(message.get("model")), status=200, usage=usage,
            stop=a_text(message.get("stop_reason")), whole_ms=measure_ms(call.at, end),
        )  # fmt: skip
        return LogEntry(answer.position, call=call, name=answer.name, session=session)

    def _make_failed_entry(self, position: str, line: Data, agent: str) -> Iterator[LogEntry]:
        """A failed request: the agent logs it, and retries."""
        error = a_dict(line.get("error"))
        message = a_text(error.get("formatted")) or a_text(error.get("message")) or "the call failed"
        status = error.get("status")
        id = self.pending_requests.pop(agent, "")
        if not id:
            yield LogEntry(position)
            return
        call = replace(
            self._make_call(line, ResponseContent(), id),
            error=message,
            status=status if isinstance(status, int) and 400 <= status < 600 else 0,
        )
        name = f"claude-code {a_text(line.get('uuid'))}"
        yield LogEntry(position, call=call, name=name, session=a_text(line.get("sessionId")))

    def _make_call(self, line: Data, response: ResponseContent, ref: str) -> RecordedCall:
        """A call of a transcript, without an id."""
        content, unknown, missing = self._read_request(line, ref)
        request = self.requests.requests.get(ref)
        at = format_iso(request.at if request else line.get("timestamp"))
        return RecordedCall(
            id="", at=at or NEVER, form="anthropic", host="", path="", model=content.model,
            status=0, pieces=content.pieces, program="claude", cwd=a_text(line.get("cwd")), stream=True,
            reply=response.text, calls=response.call_names, missing=missing, key=a_text(line.get("sessionId")),
            settings=content.settings, reply_id=response.id, unknown=unknown,
        )  # fmt: skip

    def _read_request(self, line: Data, ref: str) -> tuple[RequestContent, tuple[Unheld, ...], tuple[str, ...]]:
        """The content of the request: as logged, else the messages so far."""
        request = self.requests.requests.get(ref)
        body, absent = self.requests.make_body(request) if request else (None, 0)
        unknown: tuple[Unheld, ...] = ("tool", "system", "mark")
        if body is None:
            named = request.params.get("model") if request else None
            body = {"messages": self.history.list_before(line), "model": named}
            missing = describe_unheld(LOG, unknown, "anthropic")
        elif absent:
            unknown, missing = ("message",), (f"{LOG} does not contain {absent} of the request's messages",)
        else:
            unknown, missing = (), ()
        return anthropic.read_request(body, read_messages=self.read_messages), unknown, missing
