"""An extension as a configuration names it: a Python function, and who says so."""

from typing import NamedTuple


class Extension(NamedTuple):
    """`module:function` or `file.py:function`, with where it was given."""

    spec: str
    origin: str
    """The file, variable or package that gives it."""
    folder: str
    """Where a relative path begins."""
    beside: bool = False
    """Whether a module is looked for in that folder before anywhere else: so in a configuration file."""
    recipe: str | None = None
    """The recipe for which alone it is given."""
