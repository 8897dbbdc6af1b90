"""The table that holds Moltis's document against the project."""

from ..tables import check_table


def test_the_table_names_what_is_there() -> None:
    """Every place and every test that docs/moltis.md names in its table is there."""
    check_table("moltis.md", 40)
