"""Calls from Claude Code's transcripts."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ...providers import anthropic
from ...providers.parsed_call import RequestContent, ResponseContent
from ...providers.read.plain_data import Data, a_dict, a_text
from ..recorded_call import RecordedCall, Unheld
from ..wire.read_call import read_call_usage
from .claude_code_messages import ClaudeRequests, EarlierMessages
from .log_entries import NEVER, LogEntry, LogValue, describe_unheld, format_iso, measure_ms, read_lines


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
NOTHING = f"{LOG} has no token counts"
REQUESTS = ("api-request-shape", "api-request-blob", "api-request")
KINDS = ("user", "assistant", "summary", "system", "attachment", "queue-operation", "file-history-snapshot", *REQUESTS)


def is_mine(value: Any) -> bool:
    """Whether a value is a line of a transcript."""
    line = a_dict(value)
    return line.get("type") in KINDS and ("sessionId" in line or ("leafUuid" in line and "summary" in line))


def read(values: Iterator[LogValue], finished: bool = True) -> Iterator[LogEntry]:
    """The responses with their requests; one is complete when another line follows, or when the log is idle."""
    return read_lines(ClaudeTranscript(), values, finished)


class ClaudeTranscript:
    """A transcript as its lines come."""

    def __init__(self) -> None:
        self.requests, self.history = ClaudeRequests(), EarlierMessages()
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
            usage, call = None, replace(call, missing=(*call.missing, NOTHING))
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
        return anthropic.read_request(body), unknown, missing
