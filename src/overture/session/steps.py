"""What a session does between two turns: bring itself up to date, load skills, look around."""

from ..assemble.build import changed_fields
from ..assemble.patch import as_message
from ..model.diagnostic import Diagnostic, warning
from ..model.errors import OvertureError
from ..model.held import Held
from ..model.message import Message
from ..model.prompt import Prompt
from ..settle import Settled
from .around import look_around
from .hooks import INSIDE, Discovering, call, found, inside
from .live import Live
from .record import Entry
from .setting_up import load, load_resumed
from .triggers import READS, REBUILDS, SETTLES, Resources, Trigger
from .within import recut


def prepare(session: Live, *, record: bool = False) -> Prompt:
    """The prompt as it is now. From inside a hook, as it was when the turn began."""
    if id(session) in INSIDE.get():
        return session.current.prompt
    with session.turns:
        refresh(session)
        if record and session.triggers:
            note(session, session.current.prompt, 0)
        return session.current.prompt


def refresh(session: Live) -> None:
    """Do what the triggers ask for. What they need not read is not read."""
    if session.extensions.due and not any(trigger.name in SETTLES for trigger in session.pending):
        load_resumed(session)
    with session.lock:
        triggers, session.pending = session.pending, []
        touched, session.touched = session.touched, []
        settle, session.resettle = session.resettle, False
    if triggers:
        try:
            _renew(session, triggers, settle)
        except OvertureError as problem:
            if session.current.state is None:
                session.pending = [*triggers, *session.pending]
                raise
            # A session that runs goes on with what it has: somebody may be in the middle of an edit.
            session.notes.append(warning("reload-failed", f"what was known stays: {problem}"))
        except BaseException:
            # Somebody stopped waiting: the next turn does what this one did not.
            session.pending = [*triggers, *session.pending]
            raise
        session.triggers += triggers
    if touched:
        look_around(session, touched)


def _renew(session: Live, triggers: list[Trigger], settle: bool) -> None:
    names = {trigger.name for trigger in triggers}
    current = session.current
    if not names.isdisjoint(READS):
        again = not names.isdisjoint(SETTLES)
        reason = "reload" if current.state else "start"
        settled = _settled(session, again, settle)
        if again:
            session.hooked = _discovered(session, reason)
        current.look(session.added + session.hooked, settled)
    with session.lock:
        tell(session, current.restate(rebuilt=not names.isdisjoint(REBUILDS)))
        session.notes += _news(session)
        if not names.isdisjoint(("reload", "budget")):
            current.within.forget()
        if "reload" in names:
            fold(session, "reload")


def _news(session: Live) -> tuple[Diagnostic, ...]:
    """What there is to say about tools that became active, once for each."""
    box, state = session.current.toolbox, session.current.state
    return box.news(state.tools, sent=state.native_tools) if box and state else ()


def follow(session: Live) -> None:
    """Look again at what sections of pace `turn` read from disk; a change is a trigger like any other."""
    try:
        changed = session.current.follow()
    except OvertureError as problem:
        session.notes.append(warning("reload-failed", f"what was known stays: {problem}"))
        return
    if changed:
        session.triggers.append(Trigger("file", changed))
        with session.lock:
            tell(session, session.current.restate())


def _settled(session: Live, again: bool, settle: bool) -> Settled:
    """The configuration, read anew where that is asked for; extensions follow it."""
    current = session.current
    before = current.ground.settled if current.ground else None
    if not again and not settle:
        return before or current.options.settle()
    settled = current.options.settle()
    if again or (before is not None and settled.extensions != before.extensions):
        load(session, settled)
    else:
        session.notes += current.equip(settled)
    return settled


def _discovered(session: Live, reason: str) -> Resources:
    """What the `resources_discover` hooks add."""
    more = Resources()
    options = session.current.options
    with inside(session):
        for hook in tuple(session.hooks["resources_discover"]):
            event = Discovering(str(options.cwd or "."), "start" if reason == "start" else "reload")
            resources, problem = found(hook, call(hook, event, options.hook_limit))
            more += resources
            session.notes += [problem] if problem else []
    return more


def tell(session: Live, news: tuple[Held, ...]) -> None:
    """Append what is told instead of rewritten."""
    if news:
        session.told += news
        session.talk.add(Message("user", as_message(news), "update", shown=False))


def fold(session: Live, why: str) -> None:
    """Put what messages told into the prompt, and take those messages away."""
    if session.current.fold():
        session.talk.drop("update")
        session.triggers.append(Trigger("fold", f"{why}: what messages told is in the prompt now"))


def note(session: Live, prompt: Prompt, number: int) -> Entry:
    """Write an entry of the record."""
    last, session.last = session.last, prompt
    entry = Entry(
        number,
        tuple(session.triggers),
        prompt.results,
        last.results if last else None,
        changed_fields(last.state, prompt.state) if last else frozenset(),
        tuple(session.told),
        prompt.edits,
        len(session.talk.sent),
        (*session.notes, *session.talk.notes),
        prompt.counter,
        recut(last, prompt) if last else frozenset(),
    )
    session.triggers, session.notes, session.told, session.talk.notes = [], [], [], []
    session.entries.append(entry)
    return entry
