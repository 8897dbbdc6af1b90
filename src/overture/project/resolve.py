"""Resolves recipe, folders and settings into one ResolvedProject, which every command starts from."""

from collections.abc import Mapping
from functools import cache
from os import PathLike, fspath
from shlex import quote
from sys import intern
from typing import Any, NamedTuple

from ..discover.configuration.approvals import read_approvals
from ..discover.configuration.keys import Features
from ..discover.configuration.load_config import (
    ConfiguredPath,
    find_missing_config_paths,
    list_configured_paths,
    load_config,
)
from ..discover.configuration.untrusted_config import find_project_folder, real_path_or_same
from ..discover.configuration.values import Config, Extension
from ..discover.discover import discover, list_allowed_folders
from ..discover.disk.folders_above import list_folders_above
from ..discover.disk.paths import (
    check_working_directory,
    contains_path,
    find_walk_ends,
    list_walk_folders,
    make_absolute,
)
from ..discover.disk.project_root import LinkRoots, apply_features, find_boundary, find_link_roots, find_repository_root
from ..discover.disk.reader import ANY_CONTENT, ApprovalCheck, FileReader, OutsideApproval
from ..discover.disk.real_world import RealWorld
from ..discover.disk.world import World, discovery_world
from ..discover.formats.json_and_toml import read_tools_file, select_recipe_tools
from ..discover.steps.agent_settings import move_folders
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import Recipe
from ..model.source import narrow_project, tier_of_path
from ..model.state.discovery import CachedFile, Discovery
from ..model.state.runtime import Docs
from ..model.state.state import State
from ..model.tool.tool import Tool
from ..model.wants.wants import ContextFiles, Wants, fill_settings
from ..text.paths import PathPrinter, make_root_printer, readable_path
from .find_recipe import RecipeSource as NamedRecipe
from .find_recipe import pick_recipe, report_taken_names, report_unknown_tables

WAITING_REASONS = {
    "unknown": "it waits for approval",
    "changed": "it changed since it was approved",
}


def make_approval_check(world: World, config: Config, cwd: str, home: str) -> ApprovalCheck | None:
    """What says which files have to wait; None where the user does not want to be asked."""
    if config.get("trust").value != "ask":
        return None
    import hashlib

    approvals = read_approvals(world, home)
    house, here = real_path_or_same(world, home), real_path_or_same(world, cwd)
    project = narrow_project(find_project_folder(world, cwd), here, house)
    trusted = tuple(real_path_or_same(world, folder) for folder in config.get("trusted").value)

    def approve(real: str, data: bytes) -> str | None:
        if tier_of_path(real, project, house) == "user" or any(contains_path(top, real) for top in trusted):
            return None
        standing = approvals.standing(real, hashlib.sha256(data).hexdigest())
        if standing == "trusted":
            return None
        return f"{WAITING_REASONS[standing]}; to see it, and to approve it: overture trust {quote(real)}"

    return approve


# Files outside a project that the user allows it to reach: approved by path and content, or by trusting its folder.


def make_outside_approval(world: World, config: Config, cwd: str, home: str) -> OutsideApproval:
    """What says which files outside the project may be read. Nothing is read before somebody asks."""

    @cache
    def digests() -> dict[str, str]:
        kept = read_approvals(world, home).outside.get(find_project_folder(world, cwd), {})
        return {path: approval.sha256 for path, approval in kept.items()}

    @cache
    def is_trusted() -> bool:
        here = real_path_or_same(world, cwd)
        return any(contains_path(real_path_or_same(world, folder), here) for folder in config.get("trusted").value)

    def approved(real: str) -> str | None:
        return ANY_CONTENT if is_trusted() else digests().get(real)

    return approved


# What the caller and the configuration say -> all that discovery needs to know, settled once.


Path = str | PathLike[str]


class ResolvedProject(NamedTuple):
    """Where to look, for which recipe, with which switches."""

    recipe: Recipe
    world: World
    cwd: str
    home: str
    root: str | None
    features: Features
    settings: Mapping[str, str]
    tools: tuple[Tool, ...] | None
    notes: tuple[Diagnostic, ...] = ()
    named: tuple[ConfiguredPath, ...] = ()
    """The folders that the configuration names."""
    docs: Docs | None = None
    subagent: bool = False
    extensions: tuple[Extension, ...] = ()
    """Those that the configuration gives."""
    untrusted: tuple[Diagnostic, ...] = ()
    """What is said of those that it may not give."""
    config: Config = Config({})
    """All that is configured, with where it is from."""
    approve: ApprovalCheck | None = None
    """What says which files have to be approved first."""
    touching: tuple[str, ...] = ()
    """Files that the agent works on."""
    approved: OutsideApproval | None = None
    """What says which files outside the project the user allows."""

    def find(self, since: Discovery | None = None) -> Discovery:
        """Read what the recipe wants; with `since`, only the files that changed."""
        found = discover(
            self.recipe,
            cwd=self.cwd,
            home=self.home,
            root=self.root,
            features=self.features,
            settings=self.settings,
            tools=self.tools,
            docs=self.docs,
            subagent=self.subagent,
            world=self.world,
            since=since,
            settings_folder=self.config.folder,
            approve=self.approve,
            approved=self.approved,
            touching=self.touching,
        )
        notes = (*self.notes, *self._missing(found.diagnostics))
        return Discovery(self._withholding(found.state), notes, found.looked_at, found.kept, found.wants)

    def _withholding(self, state: State) -> State:
        """The state with who may read it, and what is kept from them."""
        given = {key: intern(self.config.get(key, self.recipe.name).value) for key in ("audience", "secrets")}
        # The same object where nothing differs: a build takes its blocks over.
        same = all(getattr(state, key) == value for key, value in given.items())
        return state if same else state.replace(**given)

    def _missing(self, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """What was found wrong, and before it the folders that are not there; each is reported with its key alone."""
        missing = dict(find_missing_config_paths(self.world, self.named))
        paths = {named.path for named in missing}
        return (*missing.values(), *(note for note in found if note.path not in paths))

    def reader(self, kept: Mapping[tuple[str, str], CachedFile] | None = None) -> FileReader:
        """A reader for further files of the same project."""
        world = list_folders_above(discovery_world(self.world), self.cwd)
        cwd, top = find_walk_ends(world, self.cwd, self.root)
        walk = list_walk_folders(cwd, top)
        allowed = list_allowed_folders(world, self.features)
        reader = FileReader(world, allowed, (*walk, self.home), kept or {}, self.approve, self.approved)
        settings = {**self.recipe.settings, **self.settings}
        wants = fill_settings(self.recipe.wants, move_folders(self.recipe.wants, settings, self.world.environment()))
        reader.boundary = find_boundary(reader, wants, walk, self.home, find_repository_root(reader, cwd))
        return reader


def make_outside_setting(read: bool) -> dict[str, bool]:
    """The setting for which `--read-outside` is short; without it, the configuration says it."""
    return {"features.links.outside": True} if read else {}


def resolve(
    recipe: NamedRecipe | None = None,
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    config: Mapping[str, Any] | None = None,
    subagent: bool = False,
    world: World | None = None,
) -> ResolvedProject:
    """Read the configuration, and choose the recipe."""
    world = world or RealWorld()
    here = check_working_directory(world, fspath(cwd) if cwd is not None else None)
    now = list_folders_above(world, here)
    house = make_absolute(world, fspath(home) if home is not None else world.home())
    settled = load_config(now, here, house, config)
    chosen = pick_recipe(now, recipe, settled, here)
    features = settled.features(chosen.name)
    return ResolvedProject(
        chosen,
        world,
        here,
        house,
        fspath(root) if root is not None else None,
        features,
        {name: value.value for name, value in settled.settings(chosen).items()},
        read_configured_tools(world, chosen, settled),
        (*settled.notes, *report_unknown_tables(settled), *report_taken_names(settled), *chosen.notes),
        list_configured_paths(world, settled, chosen.name),
        settled.docs(chosen.name),
        subagent,
        settled.extending(chosen.name) if features.extensions_enabled else (),
        settled.untrusted,
        settled,
        make_approval_check(world, settled, here, house),
        approved=make_outside_approval(world, settled, here, house),
    )


def read_configured_tools(world: World, recipe: Recipe, config: Config) -> tuple[Tool, ...] | None:
    """The tools that the configuration activates, or None where it says nothing."""
    chosen = config.get("tools", recipe.name)
    if chosen.value is None:
        return None
    if not isinstance(chosen.value, str):
        return select_recipe_tools(recipe, chosen.value)
    return read_tools_file(world, chosen.value, pipes=False, within=chosen.within)


# What the recipe of a project wants, with its settings filled in and the switches heeded.


def resolve_wants(settled: ResolvedProject) -> Wants:
    """What the recipe wants, with its settings filled in."""
    return fill_settings(settled.recipe.wants, {**settled.recipe.settings, **settled.settings})


def resolve_context_wants(settled: ResolvedProject) -> ContextFiles | None:
    """The project files that the recipe wants, as far as they are switched on."""
    return apply_features(resolve_wants(settled), settled.features).context


def find_project_roots(settled: ResolvedProject) -> LinkRoots:
    """How far links in the project and above it may lead."""
    cwd, top = find_walk_ends(settled.world, settled.cwd, settled.root)
    wants, reader = apply_features(resolve_wants(settled), settled.features), settled.reader()
    return find_link_roots(reader, wants, list_walk_folders(cwd, top), settled.home, find_repository_root(reader, cwd))


# Paths as a person reads them: from where the project begins, or `~/…`, or in full.


def find_top_folder(settled: ResolvedProject) -> str:
    """The topmost folder on the way to the working directory that is of the project, as it is called there."""
    real, project = settled.reader().real_or, find_project_roots(settled).project
    return next(
        (each for each in list_walk_folders(settled.cwd, None) if contains_path(project, real(each))), settled.cwd
    )


def make_project_path_printer(settled: ResolvedProject | None) -> PathPrinter:
    """How paths are written in a project; without one, in full."""
    ends = (find_top_folder(settled), settled.home) if settled else ("", "")
    top, home = (readable_path(end.rstrip("/")) for end in ends)
    return make_root_printer(top, home)
