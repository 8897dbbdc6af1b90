"""What can go wrong, as exceptions. Users' files never raise: they become a Diagnostic.

OvertureError
├── StateError     a State that does not fit: the path of the bad value, what was expected
├── RecipeError    a recipe that is not known, or that can't be made
├── ConfigError    a configuration file, variable or option that can't be used
└── SealedError    an edit of a prompt whose recipe refuses edits
"""

import difflib
from collections.abc import Iterable


class OvertureError(Exception):
    """The root of all. Its message says what, with which value, and what to do."""


class StateError(OvertureError):
    """A State does not fit."""


class RecipeError(OvertureError):
    """A recipe is not known or can't be made."""


class ConfigError(OvertureError):
    """A configuration value can't be used."""


class SealedError(OvertureError):
    """A sealed recipe was asked to change its prompt."""


def nearest(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'opal'?`, or nothing where no known name is near."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {found[0]!r}?" if found else ""


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """`Recipe 'oppal' is not known. Known: opal, pi. Did you mean 'opal'?`."""
    names = sorted(known)
    return f"{what} {name!r} is not known. Known: {', '.join(names)}.{nearest(name, names)}"
