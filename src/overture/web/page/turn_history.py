"""A prompt drawn as a sheet, and the turns of one: what was shown since the page was opened, and how two differ."""

import threading
from collections import deque
from datetime import datetime
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from ...known_agents import AGENTS, agent_program
from ...known_models.model_facts import ModelFacts, TableForm
from ...known_models.model_table import find_vendors
from ...model.prompt.prompt import Prompt
from ...providers import PROVIDERS
from ...providers.render import facts_for, sent_tools
from ...providers.write.tools import tools_text
from ...report.sheet.compare_sheets import SheetDifference, TurnRow, compare_sheets, predict_cache_between
from ...report.sheet.make_sheet import make_sheet
from ...report.sheet.sheet import SheetContext, SheetDetails, SheetPlace, SheetWithTools
from ...session.turn_and_context import measure_prompt_context
from ...tokens.load_tokenizer import COUNTER_NAMES, find_counter
from ..service.problems import RefusedError, problem_of

MAX_TURNS = 100
"""Turns of a prompt; older ones are forgotten."""


def draw_sheet(prompt: Prompt, place: SheetPlace, models: TableForm, details: SheetDetails) -> SheetWithTools:
    """The sheet of a prompt, with its context and price, and the text of its tools."""
    facts, tools = find_model_facts(prompt, models), tools_text(sent_tools(prompt))
    measured = measure_prompt_context(prompt, None, models)
    outside = details.outside.union(file.path for file in prompt.state.context_files if file.outside)
    context = SheetContext(
        # Without a named model, window and price are those of the provider's default model.
        measured if measured.model else measured.within(facts.window, facts.model),
        facts, find_provider(prompt, models), tools, place, details._replace(outside=outside),
    )  # fmt: skip
    return SheetWithTools(make_sheet(prompt, context), tools)


def find_provider(prompt: Prompt, models: TableForm) -> str:
    """The provider of the state's model, else of the agent's program, else `anthropic`."""
    named = prompt.state.runtime.model if prompt.state.runtime else None
    program = agent_program(prompt.recipe.name) if not named and prompt.recipe.name in AGENTS else None
    vendors = find_vendors(models, named) if named else ((program or {}).get("provider"),)
    return next((form for form, vendor in PROVIDERS.items() if vendor in vendors), "anthropic")


def find_model_facts(prompt: Prompt, models: TableForm) -> ModelFacts:
    """Limits and prices of the state's model on the state's date; without a model, the provider's default."""
    runtime, now = prompt.state.runtime, prompt.state.now
    provider = find_provider(prompt, models)
    return facts_for(provider, runtime.model if runtime else None, models, now.date() if now else None)


class ShownTurn(NamedTuple):
    """A turn: its sheet with the tools, and its row of the history."""

    shown: SheetWithTools
    row: TurnRow


class TurnHistory:
    """The turns of one prompt, oldest first, and what is wrong now. Any thread may ask."""

    def __init__(self) -> None:
        """Begin without turns."""
        self.broken: str | None = None
        self._lock = threading.Lock()
        self._turns: deque[ShownTurn] = deque(maxlen=MAX_TURNS)

    @property
    def next(self) -> int:
        """The number that the next turn will have."""
        with self._lock:
            return self._turns[-1].row.turn + 1 if self._turns else 1

    def add(self, shown: SheetWithTools, row: TurnRow) -> None:
        """Add a turn."""
        with self._lock:
            self._turns.append(ShownTurn(shown, row))

    @property
    def rows(self) -> tuple[TurnRow, ...]:
        """All stored turns, oldest first."""
        with self._lock:
            return tuple(each.row for each in self._turns)

    def turn(self, number: int | None = None) -> SheetWithTools | None:
        """The turn of that number, or the newest, which also has the current problem; None: it is not stored."""
        with self._lock:
            turns, broken = tuple(self._turns), self.broken
        if number is not None and not (turns and number == turns[-1].row.turn):
            return next((each.shown for each in turns if each.row.turn == number), None)
        newest = turns[-1].shown if turns else None
        return newest and replace(newest, sheet=replace(newest.sheet, broken=broken))

    def get(self, number: int | None, name: str) -> SheetWithTools:
        """A turn by its number, or the newest; one that is not there is a refusal."""
        shown = self.turn(number)
        if shown is None:
            message = f"Turn {number} is not available: the page has the newest {MAX_TURNS} turns since it was started."
            raise RefusedError(problem_of("not-found", message, name))
        return shown

    def diff(self, models: TableForm, a: int | None, b: int | None) -> SheetDifference:
        """How turn `b` differs from turn `a`; without numbers, the newest from the one before it."""
        later, rows = self.get(b, "b"), self.rows
        number = later.sheet.turn
        earlier = self.get(max(number - 1, rows[0].turn) if a is None else a, "a")
        price, tokenizer = later.sheet.price, later.sheet.tokenizer
        day = datetime.fromisoformat(later.sheet.at).date() if later.sheet.at else None
        facts = facts_for(price.provider, price.model, models, day)
        # A custom counter is not here, and the best installed one replaces it.
        counter = cache(find_counter(tokenizer if tokenizer in COUNTER_NAMES else None))
        return compare_sheets(earlier.sheet, later.sheet, predict_cache_between(earlier, later, facts, counter))
