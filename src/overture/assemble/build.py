"""Recipe + State -> Prompt: the loop over the sections."""

from itertools import compress
from operator import attrgetter, is_not

from ..model.diagnostic import Diagnostic
from ..model.prompt.block import Block
from ..model.prompt.cuts_and_omissions import Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.state import FIELDS, State
from ..tokens.counter import ESTIMATE, Counting
from .gate.frames_of_prompt import guard_for
from .say_sections import say, spoken

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
    if since is None or since.recipe is not recipe or since.edits or since.held or _fenced_anew(since, state):
        # What a hook did, or what a message told, is no part of what the state says.
        return Prompt(recipe, state, spoken(recipe, state), found, counting)
    changed = changed_fields(since.state, state)
    if not changed and since.found == found:
        return since
    if (state.audience, state.secrets) != (since.state.audience, since.state.secrets):
        return Prompt(recipe, state, spoken(recipe, state), found, since.counting)
    guard = guard_for(recipe, state.secrets)
    results = [
        old if changed.isdisjoint(old.section.reads) else _again(old, say(old.section, recipe, state, guard))
        for old in since.results
    ]
    return Prompt(recipe, state, tuple(results), found, since.counting)


def _fenced_anew(since: Prompt, state: State) -> bool:
    """Whether fences are others now: with another mark, or with other folders by which tiers are told."""
    if since.recipe.fence_below is None:
        return False
    old, new = since.state.runtime, state.runtime
    places = [(each.project, each.home, each.cwd) if each else None for each in (old, new)]
    return since.state.mark != state.mark or places[0] != places[1]


def _again(old: Block | Omission, new: Block | Omission) -> Block | Omission:
    """The old one where the new one says the same, as a day does all day: what is known of it is kept."""
    if isinstance(new, Block) and isinstance(old, Block):
        return old if old.says_what(new) else new
    return old if isinstance(new, Omission) and isinstance(old, Omission) and old.reason == new.reason else new


def changed_fields(old: State, new: State) -> frozenset[str]:
    """The fields that are not the same objects. Equal is not enough: comparing would cost more than building."""
    if old is new:
        return frozenset()
    return frozenset(compress(FIELDS, map(is_not, values(old), values(new))))
