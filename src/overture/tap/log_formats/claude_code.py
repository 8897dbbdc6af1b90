"""Claude Code's transcripts: a line for each thing that was said. Newer ones hold whole requests, older ones do not."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ..call import Call, Unheld
from ..importers.found import Found, Value, not_held
from ..importers.times import NEVER, between, iso
from ..read import anthropic
from ..read.counted import counted
from ..read.parts import Answered, Asked
from ..read.plain_values import Data, a_dict, a_text
from .claude_answer import ClaudeAnswer, History
from .claude_requests import Requests
from .line_by_line import line_by_line

NO_MODEL = "<synthetic>"
LOG = "the transcript"
NOTHING = f"{LOG} counts no tokens"
REQUESTS = ("api-request-shape", "api-request-blob", "api-request")
KINDS = ("user", "assistant", "summary", "system", "attachment", "queue-operation", "file-history-snapshot", *REQUESTS)


def is_mine(value: Any) -> bool:
    """Whether a value is a line of a transcript."""
    line = a_dict(value)
    return line.get("type") in KINDS and ("sessionId" in line or ("leafUuid" in line and "summary" in line))


def read(values: Iterator[Value], settled: bool = True) -> Iterator[Found]:
    """The answers with what was asked; an answer is whole when another line follows, or when nobody writes any more."""
    return line_by_line(Transcript(), values, settled)


class Transcript:
    """A transcript as its lines come."""

    def __init__(self) -> None:
        self.requests, self.history = Requests(), History()
        self.open: dict[str, ClaudeAnswer] = {}
        self.asked: dict[str, str] = {}
        """The last request of each agent that is not answered."""

    def take(self, place: str, line: Data) -> Iterator[Found]:
        """One more line; what it makes whole."""
        kind, agent = line.get("type"), a_text(line.get("agentId")) or str(bool(line.get("isSidechain")))
        if kind in REQUESTS:
            self._request(line, agent)
            return
        answer = self.open.get(agent)
        if kind == "assistant" and answer is not None and answer.goes_on(line):
            answer.add(line)
        elif kind in ("assistant", "user"):
            yield from self._close(agent)
            if kind == "assistant":
                self.open[agent] = ClaudeAnswer(place, line)
        elif line.get("subtype") == "api_error":
            yield from self._failed(place, line, agent)
        if kind == "user":
            self.requests.add_message(line.get("message"))
        self.history.add(line)

    def _request(self, line: Data, agent: str) -> None:
        if line["type"] == "api-request-shape":
            self.requests.add_shape(line)
        elif line["type"] == "api-request-blob":
            self.requests.add_message(line.get("message"), a_text(line.get("hash")))
        else:
            for each in self.open.values():
                self._remember(each)
            self.asked[agent] = self.requests.add(line)

    def _remember(self, answer: ClaudeAnswer) -> None:
        self.requests.add_message({"role": "assistant", "content": answer.message["content"]})

    def _close(self, agent: str) -> Iterator[Found]:
        if answer := self.open.pop(agent, None):
            self._remember(answer)
            yield self._found(answer)

    def end(self, settled: bool) -> Iterator[Found]:
        """What is still open at the end."""
        for agent in list(self.open):
            answer = self.open[agent]
            yield from self._close(agent) if settled or answer.is_whole else [Found(answer.place, waits=True)]

    def _found(self, answer: ClaudeAnswer) -> Found:
        message = answer.message
        session = a_text(answer.first.get("sessionId"))
        if message.get("model") == NO_MODEL or not a_dict(message.get("usage")):
            return Found(answer.place)
        self.asked = {agent: id for agent, id in self.asked.items() if id != answer.first.get("requestRef")}
        call = self._call(answer.first, anthropic.answered(message), a_text(answer.first.get("requestRef")))
        end, usage = answer.last.get("timestamp"), counted("anthropic", message)
        if usage is not None and not (usage.input or usage.output):
            # No answer is made of nothing: a gateway that counts in units of its own says 0.
            usage, call = None, replace(call, missing=(*call.missing, NOTHING))
        call = replace(
            call, model=call.model or a_text(message.get("model")), status=200, usage=usage,
            stop=a_text(message.get("stop_reason")), whole_ms=between(call.at, end),
        )  # fmt: skip
        return Found(answer.place, call=call, name=answer.name, session=session)

    def _failed(self, place: str, line: Data, agent: str) -> Iterator[Found]:
        """A request that came to nothing: the agent says so, and asks again."""
        error = a_dict(line.get("error"))
        said = a_text(error.get("formatted")) or a_text(error.get("message")) or "it failed"
        status = error.get("status")
        id = self.asked.pop(agent, "")
        if not id:
            yield Found(place)
            return
        call = replace(
            self._call(line, Answered(), id),
            error=said,
            status=status if isinstance(status, int) and 400 <= status < 600 else 0,
        )
        name = f"claude-code {a_text(line.get('uuid'))}"
        yield Found(place, call=call, name=name, session=a_text(line.get("sessionId")))

    def _call(self, line: Data, said: Answered, ref: str) -> Call:
        asked, unknown, missing = self._asked(line, ref)
        request = self.requests.requests.get(ref)
        at = iso(request.at if request else line.get("timestamp"))
        return Call(
            id="", at=at or NEVER, form="anthropic", host="", path="", model=asked.model,
            status=0, pieces=asked.pieces, program="claude", cwd=a_text(line.get("cwd")), stream=True, reply=said.reply,
            calls=said.calls, missing=missing, key=a_text(line.get("sessionId")), settings=asked.settings,
            reply_id=said.id, unknown=unknown,
        )  # fmt: skip

    def _asked(self, line: Data, ref: str) -> tuple[Asked, tuple[Unheld, ...], tuple[str, ...]]:
        """What was asked: the request where it is written down, else what was said so far."""
        request = self.requests.requests.get(ref)
        body, absent = self.requests.body(request) if request else (None, 0)
        unknown: tuple[Unheld, ...] = ("tool", "system", "mark")
        if body is None:
            named = request.params.get("model") if request else None
            said: Data = {"messages": self.history.before(line), "model": named}
            return anthropic.asked(said), unknown, not_held(LOG, unknown, "anthropic")
        if absent:
            gone = f"{LOG} does not hold {absent} of the request's messages"
            return anthropic.asked(body), ("message",), (gone,)
        return anthropic.asked(body), (), ()
