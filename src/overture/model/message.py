"""A message of the user, the assistant, a tool or the session holds text, content, calls and usage."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from msgspec.structs import replace

from ..errors import StateError, show_value
from ..text.escape import choose_fence, inline_code
from ..text.words import count_noun
from .struct import Frozen, note

ContentKind = Literal["text", "image", "document", "audio", "video"]
NOUNS = {"text": "a text", "image": "an image", "document": "a document", "audio": "a sound", "video": "a film"}


class Content(Frozen, frozen=True):
    """One part of a message: a text, an image, a document, audio or video, for any provider.

    `Content("image", media="image/png", data=base64_text)`, or with `url=` or `file=` instead of `data=`.
    """

    kind: ContentKind
    text: Annotated[str, note("the text of a `text` part; empty: the message's own text goes here")] = ""
    media: Annotated[str | None, note("the media type, e.g. image/png")] = None
    data: Annotated[str | None, note("the bytes, as base64")] = None
    url: Annotated[str | None, note("a public URL")] = None
    file: Annotated[str | None, note("the id or address of a file stored at `provider`")] = None
    name: Annotated[str | None, note("the name of a document")] = None
    provider: Annotated[
        str | None, note("the provider whose format it has: openai, anthropic, gemini, bedrock, ollama")
    ] = None
    own: Annotated[dict[str, Any], note("other keys of that format; no other provider gets them")] = {}

    def __repr__(self) -> str:
        """`<Content: an image (image/png), 4,096 bytes>`: its data would fill the screen."""
        if self.kind == "text":
            return f"<Content: {self.text!r:.60}>"
        size = f", {count_noun(len(self.data) * 3 // 4, 'byte')}" if self.data is not None else ""
        return f"<Content: {self.about}{size}>"

    @property
    def about(self) -> str:
        """A short description for people, e.g. `a document ('plan.pdf', application/pdf)`."""
        known = [f"{self.name!r:.60}" if self.name else "", self.media or "", self.url or self.file or ""]
        details = ", ".join(each[:80] for each in known if each)
        return f"{NOUNS[self.kind]} ({details})" if details else NOUNS[self.kind]

    @property
    def bytes(self) -> bytes:
        """The decoded `data`."""
        import base64

        return base64.b64decode(self.data or "")


Role = Literal["user", "assistant", "tool"]
ROLES = get_args(Role)
MessageKind = Literal["prompt", "reply", "result", "summary", "branch", "shell", "custom", "hook", "skill", "context"]
"""prompt: the user's words · reply: the assistant's · result: of a tool call · summary, branch: of what was dropped ·
shell: a command that the user ran · custom, hook: a program's · skill: instructions that were loaded · context: a
project file met on the way"""


class Call(Frozen, frozen=True):
    """A tool call by the model."""

    id: str
    name: str
    arguments: Annotated[dict[str, Any], note("its arguments, by name")] = {}


class Usage(Frozen, frozen=True, omit_defaults=False):
    """The token counts that a provider reported for one reply."""

    input: Annotated[int, note("input tokens of the whole request, including cache reads and writes")] = 0
    output: Annotated[int, note("output tokens, including reasoning")] = 0
    cache_read: Annotated[int, note("input tokens read from the cache")] = 0
    cache_write: Annotated[int, note("input tokens written to the cache")] = 0

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


class Message(Frozen, frozen=True):
    """One message of a conversation, for any provider: `Message("user", "Fix the failing test")`."""

    role: Role
    text: str = ""
    kind: MessageKind = "prompt"
    name: Annotated[str | None, note("name of the skill, file, hook, tool or kind of message")] = None
    calls: Annotated[tuple[Call, ...], note("of an assistant: its tool calls")] = ()
    call: Annotated[str | None, note("of a result: the id of the call")] = None
    failed: Annotated[bool, note("of a result: it is an error")] = False
    sent: Annotated[bool, note("false: stored in the session, never sent")] = True
    shown: Annotated[bool, note("false: sent, but not shown to people")] = True
    typed: Annotated[str | None, note("what the user typed, if the text differs")] = None
    blocks: Annotated[tuple[dict[str, Any], ...], note("more content in the provider's own format, e.g. images")] = ()
    sections: Annotated[str, note("of a user: what the recipe adds, sent after the text")] = ""
    details: Annotated[Any, note("of a hook: data for whoever shows the message, as JSON; never sent")] = None
    parts: Annotated[
        tuple[Content, ...], note("of a user or a result: images, documents and more texts, before or after the text")
    ] = ()
    provider: Annotated[
        str | None,
        note(
            "of a reply: the provider that gets `blocks`, which are in its format; others get text and calls. "
            "None: all get `blocks`"
        ),
    ] = None
    usage: Annotated[Usage | None, note("of a reply: the usage that the provider reported; never sent")] = None

    def __post_init__(self) -> None:
        if self.role not in ROLES or not isinstance(self.text, str):
            raise StateError(
                f"A message has the role {show_value(self.role)} and the text {show_value(self.text)}.",
                hint=f"Pass one of these roles: {', '.join(ROLES)}; and a text.",
            )

    @classmethod
    def shell(cls, command: str, output: str, exit_code: int | None = 0, *, cut: str | None = None) -> Message:
        """A command that the user ran: `!cmd` is sent to the model, `!!cmd` is kept and not sent.

        `exit_code` is None if the command was cancelled. `cut` is the path of the full output of a truncated one.
        """
        sent = not command.startswith("!!")
        command = command.lstrip("!").strip()
        fence = choose_fence(output)
        lines = [f"I ran {inline_code(command)}."]
        lines += [fence, output.rstrip("\n"), fence] if output.strip() else ["(no output)"]
        if exit_code is None:
            lines.append("(cancelled)")
        elif exit_code:
            lines.append(f"(exit code {exit_code})")
        if cut is not None:
            lines.append(f"(The output is cut. All of it is in {cut})")
        return cls("user", "\n".join(lines), "shell", name=command, sent=sent)

    @property
    def contents(self) -> tuple[Content, ...]:
        """The text and the parts, in the order in which they are sent."""
        text = Content("text", self.text)
        if not self.parts:
            return (text,) if self.text else ()
        if any(_is_position(part) for part in self.parts):
            return tuple(replace(part, text=self.text) if _is_position(part) else part for part in self.parts)
        return (text, *self.parts) if self.text else self.parts


def _is_position(part: Content) -> bool:
    """Whether the message's own text stands there."""
    return part.kind == "text" and not part.text
