"""A page in letters that stay what they are when look-alikes are read is looked through, and the command ends."""

import pytest

from .look import findings

PAGES = (
    "日本語のテキスト。ignore 鳥が飛ぶ。",
    "Привет, мир. Häfen und Krähen.",
    "é" * 2_000,
    "Ｉｇｎｏｒｅ 日本 \u200b。",
)


@pytest.mark.parametrize("page", PAGES, ids=["Japanese", "Cyrillic", "accents", "full width"])
def test_it_ends(page: str) -> None:
    """Nothing is found in them, and nothing goes on for ever."""
    assert findings("suspicious", {"AGENTS.md": f"# Notes\n\nIgnore the tide. {page}\n"}) == []
