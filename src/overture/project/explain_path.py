"""Explains one path or name: what is there, what role it has, and what would make it read."""

import posixpath
from collections.abc import Iterable

from msgspec.structs import replace

from ..discover.discover import ResolvedProject
from ..discover.disk.paths import (
    contains_path,
    describe_dead_link,
    expand_path,
    list_walk_folders,
    make_absolute,
    process_directory,
    real_path_or_same,
)
from ..model.state.discovery import Discovery, PathFacts, best_look
from ..text.path_printer import readable_path
from ..text.words import count_noun
from .helpful_settings import find_context_wants, find_helpful_settings, simulate_nearby, simulate_path
from .path_role import (
    PathContext,
    find_close_name,
    find_known_instructions,
    find_nearest_path,
    find_path_kind,
    find_path_role,
    find_skill_places,
    find_skills_named,
    list_skills_in,
)
from .resolve import resolve_wants


def explain_asked_path(project: ResolvedProject, found: Discovery, name: str) -> tuple[PathFacts, ...]:
    """What is known of each path that a name stands for."""
    return tuple(_explain_one(project, found, path, name) for path in _find_meant_paths(project, found, name))


def _find_meant_paths(project: ResolvedProject, found: Discovery, name: str) -> list[str]:
    """The paths that a name stands for: itself, or else every file, folder or skill of that name."""
    world = project.world
    path = make_absolute(world, expand_path(name, project.cwd, project.home))
    named = [] if name.startswith((".", "/", "~")) else list(_find_named_paths(project, found, name.rstrip("/")))
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


def _find_named_paths(project: ResolvedProject, found: Discovery, name: str) -> Iterable[str]:
    walk = list_walk_folders(project.cwd, project.root)
    for look in found.looked_at:
        if look.outcome != "absent" and look.path.endswith((f"/{name}", f"/{name}/SKILL.md")):
            yield look.path
    yield from (skill.location for skill in found.state.skills if skill.name == name)
    above = (f"{folder.rstrip('/')}/{name}" for folder in reversed(walk))
    yield from (path for path in above if name and find_path_kind(project.world, path) == "file")
    yield from find_skills_named(project.world, (*walk, project.home), name)


def _explain_one(project: ResolvedProject, found: Discovery, path: str, name: str) -> PathFacts:
    wants = find_context_wants(project)
    kind = find_path_kind(project.world, path)
    cause = describe_dead_link(project.world, path) if kind == "nothing" else None
    facts = PathFacts(path, kind, name, missing=cause or "", names=wants.names if wants else ())
    if facts.kind == "missing":
        return _explain_missing_path(project, found, facts)
    facts = replace(facts, same=_find_recorded_path(project, found, path))
    if facts.kind == "folder":
        return _explain_folder(project, found, facts)
    return _explain_file(project, found, facts) if facts.kind == "file" else facts


def _explain_missing_path(project: ResolvedProject, found: Discovery, facts: PathFacts) -> PathFacts:
    missing, suggestion = find_nearest_path(project.world, facts.path)
    if not suggestion and not missing:
        suggestion = find_close_name(facts.name, (skill.name for skill in found.state.skills))
    return replace(facts, missing=missing, near=suggestion)


def _find_recorded_path(project: ResolvedProject, found: Discovery, path: str) -> str:
    """The path under which the record has a file that was asked for through a link; nothing where it is the same."""
    refused = (look.path for look in found.looked_at if look.outcome == "outside")
    if best_look(found.looked_at, path) is not None or any(contains_path(each, path) for each in refused):
        return ""
    folder, name = posixpath.split(path)
    target = _write_as_walked(project, real_path_or_same(project.world, path))
    if best_look(found.looked_at, target) is not None:
        return "" if target == path else target
    plain = _write_as_walked(project, posixpath.join(real_path_or_same(project.world, folder), name))
    return "" if plain == path else plain


def _write_as_walked(project: ResolvedProject, real: str) -> str:
    """A real path, written as the walk writes it: the working directory may have been reached through a link."""
    for base in (*reversed(list_walk_folders(project.cwd, project.root)), project.home):
        top = real_path_or_same(project.world, base)
        if contains_path(top, real):
            return posixpath.normpath(posixpath.join(base, posixpath.relpath(real, top)))
    return real


def _explain_file(project: ResolvedProject, found: Discovery, facts: PathFacts) -> PathFacts:
    path = facts.same or facts.path
    context = PathContext(project, resolve_wants(project), facts.names, found)
    role, of = find_path_role(context, path)
    facts = replace(facts, role=role, of=of)
    if role == "skill":
        folder = posixpath.dirname(posixpath.dirname(path))
        facts = replace(facts, skills=len(list_skills_in(project.world, folder)))
    look = best_look(found.looked_at, readable_path(path))
    if look is not None and not (look.outcome == "outside" or look.detail.startswith("by /")):
        return facts  # it is read, or no setting would change what came of it
    worth = look is not None or role in ("skill", "foreign", "text")
    return _add_helpful_settings(project, found, facts, path) if worth else facts


def _add_helpful_settings(project: ResolvedProject, found: Discovery, facts: PathFacts, path: str) -> PathFacts:
    """What a session makes of a file, and what would have it read."""
    trial = simulate_nearby(project, path) if best_look(found.looked_at, readable_path(path)) is None else None
    if trial is not None and trial.nested and trial.on and trial.look.outcome != "hidden":
        return replace(facts, nested=trial.look)
    features = project.features
    off = "features.skills.enabled" if facts.role == "skill" else "features.context.enabled"
    is_on = features.skills_enabled if facts.role == "skill" else features.context_enabled
    facts = replace(facts, off="" if is_on else off, nested=trial.look if trial and trial.nested else None)
    help = find_helpful_settings(project, path, facts.role, found)
    if help is not None:
        return replace(facts, help=help)
    return replace(facts, root=_find_root_above(project, path), cwd=_find_other_cwd(project, path))


def _find_root_above(project: ResolvedProject, path: str) -> str:
    """The root of the walk with which it is read, where it lies above the working directory."""
    folder = posixpath.dirname(path)
    if not contains_path(folder, project.cwd):
        return ""
    trial = simulate_path(project._replace(location=project.location._replace(root=folder)), path)
    return folder if trial and trial.look.outcome == "loaded" else ""


def _find_other_cwd(project: ResolvedProject, path: str) -> str:
    """The working directory for which it is read: the folder in which it lies."""
    folder = posixpath.dirname(path)
    trial = simulate_path(project._replace(location=project.location._replace(cwd=folder, root=None)), path)
    return folder if trial and not trial.nested and trial.look.outcome == "loaded" else ""


def _explain_folder(project: ResolvedProject, found: Discovery, facts: PathFacts) -> PathFacts:
    """What in a folder is not read, and what a session adds."""
    world, top = project.world, (facts.same or facts.path).rstrip("/")
    count = len(list_skills_in(world, top or "/"))
    searched = any(look.path.startswith(f"{top}/") and look.what == "skill" for look in found.looked_at)
    if count and not searched:
        skill = f"{top}/{list_skills_in(world, top)[0]}/SKILL.md"
        return replace(facts, skills=count, help=find_helpful_settings(project, skill, "skill", found))
    unread: list[str] = []
    delivered: list[str] = []
    for name in find_known_instructions(world, top or "/"):
        if best_look(found.looked_at, f"{top}/{name}") is None:
            trial = simulate_nearby(project, f"{top}/{name}")
            added = trial is not None and trial.nested and trial.on and trial.look.outcome == "loaded"
            (delivered if added else unread).append(name)
    known = [look.path for look in found.looked_at if look.what == "skill"]
    for subfolder, number in find_skill_places(world, top or "/").items():
        if not any(path.startswith(f"{top}/{subfolder}/") for path in known):
            unread.append(f"{subfolder} ({count_noun(number, 'skill')})")
    return replace(facts, unread=tuple(unread), delivered=tuple(delivered))
