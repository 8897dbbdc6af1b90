"""What the page's browser asks for, and where: sheets, turns, play, and news."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...model.struct import encode_json
from ..attach.attached_page import AttachedPage, refused_routes
from ..guard.limits import Turns
from ..guard.read_body import body_of
from ..play.hidden_keys import hidden
from ..play.played import Player
from ..play.wishes import CopyWishes, Wishes
from ..reports.behind import Behind
from ..service.offered_recipes import Offer
from ..service.problems import RefusedError, problem_of
from ..service.read_request import read_request
from .events import events
from .history import History
from .live_page import LivePage
from .page_answers import copied, played
from .page_reports import report_routes
from .static_files import static_routes
from .turns import difference, kept, listed
from .views import PageView

Handler = Callable[[Request], Awaitable[Response]]
Page = LivePage | AttachedPage


def page_routes(live: Page, offer: Offer, turns: Turns, views: Sequence[PageView] = ()) -> list[Route]:
    """The page and all that it asks for, with the routes of its views."""
    added = [route for view in views for route in view.routes(turns)]
    if isinstance(live, AttachedPage):
        return [*told_routes(live, turns), *added, *refused_routes(turns)]
    player = Player(live, offer)
    return [
        *told_routes(live, turns),
        Route("/page/state", asked(partial(_state, live, offer), turns)),
        Route("/page/play", _posted(lambda body: played(player, read_request(body, Wishes)), turns), methods=["POST"]),
        Route("/page/copy", _posted(lambda body: copied(player, read_request(body, CopyWishes)), turns),
              methods=["POST"]),
        *report_routes(Newest(live), turns, views),
        *added,
    ]  # fmt: skip


def told_routes(live: Page, turns: Turns) -> list[Route]:
    """The page itself, and what its history answers, wherever that comes from."""
    return [
        *static_routes(),
        Route("/page/sheet", asked(partial(_sheet, live), turns)),
        Route("/page/turns", asked(partial(_turns, live), turns)),
        Route("/page/diff", asked(partial(_diff, live), turns)),
        Route("/page/events", partial(events, live.history)),
    ]


class Newest:
    """What lies behind the newest turn, for those who report on its files."""

    def __init__(self, live: LivePage) -> None:
        self.live = live

    @property
    def version(self) -> int:
        """Another number after every look at the files."""
        return self.live.now.version

    def behind(self) -> Behind:
        """Its prompt, what was found for it, and its project."""
        now = self.live.now
        return Behind(now.prompt, structs.replace(now.found, looked_at=now.looked), now.settled)


def asked(make: Callable[[Request], object], turns: Turns) -> Handler:
    """An answer to a question without a body, made on a thread."""

    async def handle(request: Request) -> Response:
        async with turns.turn():
            body = await turns.work(lambda: encode_json(make(request)))
        return Response(body, 200, None, "application/json")

    return handle


def _posted(make: Callable[[bytes], object], turns: Turns) -> Handler:
    async def handle(request: Request) -> Response:
        async with body_of(request, turns) as given, turns.turn():
            body = await turns.work(lambda: encode_json(make(given)))
        return Response(body, 200, None, "application/json")

    return handle


def number_of(request: Request, name: str) -> int | None:
    """The number of a turn in a query; None where none is named."""
    given = request.query_params.get(name)
    if given is None:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) < 10):
        raise RefusedError(problem_of("invalid", f"{name}: {given!r:.40} is no number of a turn.", name))
    return int(given)


def _sheet(live: Page, request: Request) -> object:
    number = number_of(request, "turn")
    return kept(begun(live), number, "turn").sheet


def _turns(live: Page, _: Request) -> object:
    return listed(begun(live), follows=live.follows)


def _diff(live: Page, request: Request) -> object:
    return difference(begun(live), live.models, number_of(request, "a"), number_of(request, "b"))


def begun(live: Page) -> History:
    """The history, once there is something in it."""
    if not live.history.ready.wait(live.patience):
        raise RefusedError(problem_of("busy", live.waits_for), {"Retry-After": "1"})
    return live.history


def _state(live: LivePage, offer: Offer, _: Request) -> dict[str, Any]:
    """What Play begins with."""
    prompt = live.now.prompt
    state = prompt.state
    return {
        "state": hidden(state),
        "recipe": prompt.recipe.name,
        "recipes": [{"name": each.name, "about": each.about} for each in offer.all],
        "models": sorted({name for vendor in live.models.providers.values() for name in vendor.models}),
        "tools": [{"name": tool.name, "description": tool.description} for tool in state.tools],
        "skills": [{"name": skill.name, "description": skill.description} for skill in state.skills],
    }
