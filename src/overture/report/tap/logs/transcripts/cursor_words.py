"""What Cursor writes around a user's words: when they were said, and where they begin and end."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from ...read_call.wire.plain_values import a_text, dicts
from ..times import iso

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
SAID_AT = re.compile(r"<timestamp>([^<]{1,80})</timestamp>")
IN_WORDS = re.compile(
    r"(?:[A-Za-z]+,\s*)?([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4}),? (\d{1,2}):(\d\d)\s*([AP]M)"
    r"(?:\s*\(UTC(?:([+-])(\d{1,2})(?::(\d\d))?)?\))?"
)
"""Friday, Sep 18, 2026, 9:02 PM (UTC-7)"""
QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
CUT_OUT = "[REDACTED]"
"""What stands in a transcript where the model thought."""


def text_of(content: Any) -> str:
    """The text of a content: it is one, or its parts of that type."""
    parts = [a_text(part.get("text")) for part in dicts(content) if part.get("type") == "text"]
    return content if isinstance(content, str) else "\n".join(parts)


def said_at(text: str) -> str:
    """When a user said something, as calls write times; empty where the text does not tell."""
    found = SAID_AT.search(text)
    if found is None:
        return ""
    words = IN_WORDS.search(found[1])
    if words is None:
        return iso(found[1])
    month, day, year, hour, minute, half, sign, hours, minutes = words.groups()
    if month.lower() not in MONTHS:
        return ""
    zone = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
    hour = int(hour) % 12 + (12 if half == "PM" else 0)
    try:
        at = datetime(int(year), MONTHS.index(month.lower()) + 1, int(day), hour, int(minute), tzinfo=timezone(zone))
        return at.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        return ""


def query_of(content: Any) -> str:
    """What the user asked, without what Cursor writes around it."""
    text = text_of(content)
    found = QUERY.search(text)
    return (found[1] if found else SAID_AT.sub("", text)).strip()


def answer_of(content: Any) -> tuple[str, tuple[str, ...]]:
    """By what an answer is known again: its words, and the tools that it calls; in either of Cursor's two forms."""
    names = (a_text(part.get("name")) or a_text(part.get("toolName")) for part in dicts(content))
    return text_of(content).replace(CUT_OUT, "").strip(), tuple(name for name in names if name)
