"""What programs ask of the service: the recipes that a request may name, requests as data, and the answers."""

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ...api import build as build_prompt
from ...api import load_models
from ...check.formats import CheckOutput
from ...discovery.discover import ResolvedProject
from ...errors import RecipeError, explain_unknown
from ...fit.fit import refuse_empty
from ...known_agents import AGENTS, agent
from ...model.diagnostic import Diagnostic, warning
from ...model.prompt.prompt import Prompt
from ...model.prompt.saved_prompt import SavedPrompt
from ...model.recipe.recipe import Recipe
from ...model.state.state import Audience, Secrets, State
from ...model.struct import Frozen, note
from ...model.tool import report_duplicates
from ...project.find_recipe import find_recipe, list_recipe_names
from ...providers.parsed_call import Form
from ...providers.render import list_native_tools, report_unknown_model, request
from ...providers.write.tools import order_tools, report_missing_schemas
from ...report.diff import Patch
from ...report.diff import diff as compare
from ...report.explain import Explanation
from ...report_api import check as check_prompt
from ...report_api import explain as explain_prompt
from ...tokens.load_tokenizer import COUNTER_NAMES, find_counter
from .problems import refusing


class OfferedRecipes(NamedTuple):
    """The recipes that a request can name, and the default."""

    ready: dict[str, Recipe]
    """Those that are ready; agents of others come with the package and are made on first use."""
    default: str
    notes: tuple[Diagnostic, ...] = ()
    """What is wrong with those that can't be offered."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all recipes that a request may name, each once."""
        return tuple(dict.fromkeys([*self.ready, *AGENTS]))

    def recipe(self, name: str) -> Recipe:
        """The recipe of that name. A path is no name, even if a file is there."""
        if name in self.ready:
            return self.ready[name]
        if name in AGENTS:
            return agent(name)
        raise RecipeError(explain_unknown("Recipe", name, self.ready, AGENTS))

    @property
    def all(self) -> Iterable[Recipe]:
        """Every recipe, in the order of the names."""
        return map(self.recipe, self.names)


def offer_recipes(project: ResolvedProject) -> OfferedRecipes:
    """The recipes that a request to the service may name: built-in, of the configuration and of packages."""
    by_name: dict[str, Recipe] = {}
    notes: list[Diagnostic] = []
    for name in list_recipe_names(project.config):
        if name in AGENTS and name not in project.config.recipes:
            continue
        try:
            by_name[name] = find_recipe(project.world, name, project.config, project.cwd)
        except RecipeError as problem:
            notes.append(warning("recipe-broken", str(problem)))
    by_name[project.recipe.name] = project.recipe
    return OfferedRecipes(by_name, project.recipe.name, tuple(notes))


Tokens = Annotated[int, Meta(ge=1, description="maximum number of tokens")]
Tokenizer = Annotated[str, Meta(description="the tokenizer", extra_json_schema={"enum": list(COUNTER_NAMES)})]
ProviderMessage = Annotated[
    dict[str, Any],
    Meta(
        description="a message as the provider has it",
        extra_json_schema={
            "properties": {"role": {"type": "string"}, "content": {"type": ["string", "array"]}},
            "required": ["role", "content"],
        },
    ),
]


class StateRequest(Frozen, frozen=True):
    """A state, and the recipe that says it. Nothing else is read: no file, no clock."""

    state: State
    recipe: Annotated[str | UnsetType, note("its name; default: the recipe of the service")] = UNSET


class BuildRequest(StateRequest, frozen=True):
    """Build a prompt."""

    budget: Tokens | None = None
    tokenizer: Tokenizer | None = None
    audience: Annotated[Audience | None, note("overrides that of the state")] = None
    secrets: Annotated[Secrets | None, note("overrides that of the state")] = None


class FitRequest(StateRequest, frozen=True, kw_only=True):
    """Build a prompt that is never longer than a budget."""

    budget: Tokens


class DiffRequest(Frozen, frozen=True):
    """Build two prompts, and compare them."""

    a: StateRequest
    b: StateRequest


class RenderRequest(StateRequest, frozen=True, kw_only=True):
    """Build a prompt, and the request that says it to a provider."""

    format: Form
    model: Annotated[str | None, note("it sets roles and caching; default: runtime.model of the state")] = None
    messages: Annotated[tuple[ProviderMessage, ...], note("the conversation so far")] = ()


class RenderAnswer(NamedTuple):
    """A provider's request, and what there is to say about it."""

    body: dict[str, Any]
    notes: tuple[Diagnostic, ...] = ()


def build(offer: OfferedRecipes, params: BuildRequest) -> SavedPrompt:
    """The prompt, as `overture build --format json` prints it."""
    with refusing("tokenizer"):
        count = None if params.tokenizer is None else find_counter(params.tokenizer)
    recipe = _find_requested_recipe(offer, params, "")
    with refusing("state", "state"):
        prompt = build_prompt(
            recipe, params.state, budget=params.budget, count=count, audience=params.audience, secrets=params.secrets
        )
        return (refuse_empty(prompt.fitted.whole, prompt) if prompt.fitted else prompt).saved


def fit(offer: OfferedRecipes, params: FitRequest) -> SavedPrompt:
    """The same, within a budget."""
    return build(offer, BuildRequest(params.state, params.recipe, params.budget))


def explain(offer: OfferedRecipes, params: StateRequest) -> Explanation:
    """Where each part came from, as `overture explain --json` prints it."""
    prompt = _build_requested_prompt(offer, params)
    with refusing("state", "state"):
        return explain_prompt(prompt)


def check(offer: OfferedRecipes, params: StateRequest) -> CheckOutput:
    """What is wrong, as `overture check --json` prints it."""
    prompt = _build_requested_prompt(offer, params)
    with refusing("state", "state"):
        return msgspec.convert(check_prompt(prompt).to_dict(), CheckOutput)


def diff(offer: OfferedRecipes, params: DiffRequest) -> Patch:
    """What differs and because of what, as `overture diff --json` prints it."""
    a, b = _build_requested_prompt(offer, params.a, "a."), _build_requested_prompt(offer, params.b, "b.")
    with refusing("b.state", "b.state"):
        return compare(a, b)


def render(offer: OfferedRecipes, params: RenderRequest) -> RenderAnswer:
    """The request to a provider, as `overture build --format NAME` prints it."""
    prompt = _build_requested_prompt(offer, params)
    tools = order_tools(list_native_tools(prompt), prompt.recipe)
    with refusing("state", "state"):
        models = load_models()
        inputs, written = request(params.format, prompt, params.messages, tools, model=params.model, models=models)
        notes = (
            *report_duplicates(list_native_tools(prompt)),
            *inputs.notes,
            *report_missing_schemas(tools),
            *report_unknown_model(params.format, params.model, models),
        )
        return RenderAnswer(written.body, notes)


def _build_requested_prompt(offer: OfferedRecipes, params: StateRequest, at: str = "") -> Prompt:
    """The prompt that a request to the service asks for."""
    recipe = _find_requested_recipe(offer, params, at)
    with refusing(f"{at}state", f"{at}state"):
        return build_prompt(recipe, params.state)


def _find_requested_recipe(offer: OfferedRecipes, params: StateRequest, at: str) -> Any:
    """The recipe that a request to the service names, or the default."""
    with refusing(f"{at}recipe"):
        return offer.recipe(offer.default if params.recipe is UNSET else params.recipe)
