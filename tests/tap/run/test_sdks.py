"""The real SDKs through the tap: what they send and what they read is the same as without it."""

import gzip
import json
import threading
from typing import Any

import pytest

from tests.contract.session.six_sdks import ANSWERS

from ..raw_http import Line, Tapped, Upstream, tap_to, upstream
from ..sdk_calls import ASK, ERRORS, FAMILY, STREAMS, steady

pytestmark = pytest.mark.slow


FORMS = list(ASK)


def _direct(form: str, there: Upstream) -> str:
    return there.url + ("/v1" if FAMILY[form] == "openai" else "")


def _answer(status: str, media: str, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {media}", *headers, f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def _chunked(media: str, body: bytes, size: int = 37) -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    return (
        f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        + chunks
        + b"0\r\n\r\n"
    )


def _both(form: str, answer: bytes, stream: bool) -> tuple[list[Any], Tapped]:
    """What an SDK reads, the same with and without the tap; and that it sends the same."""

    def reply(line: Line) -> None:
        while True:
            line.request()
            line.send(answer)

    with upstream(reply) as there, tap_to(there.url) as tap:
        read = []
        for url in (_direct(form, there), tap.base(FAMILY[form])):
            try:
                read.append(ASK[form](url, stream, 0))
            except ERRORS as problem:
                read.append([type(problem).__name__, str(problem)])
            except Exception as problem:  # boto3 makes its errors when they are needed
                assert type(problem).__module__ == "botocore.errorfactory" or "botocore" in type(problem).__module__
                read.append([type(problem).__name__, str(problem)])
        assert read[0] == read[1]
        assert len(there.lines) == 2
        assert steady(there.lines[0].received) == steady(there.lines[1].received)
        tap.recorded()
        return read[1], tap


@pytest.mark.parametrize(
    ("form", "packed"),
    # AWS's SDK takes no packed answers, and never asks for them.
    [(form, packed) for form in FORMS for packed in (False, True) if (form, packed) != ("bedrock", True)],
)
def test_a_whole_answer(form: str, packed: bool) -> None:
    """Request and answer are the same, tool calls included, packed or not; both are recorded, and no key."""
    body = json.dumps(ANSWERS[form]).encode()
    sent, more = (gzip.compress(body, mtime=0), ["Content-Encoding: gzip"]) if packed else (body, [])
    _, tap = _both(form, _answer("200 OK", "application/json", sent, *more), stream=False)
    (raw_call,) = tap.raw_calls
    assert (raw_call.family, raw_call.status, raw_call.ended) == (FAMILY[form], 200, "whole")
    assert (raw_call.response, raw_call.encoding) == (sent, "gzip" if packed else "")
    assert "☀".encode() in raw_call.request or b"\\u2600" in raw_call.request
    assert "sk-test" not in repr(raw_call)
    assert (raw_call.first_ms or 0) > 0






@pytest.mark.parametrize("form", FORMS)
def test_a_stream_that_is_given_up(form: str) -> None:
    """An SDK that closes a stream closes it at the upstream, which would have gone on for ever."""
    media, body = STREAMS[form]
    gone = threading.Event()

    def reply(line: Line) -> None:
        line.request()
        line.send(_chunked(media, body[: len(body) * 2 // 3]).removesuffix(b"0\r\n\r\n"))
        line.raw.settimeout(10)
        if line.raw.recv(1) == b"":
            gone.set()

    with upstream(reply) as there, tap_to(there.url) as tap:
        assert len(ASK[form](tap.base(FAMILY[form]), True, 1)) == 1
        assert gone.wait(5)
        (raw_call,) = tap.recorded()
        assert (raw_call.ended, raw_call.response) == ("client went", body[: len(body) * 2 // 3])
