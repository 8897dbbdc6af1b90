"""The routes of what is asked of the files behind the prompt: /page/files, /page/file/ID, /page/check, /page/agents."""

import re
from collections.abc import Callable, Hashable, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...model.struct import Frozen, encode_json
from ..guard.limits import Turns
from ..reports.agents_grid import agents_here, touched_path
from ..reports.behind import Behind, Live, Roots, find_roots
from ..reports.file_view import file_view, no_file
from ..reports.findings import files_found_wrong, page_findings
from ..reports.looked_at import files_to_show, looked_at
from ..reports.remembered import Remembered
from ..service.problems import RefusedError, problem_of, refusing
from .views import PageView

ID = re.compile("[0-9a-f]{12}")


def report_routes(live: Live, turns: Turns, views: Sequence[PageView] = ()) -> list[Route]:
    """The routes, for a router behind the guard; views may name further files."""
    desk = Desk(live, turns, views)
    for view in views:
        view.allow_files(desk.may_show)
    return [
        Route("/page/files", desk.files),
        Route("/page/file/{id}", desk.file),
        Route("/page/check", desk.check),
        Route("/page/agents", desk.agents),
    ]


class Desk:
    """Answers, each made in a thread."""

    def __init__(self, live: Live, turns: Turns, views: Sequence[PageView] = ()) -> None:
        self.live, self.turns, self.remembered, self.views = live, turns, Remembered(live, turns), views
        self.roots: Roots | None = None

    def here(self) -> tuple[Behind, Roots]:
        """Where the page looks now. The folders that it may show are those of the start, whatever comes later."""
        behind = self.live.behind()
        if self.roots is None:
            self.roots = find_roots(behind)
        return behind, self.roots

    def may_show(self, path: str) -> bool:
        """Whether a path lies in the project or at home."""
        return self.here()[1].names(path)

    async def files(self, _: Request) -> Response:
        """Every path that was looked at."""
        return await self._kept("files", lambda: looked_at(*self.here()))

    async def check(self, _: Request) -> Response:
        """What is wrong."""
        return await self._kept("check", lambda: page_findings(*self.here()))

    async def agents(self, request: Request) -> Response:
        """What agents read."""
        given = request.query_params.getlist("touching")
        if len(given) > 1:
            raise RefusedError(problem_of("invalid", "touching: it is given twice. Give one path.", "touching"))
        everyone = _switch(request, "all")
        path = given[0] if given else ""
        return await self._kept(("agents", path, everyone), lambda: self._agents(path, everyone))

    def _agents(self, path: str, everyone: bool) -> Frozen:
        behind, roots = self.here()
        return agents_here(behind, touched_path(behind, roots, path), everyone=everyone)

    async def file(self, request: Request) -> Response:
        """One file, by its id: as it is now, and so never remembered."""
        id = request.path_params["id"]
        if not ID.fullmatch(id):
            raise no_file(f"{id!r:.40} is no id of a file. GET /page/files lists them.")
        async with self.turns.turn():
            path = await self._path_of(id)
            return _json(await self.turns.work(partial(_encoded, lambda: file_view(*self.here(), id, path))))

    async def _path_of(self, id: str) -> str:
        """The path of a file that was looked at, or else of one that a finding leads to."""
        for name, ids in (("read", files_to_show), ("wrong", files_found_wrong)):
            known = await self.remembered.give(name, partial(self._ids, ids))
            if id in known:
                return known[id]
        for view in self.views:
            if path := view.path_of(id):
                return path
        raise no_file(f"There is no file {id} here, or not any more. GET /page/files lists them.")

    def _ids(self, ids: Callable[[Behind, Roots], dict[str, str]]) -> dict[str, str]:
        with refusing("project"):
            return ids(*self.here())

    async def _kept(self, asked: Hashable, make: Callable[[], Frozen]) -> Response:
        async with self.turns.turn():
            return _json(await self.remembered.give(asked, partial(_encoded, make)))


def _switch(request: Request, name: str) -> bool:
    """Whether `name=1` is given; anything but 0 and 1 is a slip."""
    given = request.query_params.get(name, "0")
    if given not in ("0", "1"):
        raise RefusedError(problem_of("invalid", f"{name}: {given!r:.40} is neither 0 nor 1.", name))
    return given == "1"


def _encoded(make: Callable[[], Frozen]) -> bytes:
    with refusing("project"):
        made = make()
    return encode_json(made)


def _json(body: bytes) -> Response:
    return Response(body, 200, None, "application/json")
