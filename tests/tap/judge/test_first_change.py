"""Two calls -> the first byte that a cache sees differ, where, and by what."""

from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from overture.tap.judge.diff_calls import compare_calls
from overture.tap.recorded_call import CallPiece
from tests.contract.effort import examples

from .calls import call, said, system, tool

ENV = "You are A.\n# Tone\nKind.\n<env>\ncwd: /home/a/p\ndate: {date}\n</env>\n# Rest\nx\n"


def changed(old: str, new: str) -> str:
    """The cause of a change of the system prompt."""
    return compare_calls(call(system(old), *said("a")), call(system(new), *said("a"))).cause


def test_what_is_only_added_to() -> None:
    """The same, and the same with more behind it, is kept; marks that move with the end change nothing."""
    before = call(tool("a"), system("S"), *said("u", mark=True))
    assert compare_calls(before, before).change == "same"
    after = compare_calls(before, call(tool("a"), system("S"), *said("u", "v", "w", mark=True)))
    assert (after.change, after.has_same_prefix, after.byte, after.added) == ("appended", True, None, 2)


def test_the_date_in_a_section() -> None:
    """The byte counts tools and system in UTF-8; the section is named, and what stands there is told by its kind."""
    old, new = ENV.format(date="2026-11-15"), ENV.format(date="2026-11-16")
    first, second = (call(tool("ä"), system(text), *said("a")) for text in (old, new))
    found = compare_calls(first, second)
    assert (found.change, found.section, found.cause) == ("system", "<env>", "the date in <env> changed")
    whole = "".join(piece.text for piece in second.pieces)
    same = len("".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(
        "".join(piece.text for piece in first.pieces), whole, strict=False))).encode())  # fmt: skip
    assert found.byte == same
    assert "2026-11-15" in found.before and "2026-11-16" in found.after


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("at 10:31:02 sharp", "at 10:32:02 sharp", "the time in the system prompt changed"),
        ("on Monday, May 4", "on Tuesday, May 5", "the date in the system prompt changed"),
        ("in /home/ann/project/a now", "in /home/bob/project/a now", "a path in the system prompt changed"),
        (
            "id 3f2a9c01-1111-4222-8333-123456789abc x",
            "id 3f2a9c01-1111-4222-8333-123456789abd x",
            "an id in the system prompt changed",
        ),
        ("you have 12 files", "you have 13 files", "a number in the system prompt changed"),
        ("a\nb\nc", "a\nc\nb", "the order of lines in the system prompt changed"),
        ("be kind to all", "be rude to all", "the text in the system prompt changed"),
        ("be kind", "be kind and brief", "text at the end of the system prompt was added"),
        ("gitStatus: x\nM a.py y", "gitStatus: x\nD b.py y", "the git status in the system prompt changed"),
    ],
)
def test_kinds_of_causes(old: str, new: str, cause: str) -> None:
    """What stands at the place says what kind of thing changed."""
    assert changed(old, new) == cause


def test_tools() -> None:
    """A tool that is added, taken away, moved or described anew."""
    a, b, c = tool("a"), tool("b"), tool("c")

    def cause(old: list[CallPiece], new: list[CallPiece]) -> str:
        found = compare_calls(call(*old, system("S")), call(*new, system("S")))
        assert found.change == "tools"
        return found.cause

    assert cause([a], [a, b]) == "tool 'b' was added"
    assert cause([a, b], [b]) == "tool 'a' was removed"
    assert cause([a, b], [c, a]) == "tool 'c' was added and tool 'b' was removed"
    assert cause([a, b], [b, a]) == "the order of the tools changed"
    assert cause([a, b], [a, tool("b", "new")]) == "the text in the description of tool 'b' changed"


def test_messages() -> None:
    """A message that is rewritten, a conversation that is summed up, an end that is left away, another model."""
    before = call(system("S"), *said("long words " * 9, "answer " * 9, "more", "done"))
    found = compare_calls(
        before, call(system("S"), *said("long words " * 9, "answer " * 8 + "other", "more", "done", "x"))
    )
    assert (found.change, found.section) == ("messages", "message 2 (assistant)")
    short = call(system("S"), *said("summary"))
    found = compare_calls(before, short)
    assert (found.change, found.cause) == ("compacted", "messages were removed")
    found = compare_calls(before, short, compacted=True)
    assert (found.change, found.cause) == ("compacted", "the conversation was compacted")
    found = compare_calls(before, call(*before.pieces[:-1]))
    assert found.change == "shortened" and not found.has_same_prefix
    assert compare_calls(before, replace(before, model="b")).cause == "the model changed from claude-sonnet-5 to b"
    assert compare_calls(before, replace(before, settings={"thinking": "1"})).cause == "the setting 'thinking' changed"


PIECES = st.lists(
    st.builds(
        lambda kind, text: CallPiece(kind, "user" if kind == "message" else "x", text),
        st.sampled_from(["tool", "system", "message"]),
        st.text("aé", max_size=3),
    ),
    max_size=5,
).map(lambda pieces: sorted(pieces, key=lambda piece: ("tool", "system", "message").index(piece.kind)))


@settings(max_examples=examples(150))
@given(PIECES, PIECES)
def test_the_first_byte_is_right(old: list[CallPiece], new: list[CallPiece]) -> None:
    """It is the number of bytes of the longest common beginning, piece by piece, found by going through all of them."""
    found = compare_calls(call(*old), call(*new))
    if new[: len(old)] == old:
        assert found.has_same_prefix and found.byte is None
        return
    same = 0
    for a, b in zip(old, new, strict=False):
        if a == b:
            same += len(b.text.encode())
            continue
        if a.kind == b.kind:
            pairs = takewhile(lambda pair: pair[0] == pair[1], zip(a.text, b.text, strict=False))
            same += len("".join(x for x, _ in pairs).encode())
        break
    assert found.byte == same and not found.has_same_prefix
