"""Setting up extensions: each does all that it asks for or nothing, and one that fails leaves what there was."""

import inspect
from collections.abc import Sequence
from os import fspath
from typing import Any, NamedTuple

from ..model.diagnostic import warning
from ..model.errors import ConfigError, OvertureError
from ..model.state import State
from ..model.tidy import one_line
from ..settle import Settled
from .brought import Brought, difference, restore, withdraw
from .extensions import Loaded, arranged, news, respected
from .hooks import Named, Outcome, call, failed, inside
from .live import Live
from .registry import bare_state, put, registry_of
from .units import Unit, units
from .wishes import WISHES, Wishes, Work


class Asked(NamedTuple):
    """What an extension asks for, or why it failed."""

    unit: Unit
    works: Sequence[Work]
    problem: str | None


def load(session: Live, settled: Settled) -> None:
    """At the start and at a reload: set up what there is now; what is there no more goes."""
    current, part = session.current, session.extensions
    wanted = _wanted(session, settled)
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
        asked = [_ask(session, unit, bare_state(session)) for unit in wanted]
        _exchange(session, asked, (), None if first else settled)
    finally:
        if first:
            current.restart()


def load_resumed(session: Live) -> None:
    """After a resume: the hooks come back, and what the save has of extensions that are not given stays."""
    part, options = session.extensions, session.current.options
    part.due = False
    try:
        settled = options.settle()
    except OvertureError:
        settled = None
    wanted = _wanted(session, settled)
    ids = {unit.id for unit in wanted}
    missing = tuple(each for each in part.loaded if each.id not in ids)
    for each in missing:
        told = "what it registered stays until a reload, its hooks are gone; give it to resume(extensions=…)"
        session.notes.append(warning("extension-missing", f"extension {each.name!r} of the save is not here: {told}"))
    before = registry_of(session)
    asked = [_ask(session, unit, bare_state(session)) for unit in wanted]
    _exchange(session, asked, missing, None)
    after = registry_of(session)
    if after.added != before.added:
        session.trigger("resources", "other resources of extensions than in the save")
    elif (after.known, after.active, after.given) != (before.known, before.active, before.given):
        session.trigger("registry", "other tools or fields of extensions than in the save")


def _wanted(session: Live, settled: Settled | None) -> list[Unit]:
    """The extensions of this session. A sub-agent has none of its own: it inherits tools."""
    options = session.current.options
    if session.current.info is None:
        return []
    if settled is not None and settled.features.extensions_enabled:
        session.notes += settled.untrusted
    cwd = settled.cwd if settled else fspath(options.cwd or ".")
    return units(settled, options.world, cwd, session.extensions.given)


def _ask(session: Live, unit: Unit, state: State) -> Asked:
    """Run its function, in a thread that is left behind when it takes too long; what it asks for waits."""
    wishes = Wishes(session, state)
    again = session.extensions.ran

    def work(_: Any) -> Any:
        try:
            setup = unit.find(again)
        except ConfigError as problem:
            return Outcome(problem=str(problem))
        return setup(session)

    token = WISHES.set(wishes)
    try:
        with inside(session):
            outcome = call(Named(unit.name, work), session, session.current.options.hook_limit)
    finally:
        WISHES.reset(token)
    problem = outcome.problem or _refused(outcome.value)
    return Asked(unit, wishes.end("dropped" if problem else "granted"), problem)


def _refused(value: Any) -> str | None:
    """What is wrong with what a function returned; it may return anything that is no unfinished work."""
    if isinstance(value, Outcome):
        return value.problem
    unfinished = inspect.isgenerator(value) or inspect.isasyncgen(value)
    return (
        "it holds a `yield`, so that nothing of it was run; write a plain or an async function" if unfinished else None
    )


def _exchange(session: Live, asked: Sequence[Asked], missing: Sequence[Loaded], settled: Settled | None) -> None:
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
