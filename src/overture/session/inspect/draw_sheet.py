"""Prompt -> Sheet, on this machine: with its context, the price of its model, and paths as people read them."""

from typing import NamedTuple

from ...known_models.model_facts import Facts, TableForm
from ...known_models.models_table import vendors_of
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ...render.render import PROVIDERS, facts_for, sent_tools
from ...render.tools import tools_text
from ...report.page.make_sheet import Around, make_sheet, renewed
from ...report.page.turn_row import Shown
from ..turn.whole_context import context_of


class Place(NamedTuple):
    """Where a project lies."""

    cwd: str = ""
    home: str = ""

    def shown(self, path: str) -> str:
        """A path as a person reads it: from the working directory on, or `~/…`."""
        for folder, begin in ((self.cwd, ""), (self.home, "~/")):
            inside = f"{folder.rstrip('/')}/"
            if path.startswith(inside) and len(inside) > 1:
                return begin + path[len(inside) :]
        return path


class Drawn(NamedTuple):
    """How a sheet is numbered and dated, and what it stands beside."""

    turn: int = 0
    at: str = ""
    broken: str | None = None
    outside: frozenset[str] = frozenset()
    """Files from outside the repository."""
    messages: tuple[Message, ...] | None = None
    """The conversation; None: as it would begin."""


def draw(
    prompt: Prompt, place: Place, models: TableForm, drawn: Drawn, before: tuple[Prompt, Shown] | None = None
) -> Shown:
    """Write a prompt down, with its tools beside it. What the very prompt said before is taken over."""
    provider = provider_of(prompt, models)
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
        turn=drawn.turn,
        at=drawn.at,
        broken=drawn.broken,
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
    """Limits and prices of the state's model; without one, of the provider's default."""
    return facts_for(provider, prompt.state.runtime.model if prompt.state.runtime else None, models)


def _far(prompt: Prompt) -> frozenset[str]:
    return frozenset(file.path for file in prompt.state.context_files if file.outside)
