"""The time in words, the same on every machine: no locale, and zones from the tzdata package alone."""

import pkgutil
import re
from datetime import datetime
from functools import lru_cache
from io import BytesIO
from zoneinfo import ZoneInfo

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@lru_cache(maxsize=128)
def zone(name: str) -> ZoneInfo | None:
    """The IANA zone of that name, or None."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*", name):
        return None
    folder, _, leaf = name.rpartition("/")
    package = ".".join(["tzdata.zoneinfo", *folder.split("/")]) if folder else "tzdata.zoneinfo"
    try:
        data = pkgutil.get_data(package, leaf)
        return ZoneInfo.from_file(BytesIO(data), key=name) if data else None
    except (ImportError, OSError, ValueError):
        return None


def local(now: datetime, timezone: str | None) -> datetime:
    """`now` in that zone; with its own offset where the zone is not given or not known."""
    found = zone(timezone) if timezone else None
    return now.astimezone(found) if found else now


def day(now: datetime) -> str:
    """`Saturday, March 7, 2026`."""
    return f"{DAYS[now.weekday()]}, {MONTHS[now.month - 1]} {now.day}, {now.year}"


def zone_name(now: datetime) -> str:
    """`CST`, or the offset where the zone has no letters: `UTC-06:00`."""
    name = now.tzname() or ""
    if name and name[0] not in "+-":
        return name
    offset = now.strftime("%z")
    return f"UTC{offset[:3]}:{offset[3:5]}"


def to_the_second(now: datetime) -> str:
    """`Saturday, March 7, 2026 at 08:55:05 AM CST`."""
    half = "AM" if now.hour < 12 else "PM"
    hour = now.hour % 12 or 12
    return f"{day(now)} at {hour:02}:{now.minute:02}:{now.second:02} {half} {zone_name(now)}"
