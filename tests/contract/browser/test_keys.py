"""The keyboard alone is enough, and the help says which keys."""

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import VIEWS, Open, Served
from .seen import section

pytestmark = pytest.mark.slow


STEP = """(() => {
    const now = document.activeElement;
    const isRound = now === document.body || (now.dataset.come === '1' && !now.matches('[type=datetime-local]'));
    now.dataset.come = '1';
    return isRound;
})()"""
"""Marks what has the focus; whether it had it before. A clock has it several times, once for each of its parts."""


def test_the_help_lists_the_keys_and_gives_the_focus_back(served: Served, look: Open) -> None:
    """`?` opens it, Escape closes it, and the focus is where it was."""
    page = look(served)
    page.get_by_role("button", name="Keys").focus()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    for what in ("show these keys", "Prompt", "Check", "find", "the budget", "dark, light"):
        expect(keys.get_by_role("row").filter(has_text=what).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).not_to_be_visible()
    expect(page.get_by_role("button", name="Keys")).to_be_focused()


def test_a_number_for_each_view(served: Served, look: Open) -> None:
    """1 to 6, from wherever one is."""
    page = look(served)
    expect(section(page, "identity")).to_be_visible()
    for index, view in enumerate(VIEWS):
        page.keyboard.press(str(index + 1))
        expect(page).to_have_url(re.compile(f"#/{view}$"))
        expect(page.get_by_role("link", name=re.compile(view, re.IGNORECASE), exact=False).first).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_have_count(1)


def test_j_and_k_go_through_the_sections(served: Served, look: Open) -> None:
    """One on, one back; the end is no trap, and letters in a field are letters."""
    page = look(served)
    expect(section(page, "identity")).to_be_visible()
    for name in ("identity", "project-context", "skills"):
        page.keyboard.press("j")
        expect(section(page, name).locator("header")).to_be_focused()
    page.keyboard.press("k")
    expect(section(page, "project-context").locator("header")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("jk?1")
    expect(page.get_by_role("searchbox")).to_have_value("jk?1")
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).not_to_be_focused()


def test_t_turns_the_light(served: Served, look: Open) -> None:
    """System, light, dark; what was chosen is kept, and the button says it."""
    page = look(served, theme="light")
    expect(section(page, "identity")).to_be_visible()
    page.keyboard.press("t")
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    expect(page.locator("body")).to_have_css("background-color", "rgb(16, 18, 22)")
    page.reload()
    expect(page.locator("body")).to_have_css("background-color", "rgb(16, 18, 22)")


def test_tab_reaches_everything_and_is_never_caught(served: Served, look: Open) -> None:
    """From the first link to the last and out again, in every view, with something seen around the focus."""
    page = look(served)
    for view in VIEWS:
        page.evaluate("view => { location.hash = '#/' + view }", view)
        expect(page.locator("main h1")).to_be_visible()
        expect(page.locator("main [aria-busy=true]")).to_have_count(0)
        assert unreached(page) == [], view


def unreached(page: Page) -> list[str]:
    """What could be pressed and was not come by, going through the page with Tab once."""
    page.evaluate("document.querySelectorAll('[data-come]').forEach(each => delete each.dataset.come)")
    page.get_by_role("button", name="Skip to the content").focus()
    page.evaluate(STEP)
    for _ in range(400):
        page.keyboard.press("Tab")
        if page.evaluate(STEP):
            break
    else:
        raise AssertionError("Tab does not come to an end")
    found: list[str] = page.evaluate(
        """[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
        .filter(each => each.checkVisibility() && !each.disabled && each.dataset.come !== '1')
        .filter(each => each.type !== 'radio' || !document.querySelector(`[name="${each.name}"][data-come]`))
        .map(each => each.outerHTML.slice(0, 120))"""
    )
    return found


def test_the_first_tab_skips_to_the_content(served: Served, look: Open) -> None:
    """The first stop is a button that is seen once it has the focus, and leads past the head and the menu."""
    page = look(served)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_a_long_path_loses_its_start(served: Served, look: Open) -> None:
    """Where there is no room, the end of a path stays, and all of it is its title."""
    page = look(served, "#/files", width=390)
    path = page.locator(".path-line").first
    expect(path).to_have_attribute("title", re.compile("^/"))
    assert path.evaluate("path => [getComputedStyle(path).direction, path.firstChild.dir]") == ["rtl", "ltr"]
