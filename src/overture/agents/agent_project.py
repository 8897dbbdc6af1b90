"""One agent in one place: where it works, with which settings of ours, and what it finds there."""

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

from msgspec.structs import replace

from ..discovery.configuration.config import Config, load_config
from ..discovery.configuration.keys import OUTSIDE_READ
from ..discovery.configuration.trust import make_outside_approval
from ..discovery.discover import ResolvedProject
from ..discovery.place import (
    Location,
    Place,
    check_working_directory,
    find_project_name,
    locate,
    open_place,
)
from ..discovery.reader import FileReader, OutsideApproval
from ..discovery.world import Path, World
from ..known_agents import AGENTS, agent_facts, agent_wants, load
from ..known_agents.kit.find_files import find_agent_files
from ..model.agent_rules import AgentWants
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import AgentFacts
from ..model.state.discovery import CachedFile, Look
from ..model.state.files import Skill, TextFile
from ..project.find_recipe import report_unused_tables
from ..text.path_printer import readable_path


class AgentFound(NamedTuple):
    """What an agent finds: its files and skills in its order, and every path that it looked at."""

    files: tuple[TextFile, ...]
    skills: tuple[Skill, ...]
    looked_at: tuple[Look, ...]
    diagnostics: tuple[Diagnostic, ...]
    wants: AgentWants
    """What it looked for, as its settings changed that."""
    top: str
    """The project's topmost folder, by its name on the way to the working directory."""
    cached_files: Mapping[tuple[str, str], CachedFile] = {}


class AgentProject(NamedTuple):
    """An agent in a place."""

    name: str
    location: Location
    config: Config
    approved: OutsideApproval | None = None
    """Decides which files outside the project the user allows."""
    touching: tuple[str, ...] = ()
    """Files that the agent works on."""
    parts: Literal["all", "files", "text"] = "all"
    """What is searched. files: no skills · text: nor the sub-agents and commands, but only files whose text it loads"""
    notes: tuple[Diagnostic, ...] = ()
    """What is wrong with our own settings."""

    @property
    def world(self) -> World:
        return self.location.world

    @property
    def cwd(self) -> str:
        return self.location.cwd

    @property
    def home(self) -> str:
        return self.location.home

    @property
    def facts(self) -> AgentFacts:
        return agent_facts(self.name)

    def open(self, cached: Mapping[tuple[str, str], CachedFile] = {}) -> tuple[FileReader, Place, AgentWants]:
        """A reader that knows what the project may reach, the folders to search, and what the agent looks for."""
        features = self.config.features(self.name)
        with_skills = self.parts == "all" and features.skills_enabled
        wants = _fill_wants(self.name, tuple(self.own_folders().items()), with_skills)
        anywhere, touching = features.links_outside, self.touching
        reader, place = open_place(
            self.location, wants, cached, touching=touching, approved=self.approved, anywhere=anywhere
        )
        return reader, place, wants

    def own_folders(self) -> dict[str, str]:
        """The agent's folders under home, by name, as our settings and its variables move them."""
        wants, values = agent_wants(self.name), self.config.values
        keys = {key: f"recipes.{self.name}.{key}" for key in wants.folders}
        settings = {key: values[name].value for key, name in keys.items() if name in values}
        return wants.own_folders(self.world.machine.environment(), settings)

    @property
    def walk(self) -> list[str]:
        """The folders from the repository's top down to the working directory; without one, that alone."""
        place = self.place()
        return place.above[place.above.index(place.project) :]

    def reader(self) -> FileReader:
        return self.open()[0]

    def place(self) -> Place:
        return self.open()[1]

    def find(self, since: AgentFound | None = None) -> AgentFound:
        """What the agent finds. Files that `since` knows and that have not changed are not read again."""
        check_working_directory(self.world.discovered, self.cwd)
        reader, place, wants = self.open(since.cached_files if since else {})
        parts = ("files",) if self.parts == "text" else ("files", "agents", "commands")
        found, wants, _ = find_agent_files(load(self.name), wants, self.own_folders(), reader, place, parts)
        top = readable_path(find_project_name(reader, place.walk, place, wants))
        notes = (*self.notes, *reader.diagnostics)
        return AgentFound(found.context, found.skills, tuple(reader.looked), notes, wants, top, reader.cached_files)


@cache
def _fill_wants(name: str, own: tuple[tuple[str, str], ...], with_skills: bool) -> AgentWants:
    """One object for each place of an agent's folders: what is derived of it is kept with it."""
    wants = agent_wants(name).fill(dict(own))
    return wants if with_skills else replace(wants, listed=None)


def open_agents(location: Location, name: str, config: Config | None = None) -> AgentProject:
    """An agent in a place with its settings; the others differ in their names."""
    config = config or load_config(location)
    ours = any(key.startswith("recipes.") for key in config.values) or config.recipes
    notes = report_unused_tables(config) if ours else ()
    return AgentProject(
        name,
        location,
        config,
        make_outside_approval(location, config.get("trusted").value),
        notes=(*config.notes, *notes),
    )


def agents_in(project: ResolvedProject) -> AgentProject:
    """The agents in the place of a project, whichever recipe that is for: the first stands for all."""
    name = project.recipe.name if project.recipe.agent else AGENTS[0]
    return AgentProject(name, project.location, project.config, project.approved, project.touching, notes=project.notes)


def resolve_in_folder(
    cwd: Path | None = None, home: Path | None = None, root: Path | None = None, world: World | None = None,
    *, read_outside: bool = False, name: str = AGENTS[0],
) -> AgentProject:  # fmt: skip
    """An agent in the named folder. The agent does not matter: every command names its own."""
    settings, moment = OUTSIDE_READ if read_outside else {}, (world or World()).at_one_moment()
    return open_agents(locate(cwd, home, root, settings, moment), name)
