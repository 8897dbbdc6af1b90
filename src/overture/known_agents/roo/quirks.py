"""Quirks that only Roo Code has. Read in its source."""


def stop_for_empty_file(_: bool) -> bool:
    """An empty file in the rules folder also hides the old rules file."""
    return True
