"""Recipe + State -> Prompt: the loop over the sections."""

from itertools import compress
from operator import attrgetter, is_not

from ..errors import OvertureError, RecipeError
from ..model.diagnostic import Diagnostic
from ..model.prompt.block import Block
from ..model.prompt.cuts_and_omissions import Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.state import FIELDS, State
from ..tokens.counter import ESTIMATE, Counting
from .text_with_sources import Layer

values = attrgetter(*FIELDS)


def build(
    recipe: Recipe,
    state: State,
    *,
    since: Prompt | None = None,
    found: tuple[Diagnostic, ...] = (),
    counting: Counting = ESTIMATE,
) -> Prompt:
    """Say `state` as `recipe` does. Blocks of `since` whose inputs are the same objects are taken over.

    When nothing at all has changed, `since` itself comes back. `found` is what discovery reported. What a budget cut
    from `since` is there again: cut the new prompt with `fit(…, since=…)`. `counting` counts the tokens, or finds what
    does; with `since`, what counted there goes on.
    """
    if since is not None and since.fitted is not None:
        since = since.fitted.whole
    if since is None or since.recipe is not recipe or since.edits or since.held:
        # What a hook did, or what a message told, is no part of what the state says.
        said = tuple([say(section, recipe, state) for section in recipe.sections])
        return Prompt(recipe, state, said, found, counting)
    changed = changed_fields(since.state, state)
    if not changed and since.found == found:
        return since
    results = [
        old if changed.isdisjoint(old.section.reads) else _again(old, say(old.section, recipe, state))
        for old in since.results
    ]
    return Prompt(recipe, state, tuple(results), found, since.counting)


def _again(old: Block | Omission, new: Block | Omission) -> Block | Omission:
    """The old block where the new one says the same, as a day does all day: what is known of it is kept."""
    return old if isinstance(new, Block) and isinstance(old, Block) and old.says_what(new) else new


def changed_fields(old: State, new: State) -> frozenset[str]:
    """The fields that are not the same objects. Equal is not enough: comparing would cost more than building."""
    if old is new:
        return frozenset()
    return frozenset(compress(FIELDS, map(is_not, values(old), values(new))))


def say(section: Section, recipe: Recipe, state: State) -> Block | Omission:
    """Let one section speak, or record why it does not."""
    layer = Layer(recipe, section, state.origins)
    try:
        layer.lay_framed(section.speak(*section.inputs(state)))
    except OvertureError:
        raise
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}"
        raise RecipeError(f"Section {section.name!r} of recipe {recipe.name!r} failed: {said}.") from problem
    return layer.result()
