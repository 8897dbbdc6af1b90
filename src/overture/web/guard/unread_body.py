"""The body of a request that is refused: who still sends it when the connection closes never sees the answer."""

import asyncio

from starlette.types import Message, Receive

MOST = 65_536
"""Bytes that are taken of it and thrown away."""
SECONDS = 0.3
"""How long they are waited for."""


class Arriving:
    """Hands on what a client sends, and knows whether that is all."""

    def __init__(self, receive: Receive) -> None:
        self.receive, self.whole = receive, False

    async def __call__(self) -> Message:
        """The next part."""
        message = await self.receive()
        self.whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def drop_rest(self) -> None:
        """Take what is left, if it is little and comes at once."""
        left = MOST
        try:
            async with asyncio.timeout(SECONDS):
                while not self.whole and left > 0:
                    left -= len((await self()).get("body", b""))
        except TimeoutError:
            pass
