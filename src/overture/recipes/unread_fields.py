"""Reports what a caller gives and no section of the recipe reads: a field of the State, or a part of one."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import fields, replace

from ..errors import OvertureError
from ..lazy import cached
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import Recipe
from ..model.recipe.section import Section
from ..model.state.state import State
from . import BUILTIN, builtin

EMPTY_STATE = State()
OWN_MODULES, TEMPLATES = "overture.", "overture.recipes.toml"
"""Sections that are safe to call, and those among them that a user wrote."""


@cache
def _make_full_state() -> State:
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
    full = getattr(_make_full_state(), field)
    sections = [section for section in recipe.sections if field in section.reads]
    if not isinstance(full, Struct) or not all(map(_is_own, sections)):
        return None
    read: set[str] = set()
    traced = _make_traced_kind(type(full), read)
    for value in _list_variants(full):
        copy = traced(**{name: getattr(value, name) for name in full.__struct_fields__})
        for state in (_make_full_state(), EMPTY_STATE):
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


ELSEWHERE = frozenset(
    ("tools", "native_tools", "runtime", "now", "session", "extra", "audience", "secrets", "mark", "limits", "origins")
)
"""Fields that count without a section: a request, a hook, a session or the guard reads them."""


UNSEEN = ELSEWHERE - {"origins"}
LISTS = frozenset(("memories", "skills", "workspace_files", "context_files"))


def may_differ_in_unread(recipe: Recipe, changed: Iterable[str], old: State, new: State) -> bool:
    """Whether `find_unread` may say something else of a state that differs in these fields.

    Of a list it asks only whether it is empty, unless the recipe tells apart what kinds of files there are.
    """
    return any(
        [
            name not in LISTS
            or (name == "context_files" and bool(recipe.wants.files))
            or bool(getattr(old, name)) != bool(getattr(new, name))
            for name in changed
            if name not in UNSEEN
        ]
    )


def find_unread(recipe: Recipe, fields: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """A line for each field or part that is given and is not in the prompt, with the recipes that read it.

    Of a state that was discovered, what has its file in `origins` is not given by anybody.
    """
    origins = {path.partition("[")[0] for path in fields.get("origins") or ()}
    discovered = {path.partition(".")[0] for path in origins}
    unread: list[Diagnostic] = []
    for name, value in fields.items():
        if name in ELSEWHERE or value == getattr(EMPTY_STATE, name):
            continue
        if _reads(recipe, name, value):
            unread += _find_unread_parts(recipe, name, value, origins)
        elif name not in discovered:
            others = [other for other in BUILTIN if _has_reader(builtin(other), name)]
            unread.append(_report(recipe, name, others))
    return tuple(unread)


def _reads(recipe: Recipe, name: str, value: Any) -> bool:
    if not _has_reader(recipe, name):
        return False
    steps = {files.step for files in recipe.wants.files}
    # An agent of somebody else's says the files of its own steps, and no others.
    return name != "context_files" or not steps or any((f.kind or "").partition(":")[0] in steps for f in value)


def _has_reader(recipe: Recipe, name: str) -> bool:
    return name in _list_read_fields(recipe)


@cached
def _list_read_fields(recipe: Recipe) -> frozenset[str]:
    return frozenset(name for section in recipe.sections for name in section.reads)


def _find_unread_parts(recipe: Recipe, name: str, value: Any, origins: set[str]) -> Iterator[Diagnostic]:
    """The parts that only other recipes read. One that none of them reads is the caller's own business."""
    if not isinstance(value, Struct) or name in origins or (read := find_read_parts(recipe, name)) is None:
        return
    for part in _list_given_parts(value):
        if part not in read and f"{name}.{part}" not in origins:
            others = [other for other in BUILTIN if part in (find_read_parts(builtin(other), name) or ())]
            if others:
                yield _report(recipe, f"{name}.{part}", others)


def _list_given_parts(value: Struct) -> list[str]:
    """The parts that are not at their default; one that is taken away is not given either."""
    defaults = {each.name: each.default for each in fields(value)}
    return [name for name, default in defaults.items() if getattr(value, name) not in (default, UNSET)]


def _report(recipe: Recipe, path: str, others: Iterable[str]) -> Diagnostic:
    problem = f"`{path}` is set, but recipe {recipe.name!r} does not use it: it is not in the prompt"
    return Diagnostic("warning", "field-unread", f"{problem}. Recipes that use it: {', '.join(others)}", field=path)
