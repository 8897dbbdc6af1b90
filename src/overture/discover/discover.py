"""Discovers everything a recipe wants: the State, the diagnostics, and every path that was looked at."""

from collections.abc import Mapping
from posixpath import basename, dirname, join, normpath
from typing import Any

import msgspec

from ..model.recipe.recipe import Recipe
from ..model.state.agent_and_task import Agent, SessionInfo, User
from ..model.state.discovery import Discovery
from ..model.state.files import TextFile
from ..model.state.runtime import Docs, Runtime
from ..model.state.state import State, derive
from ..model.tool.tool import Tool
from ..model.wants.wants import Wants, fill_settings
from .configuration.keys import Features
from .disk.folders_above import list_folders_above
from .disk.open_file import readable_path
from .disk.paths import (
    check_working_directory,
    contains_path,
    find_folders,
    find_walk_ends,
    list_walk_folders,
    make_absolute,
)
from .disk.project_root import (
    FolderWalk,
    LinkRoots,
    apply_features,
    find_boundary,
    find_folder_walk,
    find_link_roots,
    find_shared_folder,
    knows_worktree,
)
from .disk.reader import ApprovalCheck, FileReader, OutsideApproval
from .disk.real_world import RealWorld
from .disk.world import World, discovery_world
from .skills.find_skills import find_skills
from .steps.agent_settings import apply_agent_settings, move_folders
from .steps.find_step_files import find_step_files
from .steps.step_paths import SearchScope, Worktree

MAIN_SESSION = SessionInfo("main")
"""The session of a main agent, until a live one gives its own."""


def discover(
    recipe: Recipe,
    *,
    cwd: str | None = None,
    home: str | None = None,
    root: str | None = None,
    features: Features | None = None,
    settings: Mapping[str, str] | None = None,
    tools: tuple[Tool, ...] | None = None,
    docs: Docs | None = None,
    subagent: bool = False,
    world: World | None = None,
    since: Discovery | None = None,
    settings_folder: str | None = None,
    approve: ApprovalCheck | None = None,
    approved: OutsideApproval | None = None,
    touching: tuple[str, ...] = (),
) -> Discovery:
    """Read what `recipe` wants. Files that `since` knows and that have not changed are not read again.

    The state is that of the main agent, or of a sub-agent where `subagent` says so. `settings_folder` is where the
    project's settings lie, for lines that shall be written there. `approve` says which files have to wait, `approved`
    which files outside the project the user allows. `touching` are files that the agent works on, for files that are
    read only then.
    """
    world = discovery_world(world or RealWorld())
    features = features or Features()
    start = check_working_directory(world, cwd)
    world = list_folders_above(world, start)
    house = make_absolute(world, home or world.home())
    start, top = find_walk_ends(world, start, root)
    walk = list_walk_folders(start, top)
    chosen = move_folders(
        recipe.wants, {**recipe.settings, **(settings or {})}, world.environment() if recipe.wants.moves else {}
    )
    wants = fill_settings(recipe.wants, chosen)
    reader = FileReader(
        world, list_allowed_folders(world, features), (*walk, house), since.kept if since else {}, approve, approved
    )
    for path in recipe.files:
        reader.note(path, "recipe", "loaded")
    way = find_folder_walk(reader, wants, walk, asked=root is not None)
    reader.boundary = find_boundary(reader, wants, walk, house, way.repository)
    worktree = _worktree(reader, walk, way.repository) if wants.files else None
    ground = SearchScope(walk, _walked(reader, walk, way.repository), house, _in_play(touching, start), worktree)
    wants, excluded = apply_agent_settings(reader, wants, ground)
    facts = _facts(reader, wants, features, way, ground, settings_folder or start, own=recipe.agent is None)
    if wants.files:
        facts["limits"] = {limit.name: limit.most for limit in wants.limits if limit not in recipe.wants.limits}
        facts["context_files"] = (*facts.get("context_files", ()), *find_step_files(reader, wants, ground, excluded))
    facts["tools"] = default_tools(recipe) if tools is None else tools
    if wants.git and features.git_enabled:
        from .machine_facts import find_git_facts

        facts["git"], notes = find_git_facts(
            world, start, top, since.state.git if since else None, list_allowed_folders(world, features)
        )
        reader.diagnostics += notes
    folders_too = facts.pop("directories", ())
    machine = _machine(world, since) if wants.runtime else {}
    facts["runtime"] = Runtime(
        cwd=readable_path(start),
        home=readable_path(house),
        project=facts.pop("project"),
        timezone=_timezone(world, facts),
        directories=folders_too,
        docs=docs,
        **machine,
    )
    made = State(**facts, session=MAIN_SESSION)
    state = reuse_equal_fields(derive(made) if subagent else made, since.state if since else None)
    state = state.replace(now=world.now())
    return Discovery(
        state, tuple(reader.diagnostics), tuple(reader.looked), reader.kept, wants if wants.files else None
    )


def list_allowed_folders(world: World, features: Features) -> tuple[str, ...]:
    """The folders outside the project that the user allows."""
    return ("/",) if features.links_outside else tuple(make_absolute(world, folder) for folder in features.links_allow)


def _machine(world: World, since: Discovery | None) -> dict[str, Any]:
    from .machine_facts import read_host_facts

    return read_host_facts(world, since.state.runtime if since else None)


def _walked(reader: FileReader, walk: list[str], repository: str | None) -> str | None:
    """The repository as it is called on the way there."""
    return next((folder for folder in walk if repository and reader.real_or(folder) == repository), None)


def _worktree(reader: FileReader, walk: list[str], repository: str | None) -> Worktree | None:
    """What the repository belongs to, where it is a worktree."""
    shared = find_shared_folder(reader.world, repository) if repository else None
    if repository is None or shared is None:
        return None
    is_bare = basename(shared) != ".git"
    owner = reader.real_or(shared if is_bare else dirname(shared))
    inside = contains_path(owner, repository)
    real = {folder: reader.real_or(folder) for folder in walk} if inside else {}
    around = [f for f, path in real.items() if contains_path(owner, path) and not contains_path(repository, path)]
    return Worktree(owner, is_bare, tuple(around), knows_worktree(reader.world, repository))


def _in_play(touching: tuple[str, ...], start: str) -> tuple[str, ...]:
    return tuple(normpath(join(start, path)) for path in touching)


def _facts(
    reader: FileReader,
    wants: Wants,
    features: Features,
    way: FolderWalk,
    ground: SearchScope,
    settings_folder: str,
    *,
    own: bool,
) -> dict[str, Any]:
    asked, wants, walk, home = wants, apply_features(wants, features), way.walk, ground.home
    roots = find_link_roots(reader, wants, walk, home, way.repository)
    here, root = walk[-1], roots.project
    facts = _documents(reader, wants, walk, roots, home) if wants.workspace or wants.context else {}
    facts["project"] = readable_path(next((each for each in walk if contains_path(root, reader.real_or(each))), here))
    if asked.context and not wants.context:
        reader.note("features.context.enabled", "context", "off", "it is false: no project file is looked for")
    searched: dict[str, str] = {}
    if wants.skills:
        extra = [
            f
            for each in features.skills_extra_dirs
            for f in find_folders(reader.world, make_absolute(reader.world, each))
        ]
        facts["skills"] = find_skills(reader, wants.skills, walk, roots, home, tuple(extra), searched, ground)
    elif asked.skills:
        reader.note("features.skills.enabled", "skill", "off", "it is false: no skill is looked for")
    if own:  # what an agent of somebody else's leaves out, no setting of ours adds
        from .unread.other_tools_files import SearchedPlaces, report_unread_files

        report_unread_files(
            reader, wants, features, SearchedPlaces(way, roots, home, settings_folder), facts, set(searched)
        )
    if wants.overrides or wants.agent or wants.memories or wants.persona:
        _add_people(reader, wants, walk, roots, home, facts)
    return facts


def _add_people(
    reader: FileReader, wants: Wants, walk: list[str], roots: LinkRoots, home: str, facts: dict[str, Any]
) -> None:
    """Who speaks, to whom, and what they remember: few recipes ask, so it is imported where one does."""
    from .agent_json import find_agent_file, find_memories
    from .persona_files import find_overrides, find_persona

    here, root = walk[-1], roots.project
    if wants.overrides:
        facts["overrides"], facts["origins"] = find_overrides(reader, wants.overrides, here, root, home)
    if wants.agent:
        facts["agent"], facts["directories"], origins = find_agent_file(reader, wants.agent, here, root, home)
        facts["origins"] = {**facts.get("origins", {}), **origins}
    if wants.memories:
        facts["memories"], origins = find_memories(reader, wants.memories, walk, roots)
        facts["origins"] = {**facts.get("origins", {}), **origins}
    if wants.persona:
        agent, facts["user"], origins = find_persona(reader, wants.persona, home)
        facts["agent"] = _over(facts.get("agent"), agent)
        facts["origins"] = origins | facts.get("origins", {})


def _documents(reader: FileReader, wants: Wants, walk: list[str], roots: LinkRoots, home: str) -> dict[str, Any]:
    """Workspace files and project files, each text once."""
    from .persona_files import find_workspace_files
    from .steps.context_files import find_context_files
    from .unread.duplicate_files import drop_duplicates, make_copy_rule

    # Workspace files first: for whoever works in that folder its files stay what they are everywhere else.
    workspace = find_workspace_files(reader, wants.workspace, home) if wants.workspace else ()
    context: tuple[TextFile, ...] = ()
    shadowed: list[TextFile] = []
    if wants.context:
        context = find_context_files(reader, wants.context, walk, roots, home, shadowed)
    said = drop_duplicates(reader, workspace, context, shadowed, make_copy_rule(wants.context, walk[-1], home))
    found = {"workspace_files": said.workspace} if wants.workspace else {}
    return {**found, "context_files": said.context} if wants.context else found


def _over(near: Agent | None, far: Agent | None) -> Agent | None:
    """The agent of the project, with what only the one under home says."""
    if near is None or far is None:
        return near or far
    given = {name: value for name in near.__struct_fields__ if (value := getattr(near, name)) not in (None, ())}
    return msgspec.structs.replace(far, **given)


def _timezone(world: World, facts: dict[str, Any]) -> str | None:
    """The zone that the user names for themselves, else the machine's: a server stands where it stands."""
    user: User | None = facts.get("user")
    if user is None or user.timezone is None:
        return world.timezone()
    facts["origins"] = facts["origins"] | {"runtime.timezone": facts["origins"]["user.timezone"]}
    return user.timezone


def default_tools(recipe: Recipe) -> tuple[Tool, ...]:
    """The recipe's own tools that are active when nobody says otherwise."""
    return tuple(tool for tool in recipe.tools if tool.name in recipe.active)


def reuse_equal_fields(state: State, earlier: State | None) -> State:
    """`state` with the objects of `earlier` wherever they are equal, so that a build takes its blocks over."""
    if earlier is None:
        return state
    same = {
        name: old
        for name in State.__struct_fields__
        if (old := getattr(earlier, name)) is not (new := getattr(state, name)) and _equal(old, new)
    }
    return state.replace(**{"origins": state.origins, **same}) if same else state


def _equal(old: object, new: object) -> bool:
    # Unchanged files are the same objects, so a tuple of them is compared without reading their texts.
    if isinstance(old, tuple) and isinstance(new, tuple):
        return len(old) == len(new) and all(
            a is b or (type(a) is Tool and a == b) for a, b in zip(old, new, strict=True)
        )
    return old == new
