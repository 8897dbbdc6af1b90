"""What Cursor's program for the terminal keeps beside a transcript: its messages, each a blob that a root names."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...read_call.wire.plain_values import Data, a_dict, a_text
from ..found import Beside

DIGEST = 32
"""Bytes of the name of a blob."""
MESSAGES = 1
"""The number of the root's field that names the messages, in order."""
VARINT, EIGHT, COUNTED, FOUR = 0, 1, 2, 5


def told_by_store(rows: Mapping[str, Any], blobs: Mapping[str, bytes]) -> Beside:
    """The model and the messages; a message that is named and can't be read is counted."""
    meta = _meta(rows)
    names = named_blobs(blobs.get(a_text(meta.get("latestRootBlobId")), b""))
    read = [_message(blobs.get(name, b"")) for name in names]
    return Beside(
        model=a_text(meta.get("lastUsedModel")),
        messages=tuple(message for message in read if message),
        absent=sum(not message for message in read),
    )


def told_by_editor(value: Any) -> Beside:
    """The model of a conversation in the editor."""
    config = a_dict(_json(value).get("modelConfig"))
    chosen = config.get("selectedModels")
    first = a_dict(chosen[0]) if isinstance(chosen, list) and chosen else {}
    return Beside(model=a_text(config.get("modelName")) or a_text(first.get("modelId")))


def _meta(rows: Mapping[str, Any]) -> Data:
    """What the store says of itself: one row of JSON, written as hexadecimal digits."""
    for value in rows.values():
        text = a_text(value)
        try:
            found = _json(bytes.fromhex(text)) or _json(text)
        except ValueError:
            found = _json(text)
        if "latestRootBlobId" in found or "lastUsedModel" in found:
            return found
    return {}


def _message(blob: bytes) -> Data:
    found = _json(blob)
    return found if isinstance(found.get("role"), str) and "content" in found else {}


def _json(value: Any) -> Data:
    try:
        return a_dict(json.loads(value)) if isinstance(value, str | bytes) else {}
    except (ValueError, RecursionError):
        return {}


def named_blobs(root: bytes) -> tuple[str, ...]:
    """The names of the messages in a root, which is a protobuf message; none where it is no such message."""
    try:
        fields = list(_fields(root))
    except (ValueError, IndexError):
        return ()
    return tuple(value.hex() for number, value in fields if number == MESSAGES and len(value) == DIGEST)


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields that hold bytes, with their numbers."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            _, at = _varint(data, at)
        elif kind == COUNTED:
            size, at = _varint(data, at)
            if at + size > len(data):
                raise ValueError("it breaks off")
            yield number, data[at : at + size]
            at += size
        elif kind in (EIGHT, FOUR):
            at += 8 if kind == EIGHT else 4
        else:
            raise ValueError("it is no message")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(10):
        byte = data[at + step]
        value |= (byte & 127) << (7 * step)
        if byte < 128:
            return value, at + step + 1
    raise ValueError("a number does not end")
