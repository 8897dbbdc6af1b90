"""What a trigger does: files and configuration looked at again, extensions set up, the prompt built anew."""

from ...errors import OvertureError
from ...model.diagnostic import Diagnostic, warning
from ...model.prompt.prompt import Prompt
from ...project.project import Settled
from ..extensions.set_up import load, load_resumed
from ..hooks.call_hook import call
from ..hooks.events import INSIDE, Discovering, inside
from ..hooks.take_answers import found
from ..live_session import Live
from ..turn.tell_and_record import fold, note, tell
from .changed_paths import grounded
from .nested_files import look_around
from .triggers import READS, REBUILDS, SETTLES, Resources, Trigger


def bring_up_to_date(session: Live, *, look: bool | None = None) -> None:
    """The one definition of current: what triggers ask for, what is followed, and the clock.

    Without `look` only the triggers count: a turn that goes on keeps its prefix. Unless the caller says, the
    conversation decides which of the two the next turn is.
    """
    refresh(session)
    if session.talk.is_over if look is None else look:
        follow(session)
        with session.lock:
            tell(session, session.current.tick())


def prepare(session: Live, *, record: bool = False, look: bool | None = None) -> Prompt:
    """The prompt as it is now. From inside a hook, as it was when the turn began."""
    if id(session) in INSIDE.get():
        return session.current.prompt
    with session.turns:
        if session.publisher is not None:
            session.publisher.open()
        bring_up_to_date(session, look=look)
        prompt = session.current.prompt
        if record and session.triggers:
            note(session, prompt, 0)
        if session.publisher is not None:
            from ..inspect.publish import publish_first

            publish_first(session, prompt)
        return prompt


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
            _wait_again(session, triggers, touched, settle)
            raise
        session.triggers += triggers
    if touched:
        try:
            look_around(session, touched)
        except BaseException:
            _wait_again(session, [], touched, settle=False)
            raise


def _wait_again(session: Live, triggers: list[Trigger], touched: list[str], settle: bool) -> None:
    with session.lock:
        session.pending, session.touched = [*triggers, *session.pending], [*touched, *session.touched]
        session.resettle |= settle


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
    box, prompt = session.current.toolbox, session.current.known
    return box.news(prompt) if box and prompt else ()


def follow(session: Live) -> None:
    """Look again at what is followed, also beside a save; a change is a trigger like any other."""
    current = session.current
    if not current.followed:
        return
    try:
        ground = grounded(session)
        changed = current.follow(ground) if ground is not None else ""
    except OvertureError as problem:
        session.notes.append(warning("reload-failed", f"what was known stays: {problem}"))
        return
    if changed:
        session.triggers.append(Trigger("file", changed))
        with session.lock:
            tell(session, current.restate())


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
