"""All nouns are frozen msgspec structs; a value that does not fit one is explained in one line."""

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from ..errors import StateError, UnknownName, find_similar, show_value
from ..text.normalize import find_surrogates, replace_surrogates


class Frozen(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Data that never changes after it is made. Unknown keys are refused; defaults are not written out."""


def note(text: str) -> Meta:
    """The meaning of a field, for the JSON Schema and the reference pages."""
    return Meta(description=text)


def encode_json(value: Any) -> bytes:
    """A value as JSON for reports: bytes of a file's name that are not UTF-8 become U+FFFD."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        import json

        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return replace_surrogates(text).encode()


def as_json(value: Struct) -> dict[str, Any]:
    """A struct as JSON has it: dicts, lists, texts, numbers, and nothing else."""
    try:
        data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    except UnicodeEncodeError:
        raise StateError(
            "It contains half of a surrogate pair, which JSON can't represent.", hint="Fix it at its source."
        ) from None
    except (ValueError, RecursionError) as problem:
        raise StateError(
            f"It contains values that JSON can't represent: {problem}.", hint="Fix it at its source."
        ) from None
    return data


def is_given_whole(value: Struct) -> bool:
    """Whether a struct is always set as a whole: it has a required field."""
    return any(field.required for field in msgspec.structs.fields(value))


def overlay_value(base: Any, value: Any) -> Any:
    """A value on top of another: of two structs, the fields that are set, recursively."""
    if not isinstance(base, Struct) or type(base) is not type(value) or is_given_whole(value):
        return value
    plain = type(value)()
    set_parts = {
        name: part for name in value.__struct_fields__ if (part := getattr(value, name)) != getattr(plain, name)
    }
    parts = {name: overlay_value(getattr(base, name), part) for name, part in set_parts.items()}
    return msgspec.structs.replace(base, **parts)


T = TypeVar("T")


def convert_data(data: Any, kind: type[T]) -> T:
    """`data` as that kind, or msgspec's error. It fails on half a surrogate pair where no text belongs."""
    try:
        return msgspec.convert(data, kind)
    except UnicodeEncodeError:
        path = next((surrogate.path for surrogate in find_surrogates(data)), "")
        at = f"${path}" if path.startswith("[") or not path else f"$.{path}"
        raise msgspec.ValidationError(f"half of a surrogate pair outside a string - at `{at}`") from None
    except RecursionError:
        raise msgspec.ValidationError("it is nested too deeply") from None


def split_error(problem: Exception) -> tuple[str, str]:
    """msgspec's words, and the path of the value; the words may quote a user's, which may look like a path."""
    parts = re.fullmatch(r"(.*?)(?: - at `\$\.?([^`]*)`)?", str(problem), re.DOTALL)
    return (parts[1], parts[2] or "") if parts else (str(problem), "")


def explain_error(problem: Exception, root: Any, data: Any = None, at: str = "") -> str:
    """msgspec's words -> `tools[2].name: expected text, got a whole number (5)`; `data` is what was converted.

    `root` is its type: a struct, or a type that contains structs or literals.
    `at` is the path of the data in something larger.
    """
    text, path = split_error(problem)
    where = f"{at}.{path}: " if at and path else f"{at or path}: " if at or path else ""
    if "key` in `" in str(problem):
        return f"{f'{at}: ' if at else ''}keys must be strings."
    if match := re.fullmatch(r"Object contains unknown field `(.*)`", text, re.DOTALL):
        known = (_find_struct(_find_hint(path, root)) or root).__struct_encode_fields__
        what, tip = f"{where}unknown key {match[1]!r}", find_similar(match[1], known)
        similar = f" Did you mean {tip!r}?" if tip else ""
        return UnknownName.of(f"{what}.{similar} Known: {', '.join(known)}.", what, "key", known, tip)
    if match := re.fullmatch(r"Object missing required field `(.*)`", text):
        return f"{where}the key {match[1]!r} is missing; it is required here."
    if match := re.fullmatch(r"Expected `(.*)`, got `(.*)`", text):
        return (
            f"{where}expected {_format_kinds(match[1])}, got {_format_kinds(match[2])}{_format_value_at(path, data)}."
        )
    if match := re.fullmatch(r"Expected `(.*)` (of length )?>= (\d+)(?:\.0)?", text):
        least = "must not be empty" if match[2] else f"must be at least {match[3]}"
        return f"{where}it {least}{_format_value_at(path, data)}."
    if match := re.fullmatch(r"Expected `.*` > (\d+)(?:\.0)?", text):
        return f"{where}it must be greater than {match[1]}{_format_value_at(path, data)}."
    if text.endswith("matching regex '\\\\S'"):
        return f"{where}it must not be blank."
    if match := re.fullmatch(r"Invalid enum value '?(.*?)'?", text, re.DOTALL):
        known = tuple(str(value) for value in _list_literals(_find_hint(path, root)))
        what = f"{where}{show_value(match[1])} is not one of {', '.join(known)}"
        tip = find_similar(match[1], known)
        similar = f" Did you mean {tip!r}?" if tip else ""
        return UnknownName.of(f"{what}.{similar}", what, "value", (), tip)
    if "timezone component" in text:
        return f"{where}a time needs its offset, e.g. 2026-03-07T08:55:05-06:00{_format_value_at(path, data)}."
    if "RFC3339 encoded date" in text and "datetime" not in text:
        return f"{where}not an ISO 8601 date, e.g. 2026-03-07{_format_value_at(path, data)}."
    if "RFC3339" in text:
        return f"{where}not an ISO 8601 time, e.g. 2026-03-07T08:55:05-06:00{_format_value_at(path, data)}."
    return f"{where}{text.rstrip('.')}."


def _format_value_at(path: str, data: Any) -> str:
    """` (5)`: the value at `path`, if it is known and short."""
    for step in re.findall(r"[^.\[\]]+", path):
        if isinstance(data, Mapping) and step in data:
            data = data[step]
        elif isinstance(data, list | tuple) and step.isdecimal() and int(step) < len(data):
            data = data[int(step)]
        else:
            return ""
    return f" ({show_value(data)})" if path and isinstance(data, str | int | float | bool) else ""


KIND_NAMES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "datetime": "an ISO 8601 time",
    "date": "a date (2026-03-07)",
}


def _format_kinds(names: str) -> str:
    return " or ".join(KIND_NAMES.get(name.strip(), name.strip()) for name in names.split("|"))


def _find_hint(path: str, root: Any) -> Any:
    """The annotation of the field that `path` leads to, e.g. `tools[2]` -> that of `State.tools`."""
    hint: Any = root
    for name in re.findall(r"[A-Za-z_]\w*", path):
        hint = get_type_hints(_find_struct(hint) or root, include_extras=True).get(name, hint)
    return hint


def _list_literals(hint: Any) -> list[Any]:
    """The values that a Literal of a struct's field allows."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [value for arg in get_args(hint) for value in _list_literals(arg)]


def _find_struct(hint: Any) -> type[Struct] | None:
    """The struct that an annotation of a field names."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        return hint
    return next((found for arg in get_args(hint) if (found := _find_struct(arg))), None)
