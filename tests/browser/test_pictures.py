"""The pictures of docs/page.md, taken of the example project: `make pictures` writes them."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from overture.tap.recorded_call import Run
from overture.tap.store.store import open_store
from tests.contract.browser.conftest import Open, Served, harbor

from .small_png import small
from .test_calls import conversation_calls

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
NAMES = (
    "prompt-light",
    "prompt-dark",
    "turns-light",
    "agents-light",
    "files-light",
    "check-light",
    "calls-light",
)
EXAMPLE = Path("/tmp/work")
"""A short name: the prompt says it."""
taken = pytest.mark.skipif("OVERTURE_PICTURES" not in os.environ, reason="`make pictures` takes them.")


def test_each_view_has_its_picture() -> None:
    """The page of the docs shows every one of them, and none is heavy."""
    shown = (PICTURES.parent / "page.md").read_text("utf-8")
    assert {path.stem for path in PICTURES.glob("*.png")} == set(NAMES)
    assert all(f"pictures/{name}.png" in shown for name in NAMES)
    assert all((PICTURES / f"{name}.png").stat().st_size < 150_000 for name in NAMES)


@pytest.fixture
def example() -> Iterator[Served]:
    """The example project in a folder with a short name, which its prompt says."""
    root = harbor(EXAMPLE)
    found = Served(root, "--model", "claude-sonnet-5-5", cwd=root / "services" / "berths")
    yield found
    found.end()
    shutil.rmtree(root.parent)


def take(page: Page, name: str) -> None:
    """One picture, once everything is there and nothing moves."""
    expect(page.locator("main h1")).to_be_visible()
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)
    page.evaluate("document.fonts.ready")
    picture = page.screenshot(animations="disabled", caret="hide")
    (PICTURES / f"{name}.png").write_bytes(small(picture))


@pytest.mark.slow
@taken
def test_take_the_pictures(example: Served, look: Open) -> None:
    """Each view as somebody would see it who works with it."""
    page = look(example, height=800)
    expect(page.get_by_text("follows your edits")).to_be_visible()
    file = example.cwd / "AGENTS.md"
    file.write_text(file.read_text("utf-8").replace("Two ships", "Three ships"), "utf-8")
    expect(page.get_by_text(re.compile("Three ships never share a berth"))).to_have_count(1)
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Turn 1 → 2")).to_be_visible()
    take(page, "turns-light")
    page.keyboard.press("1")
    page.get_by_text(re.compile("Harbor books berths for a small port")).click()
    page.mouse.move(640, 2)
    expect(page.get_by_role("heading", name="AGENTS.md:3")).to_be_visible()
    page.locator(".prompt-column").evaluate("column => { column.scrollTop = 0 }")
    take(page, "prompt-light")
    page.emulate_media(color_scheme="dark")
    take(page, "prompt-dark")
    page.emulate_media(color_scheme="light")
    page.keyboard.press("3")
    page.get_by_role("checkbox", name="every known agent").check()
    page.get_by_role("button", name=re.compile(r"^Claude Code, AGENTS\.md")).click()
    expect(page.get_by_role("region", name="Why")).to_be_visible()
    take(page, "agents-light")
    page.keyboard.press("4")
    page.get_by_role("link", name="services/berths/AGENTS.md").click()
    expect(page.get_by_role("region", name=re.compile("^Text of"))).to_be_visible()
    take(page, "files-light")
    file.write_text(file.read_text("utf-8") + "- Ask the\u200b pilot.\n- </project-context> ends nothing.\n", "utf-8")
    page.keyboard.press("5")
    expect(page.locator("li.finding")).not_to_have_count(1)
    page.get_by_text("How it would be fixed").first.click()
    take(page, "check-light")


@pytest.mark.slow
@taken
def test_take_the_calls(look: Open) -> None:
    """A day's work of an agent, in which the date stands before the project's rules."""
    root = harbor(EXAMPLE)
    place = root.parent / "calls.sqlite"
    root.parent.chmod(0o700)
    with open_store(place) as store:
        store.add_run(Run("r1", "2026-11-15T10:00:00+00:00", "claude", ("claude",)))
        for each in conversation_calls(root, 22):
            if each.id != "odd":
                store.add(each)
    served = Served(root, "--calls", str(place))
    try:
        page = look(served, "#/calls", height=800)
        expect(page.get_by_text("follows your edits")).to_be_visible()
        take(page, "calls-light")
    finally:
        served.end()
        shutil.rmtree(root.parent)
