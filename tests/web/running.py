"""The service on loopback: in a thread with limits of the test's own, or as people start it, in a process."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from overture.discovery.place import locate
from overture.model.recipe.recipe import Recipe
from overture.project.resolve import resolve
from overture.testing import FakeWorld
from overture.web.service.answers import offer_recipes
from overture.web.service.app import service
from overture.web.service.guard_requests import AccessRules, RequestLog
from overture.web.service.read_request import RequestQueue, ServiceLimits
from overture.web.service.server import open_listener, server_of

NOW = "2026-03-07T08:55:05-06:00"
STATE: dict[str, Any] = {
    "agent": {"name": "Ada"},
    "context_files": [{"path": "/p/AGENTS.md", "content": "Run `make test` before you commit.\n"}],
    "tools": [{"name": "read", "description": "Reads a file.", "snippet": "Read files"}],
    "runtime": {"cwd": "/p"},
    "now": NOW,
    "session": {"id": "s"},
}


class Running(NamedTuple):
    """A service, and a client for it."""

    client: httpx.Client
    door: AccessRules
    turns: RequestQueue

    def post(self, path: str, **body: Any) -> httpx.Response:
        """The answer to a request with this body."""
        return self.client.post(f"/v1/{path}", json=body)

    def raw(self) -> socket.socket:
        """A connection on which anything can be sent."""
        return socket.create_connection(("127.0.0.1", self.door.port), timeout=10)


@contextmanager
def running(
    limits: ServiceLimits = ServiceLimits(), token: str | None = None, log: RequestLog = RequestLog(),  # noqa: B008
    host: str = "127.0.0.1",
    files: dict[str, str] | None = None, recipe: Recipe | None = None,
) -> Iterator[Running]:  # fmt: skip
    """A service in a thread; `files` are those of the project in which it is started."""
    offer = offer_recipes(resolve(recipe, locate(world=FakeWorld({"/p/AGENTS.md": "", **(files or {})}), cwd="/p")))
    found = open_listener("127.0.0.1", 0)
    door, turns = AccessRules(host, found.getsockname()[1], token), RequestQueue(limits)
    server = server_of(service(offer, door, turns, log))
    thread = threading.Thread(target=server.run, args=([found],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    # No proxy of the machine's stands between.
    with httpx.Client(base_url=f"http://127.0.0.1:{door.port}", trust_env=False, timeout=30) as client:
        try:
            yield Running(client, door, turns)
        finally:
            server.should_exit = True
            thread.join(20)
            turns.pool.shutdown(wait=True)
            found.close()


@contextmanager
def started(
    *words: str | Path, token: bool = False, **environment: str
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """`overture serve` in a process, and the address that it printed; ended where the test did not end it."""
    line = [sys.executable, "-m", "overture", "serve", *([] if token else ["--no-token"]), *map(str, words)]
    env = {**os.environ, **environment}
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            if process.poll() is None:
                process.kill()
