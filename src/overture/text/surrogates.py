"""Halves of surrogate pairs: neither UTF-8 nor JSON can carry them. Bytes that are no UTF-8 are kept as such halves."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct


def find_surrogate(text: str) -> int | None:
    """The first character that UTF-8 can't carry."""
    try:
        if not text.isascii():  # which is known without looking
            text.encode()
    except UnicodeEncodeError as problem:
        return problem.start
    return None


def replace_surrogates(text: str) -> str:
    """The same with `�` for each half; two halves that belong together become their character."""
    return text if find_surrogate(text) is None else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class SurrogatePlace(Struct, frozen=True):
    """Where in a JSON value half a pair is."""

    path: str
    """As `messages[0].text`; of a key, the path of its object."""
    text: str
    at: int
    """Which character of the text it is."""
    is_key: bool = False

    @property
    def code(self) -> str:
        """`D83D`."""
        return f"{ord(self.text[self.at]):04X}"


def find_surrogates(value: Any) -> Iterator[SurrogatePlace]:
    """Those of a JSON value, in their order; it may be nested as deep as its reader allows, so without recursion."""
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        path, each = pending.pop()
        if isinstance(each, str):
            if (at := find_surrogate(each)) is not None:
                yield SurrogatePlace(path, each, at)
        elif isinstance(each, Mapping):
            keys = ((key, find_surrogate(key)) for key in each if isinstance(key, str))
            yield from (SurrogatePlace(path, key, at, True) for key, at in keys if at is not None)
            pending += reversed([(f"{path}.{key}".lstrip("."), item) for key, item in each.items()])
        elif isinstance(each, list | tuple):
            pending += reversed([(f"{path}[{index}]", item) for index, item in enumerate(each)])


def decode_body(body: bytes) -> str:
    """Bytes as a text from which they can be had again, whatever they are."""
    return body.decode("utf-8", "surrogateescape")


def restore_bytes(text: str) -> bytes:
    """The bytes again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # somebody else's export may hold other halves of characters
        return text.encode("utf-8", "surrogatepass")
