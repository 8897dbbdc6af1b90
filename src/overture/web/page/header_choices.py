"""Lists what the header of the page offers (agents, recipes, models) and shows what a reader chooses."""

from typing import Annotated

from ...agents.agents_in_use import find_used_agents
from ...known_agents import AGENTS, agent_facts
from ...model.struct import Frozen, note
from ..service.answers import OfferedRecipes
from ..service.problems import refusing
from .live_page import LivePage

MAX_MODEL_LENGTH = 200


class PromptChoice(Frozen, frozen=True):
    """What a reader chose."""

    recipe: Annotated[str, note("the name of an agent or a recipe")]
    model: Annotated[str | None, note("null: the model of the state, or the provider's default")] = None


class ChoosableRecipe(Frozen, frozen=True, omit_defaults=False):
    """An agent or a recipe that the page can show."""

    name: str
    title: str


class PromptChoices(Frozen, frozen=True, omit_defaults=False):
    """What can be chosen, and what is."""

    likely: Annotated[tuple[ChoosableRecipe, ...], note("agents that are used or likely here, the likeliest first")]
    agents: Annotated[tuple[ChoosableRecipe, ...], note("the other agents")]
    recipes: tuple[ChoosableRecipe, ...]
    models: tuple[str, ...]
    model: Annotated[str | None, note("the model that was chosen")]


def list_choices(live: LivePage, offer: OfferedRecipes) -> PromptChoices:
    """Everything that the header offers."""
    likely = list(find_used_agents(live.project))
    own = [name for name in offer.names if name not in AGENTS]
    models = sorted({name for vendor in live.models.providers.values() for name in vendor.models})
    agents = {name: ChoosableRecipe(name, agent_facts(name).title) for name in AGENTS}
    return PromptChoices(
        tuple(agents.pop(name) for name in likely),
        tuple(agents.values()),
        tuple(ChoosableRecipe(name, name) for name in own),
        tuple(models),
        live.model,
    )


def choose_prompt(live: LivePage, offer: OfferedRecipes, choice: PromptChoice) -> PromptChoices:
    """Show what was chosen, from now on and in every view."""
    with refusing("recipe"):
        offer.recipe(choice.recipe)
    live.choose(choice.recipe, (choice.model or "")[:MAX_MODEL_LENGTH] or None)
    return list_choices(live, offer)
