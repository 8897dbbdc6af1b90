"""Draws a prompt or a turn as a sheet with context, price and readable paths."""

from ...known_agents import AGENTS, agent_program
from ...known_models.model_facts import ModelFacts, TableForm
from ...known_models.model_table import find_vendors
from ...model.prompt.prompt import Prompt
from ...providers import PROVIDERS
from ...providers.render import facts_for, sent_tools
from ...providers.write.tools import tools_text
from ...report.sheet.compare_sheets import ChangedBlock
from ...report.sheet.make_sheet import make_sheet
from ...report.sheet.sheet import SheetContext, SheetDetails, SheetPlace, SheetWithTools
from ...session.record_entry import Entry
from ...session.turn_and_context import measure_prompt_context


def draw_sheet(
    prompt: Prompt,
    place: SheetPlace,
    models: TableForm,
    details: SheetDetails,
) -> SheetWithTools:
    """Make the sheet of a prompt and the text of its tools."""
    provider = find_provider(prompt, models)
    tools = tools_text(sent_tools(prompt))
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


def list_changed(entry: Entry) -> tuple[ChangedBlock, ...]:
    """The changed blocks of an entry, in the form of the history."""
    return tuple(ChangedBlock(each.name, each.how, each.because, each.why) for each in entry.changed)
