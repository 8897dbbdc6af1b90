"""JSON that anybody may have written -> values of the kinds that are wanted, and text that any store can keep."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ...text.secrets.find import hide_secrets, move_out_of_secret
from ...text.secrets.shapes import MAX_PRIVATE_KEY_CHARS as LONGEST_SECRET

Data = dict[str, Any]
OPAQUE = ("data", "bytes", "signature", "encrypted_content", "thoughtSignature", "redactedContent", "file_data")
"""Keys whose values no model reads as text: what is long there is told by its digest."""
MAX_WORD_LENGTH = 512
PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
MAX_INTEGER = 2**53
HALF = re.compile("[\ud800-\udfff]")


def a_dict(value: Any) -> Data:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def dicts(value: Any) -> list[Data]:
    """The objects in a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def a_text(value: Any) -> str:
    """A text, or an empty one."""
    return value if isinstance(value, str) else ""


def as_json(value: Any) -> str:
    """A value as JSON in the order of its keys, without pictures and signatures."""
    return json.dumps(without_bytes(value), ensure_ascii=False, separators=(",", ":"))


def without(value: Data, *keys: str) -> Data:
    """An object without these keys."""
    return {key: item for key, item in value.items() if key not in keys}


def without_bytes(value: Any, key: str = "") -> Any:
    """The same, with a digest in the place of what is long and no text."""
    if isinstance(value, Mapping):
        return {name: without_bytes(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [without_bytes(item, key) for item in value]
    if isinstance(value, str) and len(value) > MAX_WORD_LENGTH and (key in OPAQUE or value.startswith("data:")):
        return f"[{len(value)} characters, sha256 {digest(value)}]"
    return value


def unquoted(text: str) -> str:
    """A part of a path without its escapes: `%3A` is `:`."""
    data = PERCENT.sub(lambda found: bytes([int(found[1], 16)]), text.encode("utf-8", "replace"))
    return data.decode("utf-8", "replace")


def digest(text: str) -> str:
    """By which two texts are told apart."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@lru_cache(maxsize=64)
def clean(text: str) -> str:
    """A text without secrets, and without halves of characters, which no store can keep."""
    return hide_secrets(text if text.isascii() else HALF.sub("\ufffd", text))


def beginning(text: str, most: int) -> str:
    """The first characters of a text, so many that no key is cut in two: half of one would not be known for one."""
    return text if len(text) <= most else text[: move_out_of_secret(text[: most + LONGEST_SECRET], most)]


def clean_data(value: Any) -> Any:
    """What a provider counted, with texts that are clean and numbers that every JSON can hold."""
    if isinstance(value, str):
        return clean(beginning(value, MAX_WORD_LENGTH))
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return value if -MAX_INTEGER < value < MAX_INTEGER else None
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_data(item) for key, item in value.items()}
    return [clean_data(item) for item in value] if isinstance(value, list) else None


DECODER = json.JSONDecoder()
BETWEEN = " \t\r\n,[]"


def values_in(text: str) -> Iterator[Any]:
    """The JSON values that follow each other in a text, on lines or in a list that may break off; then what is wrong.

    The last one is a `str` that says where it breaks, if it does.
    """
    at, size = 0, len(text)
    whole = True
    while at < size:
        while at < size and text[at] in (BETWEEN if not whole else BETWEEN[:4]):
            at += 1
        if at == size:
            return
        try:
            value, at = DECODER.raw_decode(text, at)
        except RecursionError:
            yield f"nests deeper than can be read, from character {at} on"
            return
        except ValueError:
            if whole and text[at] == "[":
                whole, at = False, at + 1
                continue
            yield f"is no JSON from character {at} on"
            return
        whole = False
        yield value
