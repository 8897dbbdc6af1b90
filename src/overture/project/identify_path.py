"""Identifies what a name means: its paths, the kind of each, the nearest that exists, and the role of a file."""

import posixpath
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import NamedTuple

from ..discover.configuration.load_config import USER_FILE
from ..discover.discover import ResolvedProject
from ..discover.disk.boundary import DOCUMENT_SUFFIXES
from ..discover.disk.paths import (
    contains_path,
    expand_path,
    list_walk_folders,
    make_absolute,
    process_directory,
    real_path_or_same,
)
from ..discover.disk.world import World, list_folder
from ..discover.other_tools_files import list_matching_files
from ..discover.parse_json_and_toml import parse_toml
from ..known_agents.file_owners import INSTRUCTIONS, SKILLS, match_known_file
from ..model.state.discovery import Discovery, PathKind, PathRole, best_look
from ..model.wants import Wants

MIN_LIKENESS = 0.6
"""How similar a name has to be to an existing one: 1 is equal."""


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


def list_folder_names(world: World, folder: str) -> list[str]:
    """The entries of a folder; empty if it can't be listed."""
    return [name for name, _ in list_folder(world, folder)]


def find_nearest_path(world: World, path: str) -> tuple[str, str]:
    """The missing step of a path, if it is not the last, and the nearest path that exists."""
    folder, name = posixpath.split(path)
    last = True
    while folder != "/" and find_path_kind(world, folder) != "folder":
        (folder, name), last = posixpath.split(folder), False
    nearest = find_close_name(name, list_folder_names(world, folder))
    missing = "" if last else f"{folder} has no {name!r}"
    return missing, posixpath.join(folder, nearest) if nearest else ""


def find_close_name(name: str, known: Iterable[str]) -> str:
    """The known name that is nearest to a wrong one, whatever its case; empty if none is near."""
    ranked = [(_compute_name_similarity(name, each), each) for each in sorted(known) if _begin_alike(name, each)]
    near = [row for row in ranked if row[0][0] >= MIN_LIKENESS]
    return max(near, default=((0.0, 0.0), ""), key=lambda row: row[0])[1]


def _begin_alike(name: str, other: str) -> bool:
    """Whether a slip may be between them: one begins as the other does, or their first letters are only swapped."""
    one, two = name.lower(), other.lower()
    return one[:1] == two[:1] or one[:2] == two[1::-1] or one[1:3] == two[:2] or one[:2] == two[1:3]


def _compute_name_similarity(name: str, other: str) -> tuple[float, float]:
    """How similar two names are without their suffixes, and with them: a common `.md` is no similarity."""
    names = name.lower(), other.lower()
    first, second = (posixpath.splitext(each)[0] for each in names)
    return SequenceMatcher(None, first, second).ratio(), SequenceMatcher(None, *names).ratio()


def list_skills_in(world: World, folder: str) -> list[str]:
    """The folders of a folder that hold a SKILL.md."""
    names = list_folder_names(world, folder)
    return [name for name in names if find_path_kind(world, f"{folder}/{name}/SKILL.md") == "file"]


def _find_skills_named(world: World, folders: Iterable[str], name: str) -> list[str]:
    """The skills of that name in all places where any tool looks for skills, whether they are searched or not."""
    if not name or "/" in name or name.startswith("."):
        return []
    paths = (f"{folder.rstrip('/')}/{subfolder}/{name}/SKILL.md" for folder in folders for subfolder in SKILLS)
    return [path for path in paths if find_path_kind(world, path) == "file"]


def find_known_instructions(world: World, folder: str) -> list[str]:
    """The instruction files of any tool in a folder, by their paths below it."""
    paths = dict.fromkeys(path for pattern in INSTRUCTIONS for path in list_matching_files(world, folder, pattern))
    top = folder.rstrip("/") + "/"
    return [path.removeprefix(top) for path in paths if find_path_kind(world, path) == "file"]


def find_skill_places(world: World, folder: str) -> dict[str, int]:
    """The folders with skills in a folder, and how many there are in each."""
    counts = {subfolder: len(list_skills_in(world, f"{folder.rstrip('/')}/{subfolder}")) for subfolder in SKILLS}
    return {subfolder: count for subfolder, count in counts.items() if count}


# An existing file -> its role in Overture: settings, a template, a skill, another tool's, or none of these.


class PathContext(NamedTuple):
    """What is known about the folder and recipe for which a path is explained."""

    project: ResolvedProject
    wants: Wants
    names: tuple[str, ...]
    """The names of instruction files here."""
    found: Discovery


def find_path_role(context: PathContext, path: str) -> tuple[PathRole, str]:
    """The role of a file, and the tool, skill, file or name that it refers to."""
    return (
        _find_settings_role(context, path)
        or _find_configured_role(context, path)
        or _find_template_role(context, path)
        or _find_skill_role(context, path)
        or _find_role_by_name(context, path)
    )


def _find_settings_role(context: PathContext, path: str) -> tuple[PathRole, str] | None:
    """The role of a path as a settings file of ours; None if it is none."""
    folder, _, name = path.rpartition("/")
    if path in (context.project.config.file, f"{context.project.home.rstrip('/')}/{USER_FILE}"):
        return "settings", path
    if name == "pyproject.toml" and not _has_table(context.project.world, path):
        return "no settings", ""
    if name in ("overture.toml", "pyproject.toml"):
        return "far settings", context.project.config.file if contains_path(folder, context.project.cwd) else ""
    return None


def _has_table(world: World, path: str) -> bool:
    try:
        tool = parse_toml(world.read(path)).get("tool")
    except (OSError, ValueError):
        return False
    return isinstance(tool, dict) and "overture" in tool


def _find_configured_role(context: PathContext, path: str) -> tuple[PathRole, str] | None:
    """A file that a setting names."""
    tools, models = (context.project.config.get(key, context.project.recipe.name) for key in ("tools", "models"))
    if tools.value == path:
        return "tools", tools.origin
    if models.value == path:
        return "models", models.origin
    for each in context.project.config.extending(context.project.recipe.name):
        if expand_path(each.spec.rpartition(":")[0], each.folder, context.project.home) == path:
            return "extension", each.origin
    return None


def _find_template_role(context: PathContext, path: str) -> tuple[PathRole, str] | None:
    folder, _, name = path.rpartition("/")
    wants = context.wants.templates
    if wants is None or not name.endswith(".md"):
        return None
    folders = [f"{context.project.cwd.rstrip('/')}/{subfolder}" for subfolder in wants.project]
    folders += [f"{context.project.home.rstrip('/')}/{subfolder}" for subfolder in wants.home]
    return ("template", name.removesuffix(".md")) if folder in folders else None


def _find_skill_role(context: PathContext, path: str) -> tuple[PathRole, str] | None:
    for skill in context.found.state.skills:
        if contains_path(skill.location.rpartition("/")[0], path) and path != skill.location:
            return "part", skill.name
    return ("skill", "") if path.endswith("/SKILL.md") else None


def _find_role_by_name(context: PathContext, path: str) -> tuple[PathRole, str]:
    name = path.rpartition("/")[2]
    cased = {each.lower(): each for each in context.names}
    if name not in context.names and name.lower() in cased:
        return "miscased", cased[name.lower()]
    known = match_known_file(path)
    if known is not None or name in context.names:
        return "foreign", known[1] if known else ""
    return ("text" if name.lower().endswith(DOCUMENT_SUFFIXES) else "plain"), ""


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
    above = (f"{folder.rstrip('/')}/{name}" for folder in reversed(walk))
    yield from (path for path in above if name and find_path_kind(project.world, path) == "file")
    yield from _find_skills_named(project.world, (*walk, project.home), name)


def find_recorded_path(project: ResolvedProject, discovery: Discovery, path: str) -> str:
    """The recorded path of a file that was asked for through a link; empty if it is the same."""
    refused = (look.path for look in discovery.looked_at if look.outcome == "outside")
    if best_look(discovery.looked_at, path) is not None or any(contains_path(each, path) for each in refused):
        return ""
    folder, name = posixpath.split(path)
    target = _write_as_walked(project, real_path_or_same(project.world, path))
    if best_look(discovery.looked_at, target) is not None:
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
