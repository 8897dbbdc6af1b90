"""mitmproxy's dump of flows: values with their length before them and their type behind them, one after the other."""

from typing import Any

DEEPEST = 60
KINDS = b",;#^!~}]"


def parse(data: bytes) -> Any:
    """The value of a whole tnetstring; ValueError where it is none."""
    value, rest = _pop(memoryview(data), 0)
    if rest:
        raise ValueError("something stands behind its end")
    return value


def _pop(data: memoryview, depth: int) -> tuple[Any, memoryview]:
    head = bytes(data[:13])
    digits, colon, _ = head.partition(b":")
    if not colon or not digits.isdigit() or depth > DEEPEST:
        raise ValueError("it has no length" if depth <= DEEPEST else "it nests too deep")
    start = len(digits) + 1
    end = start + int(digits)
    if end >= len(data):
        raise ValueError("it breaks off")
    return _value(data[end], data[start:end], depth), data[end + 1 :]


def _value(kind: int, data: memoryview, depth: int) -> Any:
    if kind == ord(","):
        return bytes(data)
    if kind == ord("]"):
        return _items(data, depth)
    if kind == ord("}"):
        items = _items(data, depth)
        return {_text(key): value for key, value in zip(items[::2], items[1::2], strict=False)}
    text = bytes(data).decode("utf-8", "replace")
    if kind == ord("#"):
        return int(text)
    if kind == ord("^"):
        return float(text)
    if kind == ord("!"):
        return text == "true"
    if kind == ord(";"):
        return text
    if kind == ord("~"):
        return None
    raise ValueError(f"it has the unknown type {chr(kind)!r}")


def _items(data: memoryview, depth: int) -> list[Any]:
    found = []
    while data:
        value, data = _pop(data, depth + 1)
        found.append(value)
    return found


def _text(key: Any) -> str:
    return key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)
