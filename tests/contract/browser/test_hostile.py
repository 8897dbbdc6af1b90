"""Text of others is text: it runs nowhere and moves nothing around it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ..cli.run import run
from .conftest import STRANGE, VIEWS, Open, Served
from .seen import built, is_whole, section

pytestmark = pytest.mark.slow


PARTS = (".head", ".rail", ".main")


def places(page: Page) -> list[object]:
    """Where the parts of the frame stand."""
    return [page.locator(part).bounding_box() for part in PARTS]


def test_markup_is_shown_and_never_run(served: Served, odd: Served, look: Open) -> None:
    """In every view: the text stands there, no element was made of it, nothing ran, and the frame is where it was."""
    plain = look(served)
    expect(section(plain, "identity")).to_be_visible()
    frame = places(plain)
    page = look(odd)
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    expect(section(page, "project-context")).to_contain_text("<script>window.ran = 1</script>")
    assert is_whole(page, built(odd))
    for view in VIEWS:
        page.evaluate("view => { location.hash = '#/' + view }", view)
        expect(page.locator("main h1")).to_be_visible()
        expect(page.locator("main [aria-busy=true]")).to_have_count(0)
        assert places(page) == frame, view
        harmless(page)


def harmless(page: Page) -> None:
    """Nothing ran, and no element of the text's own is there."""
    assert page.evaluate("window.ran") is None
    assert page.locator("main script, main img, main iframe, main style, main b[onmouseover]").count() == 0
    assert page.locator("main a[href^='javascript']").count() == 0


def test_a_file_of_markup_is_shown_line_by_line(odd: Served, look: Open) -> None:
    """The file view shows it as it is; a line of 100,000 signs is folded into its place."""
    page = look(odd, "#/files")
    page.get_by_role("link", name="AGENTS.md").first.click()
    text = page.get_by_role("region", name="Text of AGENTS.md")
    expect(text).to_contain_text(STRANGE[1])
    expect(text).to_contain_text("x" * 1000)
    assert page.evaluate("document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth")
    harmless(page)


def test_a_mend_of_markup_is_text(odd: Served, look: Open) -> None:
    """What would be written is shown, with the signs that nobody sees."""
    page = look(odd, "#/check")
    page.get_by_text("How it would be fixed").first.click()
    expect(page.get_by_role("group", name="Difference").first).to_contain_text(re.compile("Turned"))
    harmless(page)


def test_text_directions_stay_in_their_line(odd: Served, look: Open) -> None:
    """Right-to-left text turns nothing beside it: the line's number stays on the left, the tokens on the right."""
    page = look(odd)
    row = page.locator(".text-row", has_text="שלום").first
    expect(row).to_be_visible()
    box, body = row.bounding_box(), page.locator("#block-project-context .body").bounding_box()
    assert box is not None
    assert body is not None
    assert box["x"] >= body["x"]
    assert box["x"] + box["width"] <= body["x"] + body["width"] + 1
    assert row.evaluate("row => getComputedStyle(row).direction") == "ltr"


def test_a_report_of_markup_runs_nothing(odd: Served, browser: Browser, tmp_path: Path) -> None:
    """The single file, too: `</script>` in a prompt ends nothing."""
    page_file = tmp_path / "page.html"
    where = ("--cwd", odd.cwd, "--root", odd.root, "--home", odd.root / "home")
    assert run("serve", "opal", "--save", page_file, "--with-files", *where).returncode == 0
    page = browser.new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    page.goto(page_file.as_uri())
    expect(section(page, "project-context")).to_contain_text("<script>window.ran = 1</script>")
    assert is_whole(page, built(odd))
    harmless(page)
    page.close()
