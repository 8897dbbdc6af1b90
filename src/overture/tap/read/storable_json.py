"""Text and JSON that any store can keep: without secrets, without halves of characters, with numbers that fit."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ...providers.call_content import MAX_COUNT
from ...providers.read.plain_data import MAX_WORD_LENGTH
from ...text.secrets.find import hide_secrets, move_out_of_secret
from ...text.secrets.shapes import MAX_PRIVATE_KEY_CHARS
from ...text.surrogates import replace_surrogates


@lru_cache(maxsize=64)
def clean(text: str) -> str:
    """A text without secrets, and without halves of characters, which no store can keep."""
    return hide_secrets(replace_surrogates(text))


def clean_same(text: str) -> str:
    """The text without secrets; the very same where there is none in it."""
    found = clean(text)
    return text if found == text else found


def truncate_text(text: str, limit: int) -> str:
    """The first characters of a text, so many that no key is cut in two: half of one would not be known for one."""
    return text if len(text) <= limit else text[: move_out_of_secret(text[: limit + MAX_PRIVATE_KEY_CHARS], limit)]


def clean_data(value: Any) -> Any:
    """What a provider counted, with texts that are clean and numbers that every JSON can hold."""
    if isinstance(value, str):
        return clean(truncate_text(value, MAX_WORD_LENGTH))
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return value if -MAX_COUNT < value < MAX_COUNT else None
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_data(item) for key, item in value.items()}
    return [clean_data(item) for item in value] if isinstance(value, list) else None


DECODER = json.JSONDecoder()
SEPARATORS = " \t\r\n,[]"


def decode_values(text: str) -> Iterator[Any]:
    """The JSON values that follow each other in a text, on lines or in a list that may break off; then what is wrong.

    The last one is a `str` that says where it breaks, if it does.
    """
    at, size = 0, len(text)
    at_top = True
    while at < size:
        while at < size and text[at] in (SEPARATORS if not at_top else SEPARATORS[:4]):
            at += 1
        if at == size:
            return
        try:
            value, at = DECODER.raw_decode(text, at)
        except RecursionError:
            yield f"is nested too deeply, from character {at} on"
            return
        except ValueError:
            if at_top and text[at] == "[":
                at_top, at = False, at + 1
                continue
            yield f"is not JSON from character {at} on"
            return
        at_top = False
        yield value
