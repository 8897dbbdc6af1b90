"""A turn that is cancelled: the session is as it was, and nothing runs on."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

import overture
from overture import Session
from overture.session.change_session import remove_hook
from overture.session.session import get_parts
from overture.testing import FakeWorld
from tests.contract.session.worlds import FILES, session, texts


def cancelled(
    live: Session, begun: Callable[[], Awaitable[object]], after: Callable[[], object] = lambda: None
) -> None:
    """Begin a turn, and cancel it as soon as it is where `begun` waits for it to be."""

    async def go() -> None:
        task = asyncio.ensure_future(live.aturn("Lost"))
        await begun()
        task.cancel()
        # Only once the loop has told the turn: the disk stands still until then.
        asyncio.get_running_loop().call_later(0.05, after)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())


def waiting() -> tuple[Callable[[Any], Awaitable[None]], Callable[[], Awaitable[object]]]:
    """A hook that never comes back, and what waits until it was called."""
    called = asyncio.Event()

    async def hook(_: Any) -> None:
        called.set()
        await asyncio.sleep(60)

    return hook, called.wait


def test_a_turn_that_is_cancelled_in_a_hook_never_was() -> None:
    """Whatever a turn brought before its hook was cancelled is undone, and brought by the next one."""
    world = FakeWorld({**FILES, "/p/src/AGENTS.md": "Be brief."})
    live = session("house", world, config={"features.context.nested": True})
    live.turn("First")
    live.assistant("Yes.")
    live.send_message("queued", when="next")
    live.update(memories=["Ada prefers tabs"])
    live.refresh(touched=["src/main.py"])
    world.time += timedelta(minutes=5)
    before = (live.messages, get_parts(live).current.state, get_parts(live).turn_number, live.record)

    async def go() -> None:
        hook, called = waiting()
        live.hook("before_agent_start", hook)
        task = asyncio.ensure_future(live.aturn("Lost"))
        await called()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        remove_hook(get_parts(live), hook)

    asyncio.run(go())
    assert (live.messages, get_parts(live).current.state, get_parts(live).turn_number, live.record) == before
    turn = live.turn("Second")
    kinds = [message.kind for message in turn.messages]
    assert kinds == ["prompt", "reply", "context", "prompt", "custom"]
    assert "Ada prefers tabs" in turn.prompt.text
    assert "Be brief." in turn.messages[2].text
    assert turn.entry.nested == ("/p/src/AGENTS.md",)


@pytest.mark.parametrize("recipe", ["opal", "house"])
def test_the_users_words_go_with_the_turn(recipe: str) -> None:
    """Cancelled while a `context` hook looks at the messages, the turn takes its own messages back."""
    live = session(recipe)
    live.turn("First")
    live.assistant("Yes.")
    live.send_message("queued", when="next")
    live.hook("before_agent_start", lambda _: overture.Change.message("of a hook"), name="h")

    async def go() -> None:
        hook, called = waiting()
        live.hook("context", hook)
        task = asyncio.ensure_future(live.aturn("Lost"))
        await called()
        live.send_message("meanwhile")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        remove_hook(get_parts(live), hook)

    asyncio.run(go())
    assert texts(live) == ["First", "Yes.", "meanwhile"]
    assert get_parts(live).turn.hook_changes == ()
    turn = live.turn("Second")
    assert [message.text for message in turn.messages][3:] == ["Second", "queued", "of a hook"]
    assert turn.number == 2


def test_an_async_hook_is_ended() -> None:
    """When the turn says that it is cancelled, its hook has ended, what it does last included."""
    live = session()
    ended: list[str] = []

    async def go() -> None:
        called = asyncio.Event()

        async def hook(_: Any) -> None:
            try:
                called.set()
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0)
                ended.append("hook")

        live.hook("before_agent_start", hook)
        task = asyncio.ensure_future(live.aturn("Lost"))
        await called.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == ["hook"]

    asyncio.run(go())
