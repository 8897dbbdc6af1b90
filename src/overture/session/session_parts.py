"""SessionParts is the state of a session. Only this package changes it; users call Session."""

import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..assemble.change_prompt import Change
from ..discovery.discover import ResolvedProject
from ..errors import SessionError
from ..model.diagnostic import Diagnostic
from ..model.message import Message
from ..model.prompt.prompt import Prompt
from ..model.source import Source
from .extension_changes import Extensions, ExtensionSource, PendingWork, get_pending_changes
from .framework_rows import HookChanges, ValuesByPlace
from .hooks import EVENTS, EventName, NamedHook
from .message_history import MessageHistory
from .record_entry import Entry, Trigger, TriggerName
from .session_files import Resources
from .session_prompt import SessionPrompt
from .session_setup import SessionSetup
from .trace_and_price_requests import SentTexts, SessionUsage

T = TypeVar("T", bound=Struct)


class TurnState(Struct):
    """The current turn so far, and the content of its entry in the record."""

    task: str | None = None
    """The text of a sub-agent's first turn."""
    hook_changes: tuple[tuple[str, Change], ...] = ()
    """The changes of hooks until the user's next prompt, each with the hook's name."""
    hook_edit: tuple[Prompt, Prompt] | None = None
    """The prompt before and after these changes."""
    hook_resources: Resources = Resources()
    """The resources that `resources_discover` hooks added."""
    triggers: list[Trigger] = []
    diagnostics: list[Diagnostic] = []
    messages: list[Message] = []
    """The messages of this turn: the user's, the queued ones, those of hooks."""
    update_messages: list[Message] = []
    """The messages before them: instruction files near touched paths."""


class TurnQueue(Struct):
    """The work and messages that wait for the next turn. Any thread may add to it."""

    triggers: list[Trigger] = []
    touched: list[str] = []
    """The paths near which the turn searches for nested instruction files."""
    messages: list[Message] = []
    """Messages of programs that follow the user's next message."""
    config_changed: bool = False
    """Whether to read the configuration again."""

    def take_work(self) -> "TurnQueue":
        """Take everything but the messages; a changed configuration waits for a trigger."""
        changed = self.config_changed and bool(self.triggers)
        work = TurnQueue(self.triggers, self.touched, config_changed=changed)
        self.triggers, self.touched, self.config_changed = [], [], self.config_changed and not changed
        return work

    def put_back(self, before: "TurnQueue") -> None:
        """Put the taken work back, before the work that was added since."""
        self.triggers = _join_lists(before.triggers, self.triggers)
        self.touched = _join_lists(before.touched, self.touched)
        self.messages = _join_lists(before.messages, self.messages)
        self.config_changed |= before.config_changed


def copy_with_lists(struct: T) -> T:
    """A copy of the struct with its own lists."""
    fields = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return replace(struct, **{name: value[:] for name, value in fields.items() if isinstance(value, list)})


def _join_lists(before: list[Any], now: list[Any]) -> list[Any]:
    """Taken work, and behind it what was added since."""
    known = {id(each) for each in before}
    return [*before, *(each for each in now if id(each) not in known)]


class SessionParts:
    """The parts of a session, and the locks around them: `turn_lock` for one turn at a time, `lock` for a change."""

    def __init__(self, setup: SessionSetup, resources: Resources, extensions: Iterable[ExtensionSource] = ()) -> None:
        options = setup.settings.options
        self.owner: weakref.ref[Any] | None = None
        """The Session of these parts, for extensions. Weak, so that an unused session is collected."""
        self.setup = setup
        self.current = SessionPrompt(setup)
        self.history = self.make_history()
        self.turn = TurnState()
        self.queue = TurnQueue([Trigger("start", "the session begins")])
        self.hooks: dict[EventName, list[NamedHook]] = {event: [] for event in EVENTS}
        self.resources = resources
        self.extensions = Extensions(tuple(extensions))
        self.parent: SessionParts | None = None
        """The session that started this sub-agent."""
        self.depth = self.turn_number = 0
        self.mission: tuple[str, int] = ("", 0)
        """The text of the current mission, and the number of turns before it."""
        self.error_shown = False
        """Whether a turn has sent the mission's error, so that the next reply answers it."""
        self.last_prompt: Prompt | None = None
        self.entries: deque[Entry] = deque(maxlen=options.keep)
        self.lock = threading.RLock()
        self.turn_lock = threading.Lock()
        self.turn_thread: int | None = None
        """The thread whose event loop takes a turn, or None."""
        self.texts_by_place = ValuesByPlace[tuple[Message, ...]]()
        """The texts that were added to a framework's messages, by position."""
        self.changes_by_place = ValuesByPlace[HookChanges]()
        """The changes of hooks to the system prompt, by the position of the user's message."""
        self.loaded_texts: dict[str, Source] = {}
        """The texts of skills and files that tools returned to the model, each with its source."""
        self.last_sent: SentTexts | None = None
        self.usage = SessionUsage()
        self.mcp: Any = None
        """The MCP servers, or None."""
        self.reconnect_servers: Callable[[SessionParts, ResolvedProject], None] | None = None
        """Reconnects the configured servers, if the session connects to them."""

    def make_history(self, messages: Iterable[Message] = (), waiting: Iterable[Message] = ()) -> MessageHistory:
        """A `MessageHistory` as a part of this session, sanitized for its prompt."""
        current = self.current  # not `self`: a reference cycle would keep the session alive
        return MessageHistory(messages, waiting, lambda: current.built_prompt)

    def apply(self, work: PendingWork) -> None:
        """Make a change. A change that an extension requests during its setup waits for the end of it."""
        pending = get_pending_changes(self)
        with self.lock:
            if pending is None or pending.outcome == "granted":
                work()
            elif pending.outcome == "waiting":
                pending.works.append(work)
            else:
                raise SessionError("This extension was unloaded.", cause="Its requests are ignored.")

    def add_trigger(self, name: TriggerName, reason: str) -> None:
        """Record an event: the next turn rebuilds the prompt."""
        with self.lock:
            self.queue.triggers.append(Trigger(name, reason))
