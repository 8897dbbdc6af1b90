"""`GET /page/files`: every path that was looked at, loaded or not, and why."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from overture import Session, why
from overture.report.sheet.make_sheet import file_id

from .asking import Asking, Shown, asking, page_of

FILES: dict[str, str | bytes] = {
    "/p/AGENTS.md": "Run `make test`.\n",
    "/p/CLAUDE.md": "Use tabs.\n",
    "/home/user/.agents/AGENTS.md": "Be brief.\n",
    "/p/.agents/skills/tide/SKILL.md": "---\nname: tide\ndescription: Reads tides.\n---\nLook.\n",
}


@pytest.fixture(scope="module")
def page() -> Iterator[Asking]:
    with page_of(FILES) as asked:
        yield asked


def test_the_words_are_those_of_why(page: Asking) -> None:
    """Outcome and sentence are what `overture explain --why` says of the path."""
    rows = {row["path"]: row for row in page.data("files")["files"]}
    for path in ("/p/AGENTS.md", "/p/CLAUDE.md", "/p/.agents/SYSTEM.md"):
        (fate,) = why(path, page.live.session)
        assert (rows[path]["outcome"], rows[path]["detail"]) == (fate.outcome, fate.said.replace("/p/", ""))
    assert "To read both, set" in rows["/p/CLAUDE.md"]["detail"]


def test_only_what_was_read_has_an_id(page: Asking) -> None:
    """A file that was shadowed or is not there can't be asked for."""
    rows = {row["path"]: row["id"] for row in page.data("files")["files"]}
    assert rows["/p/AGENTS.md"] == file_id("/p/AGENTS.md")
    assert rows["/p/CLAUDE.md"] is None
    assert rows["/p/.agents/SYSTEM.md"] is None


def test_a_name_that_is_not_utf_8_breaks_nothing(tmp_path: Path) -> None:
    """Every report is valid JSON, whatever bytes a folder's name has."""
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/p/\xff")
    os.makedirs(f"{folder}/.claude/rules")
    (tmp_path / "p" / ".git").mkdir()
    for name in ("AGENTS.md", "CLAUDE.md", ".claude/rules/a.md"):
        Path(folder, name).write_text("Do it\u200b.\n", encoding="utf-8")
    for cwd in (folder, tmp_path / "p"):
        with asking(Shown(Session("house", cwd=cwd, home=tmp_path))) as page:
            for path in ("files", "check", "agents?all=1"):
                assert page.data(path)
