"""SavedSession as JSON. Writing is atomic: the file holds the old save or the new one."""

import base64
import json
from typing import Annotated, Any

import msgspec

from ..assemble.change_prompt import Change
from ..discover.disk.real_world import RealWorld
from ..discover.disk.write_file import write_file
from ..errors import SessionError, show_value
from ..model.message import Message
from ..model.prompt.block import CutRecord
from ..model.prompt.budget import Budget
from ..model.state.state import State
from ..model.struct import Frozen, convert_data, explain_error, note
from ..model.tool import Tool
from .files.session_files import Resources
from .options_and_setup import SavedCount, SessionOptions
from .request.trace_and_price_requests import SessionUsage

VERSION = 2
MAX_SAVE_BYTES = 256 * 1024 * 1024
"""Bytes of a save, including the images of its conversation."""
BYTES_KEY = "overture:base64"
"""The key of a JSON object that encodes bytes."""


class SavedLayer(Frozen, frozen=True):
    """What the program or an extension registered, but its hooks. What an extension took away is null or false."""

    tools: dict[str, Tool | None] = {}
    active: dict[str, bool] = {}
    fields: Annotated[dict[str, Any], note("fields of State")] = {}
    resources: Resources = Resources()


class SavedExtension(Frozen, frozen=True):
    """An extension that was loaded, with its layer."""

    id: str
    name: str
    layer: SavedLayer


class SavedSession(Frozen, frozen=True):
    """All of a session but its hooks and its record."""

    version: int
    recipe: str
    state: State
    first: Annotated[State | None, note("at the start, if its memories are used")] = None
    cwd: str | None = None
    home: str | None = None
    root: str | None = None
    config: dict[str, Any] = {}
    options: SessionOptions = SessionOptions()
    session: Annotated[bool, note("false for a sub-agent")] = True
    program: Annotated[SavedLayer, note("what the program registered")] = SavedLayer()
    extensions: Annotated[tuple[SavedExtension, ...], note("what each registered over that")] = ()
    top: Annotated[SavedLayer, note("what the program changed of their tools")] = SavedLayer()
    tool_order: Annotated[tuple[str, ...], note("tools in the order in which they first became active")] = ()
    requested_names: Annotated[tuple[str, ...], note("tools that a caller named")] = ()
    budget: Budget | None = None
    counter: Annotated[str | None, note("the name of the tokenizer")] = None
    cuts: Annotated[tuple[CutRecord, ...], note("how far the budget cut each section")] = ()
    depth: SavedCount = 0
    number: SavedCount = 0
    mission_start: SavedCount = 0
    """The number of turns before the current mission."""
    error_shown: bool = False
    fingerprint: Annotated[str | None, note("the system prompt without the edits of hooks")] = None
    task: str | None = None
    messages: tuple[Message, ...] = ()
    waiting: tuple[Message, ...] = ()
    queued: tuple[Message, ...] = ()
    arrived_paths: Annotated[tuple[str, ...], note("nested files that no entry of the record names yet")] = ()
    handed_paths: Annotated[tuple[str, ...], note("nested files that a framework was given")] = ()
    usage: Annotated[SessionUsage, note("what all replies cost so far")] = SessionUsage()
    changes: Annotated[tuple[tuple[str, Change], ...], note("from hooks, for the current turn")] = ()

    @property
    def layers(self) -> tuple[SavedLayer, ...]:
        """All layers, the lowest first."""
        return (self.program, *(each.layer for each in self.extensions), self.top)


def encode_save(saved: SavedSession, max_bytes: int = MAX_SAVE_BYTES) -> bytes:
    """The JSON text. A value that JSON can't hold is an error; so is a save over `max_bytes`."""
    try:
        # Not msgspec: it rejects half a surrogate pair, which a model or a tool may return.
        plain = msgspec.to_builtins(saved, builtin_types=(bytes,))
        data = json.dumps(plain, indent=1, default=_encode_bytes).encode("ascii")
    except (TypeError, ValueError, RecursionError) as problem:
        raise SessionError(f"The session can't be saved: it contains a value that is not JSON: {problem}.") from None
    if len(data) > max_bytes:
        raise SessionError(
            f"The session can't be saved: it would have {len(data):,} bytes, and {max_bytes:,} is the maximum.",
            hint="Replace old messages with a summary: compact().",
        )
    return data


def _encode_bytes(value: Any) -> dict[str, str]:
    """Encode bytes in a provider's own block, such as Bedrock's; `read_save` decodes them again."""
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} is not JSON")
    return {BYTES_KEY: base64.b64encode(value).decode()}


def _decode_bytes(data: dict[str, Any]) -> Any:
    """Bytes in the JSON of a save, from base64."""
    return base64.b64decode(data[BYTES_KEY]) if list(data) == [BYTES_KEY] and isinstance(data[BYTES_KEY], str) else data


def write_save(path: str, data: bytes) -> None:
    """Write `data` to a file beside it and rename that: a reader never sees half a save."""
    try:
        write_file(path, data, mode=0o600)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise SessionError(
            f"The session can't be saved to {path!r}: {reason}.", cause="The old file is unchanged."
        ) from None


def read_save(path: str) -> SavedSession:
    """Read the save in a file."""
    try:
        data = json.loads(RealWorld().read_most(path, MAX_SAVE_BYTES), object_hook=_decode_bytes)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise SessionError(f"The save {path!r} can't be read: {reason}.") from None
    except (ValueError, RecursionError) as problem:
        raise SessionError(f"The save {path!r} is not JSON: {problem}.") from None
    return parse_save(data, path)


def is_save(data: object) -> bool:
    """Whether a JSON value is a saved session of any version."""
    return isinstance(data, dict) and "version" in data and ("state" in data or "messages" in data)


def parse_save(data: object, path: str) -> SavedSession:
    """Parse a JSON value as a save. Error messages name `path`."""
    if not isinstance(data, dict) or data.get("version") != VERSION:
        version = data.get("version") if isinstance(data, dict) else type(data).__name__
        raise SessionError(f"The save {path!r} is of version {version!r}; this Overture reads version {VERSION}.")
    try:
        save = convert_data(data, SavedSession)
    except msgspec.ValidationError as problem:
        raise SessionError(explain_error(problem, SavedSession)).within(f"The save {path!r}") from None
    known = {name for layer in save.layers for name in layer.tools}.intersection(save.tool_order)
    # A removed tool keeps its position in `tool_order`, in case it is added again.
    active = [name for layer in save.layers for name, is_active in layer.active.items() if is_active]
    for name in active:
        if name not in known:
            raise SessionError(
                f"The save {path!r}: active names the tool {show_value(name)}, which it does not contain."
            )
    return save
