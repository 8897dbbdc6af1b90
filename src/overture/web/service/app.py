"""The service as an ASGI application: routes, from the table of endpoints."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from ...report.compare import list_recipes
from ...version import __version__
from ..guard.guarded import Guarded
from ..guard.limits import Turns
from ..guard.log import Log
from ..guard.read_body import body_of
from ..guard.strangers import Door
from ..page.page_routes import Page, page_routes
from ..page.views import PageView
from .endpoints import ENDPOINTS, Endpoint, answer
from .offered_recipes import Offer
from .open_api import document

Handler = Callable[[Request], Awaitable[Response]]


def service(
    offer: Offer, door: Door, turns: Turns, log: Log = Log(), page: Page | None = None,  # noqa: B008  it holds nothing
    views: Sequence[PageView] = (),
) -> Guarded:  # fmt: skip
    """All that is answered, behind the guard; with a page, also what its browser asks for, and its views."""
    about = partial(document, offer, token=door.token is not None)
    routes = [Route(each.path, _posted(each, offer, turns), methods=["POST"]) for each in ENDPOINTS]
    routes += [
        Route("/v1/recipes", _kept(lambda: list_recipes(offer.all), turns)),
        Route("/openapi.json", _kept(about, turns)),
        Route("/health", _healthy),
    ]
    routes += page_routes(page, offer, turns, views) if page is not None else []
    return Guarded(Router(routes, redirect_slashes=False), door, log)


def _posted(endpoint: Endpoint, offer: Offer, turns: Turns) -> Handler:
    async def handle(request: Request) -> Response:
        async with body_of(request, turns) as body, turns.turn():
            made = await turns.work(partial(answer, endpoint, offer, body))
        return _json(made.body, made.headers)

    return handle


def _kept(make: Callable[[], object], turns: Turns) -> Handler:
    """What is the same for as long as the service runs, made when it is first asked for."""
    made: list[bytes] = []

    async def handle(_: Request) -> Response:
        if not made:
            made.append(await turns.work(lambda: msgspec.json.encode(make())))
        return _json(made[0])

    return handle


async def _healthy(_: Request) -> Response:
    return _json(msgspec.json.encode({"status": "ok", "version": __version__}))


def _json(body: bytes, headers: dict[str, str] | None = None) -> Response:
    return Response(body, 200, headers, "application/json")
