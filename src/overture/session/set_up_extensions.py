"""Lists extensions, sets them up and replaces their layers in one step. One that fails changes nothing."""

import inspect
from collections.abc import Iterable, Sequence
from os import fspath
from typing import Any

from ..discovery.configuration.config import Extension
from ..discovery.discover import ResolvedProject
from ..discovery.world import World
from ..errors import ConfigError, OvertureError
from ..model.diagnostic import warning
from ..model.state.state import State
from ..text.normalize import to_one_line
from .extension_changes import (
    PENDING_CHANGES,
    RESOURCE_KINDS,
    ExtensionUnit,
    LoadedExtension,
    PendingChanges,
    PendingWork,
    Registry,
    find_layer,
    lay_over,
    list_extension_triggers,
    pick_kind,
)
from .hooks import EVENTS, HookOutcome, NamedHook, call_hook, make_failure_outcome, make_hook_name, mark_running
from .load_extension import ExtensionLocation, list_packaged_extensions, load_function, locate_extension
from .session_files import Resources
from .session_parts import SessionParts
from .session_setup import USE_SKILL, add_skill_loader


def _list_extensions(session: SessionParts, project: ResolvedProject | None) -> list[ExtensionUnit]:
    """All extensions, the nearest last: its registrations override others. A repeated one is listed once.

    A sub-agent has none of its own: it inherits tools.
    """
    settings, items = session.setup.settings, list[Any]()
    if session.setup.info is None:
        return []
    if project is not None and project.features.extensions_enabled:
        session.turn.diagnostics += project.config.untrusted
        items += list_packaged_extensions()
    items += project.extensions if project else ()
    home, cwd = (project.home, project.cwd) if project else (settings.world.machine.home(), fspath(settings.cwd or "."))
    units: dict[str, ExtensionUnit] = {}
    for item in (*items, *session.extensions.sources):
        if isinstance(item, str | Extension):
            named = Extension(item, "Session", cwd) if isinstance(item, str) else item
            key, unit = _locate_unit(settings.world, named, home)
            units.setdefault(key, unit)
        elif all(unit.source != item for unit in units.values()):
            name = f"{getattr(item, '__module__', '')}:{make_hook_name(item)}"
            number = sum(unit.name == name and callable(unit.source) for unit in units.values())
            id = f"{name}#{number}" if number else name
            units.setdefault(id, ExtensionUnit(id, name, item))
    return list(units.values())


def _locate_unit(world: World, extension: Extension, home: str) -> tuple[str, ExtensionUnit]:
    """The extension of a `module:function`, with what is the same for two names of it."""
    spec, origin = extension.spec, extension.origin
    id, path = f"{origin} {spec}", origin if origin.startswith("/") else None
    name = f"{spec} of {origin}" if origin.startswith("package ") else spec
    try:
        located = locate_extension(world, extension, home)
    except (ConfigError, OSError) as problem:
        return id, ExtensionUnit(id, name, ConfigError(str(problem)), path)
    return located.key, ExtensionUnit(id, name, located, path)


def copy_registry(session: SessionParts) -> Registry:
    """The values that extensions can change, by kind and name."""
    box = session.setup.toolbox
    assert box is not None
    return {
        **{("tool", name): tool for name, tool in box.known.items()},
        **{("active", name): True for name in box.names},
        **{("hook", (event, id(hook))): hook for event, hooks in session.hooks.items() for hook in hooks},
        **{("field", name): value for name, value in session.setup.fields.items()},
        **{(kind, path): True for kind in RESOURCE_KINDS for path in getattr(session.resources, kind)},
    }


def set_registry(session: SessionParts, registry: Registry) -> None:
    """Set the values that extensions can change."""
    box = session.setup.toolbox
    assert box is not None
    box.known = pick_kind(registry, "tool")
    box.active = pick_kind(registry, "active").keys() & box.known.keys()
    session.setup.fields = pick_kind(registry, "field")
    hooks = pick_kind(registry, "hook").items()
    session.hooks = {event: [hook for (of, _), hook in hooks if of == event] for event in EVENTS}
    session.resources = Resources(*(tuple(pick_kind(registry, kind)) for kind in RESOURCE_KINDS))


def _find_base_state(session: SessionParts) -> State:
    """The state without the tools of extensions, so that each setup sees the same state as the first time."""
    current, setup, part = session.current, session.setup, session.extensions
    assert current.state is not None and current.recipe is not None and setup.toolbox is not None
    with session.lock:
        part.follow_program(copy_registry(session))
        names = sorted(pick_kind(part.base, "active"), key=setup.toolbox.positions.__getitem__)
        tools = tuple(part.base["tool", name] for name in names if ("tool", name) in part.base)
    skills, is_requested = current.state.skills, USE_SKILL in setup.requested_names
    return current.state.replace(tools=add_skill_loader(tools, skills, current.recipe, is_requested))


def load_extensions(session: SessionParts, project: ResolvedProject) -> None:
    """Set up the current extensions and unload the removed ones, at the start and at a reload."""
    current, setup, part = session.current, session.setup, session.extensions
    wanted = _list_extensions(session, project)
    part.due = False
    first = current.state is None
    if first or not (wanted or part.loaded):
        session.turn.diagnostics += setup.set_default_tools(project)
    if not wanted and not part.loaded:
        return
    if first:
        # A function may read the session that it sets up. The prompt to send is built after all of them.
        current.read_files(session.resources, project)
        current.update_state()
    try:
        _replace_extensions(session, wanted, (), project)
    finally:
        if first:
            current.restart()


def load_resumed_extensions(session: SessionParts) -> None:
    """Set up the extensions of a resumed session again. The layers of missing ones stay."""
    part = session.extensions
    part.due = False
    try:
        project = session.setup.settings.resolve()
    except OvertureError:
        project = None
    wanted = _list_extensions(session, project)
    ids = {unit.id for unit in wanted}
    with session.lock:
        part.follow_program(copy_registry(session))
    missing = tuple(each for each in part.loaded if each.id not in ids)
    effect = "what it registered stays until a reload, its hooks are removed; pass it to resume(extensions=…)"
    session.turn.diagnostics += [
        warning("extension-missing", f"extension {each.name!r} of the saved session is missing: {effect}")
        for each in missing
    ]
    before = copy_registry(session)
    _replace_extensions(session, wanted, missing, None)
    kinds = {kind for kind, _ in find_layer(before, copy_registry(session))} - {"hook"}
    if kinds.intersection(RESOURCE_KINDS):
        session.add_trigger("resources", "the extensions' resources differ from the saved session")
    elif kinds:
        session.add_trigger("registry", "the extensions' tools or fields differ from the saved session")


def _replace_extensions(
    session: SessionParts,
    wanted: Iterable[ExtensionUnit],
    missing: Sequence[LoadedExtension],
    project: ResolvedProject | None,
) -> None:
    """Run all setups; then replace the old layers by the new ones, in one step."""
    part, state = session.extensions, _find_base_state(session)
    requests = [_run_setup(session, unit, state) for unit in wanted]
    with session.lock:
        part.follow_program(copy_registry(session))
        set_registry(session, part.base)
        if project is not None:
            session.turn.diagnostics += session.setup.set_default_tools(project)
        part.base = registry = copy_registry(session)
        for each in missing:
            registry = lay_over(registry, each.layer)
        set_registry(session, registry)
        old = {each.id: each for each in part.loaded}
        layers = [_lay_extension(session, each, old.get(each.unit.id)) for each in requests]
        new = (*missing, *filter(None, layers))
        session.turn.triggers += list_extension_triggers(part.loaded, new)
        part.replace_layers(new)
        set_registry(session, lay_over(copy_registry(session), part.top))
        part.latest = copy_registry(session)


def _lay_extension(
    session: SessionParts, request: PendingChanges, old: LoadedExtension | None
) -> LoadedExtension | None:
    """Make the changes that an extension requests. If that or its setup failed, lay its old layer again."""
    unit, before = request.unit, copy_registry(session)
    problem = request.problem or _make_changes(session, request.works)
    if problem is None:
        return LoadedExtension(unit.id, unit.name, find_layer(before, copy_registry(session)))
    set_registry(session, lay_over(before, old.layer if old else {}))
    message = f"extension {unit.name!r} {'is unchanged' if old else 'is not loaded'}: {to_one_line(problem)}"
    session.turn.diagnostics.append(warning("extension-failed", message, unit.path))
    return old


def _make_changes(session: SessionParts, works: Sequence[PendingWork]) -> str | None:
    """Make the pending changes; returns what is wrong if one fails."""
    setup, box, triggers = session.setup, session.setup.toolbox, session.queue.triggers
    assert box is not None
    waiting, settings, names, positions = (
        len(triggers),
        setup.settings,
        set(setup.requested_names),
        box.positions.copy(),
    )
    try:
        for work in works:
            work()
    except Exception as problem:
        setup.settings, setup.requested_names, box.positions = settings, names, positions
        del triggers[waiting:]
        return make_failure_outcome(problem).problem
    # The prompt is built after all extensions: only a new budget still needs a trigger.
    triggers[waiting:] = [trigger for trigger in triggers[waiting:] if trigger.name == "budget"]
    return None


def _run_setup(session: SessionParts, unit: ExtensionUnit, state: State) -> PendingChanges:
    """Run an extension's function, in a thread that is abandoned after the limit. Its changes are queued."""
    pending = PendingChanges(session, unit, state)

    def work(owner: Any) -> Any:
        try:
            setup = _find_setup(session, unit)
        except ConfigError as problem:
            return HookOutcome(problem=str(problem))
        return setup(owner)

    token = PENDING_CHANGES.set(pending)
    try:
        with mark_running(session):
            owner, limit = session.owner and session.owner(), session.setup.settings.options.hook_limit
            outcome = call_hook(NamedHook(unit.name, work), owner, limit)
    finally:
        PENDING_CHANGES.reset(token)
    with session.lock:
        pending.problem = outcome.problem or _explain_unfinished(outcome.value)
        pending.outcome = "dropped" if pending.problem else "granted"
    return pending


def _find_setup(session: SessionParts, unit: ExtensionUnit) -> Any:
    """The function of an extension. After the first time its module is imported again."""
    setup = unit.source
    if isinstance(setup, ConfigError):
        raise setup
    if isinstance(setup, ExtensionLocation):
        setup = load_function(session.setup.settings.world, setup, again=session.extensions.ran)
    if not callable(setup):
        raise ConfigError(f"it is {setup!r:.60}, which is not callable; pass a function or 'module:function'")
    return setup


def _explain_unfinished(value: Any) -> str | None:
    """What is wrong with what an extension's function returned: a generator was never run."""
    if isinstance(value, HookOutcome):
        return value.problem
    unfinished = inspect.isgenerator(value) or inspect.isasyncgen(value)
    return "it contains a `yield`, so it was not run; write a plain or an async function" if unfinished else None
