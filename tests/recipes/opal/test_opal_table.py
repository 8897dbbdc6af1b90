"""The table on Opal's page names what is there: places, functions, tests and goldens."""

import re

from ..tables import PROJECT, check_table, rows

NAMED = re.compile(r"`([\w/]+\.py)` `(\w+)`")
GOLDEN = re.compile(r"`(tests/goldens/[\w/]+\.txt)`")


def test_every_place_and_test_of_the_table_is_there() -> None:
    """A file or a test that is renamed takes its row along."""
    check_table("opal.md", least=40)


def test_every_function_and_golden_of_the_table_is_there() -> None:
    """A name that follows a file stands in that file, and no golden is named that is not there."""
    for row in rows("opal.md"):
        for place, name in NAMED.findall(row):
            text = (PROJECT / "src/overture" / place).read_text(encoding="utf-8")
            assert re.search(rf"\b(?:def|class) {name}\b|^{name} = ", text, re.MULTILINE), row
        for golden in GOLDEN.findall(row):
            assert (PROJECT / golden).exists(), row
