"""The tables in docs/ that hold a document against the project: every place and every test in them is there."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
HEADING = "## The document, sentence by sentence"
PLACE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:py|md|toml))`")
NAMED = re.compile(r"`([\w/]+\.py)`((?:,? `\w+`)+)")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
GOLDEN = re.compile(r"tests/goldens/[\w/]+\.txt")
VERDICT = re.compile(r"\*\*(?:Partly|Otherwise)\.\*\* ([A-Z`][^|]*?)(?:\. |$)")
DOUBT = re.compile(r"\b(?:[Dd]ifferent|[Nn]ot kept|[Nn]ot held)\b")
MAX_REASON_WORDS = 30
MIN_ROWS = {"moltis.md": 40, "nova.md": 40, "opal.md": 40, "pi.md": 40, "ptc.md": 50}
"""A page -> rows that its table has at least."""


def rows(page: str) -> list[str]:
    """The rows of the table on a page, without its head."""
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8").partition(HEADING)[2]
    return [line for line in text.splitlines() if line.startswith("| ")][2:]


@pytest.mark.parametrize("page", MIN_ROWS)
def test_the_table_names_what_is_there(page: str) -> None:
    """Each row names places, functions, tests and goldens that exist, and why it does not hold, if it does not."""
    found = rows(page)
    assert len(found) >= MIN_ROWS[page]
    for row in found:
        for path, name in TEST.findall(row):
            assert f"def {name}(" in (PROJECT / path).read_text(encoding="utf-8"), row
        for place in PLACE.findall(TEST.sub("", row)):
            there = (PROJECT / "src" / "overture" / place, PROJECT / place, PROJECT / "docs" / place)
            assert any(path.exists() for path in there), row
        for place, names in NAMED.findall(row):
            text = (PROJECT / "src" / "overture" / place).read_text(encoding="utf-8")
            assert all(re.search(rf"\b{name}\b", text) for name in re.findall(r"\w+", names)), row
        assert all((PROJECT / golden).exists() for golden in GOLDEN.findall(row)), row
        check_verdict(row)


def check_verdict(row: str) -> None:
    """Fail where a row that does not hold gives no reason in one sentence, or does not say so first."""
    told = row.removeprefix("| ").removesuffix(" |").split(" | ")[2]
    if not told.startswith("**"):
        assert not DOUBT.search(told), row
        return
    reason = VERDICT.match(told)
    assert reason is not None, row
    assert 5 <= len(reason[1].split()) <= MAX_REASON_WORDS, row
    assert re.search(r"\b(?:since|so that|and|as|which)\b", reason[1]), row
