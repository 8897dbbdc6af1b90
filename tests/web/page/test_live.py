"""Saving a file updates the page; a file that became broken is told, and the last good prompt stays."""

import os
from pathlib import Path

import pytest

from .conftest import SKILL
from .shown import Paged, paged, write
from .test_sheet import text_of


@pytest.fixture
def edited(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A page that follows a folder."""
    write(
        tmp_path,
        AGENTS_dot_md="# Rules\n\nRun `make test`.\nSay why.\n",
        overture_dot_toml='recipe = "opal"\n',
        _dot_agents__skills__pdf__SKILL_dot_md=SKILL.format(name="pdf"),
    )
    with paged(tmp_path, None, watch=True) as page:
        yield page


def replace(path: Path, text: str) -> None:
    """Save as editors do: a new file in the old one's place."""
    other = path.with_name(f".{path.name}.new")
    other.write_text(text, encoding="utf-8")
    os.replace(other, path)


def test_an_edit_is_a_turn(edited: Paged) -> None:
    """It is told to whoever listens, and everything there is to say about it can be asked."""
    with edited.listen() as stream:
        assert stream.until("turn") == {"turn": 1}
        replace(edited.folder / "AGENTS.md", "# Rules\n\nRun `make check`.\nSay why.\n")
        assert stream.until("turn") == {"turn": 2}
    assert "make check" in text_of(edited.get("/page/sheet"))
    assert "make test" in text_of(edited.get("/page/sheet?turn=1"))
    row = edited.get("/page/turns")["turns"][1]
    assert row["cause"] == "AGENTS.md changed"
    assert [(each["name"], each["how"], each["because"]) for each in row["changed"]] == [
        ("project-context", "rewritten", ["context_files"])
    ]
    told = edited.get("/page/diff?a=1&b=2")
    old, new = (text_of(edited.get(f"/page/sheet?turn={n}")) for n in (1, 2))
    char = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    assert told["first"] == row["first"] == len(new[:char].encode())
    assert new.splitlines()[told["line"] - 1] == "Run `make check`."
    assert (told["block"], told["source"]) == ("project-context", "AGENTS.md:3")
    changed = next(block for block in told["blocks"] if block["change"] == "changed")
    assert changed["words"][1:3] == [["gone", "test"], ["new", "check"]]
    assert told["cache"]["common"] < told["cache"]["tokens"]


def test_what_nobody_would_notice_is_no_turn(edited: Paged) -> None:
    """A file that is saved as it was, and one that is in no prompt, add nothing."""
    replace(edited.folder / "AGENTS.md", (edited.folder / "AGENTS.md").read_text(encoding="utf-8"))
    (edited.folder / "notes.txt").write_text("x", encoding="utf-8")
    with edited.listen() as stream:
        stream.until("turn")
        replace(edited.folder / "AGENTS.md", "Other.\n")
        assert stream.until("turn") == {"turn": 2}
    assert len(edited.get("/page/turns")["turns"]) == 2


@pytest.mark.parametrize(
    ("name", "broken", "said", "mended"),
    [
        ("overture.toml", "recipe = [\n", "overture.toml", 'recipe = "opal"\n'),
        ("overture.toml", 'recipe = "oppal"\n', "oppal", 'recipe = "opal"\n'),
        (".agents/skills/pdf/SKILL.md", "---\nname: [\n---\n", "SKILL.md", SKILL.format(name="pdf")),
    ],
    ids=["configuration", "recipe", "skill"],
)
def test_a_broken_file_is_told_and_mended(edited: Paged, name: str, broken: str, said: str, mended: str) -> None:
    """The last good prompt stays, with what is wrong beside it, until the file is good again."""
    good = text_of(edited.get("/page/sheet"))
    with edited.listen() as stream:
        replace(edited.folder / name, broken)
        message = stream.until("broken")["message"]
        assert said in message
        sheet = edited.get("/page/sheet")
        assert (text_of(sheet), sheet["broken"], sheet["turn"]) == (good, message, 1)
        with edited.listen() as late:  # whoever comes later learns it too
            assert late.until("broken") == {"message": message}
        replace(edited.folder / name, mended)
        assert stream.until("mended") == {}
    assert edited.get("/page/sheet")["broken"] is None
    assert len(edited.get("/page/turns")["turns"]) == 1






def test_without_watchfiles_the_page_says_so(tmp_path: Path) -> None:
    """It shows the prompt, and that it does not follow edits."""
    with paged(tmp_path) as page:
        assert page.get("/page/turns")["follows"] is False
        assert page.get("/page/sheet")["turn"] == 1


