"""The settings of an agent that would have a text read, or read whole."""

import json
import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...model.recipe.wants.wanted_instructions import SettingsFile
from ...sections.told.limits import taken
from ..edit.edit_settings import edited, value_at
from .advice import Change
from .changed_world import ChangedWorld
from .shared_texts import Shared, text_at
from .standing import Told

AT_START = ("walk", "ends", "between", "cwd", "root")
"""Where a step looks at the start, in a project."""
KEY = re.compile(r'"[^"]*"|[^."]+')


class Place(NamedTuple):
    """Where an agent stands: the folders from the project's root down to the working directory."""

    world: ChangedWorld
    walk: Sequence[str]

    @property
    def root(self) -> str:
        """The project's."""
        return self.walk[0]


class Refused(NamedTuple):
    """A change that would help, to a file that can't be changed safely."""

    said: str


def possible_settings(place: Place, told: Told, shared: Shared) -> Iterator[Change | Refused]:
    """A change for each key and each value that could help."""
    for file in told.wants.settings_files:
        for key, sets in file.keys.items():
            for value in _values(place, told, shared, key, sets, file):
                yield from _set(place, file, key, value)


def _values(place: Place, told: Told, shared: Shared, key: str, sets: str, file: SettingsFile) -> Iterator[Any]:
    """What a key could be set to, so that the text is read, or read whole."""
    targets = [target.rpartition(".")[::2] for target in sets.split()]
    if "=" in key or not targets:
        return
    if targets[0][0] == "limits":
        yield from _room(told, shared, targets[0][1])
    steps = {step.step: step for step in told.wants.files}
    at_start = [(steps[step], field) for step, field in targets if step in steps and steps[step].where in AT_START]
    if any(field == "on" and not step.on for step, field in at_start) and not _is_set(place, file, key):
        yield True
    named = [(step, field) for step, field in at_start if field.strip("+") == "names"]
    if not named:
        return
    step, field = named[0]
    given = _given(place, file, key)
    kept = given if "+" in field or given else list(step.names)
    # A path from the working directory holds only in a file that lies there.
    bases = (shared.folder, place.walk[-1]) if file.where == "cwd" else (shared.folder,)
    for name in dict.fromkeys(posixpath.relpath(shared.path, base) for base in bases):
        if name not in kept:
            yield [*kept, name]


def _is_set(place: Place, file: SettingsFile, key: str) -> bool:
    """Whether somebody has decided."""
    path = settings_path(place, file, key)
    return path is not None and value_at(text_at(place.world, path) or "", path, parts(key)) is not None


def _given(place: Place, file: SettingsFile, key: str) -> list[str]:
    """The names that the file gives now."""
    path = settings_path(place, file, key)
    found = value_at(text_at(place.world, path) or "", path, parts(key)) if path else None
    return (
        [found]
        if isinstance(found, str)
        else [each for each in found if isinstance(each, str)]
        if isinstance(found, list)
        else []
    )


def _room(told: Told, shared: Shared, name: str) -> Iterator[int]:
    """As much as all files need that a limit counts, where it is in the way of this one."""
    files = told.found.state.context_files
    cuts = taken(files, told.wants.limits, {})
    if not any(files[index].path == shared.path and cut.limit.name == name for index, cut in cuts.items()):
        return
    limit = next(limit for limit in told.wants.limits if limit.name == name)
    sizes = [len(file.content.encode()) + 2 for file in files if file.kind in limit.of]
    need = sum(sizes) if limit.over == "together" else max(sizes)
    yield -(-need // 1024) * 1024 * 2


def parts(key: str) -> list[str]:
    """The steps of a key with dots; one in quotes may hold some itself."""
    return [step.strip('"') for step in KEY.findall(key)]


def settings_path(place: Place, file: SettingsFile, key: str) -> str | None:
    """The project's settings file to write to: the last that has the key, or one that is there, or the first."""
    folder = place.walk[-1] if file.where == "cwd" else place.root
    paths = [posixpath.join(folder, path) for path in file.paths if not path.startswith(("~", "/"))]
    there = [path for path in paths if place.world.look(path) is not None]
    having = [path for path in there if value_at(text_at(place.world, path) or "", path, parts(key)) is not None]
    return next(iter((*having[::-1], *there, *paths)), None)


def _set(place: Place, file: SettingsFile, key: str, value: Any) -> Iterator[Change | Refused]:
    path = settings_path(place, file, key)
    if path is None:
        return
    lies = place.world.look(path)
    before = text_at(place.world, path)
    shown, name = posixpath.relpath(path, place.root), key.replace('"', "")
    said = f"{shown}: `{name}` = {_shown(value)}"
    if lies is not None and (lies.kind != "file" or before is None):
        yield Refused(f"set `{name}` in {shown} to {_shown(value)} by hand: it is no plain text file")
        return
    try:
        after = edited(before or "", path, parts(key), value)
    except ValueError as problem:
        yield Refused(f"set `{name}` in {shown} to {_shown(value)} by hand: {problem}")
        return
    yield Change(path, "setting", said, before, after)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
