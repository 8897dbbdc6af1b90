"""Quirks that only Crush has. Read in its source."""


def take_folders(_: bool) -> bool:
    """A name of a folder means all files in it; symlinked folders are not searched."""
    return True
