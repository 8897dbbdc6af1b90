"""Every byte arrives, both ways, in every mode: whatever the sizes, whoever is slow, whoever is early."""

import asyncio
import socket
import ssl

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from overture.tap.proxy.open_tap import open_tap
from overture.tap.run.dry_run_provider import serve_dry_run
from overture.tap.upstreams import make_dry_run_upstreams
from overture.tap.wire.read_call import RawCall

from ..raw_http import answering, tap_to, upstream
from ..traffic import (  # fmt: skip
    MODES,
    Ask,
    Mode,
    authorities,
    body_of,
    by_base,
    by_proxy,
    request_of,
    through,
    within,
)

SECONDS = 120.0
"""What all bytes of an example have to arrive in; it takes a few."""
EDGES = (0, 1, 65_535, 65_536, 65_537, 114_688, 131_073, 262_145)


def asks(most: int) -> st.SearchStrategy[Ask]:
    """Requests of any size up to one, and how they are sent and answered."""
    sizes = st.one_of(st.sampled_from(EDGES), st.integers(0, most))
    return st.builds(
        Ask, size=sizes, reply=sizes, piece=st.sampled_from((1000, 16_384, 65_536, 1 << 20)), chunked=st.booleans(),
        early=st.booleans(), websocket=st.just(False), slow=st.sampled_from(("", "writer", "reader")),
    )  # fmt: skip


def batches(most: int) -> st.SearchStrategy[list[list[Ask]]]:
    """What is asked on one connection: one batch after the other, each without waiting in between."""
    return st.lists(st.lists(asks(most), min_size=1, max_size=3), min_size=1, max_size=3)


async def pass_through(mode: Mode, connections: list[list[list[Ask]]], spoken: Ask) -> None:
    """Ask on these connections and speak on one more, all at once, until every byte has arrived."""
    async with through(mode) as connect:

        async def ask(batches: list[list[Ask]]) -> None:
            client = await connect()
            for batch in batches:
                await client.ask(*batch)
            client.close()

        async def talk() -> None:
            client = await connect()
            await client.talk(spoken)
            client.close()

        everything = asyncio.gather(*map(ask, connections), talk())
        await within(SECONDS, everything, (mode, connections, spoken))


@pytest.mark.slow(unless=("base",))
@pytest.mark.parametrize("mode", MODES)
@settings(
    max_examples=3,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)  # a stall takes minutes, and is not shrunk
@given(connections=st.lists(batches(300_000), min_size=1, max_size=2), spoken=asks(300_000))
def test_every_byte_arrives(mode: Mode, connections: list[list[list[Ask]]], spoken: Ask) -> None:
    """Of requests and answers of any size, several on a connection, sent ahead, early, slowly; and by WebSocket."""
    asyncio.run(pass_through(mode, connections, spoken))


def test_a_body_right_behind_the_handshake_arrives() -> None:
    """A program that sends 240 kB in one go with the last bytes of its handshake is read to the end."""
    ours, _ = authorities()
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with upstream(answering(answer)) as there, tap_to(f"openai={there.url}/v1", authority=ours) as tap:
        assert tap.tap.proxy is not None
        raw = _connected(tap.tap.proxy)
        assert raw.recv(999).startswith(b"HTTP/1.1 200 ")
        trust = ssl.create_default_context(cadata=ours.pem.decode())
        received, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        secured = trust.wrap_bio(received, outgoing, server_hostname="api.openai.com")
        while not _shaken(secured):
            if sent := outgoing.read():
                raw.sendall(sent)
            received.write(raw.recv(1 << 16))
        secured.write(request_of(Ask(240_000, 0), "api.openai.com", "/v1/chat/completions"))
        raw.sendall(outgoing.read())  # the handshake's end, and the whole request
        raw.settimeout(20)
        assert _read(secured, received, raw).startswith(b"HTTP/1.1 200 ")
        raw.close()
        (raw_call,) = tap.recorded()
        assert raw_call.request == body_of(240_000)




def _connected(proxy: str, early: bytes = b"") -> socket.socket:
    import base64

    token, _, address = proxy.partition("//")[2].rpartition("@")
    raw = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=20)
    known = base64.b64encode(token.encode()).decode()
    head = f"CONNECT api.openai.com:443 HTTP/1.1\r\nHost: h\r\nProxy-Authorization: Basic {known}\r\n\r\n"
    raw.sendall(head.encode() + early)
    return raw


def _read(secured: ssl.SSLObject, received: ssl.MemoryBIO, raw: socket.socket) -> bytes:
    while True:
        try:
            return secured.read(999)
        except ssl.SSLWantReadError:
            received.write(raw.recv(1 << 16))


def _shaken(secured: ssl.SSLObject) -> bool:
    try:
        secured.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("way", ["base", "proxy"])
def test_a_dry_run_takes_bodies_of_any_size(way: str) -> None:
    """Each is answered, and recorded to its last byte; no host of a provider is asked, whichever it is."""
    asyncio.run(dry_run(way, [240_000, 60, 115_000, 700_000]))


async def dry_run(way: str, sizes: list[int]) -> None:
    """Bodies of these sizes, answered by nobody's provider."""
    ours, _ = authorities()
    trust, kept = ssl.create_default_context(cadata=ours.pem.decode()), list[RawCall]()
    with serve_dry_run() as url:
        async with open_tap(make_dry_run_upstreams(url), kept.append, authority=ours) as tap:
            assert tap.proxy is not None
            for number, size in enumerate(sizes):
                host = ("api.openai.com", "chatgpt.com")[number % 2]
                client = await (by_base(tap.port) if way == "base" else by_proxy(tap.proxy, f"{host}:443", trust))
                client.writer.write(request_of(Ask(size, 0, chunked=number % 3 == 1), client.host, client.path))
                await within(SECONDS, client.reader.readuntil(b"HTTP/1.1 200 OK\r\n"), (way, size))
                client.close()
    assert [len(each.request) for each in kept] == [len(body_of(size)) for size in sizes]
