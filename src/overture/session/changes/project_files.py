"""What a session stands on: all that was found for its recipe, and what was added to that."""

from typing import Literal

import msgspec
from msgspec import Struct

from ...discover.configuration.files_and_environment import USER_FILE
from ...discover.discover import as_before
from ...discover.disk.walk import absolute, find_folders, fixed_part, folders
from ...discover.find.nested_files import find_extra, find_themes
from ...discover.find.templates import Template, find_templates
from ...discover.left_out.copies import copy_rule, without_copies
from ...lazy import lazy
from ...model.recipe.recipe import Recipe
from ...model.state.discovery import Found
from ...model.state.state import State
from ...project.project import Settled
from ...project.wanted import link_roots, wants_of
from .given_fields import EMPTY
from .triggers import Resources

Memories = Literal["live", "frozen"]


class Ground(Struct, frozen=True, dict=True, eq=False):
    """The outcome of looking at the disk: what the recipe wants, and what was added to it."""

    settled: Settled
    found: Found
    templates: dict[str, Template] = {}
    extra: Found = Found(EMPTY)
    """Files that the recipe does not look for: context that was added, and templates."""
    searched: tuple[tuple[str, str], ...] = ()
    """Where templates are searched, each place with the root that its links may not leave."""
    skills: tuple[str, ...] = ()
    """Further folders of skills."""
    resources: Resources = Resources()
    """What was added to what the recipe looks for."""
    themes: tuple[str, ...] = ()
    """For whoever draws: no part of a prompt."""

    @lazy
    def paths(self) -> frozenset[str]:
        """Every path that matters: if one of them changes, the prompt may."""
        looked = (look.path for look in (*self.found.looked_at, *self.extra.looked_at) if look.path.startswith("/"))
        walk = folders(self.settled.cwd, None)
        return frozenset((*looked, *_configuration(walk, self.settled.home), *self.places))

    @lazy
    def folders(self) -> frozenset[str]:
        """Every folder above a path that matters."""
        found: set[str] = set()
        for path in self.paths:
            above = path.rpartition("/")[0]
            while above not in found:
                found.add(above)
                above = above.rpartition("/")[0]
        return frozenset(found)

    @lazy
    def places(self) -> tuple[str, ...]:
        """The folders in which skills and templates are searched: whatever comes to lie there matters."""
        settled, wants = self.settled, wants_of(self.settled)
        found = [place for place, _ in self.searched if not place.endswith(".md")]
        if wants.skills is not None:
            levels = folders(settled.cwd, settled.root) if wants.skills.ancestors else [settled.cwd]
            found += [f"{level.rstrip('/')}/{folder}" for level in levels for folder in wants.skills.project]
            found += [f"{settled.home.rstrip('/')}/{folder}" for folder in wants.skills.home]
        return tuple(dict.fromkeys((*found, *self.skills)))


def look(settled: Settled, resources: Resources, since: Ground | None) -> Ground:
    """Discover what the recipe wants and what was added; with `since`, only changed files are read."""
    world = settled.world
    skills = tuple(absolute(world, _from(settled.cwd, path)) for path in resources.skills)
    features = msgspec.structs.replace(
        settled.features, skills_extra_dirs=tuple(dict.fromkeys((*settled.features.skills_extra_dirs, *skills)))
    )
    found = settled._replace(features=features).find(since.found if since else None)
    reader = settled.reader(since.extra.kept if since else None)
    said = (*found.state.context_files, *found.state.workspace_files)
    known = {file.path for file in said}
    files = find_extra(reader, [absolute(world, _from(settled.cwd, path)) for path in resources.context])
    places = _template_places(settled, resources)
    templates = find_templates(reader, places)
    rule = copy_rule(wants_of(settled).context, settled.cwd, settled.home)
    more = without_copies(reader, [file for file in files if file.path not in known], said, rule)
    themes = find_themes(reader, dict.fromkeys(absolute(world, _from(settled.cwd, path)) for path in resources.themes))
    state = as_before(State(context_files=more), since.extra.state if since else None)
    extra = Found(state, tuple(reader.diagnostics), tuple(reader.looked), reader.kept)
    searched = [each for path in features.skills_extra_dirs for each in (fixed_part(path), *find_folders(world, path))]
    return Ground(settled, found, templates, extra, tuple(places), tuple(searched), resources, themes)


def found_on(ground: Ground) -> State:
    """All that was found there, with the context that was added."""
    state, more = ground.found.state, ground.extra.state.context_files
    return state.replace(context_files=(*state.context_files, *more)) if more else state


def differing(old: Found, new: Found) -> list[str]:
    """The files that say something else in two discoveries, or that only one of them has."""
    read = [key for key, kept in new.kept.items() if key not in old.kept or old.kept[key].value is not kept.value]
    gone = [key for key in old.kept if key not in new.kept]
    files = [path for _, path in (*read, *gone)]
    if not files and old.diagnostics != new.diagnostics:
        files = [note.path for note in (*new.diagnostics, *old.diagnostics) if note.path]
    return list(dict.fromkeys(files))


def _configuration(walk: list[str], home: str) -> list[str]:
    """Where configuration may lie."""
    names = ("overture.toml", "pyproject.toml")
    return [*(f"{folder.rstrip('/')}/{name}" for folder in walk for name in names), f"{home.rstrip('/')}/{USER_FILE}"]


def _from(cwd: str, path: str) -> str:
    return path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"


def _template_places(settled: Settled, resources: Resources) -> list[tuple[str, str]]:
    wants = wants_of(settled).templates
    places: list[tuple[str, str]] = []
    if wants is not None:
        root = link_roots(settled).project
        places += [(f"{settled.cwd.rstrip('/')}/{folder}", root) for folder in wants.project]
        places += [(f"{settled.home.rstrip('/')}/{folder}", settled.home) for folder in wants.home]
    paths = [absolute(settled.world, _from(settled.cwd, path)) for path in resources.prompts]
    return [*places, *((path, path if not path.endswith(".md") else path.rpartition("/")[0]) for path in paths)]


def with_memories(state: State, first: State) -> State:
    """The state with the memories of the session's start."""
    origins = {path: origin for path, origin in state.origins.items() if not path.startswith("memories")}
    origins |= {path: origin for path, origin in first.origins.items() if path.startswith("memories")}
    return state.replace(memories=first.memories, origins=origins)


def memories_mode(recipe: Recipe, asked: Memories | None) -> Memories:
    """Live or frozen, as the caller says, or else the recipe: a section of pace `turn` follows them."""
    if asked is not None:
        return asked
    live = any("memories" in section.reads and section.pace == "turn" for section in recipe.sections)
    return "live" if live else "frozen"
