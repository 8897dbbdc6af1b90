"""A new State reuses equal values of an earlier one, so that no section is rendered again for them.

A service, a batch or a test makes one State after another, and most values stay the same. The last prompt of each
recipe is kept: a build that does not name it reuses its values too.
"""

from collections.abc import Mapping
from itertools import compress
from operator import attrgetter, is_not
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from ..lazy import cached
from ..model.prompt.prompt import GIVEN, WRITTEN, Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.state import FIELDS, State, field_values

TEXTS = frozenset(("context_files", "workspace_files", "skills"))
"""Fields that hold texts: comparing them costs a hundredth of scanning and rendering them again."""
VALUES = ("agent", "user", "overrides", "tools", "servers", "runtime", "git", "session", "memories", "task", "limits")
"""Fields that are compared by their encoded bytes: for `==`, 1 is True, and dicts in another order are equal.

None of them has a clock: two equal times may have different zones.
"""
value_fields = attrgetter(*VALUES)
KEY = "last prompt"


def find_input_state(prompt: Prompt) -> State:
    """The state that the caller passed; `prompt.state` has equal values of an earlier state in place of some."""
    state = prompt.__dict__.get(GIVEN, prompt.state)
    assert isinstance(state, State)
    return state


def remember_state(prompt: Prompt, state: State, since: Prompt | None = None) -> Prompt:
    """Store the caller's state and its encoded values with a prompt: a caller may change a dict later."""
    prompt.__dict__[GIVEN] = state
    before = None if since is None else since.__dict__.get(WRITTEN)
    values = value_fields(prompt.state)
    if since is None or before is None:
        prompt.__dict__[WRITTEN] = {name: _encode(value) for name, value in zip(VALUES, values, strict=True)}
        return prompt
    changed = list(compress(zip(VALUES, values, strict=True), map(is_not, values, value_fields(since.state))))
    prompt.__dict__[WRITTEN] = {**before, **{name: _encode(value) for name, value in changed}} if changed else before
    return prompt


def keep_encoded_values(prompt: Prompt, since: Prompt, changed: frozenset[str]) -> Prompt:
    """Copy the encoded values of `since`, by which equal ones are found, to a prompt if none of them has changed."""
    if WRITTEN in since.__dict__ and changed.isdisjoint(VALUES):
        prompt.__dict__[WRITTEN] = since.__dict__[WRITTEN]
    return prompt


def share_equal_values(since: Prompt, new: State) -> State:
    """The new state with the objects of an earlier prompt wherever values are equal, so that caches stay valid."""
    input_state, old = find_input_state(since), since.state
    changed = changed_fields(input_state, new)
    shared = {} if input_state is old else {name: getattr(old, name) for name in FIELDS if name not in changed}
    # An equal value from another file has another source.
    written: Mapping[str, bytes | None] = since.__dict__.get(WRITTEN, {}) if new.origins == old.origins else {}
    for name in changed:
        before, now = getattr(old, name), getattr(new, name)
        if name in TEXTS:
            shared[name] = _share_texts(before, now)
        elif (before == now == {}) or (written.get(name) is not None and written[name] == _encode(now)):
            shared[name] = before
    if new.origins == old.origins:
        shared["origins"] = old.origins
    changes = {name: value for name, value in shared.items() if value is not getattr(new, name)}
    return structs.replace(new, **changes) if changes else new


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
