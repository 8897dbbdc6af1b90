"""Finds the user's home, and the folders below it that programs keep their files in."""

import os
from collections.abc import Mapping


def find_home() -> str:
    """An absolute path: an empty HOME counts as none, a relative one starts at the current folder."""
    home = os.path.expanduser("~") if os.name == "nt" or os.environ.get("HOME") else _read_registered_home()
    try:
        return os.path.abspath(home)
    except OSError:  # a relative HOME, and the current folder was removed
        return "/"


def _read_registered_home() -> str:
    """The home that the system has for this user; a container may run as a user that it does not know."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir or "/"
    except KeyError:
        return "/"


def choose_user_folder(environment: Mapping[str, str], home: str, default: str, *variables: str) -> str:
    """The folder that the first of these variables names by an absolute path, else the default one in this home."""
    named = (environment.get(variable, "") for variable in variables)
    return next(filter(os.path.isabs, named), f"{home.rstrip('/')}/{default}").rstrip("/")
