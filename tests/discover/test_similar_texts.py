"""Texts that share most of their lines are found among many, and told from those that are the same."""

from overture.discover.similar_texts import CopyFinder, TextCopy, compare_sketches, make_sketch

LINES = [f"Rule {number}: do this and that." for number in range(100)]


def test_similarity_is_the_share_of_common_lines() -> None:
    """Whatever their order and white space; an estimate for long texts."""
    one = "\n".join(LINES[:20])
    assert compare_sketches(make_sketch(one), make_sketch("\n\n  ".join(reversed(LINES[:20])))) == 1
    assert compare_sketches(make_sketch(one), make_sketch("\n".join(LINES[50:70]))) == 0
    assert compare_sketches(make_sketch("\n".join(LINES[:10])), make_sketch("\n".join(LINES[:8]))) == 0.8
    long = compare_sketches(make_sketch("\n".join(LINES)), make_sketch("\n".join(LINES[:75])))
    assert abs(long - 0.75) < 0.2
    assert make_sketch("@AGENTS.md\n") == ()


def test_only_groups_of_several_versions_are_listed() -> None:
    """The largest first; a text that is the same everywhere is in none."""
    finder = CopyFinder()
    texts = {"a": LINES[:20], "b": LINES[:19], "c": LINES[:20], "d": LINES[50:70], "e": LINES[50:70]}
    for name, lines in texts.items():
        text = "\n".join(lines)
        finder.add(TextCopy(name, "AGENTS.md", text), make_sketch(text))
    [group] = finder.list_drifted()
    assert [copy.repository for copy in group.copies] == ["a", "b", "c"]
    assert sorted(group.similar.values()) == [0.95, 1.0]
