"""Explains any path for a recipe in its project: what the record says, or what the disk says of it."""

import posixpath

from ..discovery.context_files import find_nested_files
from ..discovery.discover import ResolvedProject, apply_features, fill_wants
from ..discovery.files import describe_dead_link
from ..discovery.paths import contains_path, expand_path
from ..discovery.world import make_absolute
from ..errors import find_similar
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery
from ..report.why import PathStatus, PromptIndex, best_look, explain_look, explain_unlooked, why


def explain_path(project: ResolvedProject, prompt: Prompt, discovery: Discovery, name: str) -> tuple[PathStatus, ...]:
    """The status of each path that a name means, for a recipe."""
    path = make_absolute(project.world, expand_path(name, project.cwd, project.home))
    found = why(name, path, prompt, discovery)
    if found[0].outcome != "never looked for":
        return found
    return (_explain_unlooked(project, prompt, discovery, path, name),)


def _explain_unlooked(
    project: ResolvedProject, prompt: Prompt, discovery: Discovery, path: str, name: str
) -> PathStatus:  # fmt: skip
    """The status of a path that is not in the record."""
    world = project.world
    if not world.exists(path):
        folder, base = posixpath.split(path)
        near = find_similar(base, [each for each, _ in world.list(folder)])
        skill = "" if "/" in name else find_similar(name, [skill.name for skill in discovery.state.skills])
        similar = posixpath.join(folder, near) if near else skill or ""
        return PathStatus(path, "missing", "no such file.", similar=similar)
    if world.find(path, follow=True) is None and (dead := describe_dead_link(world, path)):
        return PathStatus(path, "unreadable", f"not read: {dead}.", cause=f"{dead}.")
    # The record has it by its other name, if it was reached through a link.
    real = world.real_or_same(path)
    same = next((look.path for look in discovery.looked_at if world.real_or_same(look.path) == real), None)
    if same is not None and (look := best_look(discovery.looked_at, same)):
        status = explain_look(look, PromptIndex(prompt))
        return PathStatus(path, status.outcome, f"the same file as {same}: {status.said}", status.chars)
    if world.is_folder(path):
        top = f"{path.rstrip('/')}/"
        read = [
            look.path[len(top) :]
            for look in discovery.looked_at
            if look.path.startswith(top) and look.outcome == "loaded"
        ]
        said = f"a folder. Read from it: {', '.join(read)}." if read else "a folder; nothing in it is read."
        return PathStatus(path, "folder", said)
    return _explain_nested(project, path) or explain_unlooked(path, prompt, discovery)


def _explain_nested(project: ResolvedProject, path: str) -> PathStatus | None:
    """The answer for a file below the working directory that a session adds; None: none does."""
    wants = apply_features(fill_wants(project), project.features).context
    if wants is None or not wants.nested or not contains_path(project.cwd, path):
        return None
    reader = project.reader()
    find_nested_files(reader, wants, project.place(), path)
    look = best_look(reader.looked, path)
    if look is None or look.outcome != "loaded":
        return None
    folder = posixpath.dirname(path)
    where = f"it is below the working directory, and a session adds it when a tool touches a file in {folder}."
    return PathStatus(path, "nested", f"not in the prompt at first: {where}")
