"""Lists extensions, sets them up and replaces the old ones in one step. One that fails changes nothing."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from os import fspath
from typing import Any

from ..discover.configuration.config import Extension
from ..discover.discover import ResolvedProject
from ..discover.disk.world import World
from ..discover.load_extension import list_packaged_extensions, load_function, locate_extension
from ..errors import ConfigError, OvertureError
from ..model.diagnostic import warning
from ..model.state.state import State
from ..text.normalize import to_one_line
from .call_hooks import HookOutcome, NamedHook, call_hook, make_failure_outcome, make_hook_name, mark_running
from .extension_changes import (
    PENDING_CHANGES,
    ExtensionChanges,
    ExtensionSource,
    ExtensionUnit,
    LoadedExtension,
    PendingChanges,
    PendingWork,
    Registry,
    SetupRequest,
    compare_registries,
    keep_other_changes,
    list_extension_triggers,
    restore_changes,
    withdraw_changes,
)
from .session_parts import SessionParts
from .toolbox import USE_SKILL, add_skill_loader

PROGRAM_ORIGIN = "Session"


def list_session_extensions(
    project: ResolvedProject | None, world: World, cwd: str, sources: Iterable[ExtensionSource]
) -> list[ExtensionUnit]:
    """All extensions, the nearest last: its registrations override others. A repeated one is listed once."""
    units: dict[str, ExtensionUnit] = {}
    home = project.home if project else world.home()
    configured = project.extensions if project else ()
    packaged = list_packaged_extensions() if project and project.features.extensions_enabled else ()
    for each in (*packaged, *configured):
        units.setdefault((unit := _locate_extension_unit(world, each, home)).key, unit)
    for unit in _list_program_extensions(world, cwd, home, sources):
        units.setdefault(unit.key, unit)
    return list(units.values())


def _list_program_extensions(
    world: World, cwd: str, home: str, sources: Iterable[ExtensionSource]
) -> Iterator[ExtensionUnit]:
    names: list[str] = []
    for item in sources:
        if isinstance(item, str):
            yield _locate_extension_unit(world, Extension(item, PROGRAM_ORIGIN, cwd), home)
            continue
        name = f"{getattr(item, '__module__', '')}:{make_hook_name(item)}"
        key = _make_extension_key(item, name)
        yield ExtensionUnit(f"{name}#{names.count(name)}", key, name, _make_finder(item))
        names.append(name)


def _make_finder(item: Any) -> Callable[[bool], Any]:
    return lambda _: item


def _make_extension_key(item: Any, name: str) -> str:
    """The name of a function that is importable by it; for any other, its name and identity."""
    module, _, function = name.partition(":")
    try:
        importable = attrgetter(function)(sys.modules[module])
    except (KeyError, AttributeError):
        importable = None
    return name if importable is item else f"{name}@{id(getattr(item, '__self__', item))}"


def _locate_extension_unit(world: World, extension: Extension, home: str) -> ExtensionUnit:
    spec, origin = extension.spec, extension.origin
    id, path = f"{origin} {spec}", origin if origin.startswith("/") else None
    name = f"{spec} of {origin}" if origin.startswith("package ") else spec
    try:
        located = locate_extension(world, extension, home)
    except (ConfigError, OSError) as problem:
        return ExtensionUnit(id, id, name, ConfigError(str(problem)), path)
    return ExtensionUnit(id, located.key, name, lambda again: load_function(world, located, again=again), path)


def replace_extensions(
    session: SessionParts,
    requests: Sequence[SetupRequest],
    missing: Sequence[LoadedExtension],
    project: ResolvedProject | None,
) -> None:
    """Undo the changes of the old extensions and make those of the new ones, in one step."""
    part = session.extensions
    with session.lock:
        before, old = copy_registry(session), part.loaded
        bare = copy_registry(session)
        for each in reversed(old):
            withdraw_changes(bare, each.changes)
        set_registry(session, bare)
        if project is not None:
            session.turn.diagnostics += session.setup.set_default_tools(project)
        known = {each.id: each for each in old}
        new = [_keep_old(session, each) for each in missing]
        granted = [_grant_request(session, each, known.get(each.unit.id)) for each in requests]
        new += [loaded for loaded in granted if loaded is not None]
        after = copy_registry(session)
        keep_other_changes(before, after, old)
        set_registry(session, after)
        part.loaded, part.ran = tuple(new), True
        session.turn.triggers += list_extension_triggers(old, new)


def _grant_request(session: SessionParts, request: SetupRequest, old: LoadedExtension | None) -> LoadedExtension | None:
    """Make the changes that an extension requests. If that or its setup failed, restore its old changes."""
    unit, problem = request.unit, request.problem
    if problem is None:
        changes = _make_changes(session, request.works)
        if isinstance(changes, ExtensionChanges):
            return LoadedExtension(unit.id, unit.name, changes)
        problem = changes
    outcome = "is unchanged" if old else "is not loaded"
    message = f"extension {unit.name!r} {outcome}: {to_one_line(problem)}"
    session.turn.diagnostics.append(warning("extension-failed", message, unit.path))
    return _keep_old(session, old) if old else None


def _keep_old(session: SessionParts, old: LoadedExtension) -> LoadedExtension:
    """Make the changes of an old extension again, since its new setup failed."""
    before, after = copy_registry(session), copy_registry(session)
    restore_changes(after, old.changes)
    set_registry(session, after)
    return old._replace(changes=compare_registries(before, after))


def _make_changes(session: SessionParts, works: Sequence[PendingWork]) -> ExtensionChanges | str:
    """Make the pending changes and return the difference. If one fails, undo all of them."""
    setup, box, triggers = session.setup, session.setup.toolbox, session.queue.triggers
    assert box is not None
    before, waiting = copy_registry(session), len(triggers)
    settings, names, positions = setup.settings, set(setup.requested_names), dict(box.positions)
    try:
        for work in works:
            work()
    except Exception as problem:
        set_registry(session, before)
        setup.settings, setup.requested_names, box.positions = settings, names, positions
        del triggers[waiting:]
        return make_failure_outcome(problem).problem or ""
    # The prompt is built after all extensions: only a new budget still needs a trigger.
    triggers[waiting:] = [trigger for trigger in triggers[waiting:] if trigger.name == "budget"]
    return compare_registries(before, copy_registry(session))


def copy_registry(session: SessionParts) -> Registry:
    """A copy of the values that extensions can change."""
    setup, box = session.setup, session.setup.toolbox
    assert box is not None
    hooks = {event: list(hooks) for event, hooks in session.hooks.items()}
    return Registry(dict(box.known), set(box.active), dict(setup.fields), session.resources, hooks)


def set_registry(session: SessionParts, registry: Registry) -> None:
    """Set the values of extensions in the session."""
    setup, box = session.setup, session.setup.toolbox
    assert box is not None
    box.known, box.active = dict(registry.known), set(registry.active)
    setup.fields, session.resources = dict(registry.fields), registry.resources
    session.hooks = {event: list(hooks) for event, hooks in registry.hooks.items()}


def get_bare_state(session: SessionParts) -> State:
    """The state without the tools of extensions, so that each setup sees the same state as the first time."""
    current = session.current
    with session.lock:
        registry = copy_registry(session)
        for each in reversed(session.extensions.loaded):
            withdraw_changes(registry, each.changes)
    setup = session.setup
    assert current.state is not None and current.recipe is not None and setup.toolbox is not None
    names = sorted(registry.active, key=setup.toolbox.positions.__getitem__)
    tools = tuple(registry.known[name] for name in names)
    state = current.state
    return state.replace(
        tools=add_skill_loader(tools, state.skills, current.recipe, USE_SKILL in setup.requested_names)
    )


def load_extensions(session: SessionParts, project: ResolvedProject) -> None:
    """Set up the current extensions and unload the removed ones, at the start and at a reload."""
    current, part = session.current, session.extensions
    wanted = _list_wanted(session, project)
    part.due = False
    if not wanted and not part.loaded:
        session.turn.diagnostics += session.setup.set_default_tools(project)
        return
    first = current.state is None
    if first:
        # A function may read the session that it sets up. The prompt to send is built after all of them.
        session.turn.diagnostics += session.setup.set_default_tools(project)
        current.read_files(session.resources, project)
        current.update_state()
    try:
        requests = [_run_setup(session, unit, get_bare_state(session)) for unit in wanted]
        replace_extensions(session, requests, (), None if first else project)
    finally:
        if first:
            current.restart()


def load_resumed_extensions(session: SessionParts) -> None:
    """Set up the extensions of a resumed session again. Saved changes of missing extensions stay."""
    part, settings = session.extensions, session.setup.settings
    part.due = False
    try:
        project = settings.resolve()
    except OvertureError:
        project = None
    wanted = _list_wanted(session, project)
    ids = {unit.id for unit in wanted}
    missing = tuple(each for each in part.loaded if each.id not in ids)
    for each in missing:
        effect = "what it registered stays until a reload, its hooks are removed; pass it to resume(extensions=…)"
        message = f"extension {each.name!r} of the saved session is missing: {effect}"
        session.turn.diagnostics.append(warning("extension-missing", message))
    before = copy_registry(session)
    requests = [_run_setup(session, unit, get_bare_state(session)) for unit in wanted]
    replace_extensions(session, requests, missing, None)
    after = copy_registry(session)
    if after.resources != before.resources:
        session.add_trigger("resources", "the extensions' resources differ from the saved session")
    elif (after.known, after.active, after.fields) != (before.known, before.active, before.fields):
        session.add_trigger("registry", "the extensions' tools or fields differ from the saved session")


def _list_wanted(session: SessionParts, project: ResolvedProject | None) -> list[ExtensionUnit]:
    """The extensions of this session. A sub-agent has none of its own: it inherits tools."""
    settings = session.setup.settings
    if session.setup.info is None:
        return []
    if project is not None and project.features.extensions_enabled:
        session.turn.diagnostics += project.untrusted
    cwd = project.cwd if project else fspath(settings.cwd or ".")
    return list_session_extensions(project, settings.world, cwd, session.extensions.sources)


def _run_setup(session: SessionParts, unit: ExtensionUnit, state: State) -> SetupRequest:
    """Run an extension's function, in a thread that is abandoned after the limit. Its changes are queued."""
    pending = PendingChanges(session, state)
    again, owner = session.extensions.ran, session.owner and session.owner()

    def work(_: Any) -> Any:
        try:
            if isinstance(unit.find, ConfigError):
                raise unit.find
            setup = unit.find(again)
            if not callable(setup):
                raise ConfigError(f"it is {setup!r:.60}, which is not callable; pass a function or 'module:function'")
        except ConfigError as problem:
            return HookOutcome(problem=str(problem))
        return setup(owner)

    limit = session.setup.settings.options.hook_limit
    token = PENDING_CHANGES.set(pending)
    try:
        with mark_running(session):
            outcome = call_hook(NamedHook(unit.name, work), owner, limit)
    finally:
        PENDING_CHANGES.reset(token)
    problem = outcome.problem or _report_unfinished(outcome.value)
    return SetupRequest(unit, pending.end("dropped" if problem else "granted"), problem)


def _report_unfinished(value: Any) -> str | None:
    """What is wrong with a function's return value: a generator was never run."""
    if isinstance(value, HookOutcome):
        return value.problem
    unfinished = inspect.isgenerator(value) or inspect.isasyncgen(value)
    return "it contains a `yield`, so it was not run; write a plain or an async function" if unfinished else None
