"""Sections -> blocks: each speaks, and is laid with a guard over what frames something in this prompt."""

from collections.abc import Sequence

from ..errors import OvertureError, RecipeError
from ..model.prompt.block import Block
from ..model.prompt.cuts_and_omissions import Omission
from ..model.recipe.body import Body, Group, Skip
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.audience import REASON, for_audience, withheld
from ..model.state.state import State
from .fence_lower_tiers import fence_of, fenced
from .gate.frames_of_prompt import guard_for, speaking_in
from .gate.guard import Guard
from .text_with_sources import Layer

Result = Block | Omission


def spoken(recipe: Recipe, state: State) -> tuple[Result, ...]:
    """What each section of a recipe says. Only those that speak frame anything, so they are heard first."""
    shown = for_audience(state)
    bodies = [_heard(section, recipe, shown) for section in recipe.sections]
    if shown is not state:
        hidden = withheld(state, shown)
        bodies = [_left_out(s, recipe, state, body, hidden) for s, body in zip(recipe.sections, bodies, strict=True)]
    names = frozenset([s.name for s, body in zip(recipe.sections, bodies, strict=True) if not _silent(body)])
    results = _laid(recipe, state, bodies, names)
    now = speaking_in(results)
    # A body without a word frames nothing either.
    return results if now == names else _laid(recipe, state, bodies, now)


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


def _laid(recipe: Recipe, state: State, bodies: Sequence[Body], names: frozenset[str]) -> tuple[Result, ...]:
    guard = guard_for(recipe, names, state.secrets)
    return tuple([_lay(s, recipe, state, body, guard) for s, body in zip(recipe.sections, bodies, strict=True)])


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
