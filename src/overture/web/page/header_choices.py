"""Lists what the header of the page offers (agents, recipes, models) and keeps what each browser tab chooses."""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...agents.agents_in_use import find_used_agents
from ...known_agents import AGENTS, agent_facts
from ...model.struct import Frozen, note
from ..service.answers import OfferedRecipes
from ..service.problems import RefusedError, problem_of, refusing
from .live_page import LivePage

MAX_MODEL_LENGTH = 200
MAX_TABS = 32
"""Tabs with a choice of their own; each has a session and a thread that follows files."""
TAB_ID = re.compile("[0-9a-f]{8,32}")

MakeRoutes = Callable[[LivePage], Sequence[Route]]


class PromptChoice(Frozen, frozen=True):
    """What a reader chose."""

    recipe: Annotated[str, note("the name of an agent or a recipe")]
    model: Annotated[str | None, note("null: the model of the state, or the provider's default")] = None


class ChoosableRecipe(Frozen, frozen=True, omit_defaults=False):
    """An agent or a recipe that the page can show."""

    name: str
    title: str


class PromptChoices(Frozen, frozen=True, omit_defaults=False):
    """What can be chosen, and what is."""

    likely: Annotated[tuple[ChoosableRecipe, ...], note("agents that are used or likely here, the likeliest first")]
    agents: Annotated[tuple[ChoosableRecipe, ...], note("the other agents")]
    recipes: tuple[ChoosableRecipe, ...]
    models: tuple[str, ...]
    model: Annotated[str | None, note("the model that was chosen")]


def list_choices(live: LivePage, offer: OfferedRecipes) -> PromptChoices:
    """Everything that the header offers."""
    likely = list(find_used_agents(live.project))
    own = [name for name in offer.names if name not in AGENTS]
    models = sorted({name for vendor in live.models.providers.values() for name in vendor.models})
    agents = {name: ChoosableRecipe(name, agent_facts(name).title) for name in AGENTS}
    return PromptChoices(
        tuple(agents.pop(name) for name in likely),
        tuple(agents.values()),
        tuple(ChoosableRecipe(name, name) for name in own),
        tuple(models),
        live.model,
    )


class TabPage(NamedTuple):
    """The page of a tab, and what answers for it, by path."""

    live: LivePage
    routes: dict[str, Route]


class PageTabs:
    """The pages by the id that the script of a tab sends with each request. Any thread may ask."""

    def __init__(self, shared: LivePage, make_routes: MakeRoutes) -> None:
        """Begin with the page that all tabs share until one chooses another in the header."""
        self._make_routes = make_routes
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, TabPage] = OrderedDict()
        self._shared = self._make_page(shared)

    def _make_page(self, live: LivePage) -> TabPage:
        """The page of a tab, or the shared one."""
        return TabPage(live, {each.path: each for each in self._make_routes(live)})

    def routes(self) -> list[Route]:
        """The routes of the shared page, each of which answers for every tab."""
        return [
            Route(path, self._dispatch(path), methods=sorted(each.methods or ()))
            for path, each in self._shared.routes.items()
        ]

    def choose(self, tab: str | None, recipe: str, model: str | None) -> LivePage:
        """Show another agent, recipe or model in this tab alone."""
        if tab is None or not TAB_ID.fullmatch(tab):
            raise RefusedError(problem_of("invalid", f"tab: {tab!r:.40} is not the id of a browser tab.", "tab"))
        live = self._find(tab).live
        if live is not self._shared.live:
            live.choose(recipe, model)
            return live
        self._make_room()
        live = self._shared.live.fork()
        live.choose(recipe, model)
        self._add(tab, self._make_page(live))
        live.start()
        return live

    def _make_room(self) -> None:
        """Drops the oldest closed tab, if there are too many."""
        with self._lock:
            if len(self._pages) < MAX_TABS:
                return
            closed = next((name for name, each in self._pages.items() if not each.live.history.listening), None)
            if closed is None:
                raise RefusedError(problem_of("busy", "Too many tabs of this page are open. Close some."))
            gone = self._pages.pop(closed)
        self._shared.live.end_fork(gone.live)

    def _add(self, tab: str, page: TabPage) -> None:
        """Keep the page of a browser tab in place of the tab's earlier one."""
        with self._lock:
            before, self._pages[tab] = self._pages.get(tab), page
        if before is not None:  # a double click
            self._shared.live.end_fork(before.live)

    def _find(self, tab: str | None) -> TabPage:
        """The page of a tab. One that chose nothing, and one that the server does not know, has the shared one."""
        with self._lock:
            if tab is None or tab not in self._pages:
                return self._shared
            self._pages.move_to_end(tab)
            return self._pages[tab]

    def _dispatch(self, path: str) -> Callable[[Request], object]:
        """A handler that answers for the page of the tab that asks."""

        async def handle(request: Request) -> Response:
            answer: Response = await self._find(request.query_params.get("tab")).routes[path].endpoint(request)
            return answer

        return handle


def choose_prompt(tabs: PageTabs, tab: str | None, offer: OfferedRecipes, choice: PromptChoice) -> PromptChoices:
    """Show what was chosen, from now on and in every view of this browser tab."""
    with refusing("recipe"):
        offer.recipe(choice.recipe)
    live = tabs.choose(tab, choice.recipe, (choice.model or "")[:MAX_MODEL_LENGTH] or None)
    return list_choices(live, offer)
