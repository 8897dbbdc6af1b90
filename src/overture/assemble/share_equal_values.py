"""A new State reuses equal values of an earlier one, so that no section is rendered again for them.

A service, a batch or a test makes one State after another, and most values stay the same. The last prompt of each
recipe is kept: a build that does not name it reuses its values too.
"""

from itertools import compress
from operator import is_not
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from ..lazy import cached
from ..model.prompt.prompt import GIVEN, WRITTEN, Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.state import FIELDS, State, field_values

TEXTS = frozenset(("context_files", "workspace_files", "skills"))
"""Fields that hold texts: comparing them costs a hundredth of scanning and rendering them again."""
KEY = "last prompt"


def find_input_state(prompt: Prompt) -> State:
    """The state that the caller passed; `prompt.state` has equal values of an earlier state in place of some."""
    state = prompt.__dict__.get(GIVEN, prompt.state)
    assert isinstance(state, State)
    return state


def remember_state(prompt: Prompt, state: State, since: Prompt | None = None) -> Prompt:
    """Store the caller's state with a prompt, and its encoded tools: a caller may change a schema later."""
    tools, known = prompt.state.tools, None
    if since is not None and since.state.tools is tools:
        known = since.__dict__.get(WRITTEN)
    prompt.__dict__.update({GIVEN: state, WRITTEN: known or _encode(tools)})
    return prompt


def share_equal_values(since: Prompt, new: State) -> State:
    """The new state with the objects of an earlier prompt wherever values are equal, so that caches stay valid."""
    old, shared = since.state, {}
    same_files = new.origins == old.origins  # an equal value from another file has another source
    rows = zip(FIELDS, field_values(find_input_state(since)), field_values(old), field_values(new), strict=True)
    for name, given, before, now in rows:
        if now is before:
            continue
        if now is given:
            shared[name] = before
        elif name in TEXTS:
            shared[name] = _share_texts(before, now)
        elif now == {} == before or (same_files and _is_same_value(since, name, before, now)):
            shared[name] = before
    return structs.replace(new, **shared) if shared else new


def _is_same_value(since: Prompt, name: str, before: Any, now: Any) -> bool:
    """Whether a field has the value that it had when `since` was built, and is written in the same way."""
    if name == "tools":  # in their schemas, 1 and True differ, and so does the order of keys
        written: bytes | None = since.__dict__.get(WRITTEN)
        return written is not None and written == _encode(now)
    if name == "now":  # two equal times may have different zones
        return bool(before == now) and repr(before) == repr(now)
    if name == "mission":  # in its data, too, 1 and True differ
        return False
    return bool(before == now) and (name == "origins" or _is_hashable(before))


def _is_hashable(value: Any) -> bool:
    """Whether there is no list or dict in a value, which its owner may have changed since the earlier build."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _encode(value: Any) -> bytes | None:
    """A value as bytes, different for different values; None if it can't be encoded."""
    try:
        return msgspec.msgpack.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):  # of a user's own type, or half a surrogate pair
        return None


def _share_texts(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    """The new texts; the old object replaces each that equals it at the same index, from the start or the end."""
    if old == new:
        return old
    fill = (None,) * (len(new) - len(old))
    shared = _share_in_place((*old, *fill), new)
    return shared if len(old) == len(new) else _share_in_place((*fill, *old[max(len(old) - len(new), 0) :]), shared)


def _share_in_place(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([before if before == now else now for before, now in zip(old, new, strict=False)])


def changed_fields(old: State, new: State) -> frozenset[str]:
    """The fields whose values are not the same objects."""
    if old is new:
        return frozenset()
    return frozenset(compress(FIELDS, map(is_not, field_values(old), field_values(new))))


class LastPrompt(NamedTuple):
    """A prompt, and the state that the caller passed; `prompt.state` may be an earlier one that is equal."""

    prompt: Prompt
    state: State


def last_prompt(recipe: Recipe) -> LastPrompt | None:
    """The last prompt of a recipe; None if a section is not ours: it may depend on more than the state."""
    return recipe.__dict__.get(KEY) if _is_pure(recipe) else None


def keep_prompt(prompt: Prompt, state: State) -> None:
    """Store a prompt as the last one of its recipe, until the next replaces it or the recipe is gone."""
    prompt.recipe.__dict__[KEY] = LastPrompt(prompt, state)


@cached
def _is_pure(recipe: Recipe) -> bool:
    return all(str(getattr(section.body, "__module__", "")).startswith("overture.") for section in recipe.sections)
