"""2,000 requests of random size through every mode of the tap: none stalls, and every byte arrives."""

import asyncio
import os
import random
import re
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.cli.run import OVERTURE
from tests.contract.effort import examples

from ..traffic import MODES, PATH, Ask, Client, Mode, Open, authorities, by_base, by_proxy, provider, through, within
from .test_flow import ONCE, asks, batches, dry_run, pass_through

pytestmark = pytest.mark.slow


SIZES = 5_000_000
SECONDS = 900.0
EACH = 2_000 // (len(MODES) + 4)
"""Requests through each mode: those of one process, two of `--listen`, two of a dry run."""
AT_ONCE = 6


def _asks(count: int) -> list[Ask]:
    """So many requests, most of them small, some of megabytes; the same on every run."""
    chance = random.Random(25)
    return [
        Ask(
            int(SIZES ** chance.random()), int(SIZES ** chance.random()), chance.choice((1000, 16_384, 1 << 20)),
            chance.random() < 0.5, chance.random() < 0.5, chance.choice(("", "", "writer", "reader")),
        )
        for _ in range(count)
    ]  # fmt: skip


async def _soak(connect: Open, asks: list[Ask]) -> None:
    """Ask in several connections at once, a few requests on each."""
    waiting = list(asks)

    async def work() -> None:
        while waiting:
            mine, waiting[:5] = waiting[:5], []
            client = await connect()
            for ask in mine:
                await within(SECONDS, client.ask(ask), ask)
            client.close()

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))


@pytest.mark.parametrize("mode", MODES)
def test_none_stalls(mode: Mode) -> None:
    """In each mode, through its base URL and as a proxy, with TLS and without."""

    async def soak() -> None:
        async with through(mode) as connect:
            await _soak(connect, _asks(EACH))

    asyncio.run(soak())


@pytest.mark.parametrize("way", ["base", "proxy"])
def test_no_dry_run_stalls(way: str) -> None:
    """Where every call is answered here."""
    asyncio.run(dry_run(way, [ask.size for ask in _asks(EACH)]))


@pytest.mark.parametrize("way", ["base", "proxy"])
def test_no_listening_tap_stalls(way: str, tmp_path: Path) -> None:
    """`overture tap --listen` in a process of its own, with a store."""

    async def soak() -> None:
        async with provider() as there, _listening(way, there.url, tmp_path) as connect:
            await _soak(connect, _asks(EACH))

    asyncio.run(soak())


@asynccontextmanager
async def _listening(way: str, url: str, folder: Path) -> AsyncIterator[Open]:
    words = ["--forward"] if way == "proxy" else ["--base-url"]
    environ = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
    process = subprocess.Popen(
        [OVERTURE, "tap", "--listen", *words, "--upstream", f"openai={url}/v1"], cwd=folder, env=environ, text=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        found: dict[str, str] = {}
        while "NODE_EXTRA_CA_CERTS" not in found and "OPENAI_BASE_URL" not in found:
            if line := re.match(r"\s*export (\w+)='?([^'\n]*)", process.stdout.readline()):
                found[line[1]] = line[2]
        reading = asyncio.get_running_loop().run_in_executor(None, process.stdout.read)
        yield _client(found)
        process.terminate()
        await reading
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _client(found: dict[str, str]) -> Open:
    async def connect() -> Client:
        if "OPENAI_BASE_URL" in found:
            return await by_base(int(re.findall(r":(\d+)/", found["OPENAI_BASE_URL"])[0]))
        trust = ssl.create_default_context(cafile=found["NODE_EXTRA_CA_CERTS"])
        return await by_proxy(found["HTTPS_PROXY"], "api.openai.com:443", trust)

    return connect


@pytest.mark.parametrize("mode", MODES)
@settings(ONCE, max_examples=examples(20))
@given(connections=st.lists(batches(SIZES), min_size=1, max_size=3), spoken=asks(SIZES))
def test_every_byte_of_megabytes_arrives(mode: Mode, connections: list[list[list[Ask]]], spoken: Ask) -> None:
    """The same as is tried with less in tests/tap/proxy/test_flow.py."""
    asyncio.run(pass_through(mode, connections, spoken))


def test_the_same_without_the_tap() -> None:
    """What passes the tap passes without it: the provider of these tests stalls nobody."""

    async def soak() -> None:
        _, theirs = authorities()
        trust = ssl.create_default_context(cadata=theirs.pem.decode())
        async with provider(theirs.get_context("localhost")) as there:

            async def connect() -> Client:
                reader, writer = await asyncio.open_connection("localhost", there.port, ssl=trust)
                return Client(reader, writer, "localhost", PATH)

            await _soak(connect, _asks(EACH))

    asyncio.run(soak())
