"""Sets up extensions and replaces old ones in one step; one that fails leaves what was there."""

import inspect
from collections.abc import Sequence
from os import fspath
from typing import Any, NamedTuple

from ...discover.discover import ResolvedProject
from ...errors import ConfigError, OvertureError
from ...model.diagnostic import warning
from ...model.state.state import State
from ...text.normalize import to_one_line
from ..call_hooks import HookOutcome, NamedHook, call_hook, failure_outcome, mark_inside
from ..messages.skill_text import USE_SKILL, add_skill_loader
from ..session_parts import SessionParts
from .extensions import (
    PENDING_CHANGES,
    ExtensionChanges,
    LoadedExtension,
    PendingChanges,
    PendingWork,
    Registry,
    compare_registries,
    keep_order,
    keep_other_changes,
    list_extension_triggers,
    restore_changes,
    withdraw_changes,
)
from .list_extensions import ExtensionUnit, list_session_extensions


class SetupRequest(NamedTuple):
    """What an extension asks for, or why it failed."""

    unit: ExtensionUnit
    works: Sequence[PendingWork]
    problem: str | None


def exchange_extensions(
    session: SessionParts,
    asked: Sequence[SetupRequest],
    missing: Sequence[LoadedExtension],
    settled: ResolvedProject | None,
) -> None:
    """In one step: what the old ones brought goes, and what the new ones ask for comes."""
    part = session.extensions
    with session.lock:
        before, old = copy_registry(session), part.loaded
        bare = copy_registry(session)
        for each in reversed(old):
            withdraw_changes(bare, each.brought)
        set_registry(session, bare)
        if settled is not None:
            session.notes += session.current.equip(settled)
        known = {each.id: each for each in old}
        new = [_keep_old(session, each) for each in missing]
        new += [
            loaded for each in asked if (loaded := _grant_request(session, each, known.get(each.unit.id))) is not None
        ]
        after = copy_registry(session)
        keep_other_changes(before, after, old)
        keep_order(before, after, old, new)
        set_registry(session, after)
        part.loaded, part.ran = tuple(new), True
        session.triggers += list_extension_triggers(old, new)


def _grant_request(session: SessionParts, asked: SetupRequest, old: LoadedExtension | None) -> LoadedExtension | None:
    """Do what an extension asked for; if it failed, or that fails, what it brought before is put back."""
    unit, problem = asked.unit, asked.problem
    if problem is None:
        brought = _do_works(session, asked.works)
        if isinstance(brought, ExtensionChanges):
            return LoadedExtension(unit.id, unit.name, brought)
        problem = brought
    outcome = "stays as it was" if old else "is not loaded"
    message = f"extension {unit.name!r} {outcome}: {to_one_line(problem)}"
    session.notes.append(warning("extension-failed", message, unit.path))
    return _keep_old(session, old) if old else None


def _keep_old(session: SessionParts, old: LoadedExtension) -> LoadedExtension:
    before, after = copy_registry(session), copy_registry(session)
    restore_changes(after, old.brought)
    set_registry(session, after)
    return old._replace(brought=compare_registries(before, after))


def _do_works(session: SessionParts, works: Sequence[PendingWork]) -> ExtensionChanges | str:
    """Do the works, and note the difference; if one fails, none is done."""
    current, box = session.current, session.current.toolbox
    assert box is not None
    before, pending = copy_registry(session), len(session.pending)
    options, names, places = current.options, set(current.asked_names), dict(box.places)
    try:
        for work in works:
            work()
    except Exception as problem:
        set_registry(session, before)
        current.options, current.asked_names, box.places = options, names, places
        del session.pending[pending:]
        return failure_outcome(problem).problem or ""
    # The prompt is built when all of them are done: only what cuts it anew is still to be said.
    session.pending[pending:] = [trigger for trigger in session.pending[pending:] if trigger.name == "budget"]
    return compare_registries(before, copy_registry(session))


def copy_registry(session: SessionParts) -> Registry:
    """A copy of what extensions change."""
    current, box = session.current, session.current.toolbox
    assert box is not None
    hooks = {event: list(hooks) for event, hooks in session.hooks.items()}
    return Registry(dict(box.known), set(box.active), dict(current.given), session.added, hooks)


def set_registry(session: SessionParts, registry: Registry) -> None:
    """Let the session have exactly this."""
    current, box = session.current, session.current.toolbox
    assert box is not None
    box.known, box.active = dict(registry.known), set(registry.active)
    current.given, session.added = dict(registry.given), registry.added
    session.hooks = {event: list(hooks) for event, hooks in registry.hooks.items()}


def get_bare_state(session: SessionParts) -> State:
    """The state without the tools of extensions, so that each finds what it found the first time."""
    current = session.current
    with session.lock:
        registry = copy_registry(session)
        for each in reversed(session.extensions.loaded):
            withdraw_changes(registry, each.brought)
    assert current.state is not None and current.recipe is not None and current.toolbox is not None
    names = sorted(registry.active, key=current.toolbox.places.__getitem__)
    tools = tuple(registry.known[name] for name in names)
    state = current.state
    return state.replace(tools=add_skill_loader(tools, state.skills, current.recipe, USE_SKILL in current.asked_names))


# Setting up extensions: each does all that it asks for or nothing, and one that fails leaves what there was.


def load_extensions(session: SessionParts, settled: ResolvedProject) -> None:
    """At the start and at a reload: set up what there is now; what is there no more goes."""
    current, part = session.current, session.extensions
    wanted = _list_wanted(session, settled)
    part.due = False
    if not wanted and not part.loaded:
        session.notes += current.equip(settled)
        return
    first = current.state is None
    if first:
        # A function may look at the session that it sets up. What is sent is built when all of them are done.
        session.notes += current.equip(settled)
        current.look(session.added, settled)
        current.restate()
    try:
        asked = [_ask(session, unit, get_bare_state(session)) for unit in wanted]
        exchange_extensions(session, asked, (), None if first else settled)
    finally:
        if first:
            current.restart()


def load_resumed_extensions(session: SessionParts) -> None:
    """After a resume: the hooks come back, and what the save has of extensions that are not given stays."""
    part, options = session.extensions, session.current.options
    part.due = False
    try:
        settled = options.settle()
    except OvertureError:
        settled = None
    wanted = _list_wanted(session, settled)
    ids = {unit.id for unit in wanted}
    missing = tuple(each for each in part.loaded if each.id not in ids)
    for each in missing:
        told = "what it registered stays until a reload, its hooks are gone; give it to resume(extensions=…)"
        session.notes.append(warning("extension-missing", f"extension {each.name!r} of the save is not here: {told}"))
    before = copy_registry(session)
    asked = [_ask(session, unit, get_bare_state(session)) for unit in wanted]
    exchange_extensions(session, asked, missing, None)
    after = copy_registry(session)
    if after.added != before.added:
        session.trigger("resources", "other resources of extensions than in the save")
    elif (after.known, after.active, after.given) != (before.known, before.active, before.given):
        session.trigger("registry", "other tools or fields of extensions than in the save")


def _list_wanted(session: SessionParts, settled: ResolvedProject | None) -> list[ExtensionUnit]:
    """The extensions of this session. A sub-agent has none of its own: it inherits tools."""
    options = session.current.options
    if session.current.info is None:
        return []
    if settled is not None and settled.features.extensions_enabled:
        session.notes += settled.untrusted
    cwd = settled.cwd if settled else fspath(options.cwd or ".")
    return list_session_extensions(settled, options.world, cwd, session.extensions.given)


def _ask(session: SessionParts, unit: ExtensionUnit, state: State) -> SetupRequest:
    """Run its function, in a thread that is left behind when it takes too long; what it asks for waits."""
    wishes = PendingChanges(session, state)
    again = session.extensions.ran

    def work(_: Any) -> Any:
        try:
            setup = unit.find(again)
        except ConfigError as problem:
            return HookOutcome(problem=str(problem))
        return setup(session)

    token = PENDING_CHANGES.set(wishes)
    try:
        with mark_inside(session):
            outcome = call_hook(NamedHook(unit.name, work), session, session.current.options.hook_limit)
    finally:
        PENDING_CHANGES.reset(token)
    problem = outcome.problem or _refused(outcome.value)
    return SetupRequest(unit, wishes.end("dropped" if problem else "granted"), problem)


def _refused(value: Any) -> str | None:
    """What is wrong with what a function returned; it may return anything that is no unfinished work."""
    if isinstance(value, HookOutcome):
        return value.problem
    unfinished = inspect.isgenerator(value) or inspect.isasyncgen(value)
    return (
        "it holds a `yield`, so that nothing of it was run; write a plain or an async function" if unfinished else None
    )
