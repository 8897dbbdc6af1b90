"""What a session adds to the messages of a framework: nested files, changes of the prompt, sections of the user's.

A framework keeps its messages, and few let others write into them for good. So each text is added to every request
again, behind the same message: a prefix that a provider has cached stays as it was.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

import msgspec

from ...assemble.hook_edits import Change
from ...model.message import Message
from ...model.struct import Frozen

MAX_PLACES = 10_000
"""Places in conversations whose texts are remembered; the oldest are forgotten first."""


class AddedText(Frozen, frozen=True):
    """A text that goes behind one of the given messages: as a message of the user's, or as a part of that one."""

    after: int
    message: Message
    part: bool = False
    """Whether it is a part of the user's message at `after`, and not a message of its own."""

    @property
    def text(self) -> str:
        """What is added."""
        return self.message.text


HookChanges = tuple[tuple[str, Change], ...]
"""What hooks change for a prompt of the user's, each with the hook's name."""


class TextsByPlace:
    """Which texts were added where, by a digest of everything up to there."""

    def __init__(self) -> None:
        self._texts: OrderedDict[bytes, tuple[Message, ...]] = OrderedDict()
        self._changes: OrderedDict[bytes, HookChanges] = OrderedDict()

    def find_changes(self, place: bytes) -> HookChanges:
        """What hooks changed in the system prompt for the user's message there."""
        return self._changes.get(place, ())

    def keep_changes(self, place: bytes, changes: HookChanges) -> None:
        """Change the same in the requests that follow this message of the user's."""
        self._changes.pop(place, None)
        if changes:
            self._changes[place] = changes
        if len(self._changes) > MAX_PLACES:
            self._changes.popitem(last=False)

    def find(self, place: bytes) -> tuple[Message, ...] | None:
        """What was added there; None where nothing is known of that place."""
        return self._texts.get(place)

    def keep(self, place: bytes, texts: tuple[Message, ...]) -> None:
        """Add the same there from now on."""
        self._texts[place] = texts
        self._texts.move_to_end(place)
        if len(self._texts) > MAX_PLACES:
            self._texts.popitem(last=False)


def list_places(messages: Sequence[Message], conversation: str) -> list[tuple[int, bytes]]:
    """Where texts may be added: behind each message of the user's, and behind the last of results that follow a reply.

    Each place has a digest of all messages up to there, so that two conversations that begin alike share no more.
    """
    digest = hashlib.blake2b(conversation.encode("utf-8", "surrogatepass"), digest_size=16)
    places = []
    for index, message in enumerate(messages):
        digest.update(_encode_message(message))
        following = messages[index + 1].role if index + 1 < len(messages) else "assistant"
        if message.role == "user" or (message.role == "tool" and following != "tool"):
            places.append((index, digest.digest()))
    return places


def _encode_message(message: Message) -> bytes:
    fields = (message.role, message.text, message.call, [(call.id, call.name) for call in message.calls])
    try:
        return msgspec.json.encode(fields)
    except UnicodeEncodeError:
        return repr(fields).encode("ascii", "backslashreplace")
