"""`build` makes a Prompt of a recipe and a State: it renders each section whose inputs changed."""

from ..errors import OvertureError, RecipeError
from ..lazy import cached
from ..model.diagnostic import Diagnostic
from ..model.prompt.block import Block, Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Body, Group, Skip
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.state import PUBLIC_REASON, State, restrict_to_audience, withheld_fields
from ..tokens.counter import ESTIMATE, CounterSource
from ..traces import describe_prompt, traced
from .fence_lower_tiers import fence_body, find_tier_fence
from .render_body import BodyRenderer, make_node
from .sanitize.guard import Guard, recipe_guard
from .share_equal_values import changed_fields, given_state, keep_written, remember_state, share_equal_values

SectionResult = Block | Omission


def render_sections(recipe: Recipe, state: State) -> tuple[SectionResult, ...]:
    """What each section of a recipe says."""
    guard = recipe_guard(recipe, state.secrets)
    return tuple([render_section(section, recipe, state, guard) for section in recipe.sections])


def render_section(section: Section, recipe: Recipe, state: State, guard: Guard) -> SectionResult:
    """Let one section speak, or record why it does not."""
    return _render_body(section, recipe, state, _find_body(section, recipe, state), guard)


def _find_body(section: Section, recipe: Recipe, state: State) -> Body:
    """What a section says to its audience."""
    shown = restrict_to_audience(state)
    body = _call_body(section, recipe, shown)
    if shown is state:
        return body
    return _limit_body_to_audience(section, recipe, state, body, withheld_fields(state, shown))


def _limit_body_to_audience(section: Section, recipe: Recipe, state: State, body: Body, hidden: frozenset[str]) -> Body:
    """What a section says to its audience; where it would say more to the user, the record says why it does not."""
    if hidden.isdisjoint(section.reads):
        return body
    full = _call_body(section, recipe, state)
    if body is None or isinstance(body, Skip):
        return body if _is_silent(full) else Skip(PUBLIC_REASON)
    if body == full:
        return body
    nodes = tuple(body) if isinstance(body, list | tuple) else (body,)
    return Group(nodes, loose="fair", omits=(PUBLIC_REASON,))


def _is_silent(body: Body) -> bool:
    return body is None or isinstance(body, Skip)


def _call_body(section: Section, recipe: Recipe, state: State) -> Body:
    try:
        body = section.speak(*section.inputs(state))
        fence = find_tier_fence(recipe, state) if recipe.fence_below is not None else None
        return body if fence is None else fence_body(body, fence)
    except OvertureError:
        raise
    except Exception as problem:
        raise _explain_failure(section, recipe, problem) from problem


def _render_body(section: Section, recipe: Recipe, state: State, body: Body, guard: Guard) -> SectionResult:
    layer = BodyRenderer(recipe, section, state.origins, guard)
    try:
        layer.lay_framed(body)
    except OvertureError:
        raise
    except Exception as problem:
        raise _explain_failure(section, recipe, problem) from problem
    return layer.result()


def _explain_failure(section: Section, recipe: Recipe, problem: Exception) -> RecipeError:
    message = f"{type(problem).__name__}: {problem}"
    return RecipeError(f"Section {section.name!r} of recipe {recipe.name!r} failed: {message}.")


# Recipe + State -> Prompt: the loop over the sections.


@traced("overture.build", describe_prompt)
def build(
    recipe: Recipe,
    state: State,
    *,
    since: Prompt | None = None,
    found: tuple[Diagnostic, ...] = (),
    counting: CounterSource = ESTIMATE,
    changed: frozenset[str] | None = None,
) -> Prompt:
    """Say `state` as `recipe` does. Blocks of `since` whose inputs are the same objects, or equal texts, stay.

    When nothing at all has changed, `since` itself comes back. `found` is what discovery reported. What a budget cut
    from `since` is there again: cut the new prompt with `fit(…, since=…)`. `counting` counts the tokens, or finds what
    does; with `since`, what counted there goes on. `changed` names the fields in which the state differs from that of
    `since`, where the caller knows them: nothing is compared then.
    """
    if since is not None and since.fitted is not None:
        since = since.fitted.whole
    if since is None or since.recipe is not recipe or since.edits or since.held or _has_new_fences(since, state):
        # What a hook did, or what a message told, is no part of what the state says.
        return remember_state(Prompt(recipe, state, render_sections(recipe, state), found, counting), state)
    if given_state(since) is state and since.found == found:
        return since
    if changed is not None and changed.isdisjoint(("audience", "secrets")):
        prompt = Prompt(recipe, state, _render_changed(recipe, state, since, changed), found, since.counting)
        return keep_written(prompt, since, changed)
    shared = share_equal_values(since, state)
    changed = changed_fields(since.state, shared)
    if not changed and since.found == found:
        return since
    if (shared.audience, shared.secrets) != (since.state.audience, since.state.secrets):
        prompt = Prompt(recipe, shared, render_sections(recipe, shared), found, since.counting)
    else:
        prompt = Prompt(recipe, shared, _render_changed(recipe, shared, since, changed), found, since.counting)
    return remember_state(prompt, state, since)


def _render_changed(recipe: Recipe, state: State, since: Prompt, changed: frozenset[str]) -> tuple[SectionResult, ...]:
    """The sections anew that read what has changed, and the others as they were."""
    guard, readers, results = recipe_guard(recipe, state.secrets), _index_readers(recipe), [*since.results]
    for index in sorted({index for field in changed for index in readers.get(field, ())}):
        old = results[index]
        body = _find_body(old.section, recipe, state)
        # What is said is laid in the same way under the same guard, and its notes name the same files.
        if not (isinstance(old, Block) and old.body == make_node(body) and "origins" not in changed):
            results[index] = _reuse_result(old, _render_body(old.section, recipe, state, body, guard))
    return tuple(results)


@cached
def _index_readers(recipe: Recipe) -> dict[str, list[int]]:
    """By field of the State, the places of the sections that read it."""
    readers: dict[str, list[int]] = {}
    for index, section in enumerate(recipe.sections):
        for field in section.reads:
            readers.setdefault(field, []).append(index)
    return readers


def _has_new_fences(since: Prompt, state: State) -> bool:
    """Whether fences are others now: with another mark, or with other folders by which tiers are told."""
    if since.recipe.fence_below is None:
        return False
    old, new = since.state.runtime, state.runtime
    folders = [(each.project, each.home, each.cwd) if each else None for each in (old, new)]
    return since.state.mark != state.mark or folders[0] != folders[1]


def _reuse_result(old: SectionResult, new: SectionResult) -> SectionResult:
    """The old one where the new one says the same, as a day does all day: what is known of it is kept."""
    if isinstance(new, Block) and isinstance(old, Block):
        return old if old.has_same_body(new) else new
    if isinstance(new, Omission) and isinstance(old, Omission):
        return old if (old.reason, old.notes) == (new.reason, new.notes) else new
    return new
