"""The tables in docs/ that hold a document against the project: every place and every test in them is there."""

import re
from pathlib import Path

PROJECT = Path(__file__).parents[2]
HEADING = "## The document, sentence by sentence"
PLACE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:py|md|toml))`")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows(page: str) -> list[str]:
    """The rows of the table on a page, without its head."""
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8").partition(HEADING)[2]
    return [line for line in text.splitlines() if line.startswith("| ")][2:]


def check_table(page: str, least: int) -> None:
    """Fail where a row names a place or a test that is not there, or where there are fewer rows than this."""
    found = rows(page)
    assert len(found) >= least
    for row in found:
        for path, name in TEST.findall(row):
            assert f"def {name}(" in (PROJECT / path).read_text(encoding="utf-8"), row
        for place in PLACE.findall(TEST.sub("", row)):
            there = (PROJECT / "src" / "overture" / place, PROJECT / place, PROJECT / "docs" / place)
            assert any(path.exists() for path in there), row
