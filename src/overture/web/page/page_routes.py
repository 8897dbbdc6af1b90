"""The routes of the page: which function answers for sheets, turns, play, copy and events."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from ...report.sheet.sheet import SheetDetails
from ..make_bundle import PAGE_VIEWS
from ..service.answers import OfferedRecipes
from ..service.limit_requests import RequestQueue
from ..service.problems import RefusedError, problem_of
from ..service.read_request import decode_request, make_get_handler, make_post_handler, read_number
from .copy_prompt import CopyWishes, answer_copy
from .draw_sheet import draw_sheet
from .event_stream import events
from .header_choices import PageTabs, PromptChoice, choose_prompt, list_choices
from .live_page import LivePage
from .product_views import PageView
from .report_routes import report_routes
from .serve_and_save_page import static_routes
from .simulate_prompt import Simulator, Wishes, hidden
from .turn_history import TurnHistory, diff_turns, get_turn


def answer_play(player: Simulator, changes: Wishes) -> dict[str, Any]:
    """The prompt with these wishes, drawn."""
    prompt, simulated = player.play(changes)
    live = player.live
    shown = live.history.turn()
    details = SheetDetails(shown.sheet.turn, shown.sheet.at, shown.sheet.broken) if shown else SheetDetails()
    return {"sheet": draw_sheet(prompt, live.place, live.models, details.with_looks(simulated.looked)).sheet}


SHEET = "/page/sheet"
"""What every view begins with."""
TURN = "the number of a turn"


def page_routes(
    live: LivePage, offer: OfferedRecipes, turns: RequestQueue, views: Sequence[PageView] = (), *, token: bool = False
) -> list[Route]:
    """The page and all that it asks for, with the routes of its views. With a token only the script can ask."""
    added = [route for view in views for route in view.routes(turns)]
    menu = [name for name in PAGE_VIEWS if name != "calls" or views]
    early = "" if token else SHEET
    tabs = PageTabs(live, lambda live: make_project_routes(live, offer, turns, views))

    def choose(request: Request, body: bytes) -> object:
        return choose_prompt(tabs, request.query_params.get("tab"), offer, decode_request(body, PromptChoice))

    choosing = Route("/page/choose", make_post_handler(choose, turns), methods=["POST"])
    return [*static_routes(menu, early), *tabs.routes(), choosing, *added]


def make_project_routes(
    live: LivePage, offer: OfferedRecipes, turns: RequestQueue, views: Sequence[PageView]
) -> list[Route]:
    """What the page of one project answers."""
    player = Simulator(live)
    playing = make_post_handler(lambda _, body: answer_play(player, decode_request(body, Wishes)), turns)
    copying = make_post_handler(lambda _, body: answer_copy(player, decode_request(body, CopyWishes)), turns)
    return [
        *make_history_routes(live, turns),
        Route("/page/state", make_get_handler(partial(_answer_state, live), turns)),
        Route("/page/choices", make_get_handler(lambda _: list_choices(live, offer), turns)),
        Route("/page/play", playing, methods=["POST"]),
        Route("/page/copy", copying, methods=["POST"]),
        *report_routes(live, turns, views, shared=live.history.parent is None),
    ]


def make_history_routes(live: LivePage, turns: RequestQueue) -> list[Route]:
    """The routes of a page's history, of any source."""

    def answer_sheet(request: Request) -> object:
        number = read_number(request, "turn", TURN)
        return get_turn(wait_for_history(live), number, "turn").sheet

    def answer_turns(_: Request) -> object:
        history = wait_for_history(live)
        return {"turns": history.rows, "live": history.live, "title": history.title, "follows": live.follows}

    def answer_diff(request: Request) -> object:
        history = wait_for_history(live)
        return diff_turns(history, live.models, read_number(request, "a", TURN), read_number(request, "b", TURN))

    return [
        Route(SHEET, make_get_handler(answer_sheet, turns)),
        Route("/page/turns", make_get_handler(answer_turns, turns)),
        Route("/page/diff", make_get_handler(answer_diff, turns)),
        Route("/page/events", partial(events, live.history)),
    ]


def wait_for_history(live: LivePage) -> TurnHistory:
    """The history, once there is something in it."""
    if not live.history.ready.wait(live.patience):
        raise RefusedError(problem_of("not-ready", live.waits_for), {"Retry-After": "1"})
    return live.history


def _answer_state(live: LivePage, _: Request) -> dict[str, Any]:
    """The route of what Play begins with."""
    state = live.background().prompt.state
    return {
        "state": hidden(state),
        "tools": [{"name": tool.name, "description": tool.description} for tool in state.tools],
        "skills": [{"name": skill.name, "description": skill.description} for skill in state.skills],
    }
