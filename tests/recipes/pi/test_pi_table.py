from ..tables import check_table


def test_the_table_names_what_is_there() -> None:
    """Each row of pi's table names places and tests that exist."""
    check_table("pi.md", least=40)
