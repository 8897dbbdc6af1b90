"""The manual as a site, built as `make docs` builds it and opened as a file: no server and no other host is needed."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, expect

from tests.contract.browser.test_axe import THEMES, WIDTHS, faults

pytestmark = pytest.mark.slow


ROOT = Path(__file__).parents[2]
ZENSICAL = Path(sys.executable).with_name("zensical")
PAGES = ("index", "agents", "check", "tap")
ADDRESS = re.compile(r'(?<= )(?:href|src)="?([^"\s>]+)')
ELSEWHERE = re.compile(r"[a-z]+:|//")

pytestmark = pytest.mark.skipif(not ZENSICAL.exists(), reason="Zensical is not installed: `make docs` installs it.")


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the site is built in; a warning would have stopped it."""
    folder = tmp_path_factory.mktemp("build")
    done = subprocess.run([sys.executable, ROOT / "docs/make_site.py", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_axe_finds_nothing(build: Path, browser: Browser) -> None:
    """In both themes, at both widths, and with the search open; and no page scrolls sideways."""
    for theme in THEMES:
        page = browser.new_page(color_scheme=theme)
        for name in PAGES:
            page.goto((build / f"site/{name}.html").as_uri())
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 860})
                page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
                assert faults(page) == [], (name, theme, width)
                assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), (name, width)
        page.set_viewport_size({"width": 1280, "height": 860})
        page.keyboard.press("Control+k")
        page.keyboard.type("skipped")
        expect(page.get_by_text(re.compile(r"\d+ results"))).to_be_visible()
        # The list of results is no stop of the tab key: arrow keys walk it from the field.
        assert [each for each in faults(page) if not each.startswith("scrollable-region-focusable")] == []
        page.close()


def test_every_address_of_the_site_leads_to_a_file(build: Path) -> None:
    """Also those to pictures, styles, scripts, and what lies outside docs/."""
    dead = []
    for page in (build / "site").rglob("*.html"):
        for address in set(ADDRESS.findall(page.read_text("utf-8"))):
            path = unquote(address.partition("#")[0].partition("?")[0])
            base = build / "site" if page.name == "404.html" else page.parent
            if path and not ELSEWHERE.match(path) and not (base / path.lstrip("/")).exists():
                dead.append(f"{page.relative_to(build)}: {address}")
    assert dead == []
