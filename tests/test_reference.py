"""The reference pages are what the code says."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES: dict[str, str] = runpy.run_path(str(DOCS / "make_reference.py"))["pages"]()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_is_up_to_date(name: str) -> None:
    """A reference page equals what the code makes of it; `make reference` writes it."""
    assert (DOCS / "reference" / name).read_text(encoding="utf-8") == PAGES[name]


def test_no_page_is_left_over() -> None:
    """There is no page in docs/reference that the code does not make."""
    assert {page.name for page in (DOCS / "reference").iterdir()} == set(PAGES)
