"""What was said on a connection that is spoken live, item by item: as text where there is one, of audio its size."""

from typing import Any

MOST = 16 << 20
"""Characters of all items that are held."""
GONE = "request: the beginning of the conversation is no longer held"
NOT_KEPT = "request: a message before it was not kept: {why}"
SOUND = "sound is not kept, but for its size"
AUDIO = ("input_audio", "audio", "output_audio")


class Conversation:
    """The items of a connection, in their order."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self._order: list[str] = []
        self._sizes: dict[str, int] = {}
        self.sounds: dict[str, int] = {}
        """Bytes of sound, by item."""
        self.cut = False

    @property
    def order(self) -> tuple[str, ...]:
        """The ids of all items."""
        return tuple(self._order)

    def put(self, item: dict[str, Any], after: str = "", size: int = 0) -> None:
        """An item, new or as it is now; a new one behind another, or at the end."""
        id = item.get("id")
        if not isinstance(id, str) or not id:
            return
        if id not in self.items:
            at = self._order.index(after) + 1 if after in self._order else len(self._order)
            self._order.insert(at, id)
        known = next((part["transcript"] for part in parts_of(self.items.get(id, {})) if part.get("transcript")), "")
        self.items[id] = {**self.items.get(id, {}), **item}
        if known:
            self.heard_as(id, known)
        self._sizes[id] = size
        while sum(self._sizes.values()) > MOST and len(self._order) > 1:
            self.cut = True
            self.remove(self._order[0])

    def remove(self, id: str) -> None:
        """An item that is no part of it any more."""
        if self.items.pop(id, None) is not None:
            self._order.remove(id)
            self._sizes.pop(id, None)
            self.sounds.pop(id, None)

    def heard_as(self, id: str, words: str) -> None:
        """What a sound says, where the item does not tell it itself."""
        item = self.items.get(id, {})
        if "content" in item:
            item["content"] = [_with(part, words) for part in parts_of(item)]

    def told(self, ids: tuple[str, ...]) -> list[dict[str, Any]]:
        """These items, as a request over HTTP has them."""
        return [as_text(self.items[id], self.sounds.get(id, 0)) for id in ids if id in self.items]


def parts_of(item: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of an item."""
    content = item.get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _with(part: dict[str, Any], words: str) -> dict[str, Any]:
    return {**part, "transcript": part.get("transcript") or words} if part.get("type") in AUDIO else part


def as_text(item: dict[str, Any], size: int = 0) -> dict[str, Any]:
    """An item whose sound is told in words and by its size."""
    content = []
    for part in parts_of(item):
        if part.get("type") not in AUDIO:
            content.append(part)
            continue
        spoken = item.get("role") == "assistant"
        words = part.get("transcript")
        if isinstance(words, str) and words:
            content.append({"type": "output_text" if spoken else "input_text", "text": words})
        bytes_ = size or _size(part.get("audio"))
        if bytes_ or not words:
            said = f"[{bytes_:,} bytes of sound]" if bytes_ else "[sound]"
            content.append({"type": "input_audio", "audio": said})
    plain = {key: value for key, value in item.items() if key not in ("object", "status")}
    return {**plain, "content": content} if "content" in item else plain


def _size(audio: Any) -> int:
    return decoded(audio) if isinstance(audio, str) else 0


def decoded(text: str) -> int:
    """How many bytes a text in Base64 is."""
    return max(len(text) * 3 // 4 - text[-2:].count("="), 0)
