"""The page of an audit in a browser: tables are sorted and searched, and nothing in them is run."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from overture.terminal.tables_of_structs import DataTable
from overture.web.tables_page import make_tables_page

pytestmark = pytest.mark.slow


EVIL = '<img src=x onerror="document.title = 1">'


def test_tables_are_sorted_and_searched(browser: Browser, tmp_path: Path) -> None:
    """A click on a heading sorts by number or word, twice the other way round; words filter rows in all tables."""
    rows: list[list[str | int]] = [["b", 5], ["a", 40], [EVIL, 7]]
    tables = [DataTable("all", "All", ["name", "tokens"], rows), DataTable("other", "Other", ["path"], [["a/b"]])]
    text = make_tables_page("Audit", tables, [("Codex", [5, 40, 7])])
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.goto((tmp_path / "page.html").as_uri())
    numbers = page.locator("tbody tr:visible td.number")
    page.get_by_role("button", name="tokens").click()
    expect(numbers).to_have_text(["40", "7", "5"])
    page.get_by_role("button", name="tokens").click()
    expect(numbers).to_have_text(["5", "7", "40"])
    page.get_by_role("searchbox").fill("onerror")
    expect(numbers).to_have_text(["7"])
    expect(page.locator("output:visible")).to_have_text(["1 of 3"])
    expect(page.locator("nav a:visible")).to_have_text(["All 1 of 3"])
    page.get_by_role("searchbox").fill("nowhere")
    expect(page.get_by_text("No match.")).to_be_visible()
    expect(page.locator("section:visible")).to_have_count(0)
    assert (page.title(), page.locator("img").count(), problems) == ("Audit · Overture", 0, [])
    page.close()
