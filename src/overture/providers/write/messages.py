"""Writes messages and contents in the forms that several providers share, without halves of surrogate pairs."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from msgspec.json import encode
from msgspec.structs import replace

from ...errors import StateError
from ...model.message import Call, Content, Message
from ...model.prompt.prompt import Prompt
from ...model.tool import Tool
from ...text.normalize import find_surrogates, replace_surrogates
from .tools import sort_keys

REMINDER_TAG = "system-reminder"
CLOSING = re.compile(rf"<(?=\s*/?\s*{REMINDER_TAG})", re.IGNORECASE)
MessageItem = Mapping[str, Any] | Message
WrapText = Callable[[str], Any]
NO_OUTPUT = "(no output)"
"""The text of an empty result, for providers that refuse an empty one."""
WriteContent = Callable[[Content], dict[str, Any]]
"""Writes an image or another content that is no text in a provider's form."""
UNSAFE_NAME_CHARS = re.compile(r"[^A-Za-z0-9()\[\]-]+")
SENT_FIELDS = ("text", "sections", "calls", "blocks", "call", "name", "parts")
"""The fields of a message that are sent and contain text."""
CARRY = "which JSON can't contain. Replace it in its source."


def check_messages(messages: object) -> tuple[MessageItem, ...]:
    """The messages, if each is a Message, an object with a role, or an item with a type of the provider's."""
    if not isinstance(messages, Iterable) or isinstance(messages, str | Mapping):
        raise StateError(f"messages: {messages!r:.80} is not a list of messages.", hint="Pass a list, [] for none.")
    checked = tuple(messages)
    for index, message in enumerate(checked):
        problem = _find_message_fault(message) if isinstance(message, Message) else _find_object_fault(message)
        if problem:
            raise StateError(f"messages[{index}]{problem}")
    return checked


def _find_message_fault(message: Message) -> str | None:
    """The reason why a Message can't be written in any provider's form; None if it can."""
    if message.role == "tool" and message.call is None:
        return ": a result needs the id of its call. Pass it as `call`."
    if message.sections and message.role != "user":
        return f": a message of role {message.role!r} has `sections`, which only a user's message can have."
    if message.parts and message.role == "assistant":
        return ": a message of role 'assistant' has `parts`, which only a user's message or a result can have."
    for part in message.parts:
        if part.kind != "text" and part.data is None and part.url is None and part.file is None:
            return f".parts: {part.about} has no bytes. Pass `data`, `url`, or `file` with its `provider`."
    return next((fault for call in message.calls if (fault := _find_json_fault(call))), None) if message.sent else None


def _find_json_fault(call: Call) -> str | None:
    """The error about arguments that JSON can't contain, e.g. a set; None if there are none."""
    try:
        json.dumps(sort_keys(call.arguments), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        return (
            f": the arguments of call {call.id!r} to {call.name!r} are not JSON: {problem}. "
            "Pass texts, numbers, lists and objects."
        )
    return None


def _find_object_fault(message: object) -> str | None:
    if not isinstance(message, Mapping) or not isinstance(message.get("role", message.get("type")), str):
        return (
            f": {message!r} is not a message. Pass an object with a role and a content, "
            'e.g. {"role": "user", "content": "Hello"}.'
        )
    for key in ("content", "parts"):
        if not isinstance(message.get(key), str | list | tuple | None):
            return f".{key}: {message[key]!r} is neither a text nor a list of blocks."
    return None


def get_role(item: MessageItem) -> Any:
    """The role of an item of the conversation."""
    return item.role if isinstance(item, Message) else item.get("role")


def mark_as_reminder(text: str) -> str:
    """A system message for a model without that role, in a tag that the text can't close."""
    return f"<{REMINDER_TAG}>\n{CLOSING.sub('&lt;', text)}\n</{REMINDER_TAG}>"


def message_text(content: Any) -> str:
    """The text of a message's content, which is a text or a list of blocks with one each."""
    if isinstance(content, str):
        return content
    return "".join(str(block.get("text", "")) for block in content or () if isinstance(block, Mapping))


def blocks(content: Any, wrap: WrapText) -> list[Any]:
    """A content as a list of blocks."""
    return ([wrap(content)] if content else []) if isinstance(content, str) else list(content or ())


def result_of(message: Message) -> str:
    """The text of a tool result as it is written to providers, never blank."""
    return message.text if message.text.strip() else NO_OUTPUT


def encode_arguments(call: Call) -> str:
    """The arguments as JSON text, keys sorted: the same call is always the same bytes."""
    return json.dumps(sort_keys(call.arguments), ensure_ascii=False)


def tool_of(message: Message, provider: str) -> str:
    """The name of a result's tool, which some providers require."""
    if message.name is None:
        raise StateError(
            f"The result of call {message.call!r} has no matching call, and {provider} needs the tool's name.",
            hint="Also pass the assistant's message with the call, or `name`.",
        )
    return message.name


def write_contents(message: Message, wrap: WrapText, show: WriteContent, vendor: str) -> list[Any]:
    """Text and parts in their order, without blank texts, which some providers refuse."""
    if not message.parts:
        return [wrap(message.text)] if message.text.strip() else []
    return [
        show(part) if part.kind != "text" else {**wrap(part.text), **own_keys(part, vendor)}
        for part in message.contents
        if part.kind != "text" or part.text.strip()
    ]


def own_keys(part: Content, vendor: str) -> dict[str, Any]:
    """The further keys of the part's original form, if it is this vendor's."""
    return part.own if part.provider == vendor else {}


def refuse_content(part: Content, provider: str, why: str) -> StateError:
    """The error about a part that a provider does not take."""
    return StateError(f"{provider} does not take {part.about}: {why}.")


def own_file(part: Content, provider: str, vendor: str) -> str:
    """The id of a file that this vendor stores; it can't open another's."""
    if part.file is None or part.provider != vendor:
        whose = f"its file is stored by {part.provider}" if part.file else "it has no bytes"
        raise refuse_content(part, provider, f"{whose}. Pass its bytes, or upload it there")
    return part.file


def data_of(part: Content, provider: str) -> str:
    """The bytes in base64, for a provider that fetches nothing."""
    if part.data is None:
        where = f"{provider} does not open URLs" if part.url else f"its file is stored by {part.provider}"
        raise refuse_content(part, provider, f"{where}. Pass its bytes")
    return part.data


def data_url(part: Content) -> str:
    """The bytes of a content, written as a data URL."""
    return f"data:{part.media or 'application/octet-stream'};base64,{part.data}"


def format_of(part: Content, formats: Mapping[str, str], provider: str) -> str:
    """A provider's name of a media type."""
    format = formats.get(part.media or "")
    if format is None:
        raise refuse_content(part, provider, f"its media type is not one of {', '.join(formats)}")
    return format


def clean_name(part: Content) -> str:
    """A document's name with only letters, digits, brackets and hyphens; the same name gives the same result."""
    return UNSAFE_NAME_CHARS.sub("-", part.name or "").strip("-")[:200]


def check_texts(prompt: Prompt, tools: Sequence[Tool], messages: Sequence[MessageItem]) -> None:
    """Refuse a request with text that JSON can't contain."""
    for block in (*prompt.blocks, *prompt.messages):
        _refuse(f"Section {block.name!r}", block.text)
    for index, message in enumerate(messages):
        if not isinstance(message, Message):
            _refuse(f"messages[{index}]", message)
    for tool in tools:
        if _holds_surrogate(tool):
            raise StateError(f"Tool {tool.name!r} contains half a surrogate pair, {CARRY}")


def _refuse(name: str, value: Any) -> None:
    """Raise an error about half a surrogate pair in what is to be written."""
    for surrogate in find_surrogates(value):
        path = f"the key {surrogate.text!r}" if surrogate.is_key else surrogate.path
        where = f"at character {surrogate.at} of {path}" if path else f"at its character {surrogate.at}"
        raise StateError(f"{name} contains half a surrogate pair, U+{surrogate.code}, {where}, {CARRY}")


def clean_message(message: Message) -> Message:
    """A Message with `�` for every half pair: a tool's output must not end the conversation."""
    fields = {name: getattr(message, name) for name in SENT_FIELDS}
    clean = {name: _replace_all_surrogates(value) for name, value in fields.items()}
    return message if clean == fields else replace(message, **clean)


def _replace_all_surrogates(value: Any) -> Any:
    """A value without half pairs, in keys too."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, Mapping):
        return {_replace_all_surrogates(key): _replace_all_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_replace_all_surrogates(part) for part in value)
    if isinstance(value, Content | Call):
        # The id of a call as in the result: the two still belong together.
        fields = [name for name in value.__struct_fields__ if name != "data"]
        return replace(value, **{name: _replace_all_surrogates(getattr(value, name)) for name in fields})
    return value


def _holds_surrogate(tool: Tool) -> bool:
    """Whether a tool can't be written to a provider, because it contains half a surrogate pair."""
    try:
        encode([tool.name, tool.description, tool.parameters])
    except UnicodeEncodeError:
        return True
    return False


class AcceptedIds:
    """The ids of the calls in one request, for a provider that accepts only a pattern and takes no id twice."""

    def __init__(self, pattern: str | None) -> None:
        self.pattern = pattern
        self.sent: set[str] = set()
        self.waiting: dict[str, list[str]] = {}
        """The ids that are sent for the latest calls of an id, for their results in this order."""

    def replace_in(self, message: Message, calls: Sequence[Call]) -> Message:
        """The message with accepted ids of its calls, or of the call that it answers.

        Of its `calls`, those in the provider's own blocks are not in `message.calls`: they and their results keep them.
        """
        if self.pattern is None:
            return message
        renamed = tuple(replace(call, id=self._accept(call.id)) for call in message.calls)
        if calls:
            self.waiting = {}
            for old, new in zip(calls, renamed or calls, strict=False):
                self.waiting.setdefault(old.id, []).append(new.id)
            self.sent.update(call.id for call in renamed or calls)
        answers = self.waiting.get(message.call or "", [])
        answered = (answers.pop(0) if len(answers) > 1 else answers[0]) if answers else message.call
        same = renamed == message.calls and answered == message.call
        return message if same else replace(message, calls=renamed, call=answered)

    def _accept(self, call: str) -> str:
        """An accepted id that no earlier call has: some servers begin again with `call_0` in each reply."""
        tries = (call if number == 1 else f"{call}#{number}" for number in count(1))
        accepted = next(
            each for try_ in tries if (each := _make_accepted_id(try_, self.pattern or "")) not in self.sent
        )
        self.sent.add(accepted)
        return accepted


def _make_accepted_id(call: str, pattern: str) -> str:
    """The id itself if it matches; otherwise its beginning and a hash, so that two ids stay two."""
    if re.fullmatch(pattern, call):
        return call
    return f"{re.sub('[^a-zA-Z0-9_-]', '_', call)[:40]}_{hashlib.sha256(call.encode()).hexdigest()[:16]}"
