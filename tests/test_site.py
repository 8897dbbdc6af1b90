"""The site of the manual has every page and every link, and shows what GitHub shows."""

import re
from pathlib import Path

import make_site

ROOT = Path(__file__).parent.parent


def test_the_menu_of_the_site_is_complete() -> None:
    """Each page under docs/ is in the menu of zensical.toml once, but for those that are made from the code."""
    named = [page for pages in make_site.menu(make_site.configuration()).values() for page in pages]
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    made = ("reference/", "agents/")
    named = [each for each in named if not each.startswith((make_site.OUTSIDE, *made))]
    assert sorted(named) == sorted(page for page in pages if not page.startswith(made))


def test_the_menu_has_the_titles_of_the_pages() -> None:
    """A page of docs/ has no second name in the menu: the site shows its title there."""
    named = re.findall(r'"([^"]+)" = "([^"]+\.md)"', (ROOT / "zensical.toml").read_text("utf-8"))
    assert [page for _, page in named if not page.startswith(make_site.OUTSIDE)] == ["README.md"]
