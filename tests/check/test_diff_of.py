"""The diff of one mend is that of the whole file, made of the lines around it alone."""

import pytest

from overture.check.findings_and_input import Finding, TextEdit
from overture.check.fix_findings import apply_text_edits, diff_finding
from overture.terminal.confirm_changes import diff_texts

KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq8\n" * 3 + "-----END RSA PRIVATE KEY-----"
TEXTS = [
    "one X two", "X", "X\n", "\nX\n", "a\nb\nX", "a\nb\nc X\nd\ne\n", "a\r\nb X\r\nc\r\nd", "a\n\n\n- X -\n\n\nb",
    f"top\n{KEY}\nX\nend", f"X {KEY}\nend", f"a\nX\nin {KEY}\nend\n", f"{KEY}\nb\nc\nX\n{KEY}\n{KEY}",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("new", ["", "Y", "Y\nZ"])
def test_it_is_the_diff_of_the_whole_file(text: str, new: str) -> None:
    """Lines, numbers and what is hidden are the same, wherever the mend stands and whatever stands around it."""
    at = text.index("X")
    edits = (TextEdit(at, at + 1, new),)
    whole = diff_texts("f.md", text, apply_text_edits(text, edits))
    found = diff_finding(Finding("x", "info", "x", "f.md", edits=edits), "f.md", text)
    assert found == whole
    assert "MIIEpAIB" not in "".join(found)


def test_several_edits_of_one_finding_are_one_diff() -> None:
    """All that lies between them is looked at."""
    text = "X\n" + "line\n" * 10 + "X\n"
    edits = (TextEdit(0, 1, "Y"), TextEdit(len(text) - 2, len(text) - 1, "Z"))
    assert diff_finding(Finding("x", "info", "x", edits=edits), "f", text) == diff_texts(
        "f", text, apply_text_edits(text, edits)
    )
