"""The page of a real folder on loopback, in a thread."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from overture.known_models.model_table import packaged_table
from overture.tap.page.page_answers import CallsPage
from overture.tap.page.routes_and_search import CallsView
from overture.terminal.options import CommandOptions
from overture.web.page.live_page import LivePage
from overture.web.service.answers import offer_recipes
from overture.web.service.app import service
from overture.web.service.guard_requests import AccessRules, RequestLog
from overture.web.service.read_request import RequestQueue, ServiceLimits
from overture.web.service.server import open_listener, server_of

NOW = "2026-03-07T08:55:05-06:00"
DEADLINE = 20


class Paged(NamedTuple):
    """A page that is served, and a client for it."""

    client: httpx.Client
    live: LivePage
    door: AccessRules
    folder: Path
    server: Any

    def get(self, path: str, **headers: str) -> Any:
        """What is answered, as JSON."""
        return self.client.get(path, headers=headers).json()

    def raw(self) -> socket.socket:
        """A connection on which anything can be sent."""
        return socket.create_connection(("127.0.0.1", self.door.port), timeout=DEADLINE)

    def listen(self, query: str = "") -> "Stream":
        """A stream of events, from now on."""
        return Stream(self.door.port, query=query)


class Stream:
    """An event stream, read by hand."""

    def __init__(self, port: int, more: str = "", query: str = "") -> None:
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        asked = f"GET /page/events{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}\r\n"
        self.connection.sendall(asked.encode())
        self.text = b""
        self.seen = 0

    def until(self, name: str) -> dict[str, Any]:
        """The data of the next event of that name."""
        while True:
            at = self.text.find(f"event: {name}\n".encode(), self.seen)
            end = self.text.find(b"\n\n", at)
            if at >= 0 and end >= 0:
                self.seen = end
                data: dict[str, Any] = json.loads(self.text[at:end].partition(b"data: ")[2])
                return data
            self.more()

    def more(self) -> bool:
        """Read on; whether there was anything."""
        got = self.connection.recv(65_536)
        assert got, self.text
        self.text += got
        return True

    def read_to_the_end(self) -> None:
        """Read until the server ends it."""
        while got := self.connection.recv(65_536):
            self.text += got

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


def wait_for(what: Callable[[], Any]) -> Any:
    """What becomes true in time."""
    deadline = time.monotonic() + DEADLINE
    while not (found := what()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


@contextmanager
def paged(
    folder: Path, recipe: str | None = "opal", *, token: str | None = None, calls: str | None = None,
    limits: ServiceLimits = ServiceLimits(), **options: Any,  # noqa: B008
) -> Iterator[Paged]:  # fmt: skip
    """The page of a folder; `calls`: where a tap keeps them."""
    where = {"cwd": str(folder), "home": str(folder), "root": str(folder), "now": NOW, "tokenizer": "estimate"}
    live = LivePage(CommandOptions(recipe, **{**where, **options}), packaged_table())
    found = open_listener("127.0.0.1", 0)
    door, turns = AccessRules("127.0.0.1", found.getsockname()[1], token), RequestQueue(limits)
    view = CallsView(CallsPage(calls, packaged_table(), str(folder))) if calls is not None else None
    server = server_of(service(offer_recipes(live.project), door, turns, RequestLog(), live, view), live.end)
    thread = threading.Thread(target=server.run, args=([found],), daemon=True)
    live.start()
    if view is not None:
        view.start(live.events)
    thread.start()
    wait_for(lambda: server.started)
    with httpx.Client(base_url=f"http://127.0.0.1:{door.port}", trust_env=False, timeout=30) as client:
        try:
            yield Paged(client, live, door, folder, server)
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()
            turns.pool.shutdown(wait=True)
            if view is not None:
                view.end()
            found.close()


def write(folder: Path, **files: str) -> None:
    """Files by name; `__` is a slash and `_dot_` a dot."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
