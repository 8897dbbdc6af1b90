"""Every byte passes as it came: requests but for their address, answers as they are."""

import gzip
import socket

import pytest

from ..raw_http import Line, asking, read_all, tap_to, upstream

CLOSED = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
BROTLI = bytes.fromhex("0b028068656c6c6f03")
"""`hello` as br packs it."""
ANSWERS = {
    "a length": CLOSED + b"Content-Length: 2\r\n\r\nok",
    "no length": CLOSED + b"\r\nuntil the end",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n\r\nold",
    "chunks": CLOSED + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "odd chunks": CLOSED + b"transfer-encoding: Chunked\r\n\r\n0002;a=b\r\nok\r\n00\r\nX-Sum: 1\r\nx-more: 2\r\n\r\n",
    "gzip": CLOSED + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"packed" * 99, mtime=0),
    "br": CLOSED + b"Content-Encoding: br\r\nContent-Length: 9\r\n\r\n" + BROTLI,
    "odd names": CLOSED
    + b"x-LOWER: 1\r\nX-a:no space\r\nX-b:   many   \r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n\r\n.",
    "no reason": b"HTTP/1.1 200\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "other reason": b"HTTP/1.1 200 Fine, thank you\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "overloaded": b"HTTP/1.1 529 \r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy",
    "odd status": b"HTTP/1.1 799 What\r\nContent-Length: 4\r\nConnection: close\r\n\r\nwhat",
    "nothing": b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "not changed": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\nConnection: close\r\n\r\n",
    "hints before": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + CLOSED + b"Content-Length: 2\r\n\r\nok",
    "bare newlines": b"HTTP/1.1 200 OK\nContent-Length: 2\nConnection: close\n\nok",
    "cut short": CLOSED + b"Content-Length: 99\r\n\r\nhalf",
    "cut chunk": CLOSED + b"Transfer-Encoding: chunked\r\n\r\nff\r\nhalf",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "silence": b"",
    "no HTTP": b"\x00\x01 this is not HTTP\r\n\r\n\xff",
    "other encoding": CLOSED + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "two lengths": CLOSED + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!",
    "more than said": CLOSED + b"Content-Length: 2\r\n\r\nok and more",
}


@pytest.mark.slow
def test_a_client_that_waits_to_be_told_is_told() -> None:
    """`Expect: 100-continue`: the upstream says when the body may come, and the body comes then."""

    def reply(line: Line) -> None:
        line.until(b"\r\n\r\n")
        line.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert line.exactly(2) == b"{}"
        line.send(ANSWERS["a length"])

    with upstream(reply) as there, tap_to(there.url) as tap:
        with socket.create_connection(("127.0.0.1", tap.port), timeout=10) as raw:
            head, body = asking(tap.port, "/openai/v1/responses", b"{}", "Expect: 100-continue")[:-2], b"{}"
            raw.sendall(head)
            assert raw.recv(999) == b"HTTP/1.1 100 Continue\r\n\r\n"
            raw.sendall(body)
            assert read_all(raw) == ANSWERS["a length"]
        (raw_call,) = tap.recorded()
        assert (raw_call.status, raw_call.request, raw_call.response) == (200, b"{}", b"ok")
