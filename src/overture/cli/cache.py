"""`overture cache`: what of a prompt a provider's cache would give back, turn by turn, and what stops it."""

from typing import Any

import click
import msgspec

from ..assemble.build import build
from ..discover.counters import find_counter
from ..discover.inputs import read_json
from ..discover.world import RealWorld
from ..model.counter import Count
from ..model.errors import StateError
from ..model.estimate import estimate
from ..model.explained import explained
from ..model.facts import Facts
from ..model.prompt import Prompt
from ..model.saved import SavedPrompt
from ..model.state import State
from ..render.render import PROVIDERS, checked_ttl, facts_for, native
from ..render.tools import in_order, tools_text
from ..report.cache import CacheReport, cache, play, reported
from ..report.cache_svg import draw
from ..report.cause import Turn
from ..report.kept import Timed
from ..report.scenario import SCENARIOS
from .ask import Ask
from .compare import together
from .gather import Gathered, gather, models_for
from .options import AS_JSON, sharing
from .show import write_file, write_json
from .show_cache import show


@click.command("cache")
@click.argument("recipes", nargs=-1, metavar="[RECIPE]…")
@sharing
@click.option("--provider", default="anthropic", metavar="NAME", help="Whose cache: " + ", ".join(PROVIDERS) + ".")
@click.option("--model", metavar="NAME", help="The model. Default: the provider's, in the table of models.")
@click.option("--ttl", metavar="TIME", help="How long the cache keeps: 5m or 1h, where the model has both.")
@click.option(
    "--scenario", "scenarios", multiple=True, type=click.Choice(list(SCENARIOS)), help="Only this one; repeatable."
)
@click.option("--session", metavar="FILE", help="A recorded session: a JSON list of states or of saved prompts.")
@click.option("--svg", metavar="FILE", help="Also draw it.")
@AS_JSON
def command(
    recipes: tuple[str, ...], provider: str, model: str | None, ttl: str | None, scenarios: tuple[str, ...],
    session: str | None, svg: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Play sessions of RECIPE and predict how much of each turn a cache gives back, what stops it, and the cost.

    Several recipes are compared on what all of them discover together. Tools count, as they are sent before the
    system prompt; the conversation does not.
    """
    asks = [Ask(recipe=name, **options) for name in recipes or (None,)]
    facts = facts_for(provider, model, models_for(asks[0]))
    ttl = checked_ttl(ttl, facts)
    gathered = [gather(ask) for ask in asks]
    state = gathered[0].state
    for other in gathered[1:]:
        state = together(state, other.state)
    count = find_counter(asks[0].tokenizer) if asks[0].tokenizer else estimate
    chosen = scenarios or tuple(SCENARIOS)
    told = [
        recorded(session, each, facts, count, ttl) if session
        else cache(each.recipe, state, facts, count=count, scenarios=chosen, ttl=ttl, tools=tools_of)
        for each in gathered
    ]  # fmt: skip
    if svg:
        write_file(svg, draw(told))
    if as_json:
        write_json(told if len(told) > 1 else told[0])
    else:
        show(told)


def tools_of(prompt: Prompt) -> str:
    """The text of the tools that go with a prompt."""
    return tools_text(in_order(native(prompt), prompt.recipe))


def recorded(path: str, gathered: Gathered, facts: Facts, count: Count, ttl: str | None) -> CacheReport:
    """A session from a file."""
    data = read_json(RealWorld(), path)
    if not isinstance(data, list) or not data:
        raise StateError(f"{path}: a recorded session is a JSON list of states or saved prompts, one for each turn.")
    timed = [_turn(item, f"{path}: [{index}]", gathered) for index, item in enumerate(data)]
    name = timed[0].turn.prompt.recipe
    played = play("recorded", f"{len(timed)} turns from {path}", timed, facts, count, ttl)
    return reported(name, timed[0].turn, facts, count, [played])


def _turn(item: Any, where: str, gathered: Gathered) -> Timed:
    saved = isinstance(item, dict) and "blocks" in item
    try:
        if saved:
            return Timed(Turn(msgspec.convert(item, SavedPrompt)))
        state = State.from_dict(item)
    except (msgspec.ValidationError, StateError) as problem:
        said = explained(problem, SavedPrompt) if isinstance(problem, msgspec.ValidationError) else problem
        raise StateError(f"{where}: {said}") from None
    prompt = build(gathered.recipe, state)
    return Timed(Turn(prompt.saved, tools_of(prompt)), state.now)
