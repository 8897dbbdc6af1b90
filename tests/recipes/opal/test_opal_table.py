from ..tables import check_table


def test_the_table_names_what_is_there() -> None:
    """Each row of Opal's table names places, functions, tests and goldens that exist, and why it does not hold."""
    check_table("opal.md", least=40)
