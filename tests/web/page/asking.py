"""The page's reports of a project in a world in memory, asked over HTTP without a network."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from starlette.routing import Router

from overture import Session
from overture.known_models.model_table import packaged_table
from overture.report.sheet.make_sheet import file_id
from overture.terminal.options import CommandOptions
from overture.testing import FakeWorld
from overture.web.page.live_page import LivePage
from overture.web.page.page_routes import page_routes
from overture.web.service.answers import offer_recipes
from overture.web.service.guard_requests import AccessRules, GuardedApp, RequestLog
from overture.web.service.read_request import RequestQueue, ServiceLimits


class Asking:
    """A page, a session of the same project beside it, and what the page answers."""

    def __init__(self, live: LivePage, session: Session, loop: asyncio.Runner) -> None:
        self.live, self.session, self.loop = live, session, loop
        self.turns = RequestQueue(ServiceLimits())
        router = Router(page_routes(live, offer_recipes(live.project), self.turns))
        app = GuardedApp(router, AccessRules("127.0.0.1", 7788), RequestLog())
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:7788")

    def get(self, path: str) -> httpx.Response:
        """The answer to a request."""
        return self.loop.run(self.client.get(f"/page/{path}"))

    def data(self, path: str) -> Any:
        """What a good answer holds."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def file(self, path: str) -> httpx.Response:
        """The answer for the file at a path."""
        return self.get(f"file/{file_id(path)}")


@contextmanager
def asking(options: CommandOptions) -> Iterator[Asking]:
    """The page that these options lead to."""
    session = Session(options.recipe, cwd=options.cwd, home=options.home, world=options.world)
    with asyncio.Runner() as loop:
        page = Asking(LivePage(options, packaged_table()), session, loop)
        try:
            yield page
        finally:
            loop.run(page.client.aclose())
            page.turns.pool.shutdown(wait=True)


@contextmanager
def page_of(files: dict[str, str | bytes], recipe: str = "house", cwd: str = "/p", **world: Any) -> Iterator[Asking]:
    """The page of a project of these files, whose agent works in `cwd`."""
    made = FakeWorld({"/p/.git/HEAD": "ref: refs/heads/main\n", **files}, **world)
    with asking(CommandOptions(recipe, cwd=cwd, world=made)) as page:
        yield page


@contextmanager
def page_in(cwd: Path | str, home: Path, recipe: str = "house", **options: Any) -> Iterator[Asking]:
    """The page of a real folder."""
    home.mkdir(exist_ok=True)
    with asking(CommandOptions(recipe, cwd=str(cwd), home=str(home), **options)) as page:
        yield page
