"""Finds the settings with which an unread path would be read; each is simulated before it is suggested."""

import posixpath
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from ..discover.configuration.config import PROJECT
from ..discover.configuration.load_config import USER_FILE
from ..discover.configuration.trusted_settings import find_path_fault
from ..discover.discover import ResolvedProject, fill_wants
from ..discover.disk.paths import contains_path, list_walk_folders, real_path_or_same
from ..discover.disk.repository import find_project_folder
from ..discover.disk.search_scope import apply_features
from ..discover.instructions.find_context_files import find_nested_files
from ..discover.parse_json_and_toml import format_toml_value
from ..known_agents.file_owners import match_known_file
from ..model.state.discovery import OUTCOMES_BEST_FIRST, Discovery, Look, PathRole, SettingsHint, best_look
from ..model.wants import ContextFiles
from .resolve import find_project_roots, resolve_context_wants

FOLDER_SETTINGS = ("features.skills.extra_dirs", "features.links.allow")


SettingsChange = dict[str, Any]
"""Settings by key."""


class PathTrial(NamedTuple):
    """The outcome of a path: by itself, or when a tool comes near it."""

    look: Look
    nested: bool = False
    on: bool = True
    """Whether a session adds files below the working directory."""


def simulate_path(project: ResolvedProject, path: str, since: Discovery | None = None) -> PathTrial | None:
    """The outcome of a path in this project; None if it is not looked at."""
    look = best_look(project.find(since).looked_at, path)
    return simulate_nearby(project, path) if look is None else PathTrial(look)


def simulate_nearby(project: ResolvedProject, path: str) -> PathTrial | None:
    """The outcome of a path below the working directory in a session, when a tool comes near it."""
    wants = resolve_context_wants(project)
    if wants is None or not contains_path(project.cwd, path):
        return None
    reader = project.reader()
    find_nested_files(reader, wants, project.cwd, path, find_project_roots(project), project.home)
    look = best_look(reader.looked, path)
    return None if look is None else PathTrial(look, nested=True, on=wants.nested)


def find_helpful_settings(project: ResolvedProject, path: str, role: PathRole, found: Discovery) -> SettingsHint | None:
    """The first settings with which the path is loaded; else those with which it is at least looked at."""
    helps = []
    for change in _list_settings_changes(project, path, role):
        trial = simulate_path(_apply_settings_change(project, change), path, found)
        if trial is not None and trial.nested and not trial.on:
            change = {**change, "features.context.nested": True}
            trial = simulate_path(_apply_settings_change(project, change), path, found)
        if not change or trial is None or trial.look.outcome == "hidden":
            continue
        helps.append(SettingsHint(*_format_settings_lines(project, change), trial.look, trial.nested))
        if trial.look.outcome == "loaded":
            break
    return min(helps, key=lambda each: OUTCOMES_BEST_FIRST.index(each.look.outcome), default=None)


def _apply_settings_change(project: ResolvedProject, change: SettingsChange) -> ResolvedProject:
    """The project with the settings changed, to simulate whether the path is read then."""
    fields = {key.removeprefix("features.").replace(".", "_"): value for key, value in change.items()}
    return project._replace(features=msgspec.structs.replace(project.features, **fields))


def _list_settings_changes(project: ResolvedProject, path: str, role: PathRole) -> Iterator[SettingsChange]:
    """What could help, the smallest change first."""
    features = project.features
    is_skill = role == "skill"
    switch = "features.skills.enabled" if is_skill else "features.context.enabled"
    on = {} if (features.skills_enabled if is_skill else features.context_enabled) else {switch: True}
    yield on
    real = real_path_or_same(project.world, path)
    if is_skill:
        folder = posixpath.dirname(posixpath.dirname(path))
        yield {**on, "features.skills.extra_dirs": (*features.skills_extra_dirs, folder)}
    else:
        for names in _list_context_names(project, path, role):
            yield {**on, "features.context.filenames": names}
    for above in (posixpath.dirname(real), posixpath.dirname(posixpath.dirname(real))):
        yield {**on, "features.links.allow": (*features.links_allow, above)}


def find_context_wants(project: ResolvedProject) -> ContextFiles | None:
    """The instruction files that the recipe looks for, or would if they were switched on."""
    features = msgspec.structs.replace(project.features, context_enabled=True)
    return apply_features(fill_wants(project), features).context


def _list_context_names(project: ResolvedProject, path: str, role: PathRole) -> Iterator[tuple[str, ...]]:
    """The names unchanged, since all configured names are loaded; then with the missing one."""
    wants = find_context_wants(project)
    if wants is None:
        return
    yield wants.names
    known = match_known_file(path)
    if known is not None:
        yield (*wants.names, known[0])
    elif role == "text":
        walk = list_walk_folders(project.cwd, project.root)
        yield from ((*wants.names, posixpath.relpath(path, top)) for top in reversed(walk) if contains_path(top, path))


def _format_settings_lines(project: ResolvedProject, change: SettingsChange) -> tuple[tuple[str, ...], str]:
    """The change as lines, and the place where they take effect."""
    config, recipe = project.config, project.recipe.name
    nearest = min((config.get(key, recipe) for key in change), key=lambda value: value.rank)
    if nearest.rank == 0:
        where = "on the command line (-c)"
    elif nearest.rank < PROJECT:
        where = f"in {nearest.origin}"
    elif nearest.rank > PROJECT and _reaches_out(project, change):
        where = f"in {project.home.rstrip('/')}/{USER_FILE}"
    else:
        table = ", under [tool.overture]" if config.file.endswith("pyproject.toml") else ""
        where = f"in {config.file or 'overture.toml'}{table}"
    if nearest.rank == PROJECT and _reaches_out(project, change):
        where += ", and run `overture trust`"
    folder = posixpath.dirname(config.file) if config.file and nearest.rank >= PROJECT else project.cwd
    lines = (
        f"{config.counting(key, recipe)} = {format_toml_value(_shorten_folders(key, value, folder))}"
        for key, value in change.items()
    )
    return tuple(lines), where


def _reaches_out(project: ResolvedProject, change: SettingsChange) -> bool:
    """Whether the change needs trust in a project's own file: a folder is outside."""
    project_folder = find_project_folder(project.world, project.config.folder or project.cwd)
    values = [each for key, value in change.items() if key in FOLDER_SETTINGS for each in value]
    return any(find_path_fault(project.world, path, project_folder, folder=True) for path in values)


def _shorten_folders(key: str, value: Any, folder: str) -> Any:
    """Folders as a file of `folder` writes them: below it relative, else in full."""
    if key not in FOLDER_SETTINGS:
        return value
    return [posixpath.relpath(path, folder) if contains_path(folder, path) else path for path in value]
