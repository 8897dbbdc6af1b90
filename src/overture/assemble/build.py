"""`build` makes a Prompt of a recipe and a State: it renders each section whose inputs changed."""

from ..errors import OvertureError, RecipeError
from ..lazy import cached
from ..model.diagnostic import Diagnostic
from ..model.prompt.block import Block, Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Body, Group, Skip, make_node
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.audience_and_subagents import PUBLIC_REASON, restrict_to_audience, withheld_fields
from ..model.state.state import State
from ..tokens.counter import ESTIMATE, CounterSource
from ..traces import describe_prompt, traced
from .render_body import BodyRenderer
from .sanitize.forbidden_frames import Guard, recipe_guard
from .share_equal_values import changed_fields, find_input_state, remember_state, share_equal_values
from .tier_fences import fence_body, find_tier_fence

SectionResult = Block | Omission


def render_sections(recipe: Recipe, state: State) -> tuple[SectionResult, ...]:
    """Render each section of a recipe, in order."""
    guard = recipe_guard(recipe, state.secrets)
    return tuple([render_section(section, recipe, state, guard) for section in recipe.sections])


def render_section(section: Section, recipe: Recipe, state: State, guard: Guard) -> SectionResult:
    """Render one section, or record why it is skipped."""
    return _render_body(section, recipe, state, _find_body(section, recipe, state), guard)


def _find_body(section: Section, recipe: Recipe, state: State) -> Body:
    """The body of a section for the audience of the state."""
    shown = restrict_to_audience(state)
    body = _call_body(section, recipe, shown)
    if shown is state:
        return body
    return _limit_body_to_audience(section, recipe, state, body, withheld_fields(state, shown))


def _limit_body_to_audience(section: Section, recipe: Recipe, state: State, body: Body, hidden: frozenset[str]) -> Body:
    """The body for the audience; if the user would get another one, the record gives the reason."""
    if hidden.isdisjoint(section.reads):
        return body
    full = _call_body(section, recipe, state)
    if body is None or isinstance(body, Skip):
        return body if full is None or isinstance(full, Skip) else Skip(PUBLIC_REASON)
    if body == full:
        return body
    nodes = tuple(body) if isinstance(body, list | tuple) else (body,)
    return Group(nodes, loose="fair", omits=(PUBLIC_REASON,))


def _call_body(section: Section, recipe: Recipe, state: State) -> Body:
    """The body of a section, from its function; another error than ours names the section."""
    try:
        body = section.call_body(*section.inputs(state))
        fence = find_tier_fence(recipe, state) if recipe.fence_below is not None else None
        return body if fence is None else fence_body(body, fence)
    except OvertureError:
        raise
    except Exception as problem:
        raise _explain_failure(section, recipe, problem) from problem


def _render_body(section: Section, recipe: Recipe, state: State, body: Body, guard: Guard) -> SectionResult:
    """The block of a section, from its body; another error than ours names the section."""
    renderer = BodyRenderer(recipe, section, state.origins, guard)
    try:
        renderer.render_framed(body)
    except OvertureError:
        raise
    except Exception as problem:
        raise _explain_failure(section, recipe, problem) from problem
    return renderer.result()


def _explain_failure(section: Section, recipe: Recipe, problem: Exception) -> RecipeError:
    """The error of `build` for a section whose function raised."""
    message = f"{type(problem).__name__}: {problem}"
    return RecipeError(f"Section {section.name!r} of recipe {recipe.name!r} failed: {message}.")


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
    """Render `state` with `recipe`. Blocks of `since` stay if their inputs are the same objects or equal texts.

    If nothing has changed, the result is `since` itself. `found` is what discovery reported. The result has no cuts,
    even if `since` has: cut it with `fit(…, since=…)`. `counting` counts the tokens, or finds a counter; the counter of
    `since` takes precedence. `changed` names the fields in which the state differs from that of `since`, if the caller
    knows them: then nothing is compared.
    """
    if since is not None and since.fitted is not None:
        since = since.fitted.whole
    if since is None or since.recipe is not recipe or since.edits or _has_new_fences(since, state):
        # Edits of hooks are not part of the state.
        return remember_state(Prompt(recipe, state, render_sections(recipe, state), found, counting), state)
    if find_input_state(since) is state and since.found == found:
        return since
    if changed is not None and changed.isdisjoint(("audience", "secrets")):
        prompt = Prompt(recipe, state, _render_changed(recipe, state, since, changed), found, since.counting)
        return remember_state(prompt, state, since)
    shared = share_equal_values(since, state)
    changed = changed_fields(since.state, shared)
    if not changed and since.found == found:
        return since
    if (shared.audience, shared.secrets) == (since.state.audience, since.state.secrets):
        results = _render_changed(recipe, shared, since, changed)
    else:
        results = render_sections(recipe, shared)
    return remember_state(Prompt(recipe, shared, results, found, since.counting), state, since)


def _render_changed(recipe: Recipe, state: State, since: Prompt, changed: frozenset[str]) -> tuple[SectionResult, ...]:
    """Build again: render the sections that read a changed field; keep the results of the others."""
    guard, readers, results = recipe_guard(recipe, state.secrets), _index_readers(recipe), [*since.results]
    for index in sorted({index for field in changed for index in readers.get(field, ())}):
        old = results[index]
        body = _find_body(old.section, recipe, state)
        # The same body under the same guard gives the same text, and its notes name the same files.
        if not (isinstance(old, Block) and old.body == make_node(body) and "origins" not in changed):
            results[index] = _reuse_result(old, _render_body(old.section, recipe, state, body, guard))
    return tuple(results)


@cached
def _index_readers(recipe: Recipe) -> dict[str, list[int]]:
    """The indexes of the sections that read each field of the State."""
    readers: dict[str, list[int]] = {}
    for index, section in enumerate(recipe.sections):
        for field in section.reads:
            readers.setdefault(field, []).append(index)
    return readers


def _has_new_fences(since: Prompt, state: State) -> bool:
    """Whether the fences differ: by their mark, or by the folders that decide the tiers."""
    if since.recipe.fence_below is None:
        return False
    old, new = since.state.runtime, state.runtime
    folders = [(each.project, each.home, each.cwd) if each else None for each in (old, new)]
    return since.state.mark != state.mark or folders[0] != folders[1]


def _reuse_result(old: SectionResult, new: SectionResult) -> SectionResult:
    """The old result if the new one is equal, as a date is all day: its cached counts stay."""
    if isinstance(new, Block) and isinstance(old, Block):
        return old if old.has_same_body(new) else new
    if isinstance(new, Omission) and isinstance(old, Omission):
        return old if (old.reason, old.notes) == (new.reason, new.notes) else new
    return new
