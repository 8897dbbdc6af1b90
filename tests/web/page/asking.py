"""The page's reports of a session in a world in memory, asked over HTTP without a network."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from starlette.routing import Router

from overture import Session
from overture.model.prompt.prompt import Prompt
from overture.model.state.discovery import Discovery
from overture.report.sheet.make_sheet import file_id
from overture.session.current_files import get_session_files
from overture.session.session import get_parts
from overture.testing import FakeWorld
from overture.web.page.prompt_files import PromptBackground
from overture.web.page.report_routes import report_routes
from overture.web.service.guard_requests import AccessRules, GuardedApp, RequestLog
from overture.web.service.limit_requests import RequestQueue, ServiceLimits


def behind_session(session: Session) -> PromptBackground:
    """What a session stands on."""
    prompt, files = session.prompt, get_session_files(get_parts(session))
    if files is None:
        return PromptBackground(prompt, Discovery(prompt.state, prompt.diagnostics), None)
    looked = (*files.discovery.looked_at, *files.extra.looked_at)
    return PromptBackground(
        prompt, Discovery(files.discovery.state, files.discovery.diagnostics, looked), files.project
    )


class Shown:
    """A session that a page shows."""

    def __init__(self, session: Session) -> None:
        self.session, self.version, self.asked = session, 1, 0

    def background(self) -> PromptBackground:
        """What the session stands on; how often that was asked for is counted."""
        self.asked += 1
        return behind_session(self.session)


class Alone:
    """A prompt of which no project is known."""

    version = 1

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt

    def background(self) -> PromptBackground:
        """The prompt alone."""
        return PromptBackground(self.prompt, Discovery(self.prompt.state), None)


class Asking:
    """A page, and what it is answered."""

    def __init__(self, live: Any, loop: asyncio.Runner) -> None:
        self.live, self.loop = live, loop
        self.turns = RequestQueue(ServiceLimits())
        app = GuardedApp(Router(report_routes(live, self.turns)), AccessRules("127.0.0.1", 7788), RequestLog())
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:7788")

    def get(self, path: str) -> httpx.Response:
        """The answer to a request."""
        return self.loop.run(self.client.get(f"/page/{path}"))

    def together(self, path: str, times: int) -> list[httpx.Response]:
        """The answers to requests that are sent at once."""

        async def all_of_them() -> list[httpx.Response]:
            return await asyncio.gather(*(self.client.get(f"/page/{path}") for _ in range(times)))

        return self.loop.run(all_of_them())

    def data(self, path: str) -> Any:
        """What a good answer holds."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def file(self, path: str) -> httpx.Response:
        """The answer for the file at a path."""
        return self.get(f"file/{file_id(path)}")


@contextmanager
def asking(live: Any) -> Iterator[Asking]:
    """A page of what is shown."""
    with asyncio.Runner() as loop:
        page = Asking(live, loop)
        try:
            yield page
        finally:
            loop.run(page.client.aclose())
            page.turns.pool.shutdown(wait=True)


@contextmanager
def page_of(files: dict[str, str | bytes], recipe: str = "house", cwd: str = "/p", **world: Any) -> Iterator[Asking]:
    """The page of a project of these files, whose agent works in `cwd`."""
    made = FakeWorld({"/p/.git/HEAD": "ref: refs/heads/main\n", **files}, **world)
    with asking(Shown(Session(recipe, cwd=cwd, world=made))) as page:
        yield page
