"""Captured prompts as the page shows them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from overture.known_models.models_table import facts_of, packaged
from overture.model.source import Source, from_file
from overture.report.tap.on_page.call_sheet import Around, call_sheet
from overture.report.tap.on_page.prompt_text import prompt_text
from overture.report.tap.on_page.turn_rows import turn_rows
from overture.report.tap.told import tell

from .calls import call, said, system, tool

AROUND = Around(facts_of(packaged(), "anthropic", "claude-sonnet-5"), home="/home/a")
CALL = call(
    tool("Read"),
    system("You are A.", mark=True),
    system("# Rules\nfirst\nsecond\n# Env\nx"),
    *said("<system-reminder>\nfrom home\n</system-reminder>", "ok", "go"),
    program="claude",
    cwd="/p",
)


def test_sections_are_blocks_with_sources() -> None:
    """What a file accounts for is from its line on; the rest is the agent's own words."""
    text = prompt_text(CALL)
    at, home = text.index("first"), text.index("from home")
    spans = [(at, at + 13, from_file("/p/AGENTS.md", 7)), (home, home + 9, from_file("/home/a/.claude/CLAUDE.md", 1))]
    sheet = call_sheet(CALL, AROUND, spans)
    assert [block.name for block in sheet.blocks] == ["opening", "Rules", "Env"]
    rules = [(piece.text, sheet.sources[piece.source].label, piece.line) for piece in sheet.blocks[1].pieces]
    assert rules == [
        ("# Rules\n", "the agent's own words", None),
        ("first\nsecond\n", "/p/AGENTS.md:7", 7),
    ]
    assert [source.tier for source in sheet.sources] == ["built in", "project", "user"]
    assert sheet.text == "You are A.\n\n# Rules\nfirst\nsecond\n# Env\nx"
    assert [block.name for block in sheet.messages] == ["<system-reminder>"]
    assert (sheet.recipe, sheet.project, sheet.context.tools[0].name) == ("claude", "p", "Read")
    assert [(mark.after, mark.char) for mark in sheet.price.marks] == [("opening", 10)]
    assert (
        sheet.tokens == sum(block.tokens for block in sheet.blocks)
        and abs(sum(b.share for b in sheet.blocks) - 1) < 1e-9
    )


def test_a_span_over_two_sections_counts_its_lines() -> None:
    """The second section of a file begins at the line at which it stands in the file."""
    text = prompt_text(CALL)
    sheet = call_sheet(CALL, AROUND, [(text.index("# Rules"), text.index("x"), from_file("/p/AGENTS.md", 1))])
    assert [block.pieces[0].line for block in sheet.blocks[1:]] == [1, 4]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 30)), max_size=5))
def test_pieces_are_the_text(places: list[tuple[int, int]]) -> None:
    """Whatever spans are given, the sheet's text is the prompt's, and tokens of pieces add up."""
    spans = [(start, start + size, Source("file", "/f", start + 1)) for start, size in places]
    sheet = call_sheet(CALL, AROUND, spans)
    assert sheet.text == "You are A.\n\n# Rules\nfirst\nsecond\n# Env\nx"
    assert all(sum(piece.tokens for piece in block.pieces) == block.tokens for block in sheet.blocks)


def test_turns() -> None:
    """A row for each call: why it hit or missed, the first byte, what it cost."""
    calls = [call(system(f"{'Words. ' * 900}{text}", mark=True), *said("u"), minute=at) for at, text in enumerate("ab")]
    (talk,) = tell(calls).conversations
    first, second = turn_rows(talk, calls)
    assert (first.turn, first.cause, first.first) == (1, "first call: nothing was sent before it", None)
    assert (second.turn, second.first, second.changed[0].how) == (2, 6300, "rewritten")
    assert second.cost and second.messages == 1
