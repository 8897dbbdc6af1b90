"""The folder in which an app keeps its state, and whether another process has it open.

An app that runs already takes over every further start, and that process does not know the tap.
"""

import os
import socket
import sys
from collections.abc import Mapping, Sequence

from ....errors import ConfigError, shown
from ..named_program import Named

FLAG = "--user-data-dir"
LOCK = "SingletonLock"
"""A link that Chromium makes in the folder: it leads to the name of the machine and the number of the process."""


def given_profile(argv: Sequence[str]) -> str:
    """The folder that the user names."""
    for at, word in enumerate(argv):
        if word == FLAG and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith(f"{FLAG}="):
            return word.partition("=")[2]
    return ""


def own_profile(named: Named, environ: Mapping[str, str], platform: str = sys.platform) -> str:
    """The folder that the app has without being told; empty where it is not known."""
    folder = named.program.profile.replace("$NAME", named.name)
    if not folder:
        return ""
    home = environ.get("HOME") or os.path.expanduser("~")
    if platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    elif platform == "win32":
        base = environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    else:
        base = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(base, folder)


def profile_words(named: Named, argv: Sequence[str], environ: Mapping[str, str], new: str = "") -> list[str]:
    """The word that names the folder: a new one, or the app's own if nobody has it open."""
    given = given_profile(argv)
    if given and new:
        raise ConfigError(f"--new-profile makes a profile, and {FLAG} names one. Leave one out.")
    profile = given or new or own_profile(named, environ)
    if owner := _owner(profile):
        raise ConfigError(
            f"{named.name} runs already ({owner}), and would take over the start without the tap. "
            "End it first, or give --new-profile before the --."
        )
    return [] if given or not profile else [f"{FLAG}={profile}"]


def _owner(profile: str) -> str:
    """Who has a folder open: a process of this machine that lives, or some process of another."""
    try:
        machine, _, number = os.readlink(os.path.join(profile, LOCK)).rpartition("-")
    except (OSError, ValueError):
        return ""
    if not number.isdigit():
        return ""
    if machine != socket.gethostname():
        return f"process {number} of {shown(machine)}"
    return f"process {number}" if _lives(int(number)) else ""


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
