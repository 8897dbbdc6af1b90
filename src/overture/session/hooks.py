"""Hooks: their events, how they are called, async or not, and what their answers change.

A hook that fails, hangs or answers nonsense breaks nothing. Answers are in our form or in pi's.
"""

import contextvars
import copy
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

from msgspec import Struct, ValidationError
from msgspec.structs import replace

from ..assemble.change_prompt import Change, apply_change
from ..discovery.reader import CANCEL_CHECK, Cancellation
from ..errors import OvertureError, SealedError, SessionError, explain_unknown
from ..model.diagnostic import Diagnostic, warning
from ..model.message import Content, Message
from ..model.prompt.prompt import Prompt
from ..model.state.state import State
from ..model.struct import Frozen, convert_data, explain_error
from .message_history import find_separated_call
from .session_files import Resources

EventName = Literal["before_agent_start", "context", "resources_discover"]
EVENTS: tuple[EventName, ...] = ("before_agent_start", "context", "resources_discover")
Hook = Callable[[Any], Any]
RUNNING_SESSIONS: contextvars.ContextVar[tuple[int, ...]] = contextvars.ContextVar("RUNNING_SESSIONS", default=())
"""The sessions whose hooks are running. A turn that such a hook starts would wait for itself."""


class NamedHook(NamedTuple):
    """A hook and the name under which it is reported."""

    name: str
    call: Hook


class AgentStart(Struct, frozen=True):
    """What `before_agent_start` receives: the prompt after the earlier hooks, and the inputs of that prompt."""

    text: str
    """The user's text."""
    prompt: Prompt
    state: State
    messages: tuple[Message, ...]
    parts: tuple[Content, ...] = ()
    """The images and documents beside the user's text."""

    @property
    def systemPrompt(self) -> str:  # noqa: N802  hooks written for pi know it by this name
        """The text of the prompt."""
        return self.prompt.text


class DiscoverEvent(Struct, frozen=True):
    """What `resources_discover` receives."""

    cwd: str
    reason: Literal["start", "reload"]


def make_hook_name(hook: Hook) -> str:
    """The default name of a hook: the qualified name of its function."""
    return str(getattr(hook, "__qualname__", None) or type(hook).__qualname__).replace("<locals>.", "")


@contextmanager
def mark_running(session: object) -> Iterator[None]:
    """Mark the session as running a hook, or setting up an extension."""
    token = RUNNING_SESSIONS.set((*RUNNING_SESSIONS.get(), id(session)))
    try:
        yield
    finally:
        RUNNING_SESSIONS.reset(token)


def refuse_in_hook(session: object) -> None:
    """Raise SessionError inside a hook: a turn there would wait for itself."""
    if id(session) in RUNNING_SESSIONS.get():
        raise SessionError(
            "A hook or extension can't start a turn of its own session.", hint="Use send_message, or return a Change."
        )


def refuse_on_loop(turn_thread: int | None) -> None:
    """Raise SessionError on the event loop that takes a turn: to wait for the turn would stop the loop, and so it."""
    if turn_thread == threading.get_ident():
        raise SessionError(
            "A turn of this session is being taken on this event loop.",
            hint="Await the turn first, or ask in a thread: asyncio.to_thread.",
        )


HOOK_POLL_SECONDS = 0.05
"""Seconds between two checks whether the turn of a running hook is cancelled."""
CANCEL_GRACE_SECONDS = 1.0
"""Seconds that an async hook has to end when its turn is cancelled."""


class HookOutcome(NamedTuple):
    """What a hook returned, or why its answer is ignored."""

    value: Any = None
    problem: str | None = None


def call_hook(hook: NamedHook, event: Any, limit: float | None) -> HookOutcome:
    """Call a hook, async or not, in a thread that is abandoned when it takes too long."""
    outcomes: list[HookOutcome] = []
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=lambda: outcomes.append(context.run(_run_hook, hook, event)), name=f"hook {hook.name}", daemon=True
    )
    thread.start()
    _wait_for(thread, limit)
    return outcomes[0] if outcomes else make_timeout_outcome(limit)


def _wait_for(thread: threading.Thread, limit: float | None) -> None:
    """Wait until the thread ends, the limit passes, or the turn is cancelled."""
    is_cancelled = CANCEL_CHECK.get()
    if is_cancelled is None:
        thread.join(limit)
        return
    end = None if limit is None else time.monotonic() + limit
    while thread.is_alive() and (end is None or time.monotonic() < end):
        thread.join(HOOK_POLL_SECONDS if end is None else min(HOOK_POLL_SECONDS, max(0.0, end - time.monotonic())))
        if is_cancelled():
            raise Cancellation


def make_timeout_outcome(limit: float | None) -> HookOutcome:
    """The outcome of a hook that did not return in time."""
    return HookOutcome(problem=f"it took longer than {limit:g} s" if limit else "it ended without a result")


def _run_hook(hook: NamedHook, event: Any) -> HookOutcome:
    outcome = _call_function(hook, event)
    if not hasattr(outcome.value, "__await__"):
        return outcome
    import asyncio

    try:
        return asyncio.run(_await_outcome(outcome.value))
    except BaseException as problem:  # such as CancelledError
        return make_failure_outcome(problem)


def make_failure_outcome(problem: BaseException) -> HookOutcome:
    """The outcome of a hook that raised."""
    text = str(problem)
    return HookOutcome(problem=f"it raised {type(problem).__name__}" + (f": {text}" if text else ""))


def copy_for_hook(value: Any) -> Any:
    """A copy whose dicts a hook may change without changing ours."""
    if isinstance(value, Message):
        return copy.deepcopy(value) if value.calls or value.blocks or value.details or value.parts else value
    state: State = value
    parts = {name: _copy_structs(getattr(state, name), dicts) for name, dicts in STRUCTS_WITH_DICTS.items()}
    parts |= {name: copy.deepcopy(value) for name in ("mission", "extra") if (value := getattr(state, name))}
    return replace(state, **parts, limits=dict(state.limits), origins=dict(state.origins))


STRUCTS_WITH_DICTS = {"tools": ("parameters", "returns", "foreign"), "skills": ("metadata",)}


def _copy_structs(structs: tuple[Any, ...], dicts: tuple[str, ...]) -> tuple[Any, ...]:
    """The tools or skills of a State, each with copies of its dicts."""
    values = [{name: copy.deepcopy(value) for name in dicts if (value := getattr(each, name))} for each in structs]
    return tuple([replace(each, **own) if own else each for each, own in zip(structs, values, strict=True)])


async def call_hook_async(hook: NamedHook, event: Any, limit: float | None) -> HookOutcome:
    """Call a hook from a coroutine: an async one on this loop, another in a thread."""
    import asyncio
    import inspect

    if inspect.iscoroutinefunction(hook.call):
        outcome = _call_function(hook, event)
    else:
        thread = call_in_thread(partial(_call_function, hook, event), f"hook {hook.name}")
        outcome = await _limit_time(thread, limit)
    if hasattr(outcome.value, "__await__"):
        return await _limit_time(asyncio.ensure_future(_await_outcome(outcome.value)), limit)
    return outcome


def call_in_thread(function: Callable[[], Any], name: str) -> Any:
    """Call a function in a thread of its own; returns a future with its result.

    Not in the loop's pool of threads: all of them may wait for the turn that this function belongs to.
    """
    import asyncio

    loop, context = asyncio.get_running_loop(), contextvars.copy_context()
    future: asyncio.Future[Any] = loop.create_future()

    def work() -> None:
        result, problem = None, None
        try:
            result = context.run(function)
        except BaseException as error:
            problem = error
        # A hook that timed out may return after the loop is closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_finish_future, future, result, problem)

    threading.Thread(target=work, name=name, daemon=True).start()
    return future


def _finish_future(future: "Any", result: Any, problem: BaseException | None) -> None:
    """Hand over the result of a thread, unless nobody waits for it any more."""
    if not future.done():
        if problem is None:
            future.set_result(result)
        else:
            future.set_exception(problem)


async def _limit_time(task: "Any", limit: float | None) -> HookOutcome:
    """The outcome of a task within a time limit. A task that ignores its cancellation is abandoned."""
    import asyncio

    try:
        done, _ = await asyncio.wait({task}, timeout=limit)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=CANCEL_GRACE_SECONDS)
        raise
    finally:
        if not task.done():
            task.cancel()
    if not done:
        return make_timeout_outcome(limit)
    if task.cancelled():  # the hook awaited something that was cancelled: the turn was not
        return make_failure_outcome(asyncio.CancelledError())
    outcome: HookOutcome = task.result()
    return outcome


async def _await_outcome(value: Any) -> HookOutcome:
    try:
        return HookOutcome(await value)
    except (Exception, SystemExit) as problem:
        return make_failure_outcome(problem)


def _call_function(hook: NamedHook, event: Any) -> HookOutcome:
    """The outcome of a hook, which is a coroutine if it is async."""
    try:
        return HookOutcome(hook.call(event))
    except BaseException as problem:
        return make_failure_outcome(problem)


T = TypeVar("T")


class PiText(Frozen, frozen=True):
    """A part of a message that a hook returns in pi's form."""

    type: Literal["text"]
    text: str


class PiMessage(Frozen, frozen=True):
    """A message that a hook returns in pi's form."""

    content: str | tuple[PiText, ...]
    customType: str | None = None  # noqa: N815
    display: bool | None = None
    details: Any = None


class PiAnswer(Frozen, frozen=True):
    """What a `before_agent_start` hook written for pi returns."""

    systemPrompt: str | None = None  # noqa: N815
    message: PiMessage | None = None


class ResourceAnswer(Frozen, frozen=True):
    """What a `resources_discover` hook returns as a dict: paths under our names or pi's."""

    skills: tuple[str, ...] | None = None
    context: tuple[str, ...] | None = None
    prompts: tuple[str, ...] | None = None
    themes: tuple[str, ...] | None = None
    skillPaths: tuple[str, ...] | None = None  # noqa: N815
    promptPaths: tuple[str, ...] | None = None  # noqa: N815
    themePaths: tuple[str, ...] | None = None  # noqa: N815


def _convert_answer(value: Mapping[str, Any], kind: type[T]) -> T:
    """A dict that a hook returned, as that kind."""
    try:
        return convert_data(value, kind)
    except ValidationError as problem:
        raise SessionError(explain_error(problem, kind, value)) from None


def _make_text_changes(prompt: Prompt, text: str) -> tuple[Change, ...]:
    """The change to a new text. A text that only appends to the prompt leaves its blocks unchanged."""
    if not text.startswith(prompt.text):
        return (Change.replace(text),)
    more = text.removeprefix(prompt.text)
    return (Change.append(more),) if more.strip() else ()


def _make_message_change(message: PiMessage) -> Change:
    """The change of a hook that answers with a message, in pi's form."""
    try:
        json.dumps(message.details)
    except (TypeError, ValueError, RecursionError):
        raise SessionError(f"message.details is {message.details!r:.60}; pass a JSON value") from None
    content = message.content
    text = content if isinstance(content, str) else "\n".join(part.text for part in content)
    shown = message.display is not False
    return Change("message", text, name=message.customType, shown=shown, details=message.details)


def report_hook(hook: NamedHook, event: EventName, problem: str) -> Diagnostic:
    """The diagnostic for a hook whose answer is ignored."""
    return warning("hook-failed", f"hook {hook.name!r} on {event} is ignored: {problem}")


def _read_answer(
    hook: NamedHook, event: EventName, outcome: HookOutcome, read: Callable[[Any], T], default: T
) -> tuple[T, Diagnostic | None]:
    """What a hook returned, checked by `read`; the default, and why, if its answer is ignored."""
    if outcome.problem:
        return default, report_hook(hook, event, outcome.problem)
    try:
        return read(outcome.value), None
    except SealedError:
        raise
    except OvertureError as problem:
        return default, report_hook(hook, event, str(problem))


def apply_prompt_answer(
    prompt: Prompt, hook: NamedHook, outcome: HookOutcome
) -> tuple[Prompt, tuple[Change, ...], Diagnostic | None]:
    """The prompt with the changes of a `before_agent_start` hook: all of them or none."""

    def read(value: Any) -> tuple[Prompt, tuple[Change, ...]]:
        changes = _read_changes(prompt, value)
        return apply_changes(prompt, [(hook.name, change) for change in changes]), changes

    unchanged: tuple[Prompt, tuple[Change, ...]] = (prompt, ())
    (edited, changes), problem = _read_answer(hook, "before_agent_start", outcome, read, unchanged)
    return edited, changes, problem


def _read_changes(prompt: Prompt, value: Any) -> tuple[Change, ...]:
    """A hook's return value as changes: in our form, or `{"systemPrompt": …, "message": {…}}`."""
    if isinstance(value, Mapping):
        answer = _convert_answer(value, PiAnswer)
        changes = () if answer.systemPrompt is None else _make_text_changes(prompt, answer.systemPrompt)
        return changes if answer.message is None else (*changes, _make_message_change(answer.message))
    returned = () if value is None else (value,) if isinstance(value, Change) else value
    if not isinstance(returned, list | tuple) or not all(isinstance(change, Change) for change in returned):
        wanted = "a Change, a list of them, {'systemPrompt': …, 'message': …}, or None"
        raise SessionError(f"it returned {value!r:.80}; return {wanted}")
    return tuple(returned)


def apply_changes(prompt: Prompt, changes: Iterable[tuple[str, Change]]) -> Prompt:
    """The prompt with the changes of several hooks, in order."""
    for name, change in changes:
        prompt = apply_change(prompt, change, name)
    return prompt


def apply_message_answer(
    messages: list[Message], hook: NamedHook, outcome: HookOutcome
) -> tuple[list[Message], Diagnostic | None]:
    """The messages that a `context` hook returns. It may not separate a tool call from its result."""
    new, problem = _read_answer(hook, "context", outcome, _read_messages, None)
    return messages if new is None else new, problem


def _read_messages(value: Any) -> list[Message] | None:
    """The messages of a list, or of `{"messages": […]}`; None if nothing changes."""
    if isinstance(value, Mapping):  # pi's form
        if unknown := [key for key in value if key != "messages"]:
            raise SessionError(explain_unknown("Key", str(unknown[0]), ("messages",)))
        value = value.get("messages")
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not all(isinstance(message, Message) for message in value):
        raise SessionError(f"it returned {value!r:.80}; return a list of messages, {{'messages': […]}}, or None")
    if separated := find_separated_call(value):
        raise SessionError(separated)
    return list(value)


def apply_resource_answer(hook: NamedHook, outcome: HookOutcome) -> tuple[Resources, Diagnostic | None]:
    """The resources that a `resources_discover` hook adds."""
    return _read_answer(hook, "resources_discover", outcome, _read_resources, Resources())


def _read_resources(value: Any) -> Resources:
    """The resources as such, or of `{"skills": […], "themes": […]}`, under our names or pi's."""
    if isinstance(value, Mapping):
        answer = _convert_answer(value, ResourceAnswer)
        own = Resources(answer.skills or (), answer.context or (), answer.prompts or (), answer.themes or ())
        return own + Resources(answer.skillPaths or (), (), answer.promptPaths or (), answer.themePaths or ())
    if value is not None and not isinstance(value, Resources):
        raise SessionError(f"it returned {value!r:.80}; return Resources, a dict of lists of paths, or None")
    return value or Resources()
