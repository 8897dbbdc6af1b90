"""Brings a session up to date: reads files and configuration again, sets up extensions, rebuilds."""

from ...discover.discover import ResolvedProject
from ...errors import OvertureError
from ...model.diagnostic import Diagnostic, warning
from ...model.prompt.prompt import Prompt
from ..call_hooks import RUNNING_SESSIONS, DiscoverEvent, call_hook, mark_inside
from ..extensions.set_up_extensions import load_extensions, load_resumed_extensions
from ..hook_answers import apply_resource_answer
from ..session_parts import SessionParts
from ..triggers import CLOCK_TRIGGERS, READING_TRIGGERS, RESOLVING_TRIGGERS, Resources, Trigger
from ..turn.record_and_undo import fold_messages, note_entry, tell_changes
from .nested_files import deliver_near_touched
from .watch_files import get_session_files


def bring_up_to_date(session: SessionParts, *, look: bool | None = None) -> None:
    """The one definition of current: what triggers ask for, what is followed, and the clock.

    Without `look` only the triggers count: a turn that goes on keeps its prefix. Unless the caller says, the
    conversation decides which of the two the next turn is.
    """
    handle_triggers(session)
    if session.talk.is_over if look is None else look:
        follow_files(session)
        with session.lock:
            tell_changes(session, session.current.tick())


def prepare_prompt(session: SessionParts, *, record: bool = False, look: bool | None = None) -> Prompt:
    """The prompt as it is now. From inside a hook, as it was when the turn began."""
    if id(session) in RUNNING_SESSIONS.get():
        return session.current.prompt
    with session.turns:
        if session.publisher is not None:
            session.publisher.open()
        bring_up_to_date(session, look=look)
        prompt = session.current.prompt
        if record and session.triggers:
            note_entry(session, prompt, 0)
        if session.publisher is not None:
            from ..publish.publish_turn import publish_first_prompt

            publish_first_prompt(session, prompt)
        return prompt


def handle_triggers(session: SessionParts) -> None:
    """Do what the triggers ask for. What they need not read is not read."""
    if session.extensions.due and not any(trigger.name in RESOLVING_TRIGGERS for trigger in session.pending):
        load_resumed_extensions(session)
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
            deliver_near_touched(session, touched)
        except BaseException:
            _wait_again(session, [], touched, settle=False)
            raise


def _wait_again(session: SessionParts, triggers: list[Trigger], touched: list[str], settle: bool) -> None:
    with session.lock:
        session.pending, session.touched = [*triggers, *session.pending], [*touched, *session.touched]
        session.resettle |= settle


def _renew(session: SessionParts, triggers: list[Trigger], settle: bool) -> None:
    names = {trigger.name for trigger in triggers}
    current = session.current
    if not names.isdisjoint(READING_TRIGGERS):
        again = not names.isdisjoint(RESOLVING_TRIGGERS)
        reason = "reload" if current.state else "start"
        settled = _resolve_again(session, again, settle)
        if again:
            session.hooked = _discovered(session, reason)
        current.look(session.added + session.hooked, settled)
    with session.lock:
        tell_changes(session, current.restate(rebuilt=not names.isdisjoint(CLOCK_TRIGGERS)))
        session.notes += _news(session)
        if not names.isdisjoint(("reload", "budget")):
            current.within.forget()
        if "reload" in names:
            fold_messages(session, "reload")


def _news(session: SessionParts) -> tuple[Diagnostic, ...]:
    """What there is to say about tools that became active, once for each."""
    box, prompt = session.current.toolbox, session.current.known
    return box.news(prompt) if box and prompt else ()


def follow_files(session: SessionParts) -> None:
    """Look again at what is followed, also beside a save; a change is a trigger like any other."""
    current = session.current
    if not current.followed:
        return
    try:
        ground = get_session_files(session)
        changed = current.follow(ground) if ground is not None else ""
    except OvertureError as problem:
        session.notes.append(warning("reload-failed", f"what was known stays: {problem}"))
        return
    if changed:
        session.triggers.append(Trigger("file", changed))
        with session.lock:
            tell_changes(session, current.restate())


def _resolve_again(session: SessionParts, again: bool, settle: bool) -> ResolvedProject:
    """The configuration, read anew where that is asked for; extensions follow it."""
    current = session.current
    before = current.ground.settled if current.ground else None
    if not again and not settle:
        return before or current.options.settle()
    settled = current.options.settle()
    if again or (before is not None and settled.extensions != before.extensions):
        load_extensions(session, settled)
    else:
        session.notes += current.equip(settled)
    return settled


def _discovered(session: SessionParts, reason: str) -> Resources:
    """What the `resources_discover` hooks add."""
    more = Resources()
    options = session.current.options
    with mark_inside(session):
        for hook in tuple(session.hooks["resources_discover"]):
            event = DiscoverEvent(str(options.cwd or "."), "start" if reason == "start" else "reload")
            resources, problem = apply_resource_answer(hook, call_hook(hook, event, options.hook_limit))
            more += resources
            session.notes += [problem] if problem else []
    return more
