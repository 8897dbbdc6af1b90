"""The routes of the page: sheets, turns, events, what the header offers, and reports on files and agents."""

import re
from collections.abc import Callable
from typing import Annotated, Protocol

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from ...agents.agent_project import agents_in
from ...agents.table import ask
from ...known_agents import AGENTS, agent_facts
from ...model.struct import Frozen, note
from ..make_bundle import PAGE_VIEWS
from ..service.answers import OfferedRecipes
from ..service.problems import RefusedError, problem_of, refusing
from ..service.read_request import RequestQueue, make_get_handler, read_number
from .check_and_agents_answers import find_files_with_findings, page_findings, report_agents_here, touched_path
from .live_page import Choice, LivePage, LivePrompt
from .page_events import PageEvents
from .prompt_files import FileText, file_view, files_to_show, looked_at, no_file
from .serve_and_save_page import static_routes

TURN = "the number of a turn"
FILE_ID = re.compile("[0-9a-f]{12}")
MAX_MODEL_LENGTH = 200
MAX_STREAMS = 100
"""Browsers that listen at once."""


class PageView(Protocol):
    """A view that another product adds to the page."""

    def routes(self, turns: RequestQueue) -> list[Route]:
        """What its part of the page asks for."""
        ...

    def start(self, events: PageEvents) -> None:
        """Send events to browsers from here on."""
        ...

    def end(self) -> None:
        """Follow nothing any more."""
        ...

    def allow_files(self, may_show: Callable[[str], bool]) -> None:
        """Learn which files the page may show."""
        ...

    def find_file_path(self, id: str) -> str | None:
        """The path of a file that the view has named by this id."""
        ...


class ChoosableRecipe(Frozen, frozen=True, omit_defaults=False):
    """An agent or a recipe that the page can show."""

    name: str
    title: str


class PromptChoices(Frozen, frozen=True, omit_defaults=False):
    """What the header offers."""

    likely: Annotated[tuple[ChoosableRecipe, ...], note("agents that are used or likely here, the likeliest first")]
    agents: Annotated[tuple[ChoosableRecipe, ...], note("the other agents")]
    recipes: tuple[ChoosableRecipe, ...]
    models: tuple[str, ...]


def list_choices(live: LivePage, offer: OfferedRecipes) -> PromptChoices:
    """Everything that the header offers."""
    likely = ask(agents_in(live.project)).names
    own = [name for name in offer.names if name not in AGENTS]
    models = sorted({name for vendor in live.models.providers.values() for name in vendor.models})
    agents = {name: ChoosableRecipe(name, agent_facts(name).title) for name in AGENTS}
    return PromptChoices(
        tuple(agents.pop(name) for name in likely),
        tuple(agents.values()),
        tuple(ChoosableRecipe(name, name) for name in own),
        tuple(models),
    )


def page_routes(
    live: LivePage, offer: OfferedRecipes, turns: RequestQueue, calls: PageView | None = None
) -> list[Route]:
    """The page and all that it asks for. Each request names the agent and the model that it is about."""
    routes = PageRoutes(live, offer, calls)
    if calls is not None:
        calls.allow_files(live.roots.names)
    answers = {
        "sheet": routes.sheet, "turns": routes.turns, "diff": routes.diff, "choices": routes.choices,
        "files": routes.files, "file/{id}": routes.file, "check": routes.check, "agents": routes.agents,
    }  # fmt: skip
    return [
        *static_routes([name for name in PAGE_VIEWS if name != "calls" or calls]),
        *(Route(f"/page/{path}", make_get_handler(make, turns, "project")) for path, make in answers.items()),
        Route("/page/events", routes.stream_events(turns)),
        *(calls.routes(turns) if calls is not None else ()),
    ]


class PageRoutes:
    """What the page of a project answers; each request is answered on a thread."""

    def __init__(self, live: LivePage, offer: OfferedRecipes, calls: PageView | None) -> None:
        """Answer for a page, and for the view of calls on it."""
        self.live, self.offer, self.calls = live, offer, calls

    def find_prompt(self, request: Request) -> LivePrompt:
        """The prompt that a request is about."""
        recipe = request.query_params.get("recipe") or None
        if recipe is not None and recipe != self.live.project.recipe.name:
            with refusing("recipe"):
                self.offer.recipe(recipe)
        return self.live.prompt(Choice(recipe, request.query_params.get("model", "")[:MAX_MODEL_LENGTH] or None))

    def sheet(self, request: Request) -> object:
        """The prompt as a sheet."""
        turn, budget = read_number(request, "turn", TURN), read_number(request, "budget", "a number of tokens")
        return self.find_prompt(request).sheet(turn, budget)

    def turns(self, request: Request) -> object:
        """The turns since the page was opened."""
        prompt = self.find_prompt(request)
        prompt.look()
        return {"turns": prompt.history.rows}

    def diff(self, request: Request) -> object:
        """How two turns differ."""
        prompt = self.find_prompt(request)
        prompt.look()
        return prompt.history.diff(self.live.models, read_number(request, "a", TURN), read_number(request, "b", TURN))

    def choices(self, _: Request) -> object:
        """What the header offers."""
        return list_choices(self.live, self.offer)

    def files(self, request: Request) -> object:
        """Every path that was looked at."""
        return looked_at(self.find_prompt(request).look(), self.live.roots)

    def check(self, request: Request) -> object:
        """What is wrong."""
        return page_findings(self.find_prompt(request).look(), self.live.roots)

    def agents(self, request: Request) -> object:
        """What each agent reads."""
        background = self.find_prompt(request).look()
        switch = request.query_params.get("all", "0")
        if switch not in ("0", "1"):
            raise RefusedError(problem_of("invalid", f"all: {switch!r:.40} is neither 0 nor 1.", "all"))
        touched = touched_path(background, self.live.roots, request.query_params.get("touching", ""))
        return report_agents_here(background, touched, everyone=switch == "1")

    def file(self, request: Request) -> FileText:
        """One file, by its id, as it is now: one that was looked at, or that a finding or a call leads to."""
        id, roots = str(request.path_params["id"]), self.live.roots
        if not FILE_ID.fullmatch(id):
            raise no_file(f"{id!r:.40} is not the id of a file. Choose one in Files.")
        background = self.find_prompt(request).look()
        path = files_to_show(background, roots).get(id) or (self.calls and self.calls.find_file_path(id))
        path = path or find_files_with_findings(background, roots).get(id)
        if path is None:
            raise no_file(f"There is no file {id} here, or it was removed. Choose one in Files.")
        return file_view(background, roots, id, path)

    def stream_events(self, turns: RequestQueue) -> Callable[[Request], object]:
        """The stream of events about one prompt: it goes on until the browser goes away, or the service ends."""

        async def handle(request: Request) -> Response:
            events, headers = self.live.events, {"x-accel-buffering": "no"}
            if events.listening >= MAX_STREAMS:
                message = "Too many pages are open for this project. Close some."
                raise RefusedError(problem_of("busy", message), {"Retry-After": "5"})
            prompt = await turns.work(lambda: self._begin(request))
            if request.method == "HEAD":
                return Response(headers=headers, media_type="text/event-stream")
            stream = events.stream(prompt.choice, prompt.list_standing_events)
            return StreamingResponse(stream, headers=headers, media_type="text/event-stream")

        return handle

    def _begin(self, request: Request) -> LivePrompt:
        """The prompt that a browser begins to listen to, built."""
        with refusing("project"):
            prompt = self.find_prompt(request)
            prompt.look()
        return prompt
