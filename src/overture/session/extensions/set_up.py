"""Setting up extensions: each does all that it asks for or nothing, and one that fails leaves what there was."""

import inspect
from os import fspath
from typing import Any

from ...errors import ConfigError, OvertureError
from ...model.diagnostic import warning
from ...model.state.state import State
from ...project.project import Settled
from ..hooks.call_hook import Outcome, call
from ..hooks.events import Named, inside
from ..live_session import Live
from .list_extensions import Unit, units
from .replace_extensions import Asked, bare_state, exchange, registry_of
from .waiting_changes import WISHES, Wishes


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
        exchange(session, asked, (), None if first else settled)
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
    exchange(session, asked, missing, None)
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
