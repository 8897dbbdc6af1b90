"""What calls and runs are looked up by, in a form that both databases can hold and compare."""

import re
from datetime import UTC, datetime

ODD = re.compile("[\\\\\x00\ud800-\udfff]")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def column(text: str) -> str:
    r"""A text without NUL and halves of characters, of which PostgreSQL holds neither; no two texts become the same."""
    return ODD.sub(lambda m: "\\\\" if m[0] == "\\" else f"\\u{ord(m[0]):04x}", text)


def microseconds(at: datetime) -> int:
    """Since 1970. What names no zone is in that of the machine."""
    passed = at.astimezone(UTC) - EPOCH
    return (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds


def moment(at: str) -> int:
    """An ISO time in microseconds; of what is none, such as a log may hold, now: it was seen now."""
    try:
        return microseconds(datetime.fromisoformat(at))
    except (ValueError, OverflowError):
        return microseconds(datetime.now(UTC))
