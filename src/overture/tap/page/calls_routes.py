"""The view of recorded calls on the page: its routes, and a search through them."""

import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...model.struct import Frozen, encode_json, note
from ...web.page.turn_history import TurnHistory
from ...web.page.views import ViewOptions
from ...web.service.limits import RequestQueue
from ...web.service.problems import RefusedError, problem_of, refusing
from ..commands.which_store import find_store
from ..store.search import Where, WordPosition
from ..store.stored_call import StoredCall
from .call_contents import SIDES, Side
from .call_list import CallFilter
from .calls_page import CallsPage

BATCH_SIZE = 200
"""Calls between two looks at the clock."""
SEARCH_SECONDS, MAX_FOUND_CALLS = 5.0, 100
"""After so long, or so many that were found, it is told how far it came."""
EXCERPT_MARGIN = 80
"""Characters that are shown on either side."""


class FoundCall(Frozen, frozen=True, omit_defaults=False):
    """A call that holds the words, and the first place where they stand."""

    id: str
    at: str
    model: str
    program: str
    where: Where
    name: Annotated[str, note("the name of a tool, or the role or kind of a message")]
    excerpt: str


class SearchAnswer(Frozen, frozen=True, omit_defaults=False):
    """What was found."""

    found: tuple[FoundCall, ...]
    looked: Annotated[int, note("calls searched so far, including earlier responses")]
    total: Annotated[int, note("calls that can be searched")]
    left_out: Annotated[int, note("calls in the store that are too old to search")]


def search_calls(page: CallsPage, words: str, after: int = 0, seconds: float = SEARCH_SECONDS) -> SearchAnswer:
    """Look through the calls behind the newest `after`, for so long at most."""
    end = time.monotonic() + seconds
    calls, skipped = page.list_newest()
    found: list[FoundCall] = []
    looked = min(after, len(calls))
    while looked < len(calls) and len(found) < MAX_FOUND_CALLS:
        some = calls[looked : looked + BATCH_SIZE]
        positions = page.stored_calls.search(some, words, EXCERPT_MARGIN)
        found += [_make_found_call(call, positions[call.id]) for call in some if call.id in positions]
        looked += len(some)
        if time.monotonic() > end:
            break
    return SearchAnswer(tuple(found), looked, len(calls), skipped)


def _make_found_call(call: StoredCall, position: WordPosition) -> FoundCall:
    head = call.head
    return FoundCall(head.id, head.at, head.model, head.program, position.where, position.name, position.excerpt)


MAX_QUERY_LENGTH = 200
"""Characters of an id, and of words that are looked for."""
MAX_ANSWERED_CALLS = 2_000
"""Calls in one answer."""


class CallsView:
    """The recorded calls as a view of the page."""

    def __init__(self, calls: CallsPage) -> None:
        self.calls = calls

    def start(self, history: TurnHistory) -> None:
        """Tell browsers of new calls from here on."""
        self.calls.start(history)

    def end(self) -> None:
        """Follow the store no more."""
        self.calls.end()

    def allow_files(self, may_show: Callable[[str], bool]) -> None:
        """Learn which files behind a call the page may show."""
        self.calls.files.may_show = may_show

    def find_file_path(self, id: str) -> str | None:
        """The path of a file behind a call."""
        return self.calls.files.paths_by_id.get(id)

    def routes(self, turns: RequestQueue) -> list[Route]:
        """The routes, for a router behind the guard."""
        calls = self.calls
        return [
            Route("/page/calls", _make_handler(partial(_list_calls, calls), turns)),
            Route("/page/search", _make_handler(partial(_search_calls, calls), turns)),
            Route("/page/call/{id}", _make_handler(lambda request: calls.make_details(_read_id(request)), turns)),
            Route(
                "/page/call/{id}/changes", _make_handler(lambda request: calls.find_changes(_read_id(request)), turns)
            ),
            Route("/page/call/{id}/prompt", _make_handler(lambda request: calls.make_prompt(_read_id(request)), turns)),
            *(
                Route(f"/page/call/{{id}}/{name}", _make_handler(partial(_read_side, calls, side), turns))
                for name, side in SIDES.items()
            ),
        ]


def open_view(options: ViewOptions) -> CallsView:
    """The view of the store that is named, or of the project's own."""
    return CallsView(CallsPage(find_store(options.store, options.cwd), options.models, options.home))


def _make_handler(make: Callable[[Request], object], turns: RequestQueue) -> Callable[[Request], Awaitable[Response]]:
    """An answer that is made on a thread."""

    async def handle(request: Request) -> Response:
        async with turns.acquire_slot():
            body = await turns.work(lambda: encode_answer(make, request))
        return Response(body, 200, None, "application/json")

    return handle


def encode_answer(make: Callable[[Request], object], request: Request) -> bytes:
    """The answer as JSON; halves of characters, which programs may send, become U+FFFD."""
    with refusing("store"):
        answer = make(request)
    return encode_json(answer)


def _read_id(request: Request) -> str:
    return str(request.path_params["id"])[:MAX_QUERY_LENGTH]


def _read_side(calls: CallsPage, side: Side, request: Request) -> object:
    return side(calls.find_call(_read_id(request)))


def _search_calls(calls: CallsPage, request: Request) -> object:
    words = request.query_params.get("words", "")
    if not words.strip():
        raise RefusedError(problem_of("invalid", "words: empty. Pass the words to search for.", "words"))
    if len(words) > MAX_QUERY_LENGTH:
        message = f"words: {len(words)} characters are too many. Pass at most {MAX_QUERY_LENGTH}."
        raise RefusedError(problem_of("invalid", message, "words"))
    return search_calls(calls, words, _read_number(request, "after") or 0)


def _list_calls(calls: CallsPage, request: Request) -> object:
    run = request.query_params.get("run")
    wanted = CallFilter(
        _read_number(request, "talk"), min(_read_number(request, "most") or CallFilter().limit, MAX_ANSWERED_CALLS)
    )
    return calls.list_calls(run[:MAX_QUERY_LENGTH] if run else None, wanted)


def _read_number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise RefusedError(problem_of("invalid", f"{name}: {text!r:.40} is not a number.", name))
    return int(text)
