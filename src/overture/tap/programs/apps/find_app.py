"""An app by its bundle or its name -> the program in it that is started."""

import os
import plistlib
import shutil
from collections.abc import Iterator, Mapping, Sequence

from ....errors import ConfigError, shown
from ..named_program import named_program
from ..programs import Program

ENDING = ".app"
FOLDERS = ("/Applications", "~/Applications")


def located(argv: Sequence[str], environ: Mapping[str, str]) -> tuple[str, ...]:
    """A command whose first word is a program: of an app that is named, the one in its bundle."""
    word = argv[0]
    path = os.path.abspath(os.path.expanduser(word.rstrip("/")))
    if word.rstrip("/").endswith(ENDING):
        if not os.path.isdir(path):
            raise ConfigError(f"There is no app {shown(word)}. Give the path of its bundle, or its name.")
        return (executable_of(path), *argv[1:])
    found = None if shutil.which(word, path=environ.get("PATH")) else _installed(named_program(argv).program, environ)
    return (executable_of(found), *argv[1:]) if found else tuple(argv)


def _installed(program: Program, environ: Mapping[str, str]) -> str | None:
    return next((path for path in _bundles(program, environ) if os.path.isdir(path)), None)


def _bundles(program: Program, environ: Mapping[str, str]) -> Iterator[str]:
    home = environ.get("HOME") or os.path.expanduser("~")
    for folder in FOLDERS:
        yield from (os.path.join(folder.replace("~", home, 1), name + ENDING) for name in program.apps)


def executable_of(bundle: str) -> str:
    """The program of a bundle, as its Info.plist names it."""
    info = os.path.join(bundle, "Contents", "Info.plist")
    name = _info(info).get("CFBundleExecutable")
    if not isinstance(name, str) or not name or os.path.basename(name) != name:
        raise ConfigError(f"{shown(info)} names no program (CFBundleExecutable). Give the path of the program itself.")
    path = os.path.join(bundle, "Contents", "MacOS", name)
    if not os.path.isfile(path):
        raise ConfigError(f"The app's program {shown(path)} is not there. Give the path of the program itself.")
    return path


def _info(path: str) -> Mapping[str, object]:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            found = plistlib.load(file)
    except (OSError, ValueError, plistlib.InvalidFileException, OverflowError, RecursionError) as problem:
        why = getattr(problem, "strerror", None) or "it is no property list"
        raise ConfigError(f"{shown(path)} can't be read: {why}. Give the path of the program itself.") from None
    except Exception as problem:  # a broken property list raises what its XML parser does
        raise ConfigError(f"{shown(path)} can't be read: {problem}. Give the path of the program itself.") from None
    return found if isinstance(found, dict) else {}
