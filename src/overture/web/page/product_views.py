"""Views that products add to the page: each adds its routes, and is loaded by its name when the page is opened."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol

from starlette.routing import Route

from ...known_models.model_facts import TableForm
from ..service.limit_requests import RequestQueue
from .turn_history import TurnHistory

VIEWS = {"calls": "overture.tap.page.routes_and_search"}
"""The modules whose `open_view` makes a view of the page."""


class ViewOptions(NamedTuple):
    """The options of the command line for the views."""

    store: str | None
    """The store of calls; None: the project's own."""
    cwd: str | None
    home: str | None
    models: TableForm


class PageView(Protocol):
    """A view, open."""

    def routes(self, turns: RequestQueue) -> list[Route]:
        """What its part of the page asks for."""
        ...

    def start(self, history: TurnHistory) -> None:
        """Sends new events to browsers from here on."""
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


def open_views(options: ViewOptions) -> Sequence[PageView]:
    """Opens every view of the product on the page, without starting it."""
    return [import_module(module).open_view(options) for module in VIEWS.values()]
