"""A prompt of half a million characters opens, scrolls and answers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .conftest import Open, Served
from .seen import built, is_whole, section, told

pytestmark = pytest.mark.slow


SCROLL = """async () => {
    const column = document.querySelector('.prompt-column'), frames = [];
    let before = performance.now();
    for (let at = 0; at < 90; at += 1) {
        column.scrollTop += 600;
        await new Promise(requestAnimationFrame);
        frames.push(performance.now() - before);
        before = performance.now();
    }
    frames.sort((a, b) => a - b);
    return { median: frames[45], worst: frames[89], end: column.scrollHeight };
}"""


def test_half_a_million_characters(tmp_path: Path, look: Open, record_property: Callable[[str, object], None]) -> None:
    """All of it is there, the end can be come to, and a found word is shown at once."""
    root = tmp_path / "large"
    (root / ".git").mkdir(parents=True)
    (root / "home").mkdir()
    lines = [f"- Berth {number}: ships of up to {number} cm, moored by night and by day." for number in range(8200)]
    (root / "AGENTS.md").write_text("\n".join(lines), "utf-8")
    served = Served(root)
    try:
        page = look(served)
        expect(section(page, "project-context")).to_be_visible()
        text = built(served)
        assert len(text) > 500_000
        assert is_whole(page, text)
        # What is far away is bare text: an element for each line of it would take a second.
        assert page.evaluate("document.querySelectorAll('*').length") < 2_500
        assert page.locator(".chunk.far").count() > 100
        record_property("frames in ms while scrolling", page.evaluate(SCROLL))
        page.keyboard.press("/")
        page.keyboard.type("Berth 8199")
        expect(page.get_by_role("search")).to_contain_text("1 of 1")
        expect(page.get_by_text("- Berth 8199:")).to_be_in_viewport()
        expect(page.locator(".text-row", has_text="- Berth 8199:")).to_have_attribute("data-line", "8200")
        page.get_by_text("- Berth 8199:").click()
        expect(told(page).get_by_role("heading", name="AGENTS.md:8200")).to_be_visible()
        page.goto("about:blank")
    finally:
        served.end()
