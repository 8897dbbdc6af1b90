"""Quirks that only goose has. Read in its source."""

MAX_IMPORTING_BYTES = 131_072


def limit_importing_file(_: int | None) -> int:
    """Bytes of a file over which it imports no others."""
    return MAX_IMPORTING_BYTES


def follow_imports_in(_: bool, _path: str, text: str, _first: bool) -> bool:
    """In files of more than 131,072 bytes `@path` has no effect."""
    return len(text.encode()) <= MAX_IMPORTING_BYTES


def follow_import_again(_: bool) -> bool:
    """A file that is imported again is loaded again; only a cycle is stopped."""
    return True


def follow_ignored_import(_: bool, step: str) -> bool:
    """Files that git ignores are not imported, except by files below the working directory."""
    return step == "nested"
