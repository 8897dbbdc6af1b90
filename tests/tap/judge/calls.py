"""Calls for tests: read from bodies, or made of a few words."""

import json
from typing import Any

from overture.tap.recorded_call import CallPiece, CallUsage, RecordedCall, Run
from overture.tap.wire.read_call import RawCall, read_recorded_call

HOST = "api.example"


def read_seen(
    path: str, request: Any, response: Any = None, content_type: str = "", headers: Any = None, **more: Any
) -> RecordedCall | None:
    """The call that was seen, if it was one: objects are written as JSON, texts and bytes as they are."""
    facts = {"at": "2026-11-15T10:00:00+00:00", "family": "", "host": HOST, "method": "POST", "status": 200}
    facts["ended"] = "whole"
    raw_call = RawCall(
        path=path, request=as_bytes(request), response=b"" if response is None else as_bytes(response),
        request_headers=tuple((headers or {}).items()), response_headers=(("Content-Type", content_type),),
        **{**facts, **more},
    )  # fmt: skip
    return read_recorded_call(raw_call, "c1", Run("", ""))


def read(path: str, request: Any, response: Any = None, **more: Any) -> RecordedCall:
    """The call that was seen."""
    call = read_seen(path, request, response, **more)
    assert call is not None
    return call


def as_bytes(value: Any) -> bytes:
    """JSON, or what is bytes or text already."""
    if isinstance(value, bytes):
        return value
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()


def sse(*events: Any, done: bool = False) -> str:
    """Server-sent events."""
    lines = [f"event: {event.get('type', 'x')}\ndata: {json.dumps(event)}\n\n" for event in events]
    return "".join(lines) + ("data: [DONE]\n\n" if done else "")


def tool(name: str, text: str = "") -> CallPiece:
    """A tool."""
    return CallPiece("tool", name, f'{{"name":"{name}","description":"{text}"}}', "tool")


def system(text: str, mark: bool = False) -> CallPiece:
    """A text of a system prompt."""
    return CallPiece("system", "system", text, mark=mark)


def said(*texts: str, mark: bool = False) -> list[CallPiece]:
    """Messages of a user and a model in turn; the mark is behind the last."""
    roles = ("user", "assistant")
    last = len(texts) - 1
    return [
        CallPiece("message", roles[at % 2], text, message=at, mark=mark and at == last) for at, text in enumerate(texts)
    ]


def call(*pieces: CallPiece, minute: float = 0, **more: Any) -> RecordedCall:
    """A call of these pieces, so many minutes after ten."""
    seconds = round(minute * 60)
    fields: dict[str, Any] = {
        "id": f"m{minute:g}",
        "at": f"2026-11-15T{10 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}+00:00",
        "form": "anthropic",
        "host": HOST,
        "path": "/v1/messages",
        "model": "claude-sonnet-5",
        "status": 200,
        "run": "r",
    }
    return RecordedCall(**{**fields, **more}, pieces=pieces)


def usage(fresh: int, read: int = 0, written: int = 0, output: int = 0) -> CallUsage:
    """What a provider counted."""
    return CallUsage(fresh + read + written, read, written, output)
