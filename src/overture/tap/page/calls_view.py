"""The routes of what the tap has recorded: /page/calls, a search through them, and of one call all that is known."""

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...model.struct import encode_json
from ...web.guard.limits import Turns
from ...web.page.history import History
from ...web.page.views import ViewOptions
from ...web.service.problems import RefusedError, problem_of, refusing
from ..show.which_store import where
from .call_list import Wanted
from .calls_page import CallsPage
from .search_calls import search_calls
from .sides_of_call import SIDES, Side

LONGEST = 200
"""Characters of an id, and of words that are looked for."""
MOST = 2_000
"""Calls in one answer."""


class CallsView:
    """The recorded calls as a view of the page."""

    def __init__(self, calls: CallsPage) -> None:
        self.calls = calls

    def start(self, history: History) -> None:
        """Tell browsers of new calls from here on."""
        self.calls.start(history)

    def end(self) -> None:
        """Follow the store no more."""
        self.calls.end()

    def allow_files(self, may_show: Callable[[str], bool]) -> None:
        """Learn which files behind a call the page may show."""
        self.calls.files.may_show = may_show

    def path_of(self, id: str) -> str | None:
        """The path of a file behind a call."""
        return self.calls.files.known.get(id)

    def routes(self, turns: Turns) -> list[Route]:
        """The routes, for a router behind the guard."""
        calls = self.calls
        return [
            Route("/page/calls", _asked(partial(_list, calls), turns)),
            Route("/page/search", _asked(partial(_search, calls), turns)),
            Route("/page/call/{id}", _asked(lambda request: calls.details(_id(request)), turns)),
            Route("/page/call/{id}/changes", _asked(lambda request: calls.changes(_id(request)), turns)),
            Route("/page/call/{id}/prompt", _asked(lambda request: calls.prompt(_id(request)), turns)),
            *(
                Route(f"/page/call/{{id}}/{name}", _asked(partial(_side, calls, side), turns))
                for name, side in SIDES.items()
            ),
        ]


def open_view(options: ViewOptions) -> CallsView:
    """The view of the store that is named, or of the project's own."""
    return CallsView(CallsPage(where(options.store, options.cwd), options.models, options.home))


def _asked(make: Callable[[Request], object], turns: Turns) -> Callable[[Request], Awaitable[Response]]:
    """An answer that is made on a thread."""

    async def handle(request: Request) -> Response:
        async with turns.turn():
            body = await turns.work(lambda: encoded(make, request))
        return Response(body, 200, None, "application/json")

    return handle


def encoded(make: Callable[[Request], object], request: Request) -> bytes:
    """The answer as JSON; halves of characters, which programs may send, become U+FFFD."""
    with refusing("store"):
        made = make(request)
    return encode_json(made)


def _id(request: Request) -> str:
    return str(request.path_params["id"])[:LONGEST]


def _side(calls: CallsPage, side: Side, request: Request) -> object:
    return side(calls.call(_id(request)))


def _search(calls: CallsPage, request: Request) -> object:
    words = request.query_params.get("words", "")
    if not words.strip():
        raise RefusedError(problem_of("invalid", "words: empty. Give the words that a call holds.", "words"))
    if len(words) > LONGEST:
        said = f"words: {len(words)} characters are too many. Give {LONGEST} at most."
        raise RefusedError(problem_of("invalid", said, "words"))
    return search_calls(calls, words, _number(request, "after") or 0)


def _list(calls: CallsPage, request: Request) -> object:
    run = request.query_params.get("run")
    wanted = Wanted(_number(request, "talk"), min(_number(request, "most") or Wanted().most, MOST))
    return calls.answer(run[:LONGEST] if run else None, wanted)


def _number(request: Request, name: str) -> int | None:
    given = request.query_params.get(name)
    if given is None:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) < 8):
        raise RefusedError(problem_of("invalid", f"{name}: {given!r:.40} is no number.", name))
    return int(given)
