"""Writing mends into files of the project: never outside it, never through a link, never over a newer text."""

import os
import stat
from collections.abc import Mapping

from ...check.paths import is_below


def refusal(path: str, root: str, old: str) -> str | None:
    """Why a file is left as it is; None where it may be written."""
    if not is_below(path, root):
        return "it lies outside the project"
    if os.path.realpath(path) != os.path.join(os.path.realpath(root), os.path.relpath(path, root)):
        return "a link leads to it"
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            return "it is not a regular file"
        if found.st_nlink > 1:
            return "it has other names"
        with open(path, "rb") as file:  # noqa: PTH123
            return None if file.read() == old.encode("utf-8") else "it is not UTF-8, or has changed meanwhile"
    except (OSError, UnicodeEncodeError) as problem:
        return f"it can't be read: {(getattr(problem, 'strerror', None) or str(problem)).lower()}"


def write_mended(new: Mapping[str, str]) -> dict[str, str]:
    """Write the files, each in one go; why some of them could not be written."""
    failed = {}
    for path, text in new.items():
        try:
            _replace(path, text.encode("utf-8"))
        except OSError as problem:
            failed[path] = (problem.strerror or str(problem)).lower()
    return failed


def _replace(path: str, data: bytes) -> None:
    """A reader sees the old text or the new one, never half of it. The mode stays."""
    mode = stat.S_IMODE(os.lstat(path).st_mode)
    beside = f"{path}.overture-{os.getpid()}"
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
        os.replace(beside, path)
    except OSError:
        os.unlink(beside)
        raise
