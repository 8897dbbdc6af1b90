"""OpenAI's Realtime -> calls: each response with the instructions and tools in force, and what was said before it.

A response may be asked for, or come by itself when somebody has spoken. What the model hears is told as text where the
provider writes it down, which may come late: so a request is put together when its response has ended.
"""

import json
from collections import deque
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

from ..kept.capture import Room
from .conversation import GONE, NOT_KEPT, SOUND, Conversation, as_text, decoded
from .frames import Message
from .spoken import Spoken
from .turns import as_bytes, items_of, object_in

SESSION = ("session.created", "session.updated")
ITEMS = (
    "conversation.item.created",
    "conversation.item.added",
    "conversation.item.done",
    "conversation.item.retrieved",
)
TRANSCRIBED = "conversation.item.input_audio_transcription.completed"
OWN = ("id", "object", "type", "expires_at", "client_secret", "event_id", "input", "conversation", "metadata")
"""What is no part of a request that a model sees; a secret is among it."""
REFUSED = 400
MOST_OPEN = 64


class Asked(Spoken):
    """A response while it is spoken."""

    def __init__(self, room: Room, message: Message, wish: dict[str, Any]) -> None:
        super().__init__(room, message.began)
        self.wish = wish
        """What this response alone is asked with."""
        self.before: tuple[str, ...] = ()
        self.sound = 0


class Realtime:
    """The calls of one connection."""

    def __init__(self, room: Room, target: bytes) -> None:
        self.room, self.talk = room, Conversation()
        named = parse_qs(target.partition(b"?")[2].decode("latin-1")).get("model", [""])
        self.session: dict[str, Any] = {"model": named[0]}
        self._wishes: deque[Asked] = deque()
        self._open: dict[str, Asked] = {}
        self._buffered = 0
        self._lost: dict[str, None] = {}
        self.any = False
        """Whether any call was seen."""

    def asked(self, message: Message) -> None:
        """The program says this."""
        self._lost |= {NOT_KEPT.format(why=message.missing): None} if message.missing else {}
        event = object_in(message.data)
        kind = event.get("type")
        if kind == "session.update":
            self.session |= {key: value for key, value in _dict(event.get("session")).items() if value is not None}
        elif kind == "response.create" and len(self._wishes) < MOST_OPEN:
            self.any = True
            self._wishes.append(Asked(self.room, message, _dict(event.get("response"))))
        elif kind == "input_audio_buffer.append":
            self._buffered += decoded(_text(event.get("audio")))
        elif kind == "input_audio_buffer.clear":
            self._buffered = 0

    def said(self, message: Message) -> Iterator[Asked]:
        """The provider says this; the calls that end with it."""
        self._lost |= {NOT_KEPT.format(why=message.missing): None} if message.missing else {}
        event = object_in(message.data)
        kind, response = _text(event.get("type")), _dict(event.get("response"))
        if kind in SESSION:
            self.session = {**self.session, **_dict(event.get("session"))}
        elif kind == "response.created":
            self._begin(_text(response.get("id")), message)
        elif kind == "response.done":
            yield from self._ended(response, message)
        elif kind == "error":
            yield from self._refused(event, message)
        elif kind.endswith("audio.delta"):
            spoken = self._open.get(_text(event.get("response_id")))
            if spoken is not None:
                spoken.sound += decoded(_text(event.get("delta")))
        else:
            self._noted(kind, event, len(message.data))

    def _noted(self, kind: str, event: dict[str, Any], size: int) -> None:
        """What becomes of the conversation."""
        id = _text(event.get("item_id"))
        if kind in ITEMS:
            self.talk.put(_dict(event.get("item")), _text(event.get("previous_item_id")), size)
        elif kind == "conversation.item.deleted":
            self.talk.remove(id)
        elif kind == "input_audio_buffer.committed":
            self.talk.sounds[id], self._buffered = self._buffered, 0
        elif kind == TRANSCRIBED:
            self.talk.heard_as(id, _text(event.get("transcript")))

    def _begin(self, id: str, message: Message) -> None:
        """A response: one that was asked for, or one that comes by itself."""
        self.any = True
        spoken = self._wishes.popleft() if self._wishes else Asked(self.room, message, {})
        spoken.first, spoken.status, spoken.before = message.at, 200, self.talk.order
        if len(self._open) < MOST_OPEN:
            self._open[id] = spoken

    def _ended(self, response: dict[str, Any], message: Message) -> Iterator[Asked]:
        spoken = self._open.pop(_text(response.get("id")), None)
        if spoken is None:
            return
        output = [item for item in _list(response.get("output")) if isinstance(item, dict)]
        for item in output if spoken.wish.get("conversation") != "none" else ():
            self.talk.put(item, size=len(json.dumps(item)))
        told = {**response, "output": [_said(as_text(item)) for item in output]}
        details = _dict(response.get("status_details"))
        if error := _dict(details.get("error")):
            told["error"] = error
        elif reason := _text(details.get("reason")):
            told["incomplete_details"] = {"reason": reason}
        spoken.last = message.at
        self._ask(spoken)
        spoken.came.add([b"data: ", as_bytes({"type": "response.done", "response": told}), b"\n\n"], message.at)
        yield spoken

    def _ask(self, spoken: Asked) -> None:
        """The request, as it would be over HTTP."""
        wish = spoken.wish
        items = self.talk.told(spoken.before)
        if "input" in wish:
            items = [self._named(item) for item in items_of(wish["input"])]
        body = {**self.session, **wish}
        body = {key: value for key, value in body.items() if key not in OWN and value not in (None, "", [])}
        spoken.sent.add([as_bytes({**body, "input": items, "stream": True})])
        sound = spoken.sound or any(part.get("type") == "input_audio" for item in items for part in _parts(item))
        spoken.missing += [SOUND] * bool(sound) + [GONE] * self.talk.cut + list(self._lost)

    def _named(self, item: Any) -> dict[str, Any]:
        """An item of a request; one that is only named is the one that is known."""
        found = _dict(item)
        known = self.talk.told((_text(found.get("id")),)) if found.get("type") == "item_reference" else []
        return known[0] if known else as_text(found)

    def _refused(self, event: dict[str, Any], message: Message) -> Iterator[Asked]:
        """An error instead of a response; others are no answers."""
        if not self._wishes or self._open:
            return
        spoken = self._wishes.popleft()
        spoken.before, spoken.last, spoken.status = self.talk.order, message.at, REFUSED
        self._ask(spoken)
        spoken.came.add([b"data: ", as_bytes(event), b"\n\n"], message.at)
        yield spoken

    def end(self) -> Iterator[Asked]:
        """The connection is gone; the calls that were under way."""
        for spoken in (*self._open.values(), *self._wishes):
            spoken.before = spoken.before or self.talk.order
            self._ask(spoken)
            yield spoken
        self._open.clear()
        self._wishes.clear()


def _said(item: dict[str, Any]) -> dict[str, Any]:
    """An item that a model spoke: its words are all of it that is text."""
    parts = _parts(item)
    texts = [part if part.get("type") != "text" else {**part, "type": "output_text"} for part in parts]
    return {**item, "content": texts} if parts else item


def _parts(item: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in _list(item.get("content")) if isinstance(part, dict)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
