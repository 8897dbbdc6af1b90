"""What the integrations share, without any framework."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from overture import Session
from overture.integrations.frameworks import AgentSessions

THREADS = 8


def find_at_once(sessions: AgentSessions, name_of: Callable[[int], str]) -> list[Session]:
    """The sessions of agents whose first requests begin at the same moment."""
    barrier = Barrier(THREADS)

    def find(index: int) -> Session:
        barrier.wait()
        return sessions.find(name_of(index))

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(find, range(THREADS)))


def test_requests_of_one_agent_at_once_share_its_session(make_session: Any) -> None:
    """However many first requests of a sub-agent begin together, there is one session for it."""
    sessions = AgentSessions(make_session())
    assert sessions.find("main") is sessions.session
    found = find_at_once(sessions, lambda _: "helper")
    assert len({id(each) for each in found}) == 1 and found[0] is not sessions.session


def test_agents_that_begin_at_once_have_sessions_of_their_own(make_session: Any) -> None:
    """One of them is the first and has the session itself; each other has a sub-agent's."""
    sessions = AgentSessions(make_session())
    found = find_at_once(sessions, lambda index: f"agent {index}")
    assert len({id(each) for each in found}) == THREADS
    assert [id(each) for each in found].count(id(sessions.session)) == 1


def test_a_known_agent_waits_for_no_other(make_session: Any) -> None:
    """On an event loop, it would wait for a turn that waits for this loop."""
    session, begun, asked = make_session(), asyncio.Event(), asyncio.Event()
    sessions = AgentSessions(session)

    async def wait(_: Any) -> None:
        begun.set()
        await asked.wait()

    async def go() -> tuple[Session, Session]:
        turn = asyncio.ensure_future(session.aturn("Go"))
        await begun.wait()
        helper = asyncio.ensure_future(asyncio.to_thread(sessions.find, "helper"))
        while not sessions._lock.locked():
            await asyncio.sleep(0.001)
        found = sessions.find("main")
        asked.set()
        await turn
        return found, await helper

    session.hook("before_agent_start", wait)
    assert sessions.find("main") is session
    found, helper = asyncio.run(go())
    assert found is session
    assert sessions.find("helper") is helper is not session
