from datetime import UTC, datetime, timedelta, timezone

import pytest

from overture.sections.clock import find_zone, format_to_second, to_local_time

MORNING = datetime(2026, 3, 7, 14, 55, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hour", "shown"),
    [(0, "12:00:00 AM"), (1, "01:00:00 AM"), (11, "11:00:00 AM"), (12, "12:00:00 PM"), (13, "01:00:00 PM")],
)
def test_hours_are_those_of_a_clock_face(hour: int, shown: str) -> None:
    """Midnight and noon are twelve, and every hour has two digits."""
    assert f" at {shown} UTC" in format_to_second(datetime(2026, 1, 1, hour, tzinfo=UTC))


@pytest.mark.parametrize(
    ("offset", "shown"),
    [
        (timedelta(hours=-6), "UTC-06:00"),
        (timedelta(hours=5, minutes=45), "UTC+05:45"),
        (timedelta(hours=-3, minutes=-30), "UTC-03:30"),
    ],
)
def test_without_a_zone_the_offset_is_shown(offset: timedelta, shown: str) -> None:
    """A time without a zone's letters shows its offset."""
    assert format_to_second(MORNING.astimezone(timezone(offset))).endswith(shown)


@pytest.mark.parametrize(
    "name",
    ["", "Nowhere", "America", "../UTC", "/etc/localtime", "UTC\n", "leapseconds", "__init__.py", "A" * 9999, "a/b/c"],
)
def test_a_name_that_is_no_zone_is_none(name: str) -> None:
    """A bad name of a zone is no error, and never reads anything but zone data."""
    assert find_zone(name) is None
    assert to_local_time(MORNING, name) == MORNING


@pytest.mark.parametrize("name", ["UTC", "Etc/GMT+6", "America/Argentina/Ushuaia", "America/Port-au-Prince"])
def test_every_kind_of_zone_name_is_found(name: str) -> None:
    """Names with digits, signs and three levels are zones."""
    assert find_zone(name) is not None
