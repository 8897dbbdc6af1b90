"""What became of a file, in words."""

from pathlib import Path

import pytest

from overture.tap.attribute.files_of_call import SentFile
from overture.tap.commands.describe_call_files import CallFilesView, describe_sent

from ..judge.calls import call, said

SAYS = {
    "whole, 1 line": (1, 1, 1, None, False, ()),
    "whole, 42 lines": (1, 42, 42, None, False, ()),
    "42 lines, without lines 11 to 35": (1, 42, 42, None, False, ((11, 35),)),
    "truncated after line 12 of 42, without line 5": (1, 12, 42, 12, False, ((5, 5),)),
    "from line 5 on, truncated after line 12 of 42": (5, 12, 42, 12, False, ()),
    "only line 8 of 42": (8, 8, 42, 8, False, ()),
    "lines 5 to 42 of 42": (5, 42, 42, None, False, ()),
    "its name and description": (2, 3, 42, None, True, ()),
}


@pytest.mark.parametrize("says", SAYS)
def test_it_says_which_lines_were_sent(says: str) -> None:
    """Whole, cut, from a line on, one alone, with what was left out in between."""
    line, last, lines, cut, part, gaps = SAYS[says]
    assert describe_sent(SentFile("/p/A.md", 9, line, last, lines, cut, part, gaps)) == says


def test_messages_have_the_same_numbers_everywhere(tmp_path: Path) -> None:
    """The first message is message 1, as in a report and a diff."""
    rule = "Water the roses every morning before the guests arrive.\n"
    (tmp_path / "AGENTS.md").write_text(rule)
    (row,) = CallFilesView(call(*said(rule), cwd=str(tmp_path))).list_positions()
    assert row == ["message 1 (user), line 1", "AGENTS.md:1", "as it is"]


def test_no_share_is_claimed_where_no_file_was_searched(tmp_path: Path) -> None:
    """A call of a folder that is gone has no share of files: not "0.0%"."""
    view = CallFilesView(call(*said("Ahoy"), cwd=str(tmp_path / "gone")))
    assert view.problem.startswith("can't search for its files: ")
    assert (view.describe_share(), view.make_summary()["share"]) == ("", None)
