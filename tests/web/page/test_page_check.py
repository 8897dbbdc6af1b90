"""`GET /page/check`: what `overture check --json` says, with places, meanings, and each mend as a diff."""

from typing import Any

import pytest

from overture import check
from overture.check.rules_by_code import all_rules
from overture.report.sheet.make_sheet import file_id
from overture.terminal.options import CommandOptions
from overture.testing import FakeWorld

from .asking import asking, page_of

TOKEN = "ghp_" + "x7Kq2LmZ9vRt4WsYb1Nc8HdJ6fPg3QeAuT5i"
FILES: dict[str, str | bytes] = {
    "/p/AGENTS.md": f"First.\nDo\u200b it.\nThird.\nAnd\u200b this.\nUse {TOKEN}.\n",
    "/p/CLAUDE.md": "Hid\u200bden.\n",
    "/p/README.md": "Fine.\n",
}


def test_findings_are_those_of_the_command_line() -> None:
    """Every finding is there, in the same order and with the same words, and so are the counts.

    In words, paths begin in the project.
    """
    with page_of(FILES) as page:
        found = page.data("check")
        said: dict[str, Any] = check(page.session).to_dict()
    keys = ("code", "severity", "message", "path", "line", "column", "fixable")
    wanted = [{**each, "message": each["message"].replace("/p/", "")} for each in said["findings"]]
    assert [{key: each[key] for key in keys} for each in found["findings"]] == wanted
    assert "load CLAUDE.md; " in str(found["findings"])
    assert (found["counts"], found["fixable"], found["ignored"]) == (said["counts"], said["fixable"], said["ignored"])
    assert found["findings"]


def test_each_finding_leads_to_its_place() -> None:
    """It has the path for a person, the check's meaning, and an id with which its file is shown, whoever reads it."""
    with page_of(FILES) as page:
        findings = page.data("check")["findings"]
        for each in findings:
            assert each["about"] == all_rules()[each["code"]].title
            if each["path"]:
                assert each["file"] == file_id(each["path"])
                assert each["shown"] == each["path"].removeprefix("/p/")
                assert page.get(f"file/{each['file']}").status_code == 200
    assert "CLAUDE.md" in {each["shown"] for each in findings}


def test_a_mend_is_shown_alone() -> None:
    """The diff of one finding mends that one and leaves the next as it is."""
    with page_of(FILES) as page:
        first, second, *_ = [each for each in page.data("check")["findings"] if each["fixable"]]
    assert first["diff"][:2] == ["--- a/AGENTS.md", "+++ b/AGENTS.md"]
    assert first["diff"][2:] == ["@@ -1,3 +1,3 @@", " First.", "-Do\\u{200B} it.", "+Do it.", " Third."]
    assert second["diff"][2] == "@@ -3,3 +3,3 @@"
    assert "+And this." in second["diff"]
    assert "+Do it." not in second["diff"]


def test_no_key_is_in_the_answer() -> None:
    """Neither a message nor a diff shows it."""
    with page_of(FILES) as page:
        assert TOKEN not in page.get("check").text


def test_nothing_is_written() -> None:
    """The files are as they were."""
    world = FakeWorld(FILES)
    before = dict(world.files)
    with asking(CommandOptions("house", cwd="/p", world=world)) as page:
        assert page.data("check")["fixable"]
    assert world.files == before


def test_what_has_no_mend_has_no_diff() -> None:
    """A finding that only a person can mend has no such key."""
    with page_of(FILES) as page:
        left = [each for each in page.data("check")["findings"] if not each["fixable"]]
    assert left
    assert all("diff" not in each for each in left)


def test_a_mend_in_a_large_file_is_found_at_its_line() -> None:
    """Each of many mends has the lines around it, by their numbers."""
    files: dict[str, str | bytes] = {"/p/AGENTS.md": "".join(f"Line {n} is\u200b here.\n" for n in range(1, 301))}
    with page_of(files) as page:
        mends = [each for each in page.data("check")["findings"] if each["fixable"]]
    assert [each["line"] for each in mends] == list(range(1, 301))
    assert mends[149]["diff"][2] == "@@ -149,3 +149,3 @@"
    assert "+Line 150 is here." in mends[149]["diff"]


@pytest.mark.parametrize("word", ["no-such-check"])
def test_a_configured_check_that_is_unknown_is_a_problem(word: str) -> None:
    """The answer says which key is wrong, and is no fault of the service."""
    with page_of({**FILES, "/p/overture.toml": f'[check]\nignore = ["{word}"]\n'}) as page:
        answer = page.get("check")
    assert answer.status_code == 422
    assert word in answer.json()["detail"]
