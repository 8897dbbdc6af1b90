"""Texts, JSON and times that any store can keep: without secrets or halves of characters, in numbers that fit."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from ...providers.parsed_call import MAX_COUNT
from ...providers.read.plain_data import MAX_WORD_LENGTH, a_text
from ...text.lazy_pattern import compile_on_use
from ...text.normalize import replace_surrogates
from ...text.secrets.find_and_hide import hide_secrets, move_out_of_secret
from ...text.secrets.shapes import MAX_PRIVATE_KEY_CHARS


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

    If the text is damaged, the last value is a `str` that describes where.
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


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEVER = EPOCH.isoformat(timespec="milliseconds")
"""The time of a call without a time: the same at each import."""
STEPS = (1e17, 1e9), (1e14, 1e6), (1e11, 1e3)
"""Numbers that are larger count nanoseconds, microseconds, milliseconds."""
FRACTION = compile_on_use(r"(\.\d{6})\d+")


def parse_log_time(value: Any) -> datetime | None:
    """The time that a log means; without a zone, that of Greenwich. None where it is no time."""
    number = _parse_number(value)
    try:
        if number is not None:
            return EPOCH + timedelta(seconds=number / next((per for least, per in STEPS if number > least), 1.0))
        at = datetime.fromisoformat(FRACTION.sub(r"\1", a_text(value).strip()))
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _parse_number(value: Any) -> float | None:
    if isinstance(value, str) and len(value) < 30 and re.fullmatch(r"\d+(?:\.\d+)?", value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number > 0 else None


def format_iso(value: Any) -> str:
    """The time as calls write it; empty where it is none."""
    at = parse_log_time(value)
    return at.isoformat(timespec="milliseconds") if at and 1970 <= at.year < 9000 else ""


def measure_ms(start: Any, end: Any) -> float | None:
    """Milliseconds from one time to another."""
    begun, over = parse_log_time(start), parse_log_time(end)
    if begun is None or over is None or over < begun:
        return None
    return round((over - begun).total_seconds() * 1000, 3)
