"""`overture serve --save`: the same page in one file, which asks nobody for anything."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ..cli.run import run
from .conftest import Served
from .seen import built, is_whole, section, told

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(served: Served, browser: Browser, tmp_path: Path) -> Iterator[tuple[Page, list[str]]]:
    """The page of the example project, from a file; and each address that it asked for."""
    file = tmp_path / "page.html"
    where = ("--cwd", served.cwd, "--root", served.root, "--home", served.root / "home")
    done = run("serve", "opal", "--save", file, "--with-files", *where)
    assert done.returncode == 0, done.stderr
    page, asked, said = browser.new_page(), list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.goto(file.as_uri())
    yield page, asked
    page.close()
    assert said == []


def test_a_file_is_the_whole_page(served: Served, opened: tuple[Page, list[str]]) -> None:
    """The same prompt with its sources, the views whose answers lie in it, and not one request."""
    page, asked = opened
    expect(section(page, "identity")).to_be_visible()
    assert is_whole(page, built(served))
    expect(page.get_by_text("a saved page")).to_be_visible()
    page.get_by_text(re.compile("Two ships never share a berth")).click()
    expect(told(page).get_by_role("region", name="Lines of services/berths/AGENTS.md")).to_contain_text("Two ships")
    views = page.get_by_role("navigation", name="Views").get_by_role("link").all_inner_texts()
    assert [view.split()[0] for view in views] == ["Prompt", "Agents", "Files", "Check"]
    for index in range(1, len(views)):
        page.keyboard.press(str(index + 1))
        expect(page.locator("main h1")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
    assert [each for each in asked if not each.startswith(("file:", "data:", "blob:"))] == []


def test_a_file_offers_only_what_it_can_do(opened: tuple[Page, list[str]]) -> None:
    """No key for a budget, no box that leads to a view which is not there, no list of forms with one form."""
    page, _ = opened
    expect(section(page, "identity")).to_be_visible()
    expect(page.get_by_role("combobox")).to_have_count(0)
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys.get_by_role("row").filter(has_text="find")).to_be_visible()
    expect(keys).not_to_contain_text("budget")
    expect(keys).not_to_contain_text("what is sent")
    page.keyboard.press("Escape")
    for index in range(4):
        page.keyboard.press(str(index + 1))
        expect(page.locator("main h1")).to_be_visible()
        links = page.locator("a[href^='#/']").evaluate_all("all => all.map(a => a.hash.split('/')[1])")
        assert set(links) <= {"prompt", "agents", "files", "check"}, links
