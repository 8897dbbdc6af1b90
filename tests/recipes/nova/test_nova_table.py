"""The table on the page of nova."""

from ..tables import check_table


def test_the_table_names_what_is_there() -> None:
    """Every place and every test that docs/nova.md sets against a sentence of Nova's document exists."""
    check_table("nova.md", 40)
