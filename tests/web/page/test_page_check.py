"""`GET /page/check`: what `overture check --json` says, with places, meanings, and each mend as a diff."""

from overture.terminal.options import CommandOptions
from overture.testing import FakeWorld

from .asking import asking, page_of

TOKEN = "ghp_" + "x7Kq2LmZ9vRt4WsYb1Nc8HdJ6fPg3QeAuT5i"
FILES: dict[str, str | bytes] = {
    "/p/AGENTS.md": f"First.\nDo\u200b it.\nThird.\nAnd\u200b this.\nUse {TOKEN}.\n",
    "/p/CLAUDE.md": "Hid\u200bden.\n",
    "/p/README.md": "Fine.\n",
}


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
