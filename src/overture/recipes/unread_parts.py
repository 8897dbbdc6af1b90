"""Finds which parts of a field a recipe reads, as `name` of `agent`: its sections are called with probes."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..errors import OvertureError
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.state import State

EMPTY_STATE = State()
OWN_MODULES, TEMPLATES = "overture.", "overture.recipes.toml"
"""Sections that are safe to call, and those among them that a user wrote."""


@cache
def _full_state() -> State:
    """A state in which every field with parts has all of them, and what sections need to read them."""
    return State.from_dict(
        {
            "agent": {
                "name": "Ada", "emoji": "*", "creature": "owl", "vibe": "calm", "soul": "Soul.", "identity": "Who.",
                "instructions": "How.", "role": "Role.", "responsibilities": [{"title": "Duty", "content": "Do."}],
                "system_prompt": "All.", "capabilities": ["files"],
            },
            "user": {"name": "Ada", "timezone": "Europe/Paris", "location": "Paris"},
            "overrides": {"system": "Base.", "append": "More."},
            "task": {
                "id": "1", "title": "Task", "description": "What.", "status": "open", "owner": "Ada",
                "steps": [{"title": "Step"}],
            },
            "context_files": [{"path": "/p/AGENTS.md", "content": "Use tabs."}],
            "memories": ["Tabs."],
            "tools": [{"name": "exec"}, {"name": "read"}],
            "runtime": {"cwd": "/p"},
            "now": "2026-01-01T12:00:00Z",
            "session": {"id": "s"},
            "channel": "telegram",
            "background": True,
        }
    )  # fmt: skip


@lru_cache(maxsize=64)
def find_read_parts(recipe: Recipe, field: str) -> frozenset[str] | None:
    """The parts of a field that some section of the recipe reads; None where that is not known."""
    full = getattr(_full_state(), field)
    sections = [section for section in recipe.sections if field in section.reads]
    if not isinstance(full, Struct) or not all(map(_is_own, sections)):
        return None
    read: set[str] = set()
    traced = _make_traced_kind(type(full), read)
    for value in _list_variants(full):
        copy = traced(**{name: getattr(value, name) for name in full.__struct_fields__})
        for state in (_full_state(), EMPTY_STATE):
            _call_sections(sections, state.replace(**{field: copy}))
        if len(read) == len(full.__struct_fields__):
            break
    return frozenset(read)


def _make_traced_kind(kind: type[Struct], read: set[str]) -> type[Struct]:
    """A struct of the same kind that adds the name of each part that somebody reads to `read`."""
    names = frozenset(kind.__struct_fields__)

    def note_and_get(self: Any, name: str) -> Any:
        if name in names:
            read.add(name)
        return kind.__getattribute__(self, name)

    make_kind: Any = type(kind)
    traced: type[Struct] = make_kind(kind.__name__, (kind,), {"__getattribute__": note_and_get}, frozen=True)
    return traced


def _call_sections(sections: list[Section], state: State) -> None:
    """Call the sections for what they read; what they say, or why they refuse, does not matter."""
    for section in sections:
        with suppress(OvertureError):
            section.speak(*section.inputs(state))


def _is_own(section: Section) -> bool:
    module = getattr(section.body, "__module__", None) or ""
    return module.startswith(OWN_MODULES) and not module.startswith(TEMPLATES)


def _list_variants(full: Any) -> Iterator[Any]:
    """All parts, each part alone, and all but one: one part may decide whether another is read."""
    fields = msgspec.structs.fields(full)
    required = {each.name: getattr(full, each.name) for each in fields if each.required}
    bare = type(full)(**required)
    yield full
    for name in full.__struct_fields__:
        yield replace(bare, **{name: getattr(full, name)})
        yield replace(full, **{name: getattr(bare, name)})
