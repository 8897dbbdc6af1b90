"""Everybody can use it: axe finds nothing, in any view, theme and width, and nothing scrolls sideways."""

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from .conftest import VIEWS, Open, Served

pytestmark = pytest.mark.slow


THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = (1280, 400)


def faults(page: Page) -> list[str]:
    """What axe finds, each with its first place."""
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]} {each['nodes'][0]['failureSummary']}" for each in found]


def settled(page: Page) -> None:
    """Wait until the view has what it asked for."""
    expect(page.locator("main h1")).to_be_visible()
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)


def is_inside(page: Page) -> bool:
    """Whether the page is as wide as the window, and the view as wide as its place."""
    inside: bool = page.evaluate(
        "document.scrollingElement.scrollWidth <= innerWidth"
        " && document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth"
    )
    return inside


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(served: Served, odd: Served, look: Open, view: str) -> None:
    """In both themes and at both widths, also where text tries everything."""
    page = look(odd if view in ("prompt", "check") else served, f"#/{view}")
    settled(page)
    if view == "agents":
        page.get_by_role("checkbox", name="every known agent").check()
        page.get_by_role("button", name="Codex").first.click()
        expect(page.get_by_role("region", name="Why")).to_be_visible()
    if view == "check":
        page.get_by_text("How it would be fixed").first.click()
    if view == "files":
        page.get_by_role("link", name="AGENTS.md").first.click()
        expect(page.get_by_role("region", name="Text of AGENTS.md")).to_be_visible()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 860})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert faults(page) == [], (width, theme)
        assert is_inside(page), width


def test_axe_finds_nothing_in_what_opens(served: Served, look: Open) -> None:
    """The keys, a kept source, a strip that says what is tried out."""
    page = look(served)
    expect(page.get_by_text("follows your edits")).to_be_visible()
    page.get_by_text("Two ships never share a berth").click()
    expect(page.get_by_role("region", name="Lines of services/berths/AGENTS.md")).to_be_visible()
    field = page.get_by_role("spinbutton", name="Budget in tokens")
    field.fill("500")
    field.press("Enter")
    expect(page.get_by_text("Active changes")).to_be_visible()
    expect(page.locator(".source-panel.has-source")).to_be_visible()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 860})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert faults(page) == [], (width, theme)
        assert is_inside(page)
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert faults(page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_a_difference_has_no_fault(own: Served, look: Open, theme: Literal["light", "dark"]) -> None:
    """Turns with a change, and the strip of a file that is broken."""
    page = look(own, "#/turns", theme=theme)
    expect(page.get_by_text("follows your edits")).to_be_visible()
    file = own.cwd / "AGENTS.md"
    file.write_text(file.read_text("utf-8").replace("Two ships", "Three ships"), "utf-8")
    expect(page.get_by_role("heading", name="Turn 1 → 2")).to_be_visible()
    (own.cwd / "overture.toml").write_text("recipe = \n", "utf-8")
    expect(page.get_by_role("alert")).to_be_visible()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 860})
        assert faults(page) == []
        assert is_inside(page)
