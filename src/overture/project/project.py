"""What the caller and the configuration say -> all that discovery needs to know, settled once."""

from collections.abc import Mapping
from os import PathLike, fspath
from sys import intern
from typing import Any, NamedTuple

from ..discover.configuration.files_and_environment import load_config
from ..discover.configuration.keys import Features
from ..discover.configuration.named_paths import Named, find_missing, named_paths
from ..discover.configuration.values import Config, Extension
from ..discover.discover import discover, links_allowed
from ..discover.disk.project_root import find_boundary
from ..discover.disk.reader import Approve, Approved, Reader
from ..discover.disk.repository import find_repository
from ..discover.disk.walk import absolute, folders, walk_ends, working_directory
from ..discover.disk.world import RealWorld, World, discovered_in
from ..discover.find.steps.agent_settings import moved
from ..discover.folders_above import list_folders_above
from ..discover.formats.user_json_and_toml import named_tools, read_tools
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import Recipe
from ..model.recipe.wants.wanted_files import filled
from ..model.state.discovery import Found, Kept
from ..model.state.runtime import Docs
from ..model.state.state import State
from ..model.state.tool import Tool
from .approve_files import asking
from .approve_outside import allowing
from .find_recipe import Named as NamedRecipe
from .find_recipe import choose, taken_names, unknown_tables

Path = str | PathLike[str]


class Settled(NamedTuple):
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
    named: tuple[Named, ...] = ()
    """The folders that the configuration names."""
    docs: Docs | None = None
    subagent: bool = False
    extensions: tuple[Extension, ...] = ()
    """Those that the configuration gives."""
    untrusted: tuple[Diagnostic, ...] = ()
    """What is said of those that it may not give."""
    config: Config = Config({})
    """All that is configured, with where it is from."""
    approve: Approve | None = None
    """What says which files have to be approved first."""
    touching: tuple[str, ...] = ()
    """Files that the agent works on."""
    approved: Approved | None = None
    """What says which files outside the project the user allows."""

    def find(self, since: Found | None = None) -> Found:
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
        return Found(self._withholding(found.state), notes, found.looked_at, found.kept, found.wants)

    def _withholding(self, state: State) -> State:
        """The state with who may read it, and what is kept from them."""
        given = {key: intern(self.config.get(key, self.recipe.name).value) for key in ("audience", "secrets")}
        # The same object where nothing differs: a build takes its blocks over.
        same = all(getattr(state, key) == value for key, value in given.items())
        return state if same else state.replace(**given)

    def _missing(self, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """What was found wrong, and before it the folders that are not there; each is reported with its key alone."""
        missing = dict(find_missing(self.world, self.named))
        paths = {named.path for named in missing}
        return (*missing.values(), *(note for note in found if note.path not in paths))

    def reader(self, kept: Mapping[tuple[str, str], Kept] | None = None) -> Reader:
        """A reader for further files of the same project."""
        world = list_folders_above(discovered_in(self.world), self.cwd)
        cwd, top = walk_ends(world, self.cwd, self.root)
        walk = folders(cwd, top)
        allowed = links_allowed(world, self.features)
        reader = Reader(world, allowed, (*walk, self.home), kept or {}, self.approve, self.approved)
        settings = {**self.recipe.settings, **self.settings}
        wants = filled(self.recipe.wants, moved(self.recipe.wants, settings, self.world.environment()))
        reader.boundary = find_boundary(reader, wants, walk, self.home, find_repository(reader, cwd))
        return reader


def reading_outside(read: bool) -> dict[str, bool]:
    """The setting for which `--read-outside` is short; without it, the configuration says it."""
    return {"features.links.outside": True} if read else {}


def settle(
    recipe: NamedRecipe | None = None,
    *,
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    config: Mapping[str, Any] | None = None,
    subagent: bool = False,
    world: World | None = None,
) -> Settled:
    """Read the configuration, and choose the recipe."""
    world = world or RealWorld()
    here = working_directory(world, fspath(cwd) if cwd is not None else None)
    now = list_folders_above(world, here)
    house = absolute(world, fspath(home) if home is not None else world.home())
    settled = load_config(now, here, house, config)
    chosen = choose(now, recipe, settled, here)
    features = settled.features(chosen.name)
    return Settled(
        chosen,
        world,
        here,
        house,
        fspath(root) if root is not None else None,
        features,
        {name: value.value for name, value in settled.settings(chosen).items()},
        configured_tools(world, chosen, settled),
        (*settled.notes, *unknown_tables(settled), *taken_names(settled), *chosen.notes),
        named_paths(world, settled, chosen.name),
        settled.docs(chosen.name),
        subagent,
        settled.extending(chosen.name) if features.extensions_enabled else (),
        settled.untrusted,
        settled,
        asking(world, settled, here, house),
        approved=allowing(world, settled, here, house),
    )


def configured_tools(world: World, recipe: Recipe, config: Config) -> tuple[Tool, ...] | None:
    """The tools that the configuration activates, or None where it says nothing."""
    chosen = config.get("tools", recipe.name)
    if chosen.value is None:
        return None
    if not isinstance(chosen.value, str):
        return named_tools(recipe, chosen.value)
    return read_tools(world, chosen.value, pipes=False, within=chosen.within)
