"""The budget: less room shortens the prompt, and the page says what went."""

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import Open, Served
from .seen import built, is_whole, section, told

pytestmark = pytest.mark.slow


@pytest.fixture
def shown(served: Served, look: Open) -> Page:
    """The prompt of the example project."""
    page = look(served)
    expect(section(page, "identity")).to_be_visible()
    return page


def size(page: Page) -> int:
    """How many tokens the page says."""
    return int(page.get_by_role("heading", level=1).inner_text().split()[0].replace(",", ""))


def test_a_number_shortens_the_prompt_and_back_restores_it(served: Served, shown: Page) -> None:
    """What is shown is what `overture build --budget` makes; the page says what was cut, and one key takes it back."""
    before = size(shown)
    field = shown.get_by_role("spinbutton", name="Budget in tokens")
    field.fill("600")
    field.press("Enter")
    expect(shown.get_by_text("Active changes: at most 600 tokens")).to_be_visible()
    expect(shown.get_by_text(re.compile(r"parts? shortened or dropped$")).first).to_be_visible()
    assert size(shown) <= 600
    assert is_whole(shown, built(served, "opal", "--budget", "600"))
    shown.get_by_role("button", name="Back to what is sent").click()
    expect(shown.get_by_text("Active changes")).to_have_count(0)
    assert size(shown) == before
    assert is_whole(shown, built(served))


def test_the_slider_goes_by_the_keyboard(shown: Page) -> None:
    """`b` leads to it, arrows drag it, and the prompt follows."""
    before = size(shown)
    shown.keyboard.press("b")
    slider = shown.get_by_role("slider", name="Budget")
    expect(slider).to_be_focused()
    for _ in range(3):
        shown.keyboard.press("PageDown")
    shown.keyboard.press("ArrowLeft")
    expect(shown.get_by_text(re.compile("shortened or dropped")).first).to_be_visible()
    expect(shown.get_by_role("heading", level=1)).not_to_contain_text(f"{before} tokens")
    expect(slider).to_be_focused()
    assert size(shown) < before
    shown.keyboard.press("End")
    expect(shown.get_by_text("Active changes")).to_have_count(0)


def test_what_was_cut_is_marked_with_what_was_there(shown: Page) -> None:
    """At the place where text is missing stands a mark, which says what stood there; also where nothing else does."""
    field = shown.get_by_role("spinbutton", name="Budget in tokens")
    field.fill("650")
    field.press("Enter")
    expect(shown.locator("mark.mark-cut").first).to_be_visible()
    for found, was in (
        (shown.locator("mark", has_text="[planning: dropped"), "multi-step"),
        (shown.locator("mark:empty"), "Use "),
    ):
        found.first.hover()
        expect(told(shown)).to_contain_text("Text was shortened here")
        expect(told(shown)).to_contain_text(was)


def test_room_that_is_too_small_is_said(own: Served, look: Open) -> None:
    """A budget that can't be met is told, with what to do; what is shown stays the last that could."""
    shown = look(own)
    shown.get_by_role("combobox", name="Agent or recipe").select_option("nova")
    expect(section(shown, "storage")).to_be_visible()
    field = shown.get_by_role("spinbutton", name="Budget in tokens")
    field.fill("5")
    field.press("Enter")
    expect(shown.get_by_role("alert").first).to_contain_text(re.compile(r"5 tokens.* \d\d+"))
    expect(shown.locator(".prompt-text section").first).to_be_visible()
