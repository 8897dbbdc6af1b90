"""How the page comes: as one script and one style, which a browser keeps, and without a jump."""

import pytest
from playwright.sync_api import Browser, expect

from .conftest import Open, Served
from .seen import section

pytestmark = pytest.mark.slow


SHIFTS = """window.moved = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.moved += entry.value;
}).observe({ type: "layout-shift", buffered: true })"""
"""Adds up by how much of the window things moved that nobody had touched."""


def test_the_page_is_a_script_and_a_style(served: Served, browser: Browser) -> None:
    """Page, script, style: nothing else is fetched before data; opened again, the two come from the browser's cache."""
    context = browser.new_context()
    asked: list[str] = []
    for _ in range(2):
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(served.address)
        expect(section(page, "identity")).to_be_visible()
        page.goto("about:blank")
    files = [url.removeprefix(served.address) for url in asked if "/page/" not in url and "icon" not in url]
    assert len(files) == 6
    sheets = [url for url in asked if url.endswith("/page/sheet")]
    assert len(sheets) == 2
    kept = context.new_page()
    kept.goto(served.address)
    expect(section(kept, "identity")).to_be_visible()
    sizes = kept.evaluate(
        "performance.getEntriesByType('resource').filter(e => /static.page-/.test(e.name)).map(e => e.transferSize)"
    )
    assert sizes == [0, 0]
    context.close()


def test_the_prompt_is_asked_for_with_the_script(served: Served, look: Open) -> None:
    """The page itself asks for the prompt, once: it is not first asked for when the script has run."""
    page = look(served)
    expect(section(page, "identity")).to_be_visible()
    by = page.evaluate(
        "performance.getEntriesByType('resource').filter(e => /page.sheet$/.test(e.name)).map(e => e.initiatorType)"
    )
    assert by == ["link"]


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
