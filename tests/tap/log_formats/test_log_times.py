"""Times as logs write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.tap.log_formats.log_entries import format_iso, measure_ms, parse_log_time


@pytest.mark.parametrize(
    "given_time",
    [
        1794793271.5,
        1794793271500,
        1794793271500000,
        "1794793271500000000",
        "2026-11-16T01:41:11.5Z",
        "2026-11-16T01:41:11.500000123+00:00",
        "2026-11-16T03:41:11.500+02:00",
        "2026-11-16 01:41:11.500",
    ],
)
def test_a_time_is_the_same_however_it_is_written(given_time: object) -> None:
    """Seconds to nanoseconds, ISO with and without a zone."""
    assert format_iso(given_time) == "2026-11-16T01:41:11.500+00:00"


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.none()))
def test_what_is_no_time_is_none(value: object) -> None:
    """Nothing raises, and what is empty is no time."""
    assert parse_log_time(value) is not None or format_iso(value) == ""
    assert measure_ms(value, value) in (None, 0.0)


def test_an_end_before_the_beginning_is_no_span() -> None:
    """Clocks may be set back."""
    assert measure_ms(1794793272, 1794793271) is None
    assert measure_ms(1794793271, 1794793272.25) == 1250.0
