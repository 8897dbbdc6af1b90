"""How the page comes: as one script and one style, which a browser keeps."""

from playwright.sync_api import Browser, expect

from .conftest import Served
from .seen import section


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
