"""Views that products add to the page: each brings its routes, and is loaded by its name when the page is opened."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol

from starlette.routing import Route

from ...known_models.model_facts import TableForm
from ..service.limits import RequestQueue
from .turn_history import TurnHistory

VIEWS = {"calls": "overture.tap.page.calls_routes"}
"""The modules whose `open_view` makes a view of the page."""


class ViewOptions(NamedTuple):
    """What the command line says of the views."""

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
        """Tell browsers of what is new from here on."""
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
    """Every view, open; none is started yet."""
    return [import_module(module).open_view(options) for module in VIEWS.values()]
