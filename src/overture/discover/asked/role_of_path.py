"""A file that is there -> what it is to Overture: settings, a template, a skill, another tool's, or none of these."""

import tomllib
from typing import NamedTuple

from ...model.other_tools import known_as
from ...model.recipe.wants.wanted_files import Wants
from ...model.state.asked_path import Role
from ...model.state.discovery import Found
from ..configuration.files_and_environment import USER_FILE
from ..configuration.values import Config
from ..disk.walk import at_or_above, expanded
from ..disk.world import World

TEXTS = (".md", ".mdc", ".markdown", ".txt", ".rst")
"""How names end of files that somebody may want read as instructions."""


class Around(NamedTuple):
    """What is known where a path is asked about."""

    world: World
    cwd: str
    home: str
    config: Config
    recipe: str
    wants: Wants
    names: tuple[str, ...]
    """What instruction files are called here."""
    found: Found


def find_role(around: Around, path: str) -> tuple[Role, str]:
    """The role of a file, and the tool, skill, file or name that it speaks of."""
    return (
        _settings(around, path)
        or _configured(around, path)
        or _of_a_session(around, path)
        or _of_a_skill(around, path)
        or _by_name(around, path)
    )


def _settings(around: Around, path: str) -> tuple[Role, str] | None:
    folder, _, name = path.rpartition("/")
    if path in (around.config.file, f"{around.home.rstrip('/')}/{USER_FILE}"):
        return "settings", path
    if name == "pyproject.toml" and not _has_table(around.world, path):
        return "no settings", ""
    if name in ("overture.toml", "pyproject.toml"):
        return "far settings", around.config.file if at_or_above(folder, around.cwd) else ""
    return None


def _has_table(world: World, path: str) -> bool:
    try:
        tool = tomllib.loads(world.read(path).decode("utf-8-sig")).get("tool")
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(tool, dict) and "overture" in tool


def _configured(around: Around, path: str) -> tuple[Role, str] | None:
    """A file that a setting names."""
    tools, models = (around.config.get(key, around.recipe) for key in ("tools", "models"))
    if tools.value == path:
        return "tools", tools.origin
    if models.value == path:
        return "models", models.origin
    for each in around.config.extending(around.recipe):
        if expanded(each.spec.rpartition(":")[0], each.folder, around.home) == path:
            return "extension", each.origin
    return None


def _of_a_session(around: Around, path: str) -> tuple[Role, str] | None:
    folder, _, name = path.rpartition("/")
    wants = around.wants.templates
    if wants is None or not name.endswith(".md"):
        return None
    places = [f"{around.cwd.rstrip('/')}/{place}" for place in wants.project]
    places += [f"{around.home.rstrip('/')}/{place}" for place in wants.home]
    return ("template", name.removesuffix(".md")) if folder in places else None


def _of_a_skill(around: Around, path: str) -> tuple[Role, str] | None:
    for skill in around.found.state.skills:
        if at_or_above(skill.location.rpartition("/")[0], path) and path != skill.location:
            return "part", skill.name
    return ("skill", "") if path.endswith("/SKILL.md") else None


def _by_name(around: Around, path: str) -> tuple[Role, str]:
    name = path.rpartition("/")[2]
    cased = {each.lower(): each for each in around.names}
    if name not in around.names and name.lower() in cased:
        return "miscased", cased[name.lower()]
    known = known_as(path)
    if known is not None or name in around.names:
        return "foreign", known[1] if known else ""
    return ("text" if name.lower().endswith(TEXTS) else "plain"), ""
