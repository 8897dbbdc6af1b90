"""The stream of events: many at once, none of which holds up anybody, and all of which end with the service."""

import asyncio
import time
from pathlib import Path

from overture.web.page.page_events import MAX_QUEUED_EVENTS, Listener, PageEvent, PageEvents
from overture.web.service.read_request import ServiceLimits

from .shown import Paged, Stream, paged, wait_for, write


def test_a_stream_begins_with_what_stands(page: Paged) -> None:
    """How long to wait before one asks again, and the newest turn; it is no JSON, and nobody keeps it."""
    with page.listen() as stream:
        assert stream.until("turn") == {"turn": 1}
        assert b"retry: 1000\n" in stream.text
        assert b"content-type: text/event-stream" in stream.text
        assert b"cache-control: no-store" in stream.text


def test_whoever_asks_for_the_head_alone_is_answered(page: Paged) -> None:
    """It ends at once: there is nothing to wait for."""
    assert page.client.head("/page/events").headers["content-type"].startswith("text/event-stream")


def test_whoever_goes_away_is_forgotten(page: Paged) -> None:
    """A client that drops the stream, also without a word, leaves nothing behind."""
    for _ in range(3):
        # Who listened before this test may still be on the way out.
        wait_for(lambda: page.live.events.listening == 0)
        with page.listen() as stream:
            stream.until("turn")
            assert page.live.events.listening == 1
    wait_for(lambda: page.live.events.listening == 0)


def test_many_listen_while_others_ask(tmp_path: Path) -> None:
    """Each is told of a change; requests are answered meanwhile, and the end is held up by nobody."""
    write(tmp_path, AGENTS_dot_md="One.\n")
    with paged(tmp_path) as page:
        streams = [page.listen() for _ in range(80)]
        for stream in streams:
            stream.until("turn")
        assert page.live.events.listening == 80
        assert page.client.get("/page/turns").status_code == 200
        write(tmp_path, AGENTS_dot_md="Two.\n")
        assert {stream.until("turn")["turn"] for stream in streams} == {2}
        for stream in streams[:40]:
            stream.connection.close()
        wait_for(lambda: page.live.events.listening == 40)
        page.server.should_exit = True
        for stream in streams[40:]:
            stream.read_to_the_end()
            stream.connection.close()
    assert page.live.events.listening == 0


def test_a_limit_of_time_does_not_end_a_stream(tmp_path: Path) -> None:
    """What ends a slow request leaves the stream alone."""
    with paged(tmp_path, limits=ServiceLimits(seconds=2)) as page, page.listen() as stream:
        stream.until("turn")
        time.sleep(2.5)
        page.live.events.publish(PageEvent("broken", {"message": "late"}))
        assert stream.until("broken") == {"message": "late"}


def test_a_quiet_stream_shows_that_it_is_alive() -> None:
    """A comment line, which no browser takes for an event."""

    async def listened() -> bytes:
        stream = PageEvents().stream(None, list, heartbeat=0.01)
        return b"".join([await anext(stream) for _ in range(4)])

    text = asyncio.run(listened())
    assert text.count(b": alive\n\n") == 3
    assert b"event:" not in text


def test_whoever_does_not_read_costs_little() -> None:
    """News that nobody reads are dropped, the oldest first."""

    async def told() -> list[int]:
        listener = Listener(None)
        for number in range(10 * MAX_QUEUED_EVENTS):
            listener.send(PageEvent("turn", {"turn": number}))
        await asyncio.sleep(0.05)
        return [listener.events.get_nowait().data["turn"] for _ in range(listener.events.qsize())]

    assert asyncio.run(told()) == list(range(9 * MAX_QUEUED_EVENTS, 10 * MAX_QUEUED_EVENTS))


def test_a_message_cant_begin_another_event(page: Paged) -> None:
    """Whatever a file says, its lines stay in the data of one event."""
    bad = "x\n\nevent: turn\ndata: {}\r\n\u2028"
    with Stream(page.door.port) as stream:
        stream.until("turn")
        page.live.events.publish(PageEvent("broken", {"message": bad}))
        assert stream.until("broken") == {"message": bad}
        page.live.events.publish(PageEvent("mended"))
        assert stream.until("mended") == {}
        assert stream.text.count(b"event: turn\n") == 1
