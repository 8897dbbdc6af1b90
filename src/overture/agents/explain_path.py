"""Explains one path or name: which files it means, the role of each, and the settings with which it is loaded."""

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ..discovery.allowed import DOCUMENT_SUFFIXES
from ..discovery.configuration.config import PROJECT
from ..discovery.configuration.load_config import USER_FILE
from ..discovery.configuration.trust import find_path_fault
from ..discovery.context_files import find_nested_files
from ..discovery.discover import ResolvedProject, apply_features, fill_wants
from ..discovery.files import describe_dead_link
from ..discovery.parse_json_and_toml import format_toml_value, parse_toml
from ..discovery.paths import contains_path, expand_path, list_walk_folders
from ..discovery.repository import find_project_folder
from ..discovery.world import World, make_absolute, process_directory
from ..errors import find_similar
from ..known_agents.file_owners import INSTRUCTIONS, SKILLS, match_known_file
from ..known_agents.other_tools_files import list_matching_files
from ..model.state.discovery import (
    OUTCOMES_BEST_FIRST,
    Discovery,
    Look,
    PathFacts,
    PathKind,
    PathRole,
    SettingsHint,
    best_look,
)
from ..model.wants import ContextFiles
from ..project.resolve import resolve_context_wants
from ..text.path_printer import readable_path
from ..text.words import count_noun

SKILL_FOLDERS = "features.skills.extra_dirs"
SettingsChange = dict[str, Any]
"""Settings by key."""


class PathTrial(NamedTuple):
    """The outcome of a path: by itself, or when a tool comes near it."""

    look: Look
    nested: bool = False
    on: bool = True
    """Whether a session adds files below the working directory."""


def find_path_facts(project: ResolvedProject, found: Discovery, name: str) -> tuple[PathFacts, ...]:
    """What is known about each path that a name stands for."""
    wants = _find_context_wants(project)
    names = wants.names if wants else ()
    return tuple(
        _explain_one(project, found, PathFacts(path, find_path_kind(project.world, path), name, names=names))
        for path in find_meant_paths(project, found, name)
    )


def _explain_one(project: ResolvedProject, found: Discovery, facts: PathFacts) -> PathFacts:
    """The explanation of one path: a file, a folder, or one that is missing."""
    match facts.kind:
        case "nothing":
            return replace(facts, missing=describe_dead_link(project.world, facts.path) or "")
        case "missing":
            missing, near = _find_nearest_path(project.world, facts.path)
            if not near and not missing:
                near = _find_similar_name(facts.name, (skill.name for skill in found.state.skills))
            return replace(facts, missing=missing, near=near)
        case "folder":
            return _explain_folder(project, found, replace(facts, same=_find_recorded_path(project, found, facts.path)))
        case "file":
            return _explain_file(project, found, replace(facts, same=_find_recorded_path(project, found, facts.path)))
    return facts


def _explain_file(project: ResolvedProject, found: Discovery, facts: PathFacts) -> PathFacts:
    """The explanation of a file: its role, how a session treats it, and the settings that would load it."""
    path = facts.same or facts.path
    role, of = find_path_role(project, found, path, facts.names)
    facts = replace(facts, role=role, of=of)
    if role == "skill":
        skills = _list_skills_in(project.world, posixpath.dirname(posixpath.dirname(path)))
        facts = replace(facts, skills=len(skills))
    look = best_look(found.looked_at, readable_path(path))
    if look is None and role not in ("skill", "foreign", "text"):
        return facts
    if look is not None and not look.detail.startswith("by /"):
        return facts  # it is loaded, or no setting would change its outcome
    trial = _simulate_nearby(project, path) if look is None else None
    if trial is not None and trial.on and trial.look.outcome != "hidden":
        return replace(facts, nested=trial.look)
    switch, is_on = _find_switch(project, role)
    facts = replace(facts, off="" if is_on else switch, nested=trial.look if trial else None)
    help = _find_helpful_settings(project, path, role, found)
    if help is not None:
        return replace(facts, help=help)
    folder, location = posixpath.dirname(path), project.location
    root, cwd = location._replace(root=folder), location._replace(cwd=folder, root=None)
    is_above = contains_path(folder, project.cwd)
    return replace(
        facts,
        root=folder if is_above and _is_loaded(project._replace(location=root), path) else "",
        cwd=folder if _is_loaded(project._replace(location=cwd), path) else "",
    )


def _explain_folder(project: ResolvedProject, found: Discovery, facts: PathFacts) -> PathFacts:
    """The files in a folder that are not loaded, and those that a session adds."""
    world, top = project.world, (facts.same or facts.path).rstrip("/")
    skills = _list_skills_in(world, top or "/")
    searched = [look.path for look in found.looked_at if look.what == "skill"]
    if skills and not any(path.startswith(f"{top}/") for path in searched):
        help = _find_helpful_settings(project, f"{top}/{skills[0]}/SKILL.md", "skill", found)
        return replace(facts, skills=len(skills), help=help)
    unread: list[str] = []
    delivered: list[str] = []
    known = dict.fromkeys(path for pattern in INSTRUCTIONS for path in list_matching_files(world, top or "/", pattern))
    for path in known:
        if find_path_kind(world, path) == "file" and best_look(found.looked_at, path) is None:
            trial = _simulate_nearby(project, path)
            added = trial is not None and trial.on and trial.look.outcome == "loaded"
            (delivered if added else unread).append(path.removeprefix(f"{top}/"))
    for subfolder in SKILLS:
        number = len(_list_skills_in(world, f"{top}/{subfolder}"))
        if number and not any(path.startswith(f"{top}/{subfolder}/") for path in searched):
            unread.append(f"{subfolder} ({count_noun(number, 'skill')})")
    return replace(facts, unread=tuple(unread), delivered=tuple(delivered))


# The role of a file.


def find_path_role(
    project: ResolvedProject, found: Discovery, path: str, names: tuple[str, ...]
) -> tuple[PathRole, str]:
    """The role of a file, and the tool, skill, file or name that it refers to. `names` are of instruction files."""
    return (
        _find_configured_role(project, path)
        or _find_template_or_skill_role(project, found, path)
        or _find_role_by_name(path, names)
    )


def _find_configured_role(project: ResolvedProject, path: str) -> tuple[PathRole, str] | None:
    """A file with settings of ours, or that a setting names."""
    config, (folder, name) = project.config, posixpath.split(path)
    if path in (config.file, f"{project.home.rstrip('/')}/{USER_FILE}"):
        return "settings", path
    if name == "pyproject.toml" and not _has_table(project.world, path):
        return "no settings", ""
    if name in ("overture.toml", "pyproject.toml"):
        return "far settings", config.file if contains_path(folder, project.cwd) else ""
    tools, models = (config.get(key, project.recipe.name) for key in ("tools", "models"))
    if tools.value == path:
        return "tools", tools.origin
    if models.value == path:
        return "models", models.origin
    for each in config.extending(project.recipe.name):
        if expand_path(each.spec.rpartition(":")[0], each.folder, project.home) == path:
            return "extension", each.origin
    return None


def _has_table(world: World, path: str) -> bool:
    try:
        tool = parse_toml(world.read(path)).get("tool")
    except (OSError, ValueError):
        return False
    return isinstance(tool, dict) and "overture" in tool


def _find_template_or_skill_role(project: ResolvedProject, found: Discovery, path: str) -> tuple[PathRole, str] | None:
    folder, name = posixpath.split(path)
    templates = fill_wants(project).templates
    if templates is not None and name.endswith(".md"):
        folders = [posixpath.join(project.cwd, each) for each in templates.project]
        if folder in (*folders, *(posixpath.join(project.home, each) for each in templates.home)):
            return "template", name.removesuffix(".md")
    for skill in found.state.skills:
        if contains_path(posixpath.dirname(skill.location), path) and path != skill.location:
            return "part", skill.name
    return ("skill", "") if name == "SKILL.md" else None


def _find_role_by_name(path: str, names: tuple[str, ...]) -> tuple[PathRole, str]:
    name = posixpath.basename(path)
    cased = {each.lower(): each for each in names}
    if name not in names and name.lower() in cased:
        return "miscased", cased[name.lower()]
    known = match_known_file(path)
    if known is not None or name in names:
        return "foreign", known[1] if known else ""
    return ("text" if name.lower().endswith(DOCUMENT_SUFFIXES) else "plain"), ""


# The settings that would load a file.


def _find_switch(project: ResolvedProject, role: PathRole) -> tuple[str, bool]:
    """The setting that looks for files of a role at all, and its value."""
    if role == "skill":
        return "features.skills.enabled", project.features.skills_enabled
    return "features.context.enabled", project.features.context_enabled


def _find_helpful_settings(
    project: ResolvedProject, path: str, role: PathRole, found: Discovery
) -> SettingsHint | None:
    """The first settings with which the path is loaded; else those with which it is at least looked at."""
    helps = []
    for change in _list_settings_changes(project, path, role):
        trial = _simulate_path(project, change, path, found)
        if trial is not None and trial.nested and not trial.on:
            change = {**change, "features.context.nested": True}
            trial = _simulate_path(project, change, path, found)
        if not change or trial is None or trial.look.outcome == "hidden":
            continue
        helps.append(SettingsHint(*_format_settings_lines(project, change), trial.look, trial.nested))
        if trial.look.outcome == "loaded":
            break
    return min(helps, key=lambda each: OUTCOMES_BEST_FIRST.index(each.look.outcome), default=None)


def _list_settings_changes(project: ResolvedProject, path: str, role: PathRole) -> Iterator[SettingsChange]:
    """What could help, the smallest change first."""
    switch, is_on = _find_switch(project, role)
    on = {} if is_on else {switch: True}
    yield on
    if role == "skill":
        folder = posixpath.dirname(posixpath.dirname(path))
        yield {**on, SKILL_FOLDERS: (*project.features.skills_extra_dirs, folder)}
    elif wants := _find_context_wants(project):
        yield {**on, "features.context.filenames": wants.names}  # all names that a setting has are loaded
        known = match_known_file(path)
        if known is not None:
            yield {**on, "features.context.filenames": (*wants.names, known[0])}
        elif role == "text":
            above = [top for top in list_walk_folders(project.cwd, project.root) if contains_path(top, path)]
            names = (posixpath.relpath(path, top) for top in reversed(above))
            yield from ({**on, "features.context.filenames": (*wants.names, name)} for name in names)


def _simulate_path(project: ResolvedProject, change: SettingsChange, path: str, since: Discovery) -> PathTrial | None:
    """The outcome of a path in this project with changed settings; None if it is not looked at."""
    fields = {key.removeprefix("features.").replace(".", "_"): value for key, value in change.items()}
    project = project._replace(features=msgspec.structs.replace(project.features, **fields))
    look = best_look(project.find(since).looked_at, path)
    return _simulate_nearby(project, path) if look is None else PathTrial(look)


def _simulate_nearby(project: ResolvedProject, path: str) -> PathTrial | None:
    """The outcome of a path below the working directory in a session, when a tool comes near it."""
    wants = resolve_context_wants(project)
    if wants is None or not contains_path(project.cwd, path):
        return None
    reader = project.reader()
    find_nested_files(reader, wants, project.place(), path)
    look = best_look(reader.looked, path)
    return None if look is None else PathTrial(look, nested=True, on=wants.nested)


def _is_loaded(project: ResolvedProject, path: str) -> bool:
    look = best_look(project.find().looked_at, path)
    return look is not None and look.outcome == "loaded"


def _find_context_wants(project: ResolvedProject) -> ContextFiles | None:
    """The instruction files that the recipe looks for, or would if they were switched on."""
    features = msgspec.structs.replace(project.features, context_enabled=True)
    return apply_features(fill_wants(project), features).context


def _format_settings_lines(project: ResolvedProject, change: SettingsChange) -> tuple[tuple[str, ...], str]:
    """The change as lines, and the place where they take effect."""
    config, recipe = project.config, project.recipe.name
    nearest = min((config.get(key, recipe) for key in change), key=lambda value: value.rank)
    project_folder = find_project_folder(project.world, config.folder or project.cwd)
    folders = change.get(SKILL_FOLDERS, ())
    # A project's own file may name a folder outside only if the user trusts it.
    reaches_out = any(find_path_fault(project.world, path, project_folder, folder=True) for path in folders)
    if nearest.rank == 0:
        where = "on the command line (-c)"
    elif nearest.rank < PROJECT:
        where = f"in {nearest.origin}"
    elif nearest.rank > PROJECT and reaches_out:
        where = f"in {project.home.rstrip('/')}/{USER_FILE}"
    else:
        table = ", under [tool.overture]" if config.file.endswith("pyproject.toml") else ""
        where = f"in {config.file or 'overture.toml'}{table}"
    if nearest.rank == PROJECT and reaches_out:
        where += ", and run `overture trust`"
    folder = posixpath.dirname(config.file) if config.file and nearest.rank >= PROJECT else project.cwd
    lines = []
    for key, value in change.items():
        if key == SKILL_FOLDERS:
            value = [posixpath.relpath(path, folder) if contains_path(folder, path) else path for path in value]
        lines.append(f"{config.counting(key, recipe)} = {format_toml_value(value)}")
    return tuple(lines), where


# A name that the user asks about -> the paths that it means.


def find_meant_paths(project: ResolvedProject, discovery: Discovery, name: str) -> list[str]:
    """The paths that a name means: itself, or else every file, folder or skill of that name."""
    world = project.world
    path = make_absolute(world, expand_path(name, project.cwd, project.home))
    named = [] if name.startswith((".", "/", "~")) else list(_find_named_paths(project, discovery, name.rstrip("/")))
    kind = find_path_kind(world, path)
    if kind == "folder" and find_path_kind(world, f"{path}/SKILL.md") == "file":
        return [f"{path}/SKILL.md"]
    if kind == "folder":
        return [*(each for each in named if each.endswith("/SKILL.md")), path]
    if kind != "missing":
        return [path]
    shell = make_absolute(world, posixpath.join(process_directory(world), name))
    if name and not name.startswith("~") and find_path_kind(world, shell) != "missing":
        return [shell]
    return list(dict.fromkeys(named)) or [path]


def _find_named_paths(project: ResolvedProject, discovery: Discovery, name: str) -> Iterable[str]:
    """The paths with a name: looked at, skills, in folders above, or where any tool keeps skills."""
    walk = list_walk_folders(project.cwd, project.root)
    for look in discovery.looked_at:
        if look.outcome != "absent" and look.path.endswith((f"/{name}", f"/{name}/SKILL.md")):
            yield look.path
    yield from (skill.location for skill in discovery.state.skills if skill.name == name)
    paths = [posixpath.join(folder, name) for folder in reversed(walk)] if name else []
    if name and "/" not in name:
        folders = (posixpath.join(folder, each) for folder in (*walk, project.home) for each in SKILLS)
        paths += [f"{folder}/{name}/SKILL.md" for folder in folders]
    yield from (path for path in paths if find_path_kind(project.world, path) == "file")


def find_path_kind(world: World, path: str) -> PathKind:
    """The kind of file or folder at a path, links followed."""
    try:
        entry = world.look(path)
        if entry is None:
            return "missing"
        if entry.kind == "link":
            entry = world.look(world.real(path))
    except FileNotFoundError:
        return "nothing"
    except OSError:
        return "other"
    if entry is None:
        return "nothing"
    return {"file": "file", "dir": "folder"}.get(entry.kind, "other")  # type: ignore[return-value]


def _list_skills_in(world: World, folder: str) -> list[str]:
    """The folders of a folder that hold a SKILL.md."""
    names = (name for name, _ in world.list(folder))
    return [name for name in names if find_path_kind(world, f"{folder}/{name}/SKILL.md") == "file"]


def _find_nearest_path(world: World, path: str) -> tuple[str, str]:
    """The missing step of a path, if it is not the last, and a path like it that exists."""
    folder, name = posixpath.split(path)
    last = True
    while folder != "/" and find_path_kind(world, folder) != "folder":
        (folder, name), last = posixpath.split(folder), False
    near = _find_similar_name(name, (each for each, _ in world.list(folder)))
    return "" if last else f"{folder} has no {name!r}", posixpath.join(folder, near) if near else ""


def _find_similar_name(name: str, known: Iterable[str]) -> str:
    """The known name that is like another without its suffix, in any letter case: a common `.md` is no likeness."""
    stems = {posixpath.splitext(each)[0].lower(): each for each in known}
    return stems.get(find_similar(posixpath.splitext(name)[0].lower(), stems), "")


def _find_recorded_path(project: ResolvedProject, discovery: Discovery, path: str) -> str:
    """The recorded path of a file that was asked for through a link; empty if it is the same."""
    refused = (look.path for look in discovery.looked_at if look.outcome == "outside")
    if best_look(discovery.looked_at, path) is not None or any(contains_path(each, path) for each in refused):
        return ""
    folder, name = posixpath.split(path)
    target = _write_as_walked(project, project.world.real_or_same(path))
    if best_look(discovery.looked_at, target) is not None:
        return "" if target == path else target
    plain = _write_as_walked(project, posixpath.join(project.world.real_or_same(folder), name))
    return "" if plain == path else plain


def _write_as_walked(project: ResolvedProject, real: str) -> str:
    """A real path, written as the walk writes it: the working directory may have been reached through a link."""
    for base in (*reversed(list_walk_folders(project.cwd, project.root)), project.home):
        top = project.world.real_or_same(base)
        if contains_path(top, real):
            return posixpath.normpath(posixpath.join(base, posixpath.relpath(real, top)))
    return real
