"""Somebody who waits sees how much is done, how fast, and how long it still takes."""

import sys

import pytest

from overture.terminal import progress_line
from overture.terminal.job_options_and_rate import Rate, format_time


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> progress_line.ProgressLine:
    """The line that a terminal would show."""
    line = progress_line.ProgressLine()
    monkeypatch.setattr(progress_line, "_current", [line])
    return line


def test_progress_has_rate_and_time_left(line: progress_line.ProgressLine) -> None:
    """By the total, or by how much of the input is read; the line has room for it."""
    rate = Rate("row", 4_000)
    rate.began -= 10
    rate.add(1_000)
    assert line.words == "1,000 of 4,000 rows · 100/s · 30.0 s left"
    rate = Rate("row")
    rate.began -= 100
    rate.add(1_000_000, 0.001)
    assert line.words == "1,000,000 rows · 10,000/s · 1 day, 3:45:00 left"
    assert len(line.words) < progress_line.MAX_LINE_CHARS - 8
    rate.add(0)
    assert line.words == "1,000,000 rows · 10,000/s"


def test_the_last_line_says_what_was_done(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal, with time and rate; down a pipe, the output says what there is."""
    rate = Rate("row")
    rate.began -= 20
    rate.add(500)
    rate.report()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    rate.report()
    assert capsys.readouterr().err == "processed 500 rows in 20.0 s (25/s)\n"


def test_times() -> None:
    """Short ones in seconds, long ones as a clock shows them."""
    assert [format_time(each) for each in (0.04, 59.9, 61, 3_700)] == ["0.0 s", "59.9 s", "0:01:01", "1:01:40"]
