"""The view of recorded calls on the page: its routes, and a search through them."""

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated

from starlette.requests import Request
from starlette.routing import Route

from ...known_models.model_facts import TableForm
from ...model.struct import Frozen, note
from ...web.page.page_events import PageEvents
from ...web.service.problems import RefusedError, problem_of
from ...web.service.read_request import RequestQueue, make_get_handler, read_number
from ..commands.choose_store_and_calls import find_store
from ..store.find_calls import Where
from ..store.stored_calls import StoredCall
from .call_contents import load_messages, load_request, load_tools
from .judge_run import CallFilter
from .page_answers import CallsPage

BATCH_SIZE = 200
"""Calls between two looks at the clock."""
SEARCH_SECONDS, MAX_FOUND_CALLS = 5.0, 100
"""After so long, or so many matches, the search returns with its position."""
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
    results: list[FoundCall] = []
    looked = min(after, len(calls))
    while looked < len(calls) and len(results) < MAX_FOUND_CALLS:
        some = calls[looked : looked + BATCH_SIZE]
        positions = page.stored_calls.search(some, words, EXCERPT_MARGIN)
        for head, at in ((call.head, positions[call.id]) for call in some if call.id in positions):
            results.append(FoundCall(head.id, head.at, head.model, head.program, at.where, at.name, at.excerpt))
        looked += len(some)
        if time.monotonic() > end:
            break
    return SearchAnswer(tuple(results), looked, len(calls), skipped)


MAX_QUERY_LENGTH = 200
"""Characters of an id, and of words that are looked for."""
MAX_ANSWERED_CALLS = 2_000
"""Calls in one answer."""


Side = Callable[[StoredCall], object]
SIDES: dict[str, Side] = {
    "messages": load_messages,
    "tools": load_tools,
    "request": load_request,
}
"""By their names in an address."""


class CallsView:
    """The recorded calls as a view of the page."""

    def __init__(self, calls: CallsPage) -> None:
        self.calls = calls

    def start(self, events: PageEvents) -> None:
        """Notify browsers of new calls from now on."""
        self.calls.start(events)

    def end(self) -> None:
        """Stop following the store."""
        self.calls.end()

    def allow_files(self, may_show: Callable[[str], bool]) -> None:
        """Learn which files behind a call the page may show."""
        self.calls.files.may_show = may_show

    def find_file_path(self, id: str) -> str | None:
        """The path of a file behind a call, by the id in its route."""
        return self.calls.files.paths_by_id.get(id)

    def routes(self, turns: RequestQueue) -> list[Route]:
        """The routes, for a router behind the guard."""
        calls, make = self.calls, partial(make_get_handler, turns=turns, where="store")
        return [
            Route("/page/calls", make(partial(_list_calls, calls))),
            Route("/page/search", make(partial(_search_calls, calls))),
            Route("/page/call/{id}", make(lambda request: calls.make_details(_read_id(request)))),
            Route("/page/call/{id}/changes", make(lambda request: calls.find_changes(_read_id(request)))),
            Route("/page/call/{id}/prompt", make(lambda request: calls.make_prompt(_read_id(request)))),
            *(
                Route(f"/page/call/{{id}}/{name}", make(partial(_read_side, calls, side)))
                for name, side in SIDES.items()
            ),
        ]


def open_view(store: str | None, cwd: str | None, home: str | None, models: TableForm) -> CallsView:
    """The view of the store that is named, or of the project's own."""
    return CallsView(CallsPage(find_store(store, cwd), models, home))


def _read_id(request: Request) -> str:
    return str(request.path_params["id"])[:MAX_QUERY_LENGTH]


def _read_side(calls: CallsPage, side: Side, request: Request) -> object:
    """Answer a route of one call: its messages, tools or request."""
    return side(calls.find_call(_read_id(request)))


def _search_calls(calls: CallsPage, request: Request) -> object:
    words = request.query_params.get("words", "")
    if not words.strip():
        raise RefusedError(problem_of("invalid", "words: empty. Pass the words to search for.", "words"))
    if len(words) > MAX_QUERY_LENGTH:
        message = f"words: {len(words)} characters are too many. Pass at most {MAX_QUERY_LENGTH}."
        raise RefusedError(problem_of("invalid", message, "words"))
    return search_calls(calls, words, read_number(request, "after") or 0)


def _list_calls(calls: CallsPage, request: Request) -> object:
    run = request.query_params.get("run")
    wanted = CallFilter(
        read_number(request, "conversation"),
        min(read_number(request, "most") or CallFilter().limit, MAX_ANSWERED_CALLS),
    )
    return calls.list_calls(run[:MAX_QUERY_LENGTH] if run else None, wanted)
