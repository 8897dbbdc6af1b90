"""`overture cache`: what of a prompt a provider's cache would give back, turn by turn, and what stops it."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import click

from ...discover.load_tokenizer import find_counter
from ...errors import ConfigError
from ...known_models.model_facts import Facts, TableForm
from ...known_models.models_table import vendors_of
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...providers.request.render import PROVIDERS, checked_ttl, facts_for, sent_tools
from ...providers.request.tools import tools_text
from ...report.cache.cache_drawing import draw
from ...report.cache.cache_report import CacheReport, cache
from ...report.cache.requests_as_sent import Sender
from ...report.cache.sessions_to_play import SCENARIOS
from ...terminal.gather_state import Gathered, budget_for, counter_for, gather, models_for
from ...terminal.options import AS_JSON, WHICH, Ask, sharing
from ...terminal.progress import doing
from ...terminal.recorded_session import check_session, read_session, recorded
from ...terminal.terminal import write_json, write_text
from ...tokens.counter import Counter
from ..show.show_cache import show
from ..show.show_facts import together


@click.command("cache", epilog=WHICH)
@click.argument("recipes", nargs=-1, metavar="[RECIPE]…")
@sharing
@click.option("--provider", default="anthropic", metavar="NAME", help="Whose cache: " + ", ".join(PROVIDERS) + ".")
@click.option("--model", metavar="NAME", help="The model. Default: the provider's, in the table of models.")
@click.option("--ttl", metavar="TIME", help="How long the cache keeps, e.g. 5m, 1h or 24h; which, the model says.")
@click.option(
    "--scenario", "scenarios", multiple=True, type=click.Choice(list(SCENARIOS)), help="Only this one; repeatable."
)
@click.option(
    "--session",
    metavar="FILE",
    help="A recorded session: a saved one, or a JSON list of states, prompts or saved sessions.",
)
@click.option("--svg", metavar="FILE", help="Also draw it.")
@AS_JSON
def command(
    recipes: tuple[str, ...], provider: str, model: str | None, ttl: str | None, scenarios: tuple[str, ...],
    session: str | None, svg: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Predict what a provider's prompt cache would give back, turn by turn, what stops it, and the cost.

    Sessions of RECIPE are played: one in which only the clock moves, one in which a file changes, and so on. Several
    recipes are compared on what all of them find together. Tools count, as they are sent before the system prompt; the
    conversation does not. With --budget, every prompt is cut as a session cuts it.

    \b
    overture cache                       every session, turn by turn
    overture cache pi house              two recipes, side by side
    overture cache --scenario clock      one session only
    """
    asks = [Ask(recipe=name, **options) for name in recipes or (None,)]
    if session and scenarios:
        raise ConfigError("--session plays what was recorded, and --scenario what is made up. Give one of the two.")
    table = models_for(asks[0])
    facts = facts_for(provider, model, table, datetime.now(UTC).date())
    ttl = checked_ttl(ttl, facts)
    counter, budget = counter_for(asks[0]) or find_counter(), budget_for(asks[0])
    gathered = [playable(gather(ask)) for ask in asks]
    budget = budget or own_budget(gathered)
    if session:
        items = read_session(session, subagent=asks[0].subagent)
        check_session(session, items, len(gathered), budget is not None, asks[0].subagent)
        senders = [Sender(each.recipe, tools_of, counter, budget) for each in gathered]
        told = [recorded(session, items, sender, facts, ttl) for sender in senders]
    else:
        how = Playing(scenarios or tuple(SCENARIOS), counter, ttl, budget)
        told = played(gathered, facts, how)
    if svg:
        write_text(svg, draw(told))
    if as_json:
        write_json(told if len(told) > 1 else told[0])
    else:
        show(told, counter, provider_of(table, facts))


def playable(gathered: Gathered) -> Gathered:
    """What scenarios can be made of: there has to be a state."""
    if gathered.sent is not None and gathered.sent.turn is None:
        raise ConfigError(f"{gathered.ask.recipe} is a saved prompt, which holds no state to play. Try --session.")
    return gathered


def own_budget(gathered: list[Gathered]) -> Budget | None:
    """The budget that a saved session kept to, where it is played alone."""
    fitted = gathered[0].sent.prompt.fitted if len(gathered) == 1 and gathered[0].sent else None
    return fitted.budget if fitted else None


class Playing(NamedTuple):
    """How scenarios are played."""

    scenarios: tuple[str, ...]
    counter: Counter
    ttl: str | None
    budget: Budget | None


def played(gathered: list[Gathered], facts: Facts, how: Playing) -> list[CacheReport]:
    """The built-in scenarios in each recipe, on what all of them discover together."""
    state = gathered[0].state
    for other in gathered[1:]:
        state = together(state, other.state)
    scenarios, counter, ttl, budget = how
    told: list[CacheReport] = []
    for each in gathered:
        doing(f"playing sessions of {each.recipe.name}")
        report = cache(
            each.recipe, state, facts, count=counter, scenarios=scenarios, ttl=ttl, tools=tools_of, budget=budget
        )  # fmt: skip
        told.append(report)
    return told


def tools_of(prompt: Prompt) -> str:
    """The text of the tools that go with a prompt."""
    return tools_text(sent_tools(prompt))


def provider_of(table: TableForm, facts: Facts) -> str | None:
    """The provider that has a model which the one that was asked for has not."""
    vendors = () if facts.known else vendors_of(table, facts.model)
    return next((name for name, vendor in PROVIDERS.items() if vendor in vendors), None)
