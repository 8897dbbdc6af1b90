"""Prepares the prompt of a session: brings it up to date, reads files and configuration again, records the turn."""

import threading

from ..discovery.discover import ResolvedProject
from ..errors import OvertureError
from ..model.diagnostic import warning
from ..model.prompt.prompt import Prompt
from ..model.state.state import changed_fields
from .current_files import deliver_near_touched, get_session_files
from .hooks import RUNNING_SESSIONS, DiscoverEvent, apply_resource_answer, call_hook, mark_running, refuse_on_loop
from .record_entry import CLOCK_TRIGGERS, READING_TRIGGERS, RESOLVING_TRIGGERS, Entry, Trigger, TriggerName
from .session_files import Resources
from .session_parts import SessionParts, TurnQueue
from .session_prompt import list_recut_sections
from .set_up_extensions import load_extensions, load_resumed_extensions


def bring_up_to_date(session: SessionParts, *, look: bool | None = None) -> None:
    """Bring the prompt up to date: handle the triggers, re-read followed files, update the time.

    With `look=False` it handles only the triggers, so that a continued turn keeps its prefix. With None, it looks if
    the next turn starts with a user prompt.
    """
    handle_triggers(session)
    if session.history.awaits_prompt if look is None else look:
        follow_files(session)
        with session.lock:
            session.current.move_clock()


def prepare_prompt(session: SessionParts, *, record: bool = False, look: bool | None = None) -> Prompt:
    """The current prompt. Inside a hook: the prompt from the start of the turn; on the loop of a turn: the latest."""
    if id(session) in RUNNING_SESSIONS.get():
        return session.current.prompt
    latest = session.current.budgeted.shown or session.current.built_prompt
    if latest is not None and session.turn_thread == threading.get_ident():
        return latest
    refuse_on_loop(session.turn_thread)
    with session.turn_lock:
        bring_up_to_date(session, look=look)
        prompt = session.current.prompt
        if record and session.turn.triggers:
            add_entry(session, prompt, 0)
        return prompt


def handle_triggers(session: SessionParts) -> None:
    """Handle the queued triggers. It reads only what they need."""
    queue = session.queue
    if session.extensions.due and not any(trigger.name in RESOLVING_TRIGGERS for trigger in queue.triggers):
        load_resumed_extensions(session)
    if not queue.triggers and not queue.touched:
        return
    with session.lock:
        work = queue.take_work()
    try:
        if work.triggers:
            _renew_or_keep(session, work)
            session.turn.triggers += work.triggers
            work.triggers, work.config_changed = [], False
        if work.touched:
            deliver_near_touched(session, work.touched)
    except BaseException:
        # The build failed, or the turn was cancelled: the next turn handles the rest.
        with session.lock:
            queue.put_back(work)
        raise


def _renew_or_keep(session: SessionParts, work: TurnQueue) -> None:
    """Renew the session. On an error, a running session keeps its values: a file may be half edited."""
    try:
        _renew(session, {trigger.name for trigger in work.triggers}, work.config_changed)
    except OvertureError as problem:
        if session.current.state is None:
            raise
        _report_failure(session, problem)


def _report_failure(session: SessionParts, problem: OvertureError) -> None:
    session.turn.diagnostics.append(warning("reload-failed", f"the previous values are kept: {problem}"))


def _renew(session: SessionParts, names: set[TriggerName], config_changed: bool) -> None:
    """Bring a session up to date by its triggers: read files again, rebuild what changed."""
    current = session.current
    if not names.isdisjoint(READING_TRIGGERS):
        again = not names.isdisjoint(RESOLVING_TRIGGERS)
        project = _resolve_again(session, again, config_changed)
        if session.reconnect_servers is not None and again:
            session.reconnect_servers(session, project)
        if again:
            session.turn.hook_resources = call_resource_hooks(session)
        current.read_files(session.resources + session.turn.hook_resources, project)
    with session.lock:
        current.update_state(rebuilt=not names.isdisjoint(CLOCK_TRIGGERS))
        if session.setup.toolbox and current.built_prompt:
            session.turn.diagnostics += session.setup.toolbox.report_new(current.built_prompt)
        if not names.isdisjoint(("reload", "budget")):
            current.budgeted.forget()


def follow_files(session: SessionParts) -> None:
    """Re-read the followed files, also for a resumed session. A change is a trigger."""
    current = session.current
    if not current.followed_paths:
        return
    try:
        files = get_session_files(session)
        changed = current.follow_files(files) if files is not None else ""
    except OvertureError as problem:
        _report_failure(session, problem)
        return
    if changed:
        session.turn.triggers.append(Trigger("file", changed))
        with session.lock:
            current.update_state()


def _resolve_again(session: SessionParts, again: bool, config_changed: bool) -> ResolvedProject:
    """The resolved project, read again for a reload or a changed configuration. Extensions are reloaded with it."""
    files, setup = session.current.files, session.setup
    before = files.project if files else None
    if before is not None and not again and not config_changed:
        return before
    project = setup.settings.resolve()
    if not again and not config_changed:
        return project
    if again or (before is not None and project.extensions != before.extensions):
        load_extensions(session, project)
    else:
        session.turn.diagnostics += setup.set_default_tools(project)
    return project


def call_resource_hooks(session: SessionParts) -> Resources:
    """The resources that the `resources_discover` hooks add."""
    more = Resources()
    settings = session.setup.settings
    event = DiscoverEvent(str(settings.cwd or "."), "reload" if session.current.state else "start")
    with mark_running(session):
        for hook in tuple(session.hooks["resources_discover"]):
            resources, problem = apply_resource_answer(hook, call_hook(hook, event, settings.options.hook_limit))
            more += resources
            session.turn.diagnostics += [problem] if problem else []
    return more


def add_entry(session: SessionParts, prompt: Prompt, number: int) -> Entry:
    """Add an entry to the record."""
    turn, history = session.turn, session.history
    last, session.last_prompt = session.last_prompt, prompt
    entry = Entry(
        number,
        tuple(turn.triggers),
        prompt.results,
        last.results if last else None,
        changed_fields(last.fields, prompt.fields) if last else frozenset(),
        prompt.edits,
        len(history.sent),
        (*turn.diagnostics, *history.diagnostics),
        prompt.counting,
        list_recut_sections(last, prompt) if last else frozenset(),
        nested=tuple(history.arrived_paths),
    )
    turn.triggers, turn.diagnostics = [], []
    history.diagnostics, history.arrived_paths = [], []
    session.entries.append(entry)
    return entry
