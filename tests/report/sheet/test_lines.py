"""Turns as lines of JSON: what is read is what was written, and nothing that is read can do harm."""

from hypothesis import given, settings
from hypothesis import strategies as st

from overture import Session
from overture.known_models.model_table import packaged_table
from overture.report.sheet.compare_sheets import ChangedBlock, TurnRow
from overture.report.sheet.published_lines import (
    VERSION,
    LineReader,
    PublishedHeader,
    ShownTurn,
    write_end,
    write_header,
    write_turn,
)
from overture.report.sheet.sheet import SheetDetails, SheetPlace, SheetWithTools
from overture.session.turn_and_context import Turn
from overture.testing import FakeWorld
from overture.web.page.draw_sheet import draw_sheet
from tests.contract.effort import examples

WHO = PublishedHeader(VERSION, "abc", 42, "2026-03-14T09:15:00+00:00", "1.0")


def taken(number: int = 1, text: str = "Use tabs.") -> SheetWithTools:
    """A turn of a session."""
    return _shown(Session("house", world=FakeWorld({"/p/AGENTS.md": text})).turn("Go"), number)


def _shown(turn: Turn, number: int) -> SheetWithTools:
    drawn = SheetDetails(number, "2026-03-14T09:15:00+00:00", None, messages=turn.messages)
    return draw_sheet(turn.prompt, SheetPlace("/p"), packaged_table(), drawn)


def row(shown: SheetWithTools, number: int | None = None) -> TurnRow:
    """A row for it."""
    changed = (ChangedBlock("skills", "added", ("skills",), "file"),)
    number = shown.sheet.turn if number is None else number
    return TurnRow(number, "now", "a file changed", shown.sheet.tokens, 7, changed, 3, 5, 0.25, None, 2)


def read(*lines: bytes) -> tuple[LineReader, list[ShownTurn]]:
    """What is read of lines."""
    reading = LineReader()
    return reading, reading.feed(b"".join(lines))


TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


@settings(max_examples=examples(25))
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(1, 400))
def test_what_is_read_is_what_was_written(texts: list[str], step: int) -> None:
    """Whatever a project file says, and in whichever pieces the file is read, sheets and rows come back equal."""
    reading = LineReader()
    shown = [taken(number, text) for number, text in enumerate(texts)]
    data = write_header(WHO) + b"".join(write_turn(each, row(each)) for each in shown) + write_end("later")
    found = [turn for at in range(0, len(data), step * 50) for turn in reading.feed(data[at : at + step * 50])]
    assert [each.shown for each in found] == shown
    assert [each.row for each in found] == [row(each) for each in shown]
    assert (reading.header, reading.ended, reading.trouble) == (WHO, "later", [])
    assert found[-1].shown.sheet.text == shown[-1].sheet.text


def test_half_a_line_waits_for_its_other_half() -> None:
    """A turn that is being written is not there yet; nothing is wrong with that."""
    shown = taken()
    lines = write_header(WHO) + write_turn(shown, row(shown))
    reading, found = read(lines[:-1])
    assert (found, reading.trouble) == ([], [])
    assert [each.shown for each in reading.feed(b"\n")] == [shown]


def test_a_broken_line_is_told_and_the_others_count() -> None:
    """Garbage between two turns costs neither of them."""
    one, two = taken(1), taken(2, "Use spaces.")
    data = [write_turn(one, row(one)), b"\xff\xfe{\n", b"[1]\n", b"\n", write_turn(two, row(two))]
    reading, found = read(write_header(WHO), *data)
    assert [each.shown for each in found] == [one, two]
    assert len(reading.trouble) == 3 and "Overture 1.0" in reading.trouble[0]
