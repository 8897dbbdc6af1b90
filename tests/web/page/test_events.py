"""The stream of events: many at once, none of which holds up anybody, and all of which end with the service."""

from pathlib import Path

from overture.web.page.page_events import PageEvent

from .shown import Paged, Stream, paged, wait_for, write


def test_a_stream_begins_with_what_stands(page: Paged) -> None:
    """How long to wait before one asks again, and the newest turn; it is no JSON, and nobody keeps it."""
    with page.listen() as stream:
        assert stream.until("turn") == {"turn": 1}
        assert b"retry: 1000\n" in stream.text
        assert b"content-type: text/event-stream" in stream.text
        assert b"cache-control: no-store" in stream.text


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
