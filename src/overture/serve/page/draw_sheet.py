"""Prompt -> Sheet, for a project on this machine: its context, the price of its model, paths as people read them."""

from collections.abc import Sequence
from typing import NamedTuple

from ...known_models.model_facts import Facts, TableForm
from ...known_models.models_table import vendors_of
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Found, Look
from ...render.render import PROVIDERS, facts_for, sent_tools
from ...render.tools import tools_text
from ...report.page.make_sheet import Around, make_sheet
from ...report.page.turn_row import Shown
from ...session.turn.whole_context import context_of

UNSEEN = ("absent", "unreadable", "outside", "off", "unread", "waiting")
"""Outcomes of a look after which there is no text to show."""


class Place(NamedTuple):
    """Where a project lies."""

    cwd: str
    home: str

    def shown(self, path: str) -> str:
        """A path as a person reads it: from the working directory on, or `~/…`."""
        for folder, begin in ((self.cwd, ""), (self.home, "~/")):
            inside = f"{folder.rstrip('/')}/"
            if path.startswith(inside) and folder != "/":
                return begin + path[len(inside) :]
        return path


class Drawn(NamedTuple):
    """How a sheet is numbered and dated."""

    turn: int = 0
    at: str = ""
    broken: str | None = None
    least: int | None = None


def draw(
    prompt: Prompt, looked: Sequence[Look], place: Place, models: TableForm, drawn: Drawn, provider: str | None = None
) -> Shown:
    """Write a prompt down, with its tools beside it."""
    chosen = provider or provider_of(prompt, models)
    tools = tools_text(sent_tools(prompt))
    around = Around(
        context_of(prompt, None, models),
        facts_of_prompt(prompt, models, chosen),
        chosen,
        tools,
        place.cwd,
        place.shown,
        frozenset(look.path for look in looked if look.outside),
        frozenset(look.path for look in looked if look.outcome not in UNSEEN),
        drawn.turn,
        drawn.at,
        drawn.broken,
        drawn.least,
    )
    return Shown(make_sheet(prompt, around), tools)


def provider_of(prompt: Prompt, models: TableForm) -> str:
    """The form of request that the state's model takes; where nobody knows, that of Anthropic."""
    named = prompt.state.runtime.model if prompt.state.runtime else None
    vendors = vendors_of(models, named) if named else ()
    return next((form for form, vendor in PROVIDERS.items() if vendor in vendors), "anthropic")


def facts_of_prompt(prompt: Prompt, models: TableForm, provider: str) -> Facts:
    """Limits and prices of the state's model; without one, of the provider's default."""
    return facts_for(provider, prompt.state.runtime.model if prompt.state.runtime else None, models)


def looks(found: Found, more: Found | None = None) -> tuple[Look, ...]:
    """Every path that was looked at."""
    return (*found.looked_at, *(more.looked_at if more else ()))
