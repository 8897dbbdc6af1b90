"""What Roo Code alone does. Read in its source."""


def stop_for_empty_file(_: bool) -> bool:
    """An empty file in the folder of rules switches the old file of rules off, too."""
    return True
