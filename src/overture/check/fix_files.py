"""Writing mends into files of the project: never outside it, never through a link, never over a newer text."""

import os
import stat
from collections.abc import Mapping

from ..discover.write_file import write_file
from ..text.paths import is_below


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


def write_mended(new: Mapping[str, str], root: str) -> dict[str, str]:
    """Write the files of a project, each in one go; why some of them could not be written."""
    failed = {}
    for path, text in new.items():
        try:
            write_file(path, text.encode("utf-8"), within=root)
        except OSError as problem:
            failed[path] = (problem.strerror or str(problem)).lower()
    return failed
