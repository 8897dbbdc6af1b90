"""Turns as lines of JSON: what is read is what was written, and nothing that is read can do harm."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from overture import Session
from overture.known_models.model_table import packaged_table
from overture.report.sheet.compare_sheets import ChangedBlock, TurnRow
from overture.report.sheet.published_lines import (
    MAX_DECODED_TURNS,
    MAX_PART_AGE,
    LineReader,
    LineWriter,
    PublishedHeader,
    ShownTurn,
    write_end,
    write_header,
)
from overture.report.sheet.sheet import SheetDetails, SheetPlace, SheetWithTools
from overture.session.publish.draw_sheet import draw_sheet
from overture.session.turn.turn_and_context import Turn
from overture.testing import FakeWorld
from tests.effort import examples

WHO = PublishedHeader(1, "abc", 42, "2026-03-14T09:15:00+00:00", "1.0")


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
    reading.feed(b"".join(lines))
    return reading, list(reading.read())


TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


@settings(max_examples=examples(25))
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(1, 400))
def test_what_is_read_is_what_was_written(texts: list[str], step: int) -> None:
    """Whatever a project file says, and in whichever pieces the file is read, sheets and rows come back equal."""
    written, reading = LineWriter(), LineReader()
    shown = [taken(number, text) for number, text in enumerate(texts)]
    data = write_header(WHO) + b"".join(written.lines(each, row(each)) for each in shown) + write_end("later")
    for at in range(0, len(data), step * 50):
        reading.feed(data[at : at + step * 50])
    found = list(reading.read())
    assert [each.shown for each in found] == shown
    assert [each.row for each in found] == [row(each) for each in shown]
    assert (reading.header, reading.ended, reading.trouble) == (WHO, "later", [])
    assert found[-1].shown.sheet.text == shown[-1].sheet.text


def test_what_stays_the_same_is_written_once() -> None:
    """Ten thousand characters that no turn changes stand in the file once, and a turn more takes little."""
    live = Session("house", world=FakeWorld({"/p/AGENTS.md": "Use tabs.\n" * 1000}))
    first, again = (_shown(live.turn("Go"), number) for number in (1, 2))
    written = LineWriter()
    lines = [written.lines(first, row(first)), written.lines(again, row(again))]
    assert len(lines[0]) > 10_000 and len(lines[1]) < 3_000
    assert b"".join(lines).count(b"Use tabs.\\nUse tabs.") == lines[0].count(b"Use tabs.\\nUse tabs.")


def test_the_same_prompt_on_a_later_turn_gives_the_sheet_that_would_be_made_anew() -> None:
    """What is taken over from the turn before is what would be worked out again."""
    live = Session("house", world=FakeWorld({"/p/AGENTS.md": "Use tabs."}))
    one, two = live.turn("Go"), live.turn("On, and say more this time")
    assert one.prompt is two.prompt
    place, table = SheetPlace("/p"), packaged_table()
    first = draw_sheet(one.prompt, place, table, SheetDetails(1, "a", None, messages=one.messages))
    drawn = SheetDetails(2, "b", "broken", messages=two.messages)
    assert draw_sheet(two.prompt, place, table, drawn, (one.prompt, first)) == draw_sheet(
        two.prompt, place, table, drawn
    )


def test_half_a_line_waits_for_its_other_half() -> None:
    """A turn that is being written is not there yet; nothing is wrong with that."""
    shown = taken()
    lines = write_header(WHO) + LineWriter().lines(shown, row(shown))
    reading, found = read(lines[:-1])
    assert (found, reading.trouble) == ([], [])
    reading.feed(b"\n")
    assert [each.shown for each in reading.read()] == [shown]


def test_a_broken_line_is_told_and_the_others_count() -> None:
    """Garbage between two turns costs neither of them."""
    one, two = taken(1), taken(2, "Use spaces.")
    written = LineWriter()
    data = [written.lines(one, row(one)), b"\xff\xfe{\n", b"[1]\n", b"\n", written.lines(two, row(two))]
    reading, found = read(write_header(WHO), *data)
    assert [each.shown for each in found] == [one, two]
    assert len(reading.trouble) == 3 and "Overture 1.0" in reading.trouble[0]


def test_a_turn_whose_parts_are_not_there_is_told() -> None:
    """Whoever begins in the middle is told, and shown nothing that is wrong."""
    shown = taken()
    written = LineWriter()
    written.lines(shown, row(shown))
    reading, found = read(write_header(WHO), written.lines(shown, row(shown)))
    assert found == [] and reading.lost and "does not exist" in reading.trouble[0]


def test_a_turn_of_another_form_is_told() -> None:
    """A sheet with a field that nobody here knows is passed over, with who wrote it."""
    shown = taken()
    lines = LineWriter().lines(shown, row(shown)).replace(b'"fingerprint":', b'"fingerprunt":')
    reading, found = read(write_header(WHO), lines)
    assert found == [] and "turn 1 can't be read, written by Overture 1.0" in reading.trouble[0]


def test_a_later_version_is_known_by_its_first_line() -> None:
    """Of a version that is not known here, nothing but the first line is read."""
    reading, found = read(b'{"version": 2, "id": "a", "pid": 1, "started": "x", "more": [1]}\n', b'{"new": "form"}\n')
    assert found == [] and reading.header is not None and reading.trouble == []


def test_of_many_turns_the_newest_are_decoded_and_little_is_kept() -> None:
    """However long a file is, as many turns come out of it as a page keeps, and parts of old ones are forgotten."""
    shown = taken()
    written, reading = LineWriter(), LineReader()
    reading.feed(write_header(WHO))
    for number in range(3 * MAX_PART_AGE):
        block = msgspec.structs.replace(shown.sheet.blocks[0], why=f"{number}")
        sheet = msgspec.structs.replace(shown.sheet, turn=number, blocks=(block, *shown.sheet.blocks[1:]))
        reading.feed(written.lines(SheetWithTools(sheet, shown.tools), row(shown, number)))
    found = list(reading.read())
    assert [each.row.turn for each in found] == list(range(3 * MAX_PART_AGE - MAX_DECODED_TURNS, 3 * MAX_PART_AGE))
    assert found[-1].shown.sheet.blocks[0].why == f"{3 * MAX_PART_AGE - 1}"
    assert len(reading._parts) < 2 * MAX_PART_AGE and len(written.known) < MAX_PART_AGE


def test_what_comes_back_after_a_long_time_is_there() -> None:
    """A text that was gone for hundreds of turns is written again before it is named."""
    one, two = taken(1, "Use tabs. " * 50), taken(2, "Use spaces. " * 50)
    written, reading = LineWriter(), LineReader()
    reading.feed(write_header(WHO) + written.lines(one, row(one)))
    for number in range(3 * MAX_PART_AGE):
        reading.feed(written.lines(two, row(two, number + 2)))
    reading.feed(written.lines(one, row(one, 5000)))
    assert list(reading.read())[-1].shown == one and not reading.lost
