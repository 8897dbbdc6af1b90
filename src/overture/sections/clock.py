"""The time in words, the same on every machine: no locale, and zones from the tzdata package alone."""

import re
from datetime import datetime
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from ..model.diagnostic import Diagnostic, warning

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
NO_CLOCK = Diagnostic(
    "warning",
    "clock-missing",
    "the state has no `now`, so the prompt does not tell the time: set it, e.g. 2026-03-07T08:55:05-06:00",
    field="now",
)
"""The diagnostic of every section that needs the time."""
MAX_ZONE_CHARS = 64
"""A zone's name has at most this many characters; known names have less than half."""


@lru_cache(maxsize=128)
def find_zone(name: str) -> "ZoneInfo | None":
    """The IANA zone of that name, or None."""
    if len(name) > MAX_ZONE_CHARS or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*", name):
        return None
    folder, _, leaf = name.rpartition("/")
    package = ".".join(["tzdata.zoneinfo", *folder.split("/")]) if folder else "tzdata.zoneinfo"
    from pkgutil import get_data
    from zoneinfo import ZoneInfo

    try:
        data = get_data(package, leaf)
        return ZoneInfo.from_file(BytesIO(data), key=name) if data else None
    except (ImportError, OSError, ValueError):
        return None


def to_local_time(now: datetime, timezone: str | None) -> datetime:
    """`now` in that zone; with its own offset if there is no such zone."""
    zone = find_zone(timezone) if timezone else None
    try:
        return now.astimezone(zone) if zone else now
    except OverflowError:  # the first or last day of the calendar
        return now


def report_unknown_zone(timezone: str | None) -> tuple[Diagnostic, ...]:
    """A diagnostic for an unknown zone; empty if the zone is known."""
    if not timezone or find_zone(timezone):
        return ()
    wrong = f"runtime.timezone {timezone!r:.80} is not an IANA zone; the offset of the time is shown instead"
    return (warning("timezone-unknown", wrong),)


def format_day(now: datetime) -> str:
    """`Saturday, March 7, 2026`."""
    return f"{DAYS[now.weekday()]}, {MONTHS[now.month - 1]} {now.day}, {now.year}"


def format_zone(now: datetime) -> str:
    """`CST`, or the offset if the zone has no letters: `UTC-06:00`."""
    name = now.tzname() or ""
    if name and name[0] not in "+-":
        return name
    return format_offset(now)


def format_offset(now: datetime) -> str:
    """`UTC-06:00`, or `UTC` itself."""
    if not now.utcoffset():
        return "UTC"
    digits = now.strftime("%z")
    return f"UTC{digits[:3]}:{digits[3:5]}"


def format_to_second(now: datetime) -> str:
    """`Saturday, March 7, 2026 at 08:55:05 AM CST`."""
    half = "AM" if now.hour < 12 else "PM"
    time = f"{now.hour % 12 or 12:02}:{now.minute:02}:{now.second:02}"
    return f"{format_day(now)} at {time} {half} {format_zone(now)}"


def format_to_minute(now: datetime, timezone: str | None) -> str:
    """`Saturday, March 7, 2026 at 8:55 AM (America/Chicago)`, in that zone; without one, `(UTC-06:00)`."""
    here = to_local_time(now, timezone)
    zone = find_zone(timezone) if timezone else None
    name = timezone if zone and here.tzinfo is zone else format_offset(here)
    half = "AM" if here.hour < 12 else "PM"
    return f"{format_day(here)} at {here.hour % 12 or 12}:{here.minute:02} {half} ({name})"
