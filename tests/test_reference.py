"""The reference pages are what the code says."""

import runpy
import sys
from functools import cache
from pathlib import Path

import make_decisions
import pytest

import overture

DOCS = Path(__file__).parent.parent / "docs"
sys.path.insert(0, str(DOCS))


@cache
def pages() -> dict[str, str]:
    """The pages as the code makes them, by their names."""
    made: dict[str, str] = runpy.run_path(str(DOCS / "make_reference.py"))["pages"]()
    return made


@pytest.mark.parametrize("name", sorted(page.name for page in (DOCS / "reference").iterdir()))
def test_page_is_up_to_date(name: str) -> None:
    """A reference page equals what the code makes of it; `make reference` writes it."""
    assert (DOCS / "reference" / name).read_text(encoding="utf-8") == pages()[name]


def test_no_page_is_left_over() -> None:
    """There is no page in docs/reference that the code does not make."""
    assert {page.name for page in (DOCS / "reference").iterdir()} == set(pages())


@pytest.mark.parametrize("name", overture.__all__)
def test_every_public_name_is_explained(name: str) -> None:
    """Each has its heading, or a line among the errors, and something is said of it."""
    said = pages()["python.md"]
    after = said.partition(f"### overture.{name}\n")[2] or said.partition(f"- `{name}`:")[2]
    assert after.strip()[:1] not in ("", "#", "-")


def test_a_description_is_shown_as_it_is_written() -> None:
    """A field's description follows its type word for word: only types lose the names of their modules."""
    assert "- `overrides: Overrides | None`: SYSTEM.md and APPEND_SYSTEM.md\n" in pages()["python.md"]
    assert "Annotated[" not in pages()["python.md"]


def test_the_list_of_decisions_is_up_to_date() -> None:
    """docs/decisions/README.md has a line for each decision; `make reference` writes it."""
    assert make_decisions.LIST.read_text("utf-8") == make_decisions.make_list()
