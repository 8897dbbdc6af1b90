"""Sections -> blocks: each speaks, and is laid with a guard over all that the recipe can write around a text."""

from ..errors import OvertureError, RecipeError
from ..model.prompt.block import Block
from ..model.prompt.cuts_and_omissions import Omission
from ..model.recipe.body import Body, Group, Skip
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.audience import REASON, for_audience, withheld
from ..model.state.state import State
from .fence_lower_tiers import fence_of, fenced
from .gate.frames_of_prompt import guard_for
from .gate.guard import Guard
from .text_with_sources import Layer

Result = Block | Omission


def spoken(recipe: Recipe, state: State) -> tuple[Result, ...]:
    """What each section of a recipe says."""
    guard = guard_for(recipe, state.secrets)
    return tuple([say(section, recipe, state, guard) for section in recipe.sections])


def say(section: Section, recipe: Recipe, state: State, guard: Guard) -> Result:
    """Let one section speak, or record why it does not."""
    shown = for_audience(state)
    body = _heard(section, recipe, shown)
    if shown is not state:
        body = _left_out(section, recipe, state, body, withheld(state, shown))
    return _lay(section, recipe, state, body, guard)


def _left_out(section: Section, recipe: Recipe, state: State, body: Body, hidden: frozenset[str]) -> Body:
    """What a section says to its audience; where it would say more to the user, the record says why it does not."""
    if hidden.isdisjoint(section.reads):
        return body
    whole = _heard(section, recipe, state)
    if body is None or isinstance(body, Skip):
        return body if _silent(whole) else Skip(REASON)
    if body == whole:
        return body
    nodes = tuple(body) if isinstance(body, list | tuple) else (body,)
    return Group(nodes, loose="fair", omits=(REASON,))


def _silent(body: Body) -> bool:
    return body is None or isinstance(body, Skip)


def _heard(section: Section, recipe: Recipe, state: State) -> Body:
    try:
        body = section.speak(*section.inputs(state))
        fence = fence_of(recipe, state) if recipe.fence_below is not None else None
        return body if fence is None else fenced(body, fence)
    except OvertureError:
        raise
    except Exception as problem:
        raise _failed(section, recipe, problem) from problem


def _lay(section: Section, recipe: Recipe, state: State, body: Body, guard: Guard) -> Result:
    layer = Layer(recipe, section, state.origins, guard)
    try:
        layer.lay_framed(body)
    except OvertureError:
        raise
    except Exception as problem:
        raise _failed(section, recipe, problem) from problem
    return layer.result()


def _failed(section: Section, recipe: Recipe, problem: Exception) -> RecipeError:
    said = f"{type(problem).__name__}: {problem}"
    return RecipeError(f"Section {section.name!r} of recipe {recipe.name!r} failed: {said}.")
