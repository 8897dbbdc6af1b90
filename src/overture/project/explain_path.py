"""Explains one path or name: what it is, its role, and why it is not loaded."""

import posixpath

from msgspec.structs import replace

from ..discover.discover import ResolvedProject, fill_wants
from ..discover.disk.explain_file_errors import describe_dead_link
from ..discover.disk.paths import contains_path
from ..model.state.discovery import Discovery, PathFacts, best_look
from ..text.path_printer import readable_path
from ..text.words import count_noun
from .identify_path import (
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
from .settings_for_path import find_context_wants, find_helpful_settings, simulate_nearby, simulate_path


def find_path_facts(project: ResolvedProject, found: Discovery, name: str) -> tuple[PathFacts, ...]:
    """What is known about each path that a name stands for."""
    return tuple(_explain_one(project, found, path, name) for path in find_meant_paths(project, found, name))


def _explain_one(project: ResolvedProject, discovery: Discovery, path: str, name: str) -> PathFacts:
    """The explanation of one path: a file, a folder, or one that is missing."""
    wants = find_context_wants(project)
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
    """The explanation of a file: its role, and the settings that would load it."""
    path = facts.same or facts.path
    context = PathContext(project, fill_wants(project), facts.names, discovery)
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
    trial = simulate_nearby(project, path) if best_look(discovery.looked_at, readable_path(path)) is None else None
    if trial is not None and trial.nested and trial.on and trial.look.outcome != "hidden":
        return replace(facts, nested=trial.look)
    features = project.features
    off = "features.skills.enabled" if facts.role == "skill" else "features.context.enabled"
    is_on = features.skills_enabled if facts.role == "skill" else features.context_enabled
    facts = replace(facts, off="" if is_on else off, nested=trial.look if trial and trial.nested else None)
    help = find_helpful_settings(project, path, facts.role, discovery)
    if help is not None:
        return replace(facts, help=help)
    return replace(facts, root=_find_root_above(project, path), cwd=_find_other_cwd(project, path))


def _find_root_above(project: ResolvedProject, path: str) -> str:
    """The root with which it would be loaded, if it is above the working directory; else empty."""
    folder = posixpath.dirname(path)
    if not contains_path(folder, project.cwd):
        return ""
    trial = simulate_path(project._replace(location=project.location._replace(root=folder)), path)
    return folder if trial and trial.look.outcome == "loaded" else ""


def _find_other_cwd(project: ResolvedProject, path: str) -> str:
    """The working directory with which it would be loaded: its own folder; else empty."""
    folder = posixpath.dirname(path)
    trial = simulate_path(project._replace(location=project.location._replace(cwd=folder, root=None)), path)
    return folder if trial and not trial.nested and trial.look.outcome == "loaded" else ""


def _explain_folder(project: ResolvedProject, discovery: Discovery, facts: PathFacts) -> PathFacts:
    """The files in a folder that are not loaded, and those that a session adds."""
    world, top = project.world, (facts.same or facts.path).rstrip("/")
    count = len(list_skills_in(world, top or "/"))
    searched = any(look.path.startswith(f"{top}/") and look.what == "skill" for look in discovery.looked_at)
    if count and not searched:
        skill = f"{top}/{list_skills_in(world, top)[0]}/SKILL.md"
        return replace(facts, skills=count, help=find_helpful_settings(project, skill, "skill", discovery))
    unread: list[str] = []
    delivered: list[str] = []
    for name in find_known_instructions(world, top or "/"):
        if best_look(discovery.looked_at, f"{top}/{name}") is None:
            trial = simulate_nearby(project, f"{top}/{name}")
            added = trial is not None and trial.nested and trial.on and trial.look.outcome == "loaded"
            (delivered if added else unread).append(name)
    known = [look.path for look in discovery.looked_at if look.what == "skill"]
    for subfolder, number in find_skill_places(world, top or "/").items():
        if not any(path.startswith(f"{top}/{subfolder}/") for path in known):
            unread.append(f"{subfolder} ({count_noun(number, 'skill')})")
    return replace(facts, unread=tuple(unread), delivered=tuple(delivered))
