"""Explains one path or name: what it is, its role, and which settings would load it."""

import posixpath
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ..discover.configuration.load_config import USER_FILE
from ..discover.configuration.trust import find_path_fault
from ..discover.configuration.values import PROJECT
from ..discover.discover import ResolvedProject
from ..discover.disk.location import apply_features
from ..discover.disk.paths import (
    contains_path,
    describe_dead_link,
    list_walk_folders,
    real_path_or_same,
)
from ..discover.disk.repository import find_project_folder
from ..discover.instructions.find_instruction_files import find_nested_files
from ..discover.json_and_toml import format_toml_value
from ..known_agents.other_tools import match_known_file
from ..model.state.discovery import OUTCOMES_BEST_FIRST, Discovery, Look, PathFacts, PathRole, SettingsHint, best_look
from ..model.wants import ContextFiles
from ..text.path_printer import readable_path
from ..text.words import count_noun
from .find_path import (
    PathContext,
    find_close_name,
    find_known_instructions,
    find_meant_paths,
    find_nearest_path,
    find_path_kind,
    find_path_role,
    find_recorded_path,
    find_skill_places,
    list_skills_in,
)
from .resolve import find_project_roots, resolve_context_wants, resolve_wants


def find_path_facts(project: ResolvedProject, found: Discovery, name: str) -> tuple[PathFacts, ...]:
    """What is known about each path that a name stands for."""
    return tuple(_explain_one(project, found, path, name) for path in find_meant_paths(project, found, name))


def _explain_one(project: ResolvedProject, discovery: Discovery, path: str, name: str) -> PathFacts:
    wants = _find_context_wants(project)
    kind = find_path_kind(project.world, path)
    cause = describe_dead_link(project.world, path) if kind == "nothing" else None
    facts = PathFacts(path, kind, name, missing=cause or "", names=wants.names if wants else ())
    if facts.kind == "missing":
        return _explain_missing_path(project, discovery, facts)
    facts = replace(facts, same=find_recorded_path(project, discovery, path))
    if facts.kind == "folder":
        return _explain_folder(project, discovery, facts)
    return _explain_file(project, discovery, facts) if facts.kind == "file" else facts


def _explain_missing_path(project: ResolvedProject, discovery: Discovery, facts: PathFacts) -> PathFacts:
    missing, suggestion = find_nearest_path(project.world, facts.path)
    if not suggestion and not missing:
        suggestion = find_close_name(facts.name, (skill.name for skill in discovery.state.skills))
    return replace(facts, missing=missing, near=suggestion)


def _explain_file(project: ResolvedProject, discovery: Discovery, facts: PathFacts) -> PathFacts:
    path = facts.same or facts.path
    context = PathContext(project, resolve_wants(project), facts.names, discovery)
    role, of = find_path_role(context, path)
    facts = replace(facts, role=role, of=of)
    if role == "skill":
        folder = posixpath.dirname(posixpath.dirname(path))
        facts = replace(facts, skills=len(list_skills_in(project.world, folder)))
    look = best_look(discovery.looked_at, readable_path(path))
    if look is not None and not (look.outcome == "outside" or look.detail.startswith("by /")):
        return facts  # it is loaded, or no setting would change its outcome
    worth = look is not None or role in ("skill", "foreign", "text")
    return _add_helpful_settings(project, discovery, facts, path) if worth else facts


def _add_helpful_settings(project: ResolvedProject, discovery: Discovery, facts: PathFacts, path: str) -> PathFacts:
    """How a session treats a file, and which settings would load it."""
    trial = _simulate_nearby(project, path) if best_look(discovery.looked_at, readable_path(path)) is None else None
    if trial is not None and trial.nested and trial.on and trial.look.outcome != "hidden":
        return replace(facts, nested=trial.look)
    features = project.features
    off = "features.skills.enabled" if facts.role == "skill" else "features.context.enabled"
    is_on = features.skills_enabled if facts.role == "skill" else features.context_enabled
    facts = replace(facts, off="" if is_on else off, nested=trial.look if trial and trial.nested else None)
    help = _find_helpful_settings(project, path, facts.role, discovery)
    if help is not None:
        return replace(facts, help=help)
    return replace(facts, root=_find_root_above(project, path), cwd=_find_other_cwd(project, path))


def _find_root_above(project: ResolvedProject, path: str) -> str:
    """The root with which it would be loaded, if it is above the working directory; else empty."""
    folder = posixpath.dirname(path)
    if not contains_path(folder, project.cwd):
        return ""
    trial = _simulate_path(project._replace(location=project.location._replace(root=folder)), path)
    return folder if trial and trial.look.outcome == "loaded" else ""


def _find_other_cwd(project: ResolvedProject, path: str) -> str:
    """The working directory with which it would be loaded: its own folder; else empty."""
    folder = posixpath.dirname(path)
    trial = _simulate_path(project._replace(location=project.location._replace(cwd=folder, root=None)), path)
    return folder if trial and not trial.nested and trial.look.outcome == "loaded" else ""


def _explain_folder(project: ResolvedProject, discovery: Discovery, facts: PathFacts) -> PathFacts:
    """The files in a folder that are not loaded, and those that a session adds."""
    world, top = project.world, (facts.same or facts.path).rstrip("/")
    count = len(list_skills_in(world, top or "/"))
    searched = any(look.path.startswith(f"{top}/") and look.what == "skill" for look in discovery.looked_at)
    if count and not searched:
        skill = f"{top}/{list_skills_in(world, top)[0]}/SKILL.md"
        return replace(facts, skills=count, help=_find_helpful_settings(project, skill, "skill", discovery))
    unread: list[str] = []
    delivered: list[str] = []
    for name in find_known_instructions(world, top or "/"):
        if best_look(discovery.looked_at, f"{top}/{name}") is None:
            trial = _simulate_nearby(project, f"{top}/{name}")
            added = trial is not None and trial.nested and trial.on and trial.look.outcome == "loaded"
            (delivered if added else unread).append(name)
    known = [look.path for look in discovery.looked_at if look.what == "skill"]
    for subfolder, number in find_skill_places(world, top or "/").items():
        if not any(path.startswith(f"{top}/{subfolder}/") for path in known):
            unread.append(f"{subfolder} ({count_noun(number, 'skill')})")
    return replace(facts, unread=tuple(unread), delivered=tuple(delivered))


# Suggests settings that make an unread path read; each is simulated before it is suggested.

FOLDER_SETTINGS = ("features.skills.extra_dirs", "features.links.allow")
SettingsChange = dict[str, Any]
"""Settings by key."""


class PathTrial(NamedTuple):
    """The outcome of a path: by itself, or when a tool comes near it."""

    look: Look
    nested: bool = False
    on: bool = True
    """Whether a session adds files below the working directory."""


def _simulate_path(project: ResolvedProject, path: str, since: Discovery | None = None) -> PathTrial | None:
    """The outcome of a path in this project; None if it is not looked at."""
    look = best_look(project.find(since).looked_at, path)
    return _simulate_nearby(project, path) if look is None else PathTrial(look)


def _simulate_nearby(project: ResolvedProject, path: str) -> PathTrial | None:
    """The outcome of a path below the working directory in a session, when a tool comes near it."""
    wants = resolve_context_wants(project)
    if wants is None or not contains_path(project.cwd, path):
        return None
    reader = project.reader()
    find_nested_files(reader, wants, project.cwd, path, find_project_roots(project), project.home)
    look = best_look(reader.looked, path)
    return None if look is None else PathTrial(look, nested=True, on=wants.nested)


def _find_helpful_settings(
    project: ResolvedProject, path: str, role: PathRole, discovery: Discovery
) -> SettingsHint | None:
    """The first settings with which the path is loaded; else those with which it is at least looked at."""
    helps = []
    for change in _list_settings_changes(project, path, role):
        trial = _simulate_path(_apply_settings_change(project, change), path, discovery)
        if trial is not None and trial.nested and not trial.on:
            change = {**change, "features.context.nested": True}
            trial = _simulate_path(_apply_settings_change(project, change), path, discovery)
        if not change or trial is None or trial.look.outcome == "hidden":
            continue
        helps.append(SettingsHint(*_format_settings_lines(project, change), trial.look, trial.nested))
        if trial.look.outcome == "loaded":
            break
    return min(helps, key=lambda each: OUTCOMES_BEST_FIRST.index(each.look.outcome), default=None)


def _apply_settings_change(project: ResolvedProject, change: SettingsChange) -> ResolvedProject:
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


def _find_context_wants(project: ResolvedProject) -> ContextFiles | None:
    """The instruction files that the recipe looks for, or would if they were switched on."""
    features = msgspec.structs.replace(project.features, context_enabled=True)
    return apply_features(resolve_wants(project), features).context


def _list_context_names(project: ResolvedProject, path: str, role: PathRole) -> Iterator[tuple[str, ...]]:
    """The names unchanged, since all configured names are loaded; then with the missing one."""
    wants = _find_context_wants(project)
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
