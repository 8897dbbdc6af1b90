"""Prompt -> Sheet, on this machine: with its context, the price of its model, and paths as people read them."""

from collections.abc import Callable
from typing import NamedTuple

from ..known_models.model_facts import Facts, TableForm
from ..known_models.models_table import vendors_of
from ..model.message import Message
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Look
from ..providers.request.render import PROVIDERS, facts_for, sent_tools
from ..providers.request.tools import tools_text
from ..report.sheet.make_sheet import Around, make_sheet, renewed
from ..report.sheet.turn_row import Shown
from .turn.whole_context import context_of

UNSEEN = ("absent", "unreadable", "outside", "off", "unread", "waiting")
"""Outcomes of a look after which there is no text to show."""


class Place(NamedTuple):
    """Where a project lies."""

    cwd: str = ""
    shown: Callable[[str], str] = str
    """A path as a person reads it."""


class Drawn(NamedTuple):
    """How a sheet is numbered and dated, and what it stands beside."""

    turn: int = 0
    at: str = ""
    broken: str | None = None
    least: int | None = None
    """Tokens of the smallest form."""
    outside: frozenset[str] = frozenset()
    """Files from outside the repository."""
    files: frozenset[str] = frozenset()
    """Files that can be shown."""
    messages: tuple[Message, ...] | None = None
    """The conversation; None: as it would begin."""
    provider: str | None = None
    """Whose request it is; None: that of the state's model."""

    def looking(self, looked: tuple[Look, ...]) -> "Drawn":
        """The same with what is known of the files behind it, each of which can be shown."""
        outside = frozenset(look.path for look in looked if look.outside)
        return self._replace(
            outside=outside, files=frozenset(look.path for look in looked if look.outcome not in UNSEEN)
        )


def draw(
    prompt: Prompt, place: Place, models: TableForm, drawn: Drawn, before: tuple[Prompt, Shown] | None = None
) -> Shown:
    """Write a prompt down, with its tools beside it. What the very prompt said before is taken over."""
    provider = drawn.provider or provider_of(prompt, models)
    same = before is not None and before[0] is prompt
    tools = before[1].tools if before is not None and same else tools_text(sent_tools(prompt))
    around = Around(
        context_of(prompt, drawn.messages, models),
        facts_of_prompt(prompt, models, provider),
        provider,
        tools,
        place.cwd,
        place.shown,
        drawn.outside | _far(prompt),
        drawn.files,
        drawn.turn,
        drawn.at,
        drawn.broken,
        drawn.least,
    )
    if before is not None and same:
        return Shown(renewed(before[1].sheet, around), tools)
    return Shown(make_sheet(prompt, around), tools)


def provider_of(prompt: Prompt, models: TableForm) -> str:
    """The form of request that the state's model takes; where nobody knows, that of Anthropic."""
    named = prompt.state.runtime.model if prompt.state.runtime else None
    vendors = vendors_of(models, named) if named else ()
    return next((form for form, vendor in PROVIDERS.items() if vendor in vendors), "anthropic")


def facts_of_prompt(prompt: Prompt, models: TableForm, provider: str) -> Facts:
    """Limits and prices of the state's model on its day; without a model, of the provider's default."""
    runtime, now = prompt.state.runtime, prompt.state.now
    return facts_for(provider, runtime.model if runtime else None, models, now.date() if now else None)


def _far(prompt: Prompt) -> frozenset[str]:
    return frozenset(file.path for file in prompt.state.context_files if file.outside)
