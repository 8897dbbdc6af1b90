"""Captured prompts as the page shows them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from overture.known_models.model_table import find_facts, packaged_table
from overture.model.source import Source, from_file
from overture.tap.attribute.files_of_call import JOIN, place_pieces
from overture.tap.judge.diff_calls import find_call_changes, name_changed_sections
from overture.tap.page.call_sheet import CallSheetContext, make_call_sheet
from tests.contract.effort import examples

from ..judge.calls import call, said, system, tool

AROUND = CallSheetContext(find_facts(packaged_table(), "anthropic", "claude-sonnet-5"), home="/home/a")
CALL = call(
    tool("Read"),
    system("You are A.", mark=True),
    system("# Rules\nfirst\nsecond\n# Env\nx"),
    *said("<system-reminder>\nfrom home\n</system-reminder>", "ok", "go"),
    program="claude",
    cwd="/p",
)


def test_sections_are_blocks_with_sources() -> None:
    """What a file accounts for is from its line on; the rest is the agent's own text."""
    text = JOIN.join(each.text for each in place_pieces(CALL))
    at, home = text.index("first"), text.index("from home")
    spans = [(at, at + 13, from_file("/p/AGENTS.md", 7)), (home, home + 9, from_file("/home/a/.claude/CLAUDE.md", 1))]
    sheet = make_call_sheet(CALL, AROUND, spans)
    assert [block.name for block in sheet.blocks] == ["text without a heading", "Rules", "Env"]
    rules = [(piece.text, sheet.sources[piece.source].label, piece.line) for piece in sheet.blocks[1].pieces]
    assert rules == [
        ("# Rules\n", "the agent's own text", None),
        ("first\nsecond\n", "/p/AGENTS.md:7", 7),
    ]
    assert [source.tier for source in sheet.sources] == ["built in", "project", "user"]
    assert sheet.text == "You are A.\n\n# Rules\nfirst\nsecond\n# Env\nx"
    assert [block.name for block in sheet.messages] == ["<system-reminder>"]
    assert (sheet.recipe, sheet.project, sheet.context.tools[0].name) == ("claude", "p", "Read")
    assert [(mark.after, mark.char) for mark in sheet.price.marks] == [("text without a heading", 10)]
    assert (
        sheet.tokens == sum(block.tokens for block in sheet.blocks)
        and abs(sum(b.share for b in sheet.blocks) - 1) < 1e-9
    )




@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 30)), max_size=5))
def test_pieces_are_the_text(places: list[tuple[int, int]]) -> None:
    """Whatever spans are given, the sheet's text is the prompt's, and tokens of pieces add up."""
    spans = [(start, start + size, Source("file", "/f", start + 1)) for start, size in places]
    sheet = make_call_sheet(CALL, AROUND, spans)
    assert sheet.text == "You are A.\n\n# Rules\nfirst\nsecond\n# Env\nx"
    assert all(sum(piece.tokens for piece in block.pieces) == block.tokens for block in sheet.blocks)










def test_changes_word_by_word() -> None:
    """A tool, a section and a message that changed, each in words; what came behind is new; the rest is not told."""
    before = call(tool("Read", "one"), system("# Rules\nBe kind.\n# Env\nx"), *said("hello", "yes"))
    after = call(tool("Read", "two"), system("# Rules\nBe brief.\n# Env\nx"), *said("hello", "no", "more"))
    found = find_call_changes(before, after)
    assert [(part.kind, part.name, part.change) for part in found.parts] == [
        ("tool", "Read", "changed"),
        ("section", "Rules", "changed"),
        ("message", "message 2 (assistant)", "changed"),
        ("message", "message 3 (user)", "added"),
    ]
    assert ("gone", "kind") in found.parts[1].words and ("new", "brief") in found.parts[1].words
    assert (found.same, found.first.change) == (1, "tools")
    assert name_changed_sections(before, after) == {"Rules"}




