"""The table of docs/ptc.md that holds PtcRunner's document against the recipe."""

from ..tables import check_table


def test_every_place_and_test_of_the_table_is_there() -> None:
    """What the table names can be found."""
    check_table("ptc.md", least=50)
