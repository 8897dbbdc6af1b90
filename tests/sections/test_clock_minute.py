"""The time in words."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from overture.sections.clock import format_to_minute, report_unknown_zone, to_local_time

CHICAGO = timezone(timedelta(hours=-6))


@pytest.mark.parametrize(
    ("now", "zone", "said"),
    [
        (datetime(2026, 3, 7, 14, 55, 5, tzinfo=UTC), "America/Chicago", "March 7, 2026 at 8:55 AM (America/Chicago)"),
        (datetime(2026, 3, 7, 8, 55, 5, tzinfo=CHICAGO), None, "March 7, 2026 at 8:55 AM (UTC-06:00)"),
        (datetime(2026, 3, 7, 0, 5, tzinfo=CHICAGO), "Nowhere/Land", "March 7, 2026 at 12:05 AM (UTC-06:00)"),
        (datetime(2026, 3, 7, 12, 0, tzinfo=UTC), None, "March 7, 2026 at 12:00 PM (UTC)"),
        (datetime(2026, 3, 7, 23, 59, tzinfo=timezone(timedelta(0), "GMT")), None, "at 11:59 PM (UTC)"),
        (datetime(2026, 3, 7, 8, 55, tzinfo=timezone(timedelta(hours=-6), "CST")), None, "8:55 AM (UTC-06:00)"),
    ],
)
def test_to_the_minute(now: datetime, zone: str | None, said: str) -> None:
    """The zone's IANA name stands in parentheses; without one, the offset, whatever the machine calls it."""
    assert format_to_minute(now, zone).endswith(said)


@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_first_and_the_last_day_have_a_time_too(now: datetime) -> None:
    """A time that a zone would move out of the calendar keeps its own offset."""
    shown = [format_to_minute(now, "Asia/Tokyo"), format_to_minute(now, "America/Chicago")]
    assert sum(text.endswith("(UTC)") for text in shown) == 1
    assert now in (to_local_time(now, "Asia/Tokyo"), to_local_time(now, "America/Chicago"))


@pytest.mark.parametrize(("zone", "count"), [(None, 0), ("", 0), ("Europe/Paris", 0), ("Europe/Pari", 1)])
def test_only_an_unknown_zone_is_reported(zone: str | None, count: int) -> None:
    """No zone is fine; one that tzdata does not have is a warning."""
    assert [note.code for note in report_unknown_zone(zone)] == ["timezone-unknown"] * count
