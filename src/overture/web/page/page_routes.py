"""The routes of the page: sheets, turns, play, copy, and server-sent events."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ...discover.load_tokenizer import COUNTER_NAMES, find_counter
from ...known_models.model_facts import TableForm
from ...model.prompt.prompt import Prompt
from ...model.struct import encode_json
from ...providers.render import facts_for, list_native_tools, request
from ...providers.write.tools import order_tools
from ...report.cache.cache_report import CachedCounter
from ...report.sheet.compare_sheets import SheetDifference, compare_sheets, predict_cache_between
from ...report.sheet.sheet import Sheet, SheetDetails, SheetWithTools
from ...session.publish.draw_sheet import draw_sheet
from ...session.session import get_parts
from ..make_bundle import PAGE_VIEWS
from ..service.answers import OfferedRecipes
from ..service.limits import RequestQueue
from ..service.problems import RefusedError, problem_of, refusing
from ..service.read_request import make_get_handler, make_post_handler, read_number, read_request
from .attached_page import PROJECT_ROUTES, AttachedPage, refused_routes
from .copy_prompt import CopyWishes, PromptRecipe
from .header_choices import PageTabs, PromptChoice, choose_prompt, list_choices
from .live_page import LivePage
from .page_files import static_routes
from .report_routes import report_routes
from .simulate_prompt import SimulatedPrompt, Simulator, Wishes, hidden
from .turn_history import MAX_TURNS, Listener, PageEvent, TurnHistory
from .views import PageView

HEARTBEAT = 15.0
"""Seconds after which a stream on which nothing happens shows that it is alive."""
MAX_STREAMS = 600
"""Streams at once."""
FIRST_LINES = b"retry: 1000\n\n"
ALIVE_LINES = b": alive\n\n"


class EventStream(Response):
    """A stream of server-sent events: it goes on until the browser goes away, or the service ends.

    Nothing that other requests wait for is held meanwhile: no thread, and no place among those that are served.
    """

    media_type = "text/event-stream"

    def __init__(self, history: TurnHistory, heartbeat: float = HEARTBEAT) -> None:
        super().__init__(headers={"x-accel-buffering": "no"})
        del self.headers["content-length"]
        self.history, self.heartbeat = history, heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends events for as long as the client is connected."""
        begin = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        if scope["method"] == "HEAD":
            await send(begin)
            await send({"type": "http.response.body"})
            return
        with self.history.subscribe() as listener:
            await send(begin)
            sending = asyncio.ensure_future(self._send_events(listener, send))
            leaving = asyncio.ensure_future(_wait_for_disconnect(receive))
            try:
                await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (sending, leaving):
                    task.cancel()
                    with suppress(asyncio.CancelledError, OSError):
                        await task

    async def _send_events(self, listener: Listener, send: Send) -> None:
        body = FIRST_LINES
        while True:
            await send({"type": "http.response.body", "body": body, "more_body": True})
            try:
                event = await asyncio.wait_for(listener.events.get(), self.heartbeat)
            except TimeoutError:
                body = ALIVE_LINES
                continue
            if event.name == "end":
                break
            body = as_event(event)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def as_event(event: PageEvent) -> bytes:
    """`event: turn` and its data. JSON has no line break, so that nothing in it can begin another event."""
    return b"event: %s\ndata: %s\n\n" % (event.name.encode(), encode_json(event.data))


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def events(history: TurnHistory, _: Request) -> Response:
    """The stream, unless there are too many already."""
    if (history.parent or history).listening >= MAX_STREAMS:
        raise RefusedError(
            problem_of("busy", "Too many pages are open for this project. Close some."), {"Retry-After": "5"}
        )
    return EventStream(history)


def answer_play(player: Simulator, changes: Wishes) -> dict[str, Any]:
    """The prompt with these wishes, drawn; its state; and what makes it."""
    prompt, simulated = player.play(changes)
    by = _make_prompt_recipe(player, changes, simulated)
    sheet = _draw_simulated(player, changes, prompt, simulated).sheet
    return {
        "sheet": sheet,
        "state": simulated.state,
        "recipe": prompt.recipe.name,
        "command": by.command,
        "python": by.python,
    }


def _draw_simulated(player: Simulator, changes: Wishes, prompt: Prompt, simulated: SimulatedPrompt) -> SheetWithTools:
    live = player.live
    shown = live.history.turn()
    details = SheetDetails(shown.sheet.turn, shown.sheet.at, shown.sheet.broken) if shown else SheetDetails()
    details = details._replace(provider=changes.provider).with_looks(simulated.looked)
    return draw_sheet(prompt, live.place, live.models, details)


def answer_copy(player: Simulator, changes: CopyWishes) -> dict[str, str]:
    """The prompt in the form that is wanted, or what makes it."""
    prompt, simulated = player.play(changes)
    if changes.form == "text":
        return {"text": prompt.text}
    if changes.form in ("python", "command"):
        return {"text": getattr(_make_prompt_recipe(player, changes, simulated), changes.form)}
    if changes.form == "json":
        return {"text": _dump_indented(prompt.to_dict())}
    with refusing("state", "state"):
        tools = order_tools(list_native_tools(prompt), prompt.recipe)
        written = request(changes.form, prompt, (), tools, model=changes.model, models=player.live.models)[1]
    return {"text": _dump_indented(written.body)}


def _make_prompt_recipe(player: Simulator, changes: Wishes, simulated: SimulatedPrompt) -> PromptRecipe:
    live = player.live
    return PromptRecipe(
        simulated.overrides, get_parts(live.session).setup.settings, live.project.cwd, player.budget(changes)
    )


def _dump_indented(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def get_turn(history: TurnHistory, number: int | None, name: str) -> SheetWithTools:
    """A turn by its number, or the newest; one that is not there is a refusal."""
    shown = history.turn(number)
    if shown is None:
        message = f"Turn {number} is not available: the page has the newest {MAX_TURNS} turns since it was started."
        raise RefusedError(problem_of("not-found", message, name))
    return shown


def diff_turns(history: TurnHistory, models: TableForm, a: int | None, b: int | None) -> SheetDifference:
    """How turn `b` differs from turn `a`; without numbers, the newest from the one before it."""
    later = get_turn(history, b, "b")
    number = later.sheet.turn
    rows = history.rows
    earlier = get_turn(history, max(number - 1, rows[0].turn) if a is None else a, "a")
    price = later.sheet.price
    day = datetime.fromisoformat(later.sheet.at).date() if later.sheet.at else None
    facts = facts_for(price.provider, price.model, models, day)
    note = predict_cache_between(
        earlier, later, facts, make_sheet_counter(later.sheet), timed=history.live == "session"
    )
    updates = [each for row in rows if earlier.sheet.turn < row.turn <= number for each in row.changed]
    return compare_sheets(earlier.sheet, later.sheet, note, updates)


def make_sheet_counter(sheet: Sheet) -> CachedCounter:
    """The counter of a sheet; a custom counter is not here, and the best installed one replaces it."""
    return CachedCounter(find_counter(sheet.tokenizer if sheet.tokenizer in COUNTER_NAMES else None))


SHEET = "/page/sheet"
"""What every view begins with."""
TURN = "the number of a turn"
Page = LivePage | AttachedPage


def page_routes(
    live: Page, offer: OfferedRecipes, turns: RequestQueue, views: Sequence[PageView] = (), *, token: bool = False
) -> list[Route]:
    """The page and all that it asks for, with the routes of its views. With a token only the script can ask."""
    added = [route for view in views for route in view.routes(turns)]
    menu = [name for name in PAGE_VIEWS if name != "calls" or views]
    early = "" if token else SHEET
    if isinstance(live, AttachedPage):
        menu = [name for name in menu if name not in PROJECT_ROUTES]
        return [*static_routes(menu, early), *make_history_routes(live, turns), *added, *refused_routes(turns)]
    tabs = PageTabs(live, lambda live: make_project_routes(live, offer, turns, views))
    choosing = make_post_handler(
        lambda request, body: choose_prompt(
            tabs, request.query_params.get("tab"), offer, read_request(body, PromptChoice)
        ),
        turns,
    )
    return [
        *static_routes(menu, early),
        *tabs.routes(),
        Route("/page/choose", choosing, methods=["POST"]),
        *added,
    ]


def make_project_routes(
    live: LivePage, offer: OfferedRecipes, turns: RequestQueue, views: Sequence[PageView]
) -> list[Route]:
    """What the page of one project answers."""
    player = Simulator(live, offer)
    playing = make_post_handler(lambda _, body: answer_play(player, read_request(body, Wishes)), turns)
    copying = make_post_handler(lambda _, body: answer_copy(player, read_request(body, CopyWishes)), turns)
    return [
        *make_history_routes(live, turns),
        Route("/page/state", make_get_handler(partial(_answer_state, live, offer), turns)),
        Route("/page/choices", make_get_handler(lambda _: list_choices(live, offer), turns)),
        Route("/page/play", playing, methods=["POST"]),
        Route("/page/copy", copying, methods=["POST"]),
        *report_routes(live, turns, views, shared=live.history.parent is None),
    ]


def make_history_routes(live: Page, turns: RequestQueue) -> list[Route]:
    """The routes of a page's history, of any source."""
    return [
        Route(SHEET, make_get_handler(partial(_answer_sheet, live), turns)),
        Route("/page/turns", make_get_handler(partial(_answer_turns, live), turns)),
        Route("/page/diff", make_get_handler(partial(_answer_diff, live), turns)),
        Route("/page/events", partial(events, live.history)),
    ]


def _answer_sheet(live: Page, request: Request) -> object:
    number = read_number(request, "turn", TURN)
    return get_turn(wait_for_history(live), number, "turn").sheet


def _answer_turns(live: Page, _: Request) -> object:
    """All stored turns, oldest first; `follows`: whether edits are noticed."""
    history = wait_for_history(live)
    return {"turns": history.rows, "live": history.live, "title": history.title, "follows": live.follows}


def _answer_diff(live: Page, request: Request) -> object:
    return diff_turns(
        wait_for_history(live), live.models, read_number(request, "a", TURN), read_number(request, "b", TURN)
    )


def wait_for_history(live: Page) -> TurnHistory:
    """The history, once there is something in it."""
    if not live.history.ready.wait(live.patience):
        raise RefusedError(problem_of("busy", live.waits_for), {"Retry-After": "1"})
    return live.history


def _answer_state(live: LivePage, offer: OfferedRecipes, _: Request) -> dict[str, Any]:
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
