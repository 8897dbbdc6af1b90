"""FrameworkTurn is a turn whose messages a framework keeps. The session adds texts to them, and hooks edit them."""

from collections.abc import Sequence

from ..model.message import Message
from ..model.prompt.block import JOIN
from ..model.prompt.prompt import Prompt
from ..providers.read.read_content import SplitContent
from .current_files import find_near_touched, list_touched_paths, record_handed
from .framework_rows import AddedText, HookChanges, RequestRow, list_places, make_request_rows, match_rows
from .session_parts import SessionParts

NestedByPlace = dict[bytes, tuple[Message, ...]]


class FrameworkTurn:
    """The messages of a framework during a turn."""

    def __init__(self, session: SessionParts, messages: Sequence[Message], conversation: str) -> None:
        self.session, self.messages = session, tuple(messages)
        self.places = list_places(messages, conversation)
        last = messages[-1] if messages else None
        self.can_append = last is not None and last.role != "assistant"
        """Whether texts may be added after the last message."""
        self.content: SplitContent | None = None
        """The user's new text; None if the run continues without one."""
        if last is not None and last.role == "user" and last.kind == "prompt":
            self.content = SplitContent(last.text, ())
        self.nested: NestedByPlace = {}
        self.start_messages: tuple[Message, ...] = ()
        """The texts that follow the user's new text: an expanded template, and messages of hooks."""
        self.added: tuple[AddedText, ...] = ()
        self.rows: tuple[RequestRow, ...] = ()

    @property
    def changes(self) -> HookChanges:
        """The changes that hooks made to the prompt for the user's latest text."""
        prompts = [place for index, place in self.places if self.messages[index].kind == "prompt"]
        return self.session.changes_by_place.get(prompts[-1], ()) if prompts else ()

    def start(self, text: str, changes: HookChanges, hook_messages: Sequence[Message]) -> None:
        """Store the expanded text of the user, the changes of hooks, and their messages."""
        if self.content is None:
            return
        typed = self.content.text
        filled = () if text == typed else (Message("user", text, typed=typed),)
        self.start_messages = (*filled, *hook_messages)
        self.session.changes_by_place.keep(self.places[-1][1], changes)

    def find_nested(self) -> None:
        """Find the nested files near the paths of a framework's calls, each at its first position.

        Earlier ones are added again.
        """
        session, paths_so_far = self.session, set[str | None]()
        for index, place in self.places:
            known = session.texts_by_place.get(place)
            if known is None or (self.can_append and index == len(self.messages) - 1):
                paths = list_touched_paths(self.messages, index)
                nested = find_near_touched(session, paths) if paths else []
                with session.lock:
                    handed = session.history.handed_paths
                    record_handed(session, [each for each in nested if each[0].name not in handed])
                known = tuple(message for message, _ in nested)
            self.nested[place] = tuple(m for m in known if m.kind == "context" and m.name not in paths_so_far)
            paths_so_far |= {each.name for each in self.nested[place]}

    def compose(self, prompt: Prompt) -> list[Message]:
        """The messages as the model sees them, with texts new to this conversation at the end."""
        own = self.session.history.sent
        added: list[AddedText] = []
        added_so_far: set[int] = set()
        current = {id(each) for each in own}
        for index, place in self.places:
            if self.can_append and index == len(self.messages) - 1:
                new = [each for each in own if id(each) not in added_so_far]
                texts = (*self.nested[place], *new, *self.start_messages, *_make_sections(prompt, self.messages[index]))
            else:
                known = self.session.texts_by_place.get(place, ())
                # A message that the session dropped since is no longer sent.
                current_texts = (each for each in known if _is_of_prompt(each) or id(each) in current)
                texts = (*self.nested[place], *current_texts)
            self.session.texts_by_place.keep(place, texts)
            added_so_far |= {id(each) for each in texts}
            added += [AddedText(index, each, part=each.kind == "prompt" and _is_of_prompt(each)) for each in texts]
        self.added, self.rows = tuple(added), make_request_rows(self.messages, added)
        return [row.message for row in self.rows]

    def take(self, messages: Sequence[Message]) -> bool:
        """Replace the messages of this framework's turn with a hook's; false if the framework can't send them."""
        rows = match_rows(self.rows, messages)
        self.rows = self.rows if rows is None else rows
        return rows is not None


def _is_of_prompt(message: Message) -> bool:
    """Whether a text belongs to one user message: a recipe's sections, an expanded template, a hook's message."""
    return message.kind == "hook" or (message.kind == "prompt" and (not message.shown or message.typed is not None))


def _make_sections(prompt: Prompt, message: Message) -> tuple[Message, ...]:
    text = JOIN.join(block.text for block in prompt.messages)
    return (Message("user", text, shown=False),) if text and message.role == "user" else ()
