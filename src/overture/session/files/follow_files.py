"""Finds what a session reads again with each prompt of the user, and reads it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...discover.git_facts import GIT_FAILED, OUTSIDE
from ...model.recipe.recipe import Recipe
from ...model.state.discovery import Discovery
from ...model.state.state import State
from ...model.struct import is_given_whole
from ...model.wants import FIELDS_BY_WANT, Wants
from .session_files import Memories, Resources, SessionFiles, list_differing_files, read_session_files

GIT, MACHINE = FIELDS_BY_WANT["git"], FIELDS_BY_WANT["runtime"]
FACTS = tuple(path.partition(".")[2] for path in MACHINE)
ANY_PACE = frozenset(("user", "runtime.timezone", *MACHINE))
"""The user and the machine: re-read at any pace, because the recipes' documents read them for each request."""


def list_followed_paths(recipe: Recipe, memories: Memories) -> tuple[str, ...]:
    """The discovered paths of State that a section of pace `turn` reads; live memories at any pace."""
    fast = {field for section in recipe.sections if section.pace == "turn" for field in section.reads}
    read = {field for section in recipe.sections for field in section.reads}
    kinds = [paths for kind, paths in FIELDS_BY_WANT.items() if getattr(recipe.wants, kind)]
    followed = []
    for path in dict.fromkeys(path for paths in kinds for path in paths):
        live = memories == "live" if path == "memories" else path in ANY_PACE
        field = path.partition(".")[0]
        if field in read if live else field in fast and path != "memories":
            followed.append(path)
    return tuple(followed)


def drop_caller_paths(paths: Sequence[str], fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths that the caller does not set, neither as a whole field nor as a part."""
    return tuple([path for path in paths if not _is_caller_set(fields, *path.partition(".")[::2])])


def _is_caller_set(fields: Mapping[str, Any], field: str, part: str) -> bool:
    value = fields.get(field)
    if part:
        return getattr(value, part, None) not in (None, ())
    # A caller's struct overrides the file field by field. One with a required field overrides it as a whole.
    return field in fields and (not isinstance(value, Struct) or is_given_whole(value))


def reread_files(files: SessionFiles, paths: tuple[str, ...]) -> tuple[SessionFiles, str, frozenset[str]]:
    """The files with these paths of the State read again, what changed in words, and the files that were looked at.

    Only the kinds of files that these paths need are searched.
    """
    project, added = files.project, files.resources
    kinds = [kind for kind, fields in FIELDS_BY_WANT.items() if not set(fields).isdisjoint(paths)]
    wants = Wants(project.recipe.wants.walk, **{kind: getattr(project.recipe.wants, kind) for kind in kinds})
    narrow = project._replace(recipe=replace(project.recipe, wants=wants, files=()), notes=())
    resources = Resources(added.skills if "skills" in paths else (), added.context if "context_files" in paths else ())
    now = read_session_files(narrow, resources, files)
    discovery = _renew_discovery(files.discovery, now.discovery, paths)
    extra = _renew_discovery(files.extra, now.extra, paths)
    changes = [_describe_changes(files.discovery, discovery), _describe_changes(files.extra, extra)]
    looked_at = frozenset(look.path for look in now.discovery.looked_at)
    return replace(files, discovery=discovery, extra=extra), ", ".join(filter(None, changes)), looked_at


def _renew_discovery(old: Discovery, new: Discovery, paths: Iterable[str]) -> Discovery:
    """`old`, updated from `new`: these paths of the State, and the diagnostics of their files."""
    whats = {look.what for look in new.looked_at}
    own = {look.path for look in old.looked_at if look.what in whats}
    is_git = not set(GIT).isdisjoint(paths)
    before = [note for note in old.diagnostics if note.path in own or (is_git and note.code in (GIT_FAILED, OUTSIDE))]
    others = tuple(note for note in old.diagnostics if note not in before)
    return Discovery(
        adopt_paths(old.state, new.state, paths),
        old.diagnostics if before == list(new.diagnostics) else (*others, *new.diagnostics),
        (*(look for look in old.looked_at if look.what not in whats), *new.looked_at),
        {**{key: cached for key, cached in old.cached_files.items() if key[0] not in whats}, **new.cached_files},
    )


def adopt_paths(old: State, new: State, paths: Iterable[str]) -> State:
    """The old state with these paths of the new one; the old state itself if they are equal."""
    changes: dict[str, Any] = {}
    for path in paths:
        field, _, part = path.partition(".")
        before, now = getattr(old, field), getattr(new, field)
        if part and before and now and getattr(before, part) != getattr(now, part):
            changes[field] = replace(changes.get(field, before), **{part: getattr(now, part)})
        elif not part and now is not before and now != before:
            changes[field] = now
    if not changes:
        return old
    own = tuple(paths)
    origins = {path: origin for path, origin in old.origins.items() if not _is_below(path, own)}
    origins |= {path: origin for path, origin in new.origins.items() if _is_below(path, own)}
    return old.replace(**changes, origins=origins)


def _is_below(path: str, tops: tuple[str, ...]) -> bool:
    """Whether a field's path is one of those, or below one."""
    return any(path == top or path.startswith((f"{top}.", f"{top}[")) for top in tops)


def _describe_changes(old: Discovery, new: Discovery) -> str:
    """What changed the state or the diagnostics: files, git, the machine; an empty text if both are equal."""
    if new.state is old.state and new.diagnostics == old.diagnostics:
        return ""
    names = list_differing_files(old, new)
    if new.state.git != old.state.git:
        names.append("git")
    before, now = old.state.runtime, new.state.runtime
    if before != now and any(getattr(before, name, None) != getattr(now, name, None) for name in FACTS):
        names.append("the machine")
    return ", ".join(names) or "a file"
