"""Quirks of Cursor. Known from its documentation."""


def choose_searched_folders(above: list[str]) -> list[str]:
    """It opens the project's root: folders from there down to the working directory are like all others below."""
    return above[:0]
