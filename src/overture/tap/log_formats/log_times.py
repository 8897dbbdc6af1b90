"""The times of logs, however they write them."""

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from ...providers.read.plain_data import a_text

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEVER = EPOCH.isoformat(timespec="milliseconds")
"""The time of a call without a time: the same at each import."""
STEPS = (1e17, 1e9), (1e14, 1e6), (1e11, 1e3)
"""Numbers that are larger count nanoseconds, microseconds, milliseconds."""
FRACTION = re.compile(r"(\.\d{6})\d+")


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
    """A time that a log writes as a number, in seconds or less."""
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
