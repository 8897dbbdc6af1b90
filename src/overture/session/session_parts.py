"""SessionParts holds the state of a session; Session adds the methods."""

import threading
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..assemble.hook_edits import Change
from ..model.diagnostic import Diagnostic
from ..model.message import Held, Message
from ..model.prompt.prompt import Prompt
from .call_hooks import EVENTS, EventName, NamedHook
from .extensions.extensions import Extensions, ExtensionSource, PendingWork, get_pending_changes
from .messages.message_history import MessageHistory
from .record import Entry
from .triggers import Resources, Trigger, TriggerName
from .turn.current_prompt import SessionPrompt

if TYPE_CHECKING:
    from .publish.publisher import Publisher


class SessionParts:
    """The parts of a session, and the locks around them: `turns` for one turn at a time, `lock` for every change."""

    def __init__(
        self,
        current: SessionPrompt,
        resources: Resources,
        *,
        keep: int,
        watch: bool,
        extensions: Iterable[ExtensionSource] = (),
    ) -> None:
        self.current = current
        self.talk = self.talk_of()
        self.hooks: dict[EventName, list[NamedHook]] = {event: [] for event in EVENTS}
        self.added, self.hooked = resources, Resources()
        self.pending: list[Trigger] = [Trigger("start", "the session begins")]
        self.resettle = False
        self.touched: list[str] = []
        self.queued: list[Message] = []
        self.task: str | None = None
        self.depth = self.number = 0
        self.mission: tuple[str, int] = ("", 0)
        """The words of the mission that is going on, and how many turns were taken before it."""
        self.changes: tuple[tuple[str, Change], ...] = ()
        self.edited: tuple[Prompt, Prompt] | None = None
        self.triggers: list[Trigger] = []
        self.notes: list[Diagnostic] = []
        self.told: list[Held] = []
        self.said: list[Message] = []
        """The messages of the turn that is going on: the user's, those that were queued, those of hooks."""
        self.brought: list[Message] = []
        """What it told before that: of changes, and of files near what was touched."""
        self.last: Prompt | None = None
        self.entries: deque[Entry] = deque(maxlen=keep)
        self.lock = threading.RLock()
        self.turns = threading.Lock()
        self.extensions = Extensions(tuple(extensions))
        self.watches = self.watching = watch
        """Whether files are to be watched; whether they are, from the first turn until the end."""
        self.watcher: Any = None
        self.publisher: Publisher | None = None
        """What shows the turns to other processes, where that is asked for."""

    def talk_of(self, messages: Iterable[Message] = (), waiting: Iterable[Message] = ()) -> MessageHistory:
        """A conversation beside this session's prompt."""
        current = self.current  # and not the session itself: one that is forgotten has to end
        return MessageHistory(messages, waiting, lambda: current.known)

    def do(self, work: PendingWork) -> None:
        """Change something; where an extension asks while it is set up, once that is done."""
        wishes = get_pending_changes(self)
        if wishes is None or not wishes.take(work):
            with self.lock:
                work()

    def trigger(self, name: TriggerName, reason: str) -> None:
        """Note an event after which the prompt is built again, with the next turn."""
        with self.lock:
            self.pending.append(Trigger(name, reason))
