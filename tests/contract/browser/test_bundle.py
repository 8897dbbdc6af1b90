"""How the page comes: as one script and one style, and without a jump."""

import pytest
from playwright.sync_api import Browser, expect

from .conftest import Served
from .seen import section

pytestmark = pytest.mark.slow


SHIFTS = """window.moved = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.moved += entry.value;
}).observe({ type: "layout-shift", buffered: true })"""
"""Adds up by how much of the window things moved that nobody had touched."""


def test_the_page_is_a_script_and_a_style(served: Served, browser: Browser) -> None:
    """Page, script, style: nothing else is fetched before data, and the prompt is asked for once."""
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(served.address)))
    page.goto(served.address)
    expect(section(page, "identity")).to_be_visible()
    page.close()
    assert [url for url in asked if "page/" not in url and "icon" not in url] == [
        "",
        "static/page.css",
        "static/page.js",
    ]
    assert asked.count("page/sheet") == 1


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_nothing_moves_as_the_page_fills(served: Served, browser: Browser, width: int) -> None:
    """The head has its fields, and the text its place, before prompt and choices are there."""
    page = browser.new_page(viewport={"width": width, "height": 860})
    page.add_init_script(SHIFTS)
    page.goto(served.address)
    expect(page.get_by_role("combobox", name="Agent or recipe").locator("option").nth(20)).to_be_attached()
    expect(page.get_by_role("status").filter(has_text="follows your edits")).to_be_visible()
    moved = page.evaluate("new Promise(go => requestAnimationFrame(() => setTimeout(() => go(window.moved))))")
    page.close()
    assert moved < 0.02
