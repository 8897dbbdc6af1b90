"""Requests -> answers: the JSON forms that the command line prints, made by the same functions."""

from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import UNSET

from ...api import build as build_prompt
from ...api import load_models
from ...check.rule import Severity
from ...discover.load_tokenizer import find_counter
from ...model.diagnostic import Diagnostic
from ...model.prompt.prompt import Prompt
from ...model.prompt.saved import SavedPrompt
from ...model.struct import Frozen, note
from ...providers.render import native, request, strange_model
from ...providers.write.tools import order_tools, without_schema
from ...report.diff import Patch
from ...report.diff import diff as compare
from ...report.explain import Explanation
from ...reports import check as check_prompt
from ...reports import explain as explain_prompt
from .offered_recipes import Offer
from .problems import refusing
from .requests import Asked, BuildRequest, DiffRequest, FitRequest, RenderRequest


class FindingForm(Frozen, frozen=True, omit_defaults=False):
    """One thing that is wrong, as `overture check --json` prints it."""

    code: str
    severity: Severity
    message: str
    path: str | None
    line: int | None
    column: int | None
    fixable: bool


class CheckAnswer(Frozen, frozen=True, omit_defaults=False):
    """What is wrong with a prompt and with the texts behind it."""

    recipe: str
    findings: tuple[FindingForm, ...]
    counts: Annotated[dict[Severity, int], note("how many findings are that bad")]
    fixable: int
    ignored: Annotated[int, note("how many findings comments in the texts leave out")]


class Rendered(NamedTuple):
    """A provider's request, and what there is to say about it."""

    body: dict[str, Any]
    notes: tuple[Diagnostic, ...] = ()


def build(offer: Offer, asked: BuildRequest) -> SavedPrompt:
    """The prompt, as `overture build --format json` prints it."""
    with refusing("tokenizer"):
        count = None if asked.tokenizer is None else find_counter(asked.tokenizer)
    recipe = _recipe(offer, asked, "")
    with refusing("state", "state"):
        return build_prompt(
            recipe, asked.state, budget=asked.budget, count=count, audience=asked.audience, secrets=asked.secrets
        ).saved


def fit(offer: Offer, asked: FitRequest) -> SavedPrompt:
    """The same, within a budget."""
    return build(offer, BuildRequest(asked.state, asked.recipe, asked.budget))


def explain(offer: Offer, asked: Asked) -> Explanation:
    """Where each part came from, as `overture explain --json` prints it."""
    prompt = _prompt(offer, asked)
    with refusing("state", "state"):
        return explain_prompt(prompt)


def check(offer: Offer, asked: Asked) -> CheckAnswer:
    """What is wrong, as `overture check --json` prints it."""
    prompt = _prompt(offer, asked)
    with refusing("state", "state"):
        return msgspec.convert(check_prompt(prompt).to_dict(), CheckAnswer)


def diff(offer: Offer, asked: DiffRequest) -> Patch:
    """What differs and because of what, as `overture diff --json` prints it."""
    a, b = _prompt(offer, asked.a, "a."), _prompt(offer, asked.b, "b.")
    with refusing("b.state", "b.state"):
        return compare(a, b)


def render(offer: Offer, asked: RenderRequest) -> Rendered:
    """The request to a provider, as `overture build --format NAME` prints it."""
    prompt = _prompt(offer, asked)
    with refusing("state.tools"):
        tools = order_tools(native(prompt), prompt.recipe)
    with refusing("state", "state"):
        models = load_models()
        ask, laid = request(asked.format, prompt, asked.messages, tools, model=asked.model, models=models)
        return Rendered(
            laid.body, (*ask.notes, *without_schema(tools), *strange_model(asked.format, asked.model, models))
        )


def _prompt(offer: Offer, asked: Asked, at: str = "") -> Prompt:
    recipe = _recipe(offer, asked, at)
    with refusing(f"{at}state", f"{at}state"):
        return build_prompt(recipe, asked.state)


def _recipe(offer: Offer, asked: Asked, at: str) -> Any:
    with refusing(f"{at}recipe"):
        return offer.recipe(offer.default if asked.recipe is UNSET else asked.recipe)
