"""Content: a part of a message, which may be a text, an image, a document, a sound or a film."""

import base64
from typing import Annotated, Any, Literal

from .struct import Frozen, note

ContentKind = Literal["text", "image", "document", "audio", "video"]
NOUNS = {"text": "a text", "image": "an image", "document": "a document", "audio": "a sound", "video": "a film"}


class Content(Frozen, frozen=True):
    """One part of a message, in a form from which every provider's can be made that has it."""

    kind: ContentKind
    text: Annotated[str, note("of a text; empty: the text of the message stands here")] = ""
    media: Annotated[str | None, note("the media type, e.g. image/png")] = None
    data: Annotated[str | None, note("the bytes, as base64")] = None
    url: Annotated[str | None, note("where anybody can fetch it")] = None
    file: Annotated[str | None, note("the id or address of a file that lies with `provider`")] = None
    name: Annotated[str | None, note("of a document")] = None
    provider: Annotated[str | None, note("in whose form it came: openai, anthropic, gemini, bedrock, ollama")] = None
    own: Annotated[dict[str, Any], note("further keys of that form; no other provider gets them")] = {}

    def __repr__(self) -> str:
        """`<Content: an image (image/png), 4,096 bytes>`: what is in it would fill the screen."""
        if self.kind == "text":
            return f"<Content: {self.text!r:.60}>"
        size = f", {len(self.data) * 3 // 4:,} bytes" if self.data is not None else ""
        return f"<Content: {self.about}{size}>"

    @property
    def about(self) -> str:
        """`a document ('plan.pdf', application/pdf)`, for people."""
        known = [f"{self.name!r:.60}" if self.name else "", self.media or "", self.url or self.file or ""]
        said = ", ".join(each[:80] for each in known if each)
        return f"{NOUNS[self.kind]} ({said})" if said else NOUNS[self.kind]

    @property
    def bytes(self) -> bytes:
        """What `data` stands for."""
        return base64.b64decode(self.data or "")
