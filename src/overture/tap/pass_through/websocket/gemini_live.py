"""Gemini Live -> calls: each turn of the model, with the setup of its connection and what was said before it."""

from collections.abc import Iterator
from typing import Any

from ..kept.capture import Room
from .conversation import GONE, NOT_KEPT, SOUND, decoded
from .frames import Message
from .spoken import Spoken
from .turns import as_bytes, object_in

MOST = 16 << 20
"""Characters of the conversation that are held."""


class Turn(Spoken):
    """A turn of the model while it is spoken."""

    def __init__(self, room: Room, message: Message, contents: list[Any]) -> None:
        super().__init__(room, message.began)
        self.contents = contents
        self.words: list[str] = []
        self.heard: list[str] = []
        self.calls: list[Any] = []
        self.sound = 0
        self.usage: dict[str, Any] = {}
        self.late: list[str] = []
        """What the provider wrote down of the user's speech when the model spoke already."""
        self.stop = ""


class GeminiLive:
    """The turns of one connection."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.setup: dict[str, Any] = {}
        self.contents: list[Any] = []
        self._size = 0
        self._cut = False
        self._typed: list[str] = []
        self._heard: list[str] = []
        self._sounds: dict[str, int] = {}
        self._began: Message | None = None
        self._turn: Turn | None = None
        self.any = False
        """Whether any call was seen."""
        self._ready: list[Turn] = []
        self._lost: dict[str, None] = {}

    def asked(self, message: Message) -> None:
        """The program says this."""
        self._lost |= {NOT_KEPT.format(why=message.missing): None} if message.missing else {}
        data = object_in(message.data)
        if setup := _dict(data.get("setup")):
            self.setup = setup
        elif content := _dict(_either(data, "clientContent")):
            self._flush()
            for turn in _list(content.get("turns")):
                self._add(turn)
            self._began = message
        elif given := _dict(_either(data, "realtimeInput")):
            self._began = self._began or message
            self._take(given)
        elif answer := _dict(_either(data, "toolResponse")):
            self._end("toolCall")
            parts = [{"functionResponse": each} for each in _list(_either(answer, "functionResponses"))]
            self._add({"role": "user", "parts": parts})
            self._began = message

    def _take(self, given: dict[str, Any]) -> None:
        """What somebody says while it is said."""
        if isinstance(given.get("text"), str):
            self._typed.append(given["text"])
        chunks = _either(given, "mediaChunks")
        for chunk in [*_list(chunks), given.get("audio"), given.get("video")]:
            kind = str(_either(_dict(chunk), "mimeType") or "audio").partition(";")[0]
            if isinstance(data := _dict(chunk).get("data"), str):
                self._sounds[kind] = self._sounds.get(kind, 0) + decoded(data)

    def said(self, message: Message) -> Iterator[Turn]:
        """The provider says this; the turns that end with it."""
        self._lost |= {NOT_KEPT.format(why=message.missing): None} if message.missing else {}
        data = object_in(message.data)
        content = _dict(_either(data, "serverContent"))
        if words := _dict(_either(content, "inputTranscription")).get("text"):
            turn = self._turn
            (self._heard if turn is None or turn.stop else turn.late).append(str(words))
        called = _either(_dict(_either(data, "toolCall")), "functionCalls")
        parts = _dict(_either(content, "modelTurn")).get("parts")
        spoken = _dict(_either(content, "outputTranscription")).get("text")
        if parts or called or spoken:
            self._hear(message, parts, called, spoken)
        if self._turn is not None and (usage := _dict(_either(data, "usageMetadata"))):
            self._turn.usage = usage
        if self._turn is not None:
            self._turn.last = message.at
        if content.get("interrupted") and self._turn is not None:
            self._turn.stop = "interrupted"  # its end, with the counts, is still to come
        if _either(content, "turnComplete"):
            self._end("turnComplete")
        ready, self._ready = self._ready, []
        yield from ready

    def _hear(self, message: Message, parts: Any, called: Any, spoken: Any) -> None:
        if self._turn is not None and self._turn.stop:
            self._end(self._turn.stop)
        if self._turn is None:
            self._flush()
            self._turn = Turn(self.room, self._began or message, list(self.contents))
            self._turn.first, self._turn.status, self.any, self._began = message.at, 200, True, None
        for part in _list(parts):
            inline = _dict(_either(_dict(part), "inlineData")).get("data")
            if isinstance(inline, str):
                self._turn.sound += decoded(inline)
            elif isinstance(_dict(part).get("text"), str) and not part.get("thought"):
                self._turn.words.append(part["text"])
        self._turn.heard += [str(spoken)] if spoken else []
        self._turn.calls += _list(called)

    def _flush(self) -> None:
        """What was said up to now becomes a part of the conversation."""
        parts: list[Any] = [{"text": "".join(each)} for each in (self._typed, self._heard) if each]
        parts += [
            {"inlineData": {"mimeType": kind, "data": f"[{size:,} bytes]"}} for kind, size in self._sounds.items()
        ]
        if parts:
            self._add({"role": "user", "parts": parts})
        self._typed, self._heard, self._sounds = [], [], {}

    def _add(self, content: Any) -> None:
        self.contents.append(content)
        self._size += len(str(content))
        while self._size > MOST and len(self.contents) > 1:
            self._cut = True
            self._size -= len(str(self.contents.pop(0)))

    def _end(self, stop: str) -> None:
        """A turn is over: it is a call, and a part of the conversation."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        if turn.late:
            heard = {"role": "user", "parts": [{"text": "".join(turn.late)}]}
            turn.contents.append(heard)
            self._add(heard)
        text = "".join(turn.words) or "".join(turn.heard)
        parts: list[Any] = [{"text": text}] if text else []
        parts += [{"functionCall": call} for call in turn.calls]
        self._write(turn, parts, turn.stop or stop)
        if turn.sound:
            parts.append({"inlineData": {"mimeType": "audio", "data": f"[{turn.sound:,} bytes]"}})
        self._add({"role": "model", "parts": parts})
        self._ready.append(turn)

    def _write(self, turn: Turn, parts: list[Any], stop: str) -> None:
        """The call, as it would be over HTTP."""
        turn.sent.add([as_bytes({**self.setup, "contents": turn.contents})])
        out = _either(turn.usage, "responseTokenCount")
        usage = turn.usage if out is None else {"candidatesTokenCount": out, **turn.usage}
        answer: dict[str, Any] = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": stop}]}
        answer |= {"usageMetadata": usage} if usage else {}
        turn.came.add([b"data: ", as_bytes(answer), b"\n\n"], turn.last)
        sounds = turn.sound or any("inlineData" in str(content) for content in turn.contents)
        turn.missing += [SOUND] * bool(sounds) + [GONE] * self._cut + list(self._lost)

    def end(self) -> Iterator[Turn]:
        """The connection is gone; the turn that was under way."""
        self._end("")
        ready, self._ready = self._ready, []
        yield from ready


def _either(data: dict[str, Any], name: str) -> Any:
    """A value under its name, or under the same name as Python writes it."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return data.get(name, data.get(snake))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
