"""Where there is nothing, the page says what to do."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .conftest import Open, Served
from .seen import section

pytestmark = pytest.mark.slow


def test_a_folder_without_files(tmp_path: Path, look: Open) -> None:
    """Each view of an empty folder stands there and leads on."""
    root = tmp_path / "empty"
    (root / "home").mkdir(parents=True)
    served = Served(root)
    try:
        page = look(served)
        expect(section(page, "identity")).to_be_visible()
        expect(page.get_by_text(re.compile("sections? (is|are) empty here$"))).to_be_visible()
        for key, words in {
            "2": "Nothing has changed yet",
            "3": "There are no instruction files here",
            "4": "Looked for, not found",
            "5": "No problems found",
        }.items():
            page.keyboard.press(key)
            expect(page.get_by_text(words).first).to_be_visible()
    finally:
        page.goto("about:blank")
        served.end()
