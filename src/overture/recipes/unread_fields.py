"""Reports fields of the State, and parts of them, that a caller sets and no section of the recipe reads."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any

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
"""Modules whose sections are safe to call, and the one whose sections a user wrote."""


@cache
def _make_full_state() -> State:
    """A state with all parts of all fields, and everything that sections need to read them."""
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
    """The parts of a field that the recipe's sections read; None if that is unknown."""
    full = getattr(_make_full_state(), field)
    sections = [section for section in recipe.sections if field in section.reads]
    if not isinstance(full, Struct) or not all(map(_is_own, sections)):
        return None
    read: set[str] = set()
    traced = _make_traced_kind(type(full), read)
    for value in _list_variants(full):
        copy = traced(**{name: getattr(value, name) for name in full.__struct_fields__})
        for state in (_make_full_state(), EMPTY_STATE):
            with_copy = state.replace(**{field: copy})
            for section in sections:
                with suppress(OvertureError):  # only what the section reads matters
                    section.call_body(*section.inputs(with_copy))
        if len(read) == len(full.__struct_fields__):
            break
    return frozenset(read)


def _make_traced_kind(kind: type[Struct], read: set[str]) -> type[Struct]:
    """A subclass of the struct that adds the name of each accessed part to `read`."""
    names = frozenset(kind.__struct_fields__)

    def note_and_get(self: Any, name: str) -> Any:
        if name in names:
            read.add(name)
        return kind.__getattribute__(self, name)

    make_kind: Any = type(kind)
    traced: type[Struct] = make_kind(kind.__name__, (kind,), {"__getattribute__": note_and_get}, frozen=True)
    return traced


def _is_own(section: Section) -> bool:
    """Whether a section is one of ours, whose reading can be traced."""
    module = getattr(section.body, "__module__", None) or ""
    return module.startswith(OWN_MODULES) and not module.startswith(TEMPLATES)


def _list_variants(full: Any) -> Iterator[Any]:
    """Yield all parts, each part alone, and all but one: one part may decide whether another is read."""
    required = {each.name: getattr(full, each.name) for each in fields(full) if each.required}
    bare = type(full)(**required)
    yield full
    for name in full.__struct_fields__:
        yield replace(bare, **{name: getattr(full, name)})
        yield replace(full, **{name: getattr(bare, name)})


READ_ELSEWHERE = frozenset(
    ("tools", "native_tools", "runtime", "now", "session", "extra", "audience", "secrets", "mark", "limits", "origins")
)
"""Fields that need no section: a request, a hook, a session or the guard reads them."""


NEVER_REPORTED = READ_ELSEWHERE - {"origins"}
LISTS = frozenset(("memories", "skills", "workspace_files", "context_files"))


def may_differ_in_unread(recipe: Recipe, changed: Iterable[str], old: State, new: State) -> bool:
    """Whether `find_unread` may return something else for a state that differs in these fields.

    For a list only its emptiness matters, unless the recipe distinguishes kinds of files.
    """
    return any(
        [
            (name not in LISTS and getattr(old, name) != getattr(new, name))
            or (name == "context_files" and bool(recipe.wants.files))
            or bool(getattr(old, name)) != bool(getattr(new, name))
            for name in changed
            if name not in NEVER_REPORTED
        ]
    )


def find_unread(recipe: Recipe, fields: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """A warning for each set field or part that is not in the prompt, with the recipes that read it.

    In a discovered state, a field with a file in `origins` does not come from the caller.
    """
    origins = {path.partition("[")[0] for path in fields.get("origins") or ()}
    discovered = {path.partition(".")[0] for path in origins}
    unread: list[Diagnostic] = []
    for name, value in fields.items():
        if name in READ_ELSEWHERE or value == getattr(EMPTY_STATE, name):
            continue
        if _reads(recipe, name, value):
            unread += _find_unread_parts(recipe, name, value, origins)
        elif name not in discovered:
            unread.append(_report(recipe, name, _find_readers(name)))
    return tuple(unread)


def _reads(recipe: Recipe, name: str, value: Any) -> bool:
    """Whether a recipe reads this field, with this value."""
    if name not in _list_read_fields(recipe):
        return False
    steps = {files.step for files in recipe.wants.files}
    # A known agent renders only the files of its own steps.
    return name != "context_files" or not steps or any((f.kind or "").partition(":")[0] in steps for f in value)


@cache
def _find_readers(field: str, part: str | None = None) -> tuple[str, ...]:
    """The built-in recipes that read a field, or a part of one."""
    if part is None:
        return tuple(name for name in BUILTIN if field in _list_read_fields(builtin(name)))
    return tuple(name for name in BUILTIN if part in (find_read_parts(builtin(name), field) or ()))


@cache
def _list_parts(kind: type[Struct]) -> tuple[tuple[str, Any], ...]:
    """The parts of a field, each with its default. msgspec evaluates all annotations of the struct for that."""
    return tuple((each.name, each.default) for each in fields(kind))


@cached
def _list_read_fields(recipe: Recipe) -> frozenset[str]:
    return frozenset(name for section in recipe.sections for name in section.reads)


def _find_unread_parts(recipe: Recipe, name: str, value: Any, origins: set[str]) -> Iterator[Diagnostic]:
    """The warnings about parts that only other recipes read. A part that no recipe reads is not reported."""
    if not isinstance(value, Struct) or name in origins or (read := find_read_parts(recipe, name)) is None:
        return
    for part, default in _list_parts(type(value)):
        is_set = getattr(value, part) not in (default, UNSET)
        if is_set and part not in read and f"{name}.{part}" not in origins and (others := _find_readers(name, part)):
            yield _report(recipe, f"{name}.{part}", others)


def _report(recipe: Recipe, path: str, others: Iterable[str]) -> Diagnostic:
    """The warning about a field that is set and not read."""
    problem = f"`{path}` is set, but recipe {recipe.name!r} does not use it: it is not in the prompt"
    return Diagnostic("warning", "field-unread", f"{problem}. Recipes that use it: {', '.join(others)}", field=path)
