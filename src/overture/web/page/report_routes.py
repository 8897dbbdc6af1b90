"""The routes of reports on the page: files, check, agents. Each answer is made once."""

import asyncio
import re
import time
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...model.struct import Frozen
from ..service.limit_requests import RequestQueue
from ..service.problems import RefusedError, problem_of, refusing
from ..service.read_request import encode_answer, make_json_response
from .check_and_agents_answers import find_files_with_findings, page_findings, report_agents_here, touched_path
from .product_views import PageView
from .prompt_files import PromptBackground, ShownRoots, file_view, files_to_show, find_roots, looked_at, no_file

T = TypeVar("T")
MAX_CACHED_ANSWERS = 32
"""Answers in the cache: a user may type any path."""
FRESH = 10.0
"""Seconds: other agents read files that are not watched for the prompt."""


class LiveSource(Protocol):
    """What the page shows, as it is now."""

    @property
    def version(self) -> int:
        """Another number after every change of what the reports are about."""

    def background(self) -> PromptBackground:
        """The newest good prompt, with what it was made of. It may take a moment."""


class AnswerCache:
    """Answers by request, for one version of the shown prompt."""

    def __init__(self, live: LiveSource, turns: RequestQueue) -> None:
        """Begin without answers of the routes of reports."""
        self.live, self.turns = live, turns
        self.version: int | None = None
        self.answers: dict[Hashable, tuple[float, Any]] = {}
        self._lock = asyncio.Lock()

    async def give(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `make`, or its cached one. One is made at a time: who asks for the same waits for it."""
        async with self._lock:
            if self.version != self.live.version:
                self.version, self.answers = self.live.version, {}
            known = self.answers.get(key)
            if known is None or time.monotonic() - known[0] > FRESH:
                made = await self.turns.work(make)
                known = time.monotonic(), made
                self.answers.pop(key, None)
                if len(self.answers) >= MAX_CACHED_ANSWERS:
                    del self.answers[next(iter(self.answers))]
                self.answers[key] = known
            result: T = known[1]
            return result


ID = re.compile("[0-9a-f]{12}")


def report_routes(
    live: LiveSource, turns: RequestQueue, views: Sequence[PageView] = (), *, shared: bool = True
) -> list[Route]:
    """The routes, for a router behind the guard; views may name further files. `shared`: no tab's own page."""
    reports = ReportRoutes(live, turns, views)
    for view in views if shared else ():
        view.allow_files(reports.may_show)
    return [
        Route("/page/files", reports.files),
        Route("/page/file/{id}", reports.file),
        Route("/page/check", reports.check),
        Route("/page/agents", reports.agents),
    ]


class ReportRoutes:
    """Answers, each made in a thread."""

    def __init__(self, live: LiveSource, turns: RequestQueue, views: Sequence[PageView] = ()) -> None:
        """Answer the routes of reports on a page that is live."""
        self.live, self.turns, self.remembered, self.views = live, turns, AnswerCache(live, turns), views
        self.roots: ShownRoots | None = None

    def get_background(self) -> tuple[PromptBackground, ShownRoots]:
        """The current background of the page. The folders that it may show stay those of the start."""
        background = self.live.background()
        if self.roots is None:
            self.roots = find_roots(background)
        return background, self.roots

    def may_show(self, path: str) -> bool:
        """Whether a path is in the project or at home."""
        return self.get_background()[1].names(path)

    async def files(self, _: Request) -> Response:
        """The route of the report on files: every path that was looked at."""
        return await self._answer_cached("files", lambda: looked_at(*self.get_background()))

    async def check(self, _: Request) -> Response:
        """The route of the report of `check`: what is wrong."""
        return await self._answer_cached("check", lambda: page_findings(*self.get_background()))

    async def agents(self, request: Request) -> Response:
        """The route of the report on agents: what each reads."""
        values = request.query_params.getlist("touching")
        if len(values) > 1:
            raise RefusedError(problem_of("invalid", "touching: given twice. Pass one path.", "touching"))
        path, switch = values[0] if values else "", request.query_params.get("all", "0")
        if switch not in ("0", "1"):
            raise RefusedError(problem_of("invalid", f"all: {switch!r:.40} is neither 0 nor 1.", "all"))

        def make_report() -> Frozen:
            background, roots = self.get_background()
            return report_agents_here(background, touched_path(background, roots, path), everyone=switch == "1")

        return await self._answer_cached(("agents", path, switch), make_report)

    async def file(self, request: Request) -> Response:
        """One file, by its id: as it is now, and so never remembered."""
        id = request.path_params["id"]
        if not ID.fullmatch(id):
            raise no_file(f"{id!r:.40} is not the id of a file. Choose one in Files.")
        async with self.turns.acquire_slot():
            path = await self._find_file_path(id)
            make = partial(encode_answer, lambda: file_view(*self.get_background(), id, path), "project")
            return make_json_response(await self.turns.work(make))

    async def _find_file_path(self, id: str) -> str:
        """The path of a file that was looked at, or else of one that a finding leads to."""
        for name, ids in (("read", files_to_show), ("wrong", find_files_with_findings)):
            known = await self.remembered.give(name, partial(self._list_file_ids, ids))
            if id in known:
                return known[id]
        for view in self.views:
            if path := view.find_file_path(id):
                return path
        raise no_file(f"There is no file {id} here, or it was removed. Choose one in Files.")

    def _list_file_ids(self, ids: Callable[[PromptBackground, ShownRoots], dict[str, str]]) -> dict[str, str]:
        """The ids of files that routes of reports may name."""
        with refusing("project"):
            return ids(*self.get_background())

    async def _answer_cached(self, key: Hashable, make: Callable[[], Frozen]) -> Response:
        """The response of a report's route, made once for each version."""
        async with self.turns.acquire_slot():
            return make_json_response(await self.remembered.give(key, partial(encode_answer, make, "project")))
