"""Replacing what extensions brought: in one step, and each of them whole."""

from collections.abc import Sequence
from typing import NamedTuple

from ...model.diagnostic import warning
from ...model.state.state import State
from ...project.project import Settled
from ...text.normalize import one_line
from ..hooks.call_hook import failed
from ..live_session import Live
from ..messages.skill_text import USE_SKILL, with_loader
from .extensions import Loaded, arranged, news, respected
from .list_extensions import Unit
from .undo_changes import Brought, Registry, difference, restore, withdraw
from .waiting_changes import Work


class Asked(NamedTuple):
    """What an extension asks for, or why it failed."""

    unit: Unit
    works: Sequence[Work]
    problem: str | None


def exchange(session: Live, asked: Sequence[Asked], missing: Sequence[Loaded], settled: Settled | None) -> None:
    """In one step: what the old ones brought goes, and what the new ones ask for comes."""
    part = session.extensions
    with session.lock:
        before, old = registry_of(session), part.loaded
        bare = registry_of(session)
        for each in reversed(old):
            withdraw(bare, each.brought)
        put(session, bare)
        if settled is not None:
            session.notes += session.current.equip(settled)
        known = {each.id: each for each in old}
        new = [_kept(session, each) for each in missing]
        new += [loaded for each in asked if (loaded := _granted(session, each, known.get(each.unit.id))) is not None]
        after = registry_of(session)
        respected(before, after, old)
        arranged(before, after, old, new)
        put(session, after)
        part.loaded, part.ran = tuple(new), True
        session.triggers += news(old, new)


def _granted(session: Live, asked: Asked, old: Loaded | None) -> Loaded | None:
    """Do what an extension asked for; if it failed, or that fails, what it brought before is put back."""
    unit, problem = asked.unit, asked.problem
    if problem is None:
        brought = _done(session, asked.works)
        if isinstance(brought, Brought):
            return Loaded(unit.id, unit.name, brought)
        problem = brought
    outcome = "stays as it was" if old else "is not loaded"
    message = f"extension {unit.name!r} {outcome}: {one_line(problem)}"
    session.notes.append(warning("extension-failed", message, unit.path))
    return _kept(session, old) if old else None


def _kept(session: Live, old: Loaded) -> Loaded:
    before, after = registry_of(session), registry_of(session)
    restore(after, old.brought)
    put(session, after)
    return old._replace(brought=difference(before, after))


def _done(session: Live, works: Sequence[Work]) -> Brought | str:
    """Do the works, and note the difference; if one fails, none is done."""
    current, box = session.current, session.current.toolbox
    assert box is not None
    before, pending = registry_of(session), len(session.pending)
    options, names, places = current.options, set(current.asked_names), dict(box.places)
    try:
        for work in works:
            work()
    except Exception as problem:
        put(session, before)
        current.options, current.asked_names, box.places = options, names, places
        del session.pending[pending:]
        return failed(problem).problem or ""
    # The prompt is built when all of them are done: only what cuts it anew is still to be said.
    session.pending[pending:] = [trigger for trigger in session.pending[pending:] if trigger.name == "budget"]
    return difference(before, registry_of(session))


def registry_of(session: Live) -> Registry:
    """A copy of what extensions change."""
    current, box = session.current, session.current.toolbox
    assert box is not None
    hooks = {event: list(hooks) for event, hooks in session.hooks.items()}
    return Registry(dict(box.known), set(box.active), dict(current.given), session.added, hooks)


def put(session: Live, registry: Registry) -> None:
    """Let the session have exactly this."""
    current, box = session.current, session.current.toolbox
    assert box is not None
    box.known, box.active = dict(registry.known), set(registry.active)
    current.given, session.added = dict(registry.given), registry.added
    session.hooks = {event: list(hooks) for event, hooks in registry.hooks.items()}


def bare_state(session: Live) -> State:
    """The state without the tools of extensions, so that each finds what it found the first time."""
    current = session.current
    with session.lock:
        registry = registry_of(session)
        for each in reversed(session.extensions.loaded):
            withdraw(registry, each.brought)
    assert current.state is not None and current.recipe is not None and current.toolbox is not None
    names = sorted(registry.active, key=current.toolbox.places.__getitem__)
    tools = tuple(registry.known[name] for name in names)
    state = current.state
    return state.replace(tools=with_loader(tools, state.skills, current.recipe, USE_SKILL in current.asked_names))
