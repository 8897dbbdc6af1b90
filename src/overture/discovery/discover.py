"""Discovers everything a recipe wants: the State, the diagnostics, and every path that was looked at."""

from collections.abc import Callable, Mapping
from sys import intern
from typing import NamedTuple

from msgspec.structs import replace

from ..model.agent_rules import AgentWants
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import Recipe
from ..model.state.agent_and_runtime import Docs, Git, Runtime, SessionInfo
from ..model.state.audience_and_subagents import derive
from ..model.state.discovery import CachedFile, Discovery, InstructionFiles, People
from ..model.state.files import TextFile
from ..model.state.reasons import because
from ..model.state.state import State
from ..model.tool import Tool
from ..model.wants import ContextFiles, Wants, fill_settings
from ..text.path_printer import readable_path
from ..traces import describe_discovery, traced
from .configuration.config import Config, Extension, find_missing_paths
from .configuration.keys import Features
from .context_files import find_context_files, find_workspace_files
from .duplicate_files import drop_duplicates
from .place import Location, Place, check_working_directory, find_project_name, open_place
from .reader import FileReader, OutsideApproval
from .skills import find_skills
from .world import World, find_folders, make_absolute

MAIN_SESSION = SessionInfo("main")  # the session of a main agent, until a live one sets its own


class ResolvedProject(NamedTuple):
    """All inputs of discovery: where to look, for which recipe, with which settings."""

    recipe: Recipe
    location: Location
    features: Features = Features()
    settings: Mapping[str, str] = {}  # the recipe's settings
    tools: tuple[Tool, ...] | None = None  # the active ones; None: the recipe's default
    notes: tuple[Diagnostic, ...] = ()
    docs: Docs | None = None
    subagent: bool = False  # whether the state is a sub-agent's
    extensions: tuple[Extension, ...] = ()  # extensions from the configuration
    config: Config = Config({})  # the whole configuration, with the origin of each value
    touching: tuple[str, ...] = ()  # files that the agent works on, for files that are read only then
    approved: OutsideApproval | None = None  # decides which files outside the project the user allows
    report_others: Callable[..., None] | None = None  # names the files of other tools that the recipe does not read

    @property
    def world(self) -> World:
        return self.location.world

    @property
    def cwd(self) -> str:
        return self.location.cwd

    @property
    def home(self) -> str:
        return self.location.home

    def find(self, since: Discovery | None = None) -> Discovery:
        """Read what the recipe wants, and report configured paths that do not exist."""
        found = discover(self, since)
        missing = list(find_missing_paths(self.world, self.config, self.recipe.name))
        # Each of them is reported with its key alone.
        others = (note for note in found.diagnostics if note.path not in dict(missing))
        notes = (*self.notes, *(note for _, note in missing), *others)
        withheld = {key: intern(self.config.get(key, self.recipe.name).value) for key in ("audience", "secrets")}
        # The same object if nothing differs: a build then reuses its blocks.
        same = all(getattr(found.state, key) == value for key, value in withheld.items())
        return replace(found, state=found.state if same else found.state.replace(**withheld), diagnostics=notes)

    def open(self, cached: Mapping[tuple[str, str], CachedFile] = {}) -> tuple[FileReader, Place, Wants]:
        """A reader that knows what the project may reach, the folders to search, and what the recipe wants."""
        wants, features = fill_wants(self), self.features
        reader, place = open_place(
            self.location, wants, cached, searched=apply_features(wants, features), touching=self.touching,
            approved=self.approved, anywhere=features.links_outside,
        )  # fmt: skip
        if features.skills_extra_dirs and wants.skills:
            reader.allow_named(*_find_skill_folders(reader.world, features))
        return reader, place, wants

    def reader(self) -> FileReader:
        """A reader for further files of the same project."""
        return self.open()[0]

    def place(self) -> Place:
        """The folders that a discovery searches, and the project's top."""
        return self.open()[1]


@traced("overture.discover", describe_discovery)
def discover(project: ResolvedProject, since: Discovery | None = None) -> Discovery:
    """Read what the recipe wants. Files that `since` knows and that have not changed are not read again."""
    check_working_directory(project.world.discovered, project.cwd)
    recipe, before = project.recipe, since.state if since else None
    reader, place, wants = project.open(since.cached_files if since else {})
    for path in recipe.files:
        reader.note(path, "recipe", "loaded")
    limits: dict[str, int] = {}
    if recipe.search is not None:
        assert isinstance(recipe.wants, AgentWants)
        own, enabled = _find_own_folders(project, recipe.wants), apply_features(wants, project.features)
        files, wants, limits = recipe.search(enabled, own, reader, place)
    else:
        files = _find_files(reader, wants, project, place)
    people = People()
    if wants.overrides or wants.agent or wants.memories or wants.persona:
        from .people import find_people  # few recipes need it

        people = find_people(reader, wants, place)
    git, runtime = _find_machine(reader, wants, project, place, people, before)
    fresh = State(
        agent=people.agent, user=people.user, overrides=people.overrides, memories=people.memories,
        context_files=files.context, workspace_files=files.workspace, skills=files.skills,
        tools=default_tools(recipe) if project.tools is None else project.tools,
        limits=limits, git=git, runtime=runtime, session=MAIN_SESSION, origins=people.origins,
    )  # fmt: skip
    state = reuse_equal_fields(derive(fresh) if project.subagent else fresh, before)
    state = state.replace(now=reader.world.machine.now())
    return Discovery(state, tuple(reader.diagnostics), tuple(reader.looked), reader.cached_files, wants)


def fill_wants(project: ResolvedProject) -> Wants:
    """What the recipe wants, with its settings filled in, and the folders that variables move."""
    wants = project.recipe.wants
    if isinstance(wants, AgentWants):
        return wants.fill(_find_own_folders(project, wants))
    return fill_settings(wants, {**project.recipe.settings, **project.settings})


def _find_own_folders(project: ResolvedProject, wants: AgentWants) -> dict[str, str]:
    """The folders of an agent under home, as our settings and its variables move them."""
    return wants.own_folders(project.world.machine.environment(), {**project.recipe.settings, **project.settings})


def _find_skill_folders(world: World, features: Features) -> tuple[str, ...]:
    """The folders of skills that settings name, where there are any."""
    named = (make_absolute(world, each) for each in features.skills_extra_dirs)
    return tuple(folder for each in named for folder in find_folders(world, each))


def apply_features(wants: Wants, features: Features) -> Wants:
    """What a discovery searches for: the wants of enabled features, with the file names that the configuration sets."""
    context: ContextFiles | None = wants.context if features.context_enabled else None
    if context is not None and features.context_nested is not None:
        context = replace(context, nested=features.context_nested)
    if context is not None and features.context_filenames is not None:
        # A project's own settings may not name etc/passwd, or .netrc, and find it above the project. A configured name
        # asks for that file: it is loaded even if the recipe's own order would hide it.
        new = [name for name in features.context_filenames if name not in context.names]
        bounds = dict.fromkeys(new, features.context_within) if features.context_within else {}
        context = replace(context, names=features.context_filenames, inside=True, take="all", bounds=bounds)
    skills = wants.skills if features.skills_enabled else None
    if isinstance(wants, AgentWants) and not features.skills_enabled:
        return replace(wants, listed=None)
    return replace(wants, context=context, skills=skills)


def _find_files(reader: FileReader, wants: Wants, project: ResolvedProject, place: Place) -> InstructionFiles:
    """The files that our own recipes look for, as far as the features are enabled; each text once."""
    features, searched, files = project.features, dict[str, str](), InstructionFiles()
    enabled = apply_features(wants, features)
    if enabled.workspace or enabled.context:
        hidden: list[TextFile] = []
        # Workspace files first: for work in that folder, its files keep the role that they have elsewhere.
        workspace = find_workspace_files(reader, enabled.workspace, place.home) if enabled.workspace else ()
        context = find_context_files(reader, enabled.context, place, hidden) if enabled.context else ()
        files = drop_duplicates(reader, workspace, context, hidden, enabled.context, place)
    if wants.context and not enabled.context:
        reader.note("features.context.enabled", "context", "off", because("off", "", "instruction files"))
    if enabled.skills:
        extra = _find_skill_folders(reader.world, features)
        files = files._replace(skills=find_skills(reader, enabled.skills, place.walk, place.home, extra, searched))
    elif wants.skills:
        reader.note("features.skills.enabled", "skill", "off", because("off", "", "skills"))
    if project.report_others is not None:
        folder = project.config.folder or place.cwd
        project.report_others(reader, enabled, features, place, files, set(searched), folder)
    return files


def _find_machine(
    reader: FileReader, wants: Wants, project: ResolvedProject, place: Place, people: People, before: State | None
) -> tuple[Git | None, Runtime]:
    """What git and the host report. The user's own time zone counts before the machine's: a server may be anywhere."""
    world, git, host = reader.world, None, {}
    if wants.git and project.features.git_enabled:
        from .git import find_git_facts

        top = place.above[0] if project.location.root is not None else None
        known, anywhere = before.git if before else None, project.features.links_outside
        git, notes = find_git_facts(world, place.cwd, top, known, anywhere=anywhere)
        reader.diagnostics += notes
    if wants.runtime:
        from .world import read_host_facts

        sudo = before.runtime.sudo_non_interactive if before and before.runtime else None
        host = read_host_facts(world.machine, sudo, asks_sudo=wants.sudo and project.features.sudo_enabled)
    zone = people.user.timezone if people.user else None
    runtime = Runtime(
        cwd=readable_path(place.cwd), home=readable_path(place.home),
        project=readable_path(find_project_name(reader, place.walk, place, wants)),
        timezone=world.machine.timezone() if zone is None else zone,
        directories=people.directories, docs=project.docs, **host,
    )  # fmt: skip
    return git, runtime


def default_tools(recipe: Recipe) -> tuple[Tool, ...]:
    """The recipe's own tools that are active by default."""
    return tuple(tool for tool in recipe.tools if tool.name in recipe.active)


def reuse_equal_fields(state: State, earlier: State | None) -> State:
    """`state` with the objects of `earlier` wherever they are equal, so that a build takes its blocks over."""
    if earlier is None:
        return state
    fields = {name: (getattr(earlier, name), getattr(state, name)) for name in State.__struct_fields__}
    same = {name: old for name, (old, new) in fields.items() if old is not new and old == new}
    return state.replace(**{"origins": state.origins, **same}) if same else state
