"""Discovers everything a recipe wants: the State, the diagnostics, and every path that was looked at."""

from collections.abc import Callable, Mapping
from sys import intern
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ..model.agent_rules import AgentWants
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import Recipe
from ..model.state.agent_and_runtime import Agent, Docs, Runtime, SessionInfo
from ..model.state.audience_and_subagents import derive
from ..model.state.discovery import CachedFile, Discovery, InstructionFiles, Machine, People
from ..model.state.files import TextFile
from ..model.state.state import State
from ..model.tool import Tool
from ..model.wants import ContextFiles, Wants, fill_settings
from ..text.path_printer import readable_path
from ..traces import describe_discovery, traced
from .allowed import OutsideApproval
from .configuration.config import Config, Extension, find_missing_paths
from .configuration.keys import Features
from .file_reader import FileReader
from .find_context_files import find_context_files
from .find_skills import find_skills
from .place import Location, Place, check_working_directory, find_allowed, find_place, find_project_name
from .real_paths import RealPaths
from .world import World, find_folders, make_absolute

MAIN_SESSION = SessionInfo("main")
"""The session of a main agent, until a live one sets its own."""
ReportOthers = Callable[..., None]
CachedFiles = Mapping[tuple[str, str], CachedFile]


class ResolvedProject(NamedTuple):
    """All inputs of discovery: where to look, for which recipe, with which settings."""

    recipe: Recipe
    location: Location
    features: Features = Features()
    settings: Mapping[str, str] = {}
    """The recipe's settings."""
    tools: tuple[Tool, ...] | None = None
    """The active ones; None: the recipe's default."""
    notes: tuple[Diagnostic, ...] = ()
    docs: Docs | None = None
    subagent: bool = False
    """Whether the state is a sub-agent's."""
    extensions: tuple[Extension, ...] = ()
    """Extensions from the configuration."""
    untrusted: tuple[Diagnostic, ...] = ()
    """Reports of extensions that the configuration may not add."""
    config: Config = Config({})
    """The whole configuration, with the origin of each value."""
    touching: tuple[str, ...] = ()
    """Files that the agent works on, for files that are read only then."""
    approved: OutsideApproval | None = None
    """Decides which files outside the project the user allows."""
    report_others: ReportOthers | None = None
    """Names the files of other tools that the recipe does not read."""

    @property
    def world(self) -> World:
        """The world that it is in."""
        return self.location.world

    @property
    def cwd(self) -> str:
        """The working directory."""
        return self.location.cwd

    @property
    def home(self) -> str:
        """The user's home."""
        return self.location.home

    @property
    def root(self) -> str | None:
        """The outermost folder to look in, as the caller writes it."""
        return self.location.root

    def find(self, since: Discovery | None = None) -> Discovery:
        """Read what the recipe wants, and report configured paths that do not exist."""
        discovery = discover(self, since)
        missing = list(find_missing_paths(self.world, self.config, self.recipe.name))
        # Each of them is reported with its key alone.
        others = (note for note in discovery.diagnostics if note.path not in dict(missing))
        notes = (*self.notes, *(note for _, note in missing), *others)
        return Discovery(
            self._apply_audience(discovery.state), notes, discovery.looked_at, discovery.cached_files, discovery.wants
        )

    def _apply_audience(self, state: State) -> State:
        """The state with the audience and the handling of secrets that the configuration sets."""
        withheld = {key: intern(self.config.get(key, self.recipe.name).value) for key in ("audience", "secrets")}
        # The same object if nothing differs: a build then reuses its blocks.
        same = all(getattr(state, key) == value for key, value in withheld.items())
        return state if same else state.replace(**withheld)

    def reader(self, cached: CachedFiles | None = None) -> FileReader:
        """A reader for further files of the same project."""
        return open_project(self, fill_wants(self), cached or {})[0]

    def place(self) -> Place:
        """The folders that a discovery searches, and the project's top."""
        return open_project(self, fill_wants(self), {})[1]


@traced("overture.discover", describe_discovery)
def discover(project: ResolvedProject, since: Discovery | None = None) -> Discovery:
    """Read what the recipe wants. Files that `since` knows and that have not changed are not read again."""
    check_working_directory(project.world.discovered, project.cwd)
    recipe, before = project.recipe, since.state if since else None
    reader, place = open_project(project, wants := fill_wants(project), since.cached_files if since else {})
    reader.inside = place.inside
    for path in recipe.files:
        reader.note(path, "recipe", "loaded")
    limits: dict[str, int] = {}
    if recipe.search is not None:
        enabled = apply_features(wants, project.features)
        files, wants, limits = recipe.search(enabled, _find_own_folders(project), reader, place)
    else:
        files = _find_files(reader, wants, project, place)
    people = _find_people(reader, wants, place)
    machine = _find_machine(reader, wants, project, place, people, before)
    fresh = State(
        agent=people.agent, user=people.user, overrides=people.overrides, memories=people.memories,
        context_files=files.context, workspace_files=files.workspace, skills=files.skills,
        tools=default_tools(recipe) if project.tools is None else project.tools,
        limits=limits,
        git=machine.git, runtime=machine.runtime, session=MAIN_SESSION, origins=people.origins,
    )  # fmt: skip
    state = reuse_equal_fields(derive(fresh) if project.subagent else fresh, before).replace(
        now=reader.world.machine.now()
    )
    return Discovery(state, tuple(reader.diagnostics), tuple(reader.looked), reader.cached_files, wants)


def fill_wants(project: ResolvedProject) -> Wants:
    """What the recipe wants, with its settings filled in, and the folders that variables move."""
    wants = project.recipe.wants
    if isinstance(wants, AgentWants):
        return wants.fill(_find_own_folders(project))
    return fill_settings(wants, {**project.recipe.settings, **project.settings})


def _find_own_folders(project: ResolvedProject) -> dict[str, str]:
    """The folders of an agent under home, as our settings and its variables move them."""
    wants = project.recipe.wants
    assert isinstance(wants, AgentWants)
    return wants.own_folders(project.world.machine.environment(), {**project.recipe.settings, **project.settings})


def open_project(project: ResolvedProject, wants: Wants, cached: CachedFiles) -> tuple[FileReader, Place]:
    """A reader that knows what the project may reach, and the folders to search."""
    location = project.location._replace(world=project.world.discovered)
    above, features = location.list_walk(), project.features
    paths = RealPaths(location.world, bases := (*above, location.home))
    place = find_place(paths, apply_features(wants, features), location, above, project.touching)
    allowed = find_allowed(paths, wants, place, anywhere=features.links_outside)
    reader = FileReader(location.world, bases, allowed, cached, project.approved)
    reader.reals |= paths.reals
    if features.skills_extra_dirs and wants.skills:
        reader.allow_named(*find_named_skill_folders(reader.world, features))
    return reader, place


def find_named_skill_folders(world: World, features: Features) -> tuple[str, ...]:
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
    """The files that our own recipes look for, as far as the features are enabled."""
    features, searched = project.features, dict[str, str]()
    enabled = apply_features(wants, features)
    files = _find_documents(reader, enabled, place) if enabled.workspace or enabled.context else InstructionFiles()
    if wants.context and not enabled.context:
        reader.note("features.context.enabled", "context", "off", "it is false: instruction files are not looked for")
    if enabled.skills:
        extra = find_named_skill_folders(reader.world, features)
        skills = find_skills(reader, enabled.skills, place.walk, place.home, extra, searched)
        files = files._replace(skills=skills)
    elif wants.skills:
        reader.note("features.skills.enabled", "skill", "off", "it is false: skills are not looked for")
    if project.report_others is not None:
        folder = project.config.folder or place.cwd
        project.report_others(reader, enabled, features, place, files, set(searched), folder)
    return files


def _find_documents(reader: FileReader, wants: Wants, place: Place) -> InstructionFiles:
    """Workspace files and project files, each text once."""
    from .duplicate_files import drop_duplicates, make_copy_rule
    from .persona_and_workspace_files import find_workspace_files

    # Workspace files first: for work in that folder, its files keep the role that they have elsewhere.
    workspace = find_workspace_files(reader, wants.workspace, place.home) if wants.workspace else ()
    context: tuple[TextFile, ...] = ()
    hidden: list[TextFile] = []
    if wants.context:
        context = find_context_files(reader, wants.context, place, hidden)
    rule = make_copy_rule(wants.context, place.cwd, place.home)
    return drop_duplicates(reader, workspace, context, hidden, rule)


def _find_people(reader: FileReader, wants: Wants, place: Place) -> People:
    """The agent, the user and memories. An agent of the project counts before the one under home."""
    if not (wants.overrides or wants.agent or wants.memories or wants.persona):
        return People()
    # Few recipes need it, so it is imported only for those.
    from .agent_and_memories import find_agent_file, find_memories
    from .persona_and_workspace_files import find_overrides, find_persona

    own = find_overrides(reader, wants.overrides, place) if wants.overrides else People()
    project_people = find_agent_file(reader, wants.agent, place) if wants.agent else People()
    remembered = find_memories(reader, wants.memories, place) if wants.memories else People()
    far = find_persona(reader, wants.persona, place.home) if wants.persona else People()
    origins = far.origins | own.origins | project_people.origins | remembered.origins
    if "user.timezone" in origins:
        origins["runtime.timezone"] = origins["user.timezone"]
    agent = _overlay_agent(project_people.agent, far.agent)
    return People(agent, far.user, own.overrides, remembered.memories, project_people.directories, origins)


def _overlay_agent(nearer: Agent | None, far: Agent | None) -> Agent | None:
    """The project's agent, with fields that only the one under home sets."""
    if nearer is None or far is None:
        return nearer or far
    fields = {name: value for name in nearer.__struct_fields__ if (value := getattr(nearer, name)) not in (None, ())}
    return msgspec.structs.replace(far, **fields)


def _find_machine(
    reader: FileReader,
    wants: Wants,
    project: ResolvedProject,
    place: Place,
    people: People,
    before: State | None,
) -> Machine:
    """What git and the host report. The user's own time zone counts before the machine's: a server may be anywhere."""
    world, git, host = reader.world, None, {}
    if wants.git and project.features.git_enabled:
        from .git_facts import find_git_facts

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
    return Machine(git, runtime)


def default_tools(recipe: Recipe) -> tuple[Tool, ...]:
    """The recipe's own tools that are active by default."""
    return tuple(tool for tool in recipe.tools if tool.name in recipe.active)


def reuse_equal_fields(state: State, earlier: State | None) -> State:
    """`state` with the objects of `earlier` wherever they are equal, so that a build takes its blocks over."""
    if earlier is None:
        return state
    same = {
        name: old
        for name in State.__struct_fields__
        if (old := getattr(earlier, name)) is not (new := getattr(state, name)) and _equals_old_value(old, new)
    }
    return state.replace(**{"origins": state.origins, **same}) if same else state


def _equals_old_value(old: object, new: object) -> bool:
    """Whether a field of the state equals that of the earlier discovery."""
    # Unchanged files are the same objects, so a tuple of them is compared without reading their texts.
    if isinstance(old, tuple) and isinstance(new, tuple):
        return len(old) == len(new) and all(
            a is b or (type(a) is Tool and a == b) for a, b in zip(old, new, strict=True)
        )
    return old == new
