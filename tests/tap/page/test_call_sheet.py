"""Captured prompts as the page shows them."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.known_models.model_table import find_facts, packaged_table
from overture.model.source import Source, from_file
from overture.tap.attribute.files_of_call import JOIN, TextSpan, place_pieces
from overture.tap.judge.diff_calls import find_call_changes, name_changed_sections
from overture.tap.judge.report_data import make_report
from overture.tap.page.call_rows import make_call_row
from overture.tap.page.call_sheet import CallSheetContext, make_call_sheet, place_spans
from overture.tap.page.judge_run import IncrementalJudge
from overture.tap.recorded_call import RecordedCall
from tests.contract.effort import examples

from ..judge.calls import call, said, system, tool, usage

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


def test_a_span_over_two_sections_counts_its_lines() -> None:
    """The second section of a file begins at the line at which it stands in the file."""
    text = JOIN.join(each.text for each in place_pieces(CALL))
    sheet = make_call_sheet(CALL, AROUND, [(text.index("# Rules"), text.index("x"), from_file("/p/AGENTS.md", 1))])
    assert [block.pieces[0].line for block in sheet.blocks[1:]] == [1, 4]


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 30)), max_size=5))
def test_pieces_are_the_text(places: list[tuple[int, int]]) -> None:
    """Whatever spans are given, the sheet's text is the prompt's, and tokens of pieces add up."""
    spans = [(start, start + size, Source("file", "/f", start + 1)) for start, size in places]
    sheet = make_call_sheet(CALL, AROUND, spans)
    assert sheet.text == "You are A.\n\n# Rules\nfirst\nsecond\n# Env\nx"
    assert all(sum(piece.tokens for piece in block.pieces) == block.tokens for block in sheet.blocks)


def rows(count: int) -> list[RecordedCall]:
    """A main conversation with a sub-agent in it, a title, a failure, and a prompt that changes on the way."""
    told = [call(system("Write a title for this conversation."), *said("hello"), minute=0, id="title")]
    for at in range(1, count):
        texts = [f"{who} {n}" for n in range(at) for who in ("asks", "answers")][:-1] or ["asks"]
        more = {"status": 500, "error": "down"} if at == 3 else {"usage": usage(30, 900 * (at % 3), 80, 5)}
        pieces = (tool("Read"), system(f"{'Words. ' * 900}{at // 4}", mark=True), *said(*texts, mark=True))
        told.append(call(*pieces, minute=at, id=f"c{at}", **more))
    told.append(call(tool("Grep"), system("You search."), *said("find it"), minute=count, id="sub"))
    return told


@pytest.mark.parametrize("count", [1, 4, 9])
def test_judged_one_by_one_is_judged_together(count: int) -> None:
    """Calls that come one after the other are told as a report on all of them tells them."""
    calls = rows(count)
    judged = IncrementalJudge(packaged_table())
    for each in calls:
        judged.add(each)
    whole = make_report(calls)
    verdicts = {told.id: told.verdict for conversation in whole.conversations for told in conversation.calls}
    assert dict(zip(judged.numbers, judged.verdicts, strict=True)) == verdicts
    assert [each.name for each in judged.conversations] == [each.name for each in whole.conversations]
    told = judged.make_report()
    assert (told.causes, told.dollars, told.lost) == (whole.causes, whole.dollars, whole.lost)
    assert [row.dollars for row in judged.list_conversation_rows()] == [each.dollars for each in whole.conversations]


def test_texts_are_let_go() -> None:
    """Of a long conversation only the call is held to which the next is compared."""
    judged = IncrementalJudge(packaged_table())
    for each in rows(9):
        judged.add(each)
    assert len(judged.compared_calls) == len(judged.conversations)


def test_a_row_is_slim() -> None:
    """No text of the call is in it, and what is nothing takes no room."""
    judged = IncrementalJudge(packaged_table())
    each = call(system("Words. " * 900, mark=True), *said("u"), usage=usage(30, 0, 900, 5))
    judged.add(each)
    row = make_call_row(each, judged.verdicts[0].price, judged.verdicts[0], 0)
    assert (row.tokens, row.written, row.reason) == (930, 900, "first call")
    assert len(msgspec.json.encode(row)) < 300


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


def test_a_long_new_text_is_cut() -> None:
    """What is all new is shown up to a length, and how much more there is."""
    found = find_call_changes(call(system("x"), *said("u")), call(system("x"), *said("u", "y" * 30_000)))
    assert (len(found.parts[0].words[0][1]), found.parts[0].cut) == (20_000, 10_000)


def test_spans_have_their_place() -> None:
    """What was found for a piece stands where that piece does; words in other lines stand at the first of them."""
    found = {2: (TextSpan(8, 13, "/p/AGENTS.md", 7, 7), TextSpan(14, 20, "/p/b.md", 3, 5, "rewrapped")), 1: ()}
    text = JOIN.join(each.text for each in place_pieces(CALL))
    (start, end, source), (_, _, other) = place_spans(CALL, found)
    assert (text[start:end], source) == ("first", from_file("/p/AGENTS.md", 7))
    assert other == from_file("/p/b.md", 3, pinned=True)
    sheet = make_call_sheet(CALL, AROUND._replace(changed=frozenset({"Rules"}), find_file_id=lambda path: path[-5:]))
    assert [block.pace for block in sheet.blocks] == ["session", "turn", "session"]
