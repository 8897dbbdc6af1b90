"""The site of the manual has every page and every link, and shows what GitHub shows."""

import inspect
import re
from pathlib import Path

import make_site
import pytest
from agent_page import Page
from make_agents import compare

from overture.known_agents import AGENTS

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


@pytest.mark.parametrize("name", AGENTS)
def test_a_page_says_what_the_agents_module_says(name: str) -> None:
    """The page of an agent has what its functions do, the names of its files, its settings, and its notes."""
    page = Page(name)
    text = page.write()
    does = (inspect.getdoc(getattr(page.module, each, None)) for each in ("files", "skills", "agents", "commands"))
    names = [part for step in page.wants.steps for each in step.names for part in each.split("|")]
    keys = [key.strip('"') for file in page.wants.configured for key in (*file.adds, *file.replaces, *file.unmodelled)]
    said = [*filter(None, does), *names, *keys, *page.wants.variables, *page.skill_folders, *page.facts.notes]
    assert [each for each in said if each.removeprefix("~/") not in text] == []


def test_the_comparison_says_who_reads_a_file() -> None:
    """Of names that many agents look for, it says who loads one at the root, and beside which others it is hidden."""
    text = compare([Page(name) for name in ("claude-code", "codex", "opencode", "zed", "cursor")])
    (row,) = (line.split(" | ") for line in text.splitlines() if line.startswith("| `CLAUDE.md`"))
    assert "[Claude Code](claude-code.md)" in row[1] and "Codex" not in "".join(row)
    assert "[opencode](opencode.md) (`AGENTS.md`)" in row[2]
