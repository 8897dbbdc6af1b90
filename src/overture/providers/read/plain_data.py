"""Untrusted JSON and objects of any SDK, as plain data with values of the expected types."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ...errors import StateError
from ...model.diagnostic import Diagnostic, warning

P = ParamSpec("P")
T = TypeVar("T")
Data = dict[str, Any]
OPAQUE = ("data", "bytes", "signature", "encrypted_content", "thoughtSignature", "redactedContent", "file_data")
"""Keys whose values no model reads as text: a digest replaces long values."""
MAX_WORD_LENGTH = 512
PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")


def a_dict(value: Any) -> Data:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def dicts(value: Any) -> list[Data]:
    """The objects in a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def a_text(value: Any) -> str:
    """A text, or an empty one."""
    return value if isinstance(value, str) else ""


def encode_canonical_json(value: Any) -> str:
    """A value as JSON in the order of its keys, without pictures and signatures."""
    return json.dumps(shorten_bytes(value), ensure_ascii=False, separators=(",", ":"))


def without(value: Data, *keys: str) -> Data:
    """An object without these keys."""
    return {key: item for key, item in value.items() if key not in keys}


def shorten_bytes(value: Any, key: str = "") -> Any:
    """The same value, with a digest in place of each long value that is no text."""
    if isinstance(value, Mapping):
        return {name: shorten_bytes(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [shorten_bytes(item, key) for item in value]
    if isinstance(value, str) and len(value) > MAX_WORD_LENGTH and (key in OPAQUE or value.startswith("data:")):
        digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"[{len(value)} characters, sha256 {digest}]"
    return value


def unquote(text: str) -> str:
    """A part of a path without its escapes: `%3A` is `:`."""
    data = PERCENT.sub(lambda match: bytes([int(match[1], 16)]), text.encode("utf-8", "replace"))
    return data.decode("utf-8", "replace")


FINAL = ("get_final_message", "get_final_completion", "get_final_response")
"""Methods of a stream that can assemble its final message."""
STEPS = ("__next__", "__anext__", "__aiter__", "__enter__", "__aenter__", *FINAL)
"""Attributes that a stream has and a message lacks."""
MISFITS = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""The errors of a reader on data with values of an unexpected type, or nested too deeply."""


def refuse_misfits(read: Callable[P, T]) -> Callable[P, T]:
    """Make a StateError of every error that a reader raises on an SDK's data."""

    @wraps(read)
    def read_checked(*args: P.args, **named: P.kwargs) -> T:
        try:
            return read(*args, **named)
        except StateError:
            raise
        except MISFITS as problem:
            cause = f"{type(problem).__name__}: {problem}"
            raise StateError(
                f"{show_data(args[0])} can't be read, because a value in it has the wrong type ({cause:.120}).",
                hint="Pass it as the SDK returned it.",
            ) from None

    return read_checked


def to_plain_data(value: Any) -> Any:
    """The same value as dicts, lists, texts and numbers, without keys that were never set."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float | bytes):
        return value
    if isinstance(value, Mapping):
        return {key: to_plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain_data(item) for item in value]
    if isinstance(value, type):
        return value
    if hasattr(value, "model_dump"):
        # OpenAI and Anthropic name some fields as Python can't; Google would write camelCase.
        named = hasattr(value, "to_dict")
        return value.model_dump(mode="json", by_alias=named, exclude_unset=True, warnings=False)
    attributes = getattr(value, "__dict__", None)
    return (
        {key: to_plain_data(item) for key, item in attributes.items() if not key.startswith("_")}
        if attributes
        else value
    )


def drop_nulls(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data without keys whose value is null, which SDKs write and APIs refuse."""
    return {key: value for key, value in data.items() if value is not None}


def first_value(data: Any, *names: str) -> Any:
    """The value under the first of these keys that has one."""
    if isinstance(data, Mapping):
        return next((data[name] for name in names if data.get(name) is not None), None)
    return None


def require_finished(value: Any, what: str, instead: str) -> dict[str, Any]:
    """The data of a complete object; else an error that describes what was passed."""
    problem = _describe_unfinished(value)
    if problem is None:
        data = _parse_json(value) if isinstance(value, str | bytes) else _convert_if_shallow(value)
        if isinstance(data, dict):
            return data
        problem = f"is {show_data(value)}"
    raise StateError(f"{what} {problem}.", hint=instead)


def _describe_unfinished(value: Any) -> str | None:
    """The description of a value that is no complete object; None if it may be one."""
    if isinstance(value, BaseException):
        return f"is an error, {type(value).__name__}: {str(value)!r:.80}; it contains no model output"
    if hasattr(value, "__await__"):
        return f"is a coroutine, {show_data(value)}: await it first"
    if hasattr(value, "status_code") and hasattr(value, "headers"):
        hint = "call its `.parse()`" if hasattr(value, "parse") else "pass its JSON"
        return f"is an HTTP response of status {value.status_code}: {hint}"
    if not isinstance(value, Mapping) and any(hasattr(value, name) for name in STEPS):
        hint = next((f", here `.{name}()`" for name in FINAL if hasattr(value, name)), "")
        return f"is a stream, {show_data(value)}: read all of it, and pass the final message{hint}"
    return None


def _parse_json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _convert_if_shallow(value: Any) -> Any:
    """An object as plain data; None if it is nested too deeply."""
    try:
        return to_plain_data(value)
    except RecursionError:
        return None


def show_data(value: object) -> str:
    """A value as an error shows it: short, in one line, without a memory address."""
    if value is None or isinstance(value, str | bytes | int | float | list | tuple | dict):
        try:
            return f"{value!r:.60}"
        except (RecursionError, ValueError):  # nested too deeply, or a number of too many digits
            return f"a {type(value).__name__} that is too large to show"
    return f"of type {type(value).__name__}"


def require_list(value: Any, what: str) -> list[Any]:
    """A list of items; None is an empty list, and a single item an error."""
    if value is None:
        return []
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping) or hasattr(value, "model_dump"):
        raise StateError(f"{what} is {show_data(value)}.", hint="Pass a list, [] for none.")
    return list(value)


READ_WHOLE_STREAM = "Read the whole stream, and pass the final message."


def require_object(value: Any, where: str) -> Data:
    """An object that the form of a response requires."""
    if not isinstance(value, Mapping):
        raise StateError(f"The response's {where} is {value!r:.60}, not an object.", hint="Pass what the SDK returned.")
    return dict(value)


def require_first(rows: Any, key: str, provider: str, why: str = "") -> tuple[Data, tuple[Diagnostic, ...]]:
    """The first of several replies, and a note if there are more."""
    if not isinstance(rows, list) or not rows:
        raise StateError(f"The response has no {key}, so no reply.{why} Nothing was added.")
    several = f"a response of {provider} has {len(rows)} {key}: the first is used, the others are dropped"
    notes = (warning("several-replies", several),) if len(rows) > 1 else ()
    return drop_nulls(require_object(rows[0], f"{key}[0]")), notes
