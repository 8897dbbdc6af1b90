"""`build` makes a Prompt of a recipe and a State: it renders each section whose inputs changed."""

from ..errors import OvertureError, RecipeError
from ..model.diagnostic import Diagnostic
from ..model.prompt.block import Block, Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Body, Group, Skip
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.audience_and_subagents import PUBLIC_REASON, restrict_to_audience, withheld_fields
from ..model.state.state import State, changed_fields, encode_fields
from ..tokens.counter import ESTIMATE, CounterSource
from ..traces import describe_prompt, traced
from .render_body import BodyRenderer
from .sanitize.forbidden_frames import Guard, recipe_guard

SectionResult = Block | Omission
SEEN_BY_ALL = frozenset(("audience", "secrets", "origins"))
"""Fields on which every section depends."""


@traced("overture.build", describe_prompt)
def build(
    recipe: Recipe,
    state: State,
    *,
    since: Prompt | None = None,
    found: tuple[Diagnostic, ...] = (),
    counting: CounterSource = ESTIMATE,
) -> Prompt:
    """Render `state` with `recipe`. Blocks of `since` stay if their inputs hold what they held then.

    If nothing has changed, the result is `since` itself. `found` is what discovery reported. The result has no cuts,
    even if `since` has: cut it with `fit(…, since=…)`. `counting` counts the tokens, or finds a counter; the counter of
    `since` takes precedence.
    """
    if since is not None and since.fitted is not None:
        since = since.fitted.whole
    guard, fields = recipe_guard(recipe, state.secrets), encode_fields(state)
    if since is None or since.recipe is not recipe or since.edits:
        # Edits of hooks are not part of the state.
        results = [render_section(section, recipe, state, guard) for section in recipe.sections]
        return Prompt(recipe, state, tuple(results), found, counting, fields=fields)
    changed = changed_fields(since.fields, fields)
    if not changed and since.found == found:
        return since
    changed_for_all = not changed.isdisjoint(SEEN_BY_ALL)
    results = [
        _keep_equal(old, render_section(old.section, recipe, state, guard))
        if changed_for_all or not changed.isdisjoint(old.section.reads)
        else old
        for old in since.results
    ]
    return Prompt(recipe, state, tuple(results), found, since.counting, fields=fields)


def _keep_equal(old: SectionResult, new: SectionResult) -> SectionResult:
    """The old result if the new one is equal, as a date is all day: its cached counts stay."""
    if isinstance(new, Block) and isinstance(old, Block):
        return old if old.has_same_body(new) else new
    if isinstance(new, Omission) and isinstance(old, Omission):
        return old if (old.reason, old.notes) == (new.reason, new.notes) else new
    return new


def render_section(section: Section, recipe: Recipe, state: State, guard: Guard) -> SectionResult:
    """Render one section for the audience of the state, or record why it is skipped."""
    renderer = BodyRenderer(recipe, section, state.origins, guard)
    try:
        renderer.render_framed(_find_body(section, state))
    except OvertureError:
        raise
    except Exception as problem:
        message = f"{type(problem).__name__}: {problem}"
        raise RecipeError(f"Section {section.name!r} of recipe {recipe.name!r} failed: {message}.") from problem
    return renderer.result()


def _find_body(section: Section, state: State) -> Body:
    """The body for the audience; if the user would get another one, the record gives the reason."""
    shown = restrict_to_audience(state)
    body = section.call_body(*section.inputs(shown))
    if shown is state or withheld_fields(state, shown).isdisjoint(section.reads):
        return body
    full = section.call_body(*section.inputs(state))
    if body is None or isinstance(body, Skip):
        return body if full is None or isinstance(full, Skip) else Skip(PUBLIC_REASON)
    if body == full:
        return body
    nodes = tuple(body) if isinstance(body, list | tuple) else (body,)
    return Group(nodes, loose="fair", omits=(PUBLIC_REASON,))
