"""SessionParts is the state of a session, which only this package changes; Session is what people use."""

import threading
import weakref
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..assemble.hook_edits import Change
from ..model.diagnostic import Diagnostic
from ..model.message import Held, Message
from ..model.prompt.prompt import Prompt
from ..model.source import Source
from .call_hooks import EVENTS, EventName, NamedHook
from .extensions import Extensions, ExtensionSource, PendingWork, get_pending_changes
from .files.session_files import Resources
from .messages.message_history import MessageHistory
from .options_and_setup import SessionSetup
from .request.request_rows import TextsByPlace
from .request.sent_requests import SentTexts, SessionUsage
from .turn.current_prompt import SessionPrompt
from .turn_record import Entry, Trigger, TriggerName

if TYPE_CHECKING:
    from .publish.publisher import Publisher

T = TypeVar("T", bound=Struct)


class TurnState(Struct):
    """What the turn that goes on has so far, and what its entry of the record will say."""

    task: str | None = None
    """What a sub-agent's first turn begins with."""
    hook_changes: tuple[tuple[str, Change], ...] = ()
    """What hooks change in the prompt until the user's next one, each with the hook's name."""
    hook_edit: tuple[Prompt, Prompt] | None = None
    """The prompt before and after these changes."""
    hook_resources: Resources = Resources()
    """What `resources_discover` hooks added."""
    triggers: list[Trigger] = []
    diagnostics: list[Diagnostic] = []
    updates: list[Held] = []
    """The sections that messages tell instead of the prompt."""
    messages: list[Message] = []
    """The messages of this turn: the user's, those that were queued, those of hooks."""
    update_messages: list[Message] = []
    """The messages before them: about changed sections, and files near what was touched."""


class TurnQueue(Struct):
    """What waits for the next turn. Any thread may add to it."""

    triggers: list[Trigger] = []
    touched: list[str] = []
    """Paths near which nested instruction files are looked for."""
    messages: list[Message] = []
    """Messages of programs, for after the user's next one."""
    config_changed: bool = False
    """Whether the configuration is to be read again."""

    def take_work(self) -> "TurnQueue":
        """Take everything but the messages; a changed configuration waits for a trigger."""
        changed = self.config_changed and bool(self.triggers)
        work = TurnQueue(self.triggers, self.touched, config_changed=changed)
        self.triggers, self.touched, self.config_changed = [], [], self.config_changed and not changed
        return work

    def put_back(self, before: "TurnQueue") -> None:
        """Put what was taken before what came since."""
        self.triggers = _join_lists(before.triggers, self.triggers)
        self.touched = _join_lists(before.touched, self.touched)
        self.messages = _join_lists(before.messages, self.messages)
        self.config_changed |= before.config_changed


def copy_with_lists(struct: T) -> T:
    """The same, with lists of its own."""
    fields = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return replace(struct, **{name: value[:] for name, value in fields.items() if isinstance(value, list)})


def _join_lists(before: list[Any], now: list[Any]) -> list[Any]:
    known = {id(each) for each in before}
    return [*before, *(each for each in now if id(each) not in known)]


class SessionParts:
    """The parts of a session, and the locks around them: `turn_lock` for one turn at a time, `lock` for a change."""

    def __init__(self, setup: SessionSetup, resources: Resources, extensions: Iterable[ExtensionSource] = ()) -> None:
        options = setup.settings.options
        self.owner: weakref.ref[Any] | None = None
        """The Session of these parts, for extensions. Weak: a session that is forgotten has to end."""
        self.setup = setup
        self.current = SessionPrompt(setup)
        self.history = self.make_history()
        self.turn = TurnState()
        self.queue = TurnQueue([Trigger("start", "the session begins")])
        self.hooks: dict[EventName, list[NamedHook]] = {event: [] for event in EVENTS}
        self.resources = resources
        self.extensions = Extensions(tuple(extensions))
        self.parent: SessionParts | None = None
        """The session that this one is a sub-agent of."""
        self.depth = self.turn_number = 0
        self.mission: tuple[str, int] = ("", 0)
        """The text of the current mission, and how many turns were taken before it."""
        self.error_shown = False
        """Whether a turn has shown the mission's error, so that the next reply answers it."""
        self.last_prompt: Prompt | None = None
        self.entries: deque[Entry] = deque(maxlen=options.keep)
        self.lock = threading.RLock()
        self.turn_lock = threading.Lock()
        self.watching = options.watch
        """Whether files are watched from the first turn until the end."""
        self.watcher: Any = None
        self.texts_by_place = TextsByPlace()
        """What was added to the messages of a framework, and where."""
        self.loaded_texts: dict[str, Source] = {}
        """Texts of skills and files that tools gave to the model, and where each came from."""
        self.last_sent: SentTexts | None = None
        self.usage = SessionUsage()
        self.mcp: Any = None
        """The MCP servers, where there are any."""
        self.has_servers = False
        """Whether it connects to those of the configuration."""
        self.publisher: Publisher | None = None
        """Publishes the turns for other processes, where that is wanted."""

    def make_history(self, messages: Iterable[Message] = (), waiting: Iterable[Message] = ()) -> MessageHistory:
        """A conversation beside this session's prompt."""
        current = self.current  # and not the parts themselves, which would then hold each other
        return MessageHistory(messages, waiting, lambda: current.built_prompt)

    def apply(self, work: PendingWork) -> None:
        """Change something; where an extension asks while it is set up, once that is done."""
        pending = get_pending_changes(self)
        if pending is None or not pending.add(work):
            with self.lock:
                work()

    def add_trigger(self, name: TriggerName, reason: str) -> None:
        """Note an event after which the prompt is built again, with the next turn."""
        with self.lock:
            self.queue.triggers.append(Trigger(name, reason))
