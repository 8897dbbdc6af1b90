"""Finds the settings by which an agent could load a file it misses, or load it whole."""

import json
import posixpath
from collections.abc import Iterator
from typing import Any

from ...model.wants.instruction_files import SettingsFile
from ...sections.agent_files import cut_files
from ...text.lazy_pattern import compile_on_use
from .advice import AgentChange, ManualChange
from .edit_settings import edit_setting, read_setting
from .shared_files import SharedFile
from .simulated_world import LoadResult, SimulatedProject, read_text_at

AT_START = ("walk", "ends", "between", "cwd", "root")
"""Where a step looks at the start, in a project."""
KEY = compile_on_use(r'"[^"]*"|[^."]+')


def find_possible_settings(
    project: SimulatedProject, result: LoadResult, shared: SharedFile
) -> Iterator[AgentChange | ManualChange]:
    """A change for each key and each value that could help."""
    for file in result.wants.settings_files:
        for key, sets in file.keys.items():
            for value in _find_values(project, result, shared, key, sets, file):
                yield from _change_setting(project, file, key, value)


def _find_values(
    project: SimulatedProject, result: LoadResult, shared: SharedFile, key: str, sets: str, file: SettingsFile
) -> Iterator[Any]:
    """What a key could be set to, so that the text is read, or read whole."""
    targets = [target.rpartition(".")[::2] for target in sets.split()]
    if "=" in key or not targets:
        return
    if targets[0][0] == "limits":
        yield from _find_needed_limit(result, shared, targets[0][1])
    steps = {step.step: step for step in result.wants.files}
    at_start = [(steps[step], field) for step, field in targets if step in steps and steps[step].where in AT_START]
    if any(field == "on" and not step.on for step, field in at_start) and not _is_set(project, file, key):
        yield True
    named = [(step, field) for step, field in at_start if field.strip("+") == "names"]
    if not named:
        return
    step, field = named[0]
    listed = _read_names(project, file, key)
    names = listed if "+" in field or listed else list(step.names)
    # A path from the working directory holds only in a file that lies there.
    bases = (shared.folder, project.walk[-1]) if file.where == "cwd" else (shared.folder,)
    for name in dict.fromkeys(posixpath.relpath(shared.path, base) for base in bases):
        if name not in names:
            yield [*names, name]


def _is_set(project: SimulatedProject, file: SettingsFile, key: str) -> bool:
    """Whether somebody has decided."""
    path = find_settings_path(project, file, key)
    return path is not None and read_setting(read_text_at(project.world, path) or "", path, split_key(key)) is not None


def _read_names(project: SimulatedProject, file: SettingsFile, key: str) -> list[str]:
    """The names that the file gives now."""
    path = find_settings_path(project, file, key)
    found = read_setting(read_text_at(project.world, path) or "", path, split_key(key)) if path else None
    return (
        [found]
        if isinstance(found, str)
        else [each for each in found if isinstance(each, str)]
        if isinstance(found, list)
        else []
    )


def _find_needed_limit(result: LoadResult, shared: SharedFile, name: str) -> Iterator[int]:
    """As much as all files need that a limit counts, where it is in the way of this one."""
    files = result.found.state.context_files
    cuts = cut_files(files, result.wants.limits, {})
    if not any(files[index].path == shared.path and cut.limit.name == name for index, cut in cuts.items()):
        return
    limit = next(limit for limit in result.wants.limits if limit.name == name)
    sizes = [len(file.content.encode()) + 2 for file in files if file.kind in limit.of]
    need = sum(sizes) if limit.over == "together" else max(sizes)
    yield -(-need // 1024) * 1024 * 2


def split_key(key: str) -> list[str]:
    """The steps of a key with dots; one in quotes may hold some itself."""
    return [step.strip('"') for step in KEY.findall(key)]


def find_settings_path(project: SimulatedProject, file: SettingsFile, key: str) -> str | None:
    """The project's settings file to write to: the last that has the key, or one that is there, or the first."""
    folder = project.walk[-1] if file.where == "cwd" else project.root
    paths = [posixpath.join(folder, path) for path in file.paths if not path.startswith(("~", "/"))]
    there = [path for path in paths if project.world.look(path) is not None]
    having = [
        path
        for path in there
        if read_setting(read_text_at(project.world, path) or "", path, split_key(key)) is not None
    ]
    return next(iter((*having[::-1], *there, *paths)), None)


def _change_setting(
    project: SimulatedProject, file: SettingsFile, key: str, value: Any
) -> Iterator[AgentChange | ManualChange]:
    path = find_settings_path(project, file, key)
    if path is None:
        return
    entry = project.world.look(path)
    before = read_text_at(project.world, path)
    shown, name = posixpath.relpath(path, project.root), key.replace('"', "")
    description = f"{shown}: `{name}` = {_format_value(value)}"
    if entry is not None and (entry.kind != "file" or before is None):
        yield ManualChange(f"set `{name}` in {shown} to {_format_value(value)} by hand: it is not a plain text file")
        return
    try:
        after = edit_setting(before or "", path, split_key(key), value)
    except ValueError as problem:
        yield ManualChange(f"set `{name}` in {shown} to {_format_value(value)} by hand: {problem}")
        return
    yield AgentChange(path, "setting", description, before, after)


def _format_value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
