"""Every byte arrives, both ways, in every mode: whatever the sizes, whoever is slow, whoever is early."""

import asyncio

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ..traffic import MODES, Ask, Mode, through

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

        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*map(ask, connections), talk())


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
