"""Takes over from an earlier State what is equal in a new one, so that no section is rendered again for it.

A service, a batch and a test make one State after another, and most of each says what the one before said. The last
prompt of each recipe is kept: whoever builds again without naming it still gets what is equal taken over.
"""

from collections.abc import Mapping
from itertools import compress
from operator import attrgetter, is_not
from typing import Any, NamedTuple

import msgspec

from ..lazy import cached
from ..model.prompt.prompt import GIVEN, WRITTEN, Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.files import ScannedText
from ..model.state.state import FIELDS, State

TEXTS = frozenset(("context_files", "workspace_files", "skills"))
"""Fields that hold texts: to compare them costs a hundredth of scanning and rendering them again."""
VALUES = ("agent", "user", "overrides", "tools", "servers", "runtime", "git", "session", "memories", "task", "limits")
"""Fields that are compared as they are written: 1 and True are equal, and so are dicts in another order.

A clock is in none of them: two times may be equal and be told in different zones.
"""
field_values, value_fields = attrgetter(*FIELDS), attrgetter(*VALUES)
KEY = "last prompt"


def given_state(prompt: Prompt) -> State:
    """The state that a prompt was built of; its own has equal values of an earlier one in place of some."""
    state = prompt.__dict__.get(GIVEN, prompt.state)
    assert isinstance(state, State)
    return state


def remember_state(prompt: Prompt, given: State, since: Prompt | None = None) -> Prompt:
    """Keep with a prompt what it was built of: a caller may change a dict in it later."""
    prompt.__dict__[GIVEN] = given
    before = None if since is None else since.__dict__.get(WRITTEN)
    values = value_fields(prompt.state)
    if since is None or before is None:
        prompt.__dict__[WRITTEN] = {name: _write(value) for name, value in zip(VALUES, values, strict=True)}
        return prompt
    changed = list(compress(zip(VALUES, values, strict=True), map(is_not, values, value_fields(since.state))))
    prompt.__dict__[WRITTEN] = {**before, **{name: _write(value) for name, value in changed}} if changed else before
    return prompt


def keep_written(prompt: Prompt, since: Prompt, changed: frozenset[str]) -> Prompt:
    """Keep with a prompt what its values were, where none of them has changed since the prompt before it."""
    if WRITTEN in since.__dict__ and changed.isdisjoint(VALUES):
        prompt.__dict__[WRITTEN] = since.__dict__[WRITTEN]
    return prompt


def share_equal_values(since: Prompt, new: State) -> State:
    """The new state with the values of an earlier prompt wherever they are equal: what is known of them stays known."""
    given, old = given_state(since), since.state
    changed = changed_fields(given, new)
    shared = {} if given is old else {name: getattr(old, name) for name in FIELDS if name not in changed}
    # A value that came from another file has another source, whatever it says.
    written: Mapping[str, bytes | None] = since.__dict__.get(WRITTEN, {}) if new.origins == old.origins else {}
    for name in changed:
        before, now = getattr(old, name), getattr(new, name)
        if name in TEXTS:
            shared[name] = _share_texts(before, now)
        elif (before == now == {}) or (written.get(name) is not None and written[name] == _write(now)):
            shared[name] = before
    if new.origins == old.origins:
        shared["origins"] = old.origins
    changes = {name: value for name, value in shared.items() if value is not getattr(new, name)}
    return new.replace(**{"origins": new.origins, **changes}) if changes else new


def _write(value: Any) -> bytes | None:
    """A value as bytes, the same for the same alone; None where it can't be written."""
    try:
        return msgspec.msgpack.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):  # of a user's own type, or half a surrogate pair
        return None


def _share_texts(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    """The new texts, with the old one for each that is equal, at the same place from the start or from the end."""
    if old == new:
        return old
    if type(old) is not type(new) or not all([isinstance(item, ScannedText) for item in new]):
        return new
    fill = (None,) * (len(new) - len(old))
    shared = _share_in_place((*old, *fill), new)
    return shared if len(old) == len(new) else _share_in_place((*fill, *old[max(len(old) - len(new), 0) :]), shared)


def _share_in_place(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([before if before == now else now for before, now in zip(old, new, strict=False)])


def changed_fields(old: State, new: State) -> frozenset[str]:
    """The fields that are not the same objects."""
    if old is new:
        return frozenset()
    return frozenset(compress(FIELDS, map(is_not, field_values(old), field_values(new))))


class LastPrompt(NamedTuple):
    """A prompt, and the state of which somebody wanted it: that of the prompt may be an earlier one that is equal."""

    prompt: Prompt
    state: State


def last_prompt(recipe: Recipe) -> LastPrompt | None:
    """What was built of it last, if all of its sections are ours: others may say what no state holds."""
    return recipe.__dict__.get(KEY) if _is_pure(recipe) else None


def keep_prompt(prompt: Prompt, state: State) -> None:
    """Keep it as the last one of its recipe. It stays as long as the recipe does, or until the next comes."""
    prompt.recipe.__dict__[KEY] = LastPrompt(prompt, state)


@cached
def _is_pure(recipe: Recipe) -> bool:
    return all(str(getattr(section.body, "__module__", "")).startswith("overture.") for section in recipe.sections)
