"""Draws a prompt or a turn as a sheet with context, price and readable paths."""

from typing import NamedTuple

from msgspec.structs import replace

from ...discover.discover import ResolvedProject
from ...known_agents import AGENTS, agent_program
from ...known_models.model_facts import ModelFacts, TableForm
from ...known_models.model_table import find_vendors
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Look
from ...project.resolve import make_project_path_printer
from ...providers import PROVIDERS
from ...providers.render import facts_for, sent_tools
from ...providers.write.tools import tools_text
from ...report.cache.predict_cache import TurnNote
from ...report.sheet.compare_sheets import ChangedBlock, TurnRow, make_turn_row, predict_cache_between
from ...report.sheet.make_sheet import make_sheet, renew_sheet
from ...report.sheet.sheet import SheetContext, SheetDetails, SheetPlace, SheetWithTools
from ..record_entry import Entry
from ..turn.turn_and_context import measure_prompt_context


def draw_sheet(
    prompt: Prompt,
    place: SheetPlace,
    models: TableForm,
    details: SheetDetails,
    before: tuple[Prompt, SheetWithTools] | None = None,
) -> SheetWithTools:
    """Make the sheet of a prompt and the text of its tools. For the same prompt, the previous sheet is reused."""
    provider = find_provider(prompt, models)
    same = before is not None and before[0] is prompt
    tools = before[1].tools if before is not None and same else tools_text(sent_tools(prompt))
    facts = find_model_facts(prompt, models, provider)
    prompt_context = measure_prompt_context(prompt, details.messages, models)
    outside = details.outside.union(file.path for file in prompt.state.context_files if file.outside)
    context = SheetContext(
        # Without a named model, window and price are those of the provider's default model.
        prompt_context if prompt_context.model else prompt_context.within(facts.window, facts.model),
        facts,
        provider,
        tools,
        place,
        details._replace(outside=outside),
    )
    if before is not None and same:
        return SheetWithTools(renew_sheet(before[1].sheet, context), tools)
    return SheetWithTools(make_sheet(prompt, context), tools)


def find_provider(prompt: Prompt, models: TableForm) -> str:
    """The provider of the state's model, else of the agent's program, else `anthropic`."""
    named = prompt.state.runtime.model if prompt.state.runtime else None
    program = agent_program(prompt.recipe.name) if not named and prompt.recipe.name in AGENTS else None
    vendors = find_vendors(models, named) if named else ((program or {}).get("provider"),)
    return next((form for form, vendor in PROVIDERS.items() if vendor in vendors), "anthropic")


def find_model_facts(prompt: Prompt, models: TableForm, provider: str) -> ModelFacts:
    """Limits and prices of the state's model on the state's date; without a model, the provider's default."""
    runtime, now = prompt.state.runtime, prompt.state.now
    return facts_for(provider, runtime.model if runtime else None, models, now.date() if now else None)


class PublishJob(NamedTuple):
    """A turn to publish. Everything in it is frozen, so another thread can read it later."""

    number: int
    prompt: Prompt
    at: str
    cwd: str
    project: ResolvedProject | None = None
    """The project, if the session has one."""
    messages: tuple[Message, ...] | None = None
    entry: Entry | None = None
    """None: the prompt is built, but nothing is sent yet."""
    cause: str = ""
    looked: tuple[tuple[Look, ...], ...] = ()
    """The paths that discovery looked at."""


class TurnDrawer:
    """Draws the turns of one file. It keeps the previous turn."""

    def __init__(self, models: TableForm) -> None:
        """Begin to draw sheets of turns, with prices from this table of models."""
        self.models = models
        self.before: tuple[Prompt, SheetWithTools] | None = None
        self.project: ResolvedProject | None = None
        self.place: SheetPlace | None = None

    def draw(self, job: PublishJob) -> tuple[SheetWithTools, TurnRow]:
        """The sheet and the row of a turn, as the page shows them."""
        outside = frozenset(look.path for looks in job.looked for look in looks if look.outside)
        details = SheetDetails(
            job.number, job.at, _find_reload_failure(job.entry), outside=outside, messages=job.messages
        )
        shown = draw_sheet(job.prompt, self._find_sheet_place(job), self.models, details, self.before)
        row = self._make_row(job, shown)
        self.before = job.prompt, shown
        return shown, row

    def _find_sheet_place(self, job: PublishJob) -> SheetPlace:
        """The folder and the path printer. The project's root is read from disk once per project."""
        if self.place is None or self.project is not job.project:
            self.project, self.place = job.project, SheetPlace(job.cwd, make_project_path_printer(job.project))
        return self.place

    def _make_row(self, job: PublishJob, shown: SheetWithTools) -> TurnRow:
        """The row of a drawn turn in the history of the published session."""
        before = self.before[1] if self.before else None
        cache = self._predict_cache(job.prompt, shown)
        changed = None if job.entry is None else list_changed(job.entry)
        row = make_turn_row(shown.sheet, before.sheet if before else None, cache, job.cause, changed)
        return replace(row, messages=len(job.messages or ()))

    def _predict_cache(self, prompt: Prompt, shown: SheetWithTools) -> TurnNote:
        """Predict the cache hits of a turn."""
        facts = find_model_facts(prompt, self.models, find_provider(prompt, self.models))
        before = self.before[1] if self.before else None
        return predict_cache_between(before, shown, facts, prompt.counter, timed=True)


def list_changed(entry: Entry) -> tuple[ChangedBlock, ...]:
    """The changed blocks of an entry, in the form of the history."""
    return tuple(ChangedBlock(each.name, each.how, each.because, each.why) for each in entry.changed)


def _find_reload_failure(entry: Entry | None) -> str | None:
    """The problem of a failed reload, after which the prompt is the last good one."""
    notes = entry.diagnostics if entry is not None else ()
    return next((note.message for note in notes if note.code == "reload-failed"), None)
